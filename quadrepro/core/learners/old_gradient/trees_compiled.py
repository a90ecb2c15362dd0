"""Growing regression trees and following them; see `quadrepro.core.learners.old_gradient`.

Sums are over whole numbers, so their order does not matter. Examples are numbered by unsigned
numbers, because an index that may be negative costs a check.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from quadrepro.base.types import BoolArray, FloatArray
from quadrepro.core.compiling import compiled

Whole = NDArray[np.int64]
Examples = NDArray[np.uint32]
Leaves = NDArray[np.int32]
Flags = NDArray[np.uint64]

NUMBERS, WHOLE = (f"Array({kind}, 2, 'C', readonly=True)" for kind in ("float64", "int64"))
"""Types of arrays that need not be writable: a fitted tree may come from a file."""


@compiled("int64(float64[:], float64)")
def first_tied(gains: FloatArray, tie: float) -> int:
    """Return the first place of the largest gain or of one that ties with it."""
    floor = gains.max() * (1.0 - tie)
    place = 0
    while gains[place] < floor:
        place += 1
    return place


@compiled(f"void({NUMBERS}, {NUMBERS}, int64[:,::1])")
def round_to_units(targets: FloatArray, units: FloatArray, whole: Whole) -> None:
    """Write the targets in units of their rows, rounded."""
    for t in range(len(targets)):
        for i in range(targets.shape[1]):
            whole[t, i] = np.int64(np.rint(targets[t, i] / units[t, 0]))


@compiled("float64(int64[::1], int64, uint32[::1], float64[::1])")
def top_of(whole: Whole, mean: int, examples: Examples, factors: FloatArray) -> float:
    """Return the largest gain of the cuts behind each example."""
    total, top = 0, 0.0
    for i in range(len(factors)):
        total += whole[examples[i]] - mean
        gain = abs(float(total)) * factors[i]
        top = gain if gain > top else top
    return top


@compiled("void(int64[:,::1], uint32[::1], float64[::1], float64[:])")
def tops_of_four(rows: Whole, examples: Examples, factors: FloatArray, tops: FloatArray) -> None:
    """Write the largest gain of the cuts behind each example for four targets, the columns."""
    total0 = total1 = total2 = total3 = 0
    top0 = top1 = top2 = top3 = 0.0
    for i in range(len(factors)):
        row, factor = rows[examples[i]], factors[i]
        total0, total1 = total0 + row[0], total1 + row[1]
        total2, total3 = total2 + row[2], total3 + row[3]
        gain0, gain1 = abs(float(total0)) * factor, abs(float(total1)) * factor
        gain2, gain3 = abs(float(total2)) * factor, abs(float(total3)) * factor
        top0, top1 = gain0 if gain0 > top0 else top0, gain1 if gain1 > top1 else top1
        top2, top3 = gain2 if gain2 > top2 else top2, gain3 if gain3 > top3 else top3
    tops[0], tops[1], tops[2], tops[3] = top0, top1, top2, top3


@compiled("int64(int64[::1], int64, uint32[::1], float64[::1], float64, boolean)")
def first_of_stretch(
    whole: Whole, mean: int, examples: Examples, factors: FloatArray, floor: float, upward: bool
) -> int:
    """Return the place of the lowest cut of a stretch whose gain is at least `floor`."""
    total, found = 0, -1
    for i in range(len(factors)):
        total += whole[examples[i]] - mean
        if abs(float(total)) * factors[i] >= floor:
            found = i
            if upward:
                break
    return found


@compiled(
    "void(int64[:,::1], int64[::1], uint32[::1], float64[::1], int64[:,::1], float64, float64[::1],"
    " int64[::1])"
)
def best_of_root(
    whole: Whole,
    means: Whole,
    examples: Examples,
    factors: FloatArray,
    stretches: Whole,
    tie: float,
    tops: FloatArray,
    cuts: Whole,
) -> None:
    """Write the largest gain of each target, and the first cut that ties with it."""
    n_targets, m = whole.shape
    gains, rows = np.empty((n_targets, len(stretches))), np.empty((m, 4), np.int64)
    in_fours = n_targets - n_targets % 4
    for t in range(0, in_fours, 4):
        for column in range(4):
            for i in range(m):
                rows[i, column] = whole[t + column, i] - means[t + column]
        for s, (low, high, _) in enumerate(stretches):
            tops_of_four(rows, examples[low:high], factors[low:high], gains[t : t + 4, s])
    for t in range(n_targets):
        own = gains[t]
        if t >= in_fours:
            for s, (low, high, _) in enumerate(stretches):
                own[s] = top_of(whole[t], means[t], examples[low:high], factors[low:high])
        tops[t] = own.max()
        low, high, upward = stretches[first_tied(own, tie)]
        stretch, floor = (examples[low:high], factors[low:high]), tops[t] * (1.0 - tie)
        cuts[t] = low + first_of_stretch(whole[t], means[t], *stretch, floor, upward > 0)


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
            return float(middle if middle < high else low)
        i += 1


@compiled(
    "Tuple((float64, int64, float64))(int64[::1], int64, uint32[:,::1], int64, int64,"
    " float64[:,::1], boolean[::1], int64, float64, float64[::1], float64[::1])"
)
def best_of_leaf(
    whole: Whole,
    mean: int,
    order: Examples,
    begin: int,
    end: int,
    values: FloatArray,
    tied: BoolArray,
    fewest: int,
    tie: float,
    factors: FloatArray,
    gains: FloatArray,
) -> tuple[float, int, float]:
    """Return the largest gain of a leaf's cuts; feature and threshold of the first that ties."""
    size = end - begin
    for left in range(1, size):
        allowed = min(left, size - left) >= fewest
        factors[left - 1] = np.sqrt(float(size) / float(left * (size - left))) if allowed else 0.0
    for f in range(len(order)):
        examples = order[f, begin:end]
        if not tied[f]:
            gains[f] = top_of(whole, mean, examples, factors[: size - 1])
            continue
        total, top = 0, 0.0
        for i in range(size - 1):
            total += whole[examples[i]] - mean
            gain = abs(float(total)) * factors[i]
            if gain > top and values[f, examples[i]] < values[f, examples[i + 1]]:
                top = gain
        gains[f] = top
    top, f = gains.max(), first_tied(gains, tie)
    if top == 0.0:
        return top, f, np.inf
    floor = top * (1.0 - tie)
    return top, f, first_of_feature(whole, mean, order[f, begin:end], values[f], factors, floor)


