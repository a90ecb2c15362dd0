"""Regression and classification trees (CART), for many targets on the same examples.

With targets t and weights w of the examples, a cut of a leaf of weight W into parts of weights
W_L and W_R lowers its weighted sum of squared errors by

    S² W / (W_L W_R),  S = Σ w (t - mean of t in the leaf) over either part.

Running sums in the order of a feature therefore give the gains of all cuts by it. For classes, the
targets are the indicators of the classes, and S² is summed over them: the gain is the decrease of W
times the Gini impurity. Without weights every example counts once, and targets are rounded to
multiples of a tiny unit, so that their sums do not depend on the order. With weights, they are
summed in the order of the features.
"""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from quadrepro.base.types import FloatArray, IntArray, NumberArray
from quadrepro.core.jit import njit
from quadrepro.core.learners.cuts import (
    TIED_GAIN,
    Chunks,
    ExampleArray,
    LeafArray,
    Sorted,
    add_up,
    best_cut,
    best_cut_by_chunks,
    split_sums,
    write_moments,
)
from quadrepro.core.learners.rounds import first_of_largest

NO_GAIN = 1e-12
"""Share of the largest target, or of up to twice its size, that a gain's root must exceed."""

LOWEST, HIGHEST = np.uint32(0), np.uint32(2**32 - 1)
"""Limits of the range of ranks."""

MANY_EXAMPLES, EXAMPLES_PER_LEAF = 2**14, 2**11
"""Least number of examples, and least average number in a leaf, for sums over chunks to pay."""

LISTED_SHARE = 0.25
"""Least share of examples in lists for this, since the sums include the most frequent value."""

MANY_CUTS = 64
"""Least number of cuts for which walking down a tree is faster than a vectorised pass over all
examples for each cut."""

LARGEST_TREE = 10_000
"""Largest number of cuts, or levels, of a tree."""


class Trees(NamedTuple):
    """One tree for each target, described by its cuts, in order.

    Examples above the threshold of cut s move from their leaf to leaf s + 1; the others stay. A
    tree with fewer cuts than others has infinite thresholds.

    Attributes
    ----------
    parents : ndarray of int, shape (n_targets, n_cuts)
        The leaf that is cut.
    features : ndarray of int, shape (n_targets, n_cuts)
        The feature by which it is cut.
    thresholds : ndarray of shape (n_targets, n_cuts)
        The value above which examples leave it.
    gains : ndarray of shape (n_targets, n_cuts)
        Square root of the decrease of the sum of squared errors; 0 without a cut.
    values : ndarray of shape (n_targets, n_cuts + 1)
        The answer in each leaf: the mean of the targets, or the answer of a classification tree.
    """

    parents: IntArray
    features: IntArray
    thresholds: FloatArray
    gains: FloatArray
    values: FloatArray

    def leaves(self, columns: FloatArray) -> LeafArray:
        """Return the leaf of each example, a column, shape (n_targets, n_new)."""
        leaves = np.zeros((len(self.values), columns.shape[1]), dtype=np.int32)
        descend = _cut_by_cut if self.features.shape[1] < MANY_CUTS else _walk_down
        # numba takes an array much faster than a tuple of arrays.
        descend(self.parents, self.features, self.thresholds, columns, leaves)
        return leaves

    def answers(self, leaves: LeafArray) -> FloatArray:
        """Return the values at given leaves, shape (n_targets, n_examples)."""
        answers = np.empty(leaves.shape)
        _look_up(leaves, self.values, answers)
        return answers


@njit
def _look_up(leaves: LeafArray, values: FloatArray, answers: FloatArray) -> None:
    """Write the values at leaves, shape (n_targets, n_examples)."""
    for t in range(len(leaves)):
        for i in range(leaves.shape[1]):
            answers[t, i] = values[t, leaves[t, i]]


@njit
def _cut_by_cut(
    parents: IntArray,
    features: IntArray,
    thresholds: FloatArray,
    columns: FloatArray,
    leaves: LeafArray,
) -> None:
    """Write leaves, (n_targets, n_new), of columns, (n_features, n_new), by a pass for each cut."""
    for t in range(len(features)):
        own = leaves[t]
        for s in range(features.shape[1]):
            column, threshold, parent = columns[features[t, s]], thresholds[t, s], parents[t, s]
            new = np.int32(s + 1)
            for i in range(len(own)):
                own[i] = new if own[i] == parent and column[i] > threshold else own[i]


