"""The best cut of each leaf for many targets at once, on features that were sorted once.

With the targets of a leaf centred, the cut into n_L and n_R of its n examples lowers their sum of
squares by S_L² n / (n_L n_R), S_L the sum on either side. So all gains come from running sums of
the targets in the order of each feature.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from quadrepro._typing import BoolArray, FloatArray, IntArray

LeafArray = NDArray[np.int32]

TIE = 1e-10
"""Cuts whose gains differ by this share tie: the same cut by two features differs by rounding."""


def _midpoints(low: FloatArray, high: FloatArray) -> FloatArray:
    middle = low / 2 + high / 2
    # Where there is no number between them, what equals the threshold goes left.
    return np.where(middle < high, middle, low)


class SortedFeatures:
    """The features that vary, each with its examples from lowest to highest.

    Parameters
    ----------
    X : ndarray of shape (n_examples, n_features)
        Training examples, finite.

    Attributes
    ----------
    columns : ndarray of shape (n_features, n_examples)
        All features.
    index : ndarray of shape (n_varying,)
        The features that vary.
    order : ndarray of shape (n_varying, n_examples)
        Examples in the order of each of them.
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

    Only one running sum a feature is needed on either side of its most frequent value, whose
    examples never enter: a feature that is mostly 0 costs no more than what is not.

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
            # Of equally frequent values the last, so that most sums run upward.
            frequent = len(sizes) - 1 - int(sizes[::-1].argmax())
            low, high = int(ends[frequent] - sizes[frequent]), int(ends[frequent])
            middle, end = start + low, start + low + m - high
            if start < middle:
                self._upward.append(slice(start, middle))
            if middle < end:
                self._downward.append(slice(middle, end))
            examples.append(np.delete(order, np.s_[low:high]))
            # An upward sum belongs to the cut above its last example, a downward one below it.
            cuts.append(np.concatenate([np.arange(1, low + 1), np.arange(high, m)]))
            start = end
        if not examples:
            # No feature varies: a cut that gains nothing spares every other line the question.
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
            Targets, each less its mean.

        Returns
        -------
        roots, features, thresholds : ndarrays of shape (n_targets,)
            Root of the decrease of the sum of squares; the feature; what exceeds the threshold
            goes right. Of tied cuts the one of lowest feature, then of lowest threshold.
        """
        if len(self._sums) != len(centred):
            self._sums = np.empty((len(centred), len(self._examples)))
            self._tied = np.empty(self._sums.shape, dtype=bool)
        sums = self._sums
        # Checking the indices would make `take` buffer its output.
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
    """Finds the best cut of every leaf of a tree under growth.

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
        # Sorted keys are places within a feature; with this added they are so within all.
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
            Targets, each less the mean of its leaf.
        leaves : ndarray of int32, shape (n_targets, n_examples)
            The leaf of each example.
        counts : ndarray of shape (n_targets, n_leaves)
            Examples of each leaf.

        Returns
        -------
        ndarray of shape (n_targets, n_leaves)
            Root of the largest decrease of each leaf's sum of squares.
        """
        n_targets, m = leaves.shape
        if len(self._rows) != n_targets:
            self._allocate(n_targets)
        self._ends = counts.cumsum(axis=1)
        self._begins = self._ends - counts
        keys, examples, gains = self._keys, self._examples, self._gains
        marks = leaves * np.int32(m)
        # Checking the indices would make `take` buffer its output.
        marks.take(self._order, axis=1, out=keys.reshape(n_targets, -1), mode="clip")
        keys += self._places
        # Leaf by leaf, and within each in the order of the feature.
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
        # A leaf without examples starts where another does, or past the end: it has no gain.
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
        # A leaf ends where nothing is left on the right.
        return np.asarray(np.sqrt((products > 0) * size / np.maximum(products, 1)))

    def cut(self, leaves: IntArray) -> tuple[IntArray, FloatArray]:
        """Return the best cut of one leaf of each target, as evaluated last.

        Parameters
        ----------
        leaves : ndarray of shape (n_targets,)
            The leaf.

        Returns
        -------
        features, thresholds : ndarrays of shape (n_targets,)
            As in `RootSearch.best`.
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
