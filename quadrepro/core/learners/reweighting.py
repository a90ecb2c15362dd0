"""Boosting by example weights, the base of AdaBoost, EBBoost, AdaBoost_REG and Hedge.

A round sums the example weights for every voter, chooses a voter and its weight, and reweights the
examples. An algorithm is a compiled function `choose`. `boosting_loop` makes it a loop over fixed
voters, and `WeightBoosting.hold_out` calls it for stumps that are drawn in every round. Weights are
summed as whole numbers, so that picks do not depend on the BLAS or the processor.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from quadrepro.base.types import BoolArray, FloatArray, IntArray
from quadrepro.core.elementary import artanh
from quadrepro.core.jit import inlined, njit
from quadrepro.core.learners.rounds import BoostingAlgorithm, Trace, empty_trace
from quadrepro.core.training.contract import DrawnProblem, StoppedRuns
from quadrepro.core.training.grid import N_ROUNDS, Grid
from quadrepro.core.voters.coded import ZERO_VOTE
from quadrepro.core.voters.drawn import RandomStumps, StumpCodes, StumpVote
from quadrepro.core.voters.reduction import VotingProblem
from quadrepro.core.voters.running_sums import (
    MOST_GROWTH,
    Places,
    RunningSums,
    chain_of,
    is_long,
    list_again,
    write_sums,
    write_sums_by_code,
)

UNITS = 2.0**48
"""Sum of the weights of a run. Weights are rounded to whole numbers before they are summed, so that
sums are exact in any order."""

ROUNDER = 1.5 * 2.0**52
"""Adding it rounds a number of at most 2^51 to a whole one, since its neighbours are whole."""

ROUNDER_BITS = 0x4338000000000000
"""The bits of `ROUNDER` as a whole number."""

TIE = 2.0**10
"""Largest difference between sums of voters that tie; the voter of lowest index is picked.

