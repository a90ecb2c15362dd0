from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quadrepro.base.types import FloatArray
from quadrepro.core.learners.adaboost import AdaBoost, take_rounds
from quadrepro.core.learners.reweighting import FLOOR, Examples
from quadrepro.core.training.contract import positive_votes
from quadrepro.core.training.grid import Grid
from quadrepro.core.voters.chains import Chains
from quadrepro.core.voters.coded import codes_of_matrix
from quadrepro.core.voters.running_sums import RunningSums
from tests.core.learners.given import (
    Problem,
    Turning,
    boosted,
    least_error,
    small_problems,
    small_samples,
)


def lecture(H: FloatArray, y: FloatArray, copies: FloatArray, n_rounds: int) -> FloatArray:
    """AdaBoost as section 4 of the lecture reads, with exact example weights."""
    w, vote = [Fraction(int(c)) for c in copies], np.zeros(H.shape[1])
    for t in range(n_rounds):
        j, edge = least_error(H, y, w)
        if edge == 0:
            break
        if abs(edge) == 1:
            # A voter without error is the whole vote, so it outweighs all others.
            vote[j] += (1 if edge > 0 else -1) * (1e9 if t else 1)
            break
        vote[j] += 0.5 * np.log(float((1 + edge) / (1 - edge)))
        # exp(-α y h) in proportion to 1 / (1 + r y h), which is rational.
        w = [v / (1 + edge * int(z)) for v, z in zip(w, y * H[:, j], strict=True)]
    return vote


@given(small_problems, small_samples, st.integers(1, 9))
def test_weights_are_the_lectures(problem: Problem, samples: FloatArray, n_rounds: int) -> None:
    paths = AdaBoost().path(*problem, Grid.from_values({"n_rounds": [n_rounds]}), samples)[:, 0]
    for found, sample in zip(paths, samples, strict=True):
        expected = lecture(*problem, sample, n_rounds)
        if np.abs(expected).max() < 1e6:
            np.testing.assert_allclose(found, expected, atol=1e-9)
        else:
            decisive = np.abs(expected).argmax()
            others = np.delete(found, decisive)
            assert found[decisive] * np.sign(expected[decisive]) > np.abs(others).sum() + 20
            np.testing.assert_allclose(others, np.delete(expected, decisive), atol=1e-9)


def test_the_kernel_too_lets_an_example_of_the_smallest_weight_grow_again() -> None:
    expected = boosted(AdaBoost(), Turning(), 10_000, copies=np.ones((1, 6)))
    examples, parts = Examples.equal(np.ones(6), np.ones(6)), []
    for t in (1, 5001):
        voters = RunningSums.over(Chains.from_voters(codes_of_matrix(Turning.outputs(t))))
        parts.append(take_rounds(voters, examples, 5000))
        assert (examples.weights[0] < 2 * FLOOR) == (t == 1)
    picks, changes = (np.concatenate(part) for part in zip(*parts, strict=True))
    assert picks.tolist() == [r.picks[0] for r in expected]
    assert changes.tolist() == [r.changes[0] for r in expected]


def test_a_held_out_example_that_is_always_wrong_does_no_harm_in_a_long_run() -> None:
    # Its weight would grow without bound if it had one.
    rng = np.random.default_rng(0)
    H = rng.choice([-1.0, 1.0], (41, 9))
    y = np.where(H[:, :3].sum(axis=1) > 0, 1.0, -1.0)
    y[-1] *= -1
    samples = np.vstack([np.arange(41) < 40, np.ones(41)]).astype(float)
    held_out, _ = AdaBoost().path(H, y, Grid.from_values({"n_rounds": [30_000]}), samples)
    assert np.isfinite(held_out).all()
    assert (positive_votes(H[:40], held_out).ravel() == (y[:40] > 0)).all()


def test_real_valued_voters_are_refused() -> None:
    with pytest.raises(ValueError, match=r"values -1 and \+1"):
        AdaBoost().path(
            np.array([[0.5], [1.0]]), np.array([1.0, -1.0]), Grid.from_values({"n_rounds": [1]})
        )
