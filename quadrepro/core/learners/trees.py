"""Regression trees fitted by least squares (CART), for many targets on the same examples.

With targets t and weights w of the examples, a cut of a leaf of weight W into parts of weights
W_L and W_R lowers its weighted sum of squared errors by

    S² W / (W_L W_R),  S = Σ w (t - mean of t in the leaf) over either part.

So the gains of all cuts by a feature come from running sums in its order. Without weights every
example counts once, and targets are rounded to whole numbers of a tiny unit: then the order in
which they are added does not matter. With weights they are added in the order of the features.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from quadrepro.base.types import FloatArray, IntArray, NumberArray
from quadrepro.core.jit import njit

LeafArray = NDArray[np.int32]
ExampleArray = NDArray[np.uint32]

TIE = 1e-10
"""Cuts tie if their gains differ by at most this share: equal cuts may differ by rounding."""

NO_GAIN = 1e-12
"""Least share of the largest target, or of up to twice its size, that a gain's root must exceed."""

LOWEST, HIGHEST = np.uint32(0), np.uint32(2**32 - 1)
"""Ends of the range of ranks."""

LARGEST_TREE = 10_000
"""A tree has at most this number of cuts, or levels."""


class Trees(NamedTuple):
    """One tree for each target, given by its cuts in the order in which they were made.

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
        Mean of the targets in each leaf.
    """

    parents: IntArray
    features: IntArray
    thresholds: FloatArray
    gains: FloatArray
    values: FloatArray

    def leaves(self, columns: FloatArray) -> LeafArray:
        """Return the leaf in which each example, a column, ends, shape (n_targets, n_new)."""
        leaves = np.zeros((len(self.values), columns.shape[1]), dtype=np.int32)
        _descend(columns, self.parents, self.features, self.thresholds, leaves)
        return leaves

    def answers(self, leaves: LeafArray) -> FloatArray:
        """Return the values of leaves, shape (n_targets, n_examples)."""
        answers = np.empty(leaves.shape)
        _look_up(leaves, self.values, answers)
        return answers


@njit
def _look_up(leaves: LeafArray, values: FloatArray, answers: FloatArray) -> None:
    for t in range(len(leaves)):
        for i in range(leaves.shape[1]):
            answers[t, i] = values[t, leaves[t, i]]


@njit
def _descend(
    columns: FloatArray,
    parents: IntArray,
    features: IntArray,
    thresholds: FloatArray,
    leaves: LeafArray,
) -> None:
    for t in range(len(features)):
        own = leaves[t]
        for s in range(features.shape[1]):
            column, threshold, parent = columns[features[t, s]], thresholds[t, s], parents[t, s]
            new = np.int32(s + 1)
            for i in range(len(own)):
                own[i] = new if own[i] == parent and column[i] > threshold else own[i]


class Sorted(NamedTuple):
    """The examples in the order of each feature, without those of its most frequent value.

    Running sums start at both ends of a feature and stop before that value, so that a feature that
    is mostly 0 costs only as much as its other values. List 2f has the examples below the most
    frequent value of feature f, from the lowest up; list 2f + 1 those above it, from the highest
    down.

    Attributes
    ----------
    values : ndarray of shape (n_features, n_examples)
        The distinct values of each feature, increasing; infinite from their number on.
    ranks : ndarray of uint32, shape (n_features, n_examples)
        The place of each example's value among them.
    listed : ndarray of uint32, shape (n_listed,)
        The examples of all lists.
    starts : ndarray of int, shape (2 * n_features + 1,)
        Where each list begins.
    """

    values: FloatArray
    ranks: ExampleArray
    listed: ExampleArray
    starts: IntArray

    @classmethod
    def of(cls, X: FloatArray) -> Sorted:
        """Sort the examples by each feature."""
        values, lists = np.full(X.shape[::-1], np.inf), []
        ranks = np.empty(values.shape, dtype=np.uint32)
        for f, column in enumerate(X.T):
            distinct, own, counts = np.unique(column, return_inverse=True, return_counts=True)
            values[f, : len(distinct)], ranks[f] = distinct, own
            order = own.argsort(kind="stable").astype(np.uint32)
            # The last of equally frequent values: without ties there is only an upward list.
            frequent = len(counts) - 1 - int(counts[::-1].argmax())
            lists += [order[own[order] < frequent], order[own[order] > frequent][::-1]]
        starts = np.cumsum([0, *map(len, lists)])
        return cls(values, ranks, np.concatenate(lists), starts)


class Size(NamedTuple):
    """Cuts one at a time, or levels; and the least weight of a leaf."""

    steps: int
    by_level: bool
    least: float


