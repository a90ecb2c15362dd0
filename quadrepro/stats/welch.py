"""Welch's t-test of two means whose samples are known by mean, deviation and size alone."""

from __future__ import annotations

from dataclasses import dataclass

from quadrepro.stats.result import PValueResult, Result


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
    p_value : float
        Two-sided p-value of "the means are equal".
    significant : bool
        Whether the p-value is at most `LEVEL`.
    """

    difference: float
    p_value: float


def welch_test(a: Moments, b: Moments) -> WelchTest:
    """Compare two means by Welch's (1947) two-sided t-test.

    The samples are independent and may have different variances and sizes, such as our splits and
    a paper's.

    Parameters
    ----------
    a, b : Moments
        Mean, standard deviation and size of the two samples.

    Returns
    -------
    WelchTest
        Difference of the means and p-value. If neither sample varies, the p-value is 1 for equal
        means and else 0.

    Examples
    --------
    >>> from quadrepro.stats import Moments, welch_test
    >>> ours, printed = Moments(14.20, 3.31, 40), Moments(15.05, 3.14, 20)
    >>> welch_test(ours, printed)
    WelchTest(difference=-0.85, p_value=0.337569)
    """
    difference = a.mean - b.mean
    if a.sd == b.sd == 0:
        return WelchTest(difference, float(a.mean == b.mean))
    # scipy.stats takes half a second to import.
    from scipy.stats import ttest_ind_from_stats

    test = ttest_ind_from_stats(a.mean, a.sd, a.n, b.mean, b.sd, b.n, equal_var=False)
    return WelchTest(difference, float(test.pvalue))
