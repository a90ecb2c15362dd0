"""Several methods over data sets: mean ranks, and every pair by the tests of this package."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

from quadrepro.stats.effect_size import Effect, hodges_lehmann
from quadrepro.stats.friedman import (
    FriedmanTest,
    critical_difference,
    friedman_test,
    mean_ranks,
    nemenyi_p_value,
    rank_p_value,
)
from quadrepro.stats.multiplicity import holm
from quadrepro.stats.paired import wilcoxon_test
from quadrepro.stats.posterior import Posterior, bayesian_signed_rank
from quadrepro.stats.result import Result

MOST_ROWS, MOST_METHODS, MOST_WORK = 5_000, 60, 100_000
"""Most data sets, methods, and pairs times data sets, which take a millisecond each."""


@dataclass(frozen=True, repr=False)
class RankedPair(Result):
    """Two methods of a `Ranking`.

    Attributes
    ----------
    a, b : str
        The methods; A does not have the higher mean rank.
    rank_difference : float
        Mean rank of A less that of B, at most 0.
    nemenyi_p : float
        P-value of Nemenyi's test, which holds for all pairs together.
    rank_p, rank_p_holm : float
        P-value of the rank difference by itself, and adjusted for all pairs by Holm's method.
    wilcoxon_p, wilcoxon_p_holm : float
        P-value of Wilcoxon's signed-rank test by itself, and adjusted by Holm's method.
    shift : Effect
        The shift of Hodges and Lehmann, below 0 if A has the lower risks.
    posterior : Posterior
        The Bayesian signed-rank test: whether A is better, the same within the rope, or worse.
    """

    a: str
    b: str
    rank_difference: float
    nemenyi_p: float
    rank_p: float
    rank_p_holm: float
    wilcoxon_p: float
    wilcoxon_p_holm: float
    shift: Effect
    posterior: Posterior


@dataclass(frozen=True, repr=False)
class Ranking(Result):
    """Result of `rank_methods`.

    Attributes
    ----------
    methods : tuple of str
        The methods by mean rank, the best first; equal ones in their former order.
    mean_ranks : tuple of float
        Their mean ranks.
    n_datasets : int
        Number of data sets.
    rope : float
        Half-width of the region of practical equivalence.
    friedman : FriedmanTest
        Friedman's test; its `mean_ranks` are in the same order.
    critical_difference : float
        By how much two mean ranks must differ to be significant by Nemenyi's test.
    pairs : tuple of RankedPair
        Every pair, in the order of the methods.
    """

    methods: tuple[str, ...]
    mean_ranks: tuple[float, ...]
    n_datasets: int
    rope: float
    friedman: FriedmanTest
    critical_difference: float
    pairs: tuple[RankedPair, ...]


def rank_methods(risks: Mapping[str, Sequence[float | Fraction]], rope: float = 0.0) -> Ranking:
    """Rank methods over data sets, and compare every pair.

    Parameters
    ----------
    risks : mapping of str to sequence of float or Fraction
        Risks of each method, one per data set and in the same order; lower is better. Scores of
        which the highest is best are passed with a minus sign.
    rope : float, default 0.0
        Half-width of the region of practical equivalence, in the unit of the risks.

    Returns
    -------
    Ranking
        Mean ranks, Friedman's test, and the tests and effects of each pair.

    Raises
    ------
    ValueError
        If there are fewer than two methods or data sets or too many, the lengths differ, a value is
        not finite, or the rope is negative.

    Examples
    --------
    >>> from quadrepro.stats import rank_methods
    >>> risks = {"A": [0.20, 0.31, 0.15, 0.27], "B": [0.22, 0.35, 0.14, 0.30]}
    >>> ranking = rank_methods(risks, rope=0.01)
    >>> ranking.methods, ranking.mean_ranks
    (('A', 'B'), (1.25, 1.75))
    >>> ranking.pairs[0].shift
    Effect(estimate=-0.0225, low=-inf, high=inf)
    """
    columns = {name: list(values) for name, values in risks.items()}
    sizes = {len(values) for values in columns.values()}
    if len(sizes) > 1:
        raise ValueError("every method must have the same number of risks")
    n = max(sizes, default=0)
    if fault := fault_of_size(len(columns), n):
        raise ValueError(fault)
    rank_of = mean_ranks(columns)
    methods = tuple(rank_of)
    friedman = friedman_test(list(zip(*(columns[m] for m in methods), strict=True)))
    pairs = list(combinations(methods, 2))
    gaps = [rank_of[a] - rank_of[b] for a, b in pairs]
    rank_ps = [rank_p_value(gap, len(methods), n) for gap in gaps]
    wilcoxon_ps = [wilcoxon_test(columns[a], columns[b]).p_value for a, b in pairs]
    of_ranks = zip(rank_ps, holm(rank_ps), strict=True)
    of_signed = zip(wilcoxon_ps, holm(wilcoxon_ps), strict=True)
    compared = tuple(
        RankedPair(
            a,
            b,
            gap,
            nemenyi_p_value(gap, len(methods), n),
            *of_rank,
            *of_sign,
            hodges_lehmann(columns[a], columns[b]),
            bayesian_signed_rank(columns[a], columns[b], rope),
        )
        for (a, b), gap, of_rank, of_sign in zip(pairs, gaps, of_ranks, of_signed, strict=True)
    )
    return Ranking(
        methods,
        friedman.mean_ranks,
        n,
        float(rope),
        friedman,
        critical_difference(len(methods), n),
        compared,
    )


def fault_of_size(n_methods: int, n_datasets: int) -> str:
    """Return why a table of this size cannot be ranked, or an empty text."""
    n_pairs = n_methods * (n_methods - 1) // 2
    if n_methods < 2 or n_datasets < 2:
        return "a ranking needs at least two methods on at least two data sets"
    if n_methods > MOST_METHODS or n_datasets > MOST_ROWS or n_pairs * n_datasets > MOST_WORK:
        return (
            f"{n_methods} methods on {n_datasets} data sets are too many to rank: at most "
            f"{MOST_METHODS} methods, {MOST_ROWS} data sets, and {MOST_WORK} pairs of "
            "methods times data sets"
        )
    return ""
