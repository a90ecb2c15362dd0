"""A source's sums and signs are those of the voters' outputs."""

from __future__ import annotations

import numpy as np
import pytest

from quadrepro._typing import FloatArray
from quadrepro.voters.source import FixedVoters


def test_sums_and_signs_are_products_with_the_labels(
    problem: tuple[FloatArray, FloatArray],
) -> None:
    H, y = problem
    source = FixedVoters(H, y)
    source.begin(3)
    units = np.random.default_rng(0).integers(0, 2**40, (4, len(y))).astype(float)
    sums = np.empty((4, H.shape[1]))
    source.sums(units, sums)
    np.testing.assert_array_equal(sums, (units * y) @ H)
    signs = np.empty((2, len(y)))
    source.signs(np.array([5, 0]), signs)
    np.testing.assert_array_equal(signs, (H[:, [5, 0]] * y[:, None]).T)
    assert source.fixed
    assert source.complements


def test_voters_between_minus_one_and_one_are_refused() -> None:
    with pytest.raises(ValueError, match="example weights needs voters with values -1 and"):
        FixedVoters(np.array([[0.5]]), np.array([1.0]))
