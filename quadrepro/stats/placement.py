"""Where a printed number lies in the distribution of our repeats."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import t as student

COVERAGE = 0.95


@dataclass(frozen=True)
class Placement:
    """A printed number against our repeats.

    Attributes
    ----------
    mean, sd : float
        Of our repeats; sd with n - 1.
    quantile : float
        Share of our repeats below the printed number, ties counted half.
    low, high : float
        Interval in which one further repeat falls with probability 0.95 (Student's t,
        mean ± t sd sqrt(1 + 1/n)): the printed number is one split's.
    inside : bool
        Whether the printed number lies in it, give or take half a unit of its last digit.
    """

    mean: float
    sd: float
    quantile: float
    low: float
    high: float
    inside: bool


def place(ours: Sequence[float], printed: float, rounding: float) -> Placement:
    """Place a printed number.

    Parameters
    ----------
    ours : sequence of float
        Our repeats, two or more.
    printed : float
        The printed number.
    rounding : float
        Half a unit of its last digit.

    Returns
    -------
    Placement
        Quantile, interval and whether it is inside.

    Raises
    ------
    ValueError
        If there are fewer than two repeats.
    """
    values = np.asarray(ours, dtype=np.float64)
    n = len(values)
    if n < 2:
        raise ValueError("a placement needs at least two repeats")
    mean, sd = float(values.mean()), float(values.std(ddof=1))
    reach = float(student.ppf((1 + COVERAGE) / 2, n - 1)) * sd * float(np.sqrt(1 + 1 / n))
    # Ours have more digits than the printed one: within its rounding they are ties.
    slack = rounding + 1e-12
    ties = np.abs(values - printed) <= slack
    below = (values < printed) & ~ties
    quantile = float((below.sum() + ties.sum() / 2) / n)
    low, high = mean - reach, mean + reach
    return Placement(mean, sd, quantile, low, high, low - slack <= printed <= high + slack)
