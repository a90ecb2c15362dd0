"""Sign test of two algorithms over data sets."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from math import nan

from quadrepro.stats.result import PValueResult, paired


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
        Risks of A and of B, one per data set and in the same order. They are compared exactly, so
        that means which differ by rounding alone are no tie: pass such means as fractions.

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
    wins = sum(1 for x, y in pairs if x < y)
    losses = sum(1 for x, y in pairs if x > y)
    ties = sum(1 for x, y in pairs if x == y)
    known = wins + losses + ties == len(pairs)
    return SignTest(wins, losses, ties, _p_value(wins, losses) if known else nan)


def _p_value(wins: int, losses: int) -> float:
    if wins == losses:
        return 1.0
    # scipy.stats takes half a second to import.
    from scipy.stats import binomtest

    return float(binomtest(wins, wins + losses).pvalue)
