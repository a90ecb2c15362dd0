"""Import paths of a config: where code is found, what is refused, what keys depend on."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from sklearn.utils import all_estimators

from quadrepro.core.learners.estimator import EstimatorPredictor
from quadrepro.core.learners.imported import check_path, enter, find, own_files
from quadrepro.core.learners.registry import ALGORITHMS
from tests.make import lines_of

Write = Callable[..., str]


@pytest.fixture
def write(tmp_path: Path) -> Iterator[Write]:
    """Return a function that writes modules of a user to a folder, and forgets them."""

    def write(folder: str = "", **modules: str) -> str:
        place = tmp_path / folder
        place.mkdir(exist_ok=True)
        for name, text in modules.items():
            (place / f"{name}.py").write_text(text)
        return str(place)

    yield write
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
    assert lines_of(code) == ["[]"]


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("sklearn:Rigde", "scikit-learn has no estimator 'Rigde'; did you mean 'Ridge'?"),
        ("xgboost:XGBClasifier", "no class or function 'XGBClasifier'; did you mean 'XGBClass"),
        ("xgboost:__version__", "has no class or function '__version__'"),
        ("xgbost:XGBClassifier", "unknown module 'xgbost'; did you mean 'xgboost'?"),
        ("xgboost.sklern:XGBClassifier", "No module named 'xgboost.sklern'"),
        ("nowhere_at_all:make", "pip install the package that has it"),
        ("joblib:load", "joblib:load is not an estimator: it needs fit, get_params and set_params"),
        ("os:system", "unknown module 'os'"),
        ("mine_started:make", "unknown module 'mine_started'"),
        ("__main__:run", "'__main__:run' is not a public import path"),
        ("quadrepro:load_results", "is not an estimator: it needs fit, get_params"),
        ("quadrepro:AdaBostClassifier", "did you mean 'AdaBoostClassifier'?"),
        ("pip._internal:main", "is not a public import path"),
        ("xgboost:a.b", "'xgboost:a.b' is not a public import path"),
    ],
)
def test_what_is_not_there_or_not_an_estimator_is_refused(
    write: Write, monkeypatch: pytest.MonkeyPatch, path: str, message: str
) -> None:
    # `python -m` puts the current folder on the path, which may not be that of the config.
    monkeypatch.syspath_prepend(write(mine_started="raise SystemExit"))
    with pytest.raises(ValueError, match=re.escape(message)):
        find(path, write("configs"))


def test_modules_and_packages_of_the_folder_are_found_with_what_they_import(write: Write) -> None:
    folder = write(
        mine_one="from mine_two import twice\nimport json\ndef make(): ...",
        mine_two="def twice(): ...",
        mine_three="raise SystemExit",
    )
    write("mine", __init__="", models="from .parts import make", parts="def make(): ...")
    before = list(sys.path)
    assert [*own_files(["mine_one:make", "sklearn:SVC"], folder)] == ["mine_one", "mine_two"]
    assert [*own_files(["mine.models:make"], folder)] == ["mine", "mine.models", "mine.parts"]
    with pytest.raises(ValueError, match=r"unknown module 'mine\.model'"):
        check_path("mine.model:make", folder)
    with pytest.raises(ValueError, match="unknown module 'mine_tree'; did you mean 'mine_three'"):
        find("mine_tree:make", folder)
    find("sklearn:SVC", folder)
    assert sys.path == before
    assert find("mine_one:make", folder).__name__ == "make"
    assert find("mine.models:make", folder).__name__ == "make"


@pytest.mark.parametrize("name", ["make", "Made", "MADE", "dumps", "np"])
def test_what_the_code_of_a_folder_defines_is_read_and_not_imported(
    write: Write, name: str
) -> None:
    text = "from json import dumps\nimport numpy as np\ndef make(): ...\nclass Made: ...\n"
    folder = write(mine_read=f"{text}MADE = make\nraise SystemExit")
    check_path(f"mine_read:{name}", folder)
    with pytest.raises(ValueError, match=f"function '{name}_'; did you mean '{name}'"):
        check_path(f"mine_read:{name}_", folder)
    assert "mine_read" not in sys.modules


def test_each_config_has_the_modules_of_its_own_folder(write: Write) -> None:
    folders = [
        write(
            place,
            mine_five="from mine_number import NUMBER as make",
            mine_number=f"def NUMBER(): return {place!r}",
        )
        for place in ("first", "second")
    ]
    before = list(sys.path)
    for folder in (*folders, folders[0]):
        assert find("mine_five:make", folder)() == Path(folder).name
    enter("")
    assert sys.path == before


def test_a_file_that_an_installed_module_hides_is_refused(write: Write) -> None:
    with pytest.raises(ValueError, match=r"xgboost\.py is hidden by .*: give it another name"):
        find("xgboost:XGBClassifier", write(xgboost="raise SystemExit"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("import nowhere_at_all", "No module named 'nowhere_at_all' (mine_broken.py:1)"),
        ("def f():\n  1 / 0\nf()", "ZeroDivisionError: division by zero (mine_broken.py:2)"),
        ("import numpy\nnumpy.linalg.inv([[0.0]])", "Singular matrix (mine_broken.py:2)"),
        ("import mine_installed\n\nmine_installed.f()", "by zero (mine_broken.py:3)"),
        ("raise SystemExit(3)", "cannot be imported: SystemExit: 3"),
    ],
)
def test_a_module_that_cannot_be_imported_is_refused_with_its_line(
    write: Write, monkeypatch: pytest.MonkeyPatch, text: str, message: str
) -> None:
    folder = write(mine_broken=text)
    monkeypatch.syspath_prepend(write("site-packages", mine_installed="def f():\n  1 / 0"))
    with pytest.raises(ValueError, match=re.escape(message)):
        find("mine_broken:make", folder)


@pytest.mark.parametrize("text", ["def make(:", "\0", "(" * 10_000])
def test_a_module_that_cannot_be_read_is_refused(write: Write, text: str) -> None:
    folder = write(mine_odd="import mine_odder\ndef make(): ...", mine_odder=text)
    with pytest.raises(ValueError, match=r"mine_odder\.py cannot be read: "):
        check_path("mine_odd:make", folder)


def test_a_key_holds_the_folders_files_and_the_packages_that_they_import(write: Write) -> None:
    folder = write(
        mine_eight="import json\nimport xgboost.sklearn\nimport mine_nine\n",
        mine_nine="def f():\n    import yaml\n    from quadrepro.core.splits import windows\n",
    )
    learner = EstimatorPredictor("mine_eight:make", folder=folder)
    first, second = learner.own_code
    assert (first[0], second[0]) == ("mine_eight.py", "mine_nine.py")
    assert learner.packages == ("scipy", "scikit-learn", "PyYAML", "xgboost")
    assert "quadrepro.core.splits" in learner.modules
    write(mine_nine="")
    assert learner.own_code == (first, ("mine_nine.py", learner.own_code[1][1]))
    assert learner.own_code[1] != second


def test_a_key_holds_the_packages_of_nested_estimators_and_quadrepros_own_code() -> None:
    mixed = EstimatorPredictor("Pipeline", {"steps": ["PCA", "xgboost:XGBClassifier"]})
    assert mixed.packages == ("scipy", "scikit-learn", "xgboost")
    assert mixed.modules == ("quadrepro.core.learners.estimator",)
    ours = EstimatorPredictor("BaggingClassifier", {"estimator": "quadrepro:SAMMEClassifier"})
    assert "quadrepro.core.learners.stagewise" in ours.modules
    weak = ALGORITHMS["samme"].make({"weak": "lightgbm:LGBMClassifier"})
    assert weak.packages == ("scipy", "scikit-learn", "lightgbm")
    assert "quadrepro.core.learners.stagewise" in weak.modules
