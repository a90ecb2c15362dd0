"""Two algorithms over data sets, by wins alone: sign test and Poisson binomial test.

The Poisson binomial test is by Lacoste, Laviolette and Marchand (2012). On one data set, the
test examples that exactly one of two algorithms gets wrong are coin tosses. With a uniform prior on
the coin, A is better than B with a posterior probability p_i. Over N data sets, the number of A's
wins has the Poisson binomial distribution with parameters p_1, ..., p_N. Each number of wins is in
turn evidence on a coin with a uniform prior, and the mean over it is the probability that A is
better than B.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import nan

import numpy as np
from numpy.typing import ArrayLike

from quadrepro.base.types import FloatArray
from quadrepro.stats.base import LEVEL, PValueResult, Result, Values, order, paired


@dataclass(frozen=True, repr=False)
class SignTest(PValueResult):
    """Result of `sign_test`.

    Wins, losses and ties are the numbers of data sets on which A has the lower, the higher and the
    same risk. The p-value is the two-sided one of "a win is as likely as a loss".
    """

    wins: int
    losses: int
    ties: int
    p_value: float


def sign_test(a: Values, b: Values) -> SignTest:
    """Compare two algorithms by the number of data sets on which each has the lower risk.

    The exact two-sided sign test of Mendenhall (1983): ties are left out, and without a difference
    between the algorithms the wins are binomial with probability 1/2. A data set with a NaN is not
    counted, and makes the p-value NaN.

    Parameters
    ----------
    a, b : iterable of float
        Risks of A and of B, one per data set and in the same order.

    Examples
    --------
    >>> sign_test([0.10, 0.22, 0.05, 0.30, 0.18, 0.07], [0.12, 0.25, 0.05, 0.33, 0.21, 0.09])
    SignTest(wins=5, losses=0, ties=1, p_value=0.0625)
    """
    pairs = paired(a, b)
    signs = [order(x, y) for x, y in pairs if x == x and y == y]
    wins, losses, ties = (signs.count(sign) for sign in (-1, 1, 0))
    p_value = float(p_of_wins(wins, losses)) if len(signs) == len(pairs) else nan
    return SignTest(wins, losses, ties, p_value)


def p_of_wins(wins: ArrayLike, losses: ArrayLike) -> FloatArray:
    """Return the two-sided p-values of the sign test."""
    # scipy takes half a second to import.
    from scipy.special import bdtr

    tail = bdtr(np.minimum(wins, losses), np.add(wins, losses), 0.5)
    return np.asarray(np.minimum(2 * tail, 1.0))


def sign_test_power(n: int, share: float) -> float:
    """Return how probable it is that the sign test is significant on `n` data sets without ties.

    The `share` is the probability of a win on each. With 1/2 the result is the size of the test,
    which is smaller than `LEVEL` because p-values are discrete.

    Examples
    --------
    On 25 data sets, an algorithm that wins three times out of five goes mostly unnoticed:

    >>> round(sign_test_power(25, 0.6), 2), round(sign_test_power(25, 0.8), 2)
    (0.15, 0.89)
    """
    wins = np.arange(n + 1)
    significant = p_of_wins(wins, n - wins) <= LEVEL
    return float(distribution_of_wins([share] * n)[significant].sum())


@dataclass(frozen=True, repr=False)
class PoissonBinomialTest(Result):
    """Probability that A is better than B over the data sets, and on each; 0.5 favours neither."""

    probability: float
    per_data_set: tuple[float, ...]


def poisson_binomial_test(
    a_wrong: Iterable[ArrayLike], b_wrong: Iterable[ArrayLike]
) -> PoissonBinomialTest:
    """Return the probability that algorithm A is better than B, from their errors on examples.

    The test of Lacoste, Laviolette and Marchand (2012), as in Table 2 of QuadBoost.

    Parameters
    ----------
    a_wrong, b_wrong : iterable of array-like of bool, each of shape (n_test,)
        Which test examples A and B get wrong, one array per data set. Both must have the same
        data sets and examples in the same order.

    Examples
    --------
    On the first data set only B errs, three times; on the second each errs once.

    >>> a_wrong = [[False, False, False, False], [True, False]]
    >>> b_wrong = [[True, True, True, False], [False, True]]
    >>> poisson_binomial_test(a_wrong, b_wrong)
    PoissonBinomialTest(probability=0.664062, per_data_set=(0.9375, 0.5))
    """
    each = []
    for sides in paired(a_wrong, b_wrong):
        a, b = (np.asarray(wrong, dtype=np.bool_) for wrong in sides)
        if a.shape != b.shape:
            raise ValueError(f"A has {a.size} test examples and B has {b.size} on one data set")
        each.append(better_on_one(int((a & ~b).sum()), int((b & ~a).sum())))
    return PoissonBinomialTest(better_over_all(each), tuple(each))


def better_on_one(only_a_wrong: int, only_b_wrong: int) -> float:
    """Return the probability that A is better than B on one data set.

    It is BetaCDF(1/2; 1 + only_a_wrong, 1 + only_b_wrong), given the numbers of test examples that
    only A, and only B, gets wrong.

    Examples
    --------
    >>> better_on_one(0, 3)
    0.9375
    """
    from scipy.special import betainc

    return float(betainc(1 + only_a_wrong, 1 + only_b_wrong, 0.5))


def better_over_all(p: Iterable[float]) -> float:
    """Return the probability that A is better than B over data sets, from that on each.

    It is Σ_κ Pr(κ wins) BetaCDF(1/2; N - κ + 1, κ + 1).

    Examples
    --------
    >>> better_over_all([0.9375, 0.5])
    0.6640625
    """
    from scipy.special import betainc

    q = distribution_of_wins(p)
    wins = np.arange(len(q))
    return float(q @ betainc(len(q) - wins, wins + 1, 0.5))


def distribution_of_wins(p: Iterable[float]) -> FloatArray:
    """Return the probability of 0, 1, ..., N wins, given the probability of each of N wins.

    The recursion of the paper keeps the tails, which `scipy.stats.poisson_binom` loses.

    Examples
    --------
    >>> distribution_of_wins([0.5, 0.5]).tolist()
    [0.25, 0.5, 0.25]
    """
    q = np.array([1.0])
    for p_i in p:
        q = np.append(q * (1 - p_i), 0.0) + np.append(0.0, q * p_i)
    return q