Rounding changes a sum over m examples by up to m/2, so the tolerance is m if that is larger.
"""

NO_EDGE = 1e-10
"""Largest edge that counts as zero: the weighted error is 1/2."""

LARGEST_STEP = 40.0
"""Bound on |α|, as artanh of the largest edge below 1 is 19; see `step_of` for larger ones."""

FLOOR = 2.0**-1000
"""Least example weight; a weight that would fall below stays, so that it can grow again."""

FEW = 2
"""Examples with weights are added up one by one if they are less than 1 in `FEW` of all."""

MOST_COPIES = 2.0**24
"""Largest number of copies that are counted one by one, so that a copy still weighs many units."""


class WeightedExamples(NamedTuple):
    """Weighted training examples of a run.

    Attributes
    ----------
    weights : ndarray of shape (n_examples,)
        Weight of one copy of each example, which rounds change in place; 0 if the sample lacks it.
    signs : ndarray of shape (n_examples,)
        Label, -1 or +1, times the number of copies in the sample.
    whole : bool
        Whether copies are counted one by one: not if counts are fractions or very large.
    """

    weights: FloatArray
    signs: FloatArray
    whole: bool

    @classmethod
    def equal(cls, y: FloatArray, copies: FloatArray) -> WeightedExamples:
        """Return examples with equal weights, given labels and numbers of copies, (n_examples,)."""
        weights = np.where(copies > 0, UNITS / copies.sum(), 0.0)
        is_whole = (copies == np.rint(copies)).all() and copies.sum() <= MOST_COPIES
        return cls(weights, y * copies, bool(is_whole))


def start(problem: VotingProblem, sample: int) -> tuple[RunningSums, WeightedExamples]:
    """Return the voters of a problem, and the examples of a sample with equal weights."""
    return RunningSums.over(problem.chains), WeightedExamples.equal(
        problem.y, problem.counts[sample]
    )


@njit
def write_units(
    weights: FloatArray, signs: FloatArray, whole: bool, units: IntArray
) -> tuple[int, int]:
    """Write example weights as whole numbers, times labels; return the sums of sizes and of signed.

    If copies are whole, the weight of one copy is rounded, so that merged examples have the sum of
    the separate ones. All shapes are (n_examples,); see `WeightedExamples`.
    """
    # Adding `ROUNDER` rounds a number, and the difference of their bits is the whole number. Most
    # processors have no other conversion of several numbers at once.
    rounded = units.view(np.float64)
    if whole:
        for i in range(len(units)):
            rounded[i] = np.rint(weights[i]) * signs[i] + ROUNDER
    else:
        for i in range(len(units)):
            rounded[i] = weights[i] * signs[i] + ROUNDER
    size, total = 0, 0
    for i in range(len(units)):
        units[i] -= ROUNDER_BITS
        size += abs(units[i])
        total += units[i]
    return size, total


@njit
def write_units_awake(
    weights: FloatArray, signs: FloatArray, whole: bool, awake: Places, units: IntArray
) -> tuple[int, int]:
    """Do the same as `write_units` for some examples; the units of all others are 0 already."""
    size, total = 0, 0
    for i in awake:
        unit = np.rint(weights[i]) * signs[i] if whole else np.rint(weights[i] * signs[i])
        units[i] = np.int64(unit)
        size += abs(units[i])
        total += units[i]
    return size, total


@njit
def squared(weights: FloatArray) -> FloatArray:
    """Return the squares of weights, in a unit above the largest weight, shape (n_examples,).

    Hence their sum is at most the sum of the weights.
    """
    return weights * weights / unit_of_squares(weights)


@njit
def unit_of_squares(weights: FloatArray) -> float:
    """Return the power of two above the largest weight of (n_examples,)."""
    return math.ldexp(1.0, math.frexp(weights.max())[1])


class VoterSums(NamedTuple):
    """The sums from which a round chooses its voter.

    Attributes
    ----------
    by_voter : ndarray of int, shape (n_powers, n_voters)
        Σ w y h of every voter h; with two powers, also Σ w² y h.
    totals : ndarray of int, shape (n_powers,)
        Sums of w, and of w².
    examples : WeightedExamples
        The examples.
    complements : bool
        Whether the complement of a voter may be picked too.
    """

    by_voter: IntArray
    totals: IntArray
    examples: WeightedExamples
    complements: bool


@inlined
def strongest(voter_sums: VoterSums) -> tuple[int, float]:
    """Return the voter, or complement if allowed, of least weighted error ε, and its edge.

    The edge of a voter is 1 - 2ε; it is negative if the complement is picked.
    """
    # Unpacked once, as in `RunningSums`.
    by_voter, totals, (weights, _, _), complements = voter_sums
    lowest = np.int64(-(2**62)) if complements else np.int64(0)
    largest, pick = np.int64(0), 0
    for signed_sum in by_voter[0]:
        largest = max(largest, abs(max(signed_sum, lowest)))
    floor = largest - max(int(TIE), len(weights))
    while abs(max(by_voter[0, pick], lowest)) < floor:
        pick += 1
    return pick, max(by_voter[0, pick], lowest) / totals[0]


@njit
def step_of(tanh: float, t: int) -> float:
    """Return the weight α of round `t`, given tanh α, which is AdaBoost's edge.

    If tanh α is 1 or -1, the voter has no error, and its weight outweighs all others. If it is at
    most `NO_EDGE`, the weight is 0.
    """
    if abs(tanh) >= 1.0:
        return math.copysign(LARGEST_STEP * t if t > 1 else 1.0, tanh)
    return artanh(tanh) if abs(tanh) > NO_EDGE else 0.0


@njit
def divide_weights(
    weights: FloatArray, signs: FloatArray, codes: StumpCodes, cut: int, right: float, wrong: float
) -> None:
    """Divide the weights of right and of wrong examples; none that would fall below `FLOOR`.

    The picked voter is +1 for the examples with a code above `cut`. All shapes are (n_examples,).
    """
    last = np.uint32(cut)  # more numbers of 32 bits are compared at once
    for i in range(len(weights)):
        moved = weights[i] / (right if (codes[i] > last) == (signs[i] > 0) else wrong)
        weights[i] = moved if moved >= FLOOR else weights[i]


Choose = Callable[..., tuple[int, float, float, float]]
"""A compiled function that chooses the voter of a round and its weight.

Parameters
----------
sums : VoterSums
    The sums of the round.
value : float
    The hyper-parameter other than the number of rounds.
t : int
    Number of the round, from 1.

Returns
-------
pick : int
    The voter.
change : float
    Change of its weight; negative for its complement, and 0 if it has no edge, which ends the run.
