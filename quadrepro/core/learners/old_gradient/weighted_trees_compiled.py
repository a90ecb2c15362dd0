"""Growing weighted regression trees; see `quadrepro.core.learners.old_gradient.weighted_trees`.

Sums run in the order of the features, as numpy's do.
"""

from __future__ import annotations

import numpy as np

from quadrepro.base.types import BoolArray, FloatArray
from quadrepro.core.compiling import compiled
from quadrepro.core.learners.old_gradient.trees_compiled import (
    NUMBERS,
    Examples,
    Leaves,
    Whole,
    first_tied,
    part,
)


@compiled("float64(float64[::1], float64, float64, float64)")
def gain_of(sums: FloatArray, left: float, right: float, total: float) -> float:
    """Return the root of a cut's gain, given the sums of centred targets on its left side."""
    size = abs(sums[0])
    if len(sums) > 1:
        squares = 0.0
        for k in range(len(sums)):
            squares += sums[k] * sums[k]
        size = np.sqrt(squares)
    return float(size * np.sqrt(total / (left * right)))


@compiled(
    "float64(float64[:,::1], float64[::1], uint32[::1], float64[::1], boolean,"
    " UniTuple(float64, 2), float64, float64[::1], float64[::1])"
)
def scan(
    centred: FloatArray,
    weights: FloatArray,
    examples: Examples,
    values: FloatArray,
    tied: bool,
    limits: tuple[float, float],
    floor: float,
    sums: FloatArray,
    cut: FloatArray,
) -> float:
    """Return the largest gain of a feature's cuts, or the first that is at least `floor`.

    The threshold of the latter is written to `cut`. The limits are the total weight and the least
    on a side.
    """
    (total, least_weight), left, top = limits, 0.0, 0.0
    sums[:] = 0.0
    for i in range(len(examples) - 1):
        example = examples[i]
        left += weights[example]
        for k in range(len(sums)):
            sums[k] += centred[example, k]
        right = total - left
        if not (left > 0 and right > 0) or left < least_weight or right < least_weight:
            continue
        if tied and values[example] == values[examples[i + 1]]:
            continue
        gain = gain_of(sums, left, right, total)
        if gain > top:
            top = gain
        if gain >= floor:
            low, high = values[example], values[examples[i + 1]]
            middle = low / 2 + high / 2
            cut[0] = middle if middle < high else low
            break
    return top


@compiled(
    "Tuple((float64, int64, float64))(float64[:,::1], float64[::1], uint32[:,::1], int64, int64,"
    " float64[:,::1], boolean[::1], float64, float64, float64[:,::1], float64[::1])"
)
def best_of_leaf(
    targets: FloatArray,
    weights: FloatArray,
    order: Examples,
    begin: int,
    end: int,
    values: FloatArray,
    tied: BoolArray,
    least_weight: float,
    tie: float,
    centred: FloatArray,
    gains: FloatArray,
) -> tuple[float, int, float]:
    """Return the largest gain of a leaf's cuts; feature and threshold of the first that ties."""
    n_targets = targets.shape[1]
    sums, cut, total = np.zeros(n_targets), np.full(1, np.inf), 0.0
    for example in order[0, begin:end]:
        total += weights[example]
        for k in range(n_targets):
            sums[k] += weights[example] * targets[example, k]
    means = sums / total
    for example in order[0, begin:end]:
        for k in range(n_targets):
            centred[example, k] = weights[example] * (targets[example, k] - means[k])
    limits = total, least_weight
    for f in range(len(order)):
        own = order[f, begin:end]
        gains[f] = scan(centred, weights, own, values[f], tied[f], limits, np.inf, sums, cut)
    top = gains.max()
    if not top > 0.0:
        return 0.0, 0, np.inf
    f = first_tied(gains, tie)
    own, floor = order[f, begin:end], top * (1.0 - tie)
    scan(centred, weights, own, values[f], tied[f], limits, floor, sums, cut)
    return top, f, cut[0]


@compiled(
    "int64(float64[:,::1], float64[::1], uint32[:,::1], float64[:,::1], boolean[::1], float64,"
    " float64, int64, boolean, float64, int64[::1], int64[::1], float64[::1], int32[::1])"
)
def grow(
    targets: FloatArray,
    weights: FloatArray,
    order: Examples,
    values: FloatArray,
    tied: BoolArray,
    least_weight: float,
    least: float,
    n_steps: int,
    one_at_a_time: bool,
    tie: float,
    parents: Whole,
    features: Whole,
    thresholds: FloatArray,
    leaves: Leaves,
) -> int:
    """Grow a tree; all leaves are 0 at first."""
    d, m = order.shape
    own = order.copy() if n_steps > 1 else order
    spare, right = np.empty(m, np.uint32), np.empty(m, np.uint64)
    centred, gains = np.empty(targets.shape), np.empty(d)
    # Where the examples of each leaf begin and end in `own`, and its best cut.
    begins, ends, best = np.zeros((3, len(parents) + 1), np.int64)
    tops, cuts = np.zeros((2, len(parents) + 1))
    ends[0] = m
    limits = values, tied, least_weight, tie, centred, gains
    tops[0], best[0], cuts[0] = best_of_leaf(targets, weights, own, 0, m, *limits)
    n_leaves = 1
    for step in range(n_steps):
        made = n_leaves
        first, last = 0, made
        if one_at_a_time:
            first = first_tied(tops[:made], tie)
            last = first + 1
        for leaf in range(first, last):
            if tops[leaf] <= least:
                continue
            f, begin, end, new = best[leaf], begins[leaf], ends[leaf], n_leaves
            middle = begin
            while values[f, own[f, middle]] <= cuts[leaf]:
                right[own[f, middle]] = 0
                middle += 1
            for i in range(middle, end):
                right[own[f, i]] = 1
                leaves[own[f, i]] = new
            parents[new - 1], features[new - 1], thresholds[new - 1] = leaf, f, cuts[leaf]
            ends[leaf], begins[new], ends[new], tops[leaf] = middle, middle, end, 0.0
            n_leaves += 1
            if step == n_steps - 1:
                continue
            part(own, begin, end, right, spare)
            for child in (leaf, new):
                begin, end = begins[child], ends[child]
                tops[child], best[child], cuts[child] = best_of_leaf(
                    targets, weights, own, begin, end, *limits
                )
        if n_leaves == made:
            break
    return n_leaves - 1


@compiled(f"void({NUMBERS}, float64[::1], int32[::1], boolean, float64[:,:])")
def write_means(
    targets: FloatArray, weights: FloatArray, leaves: Leaves, anchored: bool, values: FloatArray
) -> None:
    """Write the weighted mean of each target in each leaf; all values are 0 at first."""
    sizes, sums = np.zeros(values.shape[1]), np.empty(values.shape[1])
    for i in range(len(leaves)):
        sizes[leaves[i]] += weights[i]
    for k in range(len(targets)):
        means = values[k]
        if anchored:
            for i in range(len(leaves)):
                means[leaves[i]] = targets[k, i]
        sums[:] = 0.0
        for i in range(len(leaves)):
            sums[leaves[i]] += weights[i] * (targets[k, i] - means[leaves[i]])
        for leaf in range(len(sums)):
            if sizes[leaf] > 0:
                means[leaf] += sums[leaf] / sizes[leaf]
