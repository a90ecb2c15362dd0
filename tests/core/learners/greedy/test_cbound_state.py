from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from quadrepro.base.types import FloatArray
from quadrepro.core.learners.greedy.cbboost import CBBoost, CBoundState
from quadrepro.core.learners.greedy.loop import boost
from quadrepro.core.voters.reduction import reduce_problem

Problem = tuple[FloatArray, FloatArray]

each_kind = pytest.mark.parametrize("real", [False, True])


def state_after(H: FloatArray, y: FloatArray, n_rounds: int) -> CBoundState:
    problem = reduce_problem(H, y, merge_voters=False)
    state = CBoundState(problem, np.zeros(1, dtype=np.intp))
    boost(CBBoost().rule(np.array([np.nan])), state, n_rounds)
    return state


def c_bound(F: FloatArray, y: FloatArray) -> float:
    return float(1 - (y @ F) ** 2 / (len(y) * (F @ F)))


@each_kind
def test_the_state_follows_the_vote_through_many_rounds(
    make_problem: Callable[..., Problem], real: bool
) -> None:
    H, y = make_problem(m=200, n=60, real=real)
    state = state_after(H, y, 2000)
    F = H @ state.weights[0]
    agreements = np.sign(H.T @ y) * (H.T @ F) / len(y)
    np.testing.assert_allclose(state.agreements[0], agreements, rtol=1e-9, atol=1e-9)
    assert state.vote_norm[0] == pytest.approx((F**2).mean(), rel=1e-9)
    assert state.vote_margin[0] == pytest.approx((y * F).mean(), rel=1e-9)


@each_kind
@pytest.mark.parametrize("repeats", [True, False])
def test_slopes_and_decreases_are_those_of_the_c_bound(
    make_problem: Callable[..., Problem], real: bool, repeats: bool
) -> None:
    H, y = make_problem(m=80, real=real)
    state = state_after(H, y, 6)
    F = H @ state.weights[0]
    slopes, decreases = state.slopes(repeats)[0].copy(), state.decreases(repeats)[0]
    oriented = H * np.sign(H.T @ y)
    gamma, eta, tau = oriented.T @ y / 80, (oriented**2).mean(axis=0), oriented.T @ F / 80
    vote_margin, norm = (y * F).mean(), (F**2).mean()
    # The slope along the last voter is zero but for rounding.
    admissible = (gamma * norm / vote_margin - tau > 1e-9) & (gamma * tau < vote_margin * eta)
    if not repeats:
        admissible &= state.weights[0] == 0
    assert 0 < admissible.sum() < 12
    np.testing.assert_array_equal(slopes > 1e-9, admissible)
    np.testing.assert_array_equal(decreases > 1e-18, admissible)
    for j in np.flatnonzero(admissible):
        h, step = oriented[:, j], 1e-6
        slope = (c_bound(F - step * h, y) - c_bound(F + step * h, y)) / (2 * step)
        assert slopes[j] * 2 * vote_margin**2 / norm**2 == pytest.approx(slope, rel=1e-4)
        alpha = (gamma[j] * norm - vote_margin * tau[j]) / (
            vote_margin * eta[j] - gamma[j] * tau[j]
        )
        decrease = c_bound(F, y) - c_bound(F + alpha * h, y)
        assert decreases[j] * vote_margin**2 / norm == pytest.approx(decrease, rel=1e-9)