@compiled("void(uint32[:,::1], int64, int64, uint64[::1], uint32[::1])")
def part(order: Examples, begin: int, end: int, right: Flags, spare: Examples) -> None:
    """Move the examples that go right behind the others, in the order of every feature."""
    for f in range(len(order)):
        examples = order[f, begin:end]
        n_right = np.uint64(0)
        for i in range(len(examples)):
            example = examples[i]
            examples[np.uint64(i) - n_right] = spare[n_right] = example
            n_right += right[example]
        n_left = len(examples) - np.int64(n_right)
        examples[n_left:] = spare[: len(examples) - n_left]


@compiled(
    "void(int64[:,::1], uint32[:,::1], float64[:,::1], boolean[::1], float64[::1], float64, int64,"
    " int64, boolean, float64, int64[:,::1], int64[:,::1], float64[:,::1], int64[:,::1],"
    " int64[:,::1], int64[::1])"
)
def grow(
    targets: Whole,
    order: Examples,
    values: FloatArray,
    tied: BoolArray,
    gains: FloatArray,
    least: float,
    fewest: int,
    n_steps: int,
    one_at_a_time: bool,
    tie: float,
    parents: Whole,
    features: Whole,
    thresholds: FloatArray,
    counts: Whole,
    sums: Whole,
    n_leaves: Whole,
) -> None:
    """Grow the tree of each target; the first cut and its gain are given."""
    d, m = order.shape
    own, spare, right = np.empty((d, m), np.uint32), np.empty(m, np.uint32), np.empty(m, np.uint64)
    factors, of_features = np.empty(m), np.empty(d)
    # Where the examples of each leaf begin in `own`, and its best cut.
    begins, best = np.empty((2, counts.shape[1]), np.int64)
    tops, cuts = np.empty((2, counts.shape[1]))
    for t in range(len(targets)):
        whole = targets[t]
        begins[0], tops[0], best[0], cuts[0] = 0, gains[t], features[t, 0], thresholds[t, 0]
        if n_steps > 1:
            own[:] = order
        else:
            own[best[0]] = order[best[0]]
        for step in range(n_steps):
            made = n_leaves[t]
            first, last = 0, made
            if one_at_a_time:
                first = first_tied(tops[:made], tie)
                last = first + 1
            for leaf in range(first, last):
                if tops[leaf] <= least:
                    continue
                f, begin, size, new = best[leaf], begins[leaf], counts[t, leaf], n_leaves[t]
                examples = own[f, begin : begin + size]
                n_left, total = 0, 0
                while values[f, examples[n_left]] <= cuts[leaf]:
                    right[examples[n_left]] = 0
                    n_left += 1
                for i in range(n_left, size):
                    right[examples[i]] = 1
                    total += whole[examples[i]]
                parents[t, new - 1], features[t, new - 1] = leaf, f
                thresholds[t, new - 1] = cuts[leaf]
                counts[t, leaf], counts[t, new] = n_left, size - n_left
                sums[t, leaf], sums[t, new] = sums[t, leaf] - total, total
                begins[new] = begin + n_left
                n_leaves[t] = new + 1
                if step == n_steps - 1:
                    continue
                part(own, begin, begin + size, right, spare)
                for child in (leaf, new):
                    part_of_own = own, begins[child], begins[child] + counts[t, child]
                    mean, scratch = sums[t, child] // counts[t, child], (factors, of_features)
                    tops[child], best[child], cuts[child] = best_of_leaf(
                        whole, mean, *part_of_own, values, tied, fewest, tie, *scratch
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


@compiled("void(int32[:,::1], float64[::1], float64[:,::1], float64[:,::1])")
def follow(leaves: Leaves, kept: FloatArray, moves: FloatArray, scores: FloatArray) -> None:
    """Keep a share of the scores of each target and add what its leaves add."""
    for t in range(len(leaves)):
        for i in range(leaves.shape[1]):
            scores[t, i] = kept[t] * scores[t, i] + moves[t, leaves[t, i]]
