"""The greedy loop, once, for every algorithm that adds one voter a round.

Many trajectories (samples x hyper-parameter values) advance side by side in the leading axis of
all arrays. A `State` knows what a round needs to know of the data, a `Rule` picks a voter and its
weight, a `Watcher` sees every round. Variants are rules; what is observed is a watcher; neither
is ever a branch in the loop.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import NamedTuple, Self

import numpy as np

from quadrepro._typing import BoolArray, FloatArray, IntArray


class Step(NamedTuple):
    """One round of every trajectory: F <- (1 - shrink) F + weight * pick.

    Attributes
    ----------
    picks : ndarray of shape (n_trajectories,)
        Index of the chosen voter.
    weights : ndarray of shape (n_trajectories,)
        Weight it is added with; negative for the voter's complement, 0 to stay as it was.
    last : ndarray of shape (n_trajectories,) or None
        True where nothing comes after this round; None where it is nobody's last, as it mostly is.
    shrink : ndarray of shape (n_trajectories,) or None
        Share of the vote so far that is taken away; None where nobody's is, as it mostly is.
    """

    picks: IntArray
    weights: FloatArray
    last: BoolArray | None
    shrink: FloatArray | None = None

    def keep(self, rows: BoolArray) -> Step:
        """Return the step of the trajectories in `rows`."""
        shrink = None if self.shrink is None else self.shrink[rows]
        return Step(self.picks[rows], self.weights[rows], None, shrink)


def some(last: BoolArray) -> BoolArray | None:
    """Return `last`, or None where it holds for no trajectory."""
    return last if np.count_nonzero(last) else None


class State(ABC):
    """What a round needs to know of the data, for every live trajectory.

    Attributes
    ----------
    weights : ndarray of shape (n_trajectories, n_voters)
        The vote so far; without columns where voters are drawn anew each round, and a watcher
        keeps the vote.
    round : int
        The round under way.
    """

    weights: FloatArray
    round: int

    def begin(self, t: int) -> None:
        """Make ready the candidates of round `t`, counted from 1."""
        self.round = t

    @abstractmethod
    def advance(self, step: Step) -> None:
        """Bring residuals or example weights up to date with a step already added to the vote."""

    @abstractmethod
    def keep(self, rows: BoolArray) -> None:
        """Drop every trajectory but those in `rows`."""


@dataclass(frozen=True)
class Rule(ABC):
    """A step rule; its array fields hold one hyper-parameter value a trajectory."""

    @abstractmethod
    def step(self, state: State) -> Step:
        """Pick a voter and its weight for every trajectory."""

    def keep(self, rows: BoolArray) -> Self:
        """Return the rule of the trajectories in `rows`."""
        arrays = {f.name: getattr(self, f.name) for f in fields(self)}
        return replace(self, **{k: v[rows] for k, v in arrays.items() if isinstance(v, np.ndarray)})


class Watcher(ABC):
    """Sees every round of the loop and changes nothing."""

    @abstractmethod
    def after(self, t: int, live: IntArray, step: Step, state: State) -> BoolArray | None:
        """See round `t` of the trajectories `live`; return those that need no further round."""

    @abstractmethod
    def retire(self, rows: IntArray, step: Step, votes: FloatArray) -> None:
        """See the last round and the final votes of the trajectories `rows`, and of these only."""


class Checkpoints(Watcher):
    """Keeps the vote after given numbers of rounds: one run serves every nested value of T.

    Parameters
    ----------
    rounds : sequence of int
        Numbers of rounds, increasing.
    n_trajectories, n_voters : int
        Shape of the votes.

    Attributes
    ----------
    path : ndarray of shape (n_trajectories, len(rounds), n_voters)
        The votes; a trajectory that stopped early keeps its last vote at all later checkpoints.
    """

    def __init__(self, rounds: Sequence[int], n_trajectories: int, n_voters: int) -> None:
        self.rounds = list(rounds)
        self.path = np.zeros((n_trajectories, len(self.rounds), n_voters))
        self._next = 0

    def after(self, t: int, live: IntArray, step: Step, state: State) -> None:
        """Keep the votes if `t` is a checkpoint."""
        if t == self.rounds[self._next]:
            self.path[live, self._next] = state.weights
            self._next = min(self._next + 1, len(self.rounds) - 1)

    def retire(self, rows: IntArray, step: Step, votes: FloatArray) -> None:
        """Keep the final votes for this and every later checkpoint."""
        self.path[rows, self._next :] = votes[:, None, :]


class Trace(Watcher):
    """Keeps each round's pick and weight of the first trajectory, for staged predictions."""

    def __init__(self) -> None:
        self.picks: list[int] = []
        self.weights: list[float] = []

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


def boost(rule: Rule, state: State, n_rounds: int, watchers: Sequence[Watcher] = ()) -> None:
    """Run the greedy loop until `n_rounds` or until every trajectory has had its last round.

    Parameters
    ----------
    rule : Rule
        Picks the voter and its weight.
    state : State
        Where the trajectories stand; changed in place.
    n_rounds : int
        Largest number of rounds.
    watchers : sequence of Watcher, optional
        Told of every round after the state has advanced.
    """
    n_voters = state.weights.shape[1]
    kept_here = n_voters > 0
    live = np.arange(state.weights.shape[0])
    offsets = live * n_voters
    for t in range(1, n_rounds + 1):
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
            live = live[going]
            if not live.size:
                return
            offsets = np.arange(live.size) * n_voters
            state.keep(going)
            rule, step = rule.keep(going), step.keep(going)
        state.advance(step)
        told = [watcher.after(t, live, step, state) for watcher in watchers]
        enough = [rows for rows in told if rows is not None]
        if enough:
            going = ~np.any(enough, axis=0)
            live = live[going]
            if not live.size:
                return
            offsets = np.arange(live.size) * n_voters
            state.keep(going)
            rule = rule.keep(going)
