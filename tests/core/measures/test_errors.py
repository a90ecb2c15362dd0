"""Errors and risks of small votes against what one counts by hand."""

from __future__ import annotations

import numpy as np
import pytest

from quadrepro.core.measures import measure
from quadrepro.core.measures.measure import Trained


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        # The empty vote says -1 everywhere. The third vote has -1/2 and 1/2 for its sums on the
        # training examples, each with the wrong sign.
        ("train_error", [0.5, 0, 1, 0.5]),
        ("train_error_with_positive_ties", [0.5, 0, 1, 0.5]),
        ("test_error", [0.5, 0.5, 0.5, 1]),
        ("train_mse", [1, 0.25, 2.25, (1.75**2 + 0.25**2) / 2]),
        ("test_mse", [1, (1.5**2 + 0.5**2) / 2, (2.5**2 + 0.5**2) / 2, (2.25**2 + 1.75**2) / 2]),
        ("quadratic_risk", [1, 0.25, 2.25, (1.75**2 + 0.25**2) / 2]),
        ("voters", [0, 1, 2, 2]),
    ],
)
def test_a_number_of_every_vote_is_what_one_counts(
    name: str, expected: list[float], trained: Trained
) -> None:
    found = getattr(measure, name)(trained)
    assert found == pytest.approx(expected)
    assert found.dtype == np.float64
