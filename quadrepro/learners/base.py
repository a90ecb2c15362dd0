"""What every algorithm gives: the weights of a whole grid from one call.

`Algorithm.path` is the contract on which the search stands. A new algorithm is a frozen dataclass
of its settings with the hyper-parameters it understands; it enters `registry.py` and nothing else.
What learns from attributes instead of voters is a `quadrepro.learners.predictor.Predictor`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self

import numpy as np

from quadrepro._typing import BoolArray, FloatArray, IntArray
from quadrepro.learners.greedy.loop import Checkpoints, Rule, State, Watcher, boost
from quadrepro.learners.grid import Grid, Value
from quadrepro.voters.reduction import VotingProblem, reduce_problem
from quadrepro.voters.source import ZERO_VOTE

Task = Literal["classification", "regression"]


@dataclass(frozen=True)
class Hyperparameter:
    """One axis an algorithm's grid may have.

    Attributes
    ----------
    name : str
        Name in configs and estimators.
    kind : {"integer", "number", "any"}
        What its values are; of any kind, they stand in any order.
    simple : {"small", "large"}
        Which end of the range gives the simpler vote: a grid starts there.
    meaning : str
        One line for a person.
    zero : bool, default False
        Whether 0 is a value it may have.
    optional : bool, default False
        Whether a grid may leave it out.
    """

    name: str
    kind: Literal["integer", "number", "any"]
    simple: Literal["small", "large"]
    meaning: str
    zero: bool = False
    optional: bool = False

    def fault(self, values: Sequence[Any]) -> str | None:
        """Return what is wrong with the values of a grid's axis, or None."""
        if self.kind == "any":
            return None
        for value in values:
            if isinstance(value, (str, bool, type(None))):
                return f"{self.name} takes numbers, not {value!r}"
            if not 0 <= value < float("inf") or (value == 0 and not self.zero):
                low = "at least 0" if self.zero else "positive"
                return f"{self.name} must be {low} and finite, not {value:g}"
            if self.kind == "integer" and value != int(value):
                return f"{self.name} takes whole numbers, not {value:g}"
        if len(set(values)) < len(values):
            return f"{self.name} lists a value twice"
        if list(values) != sorted(values, reverse=self.simple == "large"):
            order = "increase" if self.simple == "small" else "decrease"
            return (
                f"the values of {self.name} must {order}: ties go to the first, simplest candidate"
            )
        return None


N_ROUNDS = Hyperparameter("n_rounds", "integer", "small", "number of rounds T")


@dataclass(frozen=True)
class Learner(ABC):
    """What a config names: its settings are fixed, its hyper-parameters open.

    Attributes
    ----------
    version : int
        Raised whenever results change, so that no old record is taken for a new one.
    """

    version: ClassVar[int] = 1

    @property
    @abstractmethod
    def hyperparameters(self) -> tuple[Hyperparameter, ...]:
        """What a grid may name."""

    def for_task(self, task: Task) -> Self | None:
        """Return what does a task, or None if it cannot."""
        return self if task == "classification" else None

    def check(self, grid: Grid) -> None:
        """Raise ValueError if the grid does not name what the learner needs."""
        known = {h.name: h for h in self.hyperparameters}
        for name, values in grid.axes:
            if name not in known:
                raise ValueError(f"{type(self).__name__} has no hyper-parameter {name!r}")
            if fault := known[name].fault(values):
                raise ValueError(fault)
        needed = [h.name for h in known.values() if not h.optional]
        if missing := [name for name in needed if grid.axis(name) is None]:
            raise ValueError(f"{type(self).__name__} needs a value of {', '.join(missing)}")


