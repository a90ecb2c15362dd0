"""Regression trees fitted by least squares to many targets at once, stumps included (CART)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from quadrepro._typing import BoolArray, FloatArray, IntArray
from quadrepro.learners.gradient.cuts import TIE, LeafSearch, RootSearch, SortedFeatures

NO_GAIN = 1e-12
"""Least share of the root of the sum of squares that the root of a cut's gain must exceed."""


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

    def outputs(self, columns: FloatArray) -> FloatArray:
        """Return the outputs of the trees.

        Parameters
        ----------
        columns : ndarray of shape (n_features, n_new)
            Examples, one per column.

        Returns
        -------
        ndarray of shape (n_targets, n_new)
            The value of the leaf in which each example ends.
        """
        n_targets, n_cuts = self.features.shape
        answers = np.empty((n_targets, columns.shape[1]))
        answers[:] = self.values[:, :1]
        leaves = np.zeros(answers.shape, dtype=np.min_scalar_type(n_cuts))
        for s in range(n_cuts):
            right = columns.take(self.features[:, s], axis=0) > self.thresholds[:, s, None]
            if s > 0:
                right &= leaves == self.parents[:, s, None].astype(leaves.dtype)
            np.copyto(leaves, s + 1, where=right)
            np.copyto(answers, self.values[:, s + 1, None], where=right)
        return answers


class _Growth:
    """Growing trees: the leaf of each example, and the cuts so far."""

    def __init__(self, columns: FloatArray, targets: FloatArray) -> None:
        n_targets, m = targets.shape
        self._columns, self._targets = columns, targets
        self._rows = np.arange(n_targets)
        self.leaves = np.zeros(targets.shape, dtype=np.int32)
        self.counts = np.full((n_targets, 1), m)
        self._sums = targets.sum(axis=1, keepdims=True)
        self._cuts: list[tuple[IntArray, IntArray, FloatArray]] = []

    def cut(self, parents: IntArray, features: IntArray, thresholds: FloatArray) -> None:
        right: BoolArray = self._columns.take(features, axis=0) > thresholds[:, None]
        if self._cuts:
            right &= self.leaves == parents[:, None]
        self._cuts.append((parents, features, thresholds))
        np.copyto(self.leaves, len(self._cuts), where=right)
        count = np.count_nonzero(right, axis=1)
        total = (self._targets * right).sum(axis=1)
        self.counts = np.hstack([self.counts, count[:, None]])
        self._sums = np.hstack([self._sums, total[:, None]])
        self.counts[self._rows, parents] -= count
        self._sums[self._rows, parents] -= total

    @property
    def means(self) -> FloatArray:
        return np.asarray(self._sums / np.maximum(self.counts, 1))

    def answers(self) -> FloatArray:
        return np.take_along_axis(self.means, self.leaves, axis=1)

    def trees(self) -> Trees:
        shape = len(self._cuts), len(self._rows)
        parents, features, thresholds = ([cut[part] for cut in self._cuts] for part in range(3))
        return Trees(
            np.array(parents, dtype=np.intp).reshape(shape).T,
            np.array(features, dtype=np.intp).reshape(shape).T,
            np.array(thresholds, dtype=np.float64).reshape(shape).T,
            self.means,
        )


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
    >>> trees, answers = TreeFitter(X).fit(np.array([[1.0, 1.0, 4.0, 6.0]]))
    >>> trees.thresholds, answers
    (array([[1.5]]), array([[1., 1., 5., 5.]]))
    """

    def __init__(self, X: FloatArray, cuts: int = 1, depth: int | None = None) -> None:
        self._features = SortedFeatures(X)
        self._root = RootSearch(self._features)
        self._leaf = LeafSearch(self._features)
        self._n_steps = cuts if depth is None else depth
        self._one_at_a_time = depth is None

    def fit(self, targets: FloatArray) -> tuple[Trees, FloatArray]:
        """Fit one tree to each target.

        Parameters
        ----------
        targets : ndarray of shape (n_targets, n_examples)
            Finite numbers.

        Returns
        -------
        trees : Trees
            The fitted trees.
        answers : ndarray of shape (n_targets, n_examples)
            Their outputs on the training examples.
        """
        growth = _Growth(self._features.columns, targets)
        least = NO_GAIN * np.sqrt((targets * targets).sum(axis=1))
        roots, features, thresholds = self._root.best(targets - growth.means)
        # No example is above an infinite threshold, so such a cut changes nothing.
        thresholds = np.where(roots > least, thresholds, np.inf)
        if np.isfinite(thresholds).any():
            growth.cut(np.zeros(len(targets), dtype=np.intp), features, thresholds)
            for _ in range(1, self._n_steps):
                if not self._grow(growth, targets, least):
                    break
        return growth.trees(), growth.answers()

    def _grow(self, growth: _Growth, targets: FloatArray, least: FloatArray) -> bool:
        roots = self._leaf.evaluate(targets - growth.answers(), growth.leaves, growth.counts)
        if not (roots > least[:, None]).any():
            return False
        if self._one_at_a_time:
            chosen = [(roots >= roots.max(axis=1, keepdims=True) * (1 - TIE)).argmax(axis=1)]
        else:
            chosen = [np.full(len(roots), leaf) for leaf in range(roots.shape[1])]
        for leaves in chosen:
            features, thresholds = self._leaf.best(leaves)
            gains = np.take_along_axis(roots, leaves[:, None], axis=1)[:, 0]
            growth.cut(leaves, features, np.where(gains > least, thresholds, np.inf))
        return True
