from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError
from scipy.stats import kstest

from quadrepro.config.axis import Axis, Distribution, from_simple
from quadrepro.core.training.grid import Hyperparameter

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
