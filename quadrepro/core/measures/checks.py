"""Checks that several bounds share."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from quadrepro.base.types import BoolArray, FloatArray

DELTA = 0.05
"""Probability of failure of every bound that is measured, and the default of the functions."""

ROUNDING = 1e-9
"""A loss may rise by this much by rounding alone."""


def check_delta(delta: float) -> None:
    """Refuse a probability of failure outside (0, 1)."""
    if not 0 < delta < 1:
        raise ValueError(f"delta is a probability in (0, 1), not {delta}")


def check_draws(n: int, least: int, delta: float) -> None:
    """Refuse too few draws, or a probability of failure outside (0, 1)."""
    if n < least:
        raise ValueError(f"the bound needs n >= {least}, not {n}")
    check_delta(delta)


def check_edge(gamma: float) -> None:
    """Refuse an edge outside (0, 1/2]."""
    if not 0 < gamma <= 0.5:
        raise ValueError(f"gamma must be in (0, 1/2], not {gamma}")


def in_range(name: str, values: ArrayLike, high: float) -> FloatArray:
    """Return the values as an array, and refuse any outside [0, high]."""
    checked = np.asarray(values, dtype=np.float64)
    if not ((checked >= 0) & (checked <= high)).all():
        raise ValueError(f"{name} must be in [0, {high:g}], not {checked}")
    return checked


def margin_matrix(margins: FloatArray) -> FloatArray:
    """Return the margins, and refuse all but a matrix with an example and a round."""
    margins = np.asarray(margins, dtype=np.float64)
    if margins.ndim != 2 or margins.size == 0:
        raise ValueError(f"margins must be a matrix of examples by rounds, not {margins.shape}")
    return margins


def check_falls(falls: BoolArray, loss: str, algorithm: str) -> None:
    """Refuse a loss that rises in some round, which it does not for this algorithm's margins."""
    if not falls.all():
        t = int(np.argmin(falls)) + 1
        raise ValueError(
            f"the {loss} loss rises in round {t}: these are not the margins of {algorithm}"
        )
