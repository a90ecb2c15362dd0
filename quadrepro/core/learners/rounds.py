"""Algorithms that change the weight of one voter in every round, and rounds on example weights.

A boosting algorithm on example weights (`WeightBoosting`) is a generator of rounds. It runs some
hyper-parameter values side by side, each of which has a row in all arrays, over the voters of a
matrix or over stumps that are drawn in every round. Sums of weights are sums of whole numbers, so
that picks do not depend on the BLAS, the processor, or the runs next to them.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice, product
from typing import NamedTuple

import numpy as np

from quadrepro.base.types import BoolArray, FloatArray, IntArray
from quadrepro.core.elementary import artanh
from quadrepro.core.jit import njit
from quadrepro.core.training.contract import Algorithm, DrawnProblem, StoppedRuns
from quadrepro.core.training.grid import N_ROUNDS, Grid
from quadrepro.core.voters.chains import Chains, Listing
from quadrepro.core.voters.drawn import Codes, StumpVote
from quadrepro.core.voters.reduction import VotingProblem
from quadrepro.core.voters.source import ZERO_VOTE, VoterSource

Trace = tuple[IntArray, FloatArray]
"""The picked voter of each round that was taken, and what the round adds to its weight."""


@dataclass(frozen=True)
class BoostingAlgorithm(Algorithm):
    """An algorithm that runs for a number of rounds.

    It has at most one hyper-parameter other than that number. Numbers of rounds are nested: one run
    for each value of the other hyper-parameter serves all of them.
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
        """Return the values of the other hyper-parameter; a single NaN if there is none."""
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
"""Rounds of an algorithm that a grid gives no number of rounds, since it runs to its optimum."""

UNITS = 2.0**48
"""The weights of a run add up to this. They are rounded to whole numbers to be summed, so that sums
are exact in any order."""

TIE = 2.0**10
"""Voters whose sums differ by at most this much tie, and the one of lowest index is picked.

Rounding changes a sum over m examples by up to m/2, so the tolerance is m if that is larger.
"""

TIED_SHARE = 1e-9
"""Scores of voters that differ by at most this share tie, and the first voter is picked."""

NO_EDGE = 1e-10
"""An edge of at most this counts as none: the weighted error is 1/2."""

LARGEST_STEP = 40.0
"""No round changes a weight by as much: artanh of the largest edge below 1 is 19."""

FLOOR = 2.0**-1000
"""An example weight that would fall below this stays as it is, so that it can grow again."""

MOST_COPIES = 2.0**24
"""Whole copies of examples are counted up to this sum, for which one copy has weight enough."""


class Round(NamedTuple):
    """One round of some runs.

    Attributes
    ----------
    picks : ndarray of int, shape (n_runs,)
        The picked voters.
    changes : ndarray of shape (n_runs,)
        What their weights change by; negative for the complement of a voter.
    last : ndarray of bool, shape (n_runs,)
        Which runs end with this round.
    """

    picks: IntArray
    changes: FloatArray
    last: BoolArray


