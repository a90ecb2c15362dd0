from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest

from quadrepro.base.types import FloatArray
from quadrepro.core.learners.adaboost import AdaBoost
from quadrepro.core.learners.ebboost import EBBoost
from quadrepro.core.learners.grid import Grid, Stopping, Value
from quadrepro.core.learners.learner import Algorithm, DrawnProblem
from quadrepro.core.voters.drawn import RandomStumps, StumpCoding, StumpVote


@pytest.fixture
def problem() -> DrawnProblem:
    """Return 80 + 80 noisy examples of a rule over three attributes."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(160, 3))
    y = np.where(X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size=160) > 0, 1.0, -1.0)
    coding = StumpCoding.fit(X[:80])
    train, valid = coding.transform(X[:80]), coding.transform(X[80:])

    def stumps() -> RandomStumps:
        return RandomStumps(train, y[:80], np.random.default_rng(9), per_round=40)

    return DrawnProblem(stumps, train, y[:80], valid, y[80:], Stopping(25, max_rounds=500))


@dataclass(frozen=True, eq=False)
class Searched:
    """The choice of a search, and the vote behind it."""

    candidate: dict[str, Value]
    errors: FloatArray
    vote: StumpVote


def search(algorithm: Algorithm, problem: DrawnProblem, grid: Grid) -> Searched:
    found = algorithm.hold_out(problem, grid)
    errors = np.asarray(found.errors, dtype=np.float64)
    best = int(errors.argmin())
    return Searched(found.candidates[best], errors, found.vote(best))


def errors_of(vote: StumpVote, problem: DrawnProblem) -> int:
    return int(((vote.sums(problem.valid) > 0) != (problem.y_valid > 0)).sum())


def test_every_value_sees_the_draws_that_adaboost_sees(
    problem: DrawnProblem,
) -> None:
    alone = search(AdaBoost(), problem, Grid.of({}))
    among = search(EBBoost(), problem, Grid.of({"lam": [1.0, 0.1, 0.0]}))
    assert among.errors[2] == alone.errors[0] == errors_of(alone.vote, problem)
    same = search(EBBoost(), problem, Grid.of({"lam": [0.0]}))
    np.testing.assert_array_equal(same.vote.attributes, alone.vote.attributes)
    np.testing.assert_array_equal(same.vote.cuts, alone.vote.cuts)
    np.testing.assert_allclose(same.vote.weights, alone.vote.weights, rtol=1e-12)
    assert same.candidate == {"lam": 0.0, **alone.candidate}


def test_the_candidate_of_fewest_validation_errors_is_chosen_and_the_first_of_equals(
    problem: DrawnProblem,
) -> None:
    values = [30.0, 3.0, 1.0, 0.3, 0.03]
    choice = search(EBBoost(), problem, Grid.of({"lam": values}))
    alone = [search(EBBoost(), problem, Grid.of({"lam": [v]})).errors[0] for v in values]
    np.testing.assert_array_equal(choice.errors, alone)
    assert choice.candidate["lam"] == values[int(np.argmin(alone))]
    assert errors_of(choice.vote, problem) == min(alone)


def test_the_last_round_can_be_taken_instead_of_the_best(problem: DrawnProblem) -> None:
    best = search(AdaBoost(), problem, Grid.of({}))
    to_the_end = replace(problem, stopping=replace(problem.stopping, take="last"))
    last = search(AdaBoost(), to_the_end, Grid.of({}))
    n_rounds = best.candidate["n_rounds"]
    assert last.candidate["n_rounds"] == n_rounds + problem.stopping.patience
    assert len(last.vote.weights) == n_rounds + problem.stopping.patience
    np.testing.assert_array_equal(last.vote.weights[:n_rounds], best.vote.weights)
