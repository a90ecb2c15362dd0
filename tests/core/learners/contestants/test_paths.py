from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import xgboost
from quadrepro.core.learners.contestants.paths import (
    check_path,
    distributions_of,
    enter,
    find_maker,
    full_path,
    modules_of,
    own_code,
    own_file,
    sklearn_modules,
)
from sklearn.utils import all_estimators


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """Return a folder with modules of a user, which are forgotten afterwards."""
    yield tmp_path
    enter("")


def test_a_bare_name_is_of_scikit_learn() -> None:
    assert full_path("SVC") == "sklearn:SVC"
    assert full_path("xgboost:XGBClassifier") == "xgboost:XGBClassifier"


@pytest.mark.filterwarnings("ignore")
def test_every_estimator_of_scikit_learn_is_found_where_it_is() -> None:
    experimental = {"HalvingGridSearchCV", "HalvingRandomSearchCV", "IterativeImputer"}
    estimators = {
        name: found
        for name, found in all_estimators()
        if name not in experimental and "feature_extraction" not in found.__module__
    }
    assert {name: find_maker(f"sklearn:{name}") for name in estimators} == estimators


def test_the_modules_of_scikit_learn_are_read_and_not_imported() -> None:
    code = (
        "import sys; from quadrepro.core.learners.contestants.paths import sklearn_modules;"
        "assert sklearn_modules()['SVC'] == 'sklearn.svm';"
        "print([name for name in sys.modules if name.startswith('sklearn')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
    assert len(set(sklearn_modules().values())) > 25


def test_a_class_of_a_package_is_found_by_its_import_path() -> None:
    assert find_maker("xgboost:XGBClassifier") is xgboost.XGBClassifier
    assert distributions_of(["xgboost:XGBClassifier"]) == ("xgboost",)
    assert distributions_of(["yaml:Loader"]) == ("PyYAML",)
    assert modules_of(["xgboost:XGBClassifier"]) == ()


def test_of_scikit_learn_the_versions_tell_all() -> None:
    assert distributions_of(["sklearn:SVC"]) == ("scipy", "scikit-learn")


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("sklearn:Rigde", "scikit-learn has no estimator 'Rigde'; did you mean 'Ridge'?"),
        ("sklearn:clone", "scikit-learn has no estimator 'clone'"),
        (
            "xgboost:XGBClasifier",
            "has no class or function 'XGBClasifier'; did you mean 'XGBClassifier'?",
        ),
        ("xgboost:__version__", "has no class or function '__version__'"),
        ("xgbost:XGBClassifier", "unknown module 'xgbost'; did you mean 'xgboost'?"),
        ("xgboost.sklern:XGBClassifier", "xgboost has no module 'xgboost.sklern'"),
        ("nowhere_at_all:make", "pip install the package that has it"),
        ("joblib:load", "joblib:load is not an estimator: it needs fit, get_params and set_params"),
        ("os:system", "os is a module of Python itself, which a config cannot name"),
        ("test.support:run_in_subinterp", "test is a module of Python itself"),
        ("__main__:run", "'__main__:run' is not a public import path"),
        ("idlelib.run:main", "idlelib is a module of Python itself"),
        ("quadrepro:AdaBoostClassifier", "quadrepro is a module of quadrepro itself"),
        ("pip.__main__:sys", "is not a public import path, such as xgboost:XGBClassifier"),
        ("pip._internal:main", "is not a public import path"),
        ("click.testing:CliRunner", "is not an estimator: it needs fit, get_params"),
        ("numpy:ndarray", "numpy:ndarray is not an estimator: it needs fit, get_params"),
        ("xgboost:a.b", "'xgboost:a.b' is not a public import path"),
        (":SVC", "':SVC' is not a public import path"),
    ],
)
def test_what_is_not_there_is_refused_with_the_nearest_name(path: str, message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        find_maker(path)


def test_of_a_missing_package_the_message_says_how_to_install_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "catboost", None)
    with pytest.raises(ValueError, match=r"catboost is not installed: pip install catboost, or"):
        find_maker("catboost:CatBoostClassifier")


