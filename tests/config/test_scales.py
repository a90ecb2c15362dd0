from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quadrepro.config.axis import log_value, log_values


def test_the_papers_scales_have_ten_values_with_exact_ends() -> None:
    rounds = log_values(1e2, 1e6, 10, integer=True)
    assert rounds == (100, 278, 774, 2154, 5995, 16681, 46416, 129155, 359381, 1000000)
    lam = log_values(1, 1e-4, 10, integer=False)
    assert (lam[0], lam[-1], len(lam)) == (1.0, 1e-4, 10)


def test_an_integer_scale_drops_values_that_round_together() -> None:
    assert log_values(1, 4, 10, integer=True) == (1, 2, 3, 4)


@pytest.mark.parametrize(
    ("low", "high", "points", "message"),
    [(0.0, 1.0, 3, "positive ends"), (1.0, -1.0, 3, "positive ends"), (1.0, 2.0, 0, "one point")],
)
def test_a_scale_that_cannot_be_is_refused(
    low: float, high: float, points: int, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        log_values(low, high, points, integer=False)


ends = st.floats(1e-6, 1e6)


@given(ends, ends, st.integers(3, 40))
def test_values_are_numpys_to_twelve_digits(low: float, high: float, points: int) -> None:
    found = np.array(log_values(low, high, points, integer=False))
    np.testing.assert_allclose(found, np.geomspace(low, high, points), rtol=1e-11)
    assert (found[0], found[-1]) == (low, high)
    assert [float(f"{v:.12g}") for v in found[1:-1]] == found[1:-1].tolist()


@given(ends, ends, st.floats(0, 1))
def test_a_share_of_the_way_is_linear_in_the_logarithm(
    low: float, high: float, share: float
) -> None:
    expected = np.exp((1 - share) * np.log(low) + share * np.log(high))
    np.testing.assert_allclose(log_value(low, high, share), expected, rtol=1e-11)


def test_these_values_are_the_same_on_every_processor() -> None:
    values = (1000.0, 31.6227766017, 1.0, 0.0316227766017, 0.001)
    assert log_values(1e3, 1e-3, 5, integer=False) == values
    assert log_value(2.0, 5.0, 0.3) == 2.63276440867
