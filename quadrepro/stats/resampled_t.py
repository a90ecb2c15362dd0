"""Corrected resampled t-test of two methods on splits of one data set (Nadeau and Bengio 2003)."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from math import sqrt

from quadrepro.stats.paired_t import PairedT
from quadrepro.stats.result import Differences, differences


def corrected_t_test(
    a: Iterable[float | Fraction], b: Iterable[float | Fraction], test_share: float
) -> PairedT:
    """Compare the mean errors of two methods on overlapping splits of one data set.

    Splits share examples, so the variance of the mean is larger than that of independent values,
    s²/n. The test of Nadeau and Bengio takes s² (1/n + n_test/n_train) in its place.

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
    """Refuse what is no share of test examples."""
    if not 0 <= test_share < 1:
        raise ValueError(
            f"the share of test examples must be at least 0 and below 1: {test_share:g}"
        )
