"""The columns of a table: learners, the values that they search, and titles."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from quadrepro.config.axis import Axis
from quadrepro.config.column import AlgorithmItem, Column, resolve
from quadrepro.config.loading import load_experiment, load_mapping
from quadrepro.config.plan import Plan, make_plan
from quadrepro.core.protocol import Protocol
from quadrepro.engine.worker import run_cell
from tests.make import config, fault_of, plan_of, refusal, write_config


def column(protocol: dict[str, Any] | None = None, **fields: Any) -> Column:
    entry = AlgorithmItem.model_validate({"name": "quadboost-l2", **fields})
    return resolve(entry, Protocol.model_validate({"view": "quadboost", **(protocol or {})}))


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


@pytest.mark.parametrize(
    ("name", "fields", "hint"),
    [
        ("adaboost", {"settings": {"class_weight": 1}}, ", but quadrepro:AdaBoostClassifier"),
        ("adaboost", {"grid": {"class_weight": 1}}, ", but quadrepro:AdaBoostClassifier"),
        ("boosting", {"settings": {"class_weight": 1}}, ", but quadrepro:GradientBoostClassifier"),
        ("adaboost", {"settings": {"n_rounds": 5}}, ": give n_rounds in grid"),
    ],
)
def test_a_setting_of_the_estimator_alone_is_refused_with_its_name(
    name: str, fields: dict[str, Any], hint: str
) -> None:
    [(part, values)] = fields.items()
    kind = {"settings": "setting", "grid": "hyper-parameter"}[part]
    _, message = fault_of(algorithms=[{"name": name, **fields}])
    assert message.startswith(f"{name} has no {kind} {next(iter(values))!r}{hint}")


def test_one_drawn_hyperparameter_gives_one_grid_from_simple_to_complex() -> None:
    drawn = column(draw={"lam": {"log": [0.1, 10]}}, grid={"n_rounds": [5, 10]}, draws=8)
    (grid,) = drawn.make_grids({}, rng())
    lam = grid.axis("lam")
    assert lam is not None
    assert len(lam) == 8
    assert list(lam) == sorted(lam, reverse=True)
    assert [c["n_rounds"] for c in grid.candidates] == [5, 10] * 8
    assert drawn.make_grids({}, rng()) == (grid,) != drawn.make_grids({}, rng(1))


def test_every_drawn_point_is_tried_with_every_point_of_the_grid() -> None:
    forest = column(
        name="sklearn:RandomForestClassifier",
        draw={"max_depth": {"integers": [1, 20]}, "max_features": {"uniform": [0.1, 1]}},
        grid={"criterion": ["gini", "entropy"], "n_estimators": [5, 10, 20]},
        draws=4,
    )
    grids = forest.make_grids({}, rng())
    assert [len(grid.candidates) for grid in grids] == [6] * 4
    assert len({grid.axis("max_features") for grid in grids}) == 4


def test_a_rows_own_values_replace_those_of_the_grid_and_drawn_ones() -> None:
    drawn = column(draw={"lam": {"log": [0.1, 10]}}, grid={"n_rounds": [5, 10]}, draws=3)
    new = {"lam": (2, 1), "n_rounds": (4,), "max_depth": (1,)}
    (grid,) = drawn.make_grids({name: Axis(values=of) for name, of in new.items()}, rng())
    assert dict(grid.axes) == {"n_rounds": (4,), "lam": (2.0, 1.0)}
    two = column(draw={"lam": {"log": [0.1, 10]}, "n_rounds": [3, 7]}, draws=9)
    (grid,) = two.make_grids({"lam": Axis(values=(1,))}, rng())
    assert dict(grid.axes) == {"n_rounds": (3, 7), "lam": (1.0,)}


@pytest.mark.parametrize(
    ("protocol", "fields", "sizes"),
    [
        ({}, {}, {"n_rounds": 4, "lam": 5}),
        ({}, {"draw": {"lam": [3, 2]}}, {"n_rounds": 4}),
        ({"holdout": {}}, {"name": "ebboost"}, {"lam": 5}),
        ({"holdout": {}}, {"name": "boosting"}, {"n_rounds": 9}),
        ({}, {"name": "rboosting", "settings": {"theory": True}}, {"n_rounds": 4}),
        ({}, {"name": "sklearn:SVC"}, {}),
    ],
)
def test_hyperparameters_without_values_take_default_ones_if_they_need_some(
    protocol: dict[str, Any], fields: dict[str, Any], sizes: dict[str, int]
) -> None:
    found = column(protocol, **fields)
    assert {key: len(values) for key, values in found.axes({}).items()} == sizes
    assert {*found.searched} == {*sizes, *fields.get("draw", {})}


def test_a_pipeline_is_called_by_its_steps_and_searched_by_its_parameters() -> None:
    row = {"name": "monks", "settings": {"svc__gamma": 7}}
    svc = {"name": "svc", "pipeline": ["StandardScaler", "SVC"], "grid": {"svc__C": [1, 2]}}
    plan = plan_of(datasets=[row, "titanic"], algorithms=[svc])
    assert plan.experiment.algorithms[0].id == "StandardScaler + SVC"
    monks, titanic = plan.cells
    assert monks.grids[0].candidates == [{"svc__C": 1}, {"svc__C": 2}]
    assert monks.content["settings"]["settings"]["svc__gamma"] == 7
    assert "svc__gamma" not in titanic.content["settings"]["settings"]


OWN = """
from quadrepro.core.training.grid import N_ROUNDS
from quadrepro.core.training.contract import Algorithm


