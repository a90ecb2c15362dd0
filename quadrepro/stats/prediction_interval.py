"""Where a printed number lies in the distribution of our repeats."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from quadrepro.stats.result import Result

COVERAGE = 0.95
"""Probability with which one further repeat lies in the interval."""


@dataclass(frozen=True, repr=False)
class Placement(Result):
    """Result of `placement`.

    Attributes
    ----------
    mean, sd : float
        Mean and standard deviation of our repeats, the latter with n - 1.
    quantile : float
        Share of our repeats below the printed number; ties count half.
    low, high : float
        Ends of the prediction interval.
    p_value : float
        Two-sided p-value of "the printed number is that of a further repeat", from the end of its
        rounding interval that is nearer to our mean.
    inside : bool
        Whether the printed number, as rounded, can lie in the interval.
    """

    mean: float
    sd: float
    quantile: float
    low: float
    high: float
    p_value: float
    inside: bool


def placement(
    ours: Iterable[float | Fraction],
    printed: float,
    rounding: float,
    *,
    further: int = 1,
    n_test: int | None = None,
) -> Placement:
    """Place a printed number among our repeats.

    A printed number of one split is compared with an interval for one further repeat, not for the
    mean: mean ± t sd sqrt(1 + 1/n), with the quantile t of Student's distribution with n - 1
    degrees of freedom. For normal repeats it covers one more of them with probability `COVERAGE`.
    A printed mean of k splits is compared with one for the mean of k further repeats, in which 1/k
    stands for 1.

    Parameters
    ----------
    ours : iterable of float or Fraction
        Our repeats, two or more.
    printed : float
        The printed number.
    rounding : float
        Half a unit of its last digit: 0.0005 for a number printed as 0.123. Repeats that are
        nearer to the printed number than this are ties, and the interval is this much wider on
        both sides.
    further : int, default 1
        The number k of splits whose mean the printed number is.
    n_test : int, optional
        Number of test examples, if the numbers are risks. The deviation of the repeats holds the
        binomial error of their test sets already; only if all repeats agree does that error, of the
        risk (k + 1) / (n_test + 2) with k errors, take the place of a deviation of 0.

    Returns
    -------
    Placement
        Quantile, interval and whether the printed number is inside.

    Raises
    ------
    ValueError
        If there are fewer than two repeats.

    Examples
    --------
    >>> from quadrepro.stats import placement
    >>> where = placement([0.21, 0.18, 0.25, 0.20, 0.22], printed=0.29, rounding=0.005)
    >>> where.inside, round(where.low, 4), round(where.high, 4), round(where.p_value, 4)
    (True, 0.1333, 0.2907, 0.0617)
    >>> placement([0.21, 0.18, 0.25, 0.20, 0.22], printed=0.31, rounding=0.005).inside
    False
    """
    values = np.array(list(ours), dtype=np.float64)
    n = len(values)
    if n < 2:
        raise ValueError("a placement needs at least two repeats")
    # scipy.stats takes half a second to import.
    from scipy.stats import t as student

    mean = float(values.mean())
    sd = float(values.std(ddof=1)) if np.ptp(values) else _binomial(mean, n_test)
    error = sd * float(np.sqrt(1 / further + 1 / n))
    reach = float(student.ppf((1 + COVERAGE) / 2, n - 1)) * error
    # Our numbers have more digits than the printed one.
    slack = rounding + 1e-12
    apart = np.abs(values - printed)
    below = (values < printed) & (apart > slack)
    quantile = float((below.sum() + (apart <= slack).sum() / 2) / n)
    distance = abs(printed - mean) - slack
    if error == 0:
        p_value = float(distance <= 0)
    else:
        p_value = min(1.0, float(2 * student.sf(distance / error, n - 1)))
    return Placement(mean, sd, quantile, mean - reach, mean + reach, p_value, distance <= reach)


def _binomial(mean: float, n_test: int | None) -> float:
    """Return the deviation of a risk on so many test examples, or 0 if they are not known."""
    if n_test is None:
        return 0.0
    risk = (mean * n_test + 1) / (n_test + 2)
    return float(np.sqrt(risk * (1 - risk) / n_test))
