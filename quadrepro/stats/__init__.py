"""Tests and intervals on plain numbers.

Each function compares algorithms, or printed numbers with a sample, and returns a small frozen
result object or a number. Nothing here knows of experiments, records or tables. In all tests of
signs or ranks two values tie if they differ by at most 1e-9 of the larger one, or by 1e-15, so that
rounding decides nothing.

======================================  ============================================================
`compare_over_datasets`                 many algorithms over data sets, pair by pair
`compare_on_splits`                     the same on splits of one data set
`rank_methods`                          the same with mean ranks and groups
`sign_test`                             two algorithms over data sets, by wins and losses alone
`poisson_binomial_test`                 two algorithms over data sets, by the examples each misses
`paired_t_test`                         two algorithms on the same splits of one data set
`corrected_t_test`                      the same, with the variance of splits that overlap
`detectable_difference`                 by how much two algorithms must differ for it to show this
`bayesian_correlated_t`                 the same, as posterior probabilities
`wilcoxon_test`                         two algorithms over data sets, by signed ranks
`bayesian_signed_rank`                  the same, as posterior probabilities
`equivalence_test`                      whether two algorithms differ by less than a margin
`sign_test_power`                       how often the sign test finds a difference
`hodges_lehmann`                        by how much two algorithms differ, in the unit of the risks
`friedman_test`                         several algorithms over data sets, by their ranks
`critical_difference`                   by how much two mean ranks must differ (Nemenyi)
`holm`                                  p-values of many tests, adjusted for their number
`place_number`                          one printed number among our repeats
`place_deviation`                       one printed standard deviation against ours
`null_p_values`                         p-values of a row if it is drawn from our repeats
`count_misses`                          printed numbers outside, and the number expected by chance
`log_probability_of_means`              printed means, given our splits
`log_probability_of_deviations`         printed deviations, given our splits
`log_probability_of_pooled_deviations`  deviations that a paper pools over its splits
======================================  ============================================================
"""
# ruff: noqa: F403, F405 - every public name of the modules is public here

from quadrepro.stats.base import *
from quadrepro.stats.comparison import *
from quadrepro.stats.likelihood import *
from quadrepro.stats.means import *
from quadrepro.stats.placement import *
from quadrepro.stats.ranks import *

# fmt: off
__all__ = [
    "COVERAGE", "LEVEL", "MIN_SPLITS", "SEED", "Comparison", "Comparisons", "Effect",
    "EquivalenceTest", "FriedmanTest", "Mean", "Misses", "Placement", "PoissonBinomialTest",
    "Posterior", "RankedMethod", "Ranking", "Repeats", "SignTest", "TTest", "WilcoxonTest",
    "bayesian_correlated_t", "bayesian_signed_rank", "better_on_one", "better_over_all",
    "chance_of_a_group", "chance_of_misses", "compare_on_splits", "compare_over_datasets",
    "corrected_t_test", "count_misses", "critical_difference", "detectable_difference",
    "differences", "distribution_of_wins", "equivalence_test", "friedman_test", "hodges_lehmann",
    "holm", "independent_misses", "largest_deviation", "log_probability_of_deviations",
    "log_probability_of_means", "log_probability_of_pooled_deviations", "null_p_values", "order",
    "p_text", "paired_t_test", "place_deviation", "place_number", "poisson_binomial_test",
    "rank_methods", "rounded_p", "sign_test", "sign_test_power", "step_of_scores", "tail_p_values",
    "too_few_rows", "wilcoxon_test",
]
