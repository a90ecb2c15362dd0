from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from quadrepro.base.types import FloatArray
from quadrepro.core.voters.chains import BLOCK, VoterGroups
from quadrepro.core.voters.reduction import reduce_problem
from quadrepro.core.voters.stumps import Stumps

matrices = st.integers(1, 20).flatmap(
    lambda n: arrays(np.float64, (7, n), elements=st.sampled_from([-1.0, 1.0]))
)
attributes = arrays(np.float64, (9, 3), elements=st.integers(-5, 5).map(float))


@given(matrices)
def test_the_digits_say_what_the_voters_say(H: FloatArray) -> None:
    np.testing.assert_array_equal(VoterGroups.of(H, H[:, 0]).matrix(), H)


@given(matrices)
def test_a_word_has_the_bins_of_the_digits_of_its_chains(H: FloatArray) -> None:
    groups = VoterGroups.of(H, H[:, 0])
    sizes = np.diff(groups.voters) + 1
    for group, (first, last) in enumerate(pairwise(groups.chains)):
        block, place = divmod(group, BLOCK)
        if place == 0:
            start = 0
        bins = groups.words[block] >> np.uint64(16 * place) & np.uint64(2**16 - 1)
        codes = bins.astype(np.intp) - start
        start += int(sizes[first:last].prod())
        if first == last:
            assert not codes.any()
            continue
        digits = np.unravel_index(codes, tuple(sizes[first:last]))
        np.testing.assert_array_equal(digits, groups.digits[first:last])


@given(attributes, st.integers(1, 12))
def test_stumps_on_one_attribute_are_one_chain(X: FloatArray, per_attribute: int) -> None:
    H = Stumps(per_attribute).fit(X).transform(X)
    groups = VoterGroups.of(H, H[:, 0])
    assert len(groups.digits) <= 3
    np.testing.assert_array_equal(groups.matrix(), H)


def test_a_group_has_few_codes_or_no_more_than_a_byte_or_a_third_of_the_examples() -> None:
    H = np.random.default_rng(0).choice([-1.0, 1.0], (1100, 19))
    for n_examples, chains in ((1100, [0, 8, 16, 19, 19]), (300, [0, 6, 12, 18, 19])):
        assert VoterGroups.of(H[:n_examples], H[:n_examples, 0]).chains.tolist() == chains
    assert VoterGroups.of(H[:40], H[:40, 0]).chains.tolist() == [0, 4, 8, 12, 16, 19, 19, 19, 19]


def test_a_chain_is_no_longer_than_its_digit_allows() -> None:
    X = np.arange(400.0)[:, None]
    H = np.where(np.arange(300) < X, 1.0, -1.0)
    groups = VoterGroups.of(H, H[:, 0])
    assert groups.voters.tolist() == [0, 255, 300]
    np.testing.assert_array_equal(groups.matrix(), H)


@given(attributes, st.integers(1, 12))
def test_stumps_are_grouped_without_their_matrix(X: FloatArray, per_attribute: int) -> None:
    stumps, y = Stumps(per_attribute).fit(X), np.ones(9)
    groups = VoterGroups.of_stumps(X, y, stumps.thresholds_)
    assert groups.digits.shape == (3, 9)
    np.testing.assert_array_equal(groups.matrix(), stumps.transform(X))


def test_more_stumps_than_a_byte_counts_are_several_chains() -> None:
    X = np.random.default_rng(0).normal(size=(300, 2))
    stumps = Stumps(300).fit(X)
    groups = VoterGroups.of_stumps(X, np.ones(300), stumps.thresholds_)
    assert groups.voters.tolist() == [0, 255, 300, 555, 600]
    np.testing.assert_array_equal(groups.matrix(), stumps.transform(X))


@given(attributes, arrays(np.float64, 9, elements=st.sampled_from([-1.0, 1.0])))
def test_distinct_examples_are_those_of_the_reduced_problem(X: FloatArray, y: FloatArray) -> None:
    stumps = Stumps(2).fit(X)
    groups, counts = VoterGroups.of_stumps(X, y, stumps.thresholds_).distinct()
    reduced = reduce_problem(stumps.transform(X), y, merge_voters=False)
    np.testing.assert_array_equal(groups.matrix(), reduced.H)
    np.testing.assert_array_equal(groups.y, reduced.y)
    np.testing.assert_array_equal(counts[None], reduced.counts)
