"""An algorithm and voters of a module beside the config."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from quadrepro.config.loading import load_experiment
from quadrepro.core.cell import Cell
from quadrepro.core.learners.imported import ImportedAlgorithm, enter, find, names_algorithm
from quadrepro.engine.worker import run_cell
from tests import make

Write = Callable[..., Path]
ADA = "algorithm: adaboost\n    grid: {n_rounds: 5}"
CODE = """
from dataclasses import dataclass
import numpy as np
from quadrepro.core.learners.adaboost import AdaBoost
from quadrepro.core.learners.grid import Hyperparameter
from quadrepro.core.learners.learner import Algorithm as Vote


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
VOTERS = """
import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin


class Signs(TransformerMixin, BaseEstimator):
    def __init__(self, n_voters, random_state=None):
        self.n_voters, self.random_state = n_voters, random_state

    def fit(self, X, y=None):
        rng = np.random.default_rng(self.random_state)
        self.directions_ = rng.normal(size=(X.shape[1], self.n_voters))
        return self

    def transform(self, X):
        return np.where(X @ self.directions_ > 0, 1.0, -1.0)


class Learned(Signs):
    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags
"""


@pytest.fixture
def beside(small_config: Write, tmp_path: Path) -> Iterator[Write]:
    """Return the function that writes the small config, beside modules of a user."""
    (tmp_path / "beside_edges.py").write_text(CODE)
    (tmp_path / "beside_voters.py").write_text(VOTERS)
    yield small_config
    enter("")


def cells_of(path: Path) -> list[Cell]:
    return [cell for cell in make.cells_of(path) if cell.dataset == "monks"]


def own(name: str, grid: str = "{power: [1, 2]}") -> str:
    return f"algorithm: beside_edges:{name}\n    grid: {grid}"


def test_it_gets_the_voters_and_the_folds_of_all_others(beside: Write) -> None:
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
def test_what_it_refuses_is_told_by_its_first_cell(beside: Write, text: str, message: str) -> None:
    record = run_cell(cells_of(beside(ADA, text))[-1])
    assert record.status == "failed"
    assert message in record.message


def test_it_is_planned_from_its_text_and_has_all_that_it_computes_with_in_its_key(
    beside: Write, tmp_path: Path
) -> None:
    path = beside(ADA, own("Edges"))
    experiment = load_experiment(path)
    learner = cells_of(path)[-1].learner
    assert isinstance(learner, ImportedAlgorithm)
    assert experiment.code == ("beside_edges.py",)
    assert experiment.titles["ada"] == "ada (10 stumps per attribute)"
    assert "beside_edges" not in sys.modules
    assert "quadrepro.core.learners.adaboost" in learner.modules
    [(name, before)] = learner.own_code
    (tmp_path / name).write_text(CODE.replace("factor: float = 1", "factor: float = 2"))
    assert learner.own_code != ((name, before),)


@pytest.mark.parametrize(
    ("name", "expected"),
    [("Edges", True), ("Same", True), ("Negative", True), ("AdaBoost", True), ("Estimator", False)],
)
def test_a_class_is_an_algorithm_if_it_derives_from_one_of_quadrepros(
    beside: Write, tmp_path: Path, name: str, expected: bool
) -> None:
    assert names_algorithm(f"beside_edges:{name}", str(tmp_path)) == expected
    assert "beside_edges" not in sys.modules


def test_an_installed_algorithm_is_one_and_other_classes_are_not(
    beside: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
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
    assert cell.learner.own_code == ()
    assert cell.content["packages"]["beside_edges"] == "1.0"
    assert run_cell(cell).ok


def with_voters(beside: Write, lines: str) -> Path:
    return beside("quadboost\n", f"quadboost\n  {lines}\n")


def test_voters_beside_the_config_are_fitted_where_cells_are_computed(beside: Write) -> None:
    path = with_voters(beside, "voter_set: {beside_voters:Signs: {n_voters: 30}}")
    experiment, cell = load_experiment(path), cells_of(path)[-1]
    assert experiment.code == ("beside_voters.py",)
    assert experiment.titles["ada"] == "ada (outputs of Signs, n_voters 30)"
    assert "beside_voters" not in sys.modules
    assert run_cell(cell).ok
    [other] = cells_of(with_voters(beside, "voter_set: {beside_voters:Signs: {n_voters: 9}}"))[1:]
    assert not np.array_equal(run_cell(cell).predicted, run_cell(other).predicted)
