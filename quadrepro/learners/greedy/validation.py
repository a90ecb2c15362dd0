"""Watching the validation error: which round was best, and when none better is to be hoped for."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from quadrepro._typing import BoolArray, FloatArray, IntArray
from quadrepro.learners.greedy.loop import State, Step, Watcher
from quadrepro.voters.random_stumps import Codes, RandomStumps, StumpVote
from quadrepro.voters.source import ZERO_VOTE


@dataclass
class _Round:
    """What the trajectories that were live in a round picked."""

    live: IntArray
    attributes: IntArray
    cuts: Codes
    weights: FloatArray


@dataclass(eq=False)
class Validation(Watcher[State]):
    """Counts validation errors after each round, and ends a trajectory that no longer improves.

    A vote of zero is negative, as everywhere.

    Parameters
    ----------
    source : RandomStumps
        Names this round's stumps.
    codes : ndarray of uint16, shape (n_attributes, n_validation)
        Validation examples, coded as the source's are.
    y : ndarray of shape (n_validation,)
        Labels, -1 or +1.
    n_trajectories : int
    patience : int
        A trajectory ends where its fewest errors are as many rounds old.

    Attributes
    ----------
    errors : ndarray of int, shape (n_trajectories,)
        Fewest validation errors so far.
    best_round, last_round : ndarray of int, shape (n_trajectories,)
        The first round with as few errors, and the last one that was run.
    """

    source: RandomStumps
    codes: Codes
    y: FloatArray
    n_trajectories: int
    patience: int
    _rounds: list[_Round] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.errors = np.full(self.n_trajectories, len(self.y) + 1)
        self.best_round = np.zeros(self.n_trajectories, dtype=np.intp)
        self.last_round = np.zeros(self.n_trajectories, dtype=np.intp)
        self._live = np.arange(self.n_trajectories)
        self._sums = np.zeros((self.n_trajectories, len(self.y)))
        self._totals = np.zeros((self.n_trajectories, 1))
        self._positive = self.y > 0

    def after(self, t: int, live: IntArray, step: Step, state: State) -> BoolArray | None:
        """Count errors of round `t`; end what has not improved for as many rounds as allowed."""
        self._count(t, live, step)
        stale = t - self.best_round[live] >= self.patience
        return stale if stale.any() else None

    def retire(self, rows: IntArray, step: Step, votes: FloatArray) -> None:
        """Count errors of a last round that the rule ended itself."""
        self._count(int(self.last_round.max()) + 1, rows, step)

    def vote(self, trajectory: int, n_rounds: int) -> StumpVote:
        """Return the vote of a trajectory after a number of rounds."""
        attributes: list[int] = []
        cuts: list[int] = []
        weights: list[float] = []
        for picked in self._rounds:
            at = np.flatnonzero(picked.live == trajectory)
            if at.size and len(attributes) < n_rounds:
                attributes.append(picked.attributes[at[0]])
                cuts.append(picked.cuts[at[0]])
                weights.append(picked.weights[at[0]])
        return StumpVote(
            np.array(attributes, dtype=np.intp),
            np.array(cuts, dtype=np.uint16),
            np.array(weights, dtype=np.float64),
        )

    def _count(self, t: int, live: IntArray, step: Step) -> None:
        attributes = self.source.attributes[step.picks]
        cuts = self.source.cuts[step.picks]
        weights = step.weights * self.source.turns[step.picks]
        self._rounds.append(_Round(live, attributes, cuts, weights))
        above = self.codes[attributes] > cuts[:, None]
        self._sums[live] += np.where(above, weights[:, None], -weights[:, None])
        self._totals[live] += np.abs(weights)[:, None]
        positive = self._sums[live] > ZERO_VOTE * self._totals[live]
        errors = (positive != self._positive).sum(axis=1)
        better = errors < self.errors[live]
        self.errors[live[better]] = errors[better]
        self.best_round[live[better]] = t
        self.last_round[live] = t
