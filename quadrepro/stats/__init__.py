"""Tests and intervals on plain numbers.

Each function compares two algorithms, or one number with a sample, and returns a small frozen
result object. Nothing here knows of experiments, records or tables.

===========================  =================================================================
`sign_test`                  two algorithms over data sets, by wins and losses alone
`poisson_binomial_test`      two algorithms over data sets, by the examples that each gets wrong
`paired_t_test`              two algorithms on the same splits of one data set
`welch_test`                 two samples of which only mean, deviation and size are known
`placement`                  one printed number among our repeats
===========================  =================================================================
"""

from __future__ import annotations

from quadrepro.stats.paired_t import PairedT, paired_t_test
from quadrepro.stats.poisson_binomial import PoissonBinomialTest, poisson_binomial_test
from quadrepro.stats.prediction_interval import COVERAGE, Placement, placement
from quadrepro.stats.result import LEVEL
from quadrepro.stats.sign import SignTest, sign_test
from quadrepro.stats.welch import Moments, WelchTest, welch_test

__all__ = [
    "COVERAGE",
    "LEVEL",
    "Moments",
    "PairedT",
    "Placement",
    "PoissonBinomialTest",
    "SignTest",
    "WelchTest",
    "paired_t_test",
    "placement",
    "poisson_binomial_test",
    "sign_test",
    "welch_test",
]
