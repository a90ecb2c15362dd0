from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quadrepro.core.measures.experts import experts_rounds, regret_bound


def test_the_lectures_numbers() -> None:
    assert regret_bound(100, 50) == pytest.approx(2 * (100 * np.log(50)) ** 0.5)
    # 4 ln(3) · 36 = 158.2.
    assert experts_rounds(1 / 6, 3) == 159


@given(st.floats(0.01, 0.5), st.integers(2, 10**6))
def test_the_regret_of_that_many_rounds_is_below_their_edge(gamma: float, m: int) -> None:
    n_rounds = experts_rounds(gamma, m)
    assert regret_bound(n_rounds, m) < gamma * n_rounds
    assert regret_bound(n_rounds - 1, m) >= gamma * (n_rounds - 1) * (1 - 1e-12)


@given(st.integers(1, 10_000), st.integers(2, 10**6), st.floats(1e-3, 0.5))
def test_no_rate_has_a_smaller_bound_on_the_regret(n_rounds: int, m: int, eta: float) -> None:
    assert regret_bound(n_rounds, m) <= eta * n_rounds + np.log(m) / eta + 1e-9


def test_numbers_out_of_range_are_refused() -> None:
    with pytest.raises(ValueError, match="n_rounds >= 1, not 0"):
        regret_bound(0, 10)
    with pytest.raises(ValueError, match="m >= 2 training examples, not 1"):
        regret_bound(10, 1)
    with pytest.raises(ValueError, match="m >= 2 training examples, not 1"):
        experts_rounds(0.1, 1)
    for gamma in (0.0, 0.7):
        with pytest.raises(ValueError, match=rf"gamma must be in \(0, 1/2\], not {gamma}"):
            experts_rounds(gamma, 10)
