from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quadrepro.core.learners.greedy.adaboost import AdaBoost
from quadrepro.core.learners.greedy.cbboost import CBBoost, GBCBBoost
from quadrepro.core.learners.grid import Grid
from quadrepro.core.voters.moments import VoterMoments
from quadrepro.core.voters.stumps import Stumps
from quadrepro.papers.cbboost.by_passes import (
    AdaBoostByPasses,
    CBBoostByPasses,
    GBCBBoostByPasses,
    sums_over_examples,
)

PAIRS = [
    (AdaBoost(), AdaBoostByPasses()),
    (CBBoost(), CBBoostByPasses()),
    (CBBoost(allow_repeats=False), CBBoostByPasses(allow_repeats=False)),
    (GBCBBoost(), GBCBBoostByPasses()),
]
each_pair = pytest.mark.parametrize(("ours", "plain"), PAIRS, ids=lambda a: repr(a))
ROUNDS = Grid.of({"n_rounds": [1, 2, 7, 30]})


def problem(seed: int, m: int, n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return voters, some of them equal, labels, and two samples, one with repetitions."""
    rng = np.random.default_rng(seed)
    y = rng.choice([-1.0, 1.0], m)
    H = np.where(rng.random((m, n)) < 0.5 + 0.15 * y[:, None], 1.0, -1.0)
    H = np.hstack([H, H[:, :2], -H[:, :1]])
    return H, y, np.stack([rng.integers(0, 3, m) + (np.arange(m) == 0), np.ones(m)])


@each_pair
@given(seed=st.integers(0, 10_000), m=st.integers(4, 40), n=st.integers(2, 12))
def test_passes_find_the_votes_of_the_algorithm(
    ours: Any, plain: Any, seed: int, m: int, n: int
) -> None:
    H, y, samples = problem(seed, m, n)
    expected = ours.path(H, y, ROUNDS, samples)
    np.testing.assert_allclose(plain.path(H, y, ROUNDS, samples), expected, rtol=0, atol=1e-9)


@pytest.mark.parametrize(("ours", "plain"), PAIRS[1:], ids=lambda a: repr(a))
@pytest.mark.parametrize("seed", range(5))
def test_voters_with_other_values_have_a_norm_of_their_own(
    ours: Any, plain: Any, seed: int
) -> None:
    H, y, samples = problem(seed, 30, 6)
    H *= np.random.default_rng(seed).uniform(0.2, 1, H.shape)
    expected = ours.path(H, y, ROUNDS, samples)
    np.testing.assert_allclose(plain.path(H, y, ROUNDS, samples), expected, rtol=0, atol=1e-9)


@each_pair
def test_nothing_is_merged(ours: Any, plain: Any) -> None:
    H, y, _ = problem(0, 30, 5)
    found = plain.reduced(np.vstack([H, H]), np.concatenate([y, y]))
    assert found.H.shape == (60, 8)
    assert (found.counts == 1).all()


@each_pair
def test_moments_are_not_enough(ours: Any, plain: Any) -> None:
    X, y, _ = problem(0, 30, 5)
    moments = VoterMoments.of(X, y, Stumps(1).fit(X)).problem()
    with pytest.raises(TypeError, match="a pass needs the examples"):
        plain.state(moments, np.zeros(1, dtype=np.intp))


def test_a_pass_adds_up_example_after_example() -> None:
    values = np.array([[1e16, 1.0], [1.0, 2.0], [-1e16, 3.0]])
    assert sums_over_examples(values, np.ones(3)).tolist() == [0.0, 6.0]
