"""Paired t-test of two algorithms on the same splits."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from quadrepro.stats.result import PValueResult, paired

ROUNDING = 1e-12
"""Differences that vary by less than this share of the largest value are equal."""


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
