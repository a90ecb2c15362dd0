"""Regression trees fitted by weighted least squares, to one target or to several at once.

An example of weight 2 is as good as two: sums of weights take the place of numbers of examples. A
tree of several targets, such as one per class that is 1 for its examples and 0 for others, lowers
the sum of their squared errors; for classes that is the decrease of Gini's impurity. Weighted
targets are not whole numbers, so sums are rounded, which is far less than what counts as a tie.
They run in the order of the features, which is the same everywhere.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from quadrepro.base.types import FloatArray, IntArray
from quadrepro.core import compiling
from quadrepro.core.learners.old_gradient.trees import (
    NO_GAIN,
    TIE,
    ExampleArray,
    GrownTrees,
    LeafArray,
    TreeGrower,
)


class WeightedTreeFitter(TreeGrower):
    """Fits trees by weighted least squares to changing targets on the same examples.

    Parameters
    ----------
    X : ndarray of shape (n_examples, n_features)
        Training examples, finite.
    weights : ndarray of shape (n_examples,)
        Positive weights.
    cuts, depth : int, int or None
        As for `quadrepro.core.learners.old_gradient.trees.TreeGrower`.
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
        super().__init__(X, cuts, depth)
        self._weights = weights / weights.mean()
        # The slack is for the rounding of the sums.
        self._least_weight = (least_share - 1e-9) * len(X)

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
        weights = np.tile(self._weights, (len(targets), 1))
        return self.grow(targets[:, None], weights, anchored=True)

    def grow(
        self, targets: FloatArray, weights: FloatArray, *, anchored: bool = False
    ) -> tuple[GrownTrees, LeafArray]:
        """Fit trees to several targets each, with weights of their own.

        Parameters
        ----------
        targets : ndarray of shape (n_trees, n_targets, n_examples)
            Numbers, as for `fit`.
        weights : ndarray of shape (n_trees, n_examples)
            Weights of the examples, with a mean of about 1; some may be 0.
        anchored : bool, default False
            Whether the mean of equal targets is that target to the last bit; else a share of
            the weight, the mean of zeros and ones, has a small relative error.

        Returns
        -------
        trees : GrownTrees
            The fitted trees; their values have one row for each target of the first tree, then of
            the second, and so on.
        leaves : ndarray of int32, shape (n_trees, n_examples)
            The leaf of each training example.
        """
        n_trees, n_targets, m = targets.shape
        parents, rows = np.zeros((2, n_trees, self._n_cuts), dtype=np.int64)
        thresholds = np.full((n_trees, self._n_cuts), np.inf)
        leaves = np.zeros((n_trees, m), dtype=np.int32)
        values = np.zeros((n_trees, n_targets, self._n_cuts + 1))
        made = 0
        for t, (own, w) in enumerate(zip(targets, weights, strict=True)):
            if not np.isfinite(own).all():
                values[t] = np.nan
                continue
            n = self._cut(own, w, parents[t], rows[t], thresholds[t], leaves[t])
            write_means(own, w, leaves[t], anchored, values[t, :, : n + 1])
            made = max(made, n)
        values = values[:, :, : made + 1].reshape(-1, made + 1)
        return self._trees(parents, rows, thresholds, values), leaves

    def _cut(
        self,
        targets: FloatArray,
        weights: FloatArray,
        parents: IntArray,
        rows: IntArray,
        thresholds: FloatArray,
        leaves: LeafArray,
    ) -> int:
        """Write the cuts of a tree and the leaves of the examples; return the number of cuts."""
        least = NO_GAIN * float(np.abs(targets).max())
        if loops := compiling.beside(__name__):
            features = self._features
            limits = self._least_weight, least, self._n_steps, self._one_at_a_time, TIE
            examples = np.ascontiguousarray(targets.T), np.ascontiguousarray(weights)
            columns = features.order, features.varying, features.tied
            return int(loops.grow(*examples, *columns, *limits, parents, rows, thresholds, leaves))
        gains_of = partial(self._gains, targets, weights)
        return self._grow(gains_of, least, parents, rows, thresholds, leaves)

    def _gains(self, targets: FloatArray, weights: FloatArray, order: ExampleArray) -> FloatArray:
        """Return the roots of the gains of a leaf's cuts, given its examples by each feature."""
        first, w = order[0], weights[order]
        total = np.cumsum(weights[first])[-1]
        means = np.cumsum(weights[first] * targets[:, first], axis=1)[:, -1] / total
        left = np.cumsum(w, axis=1)[:, :-1]
        right = total - left
        allowed = (left >= self._least_weight) & (right >= self._least_weight)
        allowed &= (left > 0) & (right > 0)
        sums = np.cumsum(w * (targets[:, order] - means[:, None, None]), axis=2)[:, :, :-1]
        sizes = np.abs(sums[0]) if len(sums) == 1 else np.sqrt(np.square(sums).sum(axis=0))
        gains = np.zeros(sizes.shape)
        gains[allowed] = sizes[allowed] * np.sqrt(total / (left[allowed] * right[allowed]))
        return gains


def write_means(
    targets: FloatArray, weights: FloatArray, leaves: LeafArray, anchored: bool, values: FloatArray
) -> None:
    """Write the weighted mean of each target in each leaf, shape (n_targets, n_leaves).

    Anchored, a mean is that of the differences from one target of the leaf: boosting of separable
    classes enlarges any difference between equal targets from round to round.
    """
    if loops := compiling.beside(__name__):
        targets, weights = np.ascontiguousarray(targets), np.ascontiguousarray(weights)
        loops.write_means(targets, weights, leaves, anchored, values)
        return
    n_leaves = values.shape[1]
    sizes = np.bincount(leaves, weights, n_leaves)
    for target, means in zip(targets, values, strict=True):
        if anchored:
            means[leaves] = target
        sums = np.bincount(leaves, weights * (target - means[leaves]), n_leaves)
        means += np.divide(sums, sizes, out=np.zeros(n_leaves), where=sizes > 0)
