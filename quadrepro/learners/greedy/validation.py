"""Early stopping over drawn stumps: the best round of each trajectory by validation error."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from quadrepro._typing import BoolArray, FloatArray, IntArray
from quadrepro.kernels import compiling
from quadrepro.learners.greedy.loop import State, Step, Watcher
from quadrepro.learners.stopping import Stopping
from quadrepro.voters.random_stumps import Codes, RandomStumps, StumpVote
from quadrepro.voters.source import ZERO_VOTE


@dataclass
class _Round:
    """The stumps that the live trajectories of a round picked."""

    live: IntArray
    attributes: IntArray
    cuts: Codes
    weights: FloatArray


@dataclass(eq=False)
class Validation(Watcher[State]):
    """Counts validation errors after each round, and ends a trajectory as its rule says.

    A vote of zero is negative, as in `quadrepro.learners.algorithm.positive_votes`.

    Parameters
    ----------
    source : RandomStumps
        The stumps of the current round.
    codes : ndarray of uint16, shape (n_attributes, n_validation)
        Validation examples, coded like the training examples of the source.
    y : ndarray of shape (n_validation,)
        Labels, -1 or +1.
    n_trajectories : int
        Number of trajectories.
    stopping : Stopping
        When a trajectory ends, and which of its rounds is taken.

    Attributes
    ----------
    best_errors, last_errors : ndarray of int, shape (n_trajectories,)
        Fewest validation errors so far, and those of the last round.
    best_round, last_round : ndarray of int, shape (n_trajectories,)
        The first round with the fewest errors, and the last round.
    """

    source: RandomStumps
    codes: Codes
    y: FloatArray
    n_trajectories: int
    stopping: Stopping

    def __post_init__(self) -> None:
        self.best_errors = np.full(self.n_trajectories, len(self.y) + 1)
        self.last_errors = self.best_errors.copy()
        self.best_round = np.zeros(self.n_trajectories, dtype=np.intp)
        self.last_round = np.zeros(self.n_trajectories, dtype=np.intp)
        self._rounds: list[_Round] = []
        self._sums = np.zeros((self.n_trajectories, len(self.y)))
        self._totals = np.zeros(self.n_trajectories)
        self._positive = self.y > 0
        # The errors of the last `lag` rounds, each in place of those `lag` rounds before.
        self._before = np.tile(self.best_errors, (self.stopping.lag or 0, 1))

    @property
    def taken(self) -> tuple[IntArray, IntArray]:
        """The round to take of each trajectory, and its errors."""
        if self.stopping.take == "last":
            return self.last_round, self.last_errors
        return self.best_round, self.best_errors

    def after(self, t: int, live: IntArray, step: Step, state: State) -> BoolArray | None:
        """Count the errors of round `t`; return the trajectories that end."""
        self._count(t, live, step)
        if self.stopping.lag is None:
            stale = t - self.best_round[live] >= self.stopping.patience
        else:
            before = self._before[t % self.stopping.lag]
            stale = self.last_errors[live] >= before[live]
            before[live] = self.last_errors[live]
        return stale if stale.any() else None

    def retire(self, rows: IntArray, step: Step, votes: FloatArray) -> None:
        """Count the errors of a last round."""
        self._count(int(self.last_round.max()) + 1, rows, step)

    def vote(self, trajectory: int, n_rounds: int) -> StumpVote:
        """Return the vote of a trajectory after a number of rounds.

        Parameters
        ----------
        trajectory : int
            Which trajectory.
        n_rounds : int
            Number of rounds; all of them if the trajectory ended earlier.
        """
        places = [(picked, np.flatnonzero(picked.live == trajectory)) for picked in self._rounds]
        taken = [(picked, at[0]) for picked, at in places if at.size][:n_rounds]
        return StumpVote(
            np.array([picked.attributes[i] for picked, i in taken], dtype=np.intp),
            np.array([picked.cuts[i] for picked, i in taken], dtype=np.uint16),
            np.array([picked.weights[i] for picked, i in taken], dtype=np.float64),
        )

    def _count(self, t: int, live: IntArray, step: Step) -> None:
        attributes = self.source.attributes[step.picks]
        cuts = self.source.cuts[step.picks]
        weights = step.weights * self.source.turns[step.picks]
        self._rounds.append(_Round(live, attributes, cuts, weights))
        errors = self._add(live, attributes, cuts, weights)
        self.last_round[live], self.last_errors[live] = t, errors
        better = errors < self.best_errors[live]
        if np.count_nonzero(better):
            rows = live[better]
            self.best_errors[rows], self.best_round[rows] = errors[better], t

    def _add(
        self, live: IntArray, attributes: IntArray, cuts: Codes, weights: FloatArray
    ) -> IntArray:
        """Add the stumps of a round to the votes, and return the errors of these."""
        sums, totals = self._sums, self._totals
        if compiling.enabled():
            from quadrepro.kernels import drawn_stumps

            errors, stumps = np.empty_like(live), (attributes, cuts, weights)
            drawn_stumps.count(
                self.codes, self._positive, *stumps, live, ZERO_VOTE, sums, totals, errors
            )
            return errors
        above = self.codes[attributes] > cuts[:, None]
        sums[live] += np.where(above, weights[:, None], -weights[:, None])
        totals[live] += np.abs(weights)
        positive = sums[live] > ZERO_VOTE * totals[live, None]
        return np.asarray((positive != self._positive).sum(axis=1))
