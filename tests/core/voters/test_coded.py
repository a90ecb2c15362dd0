"""Codes of voters are as good as their matrix: equal sums, votes, Gram matrices and reductions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.sparse import csr_array

from quadrepro import Stumps
from quadrepro.base.types import FloatArray
from quadrepro.core.learners.cbboost import CBBoost, GBCBBoost
from quadrepro.core.learners.quadboost import QuadBoost
from quadrepro.core.training.contract import Algorithm
from quadrepro.core.training.grid import Grid
from quadrepro.core.voters.coded import (
    CodedVoters,
    codes_of_matrix,
    first_of_equal_rows,
    random_words,
)
from quadrepro.core.voters.gram import Gram, write_rows
from quadrepro.core.voters.reduction import reduce_problem
from quadrepro.core.voters.thresholds import stumps_on

CHAINS = np.array([0, 4, 5, 5, 9])
codes = st.tuples(*(arrays(np.uint8, 8, elements=st.integers(0, n)) for n in np.diff(CHAINS)))
voters = codes.map(lambda rows: CodedVoters(np.array(rows), CHAINS))
labels = arrays(np.float64, 8, elements=st.sampled_from([-1.0, 1.0]))
samples = arrays(np.float64, (3, 8), elements=st.sampled_from([0.0, 1.0, 3.0])).filter(
    lambda samples: bool((samples.sum(axis=1) > 0).all())
)


@given(voters, st.sets(st.integers(0, 8), min_size=1), labels)
def test_some_voters_on_some_examples_are_those_of_the_matrix(
    coded: CodedVoters, kept: set[int], y: FloatArray
) -> None:
    H, chosen, rows = coded.matrix(), np.array(sorted(kept)), np.flatnonzero(y > 0)
    assert (coded.n_voters, coded.n_examples) == H.shape[::-1]
    for j in range(9):
        np.testing.assert_array_equal(coded.column(j), H[:, j])
    part = coded.keep(chosen)
    np.testing.assert_array_equal(part.matrix(), H[:, chosen])
    assert (np.diff(part.first) > 0).all()
    np.testing.assert_array_equal(coded.matrix(chosen), H[:, chosen])
    for some in (rows, y > 0):
        np.testing.assert_array_equal(part.on(some).matrix(), H[rows][:, chosen])
        assert part.on(some).codes.flags.c_contiguous


@given(voters, samples)
def test_sums_and_votes_are_products_with_the_matrix(
    coded: CodedVoters, weights: FloatArray
) -> None:
    np.testing.assert_array_equal(coded.sums(weights), weights @ coded.matrix())
    votes = np.random.default_rng(0).normal(size=(3, 9))
    for some in (votes, votes[:1]):
        np.testing.assert_allclose(coded.vote(some), some @ coded.matrix().T, atol=1e-14)


def test_votes_are_right_beyond_a_block_of_examples() -> None:
    rng = np.random.default_rng(0)
    coded = CodedVoters(rng.integers(0, 4, (5, 2500)).astype(np.uint8), np.arange(6) * 3)
    weights = rng.normal(size=(2, 15))
    for some in (weights, weights[:1]):
        np.testing.assert_allclose(coded.vote(some), some @ coded.matrix().T, atol=1e-13)


@given(voters, labels, samples)
def test_codes_are_reduced_as_their_matrix_is(
    coded: CodedVoters, y: FloatArray, counts: FloatArray
) -> None:
    for merge in (True, False):
        ours = reduce_problem(coded, y, counts, merge_voters=merge)
        theirs = reduce_problem(coded.matrix(), y, counts, merge_voters=merge)
        assert ours.n_plain_voters == theirs.n_plain_voters == 9
        for name in ("representatives", "H", "y", "counts", "correlations"):
            np.testing.assert_array_equal(getattr(ours, name), getattr(theirs, name))


@given(voters, labels, samples, st.permutations(range(9)))
def test_rows_of_gram_matrices_are_exact_in_whatever_order_they_are_asked_for(
    coded: CodedVoters, y: FloatArray, counts: FloatArray, order: list[int]
) -> None:
    H = coded.matrix()
    for sample in counts:
        gram, expected = Gram.on_demand(coded, sample), (H.T * sample) @ H / sample.sum()
        shares = Gram.on_demand(coded, sample / 7)
        for j in order:
            for asked in (gram, shares):
                if not asked.ready[asked.chain[j]]:
                    write_rows(asked, asked.chain[j])
            np.testing.assert_array_equal(gram.rows[j], expected[j])
        np.testing.assert_allclose(shares.rows, expected, atol=1e-15)
        assert shares.rows.diagonal().tolist() == [1.0] * 9


def test_only_the_rows_of_chains_that_were_asked_for_are_computed() -> None:
    gram = Gram.on_demand(
        CodedVoters(np.array([[0, 2], [1, 0]], dtype=np.uint8), np.array([0, 2, 3])), np.ones(2)
    )
    write_rows(gram, 1)
    assert gram.ready.tolist() == [False, True]


@pytest.mark.parametrize(
    ("algorithm", "axes"),
    [
        (CBBoost(), {"n_rounds": [1, 40]}),
        (CBBoost(reweight=True), {"n_rounds": [1, 40]}),
        (GBCBBoost(), {"n_rounds": [1, 40]}),
        (QuadBoost(), {"n_rounds": [1, 40]}),
        (QuadBoost("l1"), {"lam": [0.1, 0.01]}),
        (QuadBoost("l2"), {"lam": [1.0, 0.1], "n_rounds": [40]}),
        (QuadBoost("linf"), {"alpha_max": [0.01, 0.1], "n_rounds": [40]}),
        (QuadBoost("l2", reweight=True), {"lam": [1.0], "n_rounds": [40]}),
    ],
    ids=repr,
)
def test_codes_and_their_matrix_give_the_same_votes_to_the_bit(
    algorithm: Algorithm, axes: dict[str, list[float]]
) -> None:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(90, 6)).round(1)
    X[:, 5] = -X[:, 0]
    y = np.where(X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size=90) > 0, 1.0, -1.0)
    coded, counts = Stumps().fit(X).coded(X), rng.integers(0, 4, (3, 90)).astype(float)
    ours, theirs = (
        algorithm.path(v, y, Grid.from_values(axes), counts) for v in (coded, coded.matrix())
    )
    assert ours.any()
    np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize(("n_thresholds", "kind"), [(255, np.uint8), (256, np.uint16)])
def test_a_code_takes_one_byte_for_at_most_255_thresholds(n_thresholds: int, kind: type) -> None:
    X = np.random.default_rng(0).normal(size=(700, 2))
    thresholds = np.sort(np.random.default_rng(1).normal(size=(2, n_thresholds)))
    thresholds[0, 7] = thresholds[0, 6]
    coded = stumps_on(X, thresholds)
    assert coded.codes.dtype == kind
    expected = [np.searchsorted(row, column) for row, column in zip(thresholds, X.T, strict=True)]
    np.testing.assert_array_equal(coded.codes, expected)
    if kind is np.uint16:
        half = coded.keep(np.arange(100))
        assert (half.codes.dtype, half.n_voters) == (np.uint8, 100)


def test_stumps_vote_without_a_matrix_also_on_sparse_and_missing_values() -> None:
    rng = np.random.default_rng(0)
    X = rng.integers(-2, 3, (50, 4)) * 1.0
    sparse = csr_array(X)
    X_missing = np.where(rng.uniform(size=X.shape) < 0.2, np.nan, X)
    weights = rng.normal(size=(2, 4, 3))
    weights[:, 1] = 0.0  # an attribute without weight
    for examples, stumps in (
        (X, Stumps(3).fit(X)),
        (sparse, Stumps(3).fit(sparse)),
        (X_missing, Stumps(3, missing="branch").fit(X_missing)),
    ):
        H = stumps.transform(examples)
        others = rng.normal(size=(2, H.shape[1] - 12))
        votes = np.hstack([weights.reshape(2, 12), others])
        np.testing.assert_allclose(stumps.vote(votes, examples), votes @ H.T, atol=1e-14)


def test_words_of_elements_are_those_of_splitmix64() -> None:
    assert random_words(3).tolist() == [
        0xE220A8397B1DCDAF,
        0x6E789E6AA1B965F4,
        0x06C45D188009454F,
    ]


def test_zeros_of_both_signs_are_equal() -> None:
    first, places = first_of_equal_rows(np.array([[0.0, 1.0], [-0.0, 1.0], [1.0, 1.0]]))
    assert (first.tolist(), places.tolist()) == ([0, 2], [0, 0, 1])


def test_a_matrix_of_signs_has_codes() -> None:
    H = np.random.default_rng(0).choice([-1.0, 1.0], (12, 300))
    np.testing.assert_array_equal(codes_of_matrix(H).matrix(), H)
