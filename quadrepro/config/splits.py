"""Splits and folds: indices, and the hash by which a record knows them."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import numpy as np

from quadrepro._typing import IntArray


@dataclass(frozen=True)
class Split:
    """Training rows with their folds, and test rows.

    Attributes
    ----------
    train, test : ndarray of int
        Row indices.
    fold : ndarray of shape (n_train,)
        Fold of each training row; empty where none are needed.
    valid : ndarray of int or None, default None
        Rows held out to choose by.
    """

    train: IntArray
    test: IntArray
    fold: IntArray
    valid: IntArray | None = None

    @property
    def hash(self) -> str:
        """SHA-256 of the indices."""
        digest = hashlib.sha256()
        parts = (self.train, self.test, self.fold)
        for part in parts if self.valid is None else (*parts, self.valid):
            digest.update(np.asarray(part, dtype="<i8").tobytes())
            digest.update(b"|")
        return digest.hexdigest()


def random_split(
    n_rows: int, n_train: int, folds: int, split: np.random.Generator, fold: np.random.Generator
) -> Split:
    """Draw a split and the folds of its training part.

    Parameters
    ----------
    n_rows : int
        Number of examples.
    n_train : int
        Size of the training part.
    folds : int
        Number of folds; their sizes differ by at most one. 0 for none.
    split, fold : numpy.random.Generator
        Where the two draws come from.

    Returns
    -------
    Split
        Indices in the order drawn.
    """
    order = split.permutation(n_rows)
    return Split(order[:n_train], order[n_train:], deal_folds(n_train, folds, fold))


def deal_folds(n_train: int, folds: int, rng: np.random.Generator) -> IntArray:
    """Return a random fold for each of `n_train` rows; an empty array for 0 folds."""
    fold_of = np.empty(n_train if folds else 0, dtype=np.intp)
    if folds:
        fold_of[rng.permutation(n_train)] = np.arange(n_train) % folds
    return fold_of


def holdout_split(n_rows: int, n_train: int, split: np.random.Generator) -> Split:
    """Draw a training part as `random_split` does, and halve the rest.

    Parameters
    ----------
    n_rows : int
        Number of examples.
    n_train : int
        Size of the training part.
    split : numpy.random.Generator
        Where the draw comes from.

    Returns
    -------
    Split
        With validation rows; the test part is the larger half where the rest is odd.
    """
    order = split.permutation(n_rows)
    n_valid = (n_rows - n_train) // 2
    train, valid, test = np.split(order, [n_train, n_train + n_valid])
    return Split(train, test, np.empty(0, dtype=np.intp), valid)