class TreeFitter:
    """Fits trees to changing targets on the same examples.

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
    weights : ndarray of shape (n_examples,) or None, default None
        Positive weights of the examples; None to count each once.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0.0], [1.0], [2.0], [3.0]])
    >>> trees, leaves = TreeFitter(X).fit(np.array([[1.0, 1.0, 4.0, 6.0]]))
    >>> trees.thresholds, trees.answers(leaves)
    (array([[1.5]]), array([[1., 1., 5., 5.]]))
    """

    def __init__(
        self,
        X: FloatArray,
        cuts: int = 1,
        depth: int | None = None,
        least_share: float = 0.0,
        weights: FloatArray | None = None,
    ) -> None:
        self._sorted, self._weights = Sorted.of(X), weights
        # Every cut makes a leaf of at least one example.
        most = max(len(X) - 1, 1)
        steps = min(cuts if depth is None else depth, most)
        self._n_cuts = steps if depth is None else min(2**steps - 1, most)
        total = len(X) if weights is None else weights.sum()
        # The slack is for the rounding of the product and of sums of weights.
        least = max((least_share - 1e-9) * float(total), 1e-100)
        self._size = Size(steps, depth is not None, least)

    def fit(self, targets: FloatArray) -> tuple[Trees, LeafArray]:
        """Fit one tree to each target.

        Parameters
        ----------
        targets : ndarray of shape (n_targets, n_examples)
            Finite numbers.

        Returns
        -------
        trees : Trees
            The fitted trees.
        leaves : ndarray of int32, shape (n_targets, n_examples)
            The leaf of each training example.
        """
        n, m = targets.shape
        largest = np.maximum(targets.max(axis=1), -targets.min(axis=1))
        numbers: NumberArray = targets
        units, limits = np.ones(n), largest
        if self._weights is None:
            numbers, units = whole_numbers(targets, largest)
            limits = np.full(n, float(largest_whole(m)))
        trees = Trees(
            np.zeros((n, self._n_cuts), dtype=np.int64),
            np.zeros((n, self._n_cuts), dtype=np.int64),
            np.full((n, self._n_cuts), np.inf),
            np.zeros((n, self._n_cuts)),
            np.zeros((n, self._n_cuts + 1)),
        )
        leaves = np.zeros((n, m), dtype=np.int32)
        _grow(numbers, self._weights, self._sorted, self._size, NO_GAIN * limits, trees, leaves)
        units = units[:, None]
        made = int(leaves.max())
        return Trees(
            np.ascontiguousarray(trees.parents[:, :made]),
            np.ascontiguousarray(trees.features[:, :made]),
            np.ascontiguousarray(trees.thresholds[:, :made]),
            units * trees.gains[:, :made],
            units * trees.values[:, : made + 1],
        ), leaves


def largest_whole(n_examples: int) -> int:
    """Return the largest size of whole numbers such that this many sum to less than 2^62."""
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
    # With the limit no unit is a subnormal number. Targets that small count as nothing anyway.
    units = np.ldexp(1.0, np.maximum(exponents, -1000))
    return np.rint(targets / units[:, None]).astype(np.int64), units


@njit
def _grow(
    targets: NumberArray,
    weights: FloatArray | None,
    examples: Sorted,
    size: Size,
    no_gain: FloatArray,
    trees: Trees,
    leaves: LeafArray,
) -> None:
    """Grow a tree for each target; all leaves are 0, and thresholds infinite, at first."""
    n_lists, most = len(examples.starts) - 1, trees.values.shape[1]
    listed, spare = examples.listed.copy(), np.empty(targets.shape[1], np.uint32)
    # Of each leaf: its part of each list, and its best cut, whose gain is negative if unknown.
    begins, ends = np.empty((most, n_lists), np.int64), np.empty((most, n_lists), np.int64)
    tops, lists, bounds = np.empty(most), np.empty(most, np.int64), np.empty(most, np.int64)
    for t in range(len(targets)):
        target, own = targets[t], leaves[t]
        if size.steps > 1:
            listed[:] = examples.listed
        begins[0], ends[0], tops[0] = examples.starts[:-1], examples.starts[1:], -1.0
        n_leaves = 1
        for step in range(size.steps):
            for leaf in range(n_leaves):
                if tops[leaf] < 0.0:
                    parts = begins[leaf], ends[leaf], _summary(target, weights, own, leaf)
                    tops[leaf], lists[leaf], bounds[leaf] = _best_cut(
                        target, weights, examples.ranks, listed, *parts, size.least
                    )
            made, first, last = n_leaves, 0, n_leaves
            if not size.by_level:
                first = _first_tied(tops[:made])
                last = first + 1
            for parent in range(first, last):
                if tops[parent] <= no_gain[t]:
                    continue
                new, f, cut = n_leaves, lists[parent] // 2, n_leaves - 1
                n_leaves += 1
                low, high = _split(own, parent, new, examples.ranks[f], bounds[parent])
                trees.parents[t, cut], trees.features[t, cut] = parent, f
                trees.gains[t, cut] = tops[parent]
                below, above = examples.values[f, low], examples.values[f, high]
                middle = below / 2 + above / 2
                # If no number lies between them, examples of the lower value stay all the same.
                trees.thresholds[t, cut] = middle if middle < above else below
                tops[parent] = tops[new] = -1.0
                for s in range(n_lists if step < size.steps - 1 else 0):
                    begin, end = begins[parent, s], ends[parent, s]
                    begins[new, s] = _part(listed, begin, end, own, new, spare)
                    ends[parent, s], ends[new, s] = begins[new, s], end
            if n_leaves == made:
                break
        for leaf in range(n_leaves):
            trees.values[t, leaf] = _summary(target, weights, own, leaf)[3]


