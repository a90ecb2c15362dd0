from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quadrepro.core.measures.adaboost import experts_rounds


def regret_bound(n_rounds: int, m: int) -> float:
    return float(2 * np.sqrt(n_rounds * np.log(m)))


def test_the_lectures_number() -> None:
    # 4 ln(3) · 36 = 158.2.
    assert experts_rounds(1 / 6, 3) == 159


@given(st.floats(0.01, 0.5), st.integers(2, 10**6))
def test_the_regret_of_that_many_rounds_is_below_their_edge(gamma: float, m: int) -> None:
    n_rounds = experts_rounds(gamma, m)
    assert regret_bound(n_rounds, m) < gamma * n_rounds
    assert regret_bound(n_rounds - 1, m) >= gamma * (n_rounds - 1) * (1 - 1e-12)


def test_numbers_out_of_range_are_refused() -> None:
    with pytest.raises(ValueError, match="m >= 2 training examples, not 1"):
        experts_rounds(0.1, 1)
    for gamma in (0.0, 0.7):
        with pytest.raises(ValueError, match=rf"gamma must be in \(0, 1/2\], not {gamma}"):
            experts_rounds(gamma, 10)
