"""Algorithms that change the weight of one voter in every round."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from itertools import product

import numpy as np

from quadrepro.base.types import FloatArray, IntArray
from quadrepro.core.jit import njit
from quadrepro.core.training.contract import Algorithm
from quadrepro.core.training.grid import N_ROUNDS, Grid
from quadrepro.core.voters.reduction import VotingProblem

Trace = tuple[IntArray, FloatArray]
"""Picked voters and changes of their weights, shape (n_rounds_taken,) each."""


@dataclass(frozen=True)
class BoostingAlgorithm(Algorithm):
    """An algorithm that runs for a number of rounds.

    It has at most one other hyper-parameter. One run for each value of this hyper-parameter gives
    the candidates for all numbers of rounds.
    """

    @abstractmethod
    def run(self, problem: VotingProblem, sample: int, value: float, n_rounds: int) -> Trace:
        """Run on one sample.

        Parameters
        ----------
        problem : VotingProblem
            Voters, labels and samples.
        sample : int
            The sample to train on.
        value : float
            Value of the hyper-parameter other than ``n_rounds``; NaN if there is none.
        n_rounds : int
            Largest number of rounds.
        """

    def values(self, grid: Grid) -> FloatArray:
        """Return the values of the other hyper-parameter, (n_values,); a NaN if there is none."""
        return np.asarray(grid.axis(self.value_name) or (np.nan,), dtype=np.float64)

    def limit(self, problem: VotingProblem) -> str:
        """Return in a sentence why a run to the optimum has no solution."""
        return f"after {MOST_ROUNDS:,} rounds, a step is still not small enough"

    def _paths(self, problem: VotingProblem, grid: Grid) -> FloatArray:
        values, n_samples = self.values(grid), len(problem.counts)
        rounds = [int(t) for t in grid.axis(N_ROUNDS.name) or (MOST_ROUNDS,)]
        paths = np.empty((n_samples, len(values), len(rounds), problem.n_voters))
        for sample, i in product(range(n_samples), range(len(values))):
            picks, changes = self.run(problem, sample, values[i], rounds[-1])
            for vote, t in zip(paths[sample, i], rounds, strict=True):
                vote[:] = np.bincount(picks[:t], changes[:t], problem.n_voters)
            if grid.axis(N_ROUNDS.name) is None and len(picks) == rounds[-1]:
                paths[sample, i] = np.nan
        return grid.flatten(paths, (self.value_name, N_ROUNDS.name))


MOST_ROUNDS = 20_000_000
"""Largest number of rounds of an algorithm that runs to its optimum."""

TIED_SHARE = 1e-9
"""Largest relative difference between scores that tie; the first voter is picked."""


def normalised(weights: FloatArray) -> FloatArray:
    """Divide votes, shape (..., n_voters), by their total weight; an empty vote stays empty."""
    # Added in order, so that voters without weight do not change the last bits of the sum.
    totals = np.cumsum(np.abs(weights), axis=-1)[..., -1:]
    return np.asarray(weights / np.where(totals > 0, totals, 1.0))


@njit
def first_of_largest(scores: FloatArray, tied_share: float = TIED_SHARE) -> int:
    """Return the first place of the largest of scores, (n,), or of a tie with it."""
    largest, first = scores.max(), 0
    least = min(largest, largest * (1.0 - tied_share))  # rounding may leave no score above zero
    while scores[first] < least:
        first += 1
    return first


@njit
def first_of_size(numbers: FloatArray, largest: float) -> int:
    """Return the first voter with the largest |number|, (n_voters,), up to `TIED_SHARE`."""
    least, first = largest * (1.0 - TIED_SHARE), len(numbers)
    for j in range(len(numbers)):  # without a break, for vector units
        first = min(first, j if abs(numbers[j]) >= least else len(numbers))
    return first


@njit
def empty_trace() -> tuple[list[int], list[float]]:
    """Return empty lists of picks and of changes, with types that numba can infer."""
    return [0 for _ in range(0)], [0.0 for _ in range(0)]


def in_range(weights: FloatArray) -> FloatArray:
    """Return weights, (n_examples,), times a power of two if sums or quotients might overflow."""
    exponent = int(np.frexp(weights.max())[1])
    return np.ldexp(weights, -exponent) if abs(exponent) > 64 else weights
