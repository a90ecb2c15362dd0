"""A source's sums and signs are those of the voters' outputs."""

from __future__ import annotations

import numpy as np
import pytest

from quadrepro.base.types import FloatArray
from quadrepro.core.voters.chains import VoterGroups
from quadrepro.core.voters.source import FixedVoters, GroupedVoters


@pytest.mark.parametrize("grouped", [False, True])
def test_sums_and_signs_are_products_with_the_labels(
    problem: tuple[FloatArray, FloatArray], grouped: bool
) -> None:
    H, y = problem
    source = GroupedVoters(VoterGroups.of(H, y)) if grouped else FixedVoters(H, y)
    source.begin(3)
    assert (source.n_examples, source.n_voters) == H.shape
    assert source.groups.words.tobytes() == VoterGroups.of(H, y).words.tobytes()
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
