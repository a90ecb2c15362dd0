"""How large test sets must have been for a printed deviation of their risks."""

from __future__ import annotations

import math
from dataclasses import dataclass

from quadrepro.stats.prediction_interval import COVERAGE
from quadrepro.stats.result import Result


@dataclass(frozen=True, repr=False)
class ImpliedSize(Result):
    """Result of `implied_test_size`.

    Attributes
    ----------
    estimate : float
        Number of test examples whose sampling alone gives the deviation.
    low, high : float
        Ends of the interval; infinite where the deviation may be zero.
    """

    estimate: float
    low: float
    high: float

    def holds(self, n_test: float) -> bool:
        """Return whether a number of test examples lies in the interval."""
        return self.low <= n_test <= self.high


def implied_test_size(
    risk: float, sd: float, n_printed: int, *, rounding: float = 0.0, share: float = 0.0
) -> ImpliedSize:
    """Return the size of test sets that a printed deviation over random splits implies.

    The risk p on n test examples varies by their choice alone with variance p(1 - p)/n. What else
    varies, such as the training set, only adds to it. So the variance of the risks is at least
    p(1 - p)/n, and n is at least p(1 - p)/sd². The estimate takes this as an equality. The interval
    covers the error of a deviation of N splits, whose square has (N - 1) sd²/σ² distributed as χ²
    with N - 1 degrees of freedom for normal risks. Each end is left out with probability 0.025.

    A test set below the interval contradicts the printed deviation. One above it may not: the
    deviation is then larger than that of the choice of test examples, and something else varies.

    Parameters
    ----------
    risk : float
        The printed mean risk p, between 0 and 1.
    sd : float
        The printed deviation of the risks.
    n_printed : int
        Number N of splits, two or more.
    rounding : float, default 0
        Half a unit of the last digit of `sd`, by which the interval becomes wider.
    share : float, default 0
        Share of all rows that a test set holds. The test sets of random splits of the same rows
        overlap, so that the variance can be as low as (1 - share) p(1 - p)/n, which is that of
        drawing without replacement. The lower end of the interval allows for it.

    Returns
    -------
    ImpliedSize
        Estimate and interval.

    Raises
    ------
    ValueError
        If the risk is not between 0 and 1, the deviation is negative, or there are fewer than two
        splits.

    Examples
    --------
    >>> from quadrepro.stats import implied_test_size
    >>> implied = implied_test_size(0.1505, 0.0314, n_printed=20)
    >>> implied
    ImpliedSize(estimate=129.67, low=60.7848, high=224.209)
    >>> implied.holds(3450)
    False
    """
    if not 0 < risk < 1:
        raise ValueError(f"a risk of {risk:g} implies no size: it must be between 0 and 1")
    if sd < 0:
        raise ValueError(f"a standard deviation cannot be {sd:g}")
    if n_printed < 2:
        raise ValueError(f"a standard deviation needs at least two values, not {n_printed}")
    # scipy.stats takes half a second to import.
    from scipy.stats import chi2

    of_one = risk * (1 - risk)
    tail = (1 - COVERAGE) / 2
    few, many = (float(chi2.ppf(q, n_printed - 1)) / (n_printed - 1) for q in (tail, 1 - tail))
    return ImpliedSize(
        _ratio(of_one, sd**2),
        (1 - share) * few * _ratio(of_one, (sd + rounding) ** 2),
        many * _ratio(of_one, max(sd - rounding, 0.0) ** 2),
    )


def _ratio(a: float, b: float) -> float:
    return a / b if b > 0 else math.inf