@njit
def _walk_down(
    parents: IntArray,
    features: IntArray,
    thresholds: FloatArray,
    columns: FloatArray,
    leaves: LeafArray,
) -> None:
    """Write leaves, (n_targets, n_new), of columns, (n_features, n_new), example by example."""
    n_cuts = features.shape[1]
    following = np.empty((n_cuts, 2), np.int64)
    for t in range(len(features)):
        feature, threshold, parent = features[t], thresholds[t], parents[t]
        # The first cut of each leaf after cut s, where -1 is none.
        firsts = np.full(n_cuts + 1, -1, np.int64)
        for s in range(n_cuts - 1, -1, -1):
            if threshold[s] < np.inf:
                following[s] = firsts[parent[s]], firsts[s + 1]
                firsts[parent[s]] = s
        for i in range(leaves.shape[1]):
            s = firsts[0]
            while s >= 0:
                above = columns[feature[s], i] > threshold[s]
                leaves[t, i] = s + 1 if above else leaves[t, i]
                s = following[s, np.int64(above)]


class TreeSize(NamedTuple):
    """Number of single cuts, or of levels, and the largest number of leaves."""

    steps: int
    by_level: bool
    n_leaves: int


class TreeFitter:
    """Fits trees to changing targets and weights on the same examples, which are sorted once.

    Ties go to the oldest leaf, then to the lowest feature, then to the lowest threshold. A
    threshold is midway between neighbouring values. A leaf that no cut improves is not cut.

    Parameters
    ----------
    X : ndarray of shape (n_examples, n_features)
        Training examples, finite.
    cuts : int, default 1
        Number of cuts J; each is the one that lowers the sum of squares most. 1 gives a stump.
    depth : int or None, default None
        Cut every leaf down to this depth instead.
    least_share : float, default 0.0
        Least share of the total weight in a leaf.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0.0], [1.0], [2.0], [3.0]])
    >>> trees, leaves = TreeFitter(X).fit(np.array([[1.0, 1.0, 4.0, 6.0]]))
    >>> trees.thresholds, trees.answers(leaves)
    (array([[1.5]]), array([[1., 1., 5., 5.]]))
    """

    def __init__(
        self, X: FloatArray, cuts: int = 1, depth: int | None = None, least_share: float = 0.0
    ) -> None:
        self._sorted = Sorted.by_features(X)
        # Every cut makes a leaf of at least one example.
        most = max(len(X) - 1, 1)
        steps = min(cuts if depth is None else depth, most)
        n_cuts = steps if depth is None else min(2**steps - 1, most)
        self._size, self._least_share = TreeSize(steps, depth is not None, n_cuts + 1), least_share

    @cached_property
    def _chunks(self) -> Chunks | None:
        """The chunks of the lists, or None if sums over them would not save time."""
        examples, n_leaves = self._sorted, self._size.n_leaves
        enough = examples.ranks.shape[1] >= max(MANY_EXAMPLES, EXAMPLES_PER_LEAF * n_leaves)
        long_lists = len(examples.listed) > LISTED_SHARE * examples.ranks.size
        return Chunks.by_places(examples, n_leaves) if enough and long_lists else None

    def fit(
        self, targets: FloatArray, weights: FloatArray | None = None
    ) -> tuple[Trees, LeafArray]:
        """Fit one tree to each target.

        Parameters
        ----------
        targets : ndarray of shape (n_targets, n_examples)
            Finite numbers.
        weights : ndarray of shape (n_examples,) or (n_targets, n_examples), or None, default None
            Positive weights of the examples; None to count each once.

        Returns
        -------
        trees : Trees
            The fitted trees.
        leaves : ndarray of int32, shape (n_targets, n_examples)
            The leaf of each training example.
        """
        if weights is None:
            largest = np.maximum(targets.max(axis=1), -targets.min(axis=1))
            whole, units = whole_numbers(targets, largest)
            limits = np.full(len(targets), NO_GAIN * largest_whole(targets.shape[1]))
            trees, leaves = self._grown(whole, None, limits)
            _whole_means(whole, leaves, trees.values)
            units = units[:, None]
            return trees._replace(gains=units * trees.gains, values=units * trees.values), leaves
        if weights.ndim == 1:
            weights = np.tile(weights, (len(targets), 1))
        limits = NO_GAIN * np.sqrt((weights * targets * targets).sum(axis=1))
        trees, leaves = self._grown(targets, weights, limits)
        _means(targets, weights, leaves, trees.values)
        return trees, leaves

    def fit_classes(
        self, y: IntArray, weights: FloatArray, n_classes: int
    ) -> tuple[Trees, LeafArray, FloatArray]:
        """Fit one tree to classes, by the Gini impurity.

        Parameters
        ----------
        y : ndarray of int, shape (n_examples,)
            Class of each example, from 0 on.
        weights : ndarray of shape (n_examples,)
            Positive weights of the examples.
        n_classes : int
            Number of classes, at least 2.

        Returns
        -------
        trees : Trees
            The fitted tree; its leaves have no values.
        leaves : ndarray of int32, shape (1, n_examples)
            The leaf of each training example.
        shares : ndarray of shape (n_leaves, n_classes)
            Share of each class in the weight of a leaf.
        """
        limits = np.array([NO_GAIN * np.sqrt(weights.sum())])
        # Both indicators of two classes have the same gains, and one of them is y.
        n_outputs = 1 if n_classes == 2 else n_classes
        trees, leaves = self._grown(y[None].astype(np.float64), weights[None], limits, n_outputs)
        shape = trees.values.shape[1], n_classes
        totals = np.bincount(leaves[0] * n_classes + y, weights, shape[0] * shape[1]).reshape(shape)
        return trees, leaves, totals / totals.sum(axis=1, keepdims=True)

    def _grown(
        self,
        targets: NumberArray,
        weights: FloatArray | None,
        no_gain: FloatArray,
        n_outputs: int = 1,
    ) -> tuple[Trees, LeafArray]:
        """Return trees without values, and the leaves of the examples, (n_targets, n_examples)."""
        n, m = targets.shape
        n_cuts = self._size.n_leaves - 1
        parents, features = np.zeros((2, n, n_cuts), dtype=np.int64)
        thresholds, gains = np.full((n, n_cuts), np.inf), np.zeros((n, n_cuts))
        trees = Trees(parents, features, thresholds, gains, np.zeros((n, n_cuts + 1)))
        leaves = np.zeros((n, m), dtype=np.int32)
        total = np.full(n, float(m)) if weights is None else weights.sum(axis=1)
        # The slack allows for the rounding of the product and of sums of weights.
        least = np.maximum((self._least_share - 1e-9) * total, 1e-100)
        limits = self._size, least, no_gain
        chunks = self._chunks if weights is None else None
        _grow(targets, weights, n_outputs, self._sorted, chunks, *limits, trees, leaves)
        made = int(leaves.max())
        cuts = (np.ascontiguousarray(part[:, :made]) for part in trees[:4])
        return Trees._make([*cuts, np.zeros((n, made + 1))]), leaves


