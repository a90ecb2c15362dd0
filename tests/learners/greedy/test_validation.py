"""The validation error is that of the vote, and patience ends what no longer improves."""

from __future__ import annotations

import numpy as np
import pytest

from quadrepro.learners.greedy.adaboost import AdaBoost
from quadrepro.learners.greedy.loop import Step, boost
from quadrepro.learners.greedy.validation import Validation
from quadrepro.voters.random_stumps import Coding, RandomStumps


def problem(seed: int, m: int = 60) -> tuple[Validation, RandomStumps]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(2 * m, 4))
    y = np.where(X[:, 0] * X[:, 1] + X[:, 2] + rng.normal(size=2 * m) > 0, 1.0, -1.0)
    coding = Coding.fit(X[:m])
    source = RandomStumps(coding.transform(X[:m]), y[:m], np.random.default_rng(seed), per_round=30)
    return Validation(source, coding.transform(X[m:]), y[m:], 1, patience=15), source


def run(validation: Validation, source: RandomStumps, n_rounds: int = 1000) -> None:
    state = AdaBoost().weights(source, np.ones((1, source.n_examples)))
    boost(AdaBoost().rule(np.array([np.nan])), state, n_rounds, [validation])


@pytest.mark.parametrize("seed", range(4))
def test_errors_are_those_of_the_vote_and_the_best_round_is_the_first_of_fewest(seed: int) -> None:
    validation, source = problem(seed)
    run(validation, source)
    last = int(validation.last_round[0])
    errors = []
    for t in range(1, last + 1):
        sums = validation.vote(0, t).sums(validation.codes)
        errors.append(int(((sums > 0) != (validation.y > 0)).sum()))
    assert validation.errors[0] == min(errors)
    assert validation.best_round[0] == 1 + errors.index(min(errors))
    assert last == validation.best_round[0] + 15


def test_trajectories_that_end_early_keep_their_best(monkeypatch: pytest.MonkeyPatch) -> None:
    validation, source = problem(0)
    two = Validation(source, validation.codes, validation.y, 2, patience=3)
    source.begin(1)
    best = np.array([0, 1])
    assert two.after(1, best, Step(np.array([0, 1]), np.ones(2), None), None) is None
    two.retire(np.array([1]), Step(np.array([1]), np.ones(1), None), np.zeros((1, 0)))
    assert two.last_round.tolist() == [1, 2]
    zero = Step(np.array([0]), np.zeros(1), None)
    ends = [two.after(t, np.array([0]), zero, None) for t in (2, 3, 4)]
    assert [end is not None and bool(end[0]) for end in ends] == [False, False, True]
    assert two.vote(1, 99).weights.tolist() == [1.0, 1.0]
    assert two.best_round[0] == 1


@pytest.mark.parametrize("seed", range(6))
def test_without_complements_only_a_stump_with_an_edge_is_taken(seed: int) -> None:
    X, y = np.linspace(0, 1, 40)[:, None], np.where(np.arange(40) < 20, 1.0, -1.0)
    codes = Coding.fit(X).transform(X)
    rng = np.random.default_rng(seed)
    source = RandomStumps(codes, y, rng, per_round=1, polarity="random")
    state = AdaBoost().weights(source, np.ones((1, 40)))
    state.begin(1)
    step = AdaBoost().rule(np.array([np.nan])).step(state)
    # Examples above a cut are mostly negative, so that only the complement has an edge.
    taken = step.last is None
    assert taken == (source.turns[0] < 0)
    assert (step.weights[0] > 0) == taken
