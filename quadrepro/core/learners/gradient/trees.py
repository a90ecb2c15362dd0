"""Regression trees fitted by least squares (CART), for many targets at once.

Features are sorted once. If the targets of a leaf are centred, a cut of its n examples into n_L and
n_R lowers their sum of squares by S² n / (n_L n_R), where S is the sum of the targets on either
side. So all gains come from running sums of the targets in the order of each feature. The targets
are whole numbers, so that the order in which they are added does not matter.
"""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quadrepro.base.types import BoolArray, FloatArray, IntArray
from quadrepro.core import compiling

LeafArray = NDArray[np.int32]
WholeArray = NDArray[np.int64]

TIE = 1e-10
"""Cuts tie if their gains differ by at most this share.

If two features give the same cut, their gains may differ by rounding.
"""


LARGEST_TREE = 10_000
"""A tree has at most as many cuts, or levels."""


def check_size(cuts: int, depth: int | None) -> None:
    """Raise ValueError if a number of cuts or a depth is out of range, or both are given."""
    for name, size in (("cuts", cuts), ("depth", depth)):
        if size is not None and not (isinstance(size, Integral) and 1 <= int(size) <= LARGEST_TREE):
            raise ValueError(
                f"{name} must be a whole number from 1 to {LARGEST_TREE}, not {size!r}"
            )
    if depth is not None and cuts != 1:
        raise ValueError(f"depth replaces cuts: give depth {depth} or cuts {cuts}, not both")


def largest_whole(n_examples: int) -> int:
    """Return the largest size of whole numbers of which so many sum to less than 2^62."""
    return 1 << (62 - n_examples.bit_length())


def whole_numbers(targets: FloatArray) -> tuple[WholeArray, FloatArray]:
    """Express targets in units so small that they may be rounded to whole numbers.

    Parameters
    ----------
    targets : ndarray of shape (n_targets, n_examples)
        Targets; if one of a row is not finite, all of them count as 0.

    Returns
    -------
    whole : ndarray of int64, shape (n_targets, n_examples)
        Their values in these units, at most `largest_whole`. Unless all targets of a row are tiny,
        one of them is at least half as large.
    units : ndarray of shape (n_targets,)
        The units, powers of two; NaN if a target is not finite.
    """
    largest = np.abs(targets).max(axis=1)
    finite = np.isfinite(largest)
    if not finite.all():
        targets, largest = np.where(finite[:, None], targets, 0.0), np.where(finite, largest, 0.0)
    exponents = np.frexp(largest)[1] + 1 - largest_whole(targets.shape[1]).bit_length()
    # With the limit no unit is a subnormal number. Targets that small count as nothing anyway.
    units = np.ldexp(1.0, np.maximum(exponents, -1000))
    whole = np.rint(targets / units[:, None]).astype(np.int64)
    return whole, units if finite.all() else np.where(finite, units, np.nan)


def midpoints(low: FloatArray, high: FloatArray) -> FloatArray:
    """Return the thresholds between neighbouring values."""
    middle = low / 2 + high / 2
    # If no number lies between them, the lower one is the threshold, and its examples go left.
    return np.where(middle < high, middle, low)


class SortedFeatures:
    """The features that vary, each with its examples sorted from lowest to highest.

    Parameters
    ----------
    X : ndarray of shape (n_examples, n_features)
        Training examples, finite.

    Attributes
    ----------
    columns : ndarray of shape (n_features, n_examples)
        All features, one per row.
    index : ndarray of shape (n_varying,)
        Indices of the features that vary; the first feature if none does.
    varying : ndarray of shape (n_varying, n_examples)
        Their rows of `columns`.
    order : ndarray of shape (n_varying, n_examples)
        The examples in the order of each of them.
    values : ndarray of shape (n_varying, n_examples)
        Their values in that order.
    tied : ndarray of bool, shape (n_varying,)
        Whether two examples have the same value.
    """

    def __init__(self, X: FloatArray) -> None:
        self.columns = np.ascontiguousarray(X.T)
        varies = self.columns.min(axis=1) < self.columns.max(axis=1)
        self.index = np.flatnonzero(varies) if varies.any() else np.zeros(1, dtype=np.intp)
        self.varying = self.columns[self.index]
        self.order = self.varying.argsort(axis=1, kind="stable")
        self.values = np.take_along_axis(self.varying, self.order, axis=1)
        self.tied = (self.values[:, 1:] == self.values[:, :-1]).any(axis=1)


