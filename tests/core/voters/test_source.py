"""Sums and signs of a matrix of voters are those of their outputs."""

from __future__ import annotations

import numpy as np
import pytest

from quadrepro.base.types import FloatArray
from quadrepro.core.voters.source import FixedVoters


def test_sums_and_signs_are_products_with_the_labels(
    problem: tuple[FloatArray, FloatArray],
) -> None:
    H, y = problem
    source = FixedVoters(H, y)
    units = np.random.default_rng(0).integers(0, 2**40, (4, len(y))).astype(float)
    np.testing.assert_array_equal(source.sums(units), (units * y) @ H)
    np.testing.assert_array_equal(source.signs(np.array([5, 0])), (H[:, [5, 0]] * y[:, None]).T)


def test_voters_need_the_values_minus_and_plus_one() -> None:
    with pytest.raises(ValueError, match="needs voters with values -1 and \\+1"):
        FixedVoters(np.array([[1.0, 0.5]]), np.ones(1))
