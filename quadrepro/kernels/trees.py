"""Growing regression trees and following them; see `quadrepro.learners.gradient`.

Sums are over whole numbers, so their order does not matter. Examples are numbered by unsigned
numbers, because an index that may be negative costs a check.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from quadrepro._typing import BoolArray, FloatArray
from quadrepro.kernels.compiling import compiled

Whole = NDArray[np.int64]
Examples = NDArray[np.uint32]
Leaves = NDArray[np.int32]

NUMBERS, WHOLE = (f"Array({kind}, 2, 'C', readonly=True)" for kind in ("float64", "int64"))
"""Types of arrays that need not be writable: a fitted tree may come from a file."""


@compiled("void(int64[:,::1], int64[::1], float64[::1], int64[:,::1], float64[:,::1])")
def best_of_stretches(
    centred: Whole, examples: Whole, factors: FloatArray, stretches: Whole, tops: FloatArray
) -> None:
    """Write the largest gain of every stretch of cuts; a column is a target."""
    sums = np.empty(centred.shape[1], np.int64)
    for s in range(len(stretches)):
        top = tops[s]
        top[:] = 0.0
        sums[:] = 0
        low, high, step = stretches[s]
        place = low if step > 0 else high - 1
        for _ in range(low, high):
            row, factor = centred[examples[place]], factors[place]
            for t in range(len(row)):
                sums[t] += row[t]
                gain = abs(float(sums[t])) * factor
                top[t] = gain if gain > top[t] else top[t]
            place += step


@compiled("int64(int64[:,::1], int64, int64[::1], float64[::1], int64[::1], float64)")
def first_in_stretch(
    centred: Whole, t: int, examples: Whole, factors: FloatArray, stretch: Whole, floor: float
) -> int:
    """Return the lowest cut of a stretch whose gain for target `t` is at least `floor`."""
    low, high, step = stretch
    place = low if step > 0 else high - 1
    total, found = 0, -1
    for _ in range(low, high):
        total += centred[examples[place], t]
        if abs(float(total)) * factors[place] >= floor:
            found = place
            if step > 0:
                break
        place += step
    return found


@compiled(
    "void(int64[:,::1], int64[::1], float64[::1], int64[:,::1], float64, float64[::1], int64[::1])"
)
def best_of_root(
    centred: Whole,
    examples: Whole,
    factors: FloatArray,
    stretches: Whole,
    tie: float,
    tops: FloatArray,
    cuts: Whole,
) -> None:
    """Write the largest gain of each target, a column, and the first cut that ties with it."""
    of_stretches = np.empty((len(stretches), len(tops)))
    best_of_stretches(centred, examples, factors, stretches, of_stretches)
    for t in range(len(tops)):
        tops[t] = of_stretches[:, t].max()
        floor = tops[t] * (1.0 - tie)
        s = 0
        while of_stretches[s, t] < floor:
            s += 1
        cuts[t] = first_in_stretch(centred, t, examples, factors, stretches[s], floor)


@compiled("void(int64, float64[::1])")
def write_factors(size: int, factors: FloatArray) -> None:
    """Write what turns the sum left of each cut of a leaf into the root of its gain."""
    for left in range(1, size):
        factors[left - 1] = np.sqrt(float(size) / float(left * (size - left)))


@compiled("float64(int64[::1], int64, uint32[::1], float64[::1], boolean, float64[::1])")
def best_of_feature(
    whole: Whole,
    mean: int,
    examples: Examples,
    values: FloatArray,
    tied: bool,
    factors: FloatArray,
) -> float:
    """Return the largest gain of a leaf's cuts by one feature, in whose order its examples are."""
    total, top = 0, 0.0
    for i in range(len(examples) - 1):
        total += whole[examples[i]] - mean
        gain = abs(float(total)) * factors[i]
        if gain > top and not (tied and values[examples[i]] == values[examples[i + 1]]):
            top = gain
    return top


@compiled("float64(int64[::1], int64, uint32[::1], float64[::1], float64[::1], float64)")
def first_of_feature(
    whole: Whole,
    mean: int,
    examples: Examples,
    values: FloatArray,
    factors: FloatArray,
    floor: float,
) -> float:
    """Return the threshold of the lowest cut of a leaf whose gain is at least `floor`."""
    total, i = 0, 0
    while True:
        total += whole[examples[i]] - mean
        low, high = values[examples[i]], values[examples[i + 1]]
        if low < high and abs(float(total)) * factors[i] >= floor:
            middle = low / 2 + high / 2
            return middle if middle < high else low
        i += 1


@compiled(
    "Tuple((float64, int64))(int64[::1], int64, uint32[:,::1], int64, int64, float64[:,::1],"
    " boolean[::1], float64[::1], float64[::1], float64)"
)
def best_of_leaf(
    whole: Whole,
    mean: int,
    order: Examples,
    begin: int,
    end: int,
    values: FloatArray,
    tied: BoolArray,
    factors: FloatArray,
    tops: FloatArray,
    tie: float,
) -> tuple[float, int]:
    """Return the largest gain of a leaf's cuts, and the first feature that ties with it."""
    write_factors(end - begin, factors)
    for f in range(len(order)):
        examples = order[f, begin:end]
        tops[f] = best_of_feature(whole, mean, examples, values[f], tied[f], factors)
    top = tops.max()
    row = 0
    while tops[row] < top * (1.0 - tie):
        row += 1
    return top, row