@njit
def _summary(
    target: NumberArray, weights: FloatArray | None, leaves: LeafArray, leaf: int
) -> tuple[int, float, float, float]:
    """Return number and weight of a leaf's examples, and the centre and the mean of the target."""
    count = 0
    if weights is None:
        whole = 0
        for i in range(len(target)):
            inside = leaves[i] == leaf
            count += inside
            whole += target[i] if inside else 0
        return count, float(count), whole // count, whole / count
    total, weight, rest = 0.0, 0.0, 0.0
    for i in range(len(target)):
        if leaves[i] == leaf:
            count += 1
            weight += weights[i]
            total += weights[i] * target[i]
    mean = total / weight
    for i in range(len(target)):
        if leaves[i] == leaf:
            rest += weights[i] * (target[i] - mean)
    # The mean of equal targets is that target to the last bit: boosting of separable classes
    # enlarges any difference between them from round to round.
    mean += rest / weight
    return count, weight, mean, mean


@njit
def _best_cut(
    target: NumberArray,
    weights: FloatArray | None,
    ranks: ExampleArray,
    listed: ExampleArray,
    begins: IntArray,
    ends: IntArray,
    leaf: tuple[int, float, float, float],
    least: float,
) -> tuple[float, int, np.int64]:
    """Return the root of the largest gain of a leaf's cuts, its list, and the highest rank left."""
    count, size, centre, _ = leaf
    factors = np.empty(count - 1)
    for i in range(count - 1):
        left, right = i + 1.0, count - i - 1.0
        factors[i] = np.sqrt(size / (left * right)) if min(left, right) >= least else 0.0
    top, best, bound = 0.0, 0, np.int64(0)
    for s in range(len(begins)):
        examples, rank = listed[begins[s] : ends[s]], ranks[s // 2]
        # Of cuts that tie, the first is taken on the way up, and the last on the way down.
        tie = 1.0 + TIE if s % 2 == 0 else 1.0 - TIE
        floor, total, left = top * (1.0 + TIE), centre - centre, 0.0
        for i in range(min(len(examples), count - 1)):
            example = examples[i]
            if weights is None:
                total += target[example] - centre
                gain = abs(float(total)) * factors[i]
            else:
                total += weights[example] * (target[example] - centre)
                left += weights[example]
                right = size - left
                gain = 0.0
                if min(left, right) >= least:
                    gain = abs(total) * np.sqrt(size / (left * right))
            if gain > floor and (i == len(examples) - 1 or rank[example] != rank[examples[i + 1]]):
                top, best, floor = gain, s, gain * tie
                bound = np.int64(rank[example]) - s % 2
    return top, best, bound


@njit
def _first_tied(gains: FloatArray) -> int:
    """Return the first place of the largest gain, or of one that ties with it."""
    floor, place = gains.max() * (1.0 - TIE), 0
    while gains[place] < floor:
        place += 1
    return place


@njit
def _split(
    leaves: LeafArray, parent: int, new: int, ranks: ExampleArray, bound: int
) -> tuple[np.uint32, np.uint32]:
    """Move ranks above a bound to a new leaf; return the neighbouring ranks on either side."""
    # Operators instead of branches, on numbers of 32 bits, make this a loop of vectors.
    here, there, last = np.int32(parent), np.int32(new), np.uint32(bound)
    low, high = LOWEST, HIGHEST
    for i in range(len(leaves)):
        inside, rank = leaves[i] == here, ranks[i]
        low = max(low, rank if inside & (rank <= last) else LOWEST)
        high = min(high, rank if inside & (rank > last) else HIGHEST)
        leaves[i] = there if inside & (rank > last) else leaves[i]
    return low, high


@njit
def _part(
    listed: ExampleArray, begin: int, end: int, leaves: LeafArray, new: int, spare: ExampleArray
) -> np.int64:
    """Move the examples of a new leaf behind the others, in order; return where they begin."""
    # An example is written to both places, and to one of them in vain: faster than a branch.
    # Unsigned numbers spare the check of negative indices.
    left, right = np.uint64(begin), np.uint64(0)
    for i in range(begin, end):
        example = listed[i]
        listed[left] = spare[right] = example
        moves = np.uint64(leaves[example] == new)
        left, right = left + np.uint64(1) - moves, right + moves
    for i in range(right):
        listed[left + i] = spare[i]
    return np.int64(left)
