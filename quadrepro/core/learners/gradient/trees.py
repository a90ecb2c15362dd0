"""Regression trees fitted by weighted least squares (CART).

They are those of `trees`, with sums of weights in place of numbers of examples: an example of
weight 2 is as good as two. Weighted targets are not whole numbers, so sums are rounded, which is
far less than what counts as a tie.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from quadrepro.base.types import BoolArray, FloatArray, IntArray
from quadrepro.core import compiling
from quadrepro.core.learners.gradient.cuts import (
    TIE,
    LeafArray,
    LeafSearch,
    RootSearch,
    SortedFeatures,
    WholeArray,
    largest_whole,
    midpoints,
    whole_numbers,
)

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
        leaves = np.zeros((len(self.values), columns.shape[1]), dtype=np.int32)
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


NO_CUT = 0.0, 0, np.inf


@dataclass
class _WeightedGrowth:
    """A growing tree: its cuts so far, and the best next cut of every leaf."""

    parents: list[int] = field(default_factory=list)
    rows: list[int] = field(default_factory=list)
    thresholds: list[float] = field(default_factory=list)
    best: list[tuple[float, int, float]] = field(default_factory=list)


class WeightedTreeFitter:
    """Fits trees by weighted least squares to changing targets on the same examples.

    Parameters
    ----------
    X : ndarray of shape (n_examples, n_features)
        Training examples, finite.
    weights : ndarray of shape (n_examples,)
        Positive weights.
    cuts, depth : int, int or None
        As for `TreeFitter`.
    least_share : float, default 0.0
        Least share of the total weight in a leaf.

    Examples
    --------
    >>> import numpy as np
    >>> X, weights = np.array([[0.0], [1.0], [2.0]]), np.array([3.0, 1.0, 2.0])
    >>> trees, leaves = WeightedTreeFitter(X, weights).fit(np.array([[1.0, 5.0, 7.0]]))
    >>> trees.thresholds, trees.answers(leaves).round(2)
    (array([[0.5]]), array([[1.  , 6.33, 6.33]]))
    """

    def __init__(
        self,
        X: FloatArray,
        weights: FloatArray,
        cuts: int = 1,
        depth: int | None = None,
        least_share: float = 0.0,
    ) -> None:
        self._features = SortedFeatures(X)
        self._weights = weights / weights.mean()
        # The slack is for the rounding of the sums.
        self._least_weight = (least_share - 1e-9) * len(X)
        self._n_steps = min(cuts if depth is None else depth, max(len(X) - 1, 1))
        self._one_at_a_time = depth is None

    def fit(self, targets: FloatArray) -> tuple[GrownTrees, LeafArray]:
        """Fit one tree to each target.

        Parameters
        ----------
        targets : ndarray of shape (n_targets, n_examples)
            Numbers; a tree on targets that are not finite has one leaf, of value NaN.

        Returns
        -------
        trees : GrownTrees
            The fitted trees.
        leaves : ndarray of int32, shape (n_targets, n_examples)
            The leaf of each training example.
        """
        grown = [self._grow(target) for target in targets]
        n_cuts = max(len(tree.parents) for tree in grown)
        parents, rows = np.zeros((2, len(grown), n_cuts), dtype=np.int64)
        thresholds = np.full((len(grown), n_cuts), np.inf)
        for t, tree in enumerate(grown):
            made = len(tree.parents)
            parents[t, :made], rows[t, :made] = tree.parents, tree.rows
            thresholds[t, :made] = tree.thresholds
        trees = GrownTrees(
            parents, self._features.index[rows], thresholds, np.zeros((len(grown), n_cuts + 1))
        )
        leaves = trees.leaves(self._features.columns)
        for values, own, target in zip(trees.values, leaves, targets, strict=True):
            if not np.isfinite(target).all():
                values[:] = np.nan
                continue
            # The mean of equal targets has to be that target to the last bit: boosting of separable
            # classes enlarges any difference from round to round.
            values[own] = target
            sums = np.bincount(own, self._weights * (target - values[own]), n_cuts + 1)
            sizes = np.bincount(own, self._weights, n_cuts + 1)
            values += np.divide(sums, sizes, out=np.zeros(n_cuts + 1), where=sizes > 0)
        return trees, leaves

    def _grow(self, target: FloatArray) -> _WeightedGrowth:
        tree, leaves = _WeightedGrowth(), np.zeros(len(target), dtype=np.int32)
        if not np.isfinite(target).all():
            return tree
        least = NO_GAIN * float(np.abs(target).max())
        tree.best.append(self._best_cut(target, leaves == 0))
        for step in range(self._n_steps):
            roots = np.array([root for root, *_ in tree.best])
            if self._one_at_a_time:
                chosen = [int((roots >= roots.max() * (1 - TIE)).argmax())]
            else:
                chosen = list(range(len(roots)))
            chosen = [leaf for leaf in chosen if roots[leaf] > least]
            if not chosen:
                break
            for leaf in chosen:
                _, row, threshold = tree.best[leaf]
                new = len(tree.best)
                leaves[(leaves == leaf) & (self._features.varying[row] > threshold)] = new
                tree.parents.append(leaf)
                tree.rows.append(row)
                tree.thresholds.append(threshold)
                tree.best[leaf] = NO_CUT
                tree.best.append(NO_CUT)
                if step < self._n_steps - 1:
                    tree.best[leaf] = self._best_cut(target, leaves == leaf)
                    tree.best[new] = self._best_cut(target, leaves == new)
        return tree

    def _best_cut(self, target: FloatArray, held: BoolArray) -> tuple[float, int, float]:
        """Return the square root of the best cut's gain, its feature's row and its threshold."""
        features = self._features
        order = features.order[held[features.order]].reshape(len(features.order), -1)
        if order.shape[1] < 2:
            return NO_CUT
        weights = self._weights[order]
        total = float(self._weights[held].sum())
        mean = float((self._weights * target)[held].sum()) / total
        left = np.cumsum(weights, axis=1)[:, :-1]
        right = total - left
        values = np.take_along_axis(features.varying, order, axis=1)
        allowed = values[:, :-1] < values[:, 1:]
        allowed &= (left >= self._least_weight) & (right >= self._least_weight) & (right > 0)
        sums = np.abs(np.cumsum(weights * (target[order] - mean), axis=1)[:, :-1])
        gains = np.zeros(sums.shape)
        gains[allowed] = sums[allowed] * np.sqrt(total / (left[allowed] * right[allowed]))
        top = float(gains.max())
        row, place = divmod(int((gains >= top * (1 - TIE)).argmax()), gains.shape[1])
        return top, row, float(midpoints(values[row, place], values[row, place + 1]))
