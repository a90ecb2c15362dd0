"""Tests of differences: paired and resampled t-tests, equivalence, signs, ranks, and two means."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain
from math import nan, sqrt

import numpy as np

from quadrepro.base.types import FloatArray, IntArray
from quadrepro.stats.intervals import COVERAGE
from quadrepro.stats.result import (
    LEVEL,
    Differences,
    PValueResult,
    Result,
    check_numbers,
    differences,
    order,
    paired,
    ranked,
)

ROUNDING = 1e-12
"""Share of the largest value by which equal means differ, and equal differences vary."""


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
    distance = float(np.maximum(abs(difference) - rounding, 0.0))
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


@dataclass(frozen=True, repr=False)
class PairedT(PValueResult):
    """Result of `paired_t_test`.

    Attributes
    ----------
    mean_difference : float
        Mean of A minus mean of B.
    p_value : float
        Two-sided p-value of "the mean difference is 0".
    significant : bool
        Whether the p-value is at most `LEVEL`.
    """

    mean_difference: float
    p_value: float


def paired_t_test(a: Iterable[float | Fraction], b: Iterable[float | Fraction]) -> PairedT:
    """Compare the mean errors of two algorithms on the same splits.

    The two-sided paired t-test of Table 1 of Empirical Bernstein Boosting. The splits of one data
    set overlap, so the errors are not independent and the p-value is too small; the paper uses the
    test all the same.

    Parameters
    ----------
    a, b : iterable of float or Fraction
        Errors of A and of B, one per split and in the same order; two splits or more.

    Returns
    -------
    PairedT
        Mean difference and p-value. If all differences are equal, the p-value is 1 for a
        difference of 0 and else 0.

    Raises
    ------
    ValueError
        If the lengths differ or there are fewer than two pairs.

    Examples
    --------
    >>> from quadrepro.stats import paired_t_test
    >>> paired_t_test([0.21, 0.18, 0.25, 0.20], [0.24, 0.20, 0.26, 0.24])
    PairedT(mean_difference=-0.025, p_value=0.0304663)
    """
    pairs = paired(a, b)
    if len(pairs) < 2:
        raise ValueError("a paired t-test needs at least two pairs")
    x, y = (np.array(values, dtype=np.float64) for values in zip(*pairs, strict=True))
    differences = x - y
    mean = float(differences.mean())
    # If the differences have no spread but rounding, the statistic is a division by noise.
    rounding = ROUNDING * float(np.abs([x, y]).max())
    if np.ptp(differences) <= rounding:
        return PairedT(mean, float(abs(mean) <= rounding))
    # scipy.stats takes half a second to import.
    from scipy.stats import ttest_rel

    return PairedT(mean, float(ttest_rel(x, y).pvalue))


def corrected_t_test(
    a: Iterable[float | Fraction], b: Iterable[float | Fraction], test_share: float
) -> PairedT:
    """Compare the mean errors of two methods on overlapping splits of one data set.

    Splits share examples, so the variance of the mean is larger than that of independent values,
    s²/n. The test of Nadeau and Bengio takes s² (1/n + n_test/n_train) in its place. That is
    approximate: in simulations of equal methods it was significant for 0.5% to 6% of pairs, and the
    paired t-test for 5% to 70%.

    Parameters
    ----------
    a, b : iterable of float or Fraction
        Errors of A and of B, one per split and in the same order; two splits or more.
    test_share : float
        Share of the examples that is tested in a split, n_test / (n_train + n_test): 0.5 for
        halves, 0.1 for tenfold cross-validation. With 0 it is the paired t-test.

    Returns
    -------
    PairedT
        Mean difference and two-sided p-value. If all differences are equal, the p-value is 1 for a
        difference of 0 and else 0.

    Raises
    ------
    ValueError
        If the lengths differ, there are fewer than two pairs, a value is not finite, or the share
        is not at least 0 and below 1.

    References
    ----------
    C. Nadeau and Y. Bengio, Inference for the generalization error, Machine Learning 52, 2003.

    Examples
    --------
    >>> from quadrepro.stats import corrected_t_test
    >>> corrected_t_test([0.21, 0.18, 0.25, 0.20], [0.24, 0.20, 0.26, 0.24], test_share=0.5)
    PairedT(mean_difference=-0.025, p_value=0.18169)
    """
    check_share(test_share)
    found = differences(a, b, at_least=2)
    mean, variance = corrected_moments(found, test_share)
    if variance == 0:
        return PairedT(mean, float(mean == 0))
    # scipy takes half a second to import.
    from scipy.special import stdtr

    return PairedT(mean, float(2 * stdtr(len(found.whole) - 1, -abs(mean) / sqrt(variance))))


def corrected_moments(found: Differences, test_share: float) -> tuple[float, float]:
    """Return the mean difference and the variance of that mean; exactly 0 if all are equal."""
    values = found.values
    mean = float(values.mean())
    if (found.whole == found.whole[0]).all():
        return float(values[0]), 0.0
    return mean, float(values.var(ddof=1)) * (1 / len(values) + test_share / (1 - test_share))


def check_share(test_share: float) -> None:
    """Validate the share of test examples."""
    if not 0 <= test_share < 1:
        raise ValueError(
            f"the share of test examples must be at least 0 and below 1: {test_share:g}"
        )


@dataclass(frozen=True, repr=False)
class SignTest(PValueResult):
    """Result of `sign_test`.

    Attributes
    ----------
    wins, losses, ties : int
        Number of data sets on which A has the lower, the higher and the same risk.
    p_value : float
        Two-sided p-value of "a win is as likely as a loss"; 1 if there are only ties.
    significant : bool
        Whether the p-value is at most `LEVEL`.
    """

    wins: int
    losses: int
    ties: int
    p_value: float


def sign_test(a: Iterable[float | Fraction], b: Iterable[float | Fraction]) -> SignTest:
    """Compare two algorithms by the number of data sets on which each has the lower risk.

    The exact two-sided sign test of Mendenhall (1983), as in Table 2 of QuadBoost: ties are left
    out, and without a difference between the algorithms the wins are binomial with probability
    1/2.

    Parameters
    ----------
    a, b : iterable of float or Fraction
        Risks of A and of B, one per data set and in the same order.

    Returns
    -------
    SignTest
        Wins, losses and ties of A, and the p-value. A data set with a NaN is not counted, and makes
        the p-value NaN.

    Raises
    ------
    ValueError
        If the lengths differ.

    Examples
    --------
    >>> from quadrepro.stats import sign_test
    >>> test = sign_test([0.10, 0.22, 0.05, 0.30, 0.18, 0.07], [0.12, 0.25, 0.05, 0.33, 0.21, 0.09])
    >>> test
    SignTest(wins=5, losses=0, ties=1, p_value=0.0625)
    >>> test.significant
    False
    """
    pairs = paired(a, b)
    signs = [order(x, y) for x, y in pairs if x == x and y == y]
    wins, losses, ties = (signs.count(sign) for sign in (-1, 1, 0))
    p_value = _p_value(wins, losses) if len(signs) == len(pairs) else nan
    return SignTest(wins, losses, ties, p_value)


def _p_value(wins: int, losses: int) -> float:
    if wins == losses:
        return 1.0
    # scipy.stats takes half a second to import.
    from scipy.stats import binomtest

    return float(binomtest(wins, wins + losses).pvalue)


EXACT = 200
"""Largest number of pairs for which the exact distribution is used."""


@dataclass(frozen=True, repr=False)
class WilcoxonTest(PValueResult):
    """Result of `wilcoxon_test`.

    Attributes
    ----------
    rank_sum, other_rank_sum : float
        Sum of the ranks of the pairs in which A, and in which B, has the lower risk.
    ties : int
        Number of pairs that tie.
    p_value : float
        Two-sided p-value of "differences are symmetric around 0"; 1 if there are only ties.
    significant : bool
        Whether the p-value is at most `LEVEL`.
    """

    rank_sum: float
    other_rank_sum: float
    ties: int
    p_value: float


def wilcoxon_test(a: Iterable[float | Fraction], b: Iterable[float | Fraction]) -> WilcoxonTest:
    """Compare two methods over data sets by Wilcoxon's signed-rank test.

    Ties are handled as by Pratt (1959): they take part in the ranking, and then their ranks are
    left out. Differences that tie share their mean rank. Up to 200 pairs the p-value is exact
    given the ranks, so that ties do not matter to it; above, it is that of the normal distribution
    without correction for continuity.

    Parameters
    ----------
    a, b : iterable of float or Fraction
        Risks of A and of B, one per data set and in the same order.

    Returns
    -------
    WilcoxonTest
        Rank sums, ties and p-value.

    Raises
    ------
    ValueError
        If the lengths differ, there is no pair, or a value is not finite.

    References
    ----------
    F. Wilcoxon, Individual comparisons by ranking methods, Biometrics 1, 1945. J. Pratt, Remarks on
    zeros and ties in the Wilcoxon signed rank procedures, Journal of the American Statistical
    Association 54, 1959.

    Examples
    --------
    >>> from quadrepro.stats import wilcoxon_test
    >>> wilcoxon_test([0.10, 0.22, 0.05, 0.30, 0.18, 0.07], [0.12, 0.25, 0.05, 0.36, 0.22, 0.12])
    WilcoxonTest(rank_sum=20, other_rank_sum=0, ties=1, p_value=0.0625)
    """
    # scipy takes half a second to import.
    from scipy.special import ndtr

    pairs = paired(a, b, at_least=1)
    check_numbers(chain(*pairs))
    x, y = np.array(pairs, dtype=np.float64).T
    ranks = ranked(np.abs(x - y), np.maximum(np.abs(x), np.abs(y)))
    signs = np.array([order(*pair) for pair in pairs])
    # Mid-ranks are whole numbers when doubled.
    doubled = np.rint(2 * ranks).astype(np.int64)
    wins, losses = (int(doubled[signs == side].sum()) for side in (-1, 1))
    signed = doubled[signs != 0]
    least = min(wins, losses)
    if 2 * least == signed.sum():
        p_value = 1.0
    elif len(pairs) <= EXACT:
        p_value = min(1.0, 2 * float(distribution_of_rank_sums(signed)[: least + 1].sum()))
    else:
        spread = float(np.sqrt((signed.astype(np.float64) ** 2).sum()))
        p_value = float(2 * ndtr((2 * least - int(signed.sum())) / spread))
    return WilcoxonTest(wins / 2, losses / 2, int((signs == 0).sum()), p_value)


def distribution_of_rank_sums(ranks: IntArray) -> FloatArray:
    """Return the distribution of the sum of ranks that are each taken with probability 1/2.

    Parameters
    ----------
    ranks : ndarray of int
        The ranks, or doubled ranks.

    Returns
    -------
    ndarray of shape (ranks.sum() + 1,)
        Probability of 0, 1, ... .

    Examples
    --------
    >>> distribution_of_rank_sums(np.array([1, 2])).tolist()
    [0.25, 0.25, 0.25, 0.25]
    """
    found = np.zeros(int(ranks.sum()) + 1)
    found[0] = 1.0
    for rank in ranks:
        found[rank:] += found[: len(found) - rank].copy()
        found /= 2
    return found


@dataclass(frozen=True, repr=False)
class EquivalenceTest(PValueResult):
    """Result of `equivalence_test`.

    Attributes
    ----------
    mean_difference : float
        Mean of A minus mean of B.
    low, high : float
        Interval that covers the mean difference with probability 1 - 2 `LEVEL`. The test is
        significant if it lies within the margin.
    margin : float
        The largest difference that does not matter.
    p_value : float
        P-value of "the mean difference is at least the margin", whichever is larger.
    significant : bool
        Whether the p-value is at most `LEVEL`: the methods are equivalent.
    different : bool
        Whether the whole interval lies outside the margin: the methods are not equivalent. If
        neither holds, the data do not tell.
    """

    mean_difference: float
    low: float
    high: float
    margin: float
    p_value: float

    @property
    def different(self) -> bool:
        """Whether the whole interval lies outside the margin."""
        return self.low > self.margin or self.high < -self.margin


def equivalence_test(
    a: Iterable[float | Fraction], b: Iterable[float | Fraction], margin: float
) -> EquivalenceTest:
    """Test whether the mean difference of two methods is smaller than a margin.

    The two one-sided paired t-tests of Schuirmann (1987). A test of difference that finds nothing
    is no evidence of equivalence; this test is significant only if there is some.

    Its level of 0.05 holds for differences that are normal, or symmetric with longer tails. For
    skewed ones whose mean is just the margin it was significant, in 40,000 simulated samples each,
    with a probability of 0.08 (14 pairs) or 0.07 (30) at a skewness of 1, and of 0.12 or 0.10 at a
    skewness of 2, if the long tail points away from zero; of 0.03 and 0.02 if it points to zero.

    Parameters
    ----------
    a, b : iterable of float or Fraction
        Risks of A and of B, one per data set and in the same order; two or more.
    margin : float
        The largest difference that does not matter, above 0, in the unit of the risks.

    Returns
    -------
    EquivalenceTest
        Mean difference, its interval, and the larger of the two p-values.

    Raises
    ------
    ValueError
        If the lengths differ, there are fewer than two pairs, a value is not finite, or the margin
        is not above 0.

    References
    ----------
    D. Schuirmann, A comparison of the two one-sided tests procedure and the power approach, Journal
    of Pharmacokinetics and Biopharmaceutics 15, 1987.

    Examples
    --------
    >>> from quadrepro.stats import equivalence_test
    >>> ours, theirs = [0.21, 0.18, 0.25, 0.20], [0.22, 0.18, 0.24, 0.21]
    >>> equivalence_test(ours, theirs, margin=0.02)
    EquivalenceTest(mean_difference=-0.0025, low=-0.0137659, high=0.00876587, margin=0.02, \
p_value=0.0176764)
    """
    # scipy takes half a second to import.
    from scipy.special import stdtr, stdtrit

    if not 0 < margin < float("inf"):
        raise ValueError(f"the margin must be above 0, not {margin:g}")
    found = differences(a, b, at_least=2)
    mean, variance = corrected_moments(found, 0.0)
    if variance == 0:
        inside = abs(int(found.whole[0])) < found.in_units(margin)
        return EquivalenceTest(mean, mean, mean, margin, float(not inside))
    df, error = len(found.whole) - 1, sqrt(variance)
    reach = float(stdtrit(df, 1 - LEVEL)) * error
    p_value = float(stdtr(df, (abs(mean) - margin) / error))
    return EquivalenceTest(mean, mean - reach, mean + reach, margin, p_value)


def sign_test_power(n: int, share: float) -> float:
    """Return how probable it is that the sign test is significant.

    Parameters
    ----------
    n : int
        Number of data sets without ties.
    share : float
        Probability of a win on each of them.

    Returns
    -------
    float
        Probability of a p-value of at most `LEVEL`, on either side. With a share of 1/2 it is the
        size of the test, which is smaller than `LEVEL` because p-values are discrete.

    Examples
    --------
    On 25 data sets, an algorithm that wins three times out of five goes mostly unnoticed:

    >>> from quadrepro.stats import sign_test_power
    >>> round(sign_test_power(25, 0.6), 2), round(sign_test_power(25, 0.8), 2)
    (0.15, 0.89)
    """
    from scipy.special import bdtr
    from scipy.stats import binom

    wins = np.arange(n + 1)
    found = 2 * bdtr(np.minimum(wins, n - wins), n, 0.5) <= LEVEL
    return float(binom.pmf(wins, n, share)[found].sum())
