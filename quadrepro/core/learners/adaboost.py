"""AdaBoost (Freund and Schapire 1997; lecture, section 4).

A round picks the voter h, or its complement, of least weighted error ε under the example weights w.
Its edge is r = Σ w y h / Σ w = 1 - 2ε, and its weight is

    α = ½ ln((1-ε)/ε) = artanh r.

Each weight is multiplied by exp(-α y h) / (2 sqrt(ε(1-ε))), which is 1 / (1 + r y h). A voter
without error ends the run, with a weight that outweighs all others. An edge of at most `NO_EDGE`
adds no weight, and ends the run unless the next round has other voters.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count

import numpy as np

from quadrepro.base.types import FloatArray, IntArray
from quadrepro.core.jit import njit
from quadrepro.core.learners.grid import N_ROUNDS
from quadrepro.core.learners.learner import Entry
from quadrepro.core.learners.rounds import (
    FLOOR,
    NO_EDGE,
    TIE,
    Round,
    WeightBoosting,
    bounded,
    equal_weights,
    has_whole,
    rounding,
    step_of,
    steps_of,
    strongest,
)
from quadrepro.core.voters.chains import Chains, codes_of_voters
from quadrepro.core.voters.reduction import VotingProblem
from quadrepro.core.voters.source import VoterSource, check_signs

ASLEEP = 2.0**-16
"""Examples of less weight are left out until they may have grown by the factor 2^14."""


@njit
def take_rounds(
    chains: Chains,
    signs: IntArray,
    weights: FloatArray,
    rounds: IntArray,
    picks: IntArray,
    changes: FloatArray,
) -> tuple[FloatArray, int]:
    """Return the votes of a run after given numbers of rounds, and the number of rounds taken.

    The signed sum of each voter comes from running sums over a list. In every chain most examples
    have the usual code, and a voter has its usual value on all examples but some: those that leave
    the usual code between the voter and the end of the chain (see `Chains`). Listed by chain, from
    both ends to the middle, they stand next to each other. So the sum of a voter is that of its
    usual value, less twice a difference of two running sums. Examples whose weights round to 0 are
    not listed. The list is made again before such a weight can have grown to 1/2: a round
    multiplies it by at most 1 / (1 - |r|).

    Parameters
    ----------
    chains : Chains
        The voters.
    signs : ndarray of int, shape (n_examples,)
        How often the sample contains each example, times its label.
    weights : ndarray of shape (n_examples,)
        First weight of one copy of each example; changed in place.
    rounds : ndarray of int
        Numbers of rounds, increasing.
    picks, changes : ndarray of shape (n_kept,)
        Where the picks of the first rounds and the changes of their weights are written.
    """
    codes, first, usual, leavers, heads = chains
    n_voters, tie, positive = first[-1], np.int64(max(TIE, len(signs))), signs > 0
    listed, running = np.empty(len(leavers), np.uint32), np.zeros(len(leavers) + 1, np.int64)
    begins, ends = np.empty(n_voters, np.uint32), np.empty(n_voters, np.uint32)
    values, sums = np.empty(n_voters, np.int64), np.empty(n_voters, np.int64)
    units, vote = np.empty(len(signs), np.int64), np.zeros(n_voters)
    votes = np.zeros((len(rounds), n_voters))
    shrunk, n_listed, kept = 0.0, 0, 0
    for t in range(1, rounds[-1] + 1):
        if shrunk < 4.0 * ASLEEP:
            shrunk, n_listed = 1.0, 0
            for c in range(len(usual)):
                middle, end = first[c] + usual[c], first[c + 1]
                for start, stop, value in ((first[c], middle, 1), (end - 1, middle - 1, -1)):
                    begin = n_listed
                    for j in range(start, stop, value):
                        for i in leavers[heads[j] : heads[j + 1]]:
                            listed[n_listed] = i
                            n_listed += weights[i] >= ASLEEP
                        begins[j], ends[j], values[j] = begin, n_listed, value
        for i in range(len(signs)):
            units[i] = np.int64(np.rint(weights[i])) * signs[i]
        total, size = 0, 0
        for i in range(len(signs)):
            total += units[i]
            size += abs(units[i])
        so_far = 0
        for k in range(n_listed):
            so_far += units[listed[k]]
            running[k + 1] = so_far
        for j in range(n_voters):
            sums[j] = values[j] * (total - 2 * (running[ends[j]] - running[begins[j]]))
        largest = 0
        for j in range(n_voters):
            largest = max(largest, abs(sums[j]))
        pick = 0
        while abs(sums[pick]) < largest - tie:
            pick += 1
        edge = sums[pick] / size
        alpha = step_of(edge, t)
        vote[pick] += alpha
        if t <= len(picks):
            picks[t - 1], changes[t - 1] = pick, alpha
        if not NO_EDGE < abs(edge) < 1.0:
            break
        if t == rounds[kept]:
            votes[kept] = vote
            kept += 1
        chain = np.searchsorted(first, pick, side="right") - 1
        code, below = codes[chain], np.uint32(pick - first[chain])
        right, wrong = 1.0 + edge, 1.0 - edge
        for i in range(len(signs)):
            moved = weights[i] / (right if (code[i] > below) == positive[i] else wrong)
            weights[i] = moved if moved >= FLOOR else weights[i]
        shrunk *= 1.0 - abs(edge)
    votes[kept:] = vote
    return votes, t if alpha != 0.0 else t - 1


@dataclass(frozen=True)
class AdaBoost(WeightBoosting):
    """AdaBoost; the only hyper-parameter is the number of rounds."""

    hyperparameters = (N_ROUNDS,)

    def boost(self, voters: VoterSource, copies: FloatArray, values: FloatArray) -> Iterator[Round]:
        """Yield the rounds, see `WeightBoosting.boost`."""
        w, units = equal_weights(copies), rounding(copies)
        for t in count(1):
            voters.begin(t)
            picks, edges = strongest(voters, units(w))
            alphas, last = steps_of(edges, t, voters)
            yield Round(picks, alphas, last)
            w = bounded(w, w / (1.0 + edges[:, None] * voters.signs(picks)))

    def runs(
        self, problem: VotingProblem, sample_of: IntArray, values: FloatArray, rounds: Sequence[int]
    ) -> FloatArray:
        """Return the votes of some runs, one run after the other."""
        chains = chains_of(problem)
        samples = problem.counts[sample_of]
        return np.array([run_over(chains, problem.y, c, rounds)[0] for c in samples])

    def steps(
        self, problem: VotingProblem, value: float, n_rounds: int
    ) -> tuple[IntArray, FloatArray]:
        """Return the picks of a run on the first sample, and the changes of their weights."""
        sample = problem.counts[0]
        return run_over(chains_of(problem), problem.y, sample, [n_rounds], n_rounds)[1:]


def chains_of(problem: VotingProblem) -> Chains:
    """Return the voters of a problem as chains."""
    check_signs(problem.H)
    return Chains.of(*codes_of_voters(problem.H))


def run_over(
    chains: Chains, y: FloatArray, copies: FloatArray, rounds: Sequence[int], n_kept: int = 0
) -> tuple[FloatArray, IntArray, FloatArray]:
    """Return the votes of a run after given rounds, and the first picks with their changes."""
    [weights] = equal_weights(copies[None])
    if not has_whole(copies[None])[0]:
        # A fraction of a copy is an example with so much less weight.
        weights, copies = weights * copies, np.sign(copies)
    picks, changes = np.empty(n_kept, dtype=np.intp), np.empty(n_kept)
    signed = (copies * y).astype(np.intp)
    votes, taken = take_rounds(chains, signed, weights, np.array(rounds), picks, changes)
    return votes, picks[:taken], changes[:taken]


ADABOOST = Entry(
    AdaBoost,
    "AdaBoost",
    "Freund and Schapire 1997; lecture, section 4",
    {"n_rounds": [10, 32, 100, 316, 1000]},
)
