"""Shared by all tests: the level of significance, how results show, and when two values tie."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields
from math import floor, isclose, isnan, log10
from typing import Any, SupportsFloat

import numpy as np
from numpy.typing import ArrayLike

from quadrepro.base.types import FloatArray, IntArray

LEVEL = 0.05
"""A p-value of at most this is called significant."""

COVERAGE = 1 - LEVEL
"""Probability with which an interval covers its value."""

SEED = 0
"""Seed of the simulations."""

TIE, LEAST = 1e-9, 1e-15
"""Two values tie if they differ by at most this share of the larger one, or by the second number.

A difference of 2e-10 between two scores is one of rounding.
"""

DIGITS = 12
"""Digits of the largest value to which differences are kept by default."""

Values = Iterable[SupportsFloat]
"""Risks, or other numbers."""


@dataclass(frozen=True)
class Result:
    """Base of all results; shows numbers with six significant digits."""

    def __repr__(self) -> str:
        texts = (f"{f.name}={_text(getattr(self, f.name))}" for f in fields(self))
        return f"{type(self).__name__}({', '.join(texts)})"


class PValueResult(Result):
    """Base of the results with a p-value."""

    p_value: float

    @property
    def significant(self) -> bool:
        """Whether the p-value is at most `LEVEL`."""
        return self.p_value <= LEVEL


def _text(value: Any) -> str:
    if isinstance(value, tuple):
        return f"({', '.join(map(_text, value))}{',' * (len(value) == 1)})"
    return f"{value:.6g}" if isinstance(value, float) else repr(value)


def p_text(p_value: float) -> str:
    """Return a p-value as texts give it.

    Examples
    --------
    >>> p_text(0.0411), p_text(0.0002), p_text(float("nan"))
    ('p = 0.041', 'p < 0.001', 'p = –')
    """
    text = rounded_p(p_value)
    return f"p {text}" if text.startswith("<") else f"p = {text}"


def rounded_p(p_value: float) -> str:
    """Return a p-value to three digits, for tables.

    A small one is not shown as zero, and one above `LEVEL` not as `LEVEL`.

    Examples
    --------
    >>> rounded_p(0.0411), rounded_p(0.0002), rounded_p(0.05007), rounded_p(float("nan"))
    ('0.041', '< 0.001', '0.0501', '–')
    """
    if isnan(p_value):
        return "–"
    digits = 3
    while digits < 12 and p_value > LEVEL == round(p_value, digits):
        digits += 1
    return f"{p_value:.{digits}f}" if p_value >= 0.001 else "< 0.001"


def numbers(values: Values) -> FloatArray:
    """Return values as an array; refuse NaN and infinity."""
    array = np.array([float(value) for value in values])
    if not np.isfinite(array).all():
        raise ValueError("the values must be finite numbers")
    return array


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


def orders(a: ArrayLike, b: ArrayLike) -> IntArray:
    """Return `order` of each pair of two arrays of the same shape.

    Examples
    --------
    >>> orders([0.1, 0.1 + 0.2], [0.2, 0.3]).tolist()
    [-1, 0]
    """
    x, y = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    slack = np.maximum(TIE * np.maximum(np.abs(x), np.abs(y)), LEAST)
    return np.where(np.abs(x - y) <= slack, 0, np.sign(x - y)).astype(np.int64)


def ranked(values: FloatArray, sizes: FloatArray) -> FloatArray:
    """Return the ranks of values, 1 for the lowest; those that tie share their mean rank.

    `sizes` scales the tolerance of ties: the absolute values, or the larger number of each pair
    whose difference is ranked.
    """
    rising = np.argsort(values)
    slack = np.maximum(TIE * sizes[rising], LEAST)
    steps = np.diff(values[rising]) > np.maximum(slack[1:], slack[:-1])
    # As scipy.stats.rankdata counts them, but that takes half a second to import.
    groups = np.zeros(len(values), dtype=np.intp)
    groups[rising[1:]] = np.cumsum(steps)
    sizes_of_groups = np.bincount(groups)
    return np.asarray((np.cumsum(sizes_of_groups) - (sizes_of_groups - 1) / 2)[groups])
