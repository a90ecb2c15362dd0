"""Welch's t-test of two means whose samples are known by mean, deviation and size alone."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

from quadrepro.stats.intervals import COVERAGE
from quadrepro.stats.result import PValueResult, Result

ROUNDING = 1e-12
"""Means that differ by less than this share of the larger one are equal."""


@dataclass(frozen=True, repr=False)
class Moments(Result):
    """What a paper prints of a sample.

    Parameters
    ----------
    mean : float
        Mean.
    sd : float
        Standard deviation, with n - 1 in the denominator.
    n : int
        Number of values, two or more.

    Raises
    ------
    ValueError
        If there are fewer than two values or the deviation is negative.
    """

    mean: float
    sd: float
    n: int

    def __post_init__(self) -> None:
        if self.n < 2:
            raise ValueError(f"a standard deviation needs at least two values, not {self.n}")
        if self.sd < 0:
            raise ValueError(f"a standard deviation cannot be {self.sd:g}")


@dataclass(frozen=True, repr=False)
class WelchTest(PValueResult):
    """Result of `welch_test`.

    Attributes
    ----------
    difference : float
        Mean of A minus mean of B.
    low, high : float
        Ends of the interval for the difference of the true means, with probability `COVERAGE`.
    p_value : float
        Two-sided p-value of "the means are equal".
    significant : bool
        Whether the p-value is at most `LEVEL`.
    """

    difference: float
    low: float
    high: float
    p_value: float


def welch_test(a: Moments, b: Moments, *, rounding: float = 0.0) -> WelchTest:
    """Compare two means by Welch's (1947) two-sided t-test.

    The samples are independent and may have different variances and sizes, such as our splits and
    a paper's.

    Parameters
    ----------
    a, b : Moments
        Mean, standard deviation and size of the two samples.
    rounding : float, default 0
        By how much the means may differ because one is printed with few digits: half a unit of the
        last one. The interval is this much wider on both sides, and the p-value is the largest of
        all means that would be printed alike.

    Returns
    -------
    WelchTest
        Difference of the means, interval and p-value. If neither sample varies, the p-value is 1
        for means that are equal but for rounding, and else 0.

    Examples
    --------
    >>> from quadrepro.stats import Moments, welch_test
    >>> ours, printed = Moments(14.20, 3.31, 40), Moments(15.05, 3.14, 20)
    >>> welch_test(ours, printed)
    WelchTest(difference=-0.85, low=-2.61994, high=0.919937, p_value=0.337569)
    """
    difference = a.mean - b.mean
    distance = max(0.0, abs(difference) - rounding)
    parts = [m.sd**2 / m.n for m in (a, b)]
    error = sqrt(sum(parts))
    if error == 0:
        same = distance <= ROUNDING * max(abs(a.mean), abs(b.mean))
        return WelchTest(difference, difference - rounding, difference + rounding, float(same))
    # scipy.stats takes half a second to import.
    from scipy.stats import t as student

    freedom = sum(parts) ** 2 / sum(v**2 / (m.n - 1) for v, m in zip(parts, (a, b), strict=True))
    reach = float(student.ppf((1 + COVERAGE) / 2, freedom)) * error + rounding
    p_value = float(2 * student.sf(distance / error, freedom))
    return WelchTest(difference, difference - reach, difference + reach, p_value)
