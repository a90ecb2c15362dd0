"""The level of significance, and how results are shown."""

from __future__ import annotations

from dataclasses import dataclass, fields
from math import isnan
from typing import Any

LEVEL = 0.05
"""A p-value of at most this is called significant."""

COVERAGE = 1 - LEVEL
"""Probability with which an interval covers its value."""


SEED = 0
"""Seed of the simulations."""


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
    """Return a p-value to three digits, for tables; a small one is not shown as zero.

    Examples
    --------
    >>> rounded_p(0.0411), rounded_p(0.0002), rounded_p(float("nan"))
    ('0.041', '< 0.001', '–')
    """
    if isnan(p_value):
        return "–"
    return f"{p_value:.3f}" if p_value >= 0.001 else "< 0.001"
