"""Regression trees fitted by least squares to many targets at once, stumps included (CART)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from quadrepro._typing import BoolArray, FloatArray, IntArray
from quadrepro.kernels import compiling
from quadrepro.learners.gradient.cuts import (
    TIE,
    LeafArray,
    LeafSearch,
    RootSearch,
    SortedFeatures,
    WholeArray,
    largest_whole,
    whole_numbers,
)

NO_GAIN = 1e-12
"""Least share of the largest target, or of up to twice its size, that a gain's root must exceed."""


@dataclass(frozen=True)
class Trees:
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

    def keep(self, rows: BoolArray) -> Trees:
        """Return the trees of the targets in `rows`."""
        return Trees(
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
        leaves = np.zeros((len(self.values), columns.shape[1]), dtype=np.int32)
        if compiling.enabled():
            from quadrepro.kernels import trees

            columns = np.ascontiguousarray(columns)
            trees.leaves_of(columns, self.parents, self.features, self.thresholds, leaves)
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
        if compiling.enabled():
            from quadrepro.kernels import trees

            answers = np.empty(leaves.shape)
            trees.values_of(leaves, self.values, answers)
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

    def trees(self, features: IntArray, units: FloatArray) -> Trees:
        """Return the trees, with features for rows and with values in other units."""
        n = int(self.n_leaves.max())
        parents, rows, thresholds = (
            np.ascontiguousarray(part[:, : n - 1])
            for part in (self.parents, self.rows, self.thresholds)
        )
        values = self.sums[:, :n] / np.maximum(self.counts[:, :n], 1) * units[:, None]
        return Trees(parents, features[rows], thresholds, values)


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
        whole, units = whole_numbers(targets)
        growth = _Growth(self._features.varying, whole, self._n_cuts)
        roots, rows, thresholds = self._root.best(whole - growth.means()[:, :1])
        thresholds = np.where(roots > self._least, thresholds, np.inf)
        if compiling.enabled():
            growth.rows[:, 0], growth.thresholds[:, 0] = rows, thresholds
            self._grow_compiled(growth, roots)
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

    def _grow_compiled(self, growth: _Growth, roots: FloatArray) -> None:
        from quadrepro.kernels import trees

        trees.grow(
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
