"""Whether two methods are equivalent: a test that can say so, and the power of one that cannot."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from math import sqrt

import numpy as np

from quadrepro.stats.paired import corrected_moments
from quadrepro.stats.result import LEVEL, PValueResult, differences


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
