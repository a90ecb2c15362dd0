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
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError
from scipy.stats import kstest

from quadrepro.config.column import AlgorithmItem, Axis, Column, Distribution, from_simple, resolve
from quadrepro.config.loading import load_experiment, load_mapping
from quadrepro.config.plan import Plan, make_plan
from quadrepro.core.protocol import Protocol
from quadrepro.core.training.grid import Hyperparameter
from quadrepro.engine.worker import run_cell
from quadrepro.errors import ConfigError
from tests.make import config, plan_of, refusal, write_config

ROUNDS = Hyperparameter("n_rounds", "integer", "small", "rounds")
LAM = Hyperparameter("lam", "number", "large", "lambda")
WORD = Hyperparameter("word", "any", "small", "word")


def resolved(data: Any, kind: str) -> list[tuple[type, Any]]:
    return [(type(value), value) for value in Axis.model_validate(data).resolve(kind)]


@pytest.mark.parametrize(
    ("data", "kind", "values"),
    [
        ([5.0, 10], "integer", [5, 10]),
        ([2, 2.5], "integer", [2.0, 2.5]),
        (["5"], "integer", ["5"]),
        (5, "integer", [5]),
        ([1, 0.5], "number", [1.0, 0.5]),
        ([1, 1.0, "sqrt", None, True], "any", [1, 1.0, "sqrt", None, True]),
        (None, "any", [None]),
        ({"from": 0, "to": 1, "points": 3, "scale": "linear"}, "number", [0.0, 0.5, 1.0]),
        ({"from": 1, "to": 3, "points": 9, "scale": "linear"}, "integer", [1, 2, 3]),
        ({"from": 1, "to": 4, "points": 10}, "integer", [1, 2, 3, 4]),
        ({"from": 3, "to": 1, "points": 1}, "number", [3.0]),
        ({"from": 100, "to": 0.01, "points": 3}, "number", [100.0, 1.0, 0.01]),
        ({"from": 1e2, "to": 1e6, "points": 4}, "integer", [100, 2154, 46416, 1000000]),
    ],
)
def test_an_axis_has_the_values_and_types_that_its_kind_asks_for(
    data: Any, kind: str, values: list[Any]
) -> None:
    assert resolved(data, kind) == [(type(value), value) for value in values]


@given(st.floats(1e-6, 1e6), st.floats(1e-6, 1e6), st.integers(2, 40))
def test_values_are_even_in_the_logarithm_and_have_twelve_digits(
    low: float, high: float, points: int
) -> None:
    axis = Axis.model_validate({"from": low, "to": high, "points": points})
    found = np.array(axis.resolve("any"))
    np.testing.assert_allclose(found, np.geomspace(low, high, points), rtol=1e-11)
    assert (found[0], found[-1]) == (low, high)
    assert [float(f"{v:.12g}") for v in found[1:-1]] == found[1:-1].tolist()


ONE_WAY = "give either a list of values, or all of from, to and points"
ONE_KIND = "give either a list of values, or one of integers, uniform and log"


@pytest.mark.parametrize(
    ("model", "data", "message"),
    [
        (Axis, [], "the list of values is empty: give at least one"),
        (Axis, {}, ONE_WAY),
        (Axis, {"from": 1, "to": 2}, ONE_WAY),
        (Axis, {"values": [1], "points": 2}, ONE_WAY),
        (Axis, {"from": 0, "to": 2, "points": 2}, "from and to must be greater than 0 on a"),
        (Axis, {"from": 1, "to": float("inf"), "points": 2}, "finite number"),
        (Distribution, {}, ONE_KIND),
        (Distribution, {"integers": [1, 2], "uniform": [1, 2]}, ONE_KIND),
        (Distribution, {"choice": [1], "log": [1, 2]}, ONE_KIND),
        (Distribution, {"integers": [2, 1]}, "the first end, 2, must not be above the second, 1"),
        (Distribution, {"log": [0, 1]}, "a logarithmic scale needs positive ends"),
        (Distribution, [], "at least 1 item"),
    ],
)
def test_values_that_are_given_in_no_or_in_several_ways_are_refused(
    model: type[Axis | Distribution], data: Any, message: str
) -> None:
    with pytest.raises(ValidationError, match=message):
        model.model_validate(data)


ENDS = st.tuples(st.integers(1, 50), st.integers(0, 50)).map(lambda p: (p[0], p[0] + p[1]))
SEEDS = st.integers(0, 2**32 - 1)


