"""Sums and signs of stumps on coded examples, and votes of stumps."""

from __future__ import annotations

import numpy as np

from quadrepro.base.types import BoolArray, FloatArray, IntArray
from quadrepro.core.compiling import compiled
from quadrepro.core.voters.random_stumps import Codes, Places


@compiled(
    "void(float64[:,::1], float64[::1], int32[:,::1], uint16[:,::1], int32[:,::1],"
    " int64[::1], uint16[::1], float64[::1], float64[:,::1])"
)
def sums(
    units: FloatArray,
    y: FloatArray,
    order: Places,
    ranked: Codes,
    reaching: Places,
    attributes: IntArray,
    cuts: Codes,
    turns: FloatArray,
    out: FloatArray,
) -> None:
    """Write Σ_i u_i y_i h(x_i) of every stump h, from running sums over the ordered examples.

    `order` has the examples of each attribute from the largest code to the smallest, and `ranked`
    has their codes. `reaching` says of each attribute how many codes have at least a first byte of
    0, 1, ..., 256.
    """
    m, n_attributes = len(y), len(order)
    # The stumps of an attribute form a list: its first stump, and the one after each stump.
    first = np.full(n_attributes, -1)
    after, above = np.empty_like(attributes), np.empty_like(attributes)
    reach = np.zeros(n_attributes, np.int64)
    for j in range(len(attributes)):
        a = attributes[j]
        after[j], first[a] = first[a], j
        byte = cuts[j] >> 8
        low, high = reaching[a, byte + 1], reaching[a, byte]
        while low < high:
            middle = (low + high) // 2
            if ranked[a, middle] > cuts[j]:
                low = middle + 1
            else:
                high = middle
        above[j] = low
        reach[a] = max(reach[a], low)
    # As integers the sums need one cycle per example, which floats do not.
    signed, running = np.empty(m, np.int64), np.zeros(m + 1, np.int64)
    for r in range(len(units)):
        total = np.int64(0)
        for i in range(m):
            signed[i] = np.int64(units[r, i] * y[i])
            total += signed[i]
        for a in range(n_attributes):
            so_far = np.int64(0)
            for k in range(reach[a]):
                so_far += signed[order[a, k]]
                running[k + 1] = so_far
            j = first[a]
            while j >= 0:
                found = 2 * running[above[j]] - total
                out[r, j] = -found if turns[j] < 0 else found
                j = after[j]


@compiled(
    "void(uint16[:,::1], float64[::1], int64[::1], uint16[::1], float64[::1], float64[:,::1])"
)
def signs(
    codes: Codes,
    y: FloatArray,
    attributes: IntArray,
    cuts: Codes,
    turns: FloatArray,
    out: FloatArray,
) -> None:
    """Write y_i h(x_i) of every stump h."""
    for j in range(len(attributes)):
        row = codes[attributes[j]]
        for i in range(len(y)):
            sign = y[i] if row[i] > cuts[j] else -y[i]
            out[j, i] = -sign if turns[j] < 0 else sign


@compiled("void(uint16[:,::1], int64[::1], uint16[::1], float64[::1], int64[::1], float64[:,::1])")
def add(
    codes: Codes,
    attributes: IntArray,
    cuts: Codes,
    weights: FloatArray,
    rows: IntArray,
    votes: FloatArray,
) -> None:
    """Add each weighted stump to its row of votes, one stump after the other."""
    for j in range(len(attributes)):
        row, weight = codes[attributes[j]], weights[j]
        vote = votes[rows[j]]
        for i in range(len(vote)):
            vote[i] += weight if row[i] > cuts[j] else -weight


@compiled(
    "void(uint16[:,::1], boolean[::1], int64[::1], uint16[::1], float64[::1], int64[::1],"
    " float64, float64[:,::1], float64[::1], int64[::1])"
)
def count(
    codes: Codes,
    positive: BoolArray,
    attributes: IntArray,
    cuts: Codes,
    weights: FloatArray,
    rows: IntArray,
    zero: float,
    votes: FloatArray,
    totals: FloatArray,
    out: IntArray,
) -> None:
    """Add each weighted stump to its row of votes, and write how many examples that gets wrong.

    A sum above the share `zero` of the total weight is positive.
    """
    add(codes, attributes, cuts, weights, rows, votes)
    for j in range(len(rows)):
        vote = votes[rows[j]]
        totals[rows[j]] += abs(weights[j])
        least = zero * totals[rows[j]]
        wrong = 0
        for i in range(len(vote)):
            wrong += (vote[i] > least) != positive[i]
        out[j] = wrong
