"""Splits and folds: indices, and the hash by which a record knows them."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import numpy as np

from quadrepro.voters.reduction import IntArray


@dataclass(frozen=True)
class Split:
    """Training rows with their folds, and test rows.

    Attributes
    ----------
    train, test : ndarray of int
        Row indices.
    fold : ndarray of shape (n_train,)
        Fold of each training row.
    """

    train: IntArray
    test: IntArray
    fold: IntArray

    @property
    def hash(self) -> str:
        """SHA-256 of the indices."""
        digest = hashlib.sha256()
        for part in (self.train, self.test, self.fold):
            digest.update(np.asarray(part, dtype="<i8").tobytes())
            digest.update(b"|")
        return digest.hexdigest()


def training_size(n_rows: int, at_most: int) -> int:
    """Return min(at_most, ceil(n_rows / 2)): QuadBoost's rule, fixed by its printed risks."""
    return min(at_most, -(-n_rows // 2))


def random_split(
    n_rows: int, at_most: int, folds: int, split: np.random.Generator, fold: np.random.Generator
) -> Split:
    """Draw a split and the folds of its training part.

    Parameters
    ----------
    n_rows : int
        Number of examples.
    at_most : int
        Cap on the training part.
    folds : int
        Number of folds; their sizes differ by at most one.
    split, fold : numpy.random.Generator
        Where the two draws come from.

    Returns
    -------
    Split
        Indices in the order drawn.
    """
    n_train = training_size(n_rows, at_most)
    order = split.permutation(n_rows)
    fold_of = np.empty(n_train, dtype=np.intp)
    fold_of[fold.permutation(n_train)] = np.arange(n_train) % folds
    return Split(order[:n_train], order[n_train:], fold_of)
