"""How often a test against the best of several finds a difference where there is none."""

from __future__ import annotations

from functools import cache

import numpy as np

from quadrepro.stats.result import LEVEL

DRAWS = 2000
"""Rows that are drawn."""


@cache
def chance_against_best(n_columns: int, n_splits: int) -> float:
    """Return how often paired t-tests against the lowest mean find a difference by chance.

    The best is the best of these numbers, so it is too good on average and the tests against it
    reject too often. Rows of equal algorithms, with normal errors, are drawn from a fixed seed.

    Parameters
    ----------
    n_columns, n_splits : int
        Number of algorithms and of splits, both two or more.

    Returns
    -------
    float
        Share of the rows in which some algorithm is found to differ at `LEVEL`.

    Examples
    --------
    >>> round(chance_against_best(5, 20), 2)
    0.28
    """
    # scipy.stats takes half a second to import.
    from scipy.stats import t as student

    numbers = np.random.default_rng(0).normal(size=(DRAWS, n_splits, n_columns))
    best = numbers.mean(axis=1).argmin(axis=1)
    apart = numbers - np.take_along_axis(numbers, best[:, None, None], axis=2)
    sd = apart.std(axis=1, ddof=1)
    reach = float(student.ppf(1 - LEVEL / 2, n_splits - 1)) * sd / np.sqrt(n_splits)
    # The best differs from itself by 0.
    return float((apart.mean(axis=1) > reach).any(axis=1).mean())
