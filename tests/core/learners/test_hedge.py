from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from quadrepro.core.learners.greedy.loop import State, Step, Watcher

from quadrepro.base.types import FloatArray, IntArray
from quadrepro.core.estimators import HedgeBoostClassifier
from quadrepro.core.learners.adaboost import UNITS
from quadrepro.core.learners.grid import Grid
from quadrepro.core.learners.hedge import ExpertWeights, HedgeBoost, experts_rate
from quadrepro.core.measures.adaboost import least_edge
from quadrepro.core.voters.reduction import VotingProblem
from tests.core.learners.greedy.problems import small_problems

Problem = tuple[FloatArray, FloatArray]


rates = st.sampled_from([0.03, 0.1, 0.3, 0.5])


@st.composite
def intervals(draw: st.DrawFn) -> Problem:
    """Points on the line, positive inside [a, b], and their stumps."""
    m = draw(st.integers(2, 30))
    x = np.array(draw(st.lists(st.integers(-20, 20), min_size=m, max_size=m)), dtype=float)
    a, b = draw(st.integers(-22, 22)), draw(st.integers(-22, 22))
    return stumps(x), np.where((a <= x) & (x <= b), 1.0, -1.0)


def stumps(x: FloatArray) -> FloatArray:
    """Every stump of the lecture on points of the line: the constant one is among them."""
    places = np.unique(x)
    thresholds = np.append(places[0] - 1, (places[1:] + places[:-1]) / 2)
    return np.where(x[:, None] > thresholds, 1.0, -1.0)


def lecture(H: FloatArray, y: FloatArray, eta: float, n_rounds: int) -> FloatArray:
    """Section 3 as it reads, over voters and their complements."""
    m, n = H.shape
    w, weights = np.ones(m), np.zeros(n)
    for _ in range(n_rounds):
        p = w / w.sum()
        # Rounded, so that errors equal but for rounding tie to the lowest index.
        wrong = np.round([[p[s * H[:, j] != y].sum() for s in (1, -1)] for j in range(n)], 11)
        j = int(wrong.min(axis=1).argmin())
        sign = 1 if wrong[j, 0] <= wrong[j, 1] else -1
        if wrong[j].min() > 0.5 - 1e-9:
            break
        w = w * (1 - eta) ** (sign * H[:, j] == y)
        weights[j] += sign
    return weights


class Experts(Watcher):
    """Keeps what the experts of one run cost, what was paid, and the sums of their weights."""

    def __init__(self, H: FloatArray, y: FloatArray) -> None:
        self.right = H * y[:, None]
        self.p = np.full(len(y), 1 / len(y))
        self.costs = np.zeros(len(y))
        self.paid = 0.0
        self.totals: list[float] = []

    def after(self, t: int, live: IntArray, step: Step, state: State) -> None:
        assert isinstance(state, ExpertWeights)
        cost = step.weights[0] * self.right[:, step.picks[0]] > 0
        self.paid += float(self.p @ cost)
        self.costs += cost
        self.totals.append(float(state.example_weights.sum()))
        self.p = state.example_weights[0] / self.totals[-1]


def watched(H: FloatArray, y: FloatArray, eta: float, n_rounds: int) -> Experts:
    """Run the experts on the plain problem."""
    experts = Experts(H, y)
    problem = VotingProblem(H, y, np.ones((1, len(y))), np.arange(H.shape[1]), H.shape[1])
    HedgeBoost().run(problem, np.array([eta]), n_rounds, [experts])
    return experts


@settings(max_examples=100)
@given(small_problems, rates, st.integers(1, 25))
def test_votes_are_the_lectures(problem: Problem, eta: float, n_rounds: int) -> None:
    found = HedgeBoost().path(*problem, Grid.of({"eta": [eta], "n_rounds": [n_rounds]}))[0]
    np.testing.assert_array_equal(found, lecture(*problem, eta, n_rounds))


