"""Code beside the config: where it is found, what is refused, what keys depend on, and its use."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from importlib.metadata import packages_distributions
from pathlib import Path

import numpy as np
import pytest
from sklearn.utils import all_estimators

from quadrepro.config.loading import load_experiment
from quadrepro.core.cell import Cell
from quadrepro.core.training import imported
from quadrepro.core.training.algorithms import ALGORITHMS
from quadrepro.core.training.estimator import EstimatorPredictor
from quadrepro.core.training.imported import (
    ImportedAlgorithm,
    check_path,
    enter,
    find,
    names_algorithm,
    own_files,
)
from quadrepro.engine.worker import run_cell
from tests import make
from tests.make import lines_of

Write = Callable[..., str]

XGBOOST, *_ = packages_distributions().get("xgboost", ["xgboost"])
"""The installed package of that module; xgboost-cpu has it as well."""


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Return a function that writes modules of a user to a folder."""

    def write(folder: str = "", **modules: str) -> str:
        place = tmp_path / folder
        place.mkdir(exist_ok=True)
        for name, text in modules.items():
            (place / f"{name}.py").write_text(text)
        return str(place)

    return write


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
        "import sys; from quadrepro.core.training.imported import sklearn_modules;"
        "assert sklearn_modules()['SVC'] == 'sklearn.svm';"
        "print([name for name in sys.modules if name.startswith('sklearn')])"
    )
    assert lines_of(code) == ["[]"]


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("sklearn:Rigde", "scikit-learn has no estimator 'Rigde'; did you mean 'Ridge'?"),
        ("xgboost:XGBClasifier", "no class or function 'XGBClasifier'; did you mean 'XGBClass"),
        ("xgbost:XGBClassifier", "unknown module 'xgbost'; did you mean 'xgboost'?"),
        ("xgboost.sklern:XGBClassifier", "No module named 'xgboost.sklern'"),
        ("nowhere_at_all:make", "pip install the package that has it"),
        ("joblib:load", "joblib:load is not an estimator: it needs fit and predict"),
        ("mine_started:make", "unknown module 'mine_started'"),
        ("__main__:run", "'__main__:run' is not a public import path"),
        ("quadrepro:AdaBostClassifier", "did you mean 'AdaBoostClassifier'?"),
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


