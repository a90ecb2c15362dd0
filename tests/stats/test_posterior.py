from __future__ import annotations

from math import nan

import baycomp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quadrepro.stats import bayesian_correlated_t, bayesian_signed_rank
from quadrepro.stats import posterior as module
from tests.stats.examples import ANNEAL, column

DRAWS = 0.01
"""Four standard errors of the difference of two shares of 50,000 draws."""


@pytest.mark.parametrize(
    ("i", "j", "rope"), [(0, 1, 0.0), (2, 3, 0.0), (0, 2, 0.0101), (0, 1, 0.03), (2, 3, 0.03)]
)
def test_the_signed_rank_test_is_baycomps(i: int, j: int, rope: float) -> None:
    a, b = column(i), column(j)
    found = bayesian_signed_rank(a, b, rope)
    expected = baycomp.SignedRankTest.probs(
        np.array(a), np.array(b), rope, nsamples=20_000, random_state=5
    )
    ours = (found.worse, found.better) if rope == 0 else (found.worse, found.same, found.better)
    assert ours == pytest.approx(expected, abs=2 * DRAWS)
    assert found.better + found.same + found.worse == pytest.approx(1)


def brute_force(d: list[int], rope: int, draws: int) -> tuple[float, float, float]:
    """Return the three shares by the definition: all pairs of differences with all weights."""
    rng = np.random.default_rng(9)
    z = np.array([0, *d])
    sums = z[:, None] + z
    below = (sums < -2 * rope) + (sums == -2 * rope) / 2
    above = (sums > 2 * rope) + (sums == 2 * rope) / 2
    shares = []
    for w in rng.dirichlet([0.5, *[1.0] * len(d)], draws):
        left, right = w @ below @ w, w @ above @ w
        shares.append(np.argmax([left, 1 - left - right, right]))
    counts = np.bincount(shares, minlength=3) / draws
    return float(counts[0]), float(counts[1]), float(counts[2])


@settings(max_examples=10)
@given(st.lists(st.integers(-4, 4), min_size=1, max_size=6), st.integers(1, 3))
def test_the_signed_rank_test_is_its_definition_with_sums_on_the_ends_of_the_rope(
    d: list[int], rope: int
) -> None:
    found = bayesian_signed_rank([0.1 * x for x in d], [0.0] * len(d), 0.1 * rope)
    shares = (found.better, found.same, found.worse)
    assert shares == pytest.approx(brute_force(d, rope, 2000), abs=0.06)


@given(st.lists(st.integers(-4, 4), min_size=1, max_size=8), st.integers(0, 2))
@settings(max_examples=10)
def test_exchanging_the_sides_exchanges_the_probabilities(d: list[int], rope: int) -> None:
    zero = [0] * len(d)
    there, back = bayesian_signed_rank(d, zero, rope), bayesian_signed_rank(zero, d, rope)
    assert (there.better, there.same, there.worse) == (back.worse, back.same, back.better)


def test_equal_methods_are_the_same_or_as_often_better_as_worse() -> None:
    same, split = bayesian_signed_rank([1, 2], [1, 2], 0.1), bayesian_signed_rank([1, 2], [1, 2])
    assert (same.better, same.same, same.worse) == (0, 1, 0)
    assert (split.better, split.same, split.worse) == (0.5, 0, 0.5)


def test_a_difference_beyond_the_rope_on_every_data_set_is_almost_certain() -> None:
    found = bayesian_signed_rank([0.0] * 20, [1.0] * 20, 0.1)
    assert found.better > 0.999
    assert bayesian_signed_rank([1.0] * 20, [0.0] * 20, 0.1).worse == found.better
    assert bayesian_signed_rank([1.0] * 20, [0.0] * 20, 1e300).same == 1


def test_the_same_data_give_the_same_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    first = bayesian_signed_rank(column(0), column(1), 0.01)
    assert bayesian_signed_rank(column(0), column(1), 0.01) == first
    # Many data sets are drawn in parts.
    monkeypatch.setattr(module, "AT_ONCE", 15 * 7001)
    parts = bayesian_signed_rank(column(0), column(1), 0.01)
    assert parts.better == pytest.approx(first.better, abs=DRAWS)
    assert parts.better + parts.same + parts.worse == pytest.approx(1)


def test_one_difference_beyond_the_rope_wins_by_the_beta_distribution() -> None:
    # It has weight w ~ Beta(1, 1/2). Only its sum with itself is beyond the rope: w² > 1/2.
    found = bayesian_signed_rank([2], [0], rope=1.5)
    assert found.worse == pytest.approx((1 - 0.5**0.5) ** 0.5, abs=DRAWS)
    assert found.better == 0


def test_the_tutorials_example_of_the_correlated_t_test() -> None:
    found = bayesian_correlated_t([0] * 100, ANNEAL, test_share=0.1, rope=0.01)
    assert found.better == pytest.approx(0.9542966, abs=2e-5)
    assert found.same == pytest.approx(0.0457031, abs=2e-5)
    assert found.worse == pytest.approx(3.0354e-07, rel=0.01)


@pytest.mark.parametrize("rope", [0.0, 0.01, 0.05])
def test_the_correlated_t_test_is_baycomps(rope: float) -> None:
    rng = np.random.default_rng(1)
    a, b = rng.random(50), rng.random(50)
    found = bayesian_correlated_t(a, b, test_share=0.1, rope=rope)
    expected = baycomp.CorrelatedTTest(a, b, rope, runs=5).probs()
    ours = (found.worse, found.better) if rope == 0 else (found.worse, found.same, found.better)
    assert ours == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(
    ("difference", "rope", "expected"),
    [
        (0.0, 0.0, (0.5, 0, 0.5)),
        (0.0, 0.1, (0, 1, 0)),
        (0.1, 0.1, (0, 1, 0)),
        (-0.2, 0.1, (1, 0, 0)),
        (0.2, 0.0, (0, 0, 1)),
    ],
)
def test_equal_differences_are_certain(
    difference: float, rope: float, expected: tuple[float, float, float]
) -> None:
    found = bayesian_correlated_t([0.4 + difference] * 3, [0.4] * 3, 0.5, rope)
    assert (found.better, found.same, found.worse) == expected


@pytest.mark.parametrize("rope", [-0.1, nan, float("inf")])
def test_a_rope_that_cannot_be_is_refused(rope: float) -> None:
    with pytest.raises(ValueError, match="the half-width of the rope cannot be"):
        bayesian_signed_rank([1, 2], [2, 3], rope)
    with pytest.raises(ValueError, match="the half-width of the rope cannot be"):
        bayesian_correlated_t([1, 2], [2, 4], 0.5, rope)
