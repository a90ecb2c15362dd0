"""Rounds of AdaBoost over voters in groups, one trajectory after the other.

A round adds the weight of every example once per group of voters; sums over the codes of a group
give the sums of all its voters. An example whose weight rounds to nothing is left out.
"""

from __future__ import annotations

import numpy as np

from quadrepro._typing import BoolArray, FloatArray, IntArray
from quadrepro.kernels.compiling import compiled
from quadrepro.kernels.elementary import artanh
from quadrepro.learners.greedy.example_weights import (
    DEEP,
    LARGEST_STEP,
    LIFT,
    LIFT_EVERY,
    NO_EDGE,
)
from quadrepro.voters.groups import Codes

BLOCK = 8
"""Groups whose bins are filled together, if those of all groups exceed `NEAR` bytes."""

NEAR = 2**16
"""About the size of the memory nearest to a processor."""

WHOLE = 2.0**52
"""A positive number below this becomes whole if it is added and taken away again."""


@compiled("void(int64[:,::1], int64[::1], int64[::1], int64, int64[::1])")
def sums_of_voters(
    bins: IntArray, voters: IntArray, chains: IntArray, total: int, sums: IntArray
) -> None:
    """Write the signed sum of every voter into `sums`; `bins` is changed.

    Parameters
    ----------
    bins : ndarray of shape (n_groups, n_codes)
        Signed weight of the examples with each code.
    voters, chains : ndarray
        As in `VoterGroups`.
    total : int
        Signed weight of all examples.
    sums : ndarray of shape (n_voters,)
        Σ u y h of each voter.
    """
    of_digit = np.empty(256, dtype=np.int64)
    for g in range(len(chains) - 1):
        row = bins[g]
        left = 1
        for c in range(chains[g], chains[g + 1]):
            left *= voters[c + 1] - voters[c] + 1
        for c in range(chains[g + 1] - 1, chains[g] - 1, -1):
            first, size = voters[c], voters[c + 1] - voters[c] + 1
            left //= size
            if size == 2:
                low = 0
                for rest in range(left):
                    low += row[2 * rest]
                    row[rest] = row[2 * rest] + row[2 * rest + 1]
                sums[first] = total - 2 * low
                continue
            of_digit[:size] = 0
            # Take the last digit off the codes.
            for rest in range(left):
                together = 0
                for digit in range(size):
                    here = row[rest * size + digit]
                    of_digit[digit] += here
                    together += here
                row[rest] = together
            below = 0
            for digit in range(size - 1):
                below += of_digit[digit]
                sums[first + digit] = total - 2 * below


@compiled("void(int64[:,::1], uint8[:,:,::1], int64[::1], int64[::1])")
def fill_blocks(bins: IntArray, blocks: Codes, units: IntArray, awake: IntArray) -> None:
    """Add the unit of every example that is awake to the bins of its codes, block by block."""
    for b in range(len(blocks)):
        block, first = blocks[b], b * BLOCK
        for a in range(len(awake)):
            i = awake[a]
            u = units[i]
            for g in range(BLOCK):
                bins[first + g, block[i, g]] += u


@compiled(
    "void(uint8[:,::1], uint8[:,::1], int64[::1], int64[::1], float64[::1], float64[:,::1],"
    " float64[:,::1], int64[:,::1], float64[:,::1], float64, int64,"
    " int64[:,::1], float64[:,::1], int64[::1], boolean[::1])"
)
def take_rounds(
    digits: Codes,
    codes: Codes,
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
    digits, codes, voters, chains, y
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
    n_groups = codes.shape[1]
    n_codes = 0
    for g in range(n_groups):
        size = 1
        for c in range(chains[g], chains[g + 1]):
            size *= voters[c + 1] - voters[c] + 1
        n_codes = max(n_codes, size)
    blocked = 8 * n_groups * n_codes > NEAR
    n_blocks = -(-n_groups // BLOCK) if blocked else 0
    bins = np.empty((max(n_groups, n_blocks * BLOCK), n_codes), dtype=np.int64)
    sums = np.empty(votes.shape[1], dtype=np.int64)
    margin = np.int64(tie)
    for r in range(len(lifted)):
        held = np.flatnonzero(copies[r])
        n = len(held)
        rows = codes[held]
        blocks = np.zeros((n_blocks, n, BLOCK), dtype=np.uint8)
        for b in range(n_blocks):
            some = rows[:, b * BLOCK : (b + 1) * BLOCK]
            blocks[b, :, : some.shape[1]] = some
        columns = digits[:, held if not blocked else held[:0]]
        positive = y[held] > 0
        signed = (copies[r][held] * y[held]).astype(np.int64)
        w = lifted[r][held]
        depths = lifts[r][held]
        deep = depths.any()
        whole = np.empty(n)
        bits = whole.view(np.int64)
        units = np.empty(n, dtype=np.int64)
        awake = np.empty(n, dtype=np.int64)
        for k in range(picks.shape[1]):
            for i in range(n):
                whole[i] = w[i] + WHOLE
            for i in range(n):
                units[i] = (bits[i] & 0xFFFFFFFFFFFFF) * signed[i]
            if deep:
                for i in range(n):
                    if depths[i] > 0:
                        units[i] = 0
            total, size, n_awake = 0, 0, 0
            for i in range(n):
                total += units[i]
                size += abs(units[i])
            for i in range(n):
                awake[n_awake] = i
                n_awake += units[i] != 0
            bins[:] = 0
            if blocked:
                fill_blocks(bins, blocks, units, awake[:n_awake])
            else:
                for a in range(n_awake):
                    i = awake[a]
                    u = units[i]
                    for g in range(n_groups):
                        bins[g, rows[i, g]] += u
            sums_of_voters(bins, voters, chains, total, sums)
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
            place = pick - voters[chain]
            # Few of many columns are ever looked at.
            column = digits[chain][held] if blocked else columns[chain]
            up, down = 1.0 + edge, 1.0 - edge
            for i in range(n):
                w[i] /= up if (column[i] > place) == positive[i] else down
            if deep:
                for i in range(n):
                    if depths[i] > 0 and w[i] >= DEEP * LIFT:
                        w[i] /= LIFT
                        depths[i] -= 1
            if deep or (t + k) % LIFT_EVERY == 0:
                deep = False
                for i in range(n):
                    if w[i] < DEEP:
                        w[i] *= LIFT
                        depths[i] += 1
                    deep |= depths[i] > 0
        lifted[r][held] = w
        lifts[r][held] = depths
