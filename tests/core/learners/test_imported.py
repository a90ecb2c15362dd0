"""Import paths of a config: where code is found, what is refused, what keys depend on."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import xgboost
from sklearn.utils import all_estimators

from quadrepro.core.learners.estimator import EstimatorPredictor
from quadrepro.core.learners.imported import (
    check_path,
    declared,
    enter,
    find,
    own_file,
    own_files,
)


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """Return a folder with modules of a user, which are forgotten afterwards."""
    yield tmp_path
    enter("")


@pytest.mark.filterwarnings("ignore")
def test_every_estimator_of_scikit_learn_is_found_where_it_is() -> None:
    experimental = {"HalvingGridSearchCV", "HalvingRandomSearchCV", "IterativeImputer"}
    estimators = {
        name: found
        for name, found in all_estimators()
        if name not in experimental and "feature_extraction" not in found.__module__
    }
    assert {name: find(f"sklearn:{name}") for name in estimators} == estimators


def test_the_modules_of_scikit_learn_are_read_and_not_imported() -> None:
    code = (
        "import sys; from quadrepro.core.learners.imported import sklearn_modules;"
        "assert sklearn_modules()['SVC'] == 'sklearn.svm';"
        "print([name for name in sys.modules if name.startswith('sklearn')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("sklearn:Rigde", "scikit-learn has no estimator 'Rigde'; did you mean 'Ridge'?"),
        ("sklearn:clone", "scikit-learn has no estimator 'clone'"),
        ("xgboost:XGBClasifier", "no class or function 'XGBClasifier'; did you mean 'XGBClass"),
        ("xgboost:__version__", "has no class or function '__version__'"),
        ("xgbost:XGBClassifier", "unknown module 'xgbost'; did you mean 'xgboost'?"),
        ("xgboost.sklern:XGBClassifier", "No module named 'xgboost.sklern'"),
        ("nowhere_at_all:make", "pip install the package that has it"),
        ("joblib:load", "joblib:load is not an estimator: it needs fit, get_params and set_params"),
        ("os:system", "os is a module of Python or of quadrepro, which a config cannot name"),
        ("test.support:run_in_subinterp", "test is a module of Python or of quadrepro"),
        ("__main__:run", "'__main__:run' is not a public import path"),
        ("quadrepro:load_results", "is not an estimator: it needs fit, get_params"),
        ("quadrepro:AdaBostClassifier", "did you mean 'AdaBoostClassifier'?"),
        ("quadrepro.api:rank", "quadrepro is a module of Python or of quadrepro"),
        ("pip.__main__:sys", "is not a public import path, such as xgboost:XGBClassifier"),
        ("pip._internal:main", "is not a public import path"),
        ("click.testing:CliRunner", "is not an estimator: it needs fit, get_params"),
        ("xgboost:a.b", "'xgboost:a.b' is not a public import path"),
        (":SVC", "':SVC' is not a public import path"),
    ],
)
def test_what_is_not_there_or_not_an_estimator_is_refused(path: str, message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        find(path)


def test_a_module_of_the_folder_is_found_with_what_it_imports_of_it(folder: Path) -> None:
    (folder / "mine_one.py").write_text("from mine_two import twice\nimport json\ndef make(): ...")
    (folder / "mine_two.py").write_text("def twice(): ...")
    (folder / "mine_three.py").write_text("raise SystemExit")
    path, where = "mine_one:make", str(folder)
    assert own_files([path, "sklearn:SVC"], where) == {
        name: folder / f"{name}.py" for name in ("mine_one", "mine_two")
    }
    assert find(path, where).__name__ == "make"


def test_a_package_of_the_folder_is_found(folder: Path) -> None:
    (folder / "mine").mkdir()
    (folder / "mine" / "__init__.py").touch()
    (folder / "mine" / "models.py").write_text("from .parts import make")
    (folder / "mine" / "parts.py").write_text("def make(): ...")
    assert find("mine.models:make", str(folder)).__name__ == "make"
    found = own_files(["mine.models:make"], str(folder))
    assert [*found] == ["mine", "mine.models", "mine.parts"]
    with pytest.raises(ValueError, match=r"unknown module 'mine\.model'"):
        check_path("mine.model:make", str(folder))


@pytest.mark.parametrize("name", ["make", "Made", "MADE", "dumps", "np"])
def test_what_the_code_of_a_folder_defines_is_read_and_not_imported(
    folder: Path, name: str
) -> None:
    (folder / "mine_read.py").write_text(
        "from json import dumps\nimport numpy as np\ndef make(): ...\nclass Made: ...\n"
        "MADE = make\nraise SystemExit"
    )
    check_path(f"mine_read:{name}", str(folder))
    with pytest.raises(ValueError, match=f"has no '{name}_'; did you mean '{name}'"):
        check_path(f"mine_read:{name}_", str(folder))
    assert "mine_read" not in sys.modules


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("make", (["kind", "depth"], False)),
        ("Own", (["size"], True)),
        ("Open", (["size"], False)),
        ("Bare", ([], False)),
    ],
)
def test_what_code_of_the_folder_takes_is_read_and_not_imported(
    folder: Path, name: str, expected: tuple[list[str], bool]
) -> None:
    (folder / "mine_takes.py").write_text(
        "def make(kind, *, depth=1): ...\n"
        "class Own:\n  def __init__(self, size=1): ...\n  def make(self, other): ...\n"
        "class Open:\n  def __init__(self, size=1, **others): ...\n"
        "class Bare(Own): ...\n1 / 0"
    )
    assert declared(f"mine_takes:{name}", str(folder)) == expected


def test_nothing_of_a_folder_is_imported_that_is_not_named(folder: Path) -> None:
    (folder / "mine_four.py").write_text("raise SystemExit")
    before = list(sys.path)
    with pytest.raises(ValueError, match="unknown module 'mine_for'; did you mean 'mine_four'"):
        find("mine_for:make", str(folder))
    find("sklearn:SVC", str(folder))
    assert sys.path == before


def test_an_installed_package_comes_before_a_file_of_the_folder(folder: Path) -> None:
    (folder / "xgboost.py").write_text("raise SystemExit")
    assert own_file("xgboost:XGBClassifier", str(folder)) is None
    assert find("xgboost:XGBClassifier", str(folder)) is xgboost.XGBClassifier


def test_the_folder_in_which_python_was_started_installs_nothing(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "mine_started.py").write_text("raise SystemExit")
    monkeypatch.chdir(folder)
    monkeypatch.setattr(sys, "path", [str(folder), *sys.path])
    with pytest.raises(ValueError, match="unknown module 'mine_started'"):
        check_path("mine_started:make", str(folder / "configs"))


def test_each_config_has_the_modules_of_its_own_folder(folder: Path) -> None:
    for number, place in enumerate(("first", "second"), 1):
        (folder / place).mkdir()
        (folder / place / "mine_five.py").write_text("from mine_number import NUMBER as make")
        (folder / place / "mine_number.py").write_text(f"def NUMBER(): return {number}")
    before = list(sys.path)
    for place, number in (("first", 1), ("second", 2), ("first", 1)):
        assert find("mine_five:make", str(folder / place))() == number
    enter("")
    assert sys.path == before


def test_a_file_that_is_hidden_by_another_is_refused(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = folder / "first", folder / "second"
    for place in (first, second):
        place.mkdir()
        (place / "mine_six.py").write_text("def make(): ...")
    monkeypatch.chdir(first)
    monkeypatch.setattr(sys, "path", [str(first), *sys.path])
    with pytest.raises(ValueError, match=r"second/mine_six.py is hidden by .*first/mine_six.py"):
        find("mine_six:make", str(second))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("import nowhere_at_all", "No module named 'nowhere_at_all' (mine_broken.py:1)"),
        ("def f():\n  1 / 0\nf()", "ZeroDivisionError: division by zero (mine_broken.py:2)"),
        ("import numpy\nnumpy.linalg.inv([[0.0]])", "Singular matrix (mine_broken.py:2)"),
        ("raise SystemExit(3)", "cannot be imported: SystemExit: 3"),
    ],
)
def test_a_module_that_cannot_be_imported_is_refused_with_its_line(
    folder: Path, text: str, message: str
) -> None:
    (folder / "mine_broken.py").write_text(text)
    with pytest.raises(ValueError, match=re.escape(message)):
        find("mine_broken:make", str(folder))


@pytest.mark.parametrize("text", ["def make(:", "\0", "(" * 10_000])
def test_a_module_that_cannot_be_read_is_refused(folder: Path, text: str) -> None:
    (folder / "mine_odd.py").write_text("import mine_odder\ndef make(): ...")
    (folder / "mine_odder.py").write_text(text)
    with pytest.raises(ValueError, match=r"mine_odder\.py cannot be read: "):
        check_path("mine_odd:make", str(folder))


def test_a_key_holds_the_folders_files_and_the_packages_that_they_import(folder: Path) -> None:
    (folder / "mine_eight.py").write_text("import json\nimport xgboost.sklearn\nimport mine_nine\n")
    (folder / "mine_nine.py").write_text(
        "def f():\n    import yaml\n    from quadrepro.core.splits import windows\n"
    )
    learner = EstimatorPredictor("mine_eight:make", folder=str(folder))
    first, second = learner.own_code
    assert (first[0], second[0]) == ("mine_eight.py", "mine_nine.py")
    assert learner.packages == ("scipy", "scikit-learn", "PyYAML", "xgboost")
    assert "quadrepro.core.splits" in learner.modules
    (folder / "mine_nine.py").write_text("")
    assert learner.own_code == (first, ("mine_nine.py", learner.own_code[1][1]))
    assert learner.own_code[1] != second


def test_a_key_holds_the_packages_of_nested_estimators_and_quadrepros_own_code() -> None:
    mixed = EstimatorPredictor("Pipeline", {"steps": ["PCA", "xgboost:XGBClassifier"]})
    assert mixed.packages == ("scipy", "scikit-learn", "xgboost")
    assert mixed.modules == ("quadrepro.core.learners.estimator",)
    ours = EstimatorPredictor("BaggingClassifier", {"estimator": "quadrepro:SAMMEClassifier"})
    assert "quadrepro.core.learners.stagewise" in ours.modules
