from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError
from scipy.stats import kstest

from quadrepro.config.axis import Axis, Distribution, from_simple
from quadrepro.core.learners.grid import Hyperparameter

ROUNDS = Hyperparameter("n_rounds", "integer", "small", "rounds")
LAM = Hyperparameter("lam", "number", "large", "lambda")
WORD = Hyperparameter("word", "any", "small", "word")


def resolved(data: Any, kind: str) -> list[tuple[type, Any]]:
    return [(type(value), value) for value in Axis.model_validate(data).resolve(kind)]


@pytest.mark.parametrize(
    ("data", "kind", "values"),
    [
        ([5, 10], "integer", [5, 10]),
        ([5.0, 10], "integer", [5, 10]),
        (5, "integer", [5]),
        ([1, 0.5], "number", [1.0, 0.5]),
        ([1, 1.0, "sqrt", None, True], "any", [1, 1.0, "sqrt", None, True]),
        ("sqrt", "any", ["sqrt"]),
        (None, "any", [None]),
        ({"from": 0, "to": 1, "points": 3, "scale": "linear"}, "number", [0.0, 0.5, 1.0]),
        ({"from": 1, "to": 3, "points": 9, "scale": "linear"}, "integer", [1, 2, 3]),
        ({"from": 100, "to": 1, "points": 3}, "number", [100.0, 10.0, 1.0]),
        ({"from": 1, "to": 100, "points": 3}, "integer", [1, 10, 100]),
    ],
)
def test_an_axis_has_the_values_and_types_that_its_kind_asks_for(
    data: Any, kind: str, values: list[Any]
) -> None:
    assert resolved(data, kind) == [(type(value), value) for value in values]


@pytest.mark.parametrize("word", ["5", True, None])
def test_what_is_no_number_stays_as_written_so_that_it_can_be_refused_by_name(word: Any) -> None:
    values = Axis.model_validate([word]).resolve("integer")
    assert values == [word]
    assert ROUNDS.fault(values) == f"n_rounds takes numbers, not {word!r}"


def test_a_number_that_is_not_whole_is_not_rounded_where_whole_ones_are_asked_for() -> None:
    assert Axis.model_validate([2, 2.5]).resolve("integer") == [2, 2.5]


ONE_WAY = "give either a list of values, or all of from, to and points"


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ([], "the list of values is empty: give at least one"),
        ({}, ONE_WAY),
        ({"from": 1, "to": 2}, ONE_WAY),
        ({"values": [1], "points": 2}, ONE_WAY),
        ({"values": [1], "from": 0, "scale": "linear"}, ONE_WAY),
        ({"values": [], "from": 1, "to": 2, "points": 2}, ONE_WAY),
        (
            {"from": 0, "to": 2, "points": 2},
            "from and to must be greater than 0 on a",
        ),
        (
            {"from": 1, "to": -2, "points": 2},
            "from and to must be greater than 0 on a",
        ),
        ({"from": 1, "to": float("inf"), "points": 2}, "finite number"),
        ({"from": 1, "to": 2, "point": 2}, "unknown key 'point'; did you mean 'points'"),
    ],
)
def test_an_axis_that_says_too_little_or_too_much_is_refused(data: Any, message: str) -> None:
    with pytest.raises(ValidationError, match=message) as caught:
        Axis.model_validate(data)
    assert caught.value.error_count() == 1


ENDS = st.tuples(st.integers(1, 50), st.integers(0, 50)).map(lambda p: (p[0], p[0] + p[1]))
SEEDS = st.integers(0, 2**32 - 1)


def test_the_papers_scales_have_exact_ends_and_drop_what_rounds_together() -> None:
    rounds = resolved({"from": 1e2, "to": 1e6, "points": 10}, "integer")
    expected = [100, 278, 774, 2154, 5995, 16681, 46416, 129155, 359381, 1000000]
    assert rounds == [(int, value) for value in expected]
    assert resolved({"from": 1, "to": 4, "points": 10}, "integer") == [
        (int, value) for value in (1, 2, 3, 4)
    ]
    assert resolved({"from": 1e3, "to": 1e-3, "points": 5}, "number") == [
        (float, value) for value in (1000.0, 31.6227766017, 1.0, 0.0316227766017, 0.001)
    ]
    assert resolved({"from": 3, "to": 1, "points": 1}, "number") == [(float, 3.0)]


