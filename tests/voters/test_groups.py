from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from quadrepro._typing import FloatArray
from quadrepro.voters.groups import LONGEST_CHAIN, VoterGroups
from quadrepro.voters.stumps import Stumps

matrices = st.integers(1, 20).flatmap(
    lambda n: arrays(np.float64, (7, n), elements=st.sampled_from([-1.0, 1.0]))
)
attributes = arrays(np.float64, (9, 3), elements=st.integers(-5, 5).map(float))


def decoded(groups: VoterGroups) -> FloatArray:
    """Return the voter matrix that the codes stand for."""
    columns = []
    for codes, first, last in zip(
        groups.codes.T, groups.starts[:-1], groups.starts[1:], strict=True
    ):
        for k in range(last - first):
            says = codes > k if groups.nested else (codes >> k) & 1 == 1
            columns.append(np.where(says, 1.0, -1.0))
    return np.stack(columns, axis=1)


@given(matrices)
def test_the_codes_say_what_the_voters_say(H: FloatArray) -> None:
    np.testing.assert_array_equal(decoded(VoterGroups.of(H, H[:, 0])), H)


@given(attributes, st.integers(8, 12))
def test_stumps_on_one_attribute_are_one_group(X: FloatArray, per_attribute: int) -> None:
    H = Stumps(per_attribute).fit(X).transform(X)
    groups = VoterGroups.of(H, H[:, 0])
    assert groups.nested
    assert groups.codes.shape[1] <= 3
    np.testing.assert_array_equal(decoded(groups), H)


def test_voters_that_are_not_nested_are_taken_eight_at_a_time() -> None:
    H = np.random.default_rng(0).choice([-1.0, 1.0], (30, 19))
    groups = VoterGroups.of(H, H[:, 0])
    assert not groups.nested
    assert groups.starts.tolist() == [0, 8, 16, 19]


def test_a_chain_is_no_longer_than_its_codes_allow() -> None:
    X = np.arange(400.0)[:, None]
    H = np.where(np.arange(300) < X, 1.0, -1.0)
    groups = VoterGroups.of(H, H[:, 0])
    assert groups.starts.tolist() == [0, LONGEST_CHAIN, 300]
    np.testing.assert_array_equal(decoded(groups), H)
