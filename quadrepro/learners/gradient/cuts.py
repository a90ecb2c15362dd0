"""The best cut of each leaf for many targets at once, on features that are sorted once.

If the targets of a leaf are centred, a cut of its n examples into n_L and n_R lowers their sum of
squares by S² n / (n_L n_R), where S is the sum of the targets on either side. So all gains come
from running sums of the targets in the order of each feature.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from quadrepro._typing import BoolArray, FloatArray, IntArray

LeafArray = NDArray[np.int32]

TIE = 1e-10
"""Cuts tie if their gains differ by at most this share.

If two features give the same cut, their gains differ by rounding.
"""


def _midpoints(low: FloatArray, high: FloatArray) -> FloatArray:
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
        Indices of the features that vary.
    order : ndarray of shape (n_varying, n_examples)
        The examples in the order of each of them.
    values : ndarray of shape (n_varying, n_examples)
        Their values in that order.
    """

    def __init__(self, X: FloatArray) -> None:
        self.columns = np.ascontiguousarray(X.T)
        self.index = np.flatnonzero(self.columns.min(axis=1) < self.columns.max(axis=1))
        varying = self.columns[self.index]
        self.order = varying.argsort(axis=1, kind="stable")
        self.values = np.take_along_axis(varying, self.order, axis=1)


class RootSearch:
    """Finds the best cut of all examples.

    The running sums of a feature start at both of its ends and stop before its most frequent
    value, whose examples are never visited. So a feature that is mostly 0 costs only as much as
    its other values.

    Parameters
    ----------
    features : SortedFeatures
        The training examples.
    """

    def __init__(self, features: SortedFeatures) -> None:
        m = features.columns.shape[1]
        self._upward: list[slice] = []
        self._downward: list[slice] = []
        examples: list[IntArray] = []
        cuts: list[IntArray] = []
        start = 0
        for order, values in zip(features.order, features.values, strict=True):
            ends = np.append(np.flatnonzero(np.diff(values)) + 1, m)
            sizes = np.diff(ends, prepend=0)
            # The last of equally frequent values, so that most sums run upward.
            frequent = len(sizes) - 1 - int(sizes[::-1].argmax())
            low, high = int(ends[frequent] - sizes[frequent]), int(ends[frequent])
            middle, end = start + low, start + low + m - high
            if start < middle:
                self._upward.append(slice(start, middle))
            if middle < end:
                self._downward.append(slice(middle, end))
            examples.append(np.delete(order, np.s_[low:high]))
            # An upward sum belongs to the cut above its last example, a downward sum to the cut
            # below it.
            cuts.append(np.concatenate([np.arange(1, low + 1), np.arange(high, m)]))
            start = end
        if not examples:
            # No feature varies. One cut without gain saves all other lines a special case.
            self._examples, self._factors = np.zeros(1, np.intp), np.zeros(1)
            self._cut_features, self._thresholds = np.zeros(1, np.intp), np.full(1, np.inf)
        else:
            self._examples = np.concatenate(examples)
            self._tabulate(features, cuts)
        self._sums = np.empty((0, 0))

    def _tabulate(self, features: SortedFeatures, cuts: list[IntArray]) -> None:
        m = features.columns.shape[1]
        rows = np.repeat(np.arange(len(cuts)), [len(own) for own in cuts])
        left = np.concatenate(cuts)
        low, high = features.values[rows, left - 1], features.values[rows, left]
        self._factors = np.where(low < high, np.sqrt(m / (left * (m - left))), 0.0)
        self._cut_features, self._thresholds = features.index[rows], _midpoints(low, high)

    def best(self, centred: FloatArray) -> tuple[FloatArray, IntArray, FloatArray]:
        """Return the best cut for each target.

        Parameters
        ----------
        centred : ndarray of shape (n_targets, n_examples)
            Targets, each minus its mean.

        Returns
        -------
        roots : ndarray of shape (n_targets,)
            Square root of the decrease of the sum of squares.
        features : ndarray of shape (n_targets,)
            Feature of the cut. Ties go to the lowest feature, then to the lowest threshold.
        thresholds : ndarray of shape (n_targets,)
            Examples above the threshold go right.
        """
        if len(self._sums) != len(centred):
            self._sums = np.empty((len(centred), len(self._examples)))
            self._tied = np.empty(self._sums.shape, dtype=bool)
        sums = self._sums
        # If `take` checked the indices, it would buffer its output.
        centred.take(self._examples, axis=1, out=sums, mode="clip")
        for part in self._upward:
            np.add.accumulate(sums[:, part], axis=1, out=sums[:, part])
        for part in self._downward:
            backward = sums[:, part][:, ::-1]
            np.add.accumulate(backward, axis=1, out=backward)
        sums *= self._factors
        np.abs(sums, out=sums)
        roots = sums.max(axis=1)
        np.greater_equal(sums, (roots * (1 - TIE))[:, None], out=self._tied)
        cuts = self._tied.argmax(axis=1)
        return roots, self._cut_features[cuts], self._thresholds[cuts]


class LeafSearch:
    """Finds the best cut of every leaf of growing trees.

    Parameters
    ----------
    features : SortedFeatures
        The training examples.
    """

    def __init__(self, features: SortedFeatures) -> None:
        self._index = features.index
        self._shape = features.order.shape
        self._order = features.order.ravel()
        self._values = features.values.ravel()
        self._places = np.arange(self._shape[1], dtype=np.int32)
        # Turn the places within a feature into places within all features.
        self._starts = np.arange(self._shape[0], dtype=np.int32)[:, None] * self._shape[1]
        self._ties = bool((features.values[:, 1:] == features.values[:, :-1]).any())
        self._allocate(0)

    def _allocate(self, n_targets: int) -> None:
        self._rows = np.arange(n_targets)
        self._keys = np.empty((n_targets, *self._shape), dtype=np.int32)
        self._examples = np.empty(self._keys.shape, dtype=np.intp)
        self._gains = np.empty(self._keys.shape)

    def evaluate(self, centred: FloatArray, leaves: LeafArray, counts: IntArray) -> FloatArray:
        """Compute the gain of every cut of every leaf.

        Parameters
        ----------
        centred : ndarray of shape (n_targets, n_examples)
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
        keys, examples, gains = self._keys, self._examples, self._gains
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
        centred.reshape(-1).take(examples, out=gains, mode="clip")
        np.add.accumulate(gains, axis=2, out=gains)
        gains *= self._factors(marks // m, counts)[:, None, :]
        np.abs(gains, out=gains)
        if self._ties:
            values = self._values.take(keys)
            gains[:, :, :-1] *= values[:, :, 1:] != values[:, :, :-1]
        # An empty leaf starts where another leaf does or past the end, but has no gain.
        first = np.minimum(self._begins, m - 1)[:, None, :]
        first = first + (np.arange(n_targets * self._shape[0]) * m).reshape(n_targets, -1, 1)
        best = np.maximum.reduceat(gains.reshape(-1), first.reshape(-1)).reshape(first.shape)
        best *= (counts > 0)[:, None, :]
        self._of_features = best
        return np.asarray(best.max(axis=1))

    def _factors(self, leaves: LeafArray, counts: IntArray) -> FloatArray:
        places = leaves + (self._rows * counts.shape[1])[:, None]
        size = counts.reshape(-1).take(places)
        left = np.arange(1, leaves.shape[1] + 1) - self._begins.reshape(-1).take(places)
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
        features, thresholds : ndarray of shape (n_targets,)
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
        return self._index[features], _midpoints(low, high)