@given(st.floats(1e-6, 1e6), st.floats(1e-6, 1e6), st.integers(2, 40))
def test_values_are_even_in_the_logarithm_and_have_twelve_digits(
    low: float, high: float, points: int
) -> None:
    found = np.array(
        Axis.model_validate({"from": low, "to": high, "points": points}).resolve("any")
    )
    np.testing.assert_allclose(found, np.geomspace(low, high, points), rtol=1e-11)
    assert (found[0], found[-1]) == (low, high)
    assert [float(f"{v:.12g}") for v in found[1:-1]] == found[1:-1].tolist()


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


@given(SEEDS)
def test_a_listed_value_is_drawn_as_it_stands(seed: int) -> None:
    listed = ["sqrt", None, 3, 0.5, True]
    drawn = Distribution.model_validate(listed).draw(np.random.default_rng(seed), 200)
    assert {(type(v), v) for v in drawn} == {(type(v), v) for v in listed}


def test_whole_numbers_reach_both_ends_with_equal_chance() -> None:
    drawn = Distribution(integers=(3, 6)).draw(np.random.default_rng(0), 4000)
    values, counts = np.unique(drawn, return_counts=True)
    assert values.tolist() == [3, 4, 5, 6]
    assert np.abs(counts - 1000).max() < 5 * np.sqrt(4000 * 0.25 * 0.75)


@pytest.mark.parametrize(("kind", "to_scale"), [("uniform", np.asarray), ("log", np.log)])
def test_draws_are_uniform_on_their_scale_and_not_on_the_other(kind: str, to_scale: Any) -> None:
    low, high = 1e-3, 1e3
    distribution = Distribution.model_validate({kind: (low, high)})
    drawn = distribution.draw(np.random.default_rng(1), 1000)
    for scale in (np.asarray, np.log):
        position = (scale(drawn) - scale(low)) / (scale(high) - scale(low))
        assert (kstest(position, "uniform").pvalue > 0.01) == (scale is to_scale)


ONE_KIND = "give either a list of values, or one of integers, uniform and log"


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({}, ONE_KIND),
        ({"integers": [1, 2], "uniform": [1, 2]}, ONE_KIND),
        ({"choice": [1], "log": [1, 2]}, ONE_KIND),
        ({"integers": [2, 1]}, "the first end, 2, must not be above the second, 1"),
        ({"log": [0, 1]}, "a logarithmic scale needs positive ends"),
        ({"choice": [10**400]}, "a value must be at most 1e\\+150 in size"),
        ({"choice": [-2e150]}, "a value must be at most 1e\\+150 in size"),
        ({"uniform": [0, float("inf")]}, "finite number"),
        ({"uniform": [float("nan"), 1]}, "finite number"),
        ({"integers": [0.5, 2]}, "valid integer"),
        ({"integer": [1, 2]}, "unknown key 'integer'; did you mean 'integers'"),
        ([], "at least 1 item"),
    ],
)
def test_a_distribution_that_cannot_be_drawn_from_is_refused(data: Any, message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        Distribution.model_validate(data)


def test_points_run_from_simple_to_complex_by_the_algorithms_first_hyperparameter_first() -> None:
    points = [{"lam": lam, "n_rounds": t} for t in (5, 1) for lam in (0.1, 10.0)]
    ordered = [(p["n_rounds"], p["lam"]) for p in from_simple(points, [ROUNDS, LAM])]
    assert ordered == [(1, 10.0), (1, 0.1), (5, 10.0), (5, 0.1)]
    ordered = [(p["lam"], p["n_rounds"]) for p in from_simple(points, [LAM, ROUNDS])]
    assert ordered == [(10.0, 1), (10.0, 5), (0.1, 1), (0.1, 5)]


def test_points_of_any_kind_keep_their_order_and_are_dropped_when_drawn_again() -> None:
    points = [{"word": word} for word in ("b", "a", None, "b", "a")]
    assert from_simple(points, [WORD]) == [{"word": "b"}, {"word": "a"}, {"word": None}]


def test_a_count_and_a_share_of_scikit_learn_are_two_values() -> None:
    words = [point["word"] for point in from_simple([{"word": 1}, {"word": 1.0}], [WORD])]
    assert [type(word) for word in words] == [int, float]
