"""The line search of `quadrepro.core.learners.greedy.adaboost_reg`, one trajectory at a time."""

from __future__ import annotations

import math

import numpy as np

from quadrepro.base.types import FloatArray
from quadrepro.core.compiling import compiled
from quadrepro.core.elementary_old_compiled import exp, log, log1p

ROW = "float64[::1]"
ROWS = "float64[:,::1]"


@compiled(f"float64({ROW}, {ROW}, int64)")
def exact_sum(terms: FloatArray, counts: FloatArray, bits: int) -> float:
    """Return Σ n t; see `exact_sums`."""
    # The bits of floats without their signs are in the order of the floats. Integers are compared
    # and added several at a time, which floats are not.
    sizes, largest = terms.view(np.int64), 0
    for i in range(len(sizes)):
        largest = max(largest, sizes[i] & 0x7FFFFFFFFFFFFFFF)
    exponent = max((largest >> 52) - 1022, -900)
    scale, fine = math.ldexp(1.0, bits - exponent), math.ldexp(1.0, bits)
    whole, rest = np.int64(0), np.int64(0)
    for i in range(len(terms)):
        scaled = terms[i] * scale
        rounded = np.rint(scaled)
        whole += np.int64(rounded * counts[i])
        rest += np.int64(np.rint((scaled - rounded) * fine) * counts[i])
    return (whole + rest / fine) / scale


@compiled(f"float64({ROW}, {ROW}, {ROW}, float64, float64, {ROW})")
def write_terms(
    starts: FloatArray,
    slopes: FloatArray,
    bends: FloatArray,
    a: float,
    bent: float,
    out: FloatArray,
) -> float:
    """Write the terms of the loss at `a`, and return the logarithm by which they are divided."""
    top = -np.inf
    for i in range(len(starts)):
        out[i] = starts[i] + (bent * bends[i] - a * slopes[i])
        top = max(top, out[i])
    for i in range(len(starts)):
        out[i] = exp(out[i] - top)
    return top


@compiled(f"void({ROW}, {ROW}, {ROW}, {ROW}, float64, {ROW}, {ROW})")
def write_bounds(
    starts: FloatArray,
    counts: FloatArray,
    slopes: FloatArray,
    bends: FloatArray,
    total: float,
    scan: FloatArray,
    out: FloatArray,
) -> None:
    """Write what the logarithm of the loss is at least at each step of the scan.

    exp is convex: the sum over examples with d > 0 is at least what it would be if they all had
    their mean exponent, and so is the sum over the others.
    """
    weights, means, bent = np.zeros(2), np.zeros(2), np.zeros(2)
    for i in range(len(starts)):
        weight, side = counts[i] * exp(starts[i]), int(slopes[i] > 0)
        weights[side] += weight
        means[side] += weight * slopes[i]
        bent[side] += weight * bends[i]
    for k in range(len(scan)):
        share = scan[k] * total / (total + scan[k])
        sums = np.zeros(2)
        for side in range(2):
            if weights[side] > 0:
                rise = (share * bent[side] - scan[k] * means[side]) / weights[side]
                sums[side] = log(weights[side]) + rise
            else:
                sums[side] = -np.inf
        top = max(sums[0], sums[1])
        out[k] = top + log(exp(sums[0] - top) + exp(sums[1] - top))


@compiled(f"int64({ROW}, {ROW}, {ROW}, {ROW}, float64, int64, {ROW}, float64, {ROW}, {ROW})")
def first(
    starts: FloatArray,
    counts: FloatArray,
    slopes: FloatArray,
    bends: FloatArray,
    total: float,
    bits: int,
    scan: FloatArray,
    slack: float,
    bounds: FloatArray,
    terms: FloatArray,
) -> int:
    """Return the place of the first step of `scan` with the least loss."""
    write_bounds(starts, counts, slopes, bends, total, scan, bounds)
    least, place = np.inf, len(scan)
    for _ in range(len(scan)):
        k = int(bounds.argmin())
        if bounds[k] - slack * (1.0 + abs(bounds[k])) > least:
            break
        bounds[k] = np.inf
        a = scan[k]
        top = write_terms(starts, slopes, bends, a, a * total / (total + a), terms)
        loss = log(exact_sum(terms, counts, bits)) + top
        if loss < least or (loss == least and k < place):
            least, place = loss, k
    return place


@compiled(f"void({ROW}, {ROW}, {ROW}, float64, float64, {ROWS})")
def write_derivatives(
    terms: FloatArray,
    slopes: FloatArray,
    bends: FloatArray,
    total: float,
    a: float,
    out: FloatArray,
) -> None:
    """Write each term's part of slope and curvature, and of both where the term falls."""
    square = total / (total + a) * (total / (total + a))
    pull = 2.0 * square / (total + a)
    for i in range(len(terms)):
        rate = square * bends[i] - slopes[i]
        falling = 1.0 if rate < 0 else 0.0
        out[0, i] = terms[i] * rate
        out[1, i] = terms[i] * (rate * rate - pull * bends[i])
        out[2, i] = out[0, i] * falling
        out[3, i] = out[1, i] * falling


@compiled(f"void({ROWS}, {ROWS}, {ROWS}, {ROWS}, {ROW}, {ROW}, float64, float64, {ROW})")
def minimisers(
    starts: FloatArray,
    counts: FloatArray,
    slopes: FloatArray,
    bends: FloatArray,
    totals: FloatArray,
    scan: FloatArray,
    slack: float,
    resolution: float,
    out: FloatArray,
) -> None:
    """Write the step of least loss of every trajectory."""
    m, end = starts.shape[1], len(scan) - 1
    terms, bounds, parts = np.empty(m), np.empty(len(scan)), np.empty((4, m))
    for r in range(len(out)):
        b, n, d, c, total = starts[r], counts[r], slopes[r], bends[r], totals[r]
        bits = 52 - math.frexp(n.sum())[1]
        place = first(b, n, d, c, total, bits, scan, slack, bounds, terms)
        a = scan[place]
        low, high = a, a
        if place < end:
            low, high = scan[place - 1] if place > 0 else 0.0, scan[place + 1]
        going = True
        while going:
            write_terms(b, d, c, a, a * total / (total + a), terms)
            write_derivatives(terms, d, c, total, a, parts)
            slope, curvature = exact_sum(parts[0], n, bits), exact_sum(parts[1], n, bits)
            fall, fall_rate = exact_sum(parts[2], n, bits), exact_sum(parts[3], n, bits)
            balance = log1p(slope / -fall)
            rate = (curvature - fall_rate) / (slope - fall) - fall_rate / fall
            if slope > 0:
                high = a
            else:
                low = a
            moved = a - balance / rate
            inside = low <= moved <= high
            if not inside:
                moved = (low + high) / 2
            small = abs(moved - a) <= resolution * moved + 2.0**-52
            a = moved
            going = not (small and inside) and high - low > 2.0**-50 * high and high > scan[0]
        out[r] = a
