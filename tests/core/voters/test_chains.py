"""Codes of chains say what all voters say, and leavers are what differs from the usual code."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from quadrepro.base.types import FloatArray, IntArray
from quadrepro.core.voters.chains import Chains, Codes, codes_of_stumps, codes_of_voters
from quadrepro.core.voters.stumps import Stumps

matrices = st.integers(1, 20).flatmap(
    lambda n: arrays(np.float64, (7, n), elements=st.sampled_from([-1.0, 1.0]))
)
attributes = arrays(np.float64, (9, 3), elements=st.integers(-5, 5).map(float))


def said(codes: Codes, first: IntArray) -> FloatArray:
    """Return the voter matrix that the definition of a code gives."""
    sizes = np.diff(first)
    columns = [code[:, None] > np.arange(n) for code, n in zip(codes, sizes, strict=True)]
    return np.where(np.hstack(columns), 1.0, -1.0)


@given(matrices)
def test_codes_say_what_the_voters_say(H: FloatArray) -> None:
    np.testing.assert_array_equal(said(*codes_of_voters(H)), H)


@given(matrices)
def test_voters_are_in_a_chain_as_long_as_they_are_nested(H: FloatArray) -> None:
    _, first = codes_of_voters(H)
    starts = [j for j in range(1, H.shape[1]) if (H[:, j] > H[:, j - 1]).any()]
    assert first.tolist() == [0, *starts, H.shape[1]]


@given(attributes)
def test_codes_of_stumps_need_no_matrix_and_the_attributes_are_the_chains(X: FloatArray) -> None:
    stumps = Stumps(per_attribute=4).fit(X)
    codes, first = codes_of_stumps(X, stumps.thresholds_)
    np.testing.assert_array_equal(said(codes, first), stumps.transform(X))
    assert first.tolist() == [0, 4, 8, 12]


@given(matrices)
def test_an_example_leaves_the_usual_code_at_the_voter_next_to_it_that_differs(
    H: FloatArray,
) -> None:
    chains = Chains.of(*codes_of_voters(H))
    left = {
        (j, int(i))
        for j, (start, stop) in enumerate(pairwise(chains.heads))
        for i in chains.leavers[start:stop]
    }
    expected = set()
    for code, usual, start in zip(chains.codes, chains.usual, chains.first, strict=False):
        assert (code == usual).sum() == max(np.bincount(code))
        for i, own in enumerate(code.astype(int)):
            if own != usual:
                expected.add((int(start + own if own < usual else start + own - 1), i))
    assert left == expected
