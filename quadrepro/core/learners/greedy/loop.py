"""The greedy loop, and algorithms that run it."""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Generic, NamedTuple, Self, TypeVar

import numpy as np

from quadrepro.base.types import BoolArray, FloatArray, IntArray
from quadrepro.core.learners.grid import N_ROUNDS, Grid
from quadrepro.core.learners.learner import Algorithm
from quadrepro.core.voters.reduction import VotingProblem

TIE = 1e-9
"""Voters whose scores differ by at most this share tie, and the one of lowest index is picked."""


def first_of_largest(scores: FloatArray) -> IntArray:
    """Return the lowest index in each row whose score is the largest, up to `TIE`.

    Parameters
    ----------
    scores : ndarray of shape (n_trajectories, n_voters)
    """
    largest = np.maximum.reduce(scores, axis=1, keepdims=True)
    # Rounding may leave no score above zero.
    least = np.minimum(largest, largest * (1.0 - TIE))
    return np.asarray((scores >= least).argmax(axis=1))


class Step(NamedTuple):
    """One round of every trajectory: F <- (1 - shrink) F + weight * pick.

    Attributes
    ----------
    picks : ndarray of int, shape (n_trajectories,)
        Index of the chosen voter.
    weights : ndarray of shape (n_trajectories,)
        Weight of the added voter; negative for its complement, 0 to leave the vote as it is.
    last : ndarray of bool, shape (n_trajectories,), or None
        True if a trajectory ends with this round; None if none does (the common case).
    shrink : ndarray of shape (n_trajectories,) or None
        Share of the vote so far that is taken away; None if nothing is (the common case).
    """

    picks: IntArray
    weights: FloatArray
    last: BoolArray | None
    shrink: FloatArray | None = None

    def keep(self, rows: BoolArray) -> Step:
        """Return the step of the trajectories in `rows`."""
        shrink = None if self.shrink is None else self.shrink[rows]
        return Step(self.picks[rows], self.weights[rows], None, shrink)


class Leap(NamedTuple):
    """Several rounds of every trajectory, taken at once.

    Attributes
    ----------
    picks : ndarray of int, shape (n_trajectories, n_rounds)
        Index of the chosen voter in each round.
    weights : ndarray of shape (n_trajectories, n_rounds)
        Weight of the added voter.
    taken : ndarray of int, shape (n_trajectories,)
        Number of rounds that added a weight: less than n_rounds only if the trajectory ended.
    ended : ndarray of bool, shape (n_trajectories,)
        Whether the rule ended the trajectory.
    """

    picks: IntArray
    weights: FloatArray
    taken: IntArray
    ended: BoolArray

    @classmethod
    def over(cls, n_trajectories: int, n_rounds: int) -> Leap:
        """Return a leap of no rounds yet, with room for `n_rounds`."""
        shape = (n_trajectories, n_rounds)
        return cls(
            np.empty(shape, dtype=np.intp),
            np.empty(shape),
            np.zeros(n_trajectories, dtype=np.intp),
            np.zeros(n_trajectories, dtype=np.bool_),
        )


LONGEST_LEAP = 2**12
"""Largest number of rounds of a leap, whose picks and weights are in memory."""


def some(last: BoolArray) -> BoolArray | None:
    """Return `last`, or None if it is True for no trajectory."""
    return last if np.count_nonzero(last) else None


class State(ABC):
    """What a round needs to know about the data, for every live trajectory.

    Attributes
    ----------
    weights : ndarray of shape (n_trajectories, n_voters)
        The vote so far. It has no columns if voters are drawn in every round; then a watcher
        keeps the vote.
    round : int
        The current round, counted from 1.
    """

    weights: FloatArray
    round: int

    def begin(self, t: int) -> None:
        """Prepare the candidates of round `t`, counted from 1."""
        self.round = t

    @abstractmethod
    def advance(self, step: Step) -> None:
        """Update residuals or example weights after a step, which is already in the vote."""

    @abstractmethod
    def keep(self, rows: BoolArray) -> None:
        """Keep only the trajectories in `rows`."""


S_contra = TypeVar("S_contra", bound=State, contravariant=True)
S = TypeVar("S", bound=State)


