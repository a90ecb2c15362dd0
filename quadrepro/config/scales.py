"""Values on a logarithmic scale, computed in decimal: the same on every processor.

Values of a grid are part of a cell's key, so they must not depend on the last bits of a logarithm.
"""

from __future__ import annotations

from decimal import Context, Decimal, localcontext
from functools import cache

WORKING = Context(prec=34)
"""Enough digits for the rounding to `KEPT` not to depend on the error."""

KEPT = Context(prec=12)


def log_value(low: float, high: float, share: float) -> float:
    """Return the value at a share of the way from `low` to `high`, rounded to 12 digits.

    Parameters
    ----------
    low, high : float
        The ends, in either order; positive.
    share : float
        From 0 for `low` to 1 for `high`.

    Examples
    --------
    >>> log_value(1.0, 1e-4, 0.25)
    0.1
    """
    return float(_between(low, high, Decimal(share)))


@cache
def log_values(low: float, high: float, points: int, *, integer: bool) -> tuple[int | float, ...]:
    """Return values evenly spaced on a logarithmic scale, with exact ends.

    Parameters
    ----------
    low, high : float
        The first and the last value, in either order.
    points : int
        Number of values.
    integer : bool
        Whether to round to whole numbers; values that round to the same number become one. Other
        values are rounded to 12 digits.

    Raises
    ------
    ValueError
        If an end is not positive or there is fewer than one point.

    Examples
    --------
    >>> log_values(1, 1000, 4, integer=True)
    (1, 10, 100, 1000)
    """
    if low <= 0 or high <= 0:
        raise ValueError("a logarithmic scale needs positive ends")
    if points < 1:
        raise ValueError("a scale needs at least one point")
    with localcontext(WORKING):
        shares = [Decimal(i) / (points - 1) for i in range(1, points - 1)]
    inner = [_between(low, high, share) for share in shares]
    values = [float(low), *map(float, inner), float(high)][:points]
    return tuple(dict.fromkeys(round(v) for v in values)) if integer else tuple(values)


def _between(low: float, high: float, share: Decimal) -> Decimal:
    with localcontext(WORKING):
        value = (_ln(low) + share * (_ln(high) - _ln(low))).exp()
    return KEPT.plus(value)


@cache
def _ln(value: float) -> Decimal:
    return WORKING.ln(Decimal(value))
