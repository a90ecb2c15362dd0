"""What the tests share: the level of significance, pairing, and how a result is shown."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields
from fractions import Fraction
from itertools import chain
from math import isclose, isfinite, isnan, log10
from typing import Any, TypeVar

import numpy as np

from quadrepro.base.types import FloatArray, IntArray

LEVEL = 0.05
"""A p-value of at most this is called significant."""

TIE, LEAST = 1e-9, 1e-15
"""Two values tie if they differ by at most this share of the larger one, or by the second number:
a difference of 2e-10 between two scores is one of rounding."""

DIGITS = 12
"""Digits of the largest value to which differences are kept."""

LARGEST = 1e150
"""Differences of larger values are refused, because their squares are not numbers."""

Value = TypeVar("Value")


@dataclass(frozen=True)
class Result:
    """Base of all results; shows numbers with six significant digits."""

    def __repr__(self) -> str:
        shown = (f"{f.name}={_text(getattr(self, f.name))}" for f in fields(self))
        return f"{type(self).__name__}({', '.join(shown)})"


class PValueResult(Result):
    """Base of the results with a p-value."""

    p_value: float

    @property
    def significant(self) -> bool:
        """Whether the p-value is at most `LEVEL`."""
        return self.p_value <= LEVEL


def paired(a: Iterable[Value], b: Iterable[Value], at_least: int = 0) -> list[tuple[Value, Value]]:
    """Return the pairs of two samples, which must have the same length."""
    x, y = list(a), list(b)
    if len(x) != len(y):
        raise ValueError(f"{len(x)} values cannot be paired with {len(y)}")
    if len(x) < at_least:
        raise ValueError(f"the test needs at least {at_least} pairs, and there are {len(x)}")
    return list(zip(x, y, strict=True))


def check_numbers(values: Iterable[float | Fraction]) -> None:
    """Refuse values that are not finite, or too large."""
    sizes = [abs(float(value)) for value in values]
    if not all(map(isfinite, sizes)):
        raise ValueError("the values must be finite numbers")
    if (largest := max(sizes, default=0.0)) > LARGEST:
        raise ValueError(f"the values must be at most {LARGEST:g}, and one is {largest:g}")


def order(a: float | Fraction, b: float | Fraction) -> int:
    """Return -1 if A is the lower of two numbers, 1 if it is the higher, and 0 if they tie.

    Examples
    --------
    >>> order(0.1, 0.2), order(0.1 + 0.2, 0.3)
    (-1, 0)
    """
    return 0 if isclose(a, b, rel_tol=TIE, abs_tol=LEAST) else int(a > b) - int(a < b)


def ranked(values: FloatArray, sizes: FloatArray) -> FloatArray:
    """Return the ranks of values, 1 for the lowest; those that tie share their mean rank.

    Parameters
    ----------
    values : ndarray of shape (n,)
        Values, or differences of values.
    sizes : ndarray of shape (n,)
        Sizes of the values, or of the largest ones that each difference is of.
    """
    # scipy takes half a second to import.
    from scipy.stats import rankdata

    rising = np.argsort(values)
    slack = np.maximum(TIE * sizes[rising], LEAST)
    apart = np.diff(values[rising]) > np.maximum(slack[1:], slack[:-1])
    places = np.empty(len(values))
    places[rising] = np.append(0, np.cumsum(apart))
    return np.asarray(rankdata(places))


@dataclass(frozen=True)
class Differences:
    """Differences of paired values, as whole multiples of a unit.

    Floating-point numbers such as 0.3 - 0.2 and 0.2 - 0.1 differ in their last bits. As whole
    numbers they are equal, and so are sums of them.

    Attributes
    ----------
    whole : ndarray of int, shape (n_pairs,)
        A minus B in units.
    unit : float
        The unit, a power of ten.
    """

    whole: IntArray
    unit: float

    @property
    def values(self) -> FloatArray:
        """A minus B, shape (n_pairs,)."""
        # 0.3 is 3 / 10 but not 3 * 0.1.
        factor, divisor = (self.unit, 1.0) if self.unit > 1 else (1.0, 1 / self.unit)
        return np.asarray(self.whole * factor / divisor, dtype=np.float64)

    def in_units(self, value: float) -> int:
        """Return a number of the same kind in units."""
        return round(min(value / self.unit, 2.0**60))


def differences(
    a: Iterable[float | Fraction],
    b: Iterable[float | Fraction],
    at_least: int = 1,
) -> Differences:
    """Return A minus B of each pair; refuse fewer pairs than `at_least` and what is not finite."""
    pairs = paired(a, b, at_least)
    check_numbers(chain(*pairs))
    largest = max(abs(float(value)) for value in chain(*pairs))
    # Squares of the smallest unit are still numbers.
    exponent = max(-150, int(np.floor(log10(largest))) + 1 - DIGITS if largest else -DIGITS)
    scale = Fraction(10) ** -exponent
    # The exact difference: a float is the fraction that it stands for.
    whole = [round((Fraction(x) - Fraction(y)) * scale) for x, y in pairs]
    return Differences(np.array(whole, dtype=np.int64), float(1 / scale))


def _text(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, tuple):
        return f"({', '.join(map(_text, value))}{',' * (len(value) == 1)})"
    return repr(value)


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
    """Return a p-value to three digits, for tables; a small one is not shown as zero.

    Examples
    --------
    >>> rounded_p(0.0411), rounded_p(0.0002), rounded_p(float("nan"))
    ('0.041', '< 0.001', '–')
    """
    if isnan(p_value):
        return "–"
    return f"{p_value:.3f}" if p_value >= 0.001 else "< 0.001"