@dataclass(frozen=True)
class Rule(ABC, Generic[S_contra]):
    """A step rule for one kind of state.

    Its array fields hold one hyper-parameter value per trajectory.
    """

    @abstractmethod
    def step(self, state: S_contra) -> Step:
        """Pick a voter and its weight for every trajectory."""

    def leap(self, state: S_contra, t: int, n_rounds: int) -> Leap | None:
        """Take the rounds from `t` on at once; return None if they have to be taken one by one."""
        return None

    def keep(self, rows: BoolArray) -> Self:
        """Return the rule of the trajectories in `rows`."""
        arrays = {f.name: getattr(self, f.name) for f in fields(self)}
        return replace(self, **{k: v[rows] for k, v in arrays.items() if isinstance(v, np.ndarray)})


class Watcher(ABC, Generic[S_contra]):
    """Sees the rounds of the loop and changes nothing."""

    def leap_until(self, t: int) -> int:
        """Return the last round of a leap from round `t` on; by default `t` - 1: there is none."""
        return t - 1

    def leapt(self, t: int, live: IntArray, leap: Leap, state: S_contra) -> None:  # few leap
        """See rounds up to `t` that were taken at once, before `dismiss` sees final votes."""

    @abstractmethod
    def after(self, t: int, live: IntArray, step: Step, state: S_contra) -> BoolArray | None:
        """See round `t` of the trajectories `live`; return which of them to end, None for none."""

    def retire(self, rows: IntArray, step: Step, votes: FloatArray) -> None:
        """See the last round and the final votes of trajectories that the rule ends.

        `after` does not see this round of theirs.
        """

    def dismiss(self, rows: IntArray, votes: FloatArray) -> None:  # few keep votes
        """See the final votes of trajectories that a watcher, or the rule in a leap, has ended."""


NEVER = sys.maxsize
"""A round that no run reaches."""


class Checkpoints(Watcher[State]):
    """Keeps the vote after given numbers of rounds, so that one run serves all values of T.

    Parameters
    ----------
    rounds : sequence of int
        Numbers of rounds, increasing.
    n_trajectories, n_voters : int
        Shape of the votes.

    Attributes
    ----------
    path : ndarray of shape (n_trajectories, len(rounds), n_voters)
        The votes; a trajectory that ended early keeps its last vote at all later checkpoints. NaN
        until a vote is kept.
    """

    def __init__(self, rounds: Sequence[int], n_trajectories: int, n_voters: int) -> None:
        self.path = np.full((n_trajectories, len(rounds), n_voters), np.nan)
        self._rounds = [*rounds, NEVER]
        self._next = 0

    def leap_until(self, t: int) -> int:
        """Return the next checkpoint."""
        return self._rounds[self._next]

    def leapt(self, t: int, live: IntArray, leap: Leap, state: State) -> None:
        """Keep the votes if `t` is a checkpoint."""
        self._keep(t, live, state)

    def after(self, t: int, live: IntArray, step: Step, state: State) -> None:
        """Keep the votes if `t` is a checkpoint."""
        self._keep(t, live, state)

    def retire(self, rows: IntArray, step: Step, votes: FloatArray) -> None:
        """Keep the final votes at this and every later checkpoint."""
        self.dismiss(rows, votes)

    def dismiss(self, rows: IntArray, votes: FloatArray) -> None:
        """Keep the final votes at every later checkpoint."""
        self.path[rows, self._next :] = votes[:, None, :]

    def _keep(self, t: int, live: IntArray, state: State) -> None:
        if t == self._rounds[self._next]:
            self.path[live, self._next] = state.weights
            self._next += 1


class Trace(Watcher[State]):
    """Keeps each round's pick and weight of the first trajectory, for staged predictions."""

    def __init__(self) -> None:
        self.picks: list[int] = []
        self.weights: list[float] = []

    def leap_until(self, t: int) -> int:
        """Return a round that never comes: the steps are enough."""
        return NEVER

    def leapt(self, t: int, live: IntArray, leap: Leap, state: State) -> None:
        """Keep the rounds if the first trajectory took them."""
        if live[0] == 0:
            taken = int(leap.taken[0])
            self.picks += leap.picks[0, :taken].tolist()
            self.weights += leap.weights[0, :taken].tolist()

    def after(self, t: int, live: IntArray, step: Step, state: State) -> None:
        """Keep the round if the first trajectory took it."""
        if live[0] == 0:
            self._keep(step)

    def retire(self, rows: IntArray, step: Step, votes: FloatArray) -> None:
        """Keep the last round unless it added nothing."""
        if rows[0] == 0 and step.weights[0] != 0:
            self._keep(step)

    def _keep(self, step: Step) -> None:
        self.picks.append(int(step.picks[0]))
        self.weights.append(float(step.weights[0]))


