from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from quadrepro.base.types import FloatArray, IntArray
from quadrepro.core.learners.greedy.adaboost import AdaBoost, ExampleWeights
from quadrepro.core.learners.greedy.loop import State, Step, Watcher
from quadrepro.core.learners.grid import Grid
from quadrepro.core.measures.adaboost import (
    edges,
    exponential_bound,
    least_edge,
    product_bound,
    rounds_to_zero_error,
)
from quadrepro.core.voters.reduction import VotingProblem

Problem = tuple[FloatArray, FloatArray]


def random_problem(seed: int) -> Problem:
    """Draw voters and labels: of nine examples, a voter has never just half right."""
    signs = np.random.default_rng(seed).choice([-1.0, 1.0], (9, 6))
    return signs[:, :5], signs[:, 5]


small_problems = st.integers(0, 10**6).map(random_problem)


class Rounds(Watcher):
    """Keeps AdaBoost's errors ε on its own example weights, and these weights."""

    def __init__(self, H: FloatArray, y: FloatArray) -> None:
        self.right = H * y[:, None]
        self.weights = [np.full(len(y), 1 / len(y))]
        self.errors: list[float] = []

    def after(self, t: int, live: IntArray, step: Step, state: State) -> None:
        assert isinstance(state, ExampleWeights)
        wrong = step.weights[0] * self.right[:, step.picks[0]] < 0
        self.errors.append(float(self.weights[-1][wrong].sum()))
        self.weights.append(state.example_weights[0] / state.example_weights.sum())


def rounds_of(problem: Problem, n_rounds: int) -> tuple[FloatArray, Rounds]:
    """Return the margins of AdaBoost's rounds with an error and an edge, and what was seen."""
    H, y = problem
    seen = Rounds(H, y)
    plain = VotingProblem(H, y, np.ones((1, len(y))), np.arange(H.shape[1]), H.shape[1])
    AdaBoost().run(plain, np.array([np.nan]), n_rounds, [seen])
    # A voter without error has one chance in fifty.
    assume(seen.errors)
    return margins_of(AdaBoost(), problem, len(seen.errors)), seen


def margins_of(algorithm: AdaBoost, problem: Problem, n_rounds: int) -> FloatArray:
    H, y = problem
    path = algorithm.path(H, y, Grid.of({"n_rounds": list(range(1, n_rounds + 1))}))
    return y[:, None] * (H @ path.T)


@settings(max_examples=80)
@given(small_problems, st.integers(1, 40))
def test_the_edges_are_those_on_adaboosts_own_example_weights(
    problem: Problem, n_rounds: int
) -> None:
    margins, seen = rounds_of(problem, n_rounds)
    np.testing.assert_allclose(edges(margins), 0.5 - np.array(seen.errors), atol=1e-6)


@settings(max_examples=80)
@given(small_problems, st.integers(1, 40))
def test_the_sum_of_the_example_weights_changes_by_the_lectures_factor(
    problem: Problem, n_rounds: int
) -> None:
    margins, seen = rounds_of(problem, n_rounds)
    errors = np.array(seen.errors)
    factors = 2 * np.sqrt(errors * (1 - errors))
    W = np.append(len(margins), np.exp(-margins).sum(axis=0))
    np.testing.assert_allclose(W[1:] / W[:-1], factors, rtol=1e-7)
    np.testing.assert_allclose(product_bound(margins), np.cumprod(factors), rtol=1e-6)
    np.testing.assert_allclose(np.exp(-margins).T / W[1:, None], seen.weights[1:], atol=1e-7)


@settings(max_examples=80)
@given(small_problems, st.integers(1, 40))
def test_the_training_error_is_below_the_product_and_that_below_the_exponential_bound(
    problem: Problem, n_rounds: int
) -> None:
    margins, seen = rounds_of(problem, n_rounds)
    error = (margins <= 1e-12).mean(axis=0)
    product, gammas = product_bound(margins), edges(margins)
    T = np.arange(1, len(seen.errors) + 1)
    assert (error <= product + 1e-9).all()
    assert (product <= exponential_bound(gammas.min(), T) + 1e-9).all()
    assert (product <= exponential_bound(np.minimum.accumulate(gammas), T) + 1e-9).all()


