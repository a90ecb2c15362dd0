"""Welch's two-tailed t-test of two means whose samples are known by mean and deviation alone."""

from __future__ import annotations

from typing import NamedTuple

from scipy.stats import ttest_ind_from_stats


class Moments(NamedTuple):
    """What is known of a sample.

    Attributes
    ----------
    mean, sd : float
        Mean and standard deviation, with n - 1.
    n : int
        Size, two or more.
    """

    mean: float
    sd: float
    n: int


def welch_p(a: Moments, b: Moments) -> float:
    """Return the p-value of no difference between two means.

    Parameters
    ----------
    a, b : Moments
        Independent samples of unequal variances.

    Returns
    -------
    float
        Where neither sample varies, 1 if the means are equal and else 0.
    """
    if a.sd == b.sd == 0:
        return float(a.mean == b.mean)
    return float(ttest_ind_from_stats(*a, *b, equal_var=False).pvalue)
