"""What the tests share: the level of significance, pairing, and how a result is shown."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields
from fractions import Fraction
from math import isfinite, log10
from typing import Any, TypeVar

import numpy as np

from quadrepro.base.types import FloatArray, IntArray

LEVEL = 0.05
"""A p-value of at most this is called significant."""

DIGITS, DIGITS_OF_RANKS = 12, 9
"""Digits of the largest value to which equal differences agree, and those that are ranked: a
difference of 2e-10 between two scores is one of rounding."""

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


def paired(a: Iterable[Value], b: Iterable[Value]) -> list[tuple[Value, Value]]:
    """Return the pairs of two samples, which must have the same length."""
    x, y = list(a), list(b)
    if len(x) != len(y):
        raise ValueError(f"{len(x)} values cannot be paired with {len(y)}")
    return list(zip(x, y, strict=True))


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
    digits: int = DIGITS,
) -> Differences:
    """Return A minus B of each pair; refuse fewer pairs than `at_least` and what is not finite."""
    pairs = paired(a, b)
    if len(pairs) < at_least:
        raise ValueError(f"the test needs at least {at_least} pairs, and there are {len(pairs)}")
    if not all(isfinite(x) and isfinite(y) for x, y in pairs):
        raise ValueError("the values must be finite numbers")
    largest = max((abs(float(v)) for pair in pairs for v in pair), default=0.0)
    if largest > LARGEST:
        raise ValueError(f"the values must be at most {LARGEST:g}, and one is {largest:g}")
    # Squares of the smallest unit are still numbers.
    exponent = max(-150, int(np.floor(log10(largest))) + 1 - digits if largest else -digits)
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
    >>> p_text(0.0411), p_text(0.0002)
    ('p = 0.041', 'p < 0.001')
    """
    text = rounded_p(p_value)
    return f"p {text}" if text.startswith("<") else f"p = {text}"


def rounded_p(p_value: float) -> str:
    """Return a p-value to three digits, for tables; a small one is not shown as zero.

    Examples
    --------
    >>> rounded_p(0.0411), rounded_p(0.0002)
    ('0.041', '< 0.001')
    """
    return f"{p_value:.3f}" if p_value >= 0.001 else "< 0.001"
