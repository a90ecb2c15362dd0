from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quadrepro.base.types import FloatArray
from quadrepro.core.learners.adaboost import AdaBoost
from quadrepro.core.learners.adaboost_reg import (
    SCAN,
    AdaBoostReg,
    exact_sum,
    least_loss,
    lower_bounds,
)
from quadrepro.core.learners.reweighting import LARGEST_STEP
from quadrepro.core.training.grid import Grid
from quadrepro.core.voters.reduction import reduce_problem
from tests.core.learners.given import Problem, make_problem, small_problems, small_samples

Power = Literal[1, 2]

SOFT: dict[Power, list[float]] = {1: [30.0, 3.0, 0.5], 2: [3000.0, 100.0, 5.0]}

each_power = pytest.mark.parametrize("power", [1, 2])


@given(small_problems, small_samples, st.integers(1, 12), st.sampled_from([1, 2]))
def test_without_softening_it_is_adaboost(
    problem: Problem, samples: FloatArray, n_rounds: int, power: Power
) -> None:
    rounds = list(range(1, n_rounds + 1))
    ours = AdaBoostReg(power).path(
        *problem, Grid.from_values({"C": [0.0], "n_rounds": rounds}), samples
    )
    theirs = AdaBoost().path(*problem, Grid.from_values({"n_rounds": rounds}), samples)
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
def test_a_round_is_the_formulas_from_scratch(power: Power) -> None:
    H, y = make_problem(m=60)
    for C in SOFT[power]:
        picks, changes = AdaBoostReg(power).run(reduce_problem(H, y, merge_voters=False), 0, C, 9)
        assert len(picks) == 9
        run, w = Formulas(C, power, [], [], []), np.full(60, 1 / 60)
        for pick, signed in zip(picks, changes, strict=True):
            edges = (w * y) @ H
            assert abs(edges[pick]) == pytest.approx(np.abs(edges).max(), abs=1e-9)
            assert np.sign(signed) == np.sign(edges[pick])
            run.rights.append(y * H[:, pick] * np.sign(signed))
            run.weights.append(w)
            fine = np.geomspace(1e-4, 35.0, 400)
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
    # From round 41 on the picks are wrong only on examples whose weights round to nothing.
    _, changes = AdaBoostReg().run(reduce_problem(H, y), 0, 1e3, 45)
    assert len(changes) == 45
    assert np.abs(changes).max() < 12.0


def test_a_step_without_end_is_not_taken() -> None:
    # With C w² above 1 for every example the loss falls for ever, however many are wrong.
    H, y = make_problem()
    assert not AdaBoostReg().path(H, y, Grid.from_values({"C": [1e5], "n_rounds": [10]})).any()


def logarithms(loss: FloatArray, A: float, steps: FloatArray) -> FloatArray:
    """Return the logarithm of Σ n exp(b - a d + φ(a) c) at each step a."""
    b, n, d, c = loss[:, loss[1] > 0]
    share = (A * steps / (A + steps))[:, None]
    return np.asarray(np.logaddexp.reduce(np.log(n) + b - steps[:, None] * d + share * c, axis=1))


def random_loss(rng: np.random.Generator, C: float) -> FloatArray:
    w, means = rng.dirichlet(np.ones(12), 2)
    s, n = np.where(np.arange(12) < 7, 1.0, -1.0), rng.integers(1, 4, 12)
    return np.array([np.log(w / w.max()), n, s + C * w**2, C * (w - means) ** 2])


@pytest.mark.parametrize("C", [0.0, 0.1, 3.0, 30.0, 300.0])
def test_the_line_search_ends_where_the_loss_is_least_and_bounds_are_those_of_equal_examples(
    C: float,
) -> None:
    for seed in range(20):
        rng = np.random.default_rng(seed)
        loss, A = random_loss(rng, C), rng.uniform(0.01, 20)
        a = least_loss(loss, A)
        assert 0 <= a <= LARGEST_STEP
        fine = logarithms(loss, A, np.geomspace(1e-5, LARGEST_STEP, 1000)).min()
        assert logarithms(loss, A, np.array([a]))[0] <= fine + 1e-9 * max(1.0, abs(fine))
        assert (lower_bounds(loss, A) <= logarithms(loss, A, SCAN) + 1e-9).all()
        falls = loss[2] > 0
        equal = loss[:, np.where(falls, falls.argmax(), falls.argmin())]
        least = logarithms(equal, A, SCAN)
        seen = least > -700
        np.testing.assert_allclose(lower_bounds(equal, A)[seen], least[seen], atol=1e-9)


def test_an_example_without_a_weight_is_as_if_it_were_not_there() -> None:
    loss = random_loss(np.random.default_rng(6), 30.0)
    longer = np.append(loss, [[-np.inf], [0.0], [-1e4], [1e4]], axis=1)
    assert least_loss(longer, 3.0) == least_loss(loss, 3.0)


@pytest.mark.parametrize("light", [-40.0, -200.0, -2000.0])
def test_an_example_that_a_long_step_makes_heavy_counts_however_light_it_is(light: float) -> None:
    # Without the last example the loss falls for ever.
    loss = np.array([[0.0, 0.0, light], np.ones(3), [2.0, 1.0, -1.0], [0.0, 0.0, 20.0 - light]])
    a, fine = least_loss(loss, 3.0), np.geomspace(1e-3, LARGEST_STEP, 20_000)
    assert a == pytest.approx(fine[logarithms(loss, 3.0, fine).argmin()], rel=1e-3)
    assert a < LARGEST_STEP / 2


def test_sums_do_not_depend_on_order_or_merging() -> None:
    rng = np.random.default_rng(1)
    terms = rng.normal(size=300) * 10.0 ** rng.uniform(-12, 3, 300)
    counts = rng.integers(0, 5, 300)
    plain = rng.permutation(np.repeat(terms, counts))
    merged = exact_sum(terms, counts.astype(float))
    assert merged == exact_sum(plain, np.ones(len(plain)))
    assert merged == pytest.approx(np.sum(plain.astype(np.longdouble)), rel=1e-15)
