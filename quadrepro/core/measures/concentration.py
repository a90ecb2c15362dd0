"""Upper bounds on E[Z] from n independent draws of Z in [0, 1].

Hoeffding's inequality, Bernstein's, and its empirical version of Maurer and Pontil (2009): Theorems
2.1, 2.3 and 2.4 of Empirical Bernstein Boosting (Shivaswamy and Jebara, 2010). Each holds with
probability 1 - δ. With the errors on test examples as draws, they bound the risk of a vote. The
training examples will not do: the vote was fitted to them.
"""

from __future__ import annotations

from math import log, sqrt
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike

from quadrepro.base.types import BoolArray, FloatArray
from quadrepro.core.measures.measure import Measure, Trained

DELTA = 0.05
"""Probability of failure of every bound that is measured, and the default of the functions."""


ROUNDING = 1e-9
"""A loss may rise by this much by rounding alone."""


def check_delta(delta: float) -> None:
    """Refuse a probability of failure outside (0, 1)."""
    if not 0 < delta < 1:
        raise ValueError(f"delta is a probability in (0, 1), not {delta}")


def check_draws(n: int, least: int, delta: float) -> None:
    """Refuse too few draws, or a probability of failure outside (0, 1)."""
    if n < least:
        raise ValueError(f"the bound needs n >= {least}, not {n}")
    check_delta(delta)


def check_edge(gamma: float) -> None:
    """Refuse an edge outside (0, 1/2]."""
    if not 0 < gamma <= 0.5:
        raise ValueError(f"gamma must be in (0, 1/2], not {gamma}")


def in_range(name: str, values: ArrayLike, high: float) -> FloatArray:
    """Return the values as an array, and refuse any outside [0, high]."""
    checked = np.asarray(values, dtype=np.float64)
    if not ((checked >= 0) & (checked <= high)).all():
        raise ValueError(f"{name} must be in [0, {high:g}], not {checked}")
    return checked


def margin_matrix(margins: FloatArray) -> FloatArray:
    """Return the margins, and refuse all but a matrix with an example and a round."""
    margins = np.asarray(margins, dtype=np.float64)
    if margins.ndim != 2 or margins.size == 0:
        raise ValueError(f"margins must be a matrix of examples by rounds, not {margins.shape}")
    return margins


def check_falls(falls: BoolArray, loss: str, algorithm: str) -> None:
    """Refuse a loss that rises in some round, which it does not for this algorithm's margins."""
    if not falls.all():
        t = int(np.argmin(falls)) + 1
        raise ValueError(
            f"the {loss} loss rises in round {t}: these are not the margins of {algorithm}"
        )


Numbers = TypeVar("Numbers", float, FloatArray)
"""One number, or an array of any shape."""


def hoeffding(mean: Numbers, n: int, delta: float = DELTA) -> Numbers:
    """Return Hoeffding's bound, mean + sqrt(ln(1/δ) / (2n)) (Theorem 2.1).

    Examples
    --------
    >>> round(hoeffding(0.02, 1000), 4)
    0.0587
    """
    check_draws(n, 1, delta)
    return mean + sqrt(log(1 / delta) / (2 * n))


def empirical_bernstein(
    mean: Numbers, sample_variance: Numbers, n: int, delta: float = DELTA
) -> Numbers:
    """Return the empirical Bernstein bound (Theorem 2.4).

    mean + sqrt(2 V̂ ln(2/δ) / n) + 7 ln(2/δ) / (3(n - 1))

    Examples
    --------
    >>> float(round(empirical_bernstein(0.02, 0.02 * 0.98, 1000), 4))
    0.0406
    """
    check_draws(n, 2, delta)
    t = log(2 / delta)
    spread: Numbers = np.sqrt(2 * sample_variance * t / n)
    return mean + spread + 7 * t / (3 * (n - 1))


def bernstein_of_errors(error: ArrayLike, n: int, delta: float = DELTA) -> FloatArray:
    """Return Bernstein's bound on a probability of error, whose variance is not known but p(1 - p).

    It is the largest p that Theorem 2.3 allows: p <= error + sqrt(2 p(1 - p) t / n) + t / (3n) with
    t = ln(1/δ), a quadratic inequality in p.

    Examples
    --------
    >>> float(bernstein_of_errors(0.02, 1000).round(4))
    0.0353
    """
    check_draws(n, 1, delta)
    t = log(1 / delta)
    low, c = in_range("error", error, 1.0) + t / (3 * n), 2 * t / n
    root = np.sqrt(np.maximum(c**2 + 4 * c * low * (1 - low), 0.0))
    return np.asarray(np.where(low >= 1, 1.0, (2 * low + c + root) / (2 + 2 * c)))


def measured_hoeffding_bound(trained: Trained) -> FloatArray:
    """Return Hoeffding's bound on the risk, from the test errors."""
    wrong = trained.test_wrong
    return hoeffding(np.asarray(wrong.mean(axis=1)), wrong.shape[1])


def measured_empirical_bernstein_bound(trained: Trained) -> FloatArray:
    """Return the empirical Bernstein bound on the risk, from the test errors."""
    wrong = trained.test_wrong
    mean, variance = wrong.mean(axis=1), wrong.var(axis=1, ddof=1)
    return empirical_bernstein(np.asarray(mean), np.asarray(variance), wrong.shape[1])


def measured_bernstein_bound(trained: Trained) -> FloatArray:
    """Return Bernstein's bound on the risk, from the test errors."""
    wrong = trained.test_wrong
    return bernstein_of_errors(wrong.mean(axis=1), wrong.shape[1])


TEST_HOEFFDING_BOUND = Measure("Hoeffding's bound on the risk", measured_hoeffding_bound)
TEST_EMPIRICAL_BERNSTEIN_BOUND = Measure(
    "empirical Bernstein bound on the risk", measured_empirical_bernstein_bound
)
TEST_BERNSTEIN_BOUND = Measure("Bernstein's bound on the risk", measured_bernstein_bound)