@given(st.sampled_from(["integers", "uniform", "log"]), ENDS, SEEDS)
def test_draws_stay_between_the_ends_and_the_same_generator_draws_the_same(
    kind: str, ends: tuple[int, int], seed: int
) -> None:
    distribution = Distribution.model_validate({kind: ends})
    drawn, again = (distribution.draw(np.random.default_rng(seed), 20) for _ in range(2))
    assert drawn == again
    assert len(drawn) == 20
    assert all(ends[0] * (1 - 1e-12) <= value <= ends[1] * (1 + 1e-12) for value in drawn)
    assert {type(value) for value in drawn} == {int if kind == "integers" else float}


def test_every_listed_value_and_both_ends_of_whole_numbers_are_drawn() -> None:
    listed = ["sqrt", None, 3, 0.5, True]
    drawn = Distribution.model_validate(listed).draw(np.random.default_rng(0), 200)
    assert {(type(v), v) for v in drawn} == {(type(v), v) for v in listed}
    assert {*Distribution(integers=(3, 6)).draw(np.random.default_rng(0), 100)} == {3, 4, 5, 6}


@pytest.mark.parametrize(("kind", "to_scale"), [("uniform", np.asarray), ("log", np.log)])
def test_draws_are_uniform_on_their_scale_and_not_on_the_other(kind: str, to_scale: Any) -> None:
    low, high = 1e-3, 1e3
    distribution = Distribution.model_validate({kind: (low, high)})
    drawn = distribution.draw(np.random.default_rng(1), 1000)
    for scale in (np.asarray, np.log):
        position = (scale(drawn) - scale(low)) / (scale(high) - scale(low))
        assert (kstest(position, "uniform").pvalue > 0.01) == (scale is to_scale)


def test_points_run_from_simple_to_complex_by_the_algorithms_first_hyperparameter_first() -> None:
    points = [{"lam": lam, "n_rounds": t} for t in (5, 1) for lam in (0.1, 10.0)]
    ordered = [(p["n_rounds"], p["lam"]) for p in from_simple(points, [ROUNDS, LAM])]
    assert ordered == [(1, 10.0), (1, 0.1), (5, 10.0), (5, 0.1)]
    ordered = [(p["lam"], p["n_rounds"]) for p in from_simple(points, [LAM, ROUNDS])]
    assert ordered == [(10.0, 1), (10.0, 5), (0.1, 1), (0.1, 5)]


def test_points_of_any_kind_keep_their_order_and_are_dropped_when_drawn_again() -> None:
    points = [{"word": word} for word in (1, "a", 1.0, 1, "a")]
    words = [(type(p["word"]), p["word"]) for p in from_simple(points, [WORD])]
    assert words == [(int, 1), (str, "a"), (float, 1.0)]


def column(protocol: dict[str, Any] | None = None, **fields: Any) -> Column:
    entry = AlgorithmItem.model_validate({"name": "quadboost-l2", **fields})
    return resolve(entry, Protocol.model_validate({"view": "quadboost", **(protocol or {})}))


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


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


def test_a_row_can_vote_over_another_transformer() -> None:
    pca, scaler = {"PCA": {"n_components": 2}}, {"MinMaxScaler": {}}
    other = {"name": "titanic", "protocol": {"voter_set": scaler}}
    rows = {"protocol": {"view": "quadboost", "voter_set": pca}, "datasets": ["monks", other]}
    assert [cell.protocol.voter_set for cell in plan_of(**rows).cells] == [pca, scaler]


def test_without_a_paper_the_last_column_is_the_baseline() -> None:
    experiment = load_mapping(config(algorithms=["boosting"], baseline=None))
    assert [*experiment.titles.items()] == [("boosting", "Boosting"), ("baseline", "Baseline")]
    assert experiment.columns[-1].item.note.startswith("predicts the most frequent class or")
    assert experiment.columns[:-1] == experiment.algorithms


@pytest.mark.parametrize(
    ("keys", "key"),
    [
        ({"name": "baseline", "algorithm": "sklearn:GaussianNB"}, "name"),
        ({"name": "baseline", "pipeline": ["StandardScaler", "GaussianNB"]}, "name"),
        ({"name": "bayes", "algorithm": "sklearn:GaussianNB", "label": "Baseline"}, "label"),
    ],
)
def test_no_other_column_is_called_as_the_baseline(keys: dict[str, Any], key: str) -> None:
    with pytest.raises(
        ConfigError, match=f"is the name of the added baseline: choose another {key}"
    ):
        load_mapping(config(algorithms=[keys]))


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