class RootSearch:
    """Finds the best cut of all examples.

    The running sums of a feature start at both of its ends and stop before its most frequent
    value, whose examples are never visited. So a feature that is mostly 0 costs only as much as
    its other values.
    """

    def __init__(self, features: SortedFeatures) -> None:
        m = features.columns.shape[1]
        examples: list[IntArray] = []
        cuts: list[IntArray] = []
        # Where the sums of a stretch of cuts begin and end, and in which direction they run.
        stretches: list[tuple[int, int, int]] = []
        start = 0
        for order, values in zip(features.order, features.values, strict=True):
            ends = np.append(np.flatnonzero(values[1:] != values[:-1]) + 1, m)
            sizes = np.diff(ends, prepend=0)
            # The last of equally frequent values, so that most sums run upward.
            frequent = len(sizes) - 1 - int(sizes[::-1].argmax())
            low, high = int(ends[frequent] - sizes[frequent]), int(ends[frequent])
            middle, end = start + low, start + low + m - high
            if start < middle:
                stretches.append((start, middle, 1))
            if middle < end:
                stretches.append((middle, end, -1))
            examples.append(np.delete(order, np.s_[low:high]))
            # An upward sum belongs to the cut above its last example, a downward sum to the cut
            # below it.
            cuts.append(np.concatenate([np.arange(1, low + 1), np.arange(high, m)]))
            start = end
        if not stretches:
            # No feature varies. One cut without gain saves all other lines a special case.
            self._examples, self._factors = np.zeros(1, np.intp), np.zeros(1)
            self._rows, self._thresholds = np.zeros(1, np.intp), np.full(1, np.inf)
            stretches = [(0, 1, 1)]
        else:
            self._examples = np.concatenate(examples)
            self._tabulate(features, cuts)
        self._stretches = np.array(stretches, dtype=np.int64)

    def _tabulate(self, features: SortedFeatures, cuts: list[IntArray]) -> None:
        m = features.columns.shape[1]
        self._rows = np.repeat(np.arange(len(cuts)), [len(own) for own in cuts])
        left = np.concatenate(cuts)
        low, high = features.values[self._rows, left - 1], features.values[self._rows, left]
        self._factors = np.where(low < high, np.sqrt(m / (left * (m - left))), 0.0)
        self._thresholds = midpoints(low, high)

    def best(self, centred: WholeArray) -> tuple[FloatArray, IntArray, FloatArray]:
        """Return the best cut for each target.

        Parameters
        ----------
        centred : ndarray of int64, shape (n_targets, n_examples)
            Targets, each minus its mean.

        Returns
        -------
        roots : ndarray of shape (n_targets,)
            Square root of the decrease of the sum of squares.
        rows : ndarray of shape (n_targets,)
            Feature of the cut, among those that vary. Ties go to the lowest feature, then to the
            lowest threshold.
        thresholds : ndarray of shape (n_targets,)
            Examples above the threshold go right.
        """
        if loops := compiling.beside(__name__):
            roots, cuts = np.empty(len(centred)), np.empty(len(centred), dtype=np.int64)
            columns = np.ascontiguousarray(centred.T)
            table = self._examples, self._factors, self._stretches
            loops.best_of_root(columns, *table, TIE, roots, cuts)
        else:
            gains = self._gains(centred)
            roots = gains.max(axis=1)
            cuts = (gains >= (roots * (1 - TIE))[:, None]).argmax(axis=1)
        return roots, self._rows[cuts], self._thresholds[cuts]

    def _gains(self, centred: WholeArray) -> FloatArray:
        sums = centred.take(self._examples, axis=1)
        for low, high, step in self._stretches:
            part = sums[:, low:high][:, ::step]
            np.add.accumulate(part, axis=1, out=part)
        gains = sums * self._factors
        return np.abs(gains, out=gains)