def boost(rule: Rule[S], state: S, n_rounds: int, watchers: Sequence[Watcher[S]] = ()) -> None:
    """Run the greedy loop for `n_rounds`, or until every trajectory has ended."""
    n_voters = state.weights.shape[1]
    kept_here = n_voters > 0
    live = np.arange(state.weights.shape[0])
    offsets = live * n_voters
    t = 1
    while t <= n_rounds:
        until = min([n_rounds, *(watcher.leap_until(t) for watcher in watchers)])
        leap = rule.leap(state, t, min(until + 1 - t, LONGEST_LEAP)) if until >= t else None
        if leap is not None:
            t += leap.picks.shape[1]
            for watcher in watchers:
                watcher.leapt(t - 1, live, leap, state)
            ended = leap.ended
        else:
            state.begin(t)
            step = rule.step(state)
            if kept_here:
                if step.shrink is not None:
                    state.weights *= 1.0 - step.shrink[:, None]
                state.weights.reshape(-1)[offsets + step.picks] += step.weights
            if step.last is not None:
                for watcher in watchers:
                    watcher.retire(live[step.last], step.keep(step.last), state.weights[step.last])
                going = ~step.last
                live, rule, step = live[going], rule.keep(going), step.keep(going)
                if not live.size:
                    return
                offsets = offsets[: live.size]
                state.keep(going)
            state.advance(step)
            told = [watcher.after(t, live, step, state) for watcher in watchers]
            enough = [rows for rows in told if rows is not None]
            t += 1
            if not enough:
                continue
            ended = np.any(enough, axis=0)
        if ended.any():
            for watcher in watchers:
                watcher.dismiss(live[ended], state.weights[ended])
            live, rule = live[~ended], rule.keep(~ended)
            if not live.size:
                return
            offsets = offsets[: live.size]
            state.keep(~ended)


@dataclass(frozen=True)
class GreedyAlgorithm(Algorithm, Generic[S]):
    """An algorithm that runs the greedy loop.

    It has at most one hyper-parameter other than the number of rounds. Its values are trajectories
    side by side. The numbers of rounds are nested, so one run serves all of them.
    """

    @abstractmethod
    def state(self, problem: VotingProblem, sample_of: IntArray) -> S:
        """Return the state of the empty vote.

        Parameters
        ----------
        problem : VotingProblem
            Voters, labels and samples.
        sample_of : ndarray of int, shape (n_trajectories,)
            The sample that each trajectory trains on.
        """

    @abstractmethod
    def rule(self, values: FloatArray) -> Rule[S]:
        """Return the step rule for one hyper-parameter value per trajectory."""

    @property
    def value_name(self) -> str:
        """Name of the hyper-parameter other than ``n_rounds``; empty if there is none."""
        return next((h.name for h in self.hyperparameters if h != N_ROUNDS), "")

    def values(self, grid: Grid) -> FloatArray:
        """Return the values of the other hyper-parameter; a single NaN if there is none."""
        return np.asarray(grid.axis(self.value_name) or (np.nan,), dtype=np.float64)

    def rounds(self, grid: Grid) -> list[int]:
        """Return the numbers of rounds after which the path is kept."""
        return [int(t) for t in grid.axis(N_ROUNDS.name) or ()]

    def run(
        self,
        problem: VotingProblem,
        values: FloatArray,
        n_rounds: int,
        watchers: Sequence[Watcher[S]],
    ) -> None:
        """Run the loop for every pair of a sample and a hyper-parameter value.

        Parameters
        ----------
        problem : VotingProblem
            Voters, labels and samples.
        values : ndarray of shape (n_values,)
            Values of the hyper-parameter other than ``n_rounds``; a single NaN if there is none.
        n_rounds : int
            Largest number of rounds.
        watchers : sequence of Watcher
            They see every round. Trajectories are numbered sample by sample.
        """
        sample_of = np.repeat(np.arange(problem.n_samples), len(values))
        rule = self.rule(np.tile(values, problem.n_samples))
        boost(rule, self.state(problem, sample_of), n_rounds, watchers)

    def _paths(self, problem: VotingProblem, grid: Grid) -> FloatArray:
        values, rounds = self.values(grid), self.rounds(grid)
        n_voters = problem.n_voters
        checkpoints = Checkpoints(rounds, problem.n_samples * len(values), n_voters)
        self.run(problem, values, rounds[-1], [checkpoints])
        shaped = checkpoints.path.reshape(problem.n_samples, len(values), len(rounds), n_voters)
        return grid.flatten(shaped, (self.value_name, N_ROUNDS.name))
