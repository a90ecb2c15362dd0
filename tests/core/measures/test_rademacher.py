from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from quadrepro.base.types import FloatArray
from quadrepro.core.measures import quadboost
from quadrepro.core.measures.quadboost import (
    empirical_rademacher,
    massart,
    norm_complexity,
    sign_correlations,
)

each_norm = pytest.mark.parametrize("p", [1.0, 2.0, np.inf])

voters = arrays(np.float64, (7, 4), elements=st.floats(-1, 1))


def exact(H: FloatArray) -> float:
    """R_S over all 2^m sign vectors, with each voter and its complement."""
    both = np.hstack([H, -H])
    signs = product((-1.0, 1.0), repeat=len(H))
    return float(np.mean([max(np.array(s) @ both) / len(H) for s in signs]))


@settings(max_examples=25)
@given(voters, st.integers(0, 99))
def test_the_estimate_is_near_the_exact_value(H: FloatArray, seed: int) -> None:
    found = empirical_rademacher(H, 2000, np.random.default_rng(seed), delta=1e-9)
    assert abs(found.mean - exact(H)) <= found.deviation


def test_the_upper_bound_fails_no_more_often_than_it_says() -> None:
    H = np.random.default_rng(0).choice([-1.0, 1.0], (8, 3))
    value, rng = exact(H), np.random.default_rng(1)
    estimates = [empirical_rademacher(H, 5, rng, delta=0.3) for _ in range(1000)]
    failures = np.mean([e.mean + e.deviation < value for e in estimates])
    # Three standard errors of the simulation.
    assert failures <= 0.3 + 3 * (0.3 * 0.7 / 1000) ** 0.5


@settings(max_examples=25)
@given(voters)
def test_massarts_bound_is_above_the_exact_value(H: FloatArray) -> None:
    assert exact(H) <= massart(4, 7)


def test_one_voter_and_two_examples_are_done_by_hand() -> None:
    # |σ1 + σ2| / 2 is 1 or 0, each half of the time.
    assert exact(np.ones((2, 1))) == 0.5
    found = empirical_rademacher(np.ones((2, 1)), 40_000, np.random.default_rng(0))
    assert found.mean == pytest.approx(0.5, abs=0.01)
    assert found.deviation == pytest.approx((2 * np.log(20) / 80_000) ** 0.5)
    assert massart(1, 2) == pytest.approx(np.log(2) ** 0.5)


def test_batches_bound_the_memory_and_change_no_number(monkeypatch: pytest.MonkeyPatch) -> None:
    H = np.random.default_rng(0).choice([-1.0, 1.0], (11, 30))
    whole = empirical_rademacher(H, 101, np.random.default_rng(7))
    monkeypatch.setattr(quadboost, "BATCH", 90)
    batches = list(sign_correlations(H, 101, np.random.default_rng(7)))
    assert [len(b) for b in batches] == [3] * 33 + [2]
    assert empirical_rademacher(H, 101, np.random.default_rng(7)).mean == pytest.approx(whole.mean)


H_SMALL = np.random.default_rng(4).uniform(-1, 1, (5, 3))
SIGNS = np.array(list(product((-1.0, 1.0), repeat=5)))


def brute_force(p: float, *, distinct: bool = False) -> float:
    """R_S of the pairs of voters with ‖α‖_p = 1, over all signs, pairs and a circle of weights."""
    # The circle holds the even weights, where voters taken twice are best.
    angles = np.linspace(0, 2 * np.pi, 1441)
    circle = np.column_stack([np.cos(angles), np.sin(angles)])
    alphas = circle / np.linalg.norm(circle, ord=p, axis=1, keepdims=True)
    both = np.hstack([H_SMALL, -H_SMALL])
    pairs = [(i, j) for i, j in product(range(6), repeat=2) if not distinct or i % 3 != j % 3]
    votes = np.hstack([both[:, list(pair)] @ alphas.T for pair in pairs])
    return float((SIGNS @ votes / 5).max(axis=1).mean())


@each_norm
def test_lemma_1_holds_by_brute_force(p: float) -> None:
    plain = np.abs(SIGNS @ H_SMALL / 5).max(axis=1).mean()
    assert brute_force(p) == pytest.approx(norm_complexity(2, p) * plain)
    if p > 1:
        assert brute_force(p, distinct=True) < 0.99 * norm_complexity(2, p) * plain


def test_numbers_out_of_range_are_refused() -> None:
    rng = np.random.default_rng(0)
    with pytest.raises(ValueError, match=r"probability in \(0, 1\), not 0"):
        empirical_rademacher(np.ones((3, 1)), 5, rng, delta=0.0)
    with pytest.raises(ValueError, match="n_draws must be at least 1, not 0"):
        empirical_rademacher(np.ones((3, 1)), 0, rng)
    with pytest.raises(ValueError, match=r"an example and a voter, not shape \(3, 0\)"):
        empirical_rademacher(np.ones((3, 0)), 5, rng)
    with pytest.raises(ValueError, match="must be at least 1, not 0 and 5"):
        massart(0, 5)
    with pytest.raises(ValueError, match="n is a number of voters and cannot be -1"):
        norm_complexity([3, -1], 2)
    with pytest.raises(ValueError, match=r"p must be at least 1, not 0\.5"):
        norm_complexity([3], 0.5)
