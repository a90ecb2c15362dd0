from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quadrepro.stats.placement import place


def test_quantile_counts_ties_half_within_the_printed_rounding() -> None:
    placement = place([0.1004, 0.2, 0.3, 0.4], 0.1, 0.0005)
    assert placement.quantile == pytest.approx(1 / 8)


def test_interval_is_students_prediction_interval() -> None:
    placement = place([0.1, 0.2, 0.3], 0.2, 0.0005)
    # t with 2 degrees of freedom: 4.302653
    assert placement.high - placement.mean == pytest.approx(4.302653 * 0.1 * (4 / 3) ** 0.5)
    assert placement.inside


def test_one_further_draw_is_inside_95_times_of_100() -> None:
    rng = np.random.default_rng(1)
    hits = sum(
        place(draws[:-1].tolist(), float(draws[-1]), 0.0).inside
        for draws in rng.normal(0.2, 0.03, (4000, 17))
    )
    assert hits / 4000 == pytest.approx(0.95, abs=0.01)


@given(st.floats(0, 1), st.integers(2, 20))
def test_constant_repeats_hold_only_their_own_value(value: float, n: int) -> None:
    assert place([value] * n, value, 0.0005).inside
    assert not place([value] * n, value + 0.01, 0.0005).inside


def test_one_repeat_is_no_distribution() -> None:
    with pytest.raises(ValueError, match="two repeats"):
        place([0.1], 0.1, 0.0005)
