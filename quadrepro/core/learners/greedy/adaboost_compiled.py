"""Rounds of AdaBoost over voters in groups, one trajectory after the other.

A round adds the weight of every example once per group of voters; sums over the codes of a group
give the sums of all its voters. An example whose weight rounds to nothing sleeps: it is left out.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from quadrepro.base.types import BoolArray, FloatArray, IntArray
from quadrepro.core.compiling import compiled
from quadrepro.core.elementary_old_compiled import artanh
from quadrepro.core.learners.greedy.adaboost import DEEP, LARGEST_STEP, LIFT, NO_EDGE
from quadrepro.core.voters.groups import BLOCK, Digits, Words

Places = NDArray[np.uint32]

WHOLE = 2.0**52
"""A positive number below this becomes whole if it is added and taken away again."""


ASLEEP = 2.0**-16
"""Examples with less weight sleep until a weight may have grown by the factor 1/(4 ASLEEP).

By then no weight has shrunk by more, so that it is time to lift those that are small.
"""

BIN = np.uint64(0xFFFF)


# Slices are counted references, which cost more than the short loops below.


@compiled("void(int64[::1], int64[::1], uint64[:,::1], int64[::1], uint32[::1], int64)")
def fill(
    bins: IntArray, starts: IntArray, words: Words, units: IntArray, awake: Places, n_awake: int
) -> None:
    """Set the bins to the sums of the units of the examples with each code."""
    bins[:] = 0
    for b in range(len(words)):
        start = np.uint64(starts[b * BLOCK])
        for a in range(n_awake):
            word, u = words[b, awake[a]], units[a]
            for g in range(BLOCK):
                bins[start + (word >> np.uint64(16 * g) & BIN)] += u


@compiled("void(int64[::1], int64[::1], int64[::1], int64[::1], int64[::1], int64, int64[::1])")
def sums_of_voters(
    bins: IntArray,
    starts: IntArray,
    voters: IntArray,
    chains: IntArray,
    widths: IntArray,
    total: int,
    sums: IntArray,
) -> None:
    """Write the signed sum of every voter into `sums`; `bins` is changed.

    Parameters
    ----------
    bins : ndarray of shape (n_bins,)
        Signed weight of the examples with each code, one group after the other.
    starts : ndarray of shape (n_groups + 1,)
        First bin of each group, and the number of bins.
    voters, chains : ndarray
        As in `VoterGroups`.
    widths : ndarray of shape (n_chains,)
        Number of codes of the chains behind each one in its group, which is how far apart the bins
        of its digits lie.
    total : int
        Signed weight of all examples.
    sums : ndarray of shape (n_voters,)
        Σ u y h of each voter.
    """
    one = np.uint64(1)
    for g in range(len(chains) - 1):
        start = np.uint64(starts[g])
        for c in range(chains[g], chains[g + 1]):
            first, end, width = np.uint64(voters[c]), np.uint64(voters[c + 1]), np.uint64(widths[c])
            source, below = start, np.int64(0)
            if width == one:
                for j in range(first, end):
                    below += bins[source]
                    sums[j] = total - 2 * below
                    source += one
                continue
            # Take the first digit off the codes: add its runs of bins to the run of digit 0.
            for i in range(width):
                below += bins[start + i]
            sums[first] = total - 2 * below
            source += width
            for j in range(first + one, end):
                for i in range(width):
                    below += bins[source + i]
                    bins[start + i] += bins[source + i]
                sums[j] = total - 2 * below
                source += width
            for i in range(width):
                bins[start + i] += bins[source + i]


@compiled(
    "void(uint8[:,::1], uint64[:,::1], int64[::1], int64[::1], float64[::1], float64[:,::1],"
    " float64[:,::1], int64[:,::1], float64[:,::1], float64, int64,"
    " int64[:,::1], float64[:,::1], int64[::1], boolean[::1])"
)
def take_rounds(
    digits: Digits,
    words: Words,
    voters: IntArray,
    chains: IntArray,
    y: FloatArray,
    copies: FloatArray,
    lifted: FloatArray,
    lifts: IntArray,
    votes: FloatArray,
    tie: float,
    t: int,
    picks: IntArray,
    weights: FloatArray,
    taken: IntArray,
    ended: BoolArray,
) -> None:
    """Take the rounds from `t` on.

    Parameters
    ----------
    digits, words, voters, chains, y
        The fields of `VoterGroups`.
    copies : ndarray of shape (n_trajectories, n_examples)
        How often the sample of each trajectory contains each example.
    lifted, lifts : ndarray of shape (n_trajectories, n_examples)
        Example weights times `LIFT` to the power of the lifts; changed in place.
    votes : ndarray of shape (n_trajectories, n_voters)
        The votes so far; changed in place.
    tie : float
        Sums that differ by at most this much tie.
    t : int
        Number of the first round.
    picks, weights, taken, ended : ndarray
        The fields of a `Leap`, to be filled in.
    """
    n = len(y)
    starts = np.zeros(len(chains), dtype=np.int64)
    widths = np.empty(len(digits), dtype=np.int64)
    for g in range(len(chains) - 1):
        n_codes = 1
        for c in range(chains[g + 1] - 1, chains[g] - 1, -1):
            widths[c] = n_codes
            n_codes *= voters[c + 1] - voters[c] + 1
        starts[g + 1] = starts[g] + n_codes
    bins = np.empty(starts[-1], dtype=np.int64)
    sums = np.empty(votes.shape[1], dtype=np.int64)
    awake = np.empty(n, dtype=np.uint32)
    signs = np.empty(n, dtype=np.int64)
    units = np.empty(n, dtype=np.int64)
    wholes = np.empty(n)
    bits = wholes.view(np.int64)
    margin = np.int64(tie)
    positive = y > 0
    for r in range(len(lifted)):
        sample, w, depths = copies[r], lifted[r], lifts[r]
        n_awake, room = 0, 0.0
        for k in range(picks.shape[1]):
            if room < 1.0:
                n_awake, room = 0, 0.25 / ASLEEP
                for i in range(n):
                    if depths[i] > 0 and w[i] >= DEEP * LIFT:
                        w[i] /= LIFT
                        depths[i] -= 1
                    elif w[i] < DEEP and sample[i] > 0:
                        w[i] *= LIFT
                        depths[i] += 1
                    awake[n_awake] = i
                    signs[n_awake] = sample[i] * y[i]
                    n_awake += sample[i] > 0 and depths[i] == 0 and w[i] >= ASLEEP
            total, size = 0, 0
            for a in range(n_awake):
                wholes[a] = w[awake[a]] + WHOLE
            for a in range(n_awake):
                units[a] = (bits[a] & 0xFFFFFFFFFFFFF) * signs[a]
            for a in range(n_awake):
                total += units[a]
                size += abs(units[a])
            fill(bins, starts, words, units, awake, n_awake)
            sums_of_voters(bins, starts, voters, chains, widths, total, sums)
            largest = np.int64(0)
            for j in range(len(sums)):
                largest = max(largest, abs(sums[j]))
            pick = 0
            while abs(sums[pick]) < largest - margin:
                pick += 1
            edge = sums[pick] / size
            picks[r, k] = pick
            if abs(edge) >= 1.0:
                weights[r, k] = np.sign(edge) * (1.0 if t + k == 1 else LARGEST_STEP * (t + k))
                ended[r] = True
            elif abs(edge) <= NO_EDGE:
                weights[r, k] = 0.0
                ended[r] = True
            else:
                weights[r, k] = artanh(edge)
            votes[r, pick] += weights[r, k]
            taken[r] += weights[r, k] != 0.0
            if ended[r]:
                break
            chain = np.searchsorted(voters, pick, side="right") - 1
            column, place = digits[chain], pick - voters[chain]
            up, down = 1.0 + edge, 1.0 - edge
            for i in range(n):
                w[i] /= up if (column[i] > place) == positive[i] else down
            room *= 1.0 - abs(edge)
