"""Regression trees fitted by weighted least squares (CART).

They are those of `trees`, with sums of weights in place of numbers of examples: an example of
weight 2 is as good as two. Weighted targets are no whole numbers, so sums are rounded, which is
far less than what counts as a tie.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from quadrepro._typing import BoolArray, FloatArray
from quadrepro.learners.gradient.cuts import TIE, LeafArray, SortedFeatures, midpoints
from quadrepro.learners.gradient.trees import NO_GAIN, Trees

NO_CUT = 0.0, 0, np.inf


@dataclass
class _Growth:
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

    def fit(self, targets: FloatArray) -> tuple[Trees, LeafArray]:
        """Fit one tree to each target.

        Parameters
        ----------
        targets : ndarray of shape (n_targets, n_examples)
            Numbers; a tree on targets that are not finite has one leaf, of value NaN.

        Returns
        -------
        trees : Trees
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
        trees = Trees(
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

    def _grow(self, target: FloatArray) -> _Growth:
        tree, leaves = _Growth(), np.zeros(len(target), dtype=np.int32)
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
