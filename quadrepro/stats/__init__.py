"""Tests and intervals on plain numbers.

Each function compares algorithms, or printed numbers with a sample, and returns a small frozen
result object or a number. Nothing here knows of experiments, records or tables. In all tests of
signs or ranks two values tie if they differ by at most 1e-9 of the larger one, or by 1e-15, so that
rounding decides nothing.

======================================  ============================================================
`sign_test`                             two algorithms over data sets, by wins and losses alone
`poisson_binomial_test`                 two algorithms over data sets, by the examples each misses
`paired_t_test`                         two algorithms on the same splits of one data set
`corrected_t_test`                      the same with the variance of splits that overlap
`bayesian_correlated_t`                 the same, as posterior probabilities
`wilcoxon_test`                         two algorithms over data sets, by signed ranks
`bayesian_signed_rank`                  the same, as posterior probabilities
`equivalence_test`                      whether two algorithms differ by less than a margin
`sign_test_power`                       how often the sign test finds a difference that there is
`hodges_lehmann`                        by how much two algorithms differ, in the unit of the risks
`friedman_test`                         several algorithms over data sets, by their ranks
`critical_difference`                   by how much two mean ranks must differ (Nemenyi)
`nemenyi_p_value`                       a difference of mean ranks, for all pairs together
`rank_p_value`                          a difference of mean ranks by itself
`rank_methods`                          several algorithms and all of their pairs, by most of these
`holm`                                  p-values of many tests, adjusted for their number
`chance_of_a_star`                      how often some sign test of a table is significant by chance
`welch_test`                            two samples of which mean, deviation and size are known
`placement`                             one printed number among our repeats
`log_probability_of_means`              printed means, given our splits
`log_probability_of_deviations`         printed deviations, given our splits
`log_probability_of_pooled_deviations`  deviations of what a paper pools over its splits
`score_readings`                        readings of a protocol, by such log-probabilities
`count_misses`                          how many printed numbers are outside, beside chance
======================================  ============================================================
"""

from __future__ import annotations

from quadrepro.stats.effect_size import Effect, hodges_lehmann
from quadrepro.stats.friedman import (
    FriedmanTest,
    critical_difference,
    friedman_test,
    nemenyi_p_value,
    rank_p_value,
)
from quadrepro.stats.intervals import (
    COVERAGE,
    Misses,
    Placement,
    chance_of_a_group,
    chance_of_misses,
    count_misses,
    independent_misses,
    placement,
)
from quadrepro.stats.likelihood import (
    ReadingScore,
    log_probability_of_deviations,
    log_probability_of_means,
    log_probability_of_pooled_deviations,
    score_readings,
)
from quadrepro.stats.multiplicity import chance_against_best, chance_of_a_star, holm
from quadrepro.stats.paired import (
    EquivalenceTest,
    Moments,
    PairedT,
    SignTest,
    WelchTest,
    WilcoxonTest,
    corrected_t_test,
    equivalence_test,
    paired_t_test,
    sign_test,
    sign_test_power,
    welch_test,
    wilcoxon_test,
)
from quadrepro.stats.poisson_binomial import PoissonBinomialTest, poisson_binomial_test
from quadrepro.stats.posterior import Posterior, bayesian_correlated_t, bayesian_signed_rank
from quadrepro.stats.ranking import RankedPair, Ranking, rank_methods
from quadrepro.stats.result import LEVEL

__all__ = [
    "COVERAGE",
    "LEVEL",
    "Effect",
    "EquivalenceTest",
    "FriedmanTest",
    "Misses",
    "Moments",
    "PairedT",
    "Placement",
    "PoissonBinomialTest",
    "Posterior",
    "RankedPair",
    "Ranking",
    "ReadingScore",
    "SignTest",
    "WelchTest",
    "WilcoxonTest",
    "bayesian_correlated_t",
    "bayesian_signed_rank",
    "chance_against_best",
    "chance_of_a_group",
    "chance_of_a_star",
    "chance_of_misses",
    "corrected_t_test",
    "count_misses",
    "critical_difference",
    "equivalence_test",
    "friedman_test",
    "hodges_lehmann",
    "holm",
    "independent_misses",
    "log_probability_of_deviations",
    "log_probability_of_means",
    "log_probability_of_pooled_deviations",
    "nemenyi_p_value",
    "paired_t_test",
    "placement",
    "poisson_binomial_test",
    "rank_methods",
    "rank_p_value",
    "score_readings",
    "sign_test",
    "sign_test_power",
    "welch_test",
    "wilcoxon_test",
]
