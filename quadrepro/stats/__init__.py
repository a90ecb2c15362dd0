"""Tests and intervals on plain numbers.

Each function compares two algorithms, or printed numbers with a sample, and returns a small frozen
result object or a log-probability. Nothing here knows of experiments, records or tables.

======================================  ===========================================================
`sign_test`                             two algorithms over data sets, by wins and losses alone
`poisson_binomial_test`                 two algorithms over data sets, by the examples each misses
`paired_t_test`                         two algorithms on the same splits of one data set
`welch_test`                            two samples of which mean, deviation and size are known
`placement`                             one printed number among our repeats
`log_probability_of_means`              printed means, given our splits
`log_probability_of_deviations`         printed deviations, given our splits
`log_probability_of_pooled_deviations`  deviations of what a paper pools over its splits
`score_readings`                        readings of a protocol, by such log-probabilities
`implied_test_size`                     the size of test sets that a printed deviation implies
`count_misses`                          how many printed numbers are outside, beside chance
`holm`                                  p-values adjusted for their number
======================================  ===========================================================
"""

from __future__ import annotations

from quadrepro.stats.against_best import chance_against_best
from quadrepro.stats.implied_size import ImpliedSize, implied_test_size
from quadrepro.stats.likelihood import (
    log_probability_of_deviations,
    log_probability_of_means,
    log_probability_of_pooled_deviations,
)
from quadrepro.stats.misses import (
    Misses,
    chance_of_a_group,
    chance_of_misses,
    count_misses,
    independent_misses,
)
from quadrepro.stats.multiplicity import holm
from quadrepro.stats.paired_t import PairedT, paired_t_test
from quadrepro.stats.poisson_binomial import PoissonBinomialTest, poisson_binomial_test
from quadrepro.stats.prediction_interval import COVERAGE, Placement, placement
from quadrepro.stats.readings import ReadingScore, score_readings
from quadrepro.stats.result import LEVEL
from quadrepro.stats.sign import SignTest, sign_test
from quadrepro.stats.welch import Moments, WelchTest, welch_test

__all__ = [
    "COVERAGE",
    "LEVEL",
    "ImpliedSize",
    "Misses",
    "Moments",
    "PairedT",
    "Placement",
    "PoissonBinomialTest",
    "ReadingScore",
    "SignTest",
    "WelchTest",
    "chance_against_best",
    "chance_of_a_group",
    "chance_of_misses",
    "count_misses",
    "holm",
    "implied_test_size",
    "independent_misses",
    "log_probability_of_deviations",
    "log_probability_of_means",
    "log_probability_of_pooled_deviations",
    "paired_t_test",
    "placement",
    "poisson_binomial_test",
    "score_readings",
    "sign_test",
    "welch_test",
]