@compiled("void(uint32[:,::1], int64, int64, int64[::1], uint32[::1])")
def part(order: Examples, begin: int, end: int, right: Whole, spare: Examples) -> None:
    """Move the examples that go right behind the others, in the order of every feature."""
    for f in range(len(order)):
        examples = order[f, begin:end]
        n_left, n_right = 0, 0
        for i in range(len(examples)):
            example = examples[i]
            examples[n_left] = spare[n_right] = example
            n_right += right[example]
            n_left += 1 - right[example]
        examples[n_left:] = spare[:n_right]


@compiled(
    "void(int64[:,::1], int64[:,::1], float64[:,::1], boolean[::1], float64[::1], float64[::1],"
    " int64, boolean, float64, int64[:,::1], int64[:,::1], float64[:,::1], int64[:,::1],"
    " int64[:,::1], int64[::1])"
)
def grow(
    targets: Whole,
    order: Whole,
    values: FloatArray,
    tied: BoolArray,
    roots: FloatArray,
    least: FloatArray,
    n_steps: int,
    one_at_a_time: bool,
    tie: float,
    parents: Whole,
    rows: Whole,
    thresholds: FloatArray,
    counts: Whole,
    sums: Whole,
    n_leaves: Whole,
) -> None:
    """Grow the tree of each target on from its first cut, which is given."""
    d, m = order.shape
    size = counts.shape[1]
    own, spare, right = np.empty((d, m), np.uint32), np.empty(m, np.uint32), np.empty(m, np.int64)
    factors, of_features = np.empty(m), np.empty(d)
    begins, row, top = np.empty(size, np.int64), np.empty(size, np.int64), np.empty(size)
    for t in range(len(targets)):
        whole = targets[t]
        begins[0], top[0], row[0] = 0, roots[t], rows[t, 0]
        if n_steps > 1:
            own[:] = order
        else:
            own[row[0]] = order[row[0]]
        for step in range(n_steps):
            made = n_leaves[t]
            first, last = 0, made
            if one_at_a_time:
                first = 0
                while top[first] < top[:made].max() * (1.0 - tie):
                    first += 1
                last = first + 1
            for leaf in range(first, last):
                if top[leaf] <= least[t]:
                    continue
                new, f, begin, n = n_leaves[t], row[leaf], begins[leaf], counts[t, leaf]
                examples = own[f, begin : begin + n]
                threshold = thresholds[t, 0]
                if new > 1:
                    mean = sums[t, leaf] // n
                    write_factors(n, factors)
                    threshold = first_of_feature(
                        whole, mean, examples, values[f], factors, top[leaf] * (1.0 - tie)
                    )
                n_left, total = 0, 0
                while values[f, examples[n_left]] <= threshold:
                    right[examples[n_left]] = 0
                    n_left += 1
                for i in range(n_left, n):
                    right[examples[i]] = 1
                    total += whole[examples[i]]
                parents[t, new - 1], rows[t, new - 1], thresholds[t, new - 1] = leaf, f, threshold
                counts[t, leaf], counts[t, new] = n_left, n - n_left
                sums[t, leaf], sums[t, new] = sums[t, leaf] - total, total
                begins[new] = begin + n_left
                n_leaves[t] = new + 1
                if step + 1 < n_steps:
                    part(own, begin, begin + n, right, spare)
                    for child in (leaf, new):
                        begin, n = begins[child], counts[t, child]
                        top[child], row[child] = best_of_leaf(
                            whole, sums[t, child] // n, own, begin, begin + n, values, tied,
                            factors, of_features, tie,
                        )
            if n_leaves[t] == made:
                break


@compiled(f"void({NUMBERS}, {WHOLE}, {WHOLE}, {NUMBERS}, int32[:,::1])")
def leaves_of(
    columns: FloatArray, parents: Whole, features: Whole, thresholds: FloatArray, leaves: Leaves
) -> None:
    """Write the leaf in which each example, a column, ends; all leaves are 0 at first."""
    for t in range(len(features)):
        own = leaves[t]
        for s in range(features.shape[1]):
            column, threshold, parent = columns[features[t, s]], thresholds[t, s], parents[t, s]
            new = np.int32(s + 1)
            for i in range(len(own)):
                own[i] = new if own[i] == parent and column[i] > threshold else own[i]


@compiled(f"void(int32[:,::1], {NUMBERS}, float64[:,::1])")
def values_of(leaves: Leaves, values: FloatArray, answers: FloatArray) -> None:
    """Write the value of each leaf."""
    for t in range(len(leaves)):
        for i in range(leaves.shape[1]):
            answers[t, i] = values[t, leaves[t, i]]
