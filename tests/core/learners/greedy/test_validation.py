"""The validation error is that of the vote, and patience or a lag ends what does not improve."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from quadrepro.core.learners.greedy.loop import Rule, State, Step, boost, some

from quadrepro.base.types import BoolArray, FloatArray, IntArray
from quadrepro.core.learners.adaboost import ValidationWatcher
from quadrepro.core.learners.grid import Stopping
from quadrepro.core.voters.drawn import RandomStumps, StumpCoding


class Stumps(State):
    """Makes the rounds of a source begin, and knows no more."""

    def __init__(self, source: RandomStumps, n: int) -> None:
        self.source = source
        self.weights = np.zeros((n, 0))

    def begin(self, t: int) -> None:
        super().begin(t)
        self.source.begin(t)

    def advance(self, step: Step) -> None: ...

    def keep(self, rows: BoolArray) -> None:
        self.weights = self.weights[rows]


@dataclass(frozen=True)
class Script(Rule[Stumps]):
    """Takes the picks and the weights of a script, and ends with its last line."""

    row: IntArray
    script: list[list[tuple[int, float]]]

    def step(self, state: Stumps) -> Step:
        lines = [self.script[r] for r in self.row]
        picks, weights = np.array([line[state.round - 1] for line in lines]).T
        last = np.array([len(line) == state.round for line in lines])
        return Step(picks.astype(np.intp), weights, some(last))


Line = list[tuple[int, float]]
X = np.random.default_rng(1).normal(size=(7, 3))
Y = np.array([1.0, -1.0, 1.0, 1.0, -1.0, 1.0, -1.0])
CODES = StumpCoding.fit(X).transform(X)


def six_stumps(redraw: bool = True) -> RandomStumps:
    rng = np.random.default_rng(3)
    options = {"thresholds": "data", "polarity": "random", "redraw": redraw}
    # A threshold of an example itself: the stump is negative there.
    return RandomStumps(CODES, Y, rng, per_round=6, **options)


def validated(script: list[Line], stopping: Stopping) -> ValidationWatcher:
    source = six_stumps()
    found = ValidationWatcher(source, CODES, Y, len(script), stopping)
    boost(Script(np.arange(len(script)), script), Stumps(source, len(script)), 99, [found])
    return found


def by_hand(line: Line, stopping: Stopping) -> tuple[list[int], list[tuple[int, int, float]]]:
    """Return the errors of all rounds and the stumps of the vote."""
    source = six_stumps()
    sums, errors, vote = np.zeros(len(Y)), [], []
    for t, (pick, weight) in enumerate(line, 1):
        source.begin(t)
        attribute, cut = source.attributes[pick], source.cuts[pick]
        signed = weight * source.turns[pick]
        vote.append((attribute, cut, signed))
        sums += np.where(CODES[attribute] > cut, signed, -signed)
        errors.append(int(((sums > 0) != (Y > 0)).sum()))
        if stopping.lag is None:
            ends = t - errors.index(min(errors)) > stopping.patience
        else:
            ends = t > stopping.lag and errors[-1] >= errors[-1 - stopping.lag]
        if ends:
            break
    return errors, vote


lines = st.lists(
    st.tuples(st.integers(0, 5), st.sampled_from([-1.0, -0.5, 0.0, 0.25, 1.0])), min_size=1
)


@settings(max_examples=150)
@given(st.lists(lines, min_size=1, max_size=5), st.integers(1, 4), st.integers(0, 4))
def test_every_trajectory_is_what_it_is_by_hand_whatever_ends_it(
    script: list[Line], patience: int, lag: int
) -> None:
    stopping = Stopping(patience, lag or None)
    found = validated(script, stopping)
    for row, line in enumerate(script):
        errors, vote = by_hand(line, stopping)
        best = errors.index(min(errors)) + 1
        assert (found.best_round[row], found.best_errors[row]) == (best, min(errors))
        assert (found.last_round[row], found.last_errors[row]) == (len(errors), errors[-1])
        for n_rounds in (1, best, len(errors), 99):
            stumps = found.vote(row, n_rounds)
            ours = zip(stumps.attributes, stumps.cuts, stumps.weights, strict=True)
            assert list(ours) == vote[:n_rounds]


@pytest.mark.parametrize(("take", "column"), [("best", 0), ("last", 1)])
def test_the_taken_round_comes_with_its_own_errors(take: str, column: int) -> None:
    y = outputs_of_the_first()
    source = six_stumps(redraw=False)
    found = ValidationWatcher(source, CODES, y, 1, Stopping(2, take=take))
    line = [(0, 1.0), (0, -2.0), (0, -1.0), (0, -1.0)]
    boost(Script(np.arange(1), [line]), Stumps(source, 1), 99, [found])
    rounds, errors = found.taken
    assert (rounds.tolist(), errors.tolist()) == ([[1], [3]][column], [[0], [7]][column])


def outputs_of_the_first() -> FloatArray:
    source = six_stumps(redraw=False)
    source.begin(1)
    above = CODES[source.attributes[0]] > source.cuts[0]
    return np.where(above, 1.0, -1.0) * source.turns[0]


def validated_on(y: FloatArray, line: Line) -> ValidationWatcher:
    """Validate one trajectory that takes its picks from the same stumps in every round."""
    source = six_stumps(redraw=False)
    found = ValidationWatcher(source, CODES, y, 1, Stopping(9))
    boost(Script(np.arange(1), [line]), Stumps(source, 1), 99, [found])
    return found


def test_an_even_vote_is_negative() -> None:
    # 0.1 + 0.2 - 0.3 is 5.6e-17 in floating point: an even vote all the same.
    found = validated_on(np.full(7, -1.0), [(0, 0.1), (0, 0.2), (0, -0.3)])
    assert (found.best_errors.tolist(), found.best_round.tolist()) == ([0], [3])


def test_a_nearly_even_vote_is_not_even() -> None:
    y = outputs_of_the_first()
    found = validated_on(y, [(0, -0.25), (0, 0.25 + 1e-9)])
    assert (found.best_errors.tolist(), found.best_round.tolist()) == ([0], [2])