def largest_whole(n_examples: int) -> int:
    """Return the largest size of whole numbers whose sum over n examples is below 2^62."""
    return 1 << (62 - n_examples.bit_length())


def whole_numbers(targets: FloatArray, largest: FloatArray) -> tuple[NDArray[np.int64], FloatArray]:
    """Round targets to whole numbers of small units.

    Parameters
    ----------
    targets : ndarray of shape (n_targets, n_examples)
        Finite numbers.
    largest : ndarray of shape (n_targets,)
        The largest size in each row.

    Returns
    -------
    whole : ndarray of int64, shape (n_targets, n_examples)
        The targets in these units, at most `largest_whole`. Unless all targets of a row are tiny,
        one of them is at least half as large.
    units : ndarray of shape (n_targets,)
        The units, powers of two.
    """
    exponents = np.frexp(largest)[1] + 1 - largest_whole(targets.shape[1]).bit_length()
    # With the limit no unit is a subnormal number; smaller targets count as zero anyway.
    units = np.ldexp(1.0, np.maximum(exponents, -1000))
    return np.rint(targets / units[:, None]).astype(np.int64), units


@njit
def _whole_means(targets: IntArray, leaves: LeafArray, means: FloatArray) -> None:
    """Write the mean of whole numbers in each leaf, shape (n_targets, n_leaves)."""
    for t in range(len(targets)):
        sums = np.zeros(means.shape[1], np.int64)
        counts = np.zeros(means.shape[1], np.int64)
        for i in range(targets.shape[1]):
            sums[leaves[t, i]] += targets[t, i]
            counts[leaves[t, i]] += 1
        for leaf in range(len(sums)):
            means[t, leaf] = sums[leaf] / max(counts[leaf], 1)


