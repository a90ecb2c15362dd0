from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quadrepro import HedgeBoostClassifier
from quadrepro.base.types import FloatArray
from quadrepro.core.learners.hedge import HedgeBoost, experts_rate
from quadrepro.core.measures.adaboost import least_edge
from quadrepro.core.training.grid import Grid
from tests.core.learners.given import (
    FixedVoters,
    Problem,
    boosted,
    least_error,
    make_problem,
    small_problems,
)

rates = st.sampled_from([0.03, 0.1, 0.3, 0.5])


def lecture(H: FloatArray, y: FloatArray, eta: float, n_rounds: int) -> FloatArray:
    """Section 3 as it reads, over voters and their complements, with exact example weights."""
    w, votes = [Fraction(1)] * len(y), np.zeros(H.shape[1])
    for _ in range(n_rounds):
        j, edge = least_error(H, y, w)
        if abs(edge) < 1e-10:
            break
        sign = 1 if edge > 0 else -1
        right = sign * y * H[:, j] > 0
        w = [v * (1 - Fraction(str(eta))) ** int(cost) for v, cost in zip(w, right, strict=True)]
        votes[j] += sign
    return votes


@given(small_problems, rates, st.integers(1, 25))
def test_votes_are_the_lectures(problem: Problem, eta: float, n_rounds: int) -> None:
    found = HedgeBoost().path(*problem, Grid.from_values({"eta": [eta], "n_rounds": [n_rounds]}))[0]
    np.testing.assert_array_equal(found, lecture(*problem, eta, n_rounds))


@given(small_problems, rates, st.integers(1, 60))
def test_the_regret_is_below_its_bound_at_any_rate(
    problem: Problem, eta: float, n_rounds: int
) -> None:
    voters, (H, y) = FixedVoters(*problem), problem
    paid, costs = 0.0, np.zeros(len(y))
    rounds = boosted(HedgeBoost(), voters, n_rounds, [eta])
    for (picks, votes, last), [p] in zip(rounds, voters.seen, strict=True):
        if last[0]:
            break
        cost = votes[0] * y * H[:, picks[0]] > 0
        paid += p @ cost / p.sum()
        costs += cost
    assert paid - costs.min() <= eta * n_rounds + np.log(9) / eta + 1e-9


@given(small_problems)
def test_the_lectures_number_of_rounds_classifies_all_examples(problem: Problem) -> None:
    # Labels that are the majority of five voters: their mean edge, and so the largest, is 1/5.
    H, y = problem[0], np.sign(problem[0].sum(axis=1))
    gamma = least_edge(H, y)
    assert gamma >= 1 / 10 - 1e-9
    n_rounds = int(4 * np.log(len(y)) / gamma**2) + 1
    grid = Grid.from_values({"eta": [experts_rate(n_rounds, len(y))], "n_rounds": [n_rounds]})
    weights = HedgeBoost().path(H, y, grid)[0]
    assert np.abs(weights).sum() <= n_rounds
    assert (y * (H @ weights) > 0).all()


def test_without_a_rate_it_is_the_lectures() -> None:
    H, y = make_problem()
    given = HedgeBoostClassifier((np.log(60) / 90) ** 0.5, n_rounds=90, voters="precomputed")
    found = HedgeBoostClassifier(n_rounds=90, voters="precomputed").fit(H, y)
    assert found.eta_ == pytest.approx(given.eta)
    np.testing.assert_array_equal(found.voter_weights_, given.fit(H, y).voter_weights_)
