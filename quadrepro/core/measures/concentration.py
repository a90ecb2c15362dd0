"""Upper bounds on the risk of a vote from its errors on n test examples.

Hoeffding's inequality, Bernstein's, and its empirical version of Maurer and Pontil (2009): Theorems
2.1, 2.3 and 2.4 of Empirical Bernstein Boosting (Shivaswamy and Jebara, 2010). Each holds with
probability 1 - δ. On training examples they would not: the vote was fitted to them.
"""

from __future__ import annotations

from math import log, sqrt

import numpy as np

from quadrepro.base.types import FloatArray
from quadrepro.core.measures.measure import DELTA, Trained, mean, measure


@measure("Hoeffding's bound on the risk")
def test_hoeffding_bound(t: Trained) -> FloatArray:
    """Return error + sqrt(ln(1/δ) / (2n)) (Theorem 2.1)."""
    return mean(t.test_wrong, 1) + sqrt(log(1 / DELTA) / (2 * len(t.y_test)))


@measure("empirical Bernstein bound on the risk")
def test_empirical_bernstein_bound(t: Trained) -> FloatArray:
    """Return error + sqrt(2 V̂ ln(2/δ) / n) + 7 ln(2/δ) / (3(n - 1)) (Theorem 2.4)."""
    wrong, n, log_term = t.test_wrong, len(t.y_test), log(2 / DELTA)
    if n < 2:
        raise ValueError(f"the empirical Bernstein bound needs at least 2 test examples, not {n}")
    spread = np.sqrt(2 * wrong.var(axis=1, ddof=1) * log_term / n)
    return np.asarray(mean(wrong, 1) + spread + 7 * log_term / (3 * (n - 1)))


@measure("Bernstein's bound on the risk")
def test_bernstein_bound(t: Trained) -> FloatArray:
    """Return the largest risk p that Theorem 2.3 allows, the variance of an error being p(1 - p).

    p <= error + sqrt(2 p(1 - p) ln(1/δ) / n) + ln(1/δ) / (3n), a quadratic inequality.
    """
    log_term, n = log(1 / DELTA), len(t.y_test)
    low, c = mean(t.test_wrong, 1) + log_term / (3 * n), 2 * log_term / n
    root = np.sqrt(np.maximum(c**2 + 4 * c * low * (1 - low), 0.0))
    return np.where(low >= 1, 1.0, (2 * low + c + root) / (2 + 2 * c))
