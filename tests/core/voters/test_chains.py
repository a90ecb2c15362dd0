"""Codes of chains say what all voters say, and leavers are what differs from the usual code."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from quadrepro.base.types import FloatArray
from quadrepro.core.learners.reweighting import margins_of
from quadrepro.core.voters.chains import Chains
from quadrepro.core.voters.coded import CodedVoters, codes_of_matrix
from quadrepro.core.voters.running_sums import (
    ASLEEP,
    CACHED,
    MOST_GROWTH,
    SCATTERED,
    RunningSums,
    chain_of,
    list_again,
    write_sums,
)
from quadrepro.core.voters.stumps import Stumps

matrices = st.integers(1, 20).flatmap(
    lambda n: arrays(np.float64, (7, n), elements=st.sampled_from([-1.0, 1.0]))
)
attributes = arrays(np.float64, (9, 3), elements=st.integers(-5, 5).map(float))


def said(voters: CodedVoters) -> FloatArray:
    """Return the voter matrix that the definition of a code gives."""
    sizes = np.diff(voters.first)
    columns = [code[:, None] > np.arange(n) for code, n in zip(voters.codes, sizes, strict=True)]
    return np.where(np.hstack(columns), 1.0, -1.0)


@given(matrices)
def test_codes_say_what_the_voters_say(H: FloatArray) -> None:
    np.testing.assert_array_equal(said(codes_of_matrix(H)), H)


@given(matrices)
def test_voters_are_in_a_chain_as_long_as_they_are_nested(H: FloatArray) -> None:
    first = codes_of_matrix(H).first
    starts = [j for j in range(1, H.shape[1]) if (H[:, j] > H[:, j - 1]).any()]
    assert first.tolist() == [0, *starts, H.shape[1]]


@given(attributes)
def test_codes_of_stumps_need_no_matrix_and_the_attributes_are_the_chains(X: FloatArray) -> None:
    stumps = Stumps(per_attribute=4).fit(X)
    voters = stumps.coded(X)
    above = X[:, :, None] > stumps.thresholds_
    np.testing.assert_array_equal(said(voters), np.where(above.reshape(len(X), -1), 1.0, -1.0))
    assert voters.first.tolist() == [0, 4, 8, 12]


def unusual(chains: Chains) -> list[list[int]]:
    """Return the listed examples of the stretches of each voter."""
    found: list[list[int]] = [[] for _ in chains.usual]
    for owner, start, stop in chains.stretches:
        found[owner] += chains.listed[chains.heads[start] : chains.heads[stop]].tolist()
    return found


@given(matrices)
def test_stretches_have_the_examples_on_which_a_voter_has_not_its_usual_value(
    H: FloatArray,
) -> None:
    chains = Chains.from_voters(codes_of_matrix(H))
    expected = [
        np.flatnonzero(h != usual).tolist() for h, usual in zip(H.T, chains.usual, strict=True)
    ]
    assert [sorted(of_voter) for of_voter in unusual(chains)] == expected
    for code, start, stop in zip(chains.codes, *(chains.first[i:] for i in (0, 1)), strict=False):
        # The values of the most frequent code.
        assert (code == (chains.usual[start:stop] > 0).sum()).sum() == max(np.bincount(code))


def test_eight_voters_without_a_chain_list_an_example_once() -> None:
    H = np.random.default_rng(0).choice([-1.0, 1.0], (400, 17))
    chains = Chains.from_voters(codes_of_matrix(H))
    assert len(chains.codes) == 17
    away = chains.usual != H
    sizes = [int(away[:, i : i + 8].any(axis=1).sum()) for i in (0, 8, 16)]
    assert len(chains.listed) == sum(sizes)
    assert len(chains.stretches) < 17 * 20


def weights_of(m: int, seed: int, share_asleep: float) -> FloatArray:
    rng = np.random.default_rng(seed)
    weights = np.exp2(rng.uniform(0, 40, m))
    return np.where(rng.uniform(size=m) < share_asleep, ASLEEP / 4, weights)


@pytest.mark.parametrize("nested", [True, False], ids=["by code", "by the list"])
def test_sums_are_products_whoever_is_left_out(nested: bool) -> None:
    rng, m = np.random.default_rng(0), CACHED + 1
    H = rng.choice([-1.0, 1.0], (m, 40))
    if nested:
        H = Stumps().fit_transform(rng.normal(size=(m, 4)))
    voters = RunningSums.over(Chains.from_voters(codes_of_matrix(H)))
    y, sums = rng.choice([-1.0, 1.0], m), np.empty(40, np.int64)
    assert (SCATTERED * len(voters.listed) > voters.chains.codes.size) == nested
    n_listed = []
    # The factor by which weights may have grown, the share that is asleep, if the list is new.
    for growth, share, is_new in (
        (1.0, 0.0, True),
        (MOST_GROWTH, 0.6, False),
        (2.0, 0.6, True),
        (2.0, 0.6, False),
    ):
        weights = weights_of(m, 0, share)
        signed = (y * np.rint(weights)).astype(np.int64)
        voters.state[0] *= growth
        if voters.state[0] > MOST_GROWTH:
            list_again(voters, weights, y)
        write_sums(signed, signed.sum(), *voters, sums)
        np.testing.assert_array_equal(sums, signed @ H.astype(np.int64))
        assert (voters.state[0] == 1.0) == is_new
        n_listed.append(int(voters.state[1]))
    assert n_listed[0] == n_listed[1] == len(voters.listed)
    assert n_listed[2] == n_listed[3] < 0.5 * n_listed[0]


def test_the_values_of_a_voter_are_those_of_its_chain() -> None:
    H, y = np.random.default_rng(0).choice([-1.0, 1.0], (30, 40)), np.ones(30)
    voters = RunningSums.over(Chains.from_voters(codes_of_matrix(H)))
    for j in range(40):
        np.testing.assert_array_equal(
            margins_of(*chain_of(voters.chains.codes, voters.chains.first, j), y), H[:, j]
        )
