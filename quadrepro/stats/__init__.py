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
`rank_methods`                          several algorithms and all of their pairs, by most of these
`holm`                                  p-values of many tests, adjusted for their number
`chance_of_a_star`                      how often some sign test of a table is significant by chance
`welch_test`                            two samples of which mean, deviation and size are known
`placement`                             one printed number among our repeats
`count_misses`                          how many printed numbers are outside, and how many by chance
`log_probability_of_means`              printed means, given our splits
`log_probability_of_deviations`         printed deviations, given our splits
`log_probability_of_pooled_deviations`  deviations of what a paper pools over its splits
======================================  ============================================================
"""
# ruff: noqa: F403, F405 - every public name of the modules is public here

from quadrepro.stats.many import *
from quadrepro.stats.means import *
from quadrepro.stats.printed import *
from quadrepro.stats.ranks import *
from quadrepro.stats.readings import *
from quadrepro.stats.result import *
from quadrepro.stats.signs import *
from quadrepro.stats.ties import *

# fmt: off
__all__ = [
    "COVERAGE", "LEVEL", "N_DRAWS", "N_TABLES", "SEED", "Effect", "EquivalenceTest", "FriedmanTest",
    "Mean", "Misses", "Moments", "Placement", "PoissonBinomialTest", "Posterior", "RankedPair",
    "Ranking", "SignTest", "TTest", "WilcoxonTest", "bayesian_correlated_t", "bayesian_signed_rank",
    "better_on_one", "better_over_all", "chance_of_a_group",
    "chance_of_a_star", "chance_of_misses", "corrected_t_test", "count_misses",
    "critical_difference", "differences", "distribution_of_wins", "equivalence_test",
    "fault_of_size", "friedman_test", "hodges_lehmann", "holm", "independent_misses",
    "log_probability_of_deviations", "log_probability_of_means",
    "log_probability_of_pooled_deviations", "mean_ranks", "order", "p_text", "paired_t_test",
    "placement", "poisson_binomial_test", "rank_methods", "rounded_p", "sign_test",
    "sign_test_power", "welch_test", "wilcoxon_test",
]