class LeafSearch:
    """Finds the best cut of every leaf of growing trees."""

    def __init__(self, features: SortedFeatures) -> None:
        self._shape = features.order.shape
        self._order = features.order.ravel()
        self._values = features.values.ravel()
        self._places = np.arange(self._shape[1], dtype=np.int32)
        # Turn the places within a feature into places within all features.
        self._starts = np.arange(self._shape[0], dtype=np.int32)[:, None] * self._shape[1]
        self._ties = bool(features.tied.any())
        self._allocate(0)

    def _allocate(self, n_targets: int) -> None:
        self._rows = np.arange(n_targets)
        self._keys = np.empty((n_targets, *self._shape), dtype=np.int32)
        self._examples = np.empty(self._keys.shape, dtype=np.intp)
        self._sums = np.empty(self._keys.shape, dtype=np.int64)
        self._gains = np.empty(self._keys.shape)

    def evaluate(self, centred: WholeArray, leaves: LeafArray, counts: IntArray) -> FloatArray:
        """Compute the gain of every cut of every leaf.

        Parameters
        ----------
        centred : ndarray of int64, shape (n_targets, n_examples)
            Targets, each minus the mean of its leaf.
        leaves : ndarray of int32, shape (n_targets, n_examples)
            The leaf of each example.
        counts : ndarray of shape (n_targets, n_leaves)
            Number of examples of each leaf.

        Returns
        -------
        ndarray of shape (n_targets, n_leaves)
            Square root of the largest decrease of each leaf's sum of squares.
        """
        n_targets, m = leaves.shape
        if len(self._rows) != n_targets:
            self._allocate(n_targets)
        self._ends = counts.cumsum(axis=1)
        self._begins = self._ends - counts
        keys, examples, sums, gains = self._keys, self._examples, self._sums, self._gains
        marks = leaves * np.int32(m)
        # If `take` checked the indices, it would buffer its output.
        marks.take(self._order, axis=1, out=keys.reshape(n_targets, -1), mode="clip")
        keys += self._places
        # Sort the examples by leaf, and within a leaf in the order of the feature.
        keys.sort(axis=2)
        marks.sort(axis=1)
        keys -= marks[:, None, :]
        keys += self._starts
        self._order.take(keys, out=examples, mode="clip")
        examples += (self._rows * m)[:, None, None]
        centred.reshape(-1).take(examples, out=sums, mode="clip")
        np.add.accumulate(sums, axis=2, out=sums)
        # The sums of a leaf begin behind those of the leaves before it.
        before = sums[self._rows[:, None], 0, self._begins - 1] * (self._begins > 0)
        of_leaves = marks // m + (self._rows * counts.shape[1])[:, None]
        sums -= before.take(of_leaves)[:, None, :]
        np.multiply(sums, self._factors(of_leaves, counts)[:, None, :], out=gains)
        np.abs(gains, out=gains)
        if self._ties:
            values = self._values.take(keys)
            gains[:, :, :-1] *= values[:, :, 1:] != values[:, :, :-1]
        # An empty leaf begins where another leaf does or past the end, but has no gain.
        first = np.minimum(self._begins, m - 1)[:, None, :]
        first = first + (np.arange(n_targets * self._shape[0]) * m).reshape(n_targets, -1, 1)
        best = np.maximum.reduceat(gains.reshape(-1), first.reshape(-1)).reshape(first.shape)
        best *= (counts > 0)[:, None, :]
        self._of_features = best
        return np.asarray(best.max(axis=1))

    def _factors(self, of_leaves: IntArray, counts: IntArray) -> FloatArray:
        size = counts.reshape(-1).take(of_leaves)
        left = np.arange(1, of_leaves.shape[1] + 1) - self._begins.reshape(-1).take(of_leaves)
        products = left * (size - left)
        # After the last example of a leaf nothing is left on the right, so there is no cut.
        return np.asarray(np.sqrt((products > 0) * size / np.maximum(products, 1)))

    def best(self, leaves: IntArray) -> tuple[IntArray, FloatArray]:
        """Return the best cut of one leaf of each target, by the last call of `evaluate`.

        Parameters
        ----------
        leaves : ndarray of shape (n_targets,)
            The leaf of each target.

        Returns
        -------
        rows, thresholds : ndarray of shape (n_targets,)
            As returned by `RootSearch.best`.
        """
        rows = self._rows
        of_features = self._of_features[rows, :, leaves]
        floor = of_features.max(axis=1, keepdims=True) * (1 - TIE)
        features = (of_features >= floor).argmax(axis=1)
        places = np.arange(self._shape[1])
        tied: BoolArray = self._gains[rows, features] >= floor
        tied &= places >= self._begins[rows, leaves][:, None]
        tied &= places < self._ends[rows, leaves][:, None]
        cuts = tied.argmax(axis=1)
        above = np.minimum(cuts + 1, self._shape[1] - 1)
        low = self._values[self._keys[rows, features, cuts]]
        high = self._values[self._keys[rows, features, above]]
        return features, midpoints(low, high)


