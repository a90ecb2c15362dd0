"""Regression trees fitted by least squares (CART), for many targets at once.

Features are sorted once. If the targets of a leaf are centred, a cut of its n examples into n_L and
n_R lowers their sum of squares by S² n / (n_L n_R), where S is the sum of the targets on either
side. So all gains come from running sums of the targets in the order of each feature. The targets
are whole numbers, so that the order in which they are added does not matter.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quadrepro.base.types import BoolArray, FloatArray, IntArray
from quadrepro.core import compiling

LeafArray = NDArray[np.int32]
WholeArray = NDArray[np.int64]
ExampleArray = NDArray[np.uint32]

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
    """Return the largest size of whole numbers such that this many sum to less than 2^62."""
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
    largest = np.maximum(targets.max(axis=1), -targets.min(axis=1))
    finite = np.isfinite(largest)
    if not finite.all():
        targets, largest = np.where(finite[:, None], targets, 0.0), np.where(finite, largest, 0.0)
    exponents = np.frexp(largest)[1] + 1 - largest_whole(targets.shape[1]).bit_length()
    # With the limit no unit is a subnormal number. Targets that small count as nothing anyway.
    units = np.ldexp(1.0, np.maximum(exponents, -1000))
    whole = np.empty(targets.shape, dtype=np.int64)
    if loops := compiling.beside(__name__):
        loops.round_to_units(np.ascontiguousarray(targets), units[:, None], whole)
    else:
        whole[:] = np.rint(targets / units[:, None])
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
    order : ndarray of uint32, shape (n_varying, n_examples)
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
        self.order = self.varying.argsort(axis=1, kind="stable").astype(np.uint32)
        self.values = np.take_along_axis(self.varying, self.order, axis=1)
        self.tied = (self.values[:, 1:] == self.values[:, :-1]).any(axis=1)


class RootSearch:
    """Finds the best cut of all examples, in compiled loops.

    The running sums of a feature start at both of its ends and stop before its most frequent
    value, whose examples are never visited. So a feature that is mostly 0 costs only as much as
    its other values.
    """

    def __init__(self, features: SortedFeatures, fewest: int = 1) -> None:
        m = features.columns.shape[1]
        self._fewest = fewest
        examples: list[ExampleArray] = []
        cuts: list[IntArray] = []
        # Where the sums of a stretch of cuts begin and end, and whether they run from below (1).
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
                stretches.append((middle, end, 0))
            examples += [order[:low], order[: high - 1 : -1]]
            # An upward sum belongs to the cut above its last example, a downward sum to the cut
            # below it.
            cuts.append(np.concatenate([np.arange(1, low + 1), np.arange(high, m)[::-1]]))
            start = end
        if not stretches:
            # No feature varies. One cut without gain saves all other lines a special case.
            self._examples, self._factors = np.zeros(1, np.uint32), np.zeros(1)
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
        allowed = (low < high) & (np.minimum(left, m - left) >= self._fewest)
        self._factors = np.where(allowed, np.sqrt(m / (left * (m - left))), 0.0)
        self._thresholds = midpoints(low, high)

    def best(
        self, loops: Any, whole: WholeArray, means: WholeArray
    ) -> tuple[FloatArray, IntArray, FloatArray]:
        """Return the best cut for each target.

        Parameters
        ----------
        loops : module
            Compiled loops.
        whole : ndarray of int64, shape (n_targets, n_examples)
            Targets.
        means : ndarray of int64, shape (n_targets,)
            Their means, rounded down.

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
        roots, cuts = np.empty(len(whole)), np.empty(len(whole), dtype=np.int64)
        table = self._examples, self._factors, self._stretches
        loops.best_of_root(whole, means, *table, TIE, roots, cuts)
        return roots, self._rows[cuts], self._thresholds[cuts]


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
        """Return the values of leaves, one row per target; all targets may share one tree."""
        if len(leaves) < len(self.values):
            return np.asarray(self.values[:, leaves[0]])
        if loops := compiling.beside(__name__):
            answers = np.empty(leaves.shape)
            loops.values_of(leaves, self.values, answers)
            return answers
        return np.take_along_axis(self.values, leaves, axis=1)

    def means(self, X: FloatArray) -> FloatArray:
        """Return the value of each target for each row of `X`, shape (n_targets, n_new)."""
        return self.answers(self.leaves(X.T))


Cut = tuple[float, int, float]
"""Square root of a cut's gain, the row of its feature among those that vary, and its threshold."""

NO_CUT: Cut = 0.0, 0, np.inf