@dataclass(frozen=True)
class Algorithm(Learner):
    """An algorithm that finds a vote over given voters.

    Attributes
    ----------
    hyperparameters : tuple of Hyperparameter
        What a grid may name.
    """

    hyperparameters: ClassVar[tuple[Hyperparameter, ...]]

    @property
    def merges_voters(self) -> bool:
        """Whether equal voters may be merged: not where each has a bounded share of its own."""
        return True

    def path(
        self, H: FloatArray, y: FloatArray, grid: Grid, samples: FloatArray | None = None
    ) -> FloatArray:
        """Return the weights of every candidate of a grid.

        Parameters
        ----------
        H : ndarray of shape (n_examples, n_voters)
            Voter matrix, values in [-1, 1].
        y : ndarray of shape (n_examples,)
            Labels, -1 or +1.
        grid : Grid
            Values of the hyper-parameters.
        samples : ndarray of shape (n_samples, n_examples), optional
            How often each sample (a fold's training part) holds each example.

        Returns
        -------
        ndarray of shape (n_candidates, n_voters), or (n_samples, n_candidates, n_voters)
            Signed voter weights, NaN where a candidate has no solution; the longer shape where
            `samples` is given.

        Raises
        ------
        ValueError
            If the problem or the grid is not one the algorithm can take.
        """
        self.check(grid)
        problem = reduce_problem(H, y, samples, merge_voters=self.merges_voters)
        weights = problem.expand(self._paths(problem, grid))
        return weights[0] if samples is None else weights

    def limit(self, problem: VotingProblem) -> str:
        """Return a sentence on which candidates have a solution; empty where all have one."""
        return ""

    @abstractmethod
    def _paths(self, problem: VotingProblem, grid: Grid) -> FloatArray:
        """Return weights of shape (n_samples, n_candidates, n_voters) on the reduced problem."""

    @abstractmethod
    def seconds(self, n_examples: int, n_voters: int, n_samples: int, grid: Grid) -> float:
        """Return a rough estimate of the time `path` takes on one core."""


@dataclass(frozen=True)
class GreedyAlgorithm(Algorithm):
    """An algorithm whose path the greedy loop walks.

    The number of rounds is nested, so it costs one run; the other hyper-parameter, if any,
    multiplies the trajectories.
    """

    value_name: ClassVar[str] = ""
    """Name of the hyper-parameter other than ``n_rounds``; empty where there is none."""

    @abstractmethod
    def state(self, problem: VotingProblem, sample_of: IntArray) -> State:
        """Return the start of one trajectory for each entry of `sample_of`."""

    @abstractmethod
    def rule(self, values: FloatArray) -> Rule:
        """Return the step rule for one hyper-parameter value a trajectory."""

    def rounds(self, grid: Grid) -> list[int]:
        """Return the numbers of rounds at which the path is kept."""
        return [int(t) for t in grid.axis("n_rounds") or ()]

    def run(
        self,
        problem: VotingProblem,
        values: FloatArray,
        n_rounds: int,
        watchers: Sequence[Watcher],
    ) -> None:
        """Run the loop for every pair of a sample and a hyper-parameter value."""
        sample_of = np.repeat(np.arange(problem.n_samples), len(values))
        rule = self.rule(np.tile(values, problem.n_samples))
        boost(rule, self.state(problem, sample_of), n_rounds, watchers)

    def _paths(self, problem: VotingProblem, grid: Grid) -> FloatArray:
        values = np.asarray(grid.axis(self.value_name) or (np.nan,), dtype=np.float64)
        rounds = self.rounds(grid)
        n_voters = problem.H.shape[1]
        checkpoints = Checkpoints(rounds, problem.n_samples * len(values), n_voters)
        self.run(problem, values, rounds[-1], [checkpoints])
        shaped = checkpoints.path.reshape(problem.n_samples, len(values), len(rounds), n_voters)
        return grid.flatten(shaped, (self.value_name, "n_rounds"))


def positive_votes(H: FloatArray, weights: FloatArray) -> BoolArray:
    """Return which examples each vote calls positive: those with a sum above zero.

    A zero sum is negative (QuadBoost, section 2). Sums within `ZERO_VOTE` of zero are zero, so
    that an even vote does not turn on the rounding of a matrix product.

    Parameters
    ----------
    H : ndarray of shape (n_examples, n_voters)
        Voter matrix.
    weights : ndarray of shape (n_candidates, n_voters)
        One row a vote.

    Returns
    -------
    ndarray of bool of shape (n_examples, n_candidates)
        True for +1.
    """
    return np.asarray(ZERO_VOTE * np.abs(weights).sum(axis=1) < H @ weights.T)


def rounded_log_values(low: float, high: float, points: int, *, integer: bool) -> list[Value]:
    """Return `points` values evenly spaced on a logarithmic scale, ends exact.

    Raises
    ------
    ValueError
        If an end is not positive or there are fewer than one point.
    """
    if low <= 0 or high <= 0:
        raise ValueError("a logarithmic scale needs positive ends")
    if points < 1:
        raise ValueError("a scale needs at least one point")
    values: Iterable[float] = np.geomspace(low, high, points)
    if integer:
        return list(dict.fromkeys(round(v) for v in values))
    return [float(v) for v in values]