NO_GAIN = 1e-12
"""Least share of the largest target, or of up to twice its size, that a gain's root must exceed."""


@dataclass(frozen=True)
class GrownTrees:
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
    values : ndarray of shape (n_targets, n_cuts + 1)
        Mean of the targets in each leaf.
    """

    parents: IntArray
    features: IntArray
    thresholds: FloatArray
    values: FloatArray

    def keep(self, rows: BoolArray) -> GrownTrees:
        """Return the trees of the targets in `rows`."""
        return GrownTrees(
            self.parents[rows], self.features[rows], self.thresholds[rows], self.values[rows]
        )

    def leaves(self, columns: FloatArray) -> LeafArray:
        """Return the leaf in which each example ends.

        Parameters
        ----------
        columns : ndarray of shape (n_features, n_new)
            Examples, one per column.

        Returns
        -------
        ndarray of int32, shape (n_targets, n_new)
            Leaves, in the order of `values`.
        """
        leaves = np.zeros((len(self.parents), columns.shape[1]), dtype=np.int32)
        if loops := compiling.beside(__name__):
            columns = np.ascontiguousarray(columns)
            loops.leaves_of(columns, self.parents, self.features, self.thresholds, leaves)
            return leaves
        for s, (parents, features, thresholds) in enumerate(
            zip(self.parents.T, self.features.T, self.thresholds.T, strict=True)
        ):
            right = columns.take(features, axis=0) > thresholds[:, None]
            right &= leaves == parents[:, None]
            np.copyto(leaves, s + 1, where=right)
        return leaves

    def answers(self, leaves: LeafArray) -> FloatArray:
        """Return the values of leaves, of the shape of `leaves`."""
        if loops := compiling.beside(__name__):
            answers = np.empty(leaves.shape)
            loops.values_of(leaves, self.values, answers)
            return answers
        return np.take_along_axis(self.values, leaves, axis=1)


class _Growth:
    """Growing trees: their cuts so far, and the size and the sum of the targets of each leaf.

    A feature is known by its row among those that vary.
    """

    def __init__(self, varying: FloatArray, whole: WholeArray, n_cuts: int) -> None:
        n_targets, m = whole.shape
        self._varying, self.whole = varying, whole
        self.leaves = np.zeros(whole.shape, dtype=np.int32)
        numbers = np.zeros((4, n_targets, n_cuts + 1), dtype=np.int64)
        self.parents, self.rows, self.counts, self.sums = numbers
        self.thresholds = np.full((n_targets, n_cuts + 1), np.inf)
        self.counts[:, 0], self.sums[:, 0] = m, whole.sum(axis=1)
        self.n_leaves = np.ones(n_targets, dtype=np.int64)

    def cut(self, parents: IntArray, rows: IntArray, thresholds: FloatArray) -> None:
        """Cut one leaf of each target; no example is above an infinite threshold."""
        right: BoolArray = self._varying.take(rows, axis=0) > thresholds[:, None]
        right &= self.leaves == parents[:, None]
        np.copyto(self.leaves, self.n_leaves[:, None], where=right, casting="same_kind")
        made = np.flatnonzero(thresholds < np.inf)
        old, new = parents[made], self.n_leaves[made]
        self.parents[made, new - 1] = old
        self.rows[made, new - 1] = rows[made]
        self.thresholds[made, new - 1] = thresholds[made]
        self.counts[made, new] = np.count_nonzero(right, axis=1)[made]
        self.counts[made, old] -= self.counts[made, new]
        self.sums[made, new] = (self.whole * right).sum(axis=1)[made]
        self.sums[made, old] -= self.sums[made, new]
        self.n_leaves[made] += 1

    def means(self) -> WholeArray:
        """Return the mean of the targets of each leaf, rounded down."""
        return np.asarray(self.sums // np.maximum(self.counts, 1))

    def trees(self, features: IntArray, units: FloatArray) -> GrownTrees:
        """Return the trees, with features for rows and with values in other units."""
        n = int(self.n_leaves.max())
        parents, rows, thresholds = (
            np.ascontiguousarray(part[:, : n - 1])
            for part in (self.parents, self.rows, self.thresholds)
        )
        values = self.sums[:, :n] / np.maximum(self.counts[:, :n], 1) * units[:, None]
        return GrownTrees(parents, features[rows], thresholds, values)


class TreeFitter:
    """Fits trees by least squares to changing targets on the same examples.

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

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0.0], [1.0], [2.0], [3.0]])
    >>> trees, leaves = TreeFitter(X).fit(np.array([[1.0, 1.0, 4.0, 6.0]]))
    >>> trees.thresholds, trees.answers(leaves)
    (array([[1.5]]), array([[1., 1., 5., 5.]]))
    """

    def __init__(self, X: FloatArray, cuts: int = 1, depth: int | None = None) -> None:
        self._features = SortedFeatures(X)
        self._root = RootSearch(self._features)
        self._leaf = LeafSearch(self._features)
        # Every cut makes a leaf of at least one example.
        most = max(len(X) - 1, 1)
        self._n_steps = min(cuts if depth is None else depth, most)
        self._n_cuts = self._n_steps if depth is None else min(2**self._n_steps - 1, most)
        self._one_at_a_time = depth is None
        self._least = NO_GAIN * largest_whole(len(X))

    def fit(self, targets: FloatArray) -> tuple[GrownTrees, LeafArray]:
        """Fit one tree to each target.

        Parameters
        ----------
        targets : ndarray of shape (n_targets, n_examples)
            Finite numbers.

        Returns
        -------
        trees : GrownTrees
            The fitted trees.
        leaves : ndarray of int32, shape (n_targets, n_examples)
            The leaf of each training example.
        """
        whole, units = whole_numbers(targets)
        growth = _Growth(self._features.varying, whole, self._n_cuts)
        roots, rows, thresholds = self._root.best(whole - growth.means()[:, :1])
        thresholds = np.where(roots > self._least, thresholds, np.inf)
        if loops := compiling.beside(__name__):
            growth.rows[:, 0], growth.thresholds[:, 0] = rows, thresholds
            self._grow_compiled(loops, growth, roots)
        else:
            growth.cut(np.zeros_like(rows), rows, thresholds)
            for _ in range(1, self._n_steps):
                if not self._grow(growth):
                    break
        trees = growth.trees(self._features.index, units)
        return trees, trees.leaves(self._features.columns)

    def _grow(self, growth: _Growth) -> bool:
        counts = growth.counts[:, : growth.n_leaves.max()]
        centred = growth.whole - np.take_along_axis(growth.means(), growth.leaves, axis=1)
        roots = self._leaf.evaluate(centred, growth.leaves, counts)
        if not (roots > self._least).any():
            return False
        if self._one_at_a_time:
            chosen = [(roots >= roots.max(axis=1, keepdims=True) * (1 - TIE)).argmax(axis=1)]
        else:
            chosen = [np.full(len(roots), leaf) for leaf in range(roots.shape[1])]
        for leaves in chosen:
            rows, thresholds = self._leaf.best(leaves)
            gains = np.take_along_axis(roots, leaves[:, None], axis=1)[:, 0]
            growth.cut(leaves, rows, np.where(gains > self._least, thresholds, np.inf))
        return True

    def _grow_compiled(self, loops: Any, growth: _Growth, roots: FloatArray) -> None:
        loops.grow(
            growth.whole,
            self._features.order,
            self._features.varying,
            self._features.tied,
            roots,
            self._least,
            self._n_steps,
            self._one_at_a_time,
            TIE,
            growth.parents,
            growth.rows,
            growth.thresholds,
            growth.counts,
            growth.sums,
            growth.n_leaves,
        )