class Plain:
    def __init__(self, share=0.5):
        self.share = share

    def fit(self, X, y):
        assert len(X)
        self.one = int((y == 1).mean() > self.share)

    def predict(self, X):
        return [self.one] * len(X)


class Broken:
    def __init__(self):
        1 / 0

    def fit(self, X, y): ...
    def predict(self, X): ...


class Vote(Algorithm):
    hyperparameters = (N_ROUNDS,)

    def _paths(self, problem, grid): ...


def other():
    from sklearn.linear_model import Ridge
    return Ridge()


def make(kind):
    from sklearn.svm import SVC
    return SVC(kernel=kind)
"""


@pytest.fixture
def own(tmp_path: Path) -> Callable[..., Path]:
    """Return a function that writes a config with a column of code next to it."""
    (tmp_path / "own.py").write_text(OWN)

    def write(name: str, before: Sequence[str] = (), **fields: Any) -> Path:
        path = f"own:{name}"
        kind = {"pipeline": [*before, path]} if before else {"algorithm": path}
        return write_config(tmp_path, algorithms=[{"name": "own", **kind, **fields}])

    return write


def try_code(path: Path) -> Plan:
    plan = make_plan(load_experiment(path))
    plan.try_code()
    return plan


def test_a_class_with_fit_and_predict_is_a_column(own: Callable[..., Path]) -> None:
    shares = [0.1, 0.9]
    for path in (
        own("Plain", grid={"share": shares}),
        own("Plain", ["StandardScaler"], grid={"plain__share": shares}),
    ):
        (cell,) = try_code(path).cells
        assert run_cell(cell.ready()).message == ""
    message = refusal(own("Plain", grid={"shrae": [1]}), try_code)
    assert "Plain has no parameter 'shrae'; did you mean 'share'" in message
    message = refusal(own("Vote", grid={"n_ruonds": [1]}), try_code)
    assert "Vote has no hyper-parameter 'n_ruonds'; did you mean 'n_rounds'" in message


@pytest.mark.parametrize(
    ("name", "telling"),
    [
        ("Broken", r"Broken cannot be made: ZeroDivisionError: division by zero \(own\.py:20\)"),
        ("other", r"must predict classes here, but it does not: .* scikit-learn's ClassifierMixin"),
    ],
)
def test_own_code_that_is_no_estimator_is_refused_once_with_its_line(
    own: Callable[..., Path], name: str, telling: str
) -> None:
    assert re.fullmatch(rf"10:3: .*{telling}.*", refusal(own(name), try_code))


def test_own_code_is_named_and_not_imported_by_a_plan(own: Callable[..., Path]) -> None:
    path = own("make", settings={"kind": "poly"})
    plan = make_plan(load_experiment(path))
    (name,) = plan.experiment.code
    (cell,) = plan.cells
    assert [file for file, _ in cell.learner.own_code] == [name]
    assert str(path.parent) not in json.dumps(cell.content)
    assert name.removesuffix(".py") not in sys.modules


OF_NUMBERS = "the view of m1 predicts a number, but test_error measures classes: use train_mse or"
NO_VOTERS = "sklearn:SVC has no voters, which the measure voters needs: give it others"
EVERY = "adaboost_exponential_bound needs every round: give n_rounds as 1, 2, 3 ..., all else one"
RIDGE = {"name": "sklearn:Ridge"}
SVC = {"name": "sklearn:SVC"}
OWN_MEASURE = SVC | {"measures": ["voters"]}
ROWS_MEASURE = {"name": "monks", "protocol": {"measures": ["voters"]}}
ROWS_GRID = {"name": "monks", "grid": {"n_rounds": [1, 10]}}


def of_rounds(values: Any) -> dict[str, Any]:
    grid = {"n_rounds": values}
    return {"name": "adaboost", "grid": grid, "measures": ["adaboost_exponential_bound"]}


@pytest.mark.parametrize(
    ("measures", "algorithm", "row", "message"),
    [
        (["train_mse", "test_error"], RIDGE, "m1", f"datasets.0: {OF_NUMBERS}"),
        ([], RIDGE | {"measures": ["test_error"]}, "m1", f"datasets.0: {OF_NUMBERS}"),
        (["train_error"], "adaboost", "wine", "datasets.0: wine has more than two classes, "),
        (["train_error", "voters"], SVC, "monks", f"algorithms.0: {NO_VOTERS}"),
        (["train_error"], OWN_MEASURE, "monks", f"algorithms.0.measures: {NO_VOTERS}"),
        ([], SVC, ROWS_MEASURE, f"datasets.0: {NO_VOTERS}"),
        ([], of_rounds([1, 2, 4]), "monks", f"algorithms.0.measures: {EVERY}"),
        ([], of_rounds([2, 3]), "monks", f"algorithms.0.measures: {EVERY}"),
        ([], of_rounds([1, 2, 3]), ROWS_GRID, f"datasets.0: {EVERY}"),
    ],
)
def test_a_measure_that_does_not_fit_is_refused_with_its_place(
    measures: list[str], algorithm: Any, row: Any, message: str
) -> None:
    protocol = {"view": "default", "folds": 0, "measures": measures}
    found = fault_of(protocol=protocol, algorithms=[algorithm], datasets=[row])
    assert ": ".join(found).startswith(message)


def test_values_of_every_round_have_the_measures_that_need_them() -> None:
    linear = {"from": 1, "to": 9, "points": 9, "scale": "linear"}
    row = {"name": "monks", "grid": {"n_rounds": [1, 2]}}
    for values, of in ((linear, "monks"), ([1, 2, 3], row)):
        keys = {"protocol": {"view": "default", "folds": 0}, "datasets": [of]}
        assert plan_of(algorithms=[of_rounds(values)], **keys).cells


def test_a_row_can_vote_over_another_transformer() -> None:
    pca, scaler = {"PCA": {"n_components": 2}}, {"MinMaxScaler": {}}
    other = {"name": "titanic", "protocol": {"voter_set": scaler}}
    rows = {"protocol": {"view": "quadboost", "voter_set": pca}, "datasets": ["monks", other]}
    assert [cell.protocol.voter_set for cell in plan_of(**rows).cells] == [pca, scaler]


def named(name: str, label: str = "") -> dict[str, Any]:
    return {"name": name, "algorithm": "adaboost", "label": label, "grid": {"n_rounds": 5}}


def test_equal_titles_are_refused_with_their_place() -> None:
    place, message = fault_of(algorithms=[named("a", "X"), named("b", "X")])
    assert place == "algorithms.1.label"
    assert message == "duplicate title 'X'"


def test_without_a_paper_the_last_column_is_the_baseline() -> None:
    experiment = load_mapping(config(algorithms=["boosting"], baseline=None))
    assert [*experiment.titles.items()] == [("boosting", "Boosting"), ("baseline", "Baseline")]
    assert experiment.columns[-1].item.note.startswith("predicts the most frequent class or")
    assert experiment.columns[:-1] == experiment.algorithms


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ({}, True),
        ({"paper": "quadboost"}, False),
        ({"paper": "quadboost", "baseline": True}, True),
        ({"protocol": {"view": "quadboost", "folds": 0, "measures": ["test_error"]}}, False),
        ({"algorithms": [{"name": "floor", "algorithm": "baseline"}]}, False),
    ],
)
def test_whether_a_config_gets_a_baseline(keys: dict[str, Any], expected: bool) -> None:
    experiment = load_mapping(config(**{"baseline": None, **keys}))
    assert (len(experiment.columns) > len(experiment.algorithms)) is expected


def chosen_by(metric: str, algorithm: Any) -> dict[str, Any]:
    protocol = {"view": "quadboost", "choose_by": metric}
    return {"protocol": protocol, "algorithms": [algorithm]}


LINEAR_SVM = {"name": "svm", "algorithm": "sklearn:LinearSVC"}


@pytest.mark.parametrize(
    ("metric", "algorithm", "key"),
    [
        ("log_loss", "quadboost-l2", "name"),
        ("brier", LINEAR_SVM | {"grid": {"C": [1, 2]}}, "algorithm"),
    ],
)
def test_a_learner_without_what_the_choice_needs_is_refused(
    metric: str, algorithm: Any, key: str
) -> None:
    place, message = fault_of(**chosen_by(metric, algorithm))
    assert place in ("algorithms.0", f"algorithms.0.{key}")
    assert "has no probabilities, which choose_by: " in message


@pytest.mark.parametrize(
    ("metric", "algorithm"),
    [
        ("auc", "quadboost-l2"),
        ("auc", LINEAR_SVM | {"grid": {"C": [1, 2]}}),
        ("log_loss", "boosting"),
        ("log_loss", LINEAR_SVM),
        ("log_loss", {"name": "adaboost", "grid": {"n_rounds": [5]}}),
        ("neg_log_loss", {"name": "sklearn:LogisticRegression", "grid": {"C": [1, 2]}}),
    ],
)
def test_a_learner_with_what_the_choice_needs_or_without_a_choice_is_taken(
    metric: str, algorithm: Any
) -> None:
    assert plan_of(**chosen_by(metric, algorithm)).cells


def test_an_unknown_metric_to_choose_by_is_refused_with_the_nearest_one() -> None:
    place, message = fault_of(**chosen_by("acu", "adaboost"))
    assert place == "protocol.choose_by"
    assert message == "unknown metric 'acu'; did you mean 'auc'?"
