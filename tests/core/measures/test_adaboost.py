from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.optimize import linprog

from quadrepro.base.types import FloatArray, IntArray
from quadrepro.core.learners.adaboost import AdaBoost, ExampleWeights
from quadrepro.core.learners.greedy.loop import State, Step, Watcher
from quadrepro.core.learners.grid import Grid
from quadrepro.core.measures.adaboost import (
    edges,
    experts_rounds,
    exponential_bound,
    least_edge,
    product_bound,
    rounds_to_zero_error,
)
from quadrepro.core.preprocessing import encode
from quadrepro.core.voters.reduction import VotingProblem
from quadrepro.core.voters.stumps import Stumps
from quadrepro.data.store import load_dataset

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


def regret_bound(n_rounds: int, m: int) -> float:
    return float(2 * np.sqrt(n_rounds * np.log(m)))


def test_the_lectures_number() -> None:
    # 4 ln(3) · 36 = 158.2.
    assert experts_rounds(1 / 6, 3) == 159


@given(st.floats(0.01, 0.5), st.integers(2, 10**6))
def test_the_regret_of_that_many_rounds_is_below_their_edge(gamma: float, m: int) -> None:
    n_rounds = experts_rounds(gamma, m)
    assert regret_bound(n_rounds, m) < gamma * n_rounds
    assert regret_bound(n_rounds - 1, m) >= gamma * (n_rounds - 1) * (1 - 1e-12)


def test_experts_need_examples_and_an_edge() -> None:
    with pytest.raises(ValueError, match="m >= 2 training examples, not 1"):
        experts_rounds(0.1, 1)
    for gamma in (0.0, 0.7):
        with pytest.raises(ValueError, match=rf"gamma must be in \(0, 1/2\], not {gamma}"):
            experts_rounds(gamma, 10)


signs = st.sampled_from([-1.0, 1.0])


def minimax(H: FloatArray, y: FloatArray) -> float:
    """Return the least over weightings d of the largest |Σ d y h|/2, by a program of its own."""
    m, n = H.shape
    margins = H * y[:, None]
    rows = np.block([[margins.T, -np.ones((n, 1))], [-margins.T, -np.ones((n, 1))]])
    found = linprog(
        c=np.append(np.zeros(m), 1.0),
        A_ub=rows,
        b_ub=np.zeros(2 * n),
        A_eq=[np.append(np.ones(m), 0.0)],
        b_eq=[1.0],
    )
    return float(found.fun) / 2


@pytest.mark.parametrize("name", ["interval_3", "interval_60"])
def test_on_an_interval_some_stump_errs_on_a_third_of_any_weighting(name: str) -> None:
    dataset = load_dataset(name)
    problem = encode(dataset, dataset.card.view("lecture"))
    H = Stumps(8).fit(problem.X).transform(problem.X)
    assert least_edge(H, problem.y) == pytest.approx(1 / 6)


def test_without_the_constant_stump_the_interval_cannot_be_learned_weakly() -> None:
    dataset = load_dataset("interval_60")
    problem = encode(dataset, dataset.card.view("lecture"))
    X = problem.X[:, [problem.attributes.index("x")]]
    assert least_edge(Stumps(8).fit(X).transform(X), problem.y) == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("sign", [1, -1])
def test_a_perfect_voter_or_its_complement_has_an_edge_of_a_half(
    sign: int, problem: tuple[FloatArray, FloatArray]
) -> None:
    H, y = problem
    assert least_edge(np.column_stack([H, sign * y]), y) == pytest.approx(0.5)


def test_there_is_no_edge_where_the_voters_cancel_under_equal_weights() -> None:
    # All products of four signs are orthogonal, the labels being one of them.
    corners = np.array(np.meshgrid(*[[-1.0, 1.0]] * 4)).reshape(4, -1).T
    y = corners.prod(axis=1)
    assert least_edge(np.column_stack([corners, np.ones(16)]), y) == pytest.approx(0, abs=1e-9)


def test_two_equal_examples_of_both_labels_leave_no_edge() -> None:
    H = np.array([[1.0, -1, 1], [1, -1, 1], [1, 1, -1]])
    assert least_edge(H, np.array([1.0, -1, 1])) == pytest.approx(0, abs=1e-9)


@settings(max_examples=40, deadline=None)
@given(
    st.tuples(st.integers(1, 7), st.integers(1, 6)).flatmap(
        lambda shape: st.tuples(
            arrays(np.float64, shape, elements=signs), arrays(np.float64, shape[0], elements=signs)
        )
    )
)
def test_the_edge_is_the_value_of_the_game(problem: tuple[FloatArray, FloatArray]) -> None:
    H, y = problem
    found = least_edge(H, y)
    assert found == pytest.approx(minimax(H, y), abs=1e-8)
    # A copy or a complement adds nothing.
    assert least_edge(np.column_stack([H, -H, H]), y) == pytest.approx(found, abs=1e-8)
    equal = np.abs((H * y[:, None]).mean(axis=0)).max() / 2
    assert found <= equal + 1e-8
