"""What the tests share: the level of significance, pairing, and how a result is shown."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import Any, TypeVar

LEVEL = 0.05
"""A p-value of at most this is called significant."""

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


def _text(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, tuple):
        return f"({', '.join(map(_text, value))}{',' * (len(value) == 1)})"
    return repr(value)


def rounded_p(p_value: float) -> str:
    """Return a p-value to three digits, for tables; a small one is not shown as zero.

    Examples
    --------
    >>> rounded_p(0.0411), rounded_p(0.0002)
    ('0.041', '< 0.001')
    """
    return f"{p_value:.3f}" if p_value >= 0.001 else "< 0.001"