right, wrong : float
    Divisors of the weights of the examples that voter `pick`, not its complement, classifies right,
    and wrong. A divisor of 0 ends the run, as the voter or its complement has no error.
"""


def boosting_loop(choose: Choose, n_powers: int = 1) -> Callable[..., Trace]:
    """Return the loop of an algorithm over fixed voters, compiled for its `choose`.

    The first number of `state` is the largest growth of a weight since the list was made.
    """

    @njit
    def take_rounds(
        voters: RunningSums, examples: WeightedExamples, value: float, n_rounds: int
    ) -> Trace:
        weights, signs, whole = examples
        chains, usual, listed, spans, running, awake, state = voters
        codes, first = chains.codes, chains.first
        units = np.empty((n_powers, len(weights)), np.int64)
        by_voter, totals = np.empty((n_powers, first[-1]), np.int64), np.empty(n_powers, np.int64)
        sums, (picks, changes) = VoterSums(by_voter, totals, examples, True), empty_trace()
        for t in range(1, n_rounds + 1):
            if state[0] > MOST_GROWTH:
                list_again(voters, weights, signs)
                units[:] = 0  # one step can put a heavy example to sleep
            n_listed, n_awake = int(state[1]), int(state[2])
            for row in range(n_powers):
                powers, own, result = weights, units[row], by_voter[row]
                if row > 0:
                    powers = squared(weights)
                if FEW * n_awake < len(weights):
                    size, signed = write_units_awake(powers, signs, whole, awake[:n_awake], own)
                else:
                    size, signed = write_units(powers, signs, whole, own)
                totals[row] = size
                if is_long(n_listed, codes):
                    write_sums_by_code(own, signed, codes, first, result)
                else:
                    write_sums(own, signed, usual, listed, n_listed, spans, running, result)
            pick, change, right, wrong = choose(sums, value, t)
            if change == 0.0:
                break
            picks.append(pick)
            changes.append(change)
            if min(right, wrong) <= 0.0:
                break
            chain, below = chain_of(codes, first, pick)
            divide_weights(weights, signs, chain, below, right, wrong)
            state[0] /= min(right, wrong)
        return np.array(picks, np.intp), np.array(changes)

    return take_rounds


@njit
def margins_of(codes: StumpCodes, below: int, signs: FloatArray) -> FloatArray:
    """Return y h(x) of every example, -1 or +1, shape (n_examples,)."""
    margins = np.empty(len(signs))
    for i in range(len(signs)):
        margins[i] = 1.0 if (codes[i] > below) == (signs[i] > 0) else -1.0
    return margins


class HeldOutVote:
    """The vote of a run on held-out examples, whose errors end it (see `Holdout`).

    A vote of zero is negative, as in `positive_votes`.
    """

    def __init__(self, problem: DrawnProblem) -> None:
        self._problem, self._positive = problem, problem.y_valid > 0
        self._votes, self._total = np.zeros(len(problem.y_valid)), 0.0
        self._stumps: list[tuple[int, int, float]] = []
        self._errors, self._best = [len(problem.y_valid) + 1], 0
        self.has_ended = False

    def add(self, attribute: int, cut: int, weight: float, is_last: bool) -> None:
        """Add a stump to the vote."""
        stopping, t = self._problem.stopping, len(self._errors)
        self._stumps.append((attribute, cut, weight))
        self._total += abs(weight)
        codes, zero = self._problem.valid[attribute], ZERO_VOTE * self._total
        self._errors.append(add_vote(codes, cut, weight, zero, self._positive, self._votes))
        if self._errors[t] < self._errors[self._best]:
            self._best = t
        if stopping.lag is None:
            is_stale = t - self._best >= stopping.patience
        else:
            is_stale = self._errors[t] >= self._errors[max(0, t - stopping.lag)]
        self.has_ended = is_last or is_stale or t == stopping.max_rounds

    def taken(self) -> tuple[int, int, StumpVote]:
        """Return the chosen number of rounds, its errors, and the vote."""
        t = self._best if self._problem.stopping.take == "best" else len(self._stumps)
        attributes, cuts, weights = (np.array(part) for part in zip(*self._stumps, strict=True))
        vote = StumpVote(attributes[:t], cuts[:t].astype(np.uint16), weights[:t])
        return t, self._errors[t], vote


@njit
def add_vote(
    codes: StumpCodes, cut: int, weight: float, zero: float, positive: BoolArray, votes: FloatArray
) -> int:
    """Add a weighted stump to the votes of examples, and return the new number of errors.

    Votes are positive above `zero`; codes, labels and votes have shape (n_examples,).
    """
    n_wrong = 0
    for i in range(len(votes)):
        votes[i] += weight if codes[i] > cut else -weight
        n_wrong += (votes[i] > zero) != positive[i]
    return n_wrong


class DrawnRun(NamedTuple):
    """A run over drawn stumps: examples, hyper-parameter, and further state of the algorithm."""

    examples: WeightedExamples
    value: float
    state: Any = None


@dataclass(frozen=True)
class WeightBoosting(BoostingAlgorithm):
    """A boosting algorithm on example weights, over fixed voters or drawn stumps."""

    takes_drawn_stumps = True

    n_powers: ClassVar[int] = 1
    """1 to sum the weights of a round, 2 to sum their squares too."""
    choose: ClassVar[Choose]
    """Chooses the voter of a round, see `Choose`."""
    take_rounds: ClassVar[Callable[..., Trace]]
    """The loop over fixed voters, see `boosting_loop`."""

    def run(self, problem: VotingProblem, sample: int, value: float, n_rounds: int) -> Trace:
        """Run on one sample, see `BoostingAlgorithm.run`."""
        return self.take_rounds(*start(problem, sample), float(value), n_rounds)

    def begin(self, examples: WeightedExamples, value: float) -> DrawnRun:
        """Return a run over drawn stumps before its first round."""
        return DrawnRun(examples, value)

    def write_powers(self, run: DrawnRun, units: IntArray) -> list[int]:
        """Write the weights to sum, (n_powers, n_examples), as `write_units`; return their sums."""
        weights, signs, whole = run.examples
        powers = (weights, squared(weights))[: self.n_powers]
        return [write_units(w, signs, whole, own)[0] for w, own in zip(powers, units, strict=True)]

    def take_round(
        self, run: DrawnRun, t: int, sums: VoterSums, stumps: RandomStumps
    ) -> tuple[int, float, bool]:
        """Take round `t` over drawn stumps, see `Choose`.

        Returns the picked stump, the change of its weight, and whether the run ends.
        """
        examples, value, _ = run
        pick, change, *divisors = self.choose(sums, value, t)
        if change == 0.0:
            return pick, 0.0, not stumps.redraws
        if min(divisors) <= 0.0:
            return pick, change, True
        right, wrong = divisors if stumps.turns[pick] > 0 else divisors[::-1]
        codes, cut = stumps.codes[stumps.attributes[pick]], stumps.cuts[pick]
        divide_weights(examples.weights, examples.signs, codes, cut, right, wrong)
        return pick, change, False

    def hold_out(self, problem: DrawnProblem, grid: Grid) -> StoppedRuns:
        """Run all values over the same drawn stumps, until held-out errors end them.

        See `Algorithm.hold_out`.
        """
        stumps, y, t = problem.source(), problem.y_train, 0
        runs = [
            (self.begin(WeightedExamples.equal(y, np.ones(len(y))), value), HeldOutVote(problem))
            for value in self.values(grid)
        ]
        while going := [(run, vote) for run, vote in runs if not vote.has_ended]:
            t += 1
            stumps.begin(t)
            units = np.empty((len(going), self.n_powers, len(y)), np.int64)
            totals = [self.write_powers(run, u) for (run, _), u in zip(going, units, strict=True)]
            sums = stumps.sums(units.reshape(-1, len(y))).reshape(*units.shape[:2], -1)
            for (run, vote), own, total in zip(going, sums, np.array(totals), strict=True):
                voter_sums = VoterSums(own, total, run.examples, stumps.complements)
                pick, change, is_last = self.take_round(run, t, voter_sums, stumps)
                weight = change * stumps.turns[pick]
                vote.add(stumps.attributes[pick], stumps.cuts[pick], weight, is_last)
        rounds, errors, taken = zip(*(vote.taken() for _, vote in runs), strict=True)
        candidates = [c | {N_ROUNDS.name: t} for c, t in zip(grid.candidates, rounds, strict=True)]
        return StoppedRuns(np.array(errors), candidates, lambda i: taken[i])
