"""Holm's correction for the number of tests."""

from __future__ import annotations

from collections.abc import Sequence


def holm(p_values: Sequence[float]) -> list[float]:
    """Adjust p-values for their number by Holm's (1979) step-down method.

    Rejecting every hypothesis whose adjusted p-value is at most α keeps the probability of one
    false rejection or more below α, however the tests depend on each other.

    Parameters
    ----------
    p_values : sequence of float
        One per test.

    Returns
    -------
    list of float
        The adjusted ones, in the same order, at most 1.

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    order = sorted(range(len(p_values)), key=lambda i: p_values[i])
    adjusted, least = [0.0] * len(p_values), 0.0
    for rank, i in enumerate(order):
        least = max(least, min(1.0, (len(order) - rank) * p_values[i]))
        adjusted[i] = least
    return adjusted
