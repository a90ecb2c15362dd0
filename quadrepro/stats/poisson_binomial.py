"""Poisson binomial test of two algorithms over data sets (Lacoste, Laviolette and Marchand 2012).

On one data set, the test examples that exactly one of two algorithms gets wrong are coin tosses.
With a uniform prior on the coin, A is better than B with a posterior probability p_i. Over N data
sets, the number of A's wins has the Poisson binomial distribution with parameters p_1, ..., p_N.
Each number of wins is in turn evidence on a coin with a uniform prior, and the mean over it is the
probability that A is better than B.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from quadrepro.base.types import FloatArray
from quadrepro.stats.result import Result, paired


@dataclass(frozen=True, repr=False)
class PoissonBinomialTest(Result):
    """Result of `poisson_binomial_test`.

    Attributes
    ----------
    probability : float
        Probability that A is better than B over the data sets.
    per_data_set : tuple of float
        Probability that A is better than B on each data set.
    """

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

    Returns
    -------
    PoissonBinomialTest
        The probability over all data sets, and on each of them; 0.5 says nothing for either.

    Raises
    ------
    ValueError
        If A and B have different numbers of data sets, or of examples on one of them.

    Examples
    --------
    On the first data set only B errs, three times; on the second each errs once.

    >>> from quadrepro.stats import poisson_binomial_test
    >>> a_wrong = [[False, False, False, False], [True, False]]
    >>> b_wrong = [[True, True, True, False], [False, True]]
    >>> poisson_binomial_test(a_wrong, b_wrong)
    PoissonBinomialTest(probability=0.664062, per_data_set=(0.9375, 0.5))
    """
    each = tuple(_better_on_one(a, b) for a, b in paired(a_wrong, b_wrong))
    return PoissonBinomialTest(better_over_all(each), each)


def better_on_one(only_a_wrong: int, only_b_wrong: int) -> float:
    """Return the probability that A is better than B on one data set.

    Parameters
    ----------
    only_a_wrong, only_b_wrong : int
        Number of test examples that only A, and only B, gets wrong.

    Returns
    -------
    float
        BetaCDF(1/2; 1 + only_a_wrong, 1 + only_b_wrong).

    Examples
    --------
    >>> better_on_one(0, 3)
    0.9375
    """
    from scipy.special import betainc

    return float(betainc(1 + only_a_wrong, 1 + only_b_wrong, 0.5))


def distribution_of_wins(p: Iterable[float]) -> FloatArray:
    """Return the Poisson binomial distribution: of the number of wins in independent trials.

    The recursion of the paper keeps the tails, which `scipy.stats.poisson_binom` loses.

    Parameters
    ----------
    p : iterable of float
        Probability of a win in each trial.

    Returns
    -------
    ndarray of shape (n_trials + 1,)
        Probability of 0, 1, ..., n_trials wins.

    Examples
    --------
    >>> distribution_of_wins([0.5, 0.5]).tolist()
    [0.25, 0.5, 0.25]
    """
    q = np.array([1.0])
    for p_i in p:
        q = np.append(q * (1 - p_i), 0.0) + np.append(0.0, q * p_i)
    return q


def better_over_all(p: Iterable[float]) -> float:
    """Return the probability that A is better than B over data sets.

    Parameters
    ----------
    p : iterable of float
        Probability that A is better than B on each of the N data sets.

    Returns
    -------
    float
        Σ_κ Pr(κ wins) BetaCDF(1/2; N - κ + 1, κ + 1).

    Examples
    --------
    >>> better_over_all([0.9375, 0.5])
    0.6640625
    """
    from scipy.special import betainc

    q = distribution_of_wins(p)
    wins = np.arange(len(q))
    return float(q @ betainc(len(q) - wins, wins + 1, 0.5))


def _better_on_one(a_wrong: ArrayLike, b_wrong: ArrayLike) -> float:
    a, b = (np.asarray(wrong, dtype=np.bool_) for wrong in (a_wrong, b_wrong))
    if a.shape != b.shape:
        raise ValueError(f"A has {a.size} test examples and B has {b.size} on one data set")
    return better_on_one(int((a & ~b).sum()), int((b & ~a).sum()))