@njit
def _means(targets: FloatArray, weights: FloatArray, leaves: LeafArray, means: FloatArray) -> None:
    """Write the weighted mean of the targets in each leaf, shape (n_targets, n_leaves)."""
    for t in range(len(targets)):
        sizes = np.full(means.shape[1], 1e-300)
        for i in range(targets.shape[1]):
            sizes[leaves[t, i]] += weights[t, i]
        # The second pass adds the mean of the remainders, so that the mean of equal targets is that
        # target to the last bit; boosting of separable classes would amplify any difference.
        for _ in range(2):
            sums = np.zeros(means.shape[1])
            for i in range(targets.shape[1]):
                sums[leaves[t, i]] += weights[t, i] * (targets[t, i] - means[t, leaves[t, i]])
            means[t] += sums / sizes


@njit
def _grow(
    targets: NumberArray,
    weights: FloatArray | None,
    n_outputs: int,
    examples: Sorted,
    chunks: Chunks | None,
    size: TreeSize,
    least: FloatArray,
    no_gain: FloatArray,
    trees: Trees,
    leaves: LeafArray,
) -> None:
    """Grow a tree for each target; at first, all leaves are 0 and thresholds infinite.

    Targets, weights and leaves have shape (n_targets, n_examples). Without weights, targets are
    whole numbers; with more than one output, they are classes.
    """
    most = size.n_leaves
    starts, sorted_lists = examples.starts, examples.listed
    if chunks is not None:
        # A single list, since sums over chunks are in the order of memory.
        starts, sorted_lists = np.array([0, targets.shape[1]]), chunks.order
        listed, spare = chunks.listed, chunks.spare
    else:
        listed = np.empty_like(sorted_lists) if size.steps > 1 else sorted_lists
        spare = np.empty(targets.shape[1], np.uint32)
    n_lists = len(starts) - 1
    # For each leaf: its part of each list, and its best cut, whose gain is -1 if not computed.
    begins, ends = np.empty((most, n_lists), np.int64), np.empty((most, n_lists), np.int64)
    tops, lists, bounds = np.empty(most), np.empty(most, np.int64), np.empty(most, np.int64)
    for t in range(len(targets)):
        own = leaves[t]
        if size.steps > 1:
            listed[:] = sorted_lists
        begins[0], ends[0], tops[0] = starts[:-1], starts[1:], -1.0
        if chunks is None:
            response = _response(targets, weights, t, n_outputs)
        else:
            write_moments(targets[t], chunks.count_bits, chunks.moments)
            add_up(chunks.codes, chunks.moments, chunks.order, chunks.sums[0])
        n_leaves = 1
        for step in range(size.steps):
            if chunks is None:
                counts, sums = _sums(response, own, n_leaves, n_outputs)
            for leaf in range(n_leaves):
                if tops[leaf] >= 0.0:
                    continue
                if chunks is None:
                    parts = listed, begins[leaf], ends[leaf], counts[leaf], sums[leaf]
                    tops[leaf], lists[leaf], bounds[leaf] = best_cut(
                        response, weights, examples.ranks, *parts, least[t]
                    )
                else:
                    tops[leaf], lists[leaf], bounds[leaf] = best_cut_by_chunks(
                        examples, chunks, own, leaf, least[t]
                    )
            made, first, last = n_leaves, 0, n_leaves
            if not size.by_level:
                first = first_of_largest(tops[:made], TIED_GAIN)
                last = first + 1
            for parent in range(first, last):
                if tops[parent] <= no_gain[t]:
                    continue
                new, f, s = n_leaves, lists[parent] // 2, n_leaves - 1
                n_leaves += 1
                low, high = _split(own, parent, new, examples.ranks[f], bounds[parent])
                trees.parents[t, s], trees.features[t, s] = parent, f
                trees.gains[t, s] = tops[parent]
                below, above = examples.values[f, low], examples.values[f, high]
                middle = below / 2 + above / 2
                # If no number is between them, the lower value is the threshold.
                trees.thresholds[t, s] = middle if middle < above else below
                tops[parent] = tops[new] = -1.0
                for part in range(n_lists if step < size.steps - 1 else 0):
                    begin, end = begins[parent, part], ends[parent, part]
                    begins[new, part] = _part(listed, begin, end, own, new, spare)
                    ends[parent, part], ends[new, part] = begins[new, part], end
                if chunks is not None and step < size.steps - 1:
                    staying = listed[begins[parent, 0] : ends[parent, 0]]
                    moved = listed[begins[new, 0] : ends[new, 0]]
                    split_sums(chunks, parent, new, staying, moved)
            if n_leaves == made:
                break