def test_a_module_of_the_folder_is_found_with_what_it_imports_of_it(folder: Path) -> None:
    (folder / "mine_one.py").write_text("from mine_two import twice\nimport json\ndef make(): ...")
    (folder / "mine_two.py").write_text("def twice(): ...")
    (folder / "mine_three.py").write_text("raise SystemExit")
    path, where = "mine_one:make", str(folder)
    assert own_code([path, "sklearn:SVC"], where) == {
        name: folder / f"{name}.py" for name in ("mine_one", "mine_two")
    }
    assert modules_of([path], where) == ()
    assert find_maker(path, where).__name__ == "make"


def test_a_package_of_the_folder_is_found(folder: Path) -> None:
    (folder / "mine").mkdir()
    (folder / "mine" / "__init__.py").touch()
    (folder / "mine" / "models.py").write_text("from .parts import make")
    (folder / "mine" / "parts.py").write_text("def make(): ...")
    assert find_maker("mine.models:make", str(folder)).__name__ == "make"
    found = own_code(["mine.models:make"], str(folder))
    assert [*found] == ["mine", "mine.models", "mine.parts"]
    with pytest.raises(ValueError, match=r"mine has no module 'mine\.model'"):
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


def test_nothing_of_a_folder_is_imported_that_is_not_named(folder: Path) -> None:
    (folder / "mine_four.py").write_text("raise SystemExit")
    before = list(sys.path)
    with pytest.raises(ValueError, match="unknown module 'mine_for'; did you mean 'mine_four'"):
        find_maker("mine_for:make", str(folder))
    find_maker("sklearn:SVC", str(folder))
    assert sys.path == before


def test_an_installed_package_comes_before_a_file_of_the_folder(folder: Path) -> None:
    (folder / "xgboost.py").write_text("raise SystemExit")
    assert own_file("xgboost:XGBClassifier", str(folder)) is None
    assert find_maker("xgboost:XGBClassifier", str(folder)) is xgboost.XGBClassifier


def test_the_packages_that_code_of_the_folder_imports_count(folder: Path) -> None:
    (folder / "mine_eight.py").write_text("import json\nimport xgboost.sklearn\nimport mine_nine\n")
    (folder / "mine_nine.py").write_text("def f():\n    from sklearn.svm import SVC\n")
    found = distributions_of(["mine_eight:make"], str(folder))
    assert found == ("xgboost", "scipy", "scikit-learn")


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
        assert find_maker("mine_five:make", str(folder / place))() == number
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
        find_maker("mine_six:make", str(second))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("import nowhere_at_all", "cannot be imported: No module named 'nowhere_at_all'"),
        ("def f():\n  1 / 0\nf()", "ZeroDivisionError: division by zero (mine_broken.py:2)"),
        ("import numpy\nnumpy.linalg.inv([[0.0]])", "Singular matrix (mine_broken.py:2)"),
        ("raise SystemExit(3)", "cannot be imported: SystemExit: 3"),
    ],
)
def test_a_module_that_cannot_be_imported_is_refused(folder: Path, text: str, message: str) -> None:
    (folder / "mine_broken.py").write_text(text)
    with pytest.raises(ValueError, match=re.escape(message)):
        find_maker("mine_broken:make", str(folder))


@pytest.mark.parametrize("text", ["def make(:", "\0", "(" * 10_000, "-" * 100_000 + "1"])
def test_a_module_that_cannot_be_read_is_refused(folder: Path, text: str) -> None:
    (folder / "mine_odd.py").write_text("import mine_odder\ndef make(): ...")
    (folder / "mine_odder.py").write_text(text)
    with pytest.raises(ValueError, match=r"mine_odder\.py cannot be read: "):
        check_path("mine_odd:make", str(folder))


def test_a_worker_finds_the_folder_again(folder: Path) -> None:
    (folder / "mine_seven.py").write_text("def make(): ...")
    code = (
        "from quadrepro.core.learners.contestants.paths import find_maker;"
        f"print(find_maker('mine_seven:make', {str(folder)!r}).__name__)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env={**os.environ}
    )
    assert done.stdout == "make\n"
