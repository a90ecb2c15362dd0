"""Holm's correction against its definition."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quadrepro.stats import holm

P_VALUES = st.lists(st.floats(0, 1), min_size=1, max_size=12)


@given(P_VALUES, st.floats(0.001, 0.5))
def test_what_is_rejected_at_a_level_is_what_stepping_down_rejects(
    p_values: list[float], level: float
) -> None:
    order = np.argsort(p_values, kind="stable")
    rejected = set()
    for rank, i in enumerate(order):
        if (len(p_values) - rank) * p_values[i] > level:
            break
        rejected.add(i)
    adjusted = holm(p_values)
    assert {i for i, p in enumerate(adjusted) if p <= level} == rejected


@given(P_VALUES)
def test_adjusting_keeps_the_order_and_never_lowers(p_values: list[float]) -> None:
    adjusted = holm(p_values)
    assert all(p <= a <= 1 for p, a in zip(p_values, adjusted, strict=True))
    by_p = [adjusted[i] for i in np.argsort(p_values, kind="stable")]
    assert by_p == sorted(by_p)


def test_holms_example() -> None:
    # Wright (1992), Biometrics 48, Table 1: raw and Holm-adjusted p-values.
    assert holm([0.01, 0.02, 0.022, 0.09]) == pytest.approx([0.04, 0.06, 0.06, 0.09])


def test_no_test_needs_no_correction() -> None:
    assert holm([]) == []