@dataclass(frozen=True)
class WeightBoosting(BoostingAlgorithm):
    """A boosting algorithm on example weights, over any source of voters."""

    takes_drawn_stumps = True

    @abstractmethod
    def boost(self, voters: VoterSource, copies: FloatArray, values: FloatArray) -> Iterator[Round]:
        """Yield round after round of some runs, also of those that have ended.

        Parameters
        ----------
        voters : VoterSource
            The voters of each round.
        copies : ndarray of shape (n_runs, n_examples)
            How often the sample of each run contains each example. Copies count only in sums, so
            that merging equal examples changes no bit.
        values : ndarray of shape (n_runs,)
            Value of the hyper-parameter other than ``n_rounds``; NaN if there is none.
        """

    def hold_out(self, problem: DrawnProblem, grid: Grid) -> StoppedRuns:
        """Run all values side by side over the same drawn stumps, until validation errors end them.

        See `Algorithm.hold_out`. A vote of zero is negative, as in `positive_votes`.
        """
        values, voters, stopping = self.values(grid), problem.source(), problem.stopping
        n, positive = len(values), problem.y_valid > 0
        votes, totals, going = np.zeros((n, len(positive))), np.zeros(n), np.ones(n, dtype=np.bool_)
        best, ends = np.zeros((2, n), dtype=np.intp)
        least = np.full(n, len(positive) + 1)
        errors, stumps = [least], []
        rounds = self.boost(voters, np.ones((n, len(problem.y_train))), values)
        for t, (picks, changes, last) in enumerate(islice(rounds, stopping.max_rounds), 1):
            stumps.append(
                (voters.attributes[picks], voters.cuts[picks], changes * voters.turns[picks])
            )
            totals += np.abs(changes)
            errors.append(
                add_votes(problem.valid, positive, *stumps[-1], ZERO_VOTE * totals, votes)
            )
            ends[going] = t
            better = going & (errors[t] < least)
            least, best = np.where(better, errors[t], least), np.where(better, t, best)
            if stopping.lag is None:
                stale = t - best >= stopping.patience
            else:
                stale = errors[t] >= errors[max(0, t - stopping.lag)]
            going &= ~(last | stale)
            if not going.any():
                break
        taken = best if stopping.take == "best" else ends
        of_runs = [np.array(part) for part in zip(*stumps, strict=True)]
        return StoppedRuns(
            np.array(errors)[taken, np.arange(n)],
            [c | {N_ROUNDS.name: int(t)} for c, t in zip(grid.candidates, taken, strict=True)],
            lambda i: StumpVote(*(part[: taken[i], i] for part in of_runs)),
        )


@njit
def add_votes(
    codes: Codes,
    positive: BoolArray,
    attributes: IntArray,
    cuts: Codes,
    weights: FloatArray,
    zero: FloatArray,
    votes: FloatArray,
) -> IntArray:
    """Add a weighted stump to the votes of each run, and return how many examples are wrong then.

    Votes, shape (n_runs, n_examples), are positive above `zero`.
    """
    wrong = np.zeros(len(votes), np.intp)
    for run in range(len(votes)):
        row, vote = codes[attributes[run]], votes[run]
        for i in range(len(vote)):
            vote[i] += weights[run] if row[i] > cuts[run] else -weights[run]
            wrong[run] += (vote[i] > zero[run]) != positive[i]
    return wrong


def normalised(weights: FloatArray) -> FloatArray:
    """Divide votes, shape (..., n_voters), by their total weight; an empty vote stays empty."""
    # Added one by one, so that voters without weight do not change the last bits of the sum.
    totals = np.cumsum(np.abs(weights), axis=-1)[..., -1:]
    return np.asarray(weights / np.where(totals > 0, totals, 1.0))


@njit
def first_of_largest(scores: FloatArray) -> int:
    """Return the first voter with the largest score, up to a share of `TIED_SHARE`."""
    largest, first = scores.max(), 0
    least = min(largest, largest * (1.0 - TIED_SHARE))  # rounding may leave no score above zero
    while scores[first] < least:
        first += 1
    return first


@njit
def first_of_size(numbers: FloatArray, largest: float) -> int:
    """Return the first voter whose number has the largest size, up to a share of `TIED_SHARE`."""
    least, first = largest * (1.0 - TIED_SHARE), len(numbers)
    for j in range(len(numbers)):  # to the end: without a break, several are compared at a time
        first = min(first, j if abs(numbers[j]) >= least else len(numbers))
    return first


def rounding(copies: FloatArray) -> Callable[[FloatArray], FloatArray]:
    """Return what rounds the weight of all copies of each example, given that of one of them.

    Whole copies of a rounded weight are what as many equal examples would add up to.
    """
    whole = has_whole(copies)[:, None]
    if whole.all():
        return lambda weights: np.rint(weights) * copies
    return lambda weights: np.where(whole, np.rint(weights) * copies, np.rint(weights * copies))


def has_whole(copies: FloatArray) -> BoolArray:
    """Return which runs count copies one by one, not as fractions or very many of them."""
    whole = (copies == np.rint(copies)).all(axis=1)
    return np.asarray(whole & (copies.sum(axis=1) <= MOST_COPIES))


@njit
def signed_units(
    weights: FloatArray, copies: FloatArray, whole: bool, y: IntArray
) -> tuple[IntArray, int]:
    """Return the weights of all copies as whole numbers, with the signs of labels, and their total.

    They are rounded as by `rounding`; the shape is (n_examples,).
    """
    signed, total = np.empty(len(weights), np.int64), 0
    for i in range(len(weights)):
        exact = np.rint(weights[i]) * copies[i] if whole else np.rint(weights[i] * copies[i])
        signed[i] = y[i] * int(exact)
        total += int(exact)
    return signed, total