class TreeGrower:
    """Grows trees on the same examples; `gains_of` tells what each cut of a leaf gains.

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
    """

    def __init__(self, X: FloatArray, cuts: int = 1, depth: int | None = None) -> None:
        self._features = SortedFeatures(X)
        # Every cut makes a leaf of at least one example.
        most = max(len(X) - 1, 1)
        self._n_steps = min(cuts if depth is None else depth, most)
        self._n_cuts = self._n_steps if depth is None else min(2**self._n_steps - 1, most)
        self._one_at_a_time = depth is None

    def _grow(
        self,
        gains_of: Callable[[ExampleArray], FloatArray],
        least: float,
        parents: IntArray,
        rows: IntArray,
        thresholds: FloatArray,
        leaves: LeafArray,
    ) -> int:
        """Write the cuts of a tree and the leaves of the examples; return the number of cuts.

        `gains_of` takes the examples of a leaf in the order of each feature.
        """
        best = [self._best_cut(gains_of, leaves == 0)]
        for step in range(self._n_steps):
            roots = np.array([root for root, *_ in best])
            oldest = int((roots >= roots.max() * (1 - TIE)).argmax())
            asked = [oldest] if self._one_at_a_time else range(len(roots))
            chosen = [leaf for leaf in asked if roots[leaf] > least]
            if not chosen:
                break
            for leaf in chosen:
                _, row, threshold = best[leaf]
                new = len(best)
                leaves[(leaves == leaf) & (self._features.varying[row] > threshold)] = new
                parents[new - 1], rows[new - 1], thresholds[new - 1] = leaf, row, threshold
                best[leaf] = NO_CUT
                best.append(NO_CUT)
                if step < self._n_steps - 1:
                    for child in (leaf, new):
                        best[child] = self._best_cut(gains_of, leaves == child)
        return len(best) - 1

    def _best_cut(self, gains_of: Callable[[ExampleArray], FloatArray], held: BoolArray) -> Cut:
        features = self._features
        order = features.order[held[features.order]].reshape(len(features.order), -1)
        if order.shape[1] < 2:
            return NO_CUT
        values = np.take_along_axis(features.varying, order, axis=1)
        gains = np.where(values[:, :-1] < values[:, 1:], gains_of(order), 0.0)
        top = float(gains.max())
        if not top > 0:
            return NO_CUT
        row, place = divmod(int((gains >= top * (1 - TIE)).argmax()), gains.shape[1])
        return top, row, float(midpoints(values[row, place], values[row, place + 1]))

    def _trees(
        self, parents: IntArray, rows: IntArray, thresholds: FloatArray, values: FloatArray
    ) -> GrownTrees:
        """Return trees with as many cuts as the values allow for, and with features for rows."""
        n = values.shape[1] - 1
        return GrownTrees(
            np.ascontiguousarray(parents[:, :n]),
            self._features.index[rows[:, :n]],
            np.ascontiguousarray(thresholds[:, :n]),
            np.ascontiguousarray(values),
        )


class TreeFitter(TreeGrower):
    """Fits trees by least squares to changing targets on the same examples, see `TreeGrower`.

    A leaf has at least `least_share` of all examples.

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
        super().__init__(X, cuts, depth)
        self._least = NO_GAIN * largest_whole(len(X))
        # The slack is for the rounding of the product.
        self._fewest = max(1, math.ceil((least_share - 1e-9) * len(X)))

    @cached_property
    def _root(self) -> RootSearch:
        return RootSearch(self._features, self._fewest)

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
        n_targets, m = whole.shape
        numbers = np.zeros((4, n_targets, self._n_cuts + 1), dtype=np.int64)
        parents, rows, counts, sums = numbers
        thresholds = np.full(parents.shape, np.inf)
        counts[:, 0], sums[:, 0] = m, whole.sum(axis=1)
        n_leaves = np.ones(n_targets, dtype=np.int64)
        if loops := compiling.beside(__name__):
            roots, rows[:, 0], found = self._root.best(loops, whole, sums[:, 0] // m)
            thresholds[:, 0] = np.where(roots > self._least, found, np.inf)
            features = self._features
            columns = features.order, features.varying, features.tied
            limits = self._least, self._fewest, self._n_steps, self._one_at_a_time, TIE
            cuts = parents, rows, thresholds
            loops.grow(whole, *columns, roots, *limits, *cuts, counts, sums, n_leaves)
        else:
            for t, own in enumerate(whole):
                leaves = np.zeros(m, dtype=np.int32)
                cuts = parents[t], rows[t], thresholds[t]
                gains_of = partial(_gains, own, self._fewest)
                n_leaves[t] += self._grow(gains_of, self._least, *cuts, leaves)
                counts[t] = np.bincount(leaves, minlength=counts.shape[1])
                sums[t] = 0
                np.add.at(sums[t], leaves, own)
        n = int(n_leaves.max())
        values = sums[:, :n] / np.maximum(counts[:, :n], 1) * units[:, None]
        trees = self._trees(parents, rows, thresholds, values)
        return trees, trees.leaves(self._features.columns)


def _gains(whole: WholeArray, fewest: int, order: ExampleArray) -> FloatArray:
    """Return the roots of the gains of a leaf's cuts, given its examples by each feature."""
    n = order.shape[1]
    left = np.arange(1, n)
    allowed = np.minimum(left, n - left) >= fewest
    factors = np.where(allowed, np.sqrt(n / (left * (n - left))), 0.0)
    centred = whole[order] - whole[order[0]].sum() // n
    return np.asarray(np.abs(centred.cumsum(axis=1)[:, :-1] * factors))
