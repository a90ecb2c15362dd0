"""How large a difference of two methods is: estimates with intervals."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from math import inf, sqrt

import numpy as np

from quadrepro.stats.intervals import COVERAGE
from quadrepro.stats.paired import EXACT, distribution_of_rank_sums
from quadrepro.stats.result import Result, differences


@dataclass(frozen=True, repr=False)
class Effect(Result):
    """An estimate with its interval.

    Attributes
    ----------
    estimate : float
        The estimate.
    low, high : float
        Ends of an interval that covers the effect with probability `COVERAGE`.
    """

    estimate: float
    low: float
    high: float


def hodges_lehmann(a: Iterable[float | Fraction], b: Iterable[float | Fraction]) -> Effect:
    """Estimate by how much two methods differ: the shift of Hodges and Lehmann.

    The median of the means of all two differences, each with itself included. It goes with
    Wilcoxon's signed-rank test and is in the unit of the risks.

    Parameters
    ----------
    a, b : iterable of float or Fraction
        Risks of A and of B, one per data set and in the same order.

    Returns
    -------
    Effect
        Shift of A against B, below 0 if A has the lower risks. The interval is that of Tukey, from
        the distribution of the rank sum (normal above 200 pairs); with fewer than six pairs no
        finite interval has the coverage, and its ends are infinite.

    Raises
    ------
    ValueError
        If the lengths differ, there is no pair, or a value is not finite.

    References
    ----------
    J. Hodges and E. Lehmann, Estimates of location based on rank tests, Annals of Mathematical
    Statistics 34, 1963. M. Hollander and D. Wolfe, Nonparametric Statistical Methods, Wiley, 1973.

    Examples
    --------
    >>> from quadrepro.stats import hodges_lehmann
    >>> ours = [0.20, 0.31, 0.15, 0.27, 0.09, 0.11, 0.24]
    >>> theirs = [0.22, 0.35, 0.15, 0.30, 0.11, 0.12, 0.29]
    >>> hodges_lehmann(ours, theirs)
    Effect(estimate=-0.025, low=-0.04, high=-0.01)
    """
    d = np.sort(differences(a, b, at_least=1).values)
    n = len(d)
    rows, columns = np.triu_indices(n)
    means = np.sort((d[rows] + d[columns]) / 2)
    outside = _left_out(n)
    low, high = (means[outside - 1], means[-outside]) if outside else (-inf, inf)
    return Effect(float(np.median(means)), float(low), float(high))


def _left_out(n: int) -> int:
    """Return which mean from either end bounds the interval; 0 if none does."""
    if n <= EXACT:
        below = np.cumsum(distribution_of_rank_sums(np.arange(1, n + 1)))
        return int(np.searchsorted(below, (1 - COVERAGE) / 2, side="right"))
    from scipy.special import ndtri

    middle, spread = n * (n + 1) / 4, sqrt(n * (n + 1) * (2 * n + 1) / 24)
    return int(middle + float(ndtri((1 - COVERAGE) / 2)) * spread)