@njit
def reweight(
    weights: FloatArray, chains: Chains, pick: int, y: IntArray, right: float, wrong: float
) -> None:
    """Divide the weights of right and of wrong examples, in place, but not to below `FLOOR`."""
    chain = np.searchsorted(chains.first, pick, side="right") - 1
    codes, below = chains.codes[chain], pick - chains.first[chain]
    for i in range(len(weights)):
        moved = weights[i] / (right if (codes[i] > below) == (y[i] > 0) else wrong)
        weights[i] = moved if moved >= FLOOR else weights[i]


def start(problem: VotingProblem, sample: int) -> tuple[Listing, IntArray, FloatArray, bool]:
    """Return the voters, the labels, the copies of each example, and if these are whole."""
    copies = np.ascontiguousarray(problem.counts[sample])
    [whole] = has_whole(copies[None])
    return Listing.empty(problem.chains), problem.y.astype(np.int64), copies, bool(whole)


def equal_weights(copies: FloatArray) -> FloatArray:
    """Return the first weight of one copy of each example; 0 if the sample lacks the example."""
    return np.where(copies > 0, UNITS / copies.sum(axis=1, keepdims=True), 0.0)


def in_range(weights: FloatArray) -> FloatArray:
    """Return example weights, times a power of two if their sums or quotients might overflow."""
    exponent = int(np.frexp(weights.max())[1])
    return np.ldexp(weights, -exponent) if abs(exponent) > 64 else weights


@njit
def bounded(weights: FloatArray, moved: FloatArray) -> FloatArray:
    """Return the moved example weights; those that would fall below `FLOOR` stay as they are."""
    return np.where(moved < FLOOR, weights, moved)


def strongest(voters: VoterSource, units: FloatArray) -> tuple[IntArray, FloatArray]:
    """Return the voter of least weighted error among voters and complements, and its edge.

    The edge is 1 - 2ε for a voter of weighted error ε; negative if the complement is picked.

    Parameters
    ----------
    voters : VoterSource
        The voters of the round.
    units : ndarray of shape (n_runs, n_examples)
        Example weights as whole numbers.
    """
    sums = voters.sums(units)
    sizes = np.abs(sums) if voters.complements else sums
    tie = max(TIE, units.shape[1])
    picks = (sizes >= sizes.max(axis=1, keepdims=True) - tie).argmax(axis=1)
    edges = sums[np.arange(len(picks)), picks] / units.sum(axis=1)
    return picks, edges if voters.complements else np.maximum(edges, 0.0)


@njit
def strongest_of(sums: IntArray, total: int, n_examples: int) -> tuple[int, float]:
    """Return the voter of least weighted error of a run, and its edge; see `strongest`."""
    largest, pick = np.int64(0), 0
    for total_of_voter in sums:
        largest = max(largest, abs(total_of_voter))
    while abs(sums[pick]) < largest - max(TIE, n_examples):
        pick += 1
    return pick, sums[pick] / total


@njit
def step_of(tanh: float, t: int) -> float:
    """Return the weight α of round `t`, given tanh α, which is AdaBoost's edge.

    If it is 1 or -1, the voter has no error, and its weight outweighs all others. If it is at most
    `NO_EDGE`, the weight is 0.
    """
    if abs(tanh) >= 1.0:
        return math.copysign(LARGEST_STEP * t if t > 1 else 1.0, tanh)
    return artanh(tanh) if abs(tanh) > NO_EDGE else 0.0


def steps_of(tanhs: FloatArray, t: int, voters: VoterSource) -> tuple[FloatArray, BoolArray]:
    """Return the weights α of round `t`, given tanh α, and which runs end with it.

    A voter without error ends the run, and so does a weight of 0, unless the next round has other
    voters. In both cases `tanhs` is set to 0, which leaves the example weights as they are.
    """
    alphas = np.array([step_of(tanh, t) for tanh in tanhs.tolist()])
    decided, idle = np.abs(tanhs) >= 1.0, alphas == 0.0
    tanhs[decided | idle] = 0.0
    return alphas, decided | (idle & (not voters.redraws))