@given(arrays(np.float64, (7, 4), elements=st.floats(-5, 5)))
def test_the_mean_exponential_loss_is_above_the_training_error_of_any_vote(
    margins: FloatArray,
) -> None:
    assert ((margins <= 0).mean(axis=0) <= product_bound(margins) + 1e-12).all()


@settings(max_examples=60)
@given(st.integers(3, 25), st.integers(0, 24), st.integers(0, 24))
def test_the_vc_remarks_rounds_leave_no_point_of_an_interval_wrong(d: int, a: int, b: int) -> None:
    x = np.arange(d)
    y = np.where((min(a, b) <= x) & (x <= max(a, b)), 1.0, -1.0)
    H = np.where(x[:, None] > np.arange(-1, d), 1.0, -1.0)
    n_rounds = rounds_to_zero_error(d, 1 / 6)
    assert (margins_of(AdaBoost(), (H, y), n_rounds)[:, -1] > 0).all()


def test_a_set_is_shattered_after_the_vc_remarks_rounds() -> None:
    d = 5
    H = np.where(np.arange(d)[:, None] > np.arange(-1, d - 1), 1.0, -1.0)
    labellings = np.array(list(product([-1.0, 1.0], repeat=d)))
    gamma = min(least_edge(H, y) for y in labellings)
    # Where the labels alternate, the d voters have weights of one size.
    assert gamma == pytest.approx(1 / (2 * d))
    n_rounds = rounds_to_zero_error(d, gamma)
    for y in labellings:
        assert (margins_of(AdaBoost(), (H, y), n_rounds)[:, -1] > 0).all()


def test_a_long_run_does_not_lose_its_edges() -> None:
    # The weights of a separable problem fall below the least floating-point number.
    x = np.arange(3)
    H = np.where(x[:, None] > np.array([-1, 0, 1]), 1.0, -1.0)
    gammas = edges(margins_of(AdaBoost(), (H, np.array([-1.0, 1.0, -1.0])), 15_000))
    assert gammas.min() >= 1 / 6 - 1e-6
    assert gammas.max() <= 0.5


def test_the_lectures_numbers() -> None:
    assert exponential_bound(1 / 6, 18) == pytest.approx(np.exp(-1))
    # 18 ln(6) = 32.3.
    assert rounds_to_zero_error(3, 1 / 6) == 33
    assert exponential_bound(1 / 6, 33) < 1 / 3
    # ε = 1/3 on three equal weights: 2 sqrt(2/9).
    alpha = 0.5 * np.log(2)
    margins = alpha * np.array([[1.0], [1.0], [-1.0]])
    assert product_bound(margins) == pytest.approx(2 * np.sqrt(2 / 9))
    assert edges(margins) == pytest.approx(1 / 6)


def test_other_margins_are_refused() -> None:
    rising = np.array([[0.5, 0.0], [0.5, 0.0]])
    with pytest.raises(ValueError, match=r"exponential loss rises in round 2.*not the .* of Ada"):
        edges(rising)
    with pytest.raises(ValueError, match=r"examples by rounds, not \(3,\)"):
        product_bound(np.zeros(3))


def test_numbers_out_of_range_are_refused() -> None:
    with pytest.raises(ValueError, match=r"gamma must be in \[0, 0.5\]"):
        exponential_bound(0.6, 3)
    with pytest.raises(ValueError, match=r"n_rounds must be in \[0, inf\]"):
        exponential_bound(0.1, -1)
    with pytest.raises(ValueError, match="d must be at least 1"):
        rounds_to_zero_error(0, 0.1)
    with pytest.raises(ValueError, match=r"gamma must be in \(0, 1/2\], not 0"):
        rounds_to_zero_error(5, 0.0)
