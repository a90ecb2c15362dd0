"""scikit-learn's splitters, drawn from generators with names.

They are used only in ways that are the same under every version that is supported and on every
processor; where one is not, a comment says so.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from quadrepro._typing import IntArray
from quadrepro.config.splits import deal_folds

Parts = tuple[IntArray, IntArray]
"""The rows that were drawn, and the others."""


def draw_by_class(classes: IntArray, n_drawn: int, rng: np.random.Generator) -> Parts:
    """Draw rows of which each class has its share, with StratifiedShuffleSplit.

    Parameters
    ----------
    classes : ndarray of int, shape (n_rows,)
    n_drawn : int
        Number of rows to draw.
    rng : numpy.random.Generator

    Raises
    ------
    ValueError
        If a class has a single row, or there are fewer rows in a part than classes.
    """
    from sklearn.model_selection import StratifiedShuffleSplit

    n_others, sizes = len(classes) - n_drawn, _sizes(classes)
    if sizes.min() < 2 or min(n_drawn, n_others) < len(sizes):
        raise ValueError(
            f"{len(classes)} rows of {len(sizes)} classes, {sizes.min()} of the rarest, are too few"
            f" to be divided by class into {n_drawn} and {n_others}"
        )
    splitter = StratifiedShuffleSplit(
        1, train_size=n_drawn, test_size=n_others, random_state=_seed(rng)
    )
    return _first(splitter, classes)


def draw_groups(groups: IntArray, n_drawn: int, rng: np.random.Generator) -> Parts:
    """Draw all rows of some groups, with GroupShuffleSplit.

    Parameters
    ----------
    groups : ndarray of int, shape (n_rows,)
    n_drawn : int
        Number of groups to draw.
    rng : numpy.random.Generator

    Raises
    ------
    ValueError
        If no group is drawn or none is left.
    """
    from sklearn.model_selection import GroupShuffleSplit

    n_groups = len(np.unique(groups))
    if not 0 < n_drawn < n_groups:
        raise ValueError(f"{n_groups} groups are too few")
    splitter = GroupShuffleSplit(
        1, train_size=n_drawn, test_size=n_groups - n_drawn, random_state=_seed(rng)
    )
    return _first(splitter, groups, groups)


def deal(
    n_rows: int,
    k: int,
    rng: np.random.Generator,
    *,
    classes: IntArray | None = None,
    groups: IntArray | None = None,
) -> IntArray:
    """Return a random fold for each row, by class, by group or by both.

    Parameters
    ----------
    n_rows, k : int
        Number of rows and of folds.
    rng : numpy.random.Generator
    classes : ndarray of int, shape (n_rows,), optional
        Classes that all folds have the same shares of, with StratifiedKFold.
    groups : ndarray of int, shape (n_rows,), optional
        Groups that folds do not divide, with GroupKFold or StratifiedGroupKFold.

    Returns
    -------
    ndarray of int, shape (n_rows,)
        Folds from 0 to ``k - 1``.

    Raises
    ------
    ValueError
        If there are fewer rows, rows of a class, or groups than folds.
    """
    from sklearn.model_selection import GroupKFold, StratifiedGroupKFold, StratifiedKFold

    if n_rows < k:
        raise ValueError(f"{n_rows} rows are too few for {k} folds")
    if groups is not None and (n_groups := len(np.unique(groups))) < k:
        raise ValueError(f"{n_groups} groups are too few for {k} folds")
    if classes is not None and (rarest := _sizes(classes).min()) < k:
        raise ValueError(f"{rarest} rows of a class are too few for {k} folds with all classes")
    splitter: Any
    if groups is None:
        if classes is None:
            return deal_folds(n_rows, k, rng)
        splitter = StratifiedKFold(k, shuffle=True, random_state=_seed(rng))
    elif classes is None:
        # Without shuffling, scikit-learn 1.6 sorts groups by their sizes, and the order of equal
        # ones depends on the processor.
        splitter = GroupKFold(k, shuffle=True, random_state=_seed(rng))
    else:
        # Its own shuffling gives groups the classes of others in scikit-learn 1.6.
        splitter = StratifiedGroupKFold(k)
        groups = rng.permutation(int(groups.max()) + 1)[groups]
    fold = np.empty(n_rows, dtype=np.intp)
    for f, (_, out) in enumerate(splitter.split(fold, classes, groups)):
        if not len(out):
            raise ValueError(f"the groups are too uneven for {k} folds")
        fold[out] = f
    return fold


def windows(n_rows: int, k: int) -> IntArray:
    """Return the fold of each row in the order of time, with TimeSeriesSplit.

    Parameters
    ----------
    n_rows, k : int
        Number of rows and of folds.

    Returns
    -------
    ndarray of int, shape (n_rows,)
        Folds from 0 to ``k - 1``, which have the same size; -1 for the rows before the first.

    Raises
    ------
    ValueError
        If there are not more rows than folds.
    """
    from sklearn.model_selection import TimeSeriesSplit

    if n_rows <= k:
        raise ValueError(f"{n_rows} training rows are too few for {k} folds in the order of time")
    fold = np.full(n_rows, -1, dtype=np.intp)
    for f, (_, out) in enumerate(TimeSeriesSplit(k).split(fold)):
        fold[out] = f
    return fold


def _sizes(classes: IntArray) -> IntArray:
    return np.unique(classes, return_counts=True)[1]


def _first(splitter: Any, y: IntArray, groups: IntArray | None = None) -> Parts:
    first, second = next(splitter.split(y, y, groups))
    return first, second


def _seed(rng: np.random.Generator) -> int:
    return int(rng.integers(2**32))
