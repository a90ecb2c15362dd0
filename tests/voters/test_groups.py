from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from quadrepro._typing import FloatArray
from quadrepro.voters import groups as groups_module
from quadrepro.voters.groups import LONGEST_CHAIN, VoterGroups
from quadrepro.voters.reduction import reduce_problem
from quadrepro.voters.stumps import Stumps

matrices = st.integers(1, 20).flatmap(
    lambda n: arrays(np.float64, (7, n), elements=st.sampled_from([-1.0, 1.0]))
)
attributes = arrays(np.float64, (9, 3), elements=st.integers(-5, 5).map(float))


@given(matrices)
def test_the_codes_say_what_the_voters_say(H: FloatArray) -> None:
    np.testing.assert_array_equal(VoterGroups.of(H, H[:, 0]).matrix(), H)


@given(attributes, st.integers(8, 12))
def test_stumps_on_one_attribute_are_one_group(X: FloatArray, per_attribute: int) -> None:
    H = Stumps(per_attribute).fit(X).transform(X)
    groups = VoterGroups.of(H, H[:, 0])
    assert groups.nested
    assert groups.codes.shape[1] <= 3
    np.testing.assert_array_equal(groups.matrix(), H)


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
    np.testing.assert_array_equal(groups.matrix(), H)


@given(attributes, st.integers(1, 12))
def test_stumps_are_grouped_without_their_matrix(X: FloatArray, per_attribute: int) -> None:
    stumps, y = Stumps(per_attribute).fit(X), np.ones(9)
    groups = VoterGroups.of_stumps(X, y, stumps.thresholds_)
    assert groups.nested
    assert groups.codes.shape == (9, 3)
    np.testing.assert_array_equal(groups.matrix(), stumps.transform(X))


def test_more_stumps_than_a_byte_counts_are_several_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(groups_module, "BLOCK", 64)
    X = np.random.default_rng(0).normal(size=(300, 2))
    stumps = Stumps(300).fit(X)
    groups = VoterGroups.of_stumps(X, np.ones(300), stumps.thresholds_)
    assert groups.starts.tolist() == [0, LONGEST_CHAIN, 300, 300 + LONGEST_CHAIN, 600]
    np.testing.assert_array_equal(groups.matrix(), stumps.transform(X))


@given(attributes, arrays(np.float64, 9, elements=st.sampled_from([-1.0, 1.0])))
def test_distinct_examples_are_those_of_the_reduced_problem(X: FloatArray, y: FloatArray) -> None:
    stumps = Stumps(2).fit(X)
    groups, counts = VoterGroups.of_stumps(X, y, stumps.thresholds_).distinct()
    reduced = reduce_problem(stumps.transform(X), y, merge_voters=False)
    np.testing.assert_array_equal(groups.matrix(), reduced.H)
    np.testing.assert_array_equal(groups.y, reduced.y)
    np.testing.assert_array_equal(counts[None], reduced.counts)