@settings(max_examples=60)
@given(small_problems, rates, st.integers(1, 60))
def test_the_regret_is_below_its_bound_at_any_rate(
    problem: Problem, eta: float, n_rounds: int
) -> None:
    experts = watched(*problem, eta, n_rounds)
    assert experts.paid - experts.costs.min() <= eta * n_rounds + np.log(9) / eta + 1e-9


@settings(max_examples=60)
@given(small_problems)
def test_the_lectures_number_of_rounds_classifies_all_examples(problem: Problem) -> None:
    # Labels that are the majority of five voters: their mean edge, and so the largest, is 1/5.
    H, y = problem[0], np.sign(problem[0].sum(axis=1))
    gamma = least_edge(H, y)
    assert gamma >= 1 / 10 - 1e-9
    assert_all_right(H, y, gamma)


@settings(max_examples=60)
@given(intervals())
def test_stumps_have_an_edge_of_a_sixth_on_an_interval_and_their_vote_learns_it(
    problem: Problem,
) -> None:
    assert least_edge(*problem) >= 1 / 6 - 1e-9
    assert_all_right(*problem, 1 / 6)


def assert_all_right(H: FloatArray, y: FloatArray, gamma: float) -> None:
    n_rounds = int(4 * np.log(len(y)) / gamma**2) + 1
    grid = Grid.of({"eta": [experts_rate(n_rounds, len(y))], "n_rounds": [n_rounds]})
    weights = HedgeBoost().path(H, y, grid)[0]
    assert np.abs(weights).sum() <= n_rounds
    assert (y * (H @ weights) > 0).all()


def test_a_perfect_voter_gets_every_vote(problem: Problem) -> None:
    H, y = problem
    path = HedgeBoost().path(
        np.column_stack([H, -y]), y, Grid.of({"eta": [0.2], "n_rounds": [1, 50]})
    )
    expected = np.zeros((2, H.shape[1] + 1))
    expected[:, -1] = -1, -50
    np.testing.assert_array_equal(path, expected)


def test_example_weights_keep_their_sum_in_a_long_run(make_problem: Callable[..., Problem]) -> None:
    totals = watched(*make_problem(), 0.3, 20_000).totals
    assert len(totals) == 20_000
    np.testing.assert_allclose(totals, UNITS, rtol=1e-9)


def test_the_lectures_rate() -> None:
    assert experts_rate(400, 50) == pytest.approx((np.log(50) / 400) ** 0.5)
    assert experts_rate(3, 50) == 0.5


def test_numbers_out_of_range_are_refused(problem: Problem) -> None:
    with pytest.raises(ValueError, match=r"eta must be at most 0.5, not 0.6"):
        HedgeBoost().path(*problem, Grid.of({"eta": [0.6], "n_rounds": [1]}))
    with pytest.raises(ValueError, match="eta must be positive and finite, not 0"):
        HedgeBoost().path(*problem, Grid.of({"eta": [0.0], "n_rounds": [1]}))
    with pytest.raises(ValueError, match="m >= 2 training examples, not 1"):
        experts_rate(10, 1)
    with pytest.raises(ValueError, match="n_rounds >= 1, not 0"):
        experts_rate(0, 10)


def test_every_stage_adds_one_vote(problem: Problem) -> None:
    H, y = problem
    fitted = HedgeBoostClassifier(n_rounds=40, voters="precomputed").fit(H, y)
    stages = np.array(list(fitted.staged_decision_function(H)))
    assert len(stages) == 40
    assert (np.abs(np.diff(stages, axis=0, prepend=0)) == 1).all()
    np.testing.assert_array_equal(stages[-1], fitted.decision_function(H))


def test_without_a_rate_it_is_the_lectures(problem: Problem) -> None:
    H, y = problem
    given = HedgeBoostClassifier((np.log(60) / 90) ** 0.5, n_rounds=90, voters="precomputed")
    found = HedgeBoostClassifier(n_rounds=90, voters="precomputed").fit(H, y)
    assert found.eta_ == pytest.approx(given.eta)
    np.testing.assert_array_equal(found.voter_weights_, given.fit(H, y).voter_weights_)
