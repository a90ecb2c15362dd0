from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from quadrepro.core.learners.greedy.loop import Trace, boost

from quadrepro.base.types import FloatArray
from quadrepro.core.learners.adaboost import UNITS, AdaBoost
from quadrepro.core.learners.adaboost_reg import AdaBoostReg, AdaBoostRegRule, SoftMargins
from quadrepro.core.learners.grid import Grid
from quadrepro.core.voters.source import FixedVoters
from tests.core.learners.greedy.problems import small_problems, small_samples

Problem = tuple[FloatArray, FloatArray]
Power = Literal[1, 2]

SOFT: dict[Power, list[float]] = {1: [30.0, 3.0, 0.5], 2: [3000.0, 100.0, 5.0]}

each_power = pytest.mark.parametrize("power", [1, 2])


def trace(H: FloatArray, y: FloatArray, C: float, power: Power, rounds: int) -> Trace:
    seen = Trace()
    state = SoftMargins(FixedVoters(H, y), np.ones((1, len(y))))
    boost(AdaBoostRegRule(np.array([C]), power), state, rounds, [seen])
    return seen


@settings(max_examples=60)
@given(small_problems, small_samples, st.integers(1, 12), st.sampled_from([1, 2]))
def test_without_softening_it_is_adaboost(
    problem: Problem, samples: FloatArray, n_rounds: int, power: Power
) -> None:
    rounds = list(range(1, n_rounds + 1))
    ours = AdaBoostReg(power).path(*problem, Grid.of({"C": [0.0], "n_rounds": rounds}), samples)
    theirs = AdaBoost().path(*problem, Grid.of({"n_rounds": rounds}), samples)
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-12)


@dataclass
class Formulas:
    """The whole history of a run, from which each round's losses are computed again."""

    C: float
    power: int
    rights: list[FloatArray]
    weights: list[FloatArray]
    alphas: list[float]

    def losses(self, alpha: float) -> FloatArray:
        """Return exp{-A (ρ + C μ^p)} of every example for a weight of the last voter."""
        alphas = np.array([*self.alphas, alpha])
        rho = alphas @ self.rights / alphas.sum()
        mu = alphas @ self.weights / alphas.sum()
        return np.asarray(np.exp(-alphas.sum() * (rho + self.C * mu**self.power)))


@each_power
def test_a_round_is_the_formulas_from_scratch(
    make_problem: Callable[..., Problem], power: Power
) -> None:
    H, y = make_problem(m=60)
    for C in SOFT[power]:
        seen = trace(H, y, C, power, 12)
        assert len(seen.picks) == 12
        run, w = Formulas(C, power, [], [], []), np.full(60, 1 / 60)
        for pick, signed in zip(seen.picks, seen.weights, strict=True):
            edges = (w * y) @ H
            assert abs(edges[pick]) == pytest.approx(np.abs(edges).max(), abs=1e-9)
            assert np.sign(signed) == np.sign(edges[pick])
            run.rights.append(y * H[:, pick] * np.sign(signed))
            run.weights.append(w)
            fine = np.geomspace(1e-4, 35.0, 1000)
            sums = np.array([run.losses(a).sum() for a in fine])
            alpha = abs(signed)
            assert run.losses(alpha).sum() <= sums.min() * (1 + 1e-12)
            assert alpha == pytest.approx(fine[sums.argmin()], rel=0.02)
            w = run.losses(alpha) / run.losses(alpha).sum()
            run.alphas.append(alpha)


def test_examples_too_light_for_whole_units_count_in_a_long_step() -> None:
    rng = np.random.default_rng(5)
    y = np.where(rng.random(60) < 0.5, 1.0, -1.0)
    H = np.where(rng.random((60, 25)) < 0.85, y[:, None], -y[:, None])
    seen = trace(H, y, 1e3, 2, 45)
    # From round 41 on the picks are wrong only on examples whose weights round to nothing.
    assert len(seen.picks) == 45
    assert np.abs(seen.weights).max() < 12.0


@each_power
def test_weights_keep_their_sum_and_held_out_examples_have_none(
    make_problem: Callable[..., Problem], power: Power
) -> None:
    H, y = make_problem(m=50)
    copies = np.tile(np.arange(50) % 3.0, (3, 1))
    state = SoftMargins(FixedVoters(H, y), copies)
    boost(AdaBoostRegRule(np.array(SOFT[power]), power), state, 200)
    assert np.isfinite(state.example_weights).all()
    assert not state.example_weights[copies[: len(state.example_weights)] == 0].any()
    sums = (state.example_weights * copies[: len(state.example_weights)]).sum(axis=1)
    np.testing.assert_allclose(sums, UNITS, rtol=1e-12)


@each_power
def test_neither_batch_nor_merging_nor_order_changes_a_bit(
    make_problem: Callable[..., Problem], power: Power
) -> None:
    H, y = make_problem(m=40, n=6)
    rng = np.random.default_rng(0)
    samples = rng.integers(0, 4, (2, 40)).astype(float)
    batch = AdaBoostReg(power).path(H, y, Grid.of({"C": SOFT[power], "n_rounds": [100]}), samples)
    for sample, paths in zip(samples, batch, strict=True):
        rows = rng.permutation(np.repeat(np.arange(40), sample.astype(int)))
        for C, ours in zip(SOFT[power], paths, strict=True):
            state = SoftMargins(FixedVoters(H[rows], y[rows]), np.ones((1, len(rows))))
            boost(AdaBoostRegRule(np.array([C]), power), state, 100)
            np.testing.assert_array_equal(ours, state.weights[0])


def test_a_step_without_end_is_not_taken(problem: Problem) -> None:
    # With C w² above 1 for every example the loss falls for ever, however many are wrong.
    H, y = problem
    assert not AdaBoostReg().path(H, y, Grid.of({"C": [1e5], "n_rounds": [10]})).any()
