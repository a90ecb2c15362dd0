"""Bayesian comparison of two methods with a region of practical equivalence (Benavoli et al. 2017).

Two methods whose risks differ by at most the half-width of the region ("rope") are the same for all
practical purposes. Unlike a p-value, the posterior probability that they are can be large.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from math import sqrt

import numpy as np

from quadrepro.base.types import FloatArray
from quadrepro.stats.paired import check_share, corrected_moments
from quadrepro.stats.result import Differences, Result, differences

N_DRAWS = 50_000
"""Draws from the posterior of the signed-rank test: the standard error is at most 0.0022."""

SEED = 0
"""Seed of the generator."""

AT_ONCE = 2**22
"""Largest number of weights that are drawn at once."""

PRIOR = 0.5
"""Weight of the pseudo-observation at 0, where an observation has weight 1."""


@dataclass(frozen=True, repr=False)
class Posterior(Result):
    """Result of `bayesian_signed_rank` and `bayesian_correlated_t`.

    Attributes
    ----------
    better, same, worse : float
        Probability that A has the lower risk by more than the rope, that the two differ by no more
        than it, and that B has the lower risk by more than it. They add up to 1.
    """

    better: float
    same: float
    worse: float


def bayesian_signed_rank(
    a: Iterable[float | Fraction], b: Iterable[float | Fraction], rope: float = 0.0
) -> Posterior:
    """Compare two methods over data sets by the Bayesian signed-rank test.

    The data sets are draws from a distribution with a Dirichlet process as its prior: strength 1/2,
    all of it at a difference of 0. Of each of `N_DRAWS` distributions out of the posterior it is
    asked whether the mean of two differences drawn from it is most often below, in, or above the
    rope.

    Parameters
    ----------
    a, b : iterable of float or Fraction
        Risks of A and of B, one per data set and in the same order.
    rope : float, default 0.0
        Half-width of the region of practical equivalence, in the unit of the risks.

    Returns
    -------
    Posterior
        Shares of the draws, made with the seed `SEED`, so the same data give the same numbers. With
        a rope of 0, `same` is 0. In simulations of equal methods one of them is found better with a
        probability of 0.95 or more in 23, 13 and 12% of cases with 5, 10 and 20 data sets.

    Raises
    ------
    ValueError
        If the lengths differ, there is no pair, a value is not finite, or the rope is negative.

    References
    ----------
    A. Benavoli, F. Mangili, G. Corani, M. Zaffalon and F. Ruggeri, A Bayesian Wilcoxon signed-rank
    test based on the Dirichlet process, ICML 2014. A. Benavoli, G. Corani, J. Demšar and M.
    Zaffalon, Time for a change: a tutorial for comparing multiple classifiers through Bayesian
    analysis, Journal of Machine Learning Research 18, 2017.

    Examples
    --------
    >>> from quadrepro.stats import bayesian_signed_rank
    >>> ours = [0.20, 0.31, 0.15, 0.27, 0.09, 0.11, 0.24]
    >>> theirs = [0.22, 0.35, 0.15, 0.30, 0.11, 0.12, 0.29]
    >>> bayesian_signed_rank(ours, theirs, rope=0.01)
    Posterior(better=0.97834, same=0.02166, worse=0)
    """
    _check_rope(rope)
    found = differences(a, b, at_least=1)
    rng = np.random.default_rng(SEED)
    n = len(found.whole)
    counts = np.zeros(3)
    left = N_DRAWS
    while left:
        size = min(left, max(1, AT_ONCE // (n + 1)))
        counts += _signed_rank_counts(found, rope, rng, size)
        left -= size
    better, same, worse = (float(count) / N_DRAWS for count in counts)
    return Posterior(better, same, worse)


def _signed_rank_counts(
    found: Differences, rope: float, rng: np.random.Generator, size: int
) -> tuple[float, float, float]:
    """Return the number of draws that are most often below, in and above the rope."""
    # Weights need not add up to 1, because only their order counts. Draws run along the last axis,
    # so that sums over data sets run in a fixed order.
    observed = rng.standard_exponential((len(found.whole), size))
    weights = np.concatenate([rng.standard_gamma(PRIOR, (1, size)), observed])
    z = np.append(np.int64(0), found.whole)
    order = np.argsort(z, kind="stable")
    z, weights = z[order], weights[order]
    up_to = np.concatenate([np.zeros((1, size)), np.cumsum(weights, axis=0)])
    ends = 2 * found.in_units(rope)

    def below(bound: int) -> FloatArray:
        # The weight of those that have a sum below the bound with each; one on it counts half.
        left, right = (np.searchsorted(z, bound - z, side) for side in ("left", "right"))
        return np.asarray((up_to[left] + up_to[right]) / 2, dtype=np.float64)

    total = up_to[-1]
    if rope == 0:
        # Exactly 0 if all differences are.
        lean = (weights * (total - 2 * below(0))).sum(axis=0)
        better = float((lean < 0).sum() + (lean == 0).sum() / 2)
        return better, 0.0, size - better
    low = (weights * below(-ends)).sum(axis=0)
    high = (weights * (total - below(ends))).sum(axis=0)
    inside = total**2 - low - high
    better = float(((low > inside) & (low > high)).sum())
    worse = float(((high > inside) & (high >= low)).sum())
    return better, size - better - worse, worse


def bayesian_correlated_t(
    a: Iterable[float | Fraction],
    b: Iterable[float | Fraction],
    test_share: float,
    rope: float = 0.0,
) -> Posterior:
    """Compare two methods on resamples of one data set by the Bayesian correlated t-test.

    With an uninformative prior and a correlation of `test_share` between resamples, the mean
    difference has Student's distribution, with the variance of the corrected resampled t-test.

    Parameters
    ----------
    a, b : iterable of float or Fraction
        Risks of A and of B, one per split and in the same order; two splits or more.
    test_share : float
        Share of the examples that is tested in a split: 0.1 in tenfold cross-validation, however
        often it is repeated.
    rope : float, default 0.0
        Half-width of the region of practical equivalence, in the unit of the risks.

    Returns
    -------
    Posterior
        The three probabilities. If all differences are equal, one of them is 1.

    Raises
    ------
    ValueError
        If the lengths differ, there are fewer than two pairs, a value is not finite, the share is
        not at least 0 and below 1, or the rope is negative.

    References
    ----------
    G. Corani and A. Benavoli, A Bayesian approach for comparing cross-validated algorithms on
    multiple data sets, Machine Learning 100, 2015; Benavoli et al. (2017).

    Examples
    --------
    >>> from quadrepro.stats import bayesian_correlated_t
    >>> ours, theirs = [0.21, 0.18, 0.25, 0.20], [0.24, 0.20, 0.26, 0.24]
    >>> bayesian_correlated_t(ours, theirs, test_share=0.5, rope=0.01)
    Posterior(better=0.812452, same=0.140669, worse=0.0468796)
    """
    # scipy takes half a second to import.
    from scipy.special import stdtr

    _check_rope(rope)
    check_share(test_share)
    found = differences(a, b, at_least=2)
    mean, variance = corrected_moments(found, test_share)
    n = len(found.whole)
    if variance == 0:
        middle = int(found.whole[0])
        inside = abs(middle) <= found.in_units(rope) if rope else False
        if inside or middle == 0:
            half = 0.0 if inside else 0.5
            return Posterior(half, float(inside), half)
        return Posterior(float(middle < 0), 0.0, float(middle > 0))
    better = float(stdtr(n - 1, (-rope - mean) / sqrt(variance)))
    worse = float(stdtr(n - 1, (mean - rope) / sqrt(variance)))
    return Posterior(better, max(0.0, 1 - better - worse) if rope else 0.0, worse)


def _check_rope(rope: float) -> None:
    if not 0 <= rope < float("inf"):
        raise ValueError(f"the half-width of the rope cannot be {rope:g}")
