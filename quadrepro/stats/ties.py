"""Pairs of values, and what ties: rounding decides nothing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import floor, isclose, log10
from typing import Any, SupportsFloat

import numpy as np

from quadrepro.base.types import FloatArray

TIE, LEAST = 1e-9, 1e-15
"""Two values tie if they differ by at most this share of the larger one, or by the second number:
a difference of 2e-10 between two scores is one of rounding."""

DIGITS = 12
"""Digits of the largest value to which differences are kept by default."""

Values = Iterable[SupportsFloat]
"""Risks, or other numbers."""


def numbers(values: Values) -> FloatArray:
    """Return values as an array; refuse what is not finite."""
    found = np.array([float(value) for value in values])
    if not np.isfinite(found).all():
        raise ValueError("the values must be finite numbers")
    return found


def paired(a: Iterable[Any], b: Iterable[Any]) -> list[tuple[Any, Any]]:
    """Return the pairs of two samples, which must have the same length."""
    x, y = list(a), list(b)
    if len(x) != len(y):
        raise ValueError(f"{len(x)} values cannot be paired with {len(y)}")
    return list(zip(x, y, strict=True))


def differences(a: Values, b: Values, digits: int = DIGITS) -> FloatArray:
    """Return A minus B of each pair, so rounded that equal differences are equal numbers.

    Examples
    --------
    >>> differences([0.3, 0.2], [0.2, 0.1]).tolist()
    [0.1, 0.1]
    """
    x, y = map(numbers, zip(*paired(a, b), strict=True))
    largest = max(np.abs(x).max(), np.abs(y).max())
    return np.round(x - y, digits - 1 - floor(log10(largest))) if largest else x - y


def order(a: SupportsFloat, b: SupportsFloat) -> int:
    """Return -1 if A is the lower of two numbers, 1 if it is the higher, and 0 if they tie.

    Examples
    --------
    >>> order(0.1, 0.2), order(0.1 + 0.2, 0.3)
    (-1, 0)
    """
    x, y = float(a), float(b)
    return 0 if isclose(x, y, rel_tol=TIE, abs_tol=LEAST) else int(x > y) - int(x < y)


def ranked(values: FloatArray, sizes: FloatArray) -> FloatArray:
    """Return the ranks of values, 1 for the lowest; those that tie share their mean rank.

    The sizes are those of the values, or of the larger of the two that each is the difference of.
    """
    rising = np.argsort(values)
    slack = np.maximum(TIE * sizes[rising], LEAST)
    apart = np.diff(values[rising]) > np.maximum(slack[1:], slack[:-1])
    # As scipy.stats.rankdata counts them, but that takes half a second to import.
    groups = np.zeros(len(values), dtype=np.intp)
    groups[rising[1:]] = np.cumsum(apart)
    sizes_of_groups = np.bincount(groups)
    return np.asarray((np.cumsum(sizes_of_groups) - (sizes_of_groups - 1) / 2)[groups])


def ranks_of(risks: Sequence[Sequence[SupportsFloat]]) -> FloatArray:
    """Return the ranks within each data set, 1 for the lowest; ties share their mean rank."""
    return np.array([ranked(row, np.abs(row)) for row in map(numbers, risks)])
