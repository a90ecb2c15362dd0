"""Runs of the loop over some trajectories, by every algorithm that takes one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from quadrepro.core.learners.greedy.loop import GreedyAlgorithm, State, Step, Watcher, boost

from quadrepro.base.types import BoolArray, FloatArray, IntArray
from quadrepro.core.learners.adaboost import AdaBoost, WeightBoosting
from quadrepro.core.learners.adaboost_reg import AdaBoostReg
from quadrepro.core.learners.ebboost import EBBoost
from quadrepro.core.learners.hedge import HedgeBoost
from quadrepro.core.voters.drawn import RandomStumps, StumpCoding
from quadrepro.core.voters.reduction import VotingProblem

NONE = [float("nan")]


@dataclass(frozen=True)
class Examples:
    """A small problem with two samples, for voters of either kind.

    Attributes
    ----------
    signs, parts : ndarray of shape (n_examples, n_voters)
        Voters with values -1 and +1, and with values between them.
    X : ndarray of shape (n_examples, 3)
        Attributes.
    y : ndarray of shape (n_examples,)
        Labels.
    counts : ndarray of shape (2, n_examples)
        How often each sample contains each example.
    """

    signs: FloatArray
    parts: FloatArray
    X: FloatArray
    y: FloatArray
    counts: FloatArray

    def problem(self, real: bool) -> VotingProblem:
        H = self.parts if real else self.signs
        return VotingProblem(H, self.y, self.counts, np.arange(H.shape[1]), H.shape[1])


@dataclass(frozen=True)
class Run:
    """A way to run the loop over the given ones of its trajectories."""

    n_trajectories: int
    start: Callable[[Examples, IntArray, int, Sequence[Watcher[State]]], None]


def over_voters(algorithm: GreedyAlgorithm, values: list[float], real: bool = False) -> Run:
    """Return the run with one trajectory per sample and value."""

    def start(
        examples: Examples, rows: IntArray, n_rounds: int, watchers: Sequence[Watcher[State]]
    ) -> None:
        sample_of, which = np.divmod(rows, len(values))
        state = algorithm.state(examples.problem(real), sample_of)
        boost(algorithm.rule(np.array(values)[which]), state, n_rounds, watchers)

    return Run(2 * len(values), start)


def over_drawn_stumps(algorithm: WeightBoosting, values: list[float]) -> Run:
    """Return the run with one trajectory per value."""

    def start(
        examples: Examples, rows: IntArray, n_rounds: int, watchers: Sequence[Watcher[State]]
    ) -> None:
        codes = StumpCoding.fit(examples.X).transform(examples.X)
        source = RandomStumps(codes, examples.y, np.random.default_rng(1), per_round=5)
        state = algorithm.weights(source, np.ones((len(rows), len(examples.y))))
        boost(algorithm.rule(np.array(values)[rows]), state, n_rounds, watchers)

    return Run(len(values), start)


LAMBDAS, PRICES, RATES = [2.0, 0.3, 0.0], [30.0, 3.0, 0.0], [0.03, 0.2, 0.5]

RUNS = {
    "adaboost": over_voters(AdaBoost(), NONE),
    "adaboost_reg": over_voters(AdaBoostReg(), PRICES),
    "adaboost_reg, power 1": over_voters(AdaBoostReg(power=1), PRICES),
    "ebboost": over_voters(EBBoost(), LAMBDAS),
    "hedge": over_voters(HedgeBoost(), RATES),
    "adaboost, drawn": over_drawn_stumps(AdaBoost(), NONE * 3),
    "adaboost_reg, drawn": over_drawn_stumps(AdaBoostReg(), PRICES),
    "ebboost, drawn": over_drawn_stumps(EBBoost(), LAMBDAS),
    "hedge, drawn": over_drawn_stumps(HedgeBoost(), RATES),
}


class StopAt(Watcher[State]):
    """Ends each trajectory after a round of its own, and keeps what it sees of each of them.

    Attributes
    ----------
    seen : list of list of tuple
        Of each trajectory, every round and how it ended.
    state : State
        The state.
    """

    state: State

    def __init__(self, stops: IntArray) -> None:
        self.stops = stops
        self.seen: list[list[tuple[object, ...]]] = [[] for _ in stops]

    def after(self, t: int, live: IntArray, step: Step, state: State) -> BoolArray | None:
        assert step.last is None
        self.state = state
        shrink = np.zeros(len(live)) if step.shrink is None else step.shrink
        for r, *taken, votes in zip(
            live, step.picks, step.weights, shrink, state.weights, strict=True
        ):
            self.seen[r].append((t, *map(float, taken), votes.tobytes()))
        ended = t >= self.stops[live]
        return ended if ended.any() else None

    def retire(self, rows: IntArray, step: Step, votes: FloatArray) -> None:
        assert step.last is None
        for r, pick, weight, vote in zip(rows, step.picks, step.weights, votes, strict=True):
            self.seen[r].append(("retired", int(pick), float(weight), vote.tobytes()))

    def dismiss(self, rows: IntArray, votes: FloatArray) -> None:
        for r, vote in zip(rows, votes, strict=True):
            assert self.seen[r][-1][-1] == vote.tobytes()
            self.seen[r].append(("dismissed",))

    @property
    def going(self) -> IntArray:
        """The trajectories that nothing has ended."""
        return np.flatnonzero([isinstance(rounds[-1][0], int) for rounds in self.seen])