def test_a_package_that_is_not_installed_is_to_be_installed_and_none_is_hidden(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(ValueError, match=r"xgboost\.py is hidden by .*: give it another name"):
        find("xgboost:XGBClassifier", write(xgboost="raise SystemExit"))
    monkeypatch.setattr(imported, "distributions", lambda module: ())
    with pytest.raises(ValueError, match="unknown module 'xgboost': pip install the package"):
        check_path("xgboost:XGBClassifier", "")


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


def test_what_the_code_of_a_folder_defines_is_read_and_not_imported(write: Write) -> None:
    text = "from json import dumps\nimport numpy as np\ndef make(): ...\nclass Made: ...\n"
    folder = write(mine_read=f"{text}MADE = make\nraise SystemExit")
    for name in ("make", "Made", "MADE", "dumps", "np"):
        check_path(f"mine_read:{name}", folder)
        with pytest.raises(ValueError, match=f"function '{name}_'; did you mean '{name}'"):
            check_path(f"mine_read:{name}_", folder)
    assert "mine_read" not in sys.modules


def test_each_config_has_the_modules_of_its_own_folder(write: Write) -> None:
    five = "from mine_number import NUMBER as make"
    folders = [
        write(place, mine_five=five, mine_number=f"def NUMBER(): return {place!r}")
        for place in ("first", "second")
    ]
    before = list(sys.path)
    for folder in (*folders, folders[0]):
        assert find("mine_five:make", folder)() == Path(folder).name
    enter("")
    assert sys.path == before


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
    assert learner.packages == ("scipy", "scikit-learn", "PyYAML", XGBOOST)
    assert "quadrepro.core.splits" in learner.modules
    write(mine_nine="")
    assert learner.own_code == (first, ("mine_nine.py", learner.own_code[1][1]))
    assert learner.own_code[1] != second


def test_a_key_holds_the_packages_of_nested_estimators_and_quadrepros_own_code() -> None:
    mixed = EstimatorPredictor("Pipeline", {"steps": ["PCA", "xgboost:XGBClassifier"]})
    assert mixed.packages == ("scipy", "scikit-learn", XGBOOST)
    assert mixed.modules == ("quadrepro.core.training.estimator",)
    ours = EstimatorPredictor("BaggingClassifier", {"estimator": "quadrepro:SAMMEClassifier"})
    assert "quadrepro.core.learners.stagewise" in ours.modules
    weak = ALGORITHMS["samme"].make({"weak": "lightgbm:LGBMClassifier"})
    assert weak.packages == ("scipy", "scikit-learn", "lightgbm")
    assert "quadrepro.core.learners.stagewise" in weak.modules


Config = Callable[..., Path]
ADA = "algorithm: adaboost\n    grid: {n_rounds: 5}"
CODE = """
from dataclasses import dataclass
import numpy as np
from quadrepro.core.learners.adaboost import AdaBoost
from quadrepro.core.training.grid import Hyperparameter
from quadrepro.core.training.contract import Algorithm as Vote


@dataclass(frozen=True)
class Edges(Vote):
    hyperparameters = (Hyperparameter("power", "number", "small", "a power", largest=9),)
    factor: float = 1.0

    def _paths(self, problem, grid):
        edges = problem.correlations[:, None, :]
        powers = np.array(grid.axis("power"))[:, None]
        return self.factor * np.sign(edges) * np.abs(edges) ** powers


class Same(AdaBoost):
    pass


class Negative(Edges):
    def _paths(self, problem, grid):
        return -super()._paths(problem, grid)


class Estimator:
    pass
"""


@pytest.fixture
def beside(small_config: Config, tmp_path: Path) -> Config:
    """Return the function that writes the small config, beside a module of a user."""
    (tmp_path / "beside_edges.py").write_text(CODE)
    return small_config


def cells_of(path: Path) -> list[Cell]:
    return [cell for cell in make.cells_of(path) if cell.dataset == "monks"]


def own(name: str, grid: str = "{power: [1, 2]}") -> str:
    return f"algorithm: beside_edges:{name}\n    grid: {grid}"


def test_it_gets_the_voters_and_the_folds_of_all_others(beside: Config) -> None:
    [_, ours] = cells_of(beside(ADA, own("Same", "{n_rounds: [2, 5]}"), name="ours"))
    [_, theirs] = cells_of(beside(ADA, ADA.replace("5", "[2, 5]"), name="theirs"))
    found, expected = run_cell(ours), run_cell(theirs)
    assert found.chosen == expected.chosen
    np.testing.assert_array_equal(found.predicted, expected.predicted)
    assert ours.key != theirs.key


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (own("Edges", "{power: -1}"), "power must be positive"),
        (own("Edges", "{sise: 1}"), "Edges has no hyper-parameter 'sise'"),
        (own("Edges") + "\n    settings: {facter: 2}", "facter"),
    ],
)
def test_what_it_refuses_is_told_by_its_first_cell(beside: Config, text: str, message: str) -> None:
    record = run_cell(cells_of(beside(ADA, text))[-1])
    assert record.status == "failed"
    assert message in record.message


def test_it_is_planned_from_its_text_and_has_all_that_it_computes_with_in_its_key(
    beside: Config, tmp_path: Path
) -> None:
    path = beside(ADA, own("Edges"))
    experiment = load_experiment(path)
    learner = cells_of(path)[-1].learner
    assert isinstance(learner, ImportedAlgorithm)
    assert experiment.code == ("beside_edges.py",)
    assert experiment.titles["ada"] == "ada"
    assert "beside_edges" not in sys.modules
    assert "quadrepro.core.learners.adaboost" in learner.modules
    [(name, before)] = learner.own_code
    (tmp_path / name).write_text(CODE.replace("factor: float = 1", "factor: float = 2"))
    assert learner.own_code != ((name, before),)


def test_a_class_is_an_algorithm_if_it_derives_from_one_of_quadrepros(
    beside: Config, tmp_path: Path
) -> None:
    classes = ("Edges", "Same", "Negative", "AdaBoost", "Estimator")
    found = [name for name in classes if names_algorithm(f"beside_edges:{name}", str(tmp_path))]
    assert found == ["Edges", "Same", "Negative", "AdaBoost"]
    assert "beside_edges" not in sys.modules


def test_an_installed_algorithm_is_one_and_other_classes_are_not(
    beside: Config, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    package = tmp_path / "beside_edges-1.0.dist-info"
    package.mkdir()
    (package / "METADATA").write_text("Name: beside_edges\nVersion: 1.0\n")
    assert names_algorithm("beside_edges:Edges")
    assert not names_algorithm("sklearn:SVC")
    with pytest.raises(ValueError, match="is not an estimator"):
        find("beside_edges:Estimator")
    path = tmp_path / "elsewhere" / "small.yaml"
    path.parent.mkdir()
    path.write_text(beside(ADA, own("Edges")).read_text())
    cell = cells_of(path)[-1]
    assert [name for name, _ in cell.learner.own_code] == ["beside_edges"]
    assert cell.content["packages"]["beside_edges"] == "1.0"
    assert run_cell(cell).ok
