"""Splits and folds as row indices, and the hash that identifies them in a record."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace

import numpy as np

from quadrepro._typing import IntArray
from quadrepro.config.seeds import Draws, generator


@dataclass(frozen=True)
class Split:
    """Training rows with their folds, and test rows.

    Attributes
    ----------
    train, test : ndarray of int, shapes (n_train,) and (n_test,)
        Row indices.
    fold : ndarray of int, shape (n_train,) or (0,)
        The fold of each training row; empty if no folds are needed. If folds are windows of time,
        a fold is predicted from the rows of earlier ones, and -1 marks the rows before the first.
    valid : ndarray of int, shape (n_valid,), or None, default None
        Indices of the validation rows, or None without a hold-out.
    """

    train: IntArray
    test: IntArray
    fold: IntArray
    valid: IntArray | None = None

    def among(self, rows: IntArray) -> Split:
        """Return the split in which row i is ``rows[i]``."""
        valid = None if self.valid is None else rows[self.valid]
        return Split(rows[self.train], rows[self.test], self.fold, valid)

    @property
    def hash(self) -> str:
        """The SHA-256 of the indices, in hexadecimal digits."""
        digest = hashlib.sha256()
        parts = (self.train, self.test, self.fold)
        for part in parts if self.valid is None else (*parts, self.valid):
            digest.update(np.ascontiguousarray(part, dtype="<i8").data)
            digest.update(b"|")
        return digest.hexdigest()


@dataclass(frozen=True)
class Division:
    """How the rows of a view are divided; a split is one draw of it.

    Attributes
    ----------
    n_rows : int
        Number of rows that are divided.
    n_train : int
        Size of the training part; with `outer`, of the smallest.
    folds : int
        Number of folds of the training part; 0 for no folds.
    holdout : bool
        Whether the rest is halved into validation and test rows.
    overlaps : bool
        Whether the training rows are the test rows as well.
    of : int or None, default None
        Number of rows that the divided ones are drawn from, if that is done for every split.
    outer : int, default 0
        Number of folds of all rows, each of which is the test part of one repeat; if 0, the
        training part is drawn.
    """

    n_rows: int
    n_train: int
    folds: int
    holdout: bool
    overlaps: bool
    of: int | None = None
    outer: int = 0

    @property
    def sizes(self) -> tuple[int, int, int]:
        """The sizes of the training, validation and test part."""
        rest = self.n_train if self.overlaps else self.n_rows - self.n_train
        n_valid = rest // 2 if self.holdout else 0
        return self.n_train, n_valid, rest - n_valid

    def split(self, draws: Draws) -> Split:
        """Draw the split of one repeat."""
        if self.outer:
            outer, tested = outer_fold(draws, self.outer)
            fold_of = deal_folds(self.n_rows, self.outer, outer)
            train, test = np.flatnonzero(fold_of != tested), np.flatnonzero(fold_of == tested)
            return Split(
                train, test, deal_folds(len(train), self.folds, generator(*draws, "folds"))
            )
        rng = generator(*draws, "split")
        if self.holdout:
            split = holdout_split(self.n_rows, self.n_train, rng)
        else:
            fold = generator(*draws, "folds")
            split = random_split(self.n_rows, self.n_train, self.folds, rng, fold)
        if self.overlaps:
            split = replace(split, test=split.train)
        if self.of is None:
            return split
        return split.among(generator(*draws, "rows").permutation(self.of)[: self.n_rows])


def outer_fold(draws: Draws, folds: int) -> tuple[np.random.Generator, int]:
    """Return the generator of the folds of all rows, and the one that a repeat tests.

    Parameters
    ----------
    draws : tuple of (int, str, int)
        Beginning of the names of the repeat's draws.
    folds : int
        Number of folds. As many successive repeats share one division into them.
    """
    seed, name, repeat = draws
    division, tested = divmod(repeat, folds)
    return generator(seed, name, division, "outer"), tested


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
        Number of folds, whose sizes differ by at most one; 0 for no folds.
    split, fold : numpy.random.Generator
        Random generators of the split and of the folds.

    Returns
    -------
    Split
        Indices in the order in which they were drawn.
    """
    order = split.permutation(n_rows)
    return Split(order[:n_train], order[n_train:], deal_folds(n_train, folds, fold))


def deal_folds(n_train: int, folds: int, rng: np.random.Generator) -> IntArray:
    """Return a random fold for each training row.

    Parameters
    ----------
    n_train : int
        Number of training rows.
    folds : int
        Number of folds, whose sizes differ by at most one; 0 for no folds.
    rng : numpy.random.Generator

    Returns
    -------
    ndarray of int, shape (n_train,) or (0,)
        Folds from 0 to ``folds - 1``; an empty array for 0 folds.
    """
    fold_of = np.empty(n_train if folds else 0, dtype=np.intp)
    if folds:
        fold_of[rng.permutation(n_train)] = np.arange(n_train) % folds
    return fold_of


def holdout_split(n_rows: int, n_train: int, split: np.random.Generator) -> Split:
    """Draw the same training rows as `random_split`, and halve the rest.

    Parameters
    ----------
    n_rows : int
        Number of examples.
    n_train : int
        Size of the training part.
    split : numpy.random.Generator
        Random generator of the split.

    Returns
    -------
    Split
        With validation rows and without folds. If the number of remaining rows is odd, the test
        part has one row more.
    """
    order = split.permutation(n_rows)
    n_valid = (n_rows - n_train) // 2
    train, valid, test = np.split(order, [n_train, n_train + n_valid])
    return Split(train, test, np.empty(0, dtype=np.intp), valid)
