from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import chi2

from quadrepro.stats import implied_test_size


def test_the_estimate_is_the_binomial_floor_and_the_interval_that_of_chi_square() -> None:
    found = implied_test_size(0.2, 0.03, 15)
    assert found.estimate == pytest.approx(0.16 / 0.0009)
    # The interval of the variance, by its pivot.
    high, low = (14 * 0.0009 / chi2.ppf(q, 14) for q in (0.025, 0.975))
    assert (found.low, found.high) == (pytest.approx(0.16 / high), pytest.approx(0.16 / low))


def test_the_true_size_is_inside_95_times_of_100() -> None:
    rng = np.random.default_rng(0)
    risks = rng.binomial(130, 0.15, (1500, 20)) / 130
    inside = [implied_test_size(r.mean(), r.std(ddof=1), 20).holds(130) for r in risks]
    assert np.mean(inside) == pytest.approx(0.95, abs=3 * (0.95 * 0.05 / 1500) ** 0.5)


def test_test_sets_that_overlap_are_not_called_too_small() -> None:
    rng = np.random.default_rng(1)
    # Half of 400 rows, of which 60 are wrong whoever is asked.
    risks = rng.hypergeometric(60, 340, 200, (800, 20)) / 200
    found = [(r.mean(), r.std(ddof=1)) for r in risks]
    below = {
        share: np.mean([implied_test_size(p, s, 20, share=share).low > 200 for p, s in found])
        for share in (0.0, 0.5)
    }
    assert below[0.5] == pytest.approx(0.025, abs=3 * (0.025 * 0.975 / 800) ** 0.5)
    assert below[0.0] > 0.3


def test_the_rounding_widens_both_ends_and_not_the_estimate() -> None:
    exact = implied_test_size(0.1, 0.02, 20)
    wide = implied_test_size(0.1, 0.02, 20, rounding=0.005)
    assert wide.estimate == exact.estimate
    assert wide.low == pytest.approx(exact.low * (0.02 / 0.025) ** 2)
    assert wide.high == pytest.approx(exact.high * (0.02 / 0.015) ** 2)


def test_a_deviation_that_may_be_zero_implies_no_upper_end() -> None:
    found = implied_test_size(0.1, 0.0, 20, rounding=0.0005)
    assert (found.estimate, found.high) == (math.inf, math.inf)
    assert 0 < found.low < math.inf
    assert found.holds(10**9)
    assert not found.holds(10)
    assert implied_test_size(0.1, 0.0, 20).low == math.inf


@pytest.mark.parametrize(
    ("risk", "sd", "n", "message"),
    [
        (0.0, 0.1, 20, "a risk of 0 implies no size"),
        (1.0, 0.1, 20, "a risk of 1 implies no size"),
        (15.05, 0.1, 20, "a risk of 15.05"),
        (0.1, -0.1, 20, "cannot be -0.1"),
        (0.1, 0.1, 1, "two values, not 1"),
    ],
)
def test_what_implies_no_size_is_refused(risk: float, sd: float, n: int, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        implied_test_size(risk, sd, n)