@njit
def _response(
    targets: NumberArray, weights: FloatArray | None, t: int, n_outputs: int
) -> NumberArray:
    """Return the target of each example, or w with w (t - mean of t), or w with the class.

    The shape is (n_examples, 1), or (n_examples, 2) with weights: the columns are adjacent in
    memory, as a search reads them together.
    """
    if weights is None:
        return np.asarray(targets[t].copy().reshape(-1, 1))
    weight, target = weights[t], targets[t]
    response = np.empty((len(target), 2))
    response[:, 0], response[:, 1] = weight, target
    if n_outputs == 1:
        response[:, 1] = weight * (target - (weight * target).sum() / weight.sum())
    return response


@njit
def _sums(
    response: NumberArray, leaves: LeafArray, n_leaves: int, n_outputs: int
) -> tuple[IntArray, NumberArray]:
    """Return the number of examples in every leaf, and the sums of their responses.

    The shapes are (n_leaves,) and (n_leaves, n_sums). With classes, the sums are the total of w and
    the total of w in each class.
    """
    last = response.shape[1] - 1
    counts = np.zeros(n_leaves, np.int64)
    sums = np.zeros((n_leaves, last + n_outputs), response.dtype)
    for i in range(len(leaves)):
        leaf = leaves[i]
        counts[leaf] += 1
        sums[leaf, 0] += response[i, 0]
        if n_outputs > 1:
            sums[leaf, 1 + np.int64(response[i, 1])] += response[i, 0]
        elif last == 1:
            sums[leaf, 1] += response[i, 1]
    return counts, sums


@njit
def _split(
    leaves: LeafArray, parent: int, new: int, ranks: ExampleArray, bound: int
) -> tuple[np.uint32, np.uint32]:
    """Move examples, (n_examples,), above a rank to a new leaf; return the ranks around the cut."""
    # Operators instead of branches, on numbers of 32 bits, make this loop vectorised.
    source, target, last = np.int32(parent), np.int32(new), np.uint32(bound)
    low, high = LOWEST, HIGHEST
    for i in range(len(leaves)):
        inside, rank = leaves[i] == source, ranks[i]
        low = max(low, rank if inside & (rank <= last) else LOWEST)
        high = min(high, rank if inside & (rank > last) else HIGHEST)
        leaves[i] = target if inside & (rank > last) else leaves[i]
    return low, high


@njit
def _part(
    listed: ExampleArray, begin: int, end: int, leaves: LeafArray, new: int, spare: ExampleArray
) -> np.int64:
    """Move a new leaf's examples to the end of ``listed[begin:end]``; return their first place."""
    # Each example is written to two places and overwritten in one, which is faster than a branch.
    # Unsigned numbers need no check for negative indices.
    left, right = np.uint64(begin), np.uint64(0)
    for i in range(begin, end):
        example = listed[i]
        listed[left] = spare[right] = example
        moves = np.uint64(leaves[example] == new)
        left, right = left + np.uint64(1) - moves, right + moves
    for i in range(right):
        listed[left + i] = spare[i]
    return np.int64(left)
