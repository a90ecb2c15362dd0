"""Codes of voters are as good as their matrix: equal sums, votes, Gram matrices and reductions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.sparse import csr_array

from quadrepro.base.types import FloatArray
from quadrepro.core.learners.cbboost import CBBoost, GBCBBoost
from quadrepro.core.learners.quadboost import QuadBoost
from quadrepro.core.training.contract import Algorithm
from quadrepro.core.training.grid import Grid
from quadrepro.core.voters.coded import (
    CodedVoters,
    codes_of_matrix,
    first_of_equal_rows,
)
from quadrepro.core.voters.gram import Gram, write_rows
from quadrepro.core.voters.reduction import VotingProblem, reduce_problem
from quadrepro.core.voters.running_sums import (
    ASLEEP,
    CACHED,
    MOST_GROWTH,
    Chains,
    RunningSums,
    is_long,
    list_again,
    write_sums,
    write_sums_by_code,
)
from quadrepro.core.voters.stumps import Stumps
from quadrepro.core.voters.thresholds import stumps_on
from tests.core.learners.given import samples_of, signs

CHAINS, CODES_OF_3 = np.array([0, 4, 5, 5, 9]), np.array([0, 3, 6, 9])
codes = st.tuples(*(arrays(np.uint8, 8, elements=st.integers(0, n)) for n in np.diff(CHAINS)))
voters = codes.map(lambda rows: CodedVoters(np.array(rows), CHAINS))
labels = arrays(np.float64, 8, elements=signs)
samples = samples_of(8, 3)


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
    rng = np.random.default_rng(0)
    more_than_a_block = CodedVoters(rng.integers(0, 4, (3, 2500)).astype(np.uint8), CODES_OF_3)
    for stumps in (coded, more_than_a_block):
        votes = rng.normal(size=(3, 9))
        for some in (votes, votes[:1]):
            np.testing.assert_allclose(stumps.vote(some), some @ stumps.matrix().T, atol=1e-13)


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


@given(voters, samples, st.permutations(range(9)))
def test_rows_of_gram_matrices_are_exact_and_only_those_of_chains_that_were_asked_for(
    coded: CodedVoters, counts: FloatArray, order: list[int]
) -> None:
    H = coded.matrix()
    for sample in counts:
        gram, expected = Gram.on_demand(coded, sample), (H.T * sample) @ H / sample.sum()
        shares = Gram.on_demand(coded, sample / 7)
        for place, j in enumerate(order):
            for asked in (gram, shares):
                if not asked.ready[asked.chain[j]]:
                    write_rows(asked, asked.chain[j])
            np.testing.assert_array_equal(gram.rows[j], expected[j])
            assert {*np.flatnonzero(gram.ready)} == {*gram.chain[order[: place + 1]]}
        np.testing.assert_allclose(shares.rows, expected, atol=1e-15)
        assert shares.rows.diagonal().tolist() == [1.0] * 9


@pytest.mark.parametrize(
    ("algorithm", "axes"),
    [
        (CBBoost(reweight=True), {"n_rounds": [1, 40]}),
        (GBCBBoost(), {"n_rounds": [1, 40]}),
        (QuadBoost("l1"), {"lam": [0.1, 0.01]}),
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


def test_zeros_of_both_signs_are_equal() -> None:
    first, places = first_of_equal_rows(np.array([[0.0, 1.0], [-0.0, 1.0], [1.0, 1.0]]))
    assert (first.tolist(), places.tolist()) == ([0, 2], [0, 0, 1])


matrices = st.integers(1, 20).flatmap(lambda n: arrays(np.float64, (7, n), elements=signs))


def said(voters: CodedVoters) -> FloatArray:
    """Return the voter matrix that the definition of a code gives."""
    sizes = np.diff(voters.first)
    columns = [code[:, None] > np.arange(n) for code, n in zip(voters.codes, sizes, strict=True)]
    return np.where(np.hstack(columns), 1.0, -1.0)


@given(matrices)
def test_codes_say_what_the_voters_say_in_chains_as_long_as_they_are_nested(H: FloatArray) -> None:
    voters = codes_of_matrix(H)
    np.testing.assert_array_equal(said(voters), H)
    np.testing.assert_array_equal(voters.matrix(), H)
    starts = [j for j in range(1, H.shape[1]) if (H[:, j] > H[:, j - 1]).any()]
    assert voters.first.tolist() == [0, *starts, H.shape[1]]


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
    chains = Chains.from_voters(codes_of_matrix(H))
    voters = RunningSums.over(chains)
    y, sums = rng.choice([-1.0, 1.0], m), np.empty(40, np.int64)
    assert is_long(len(voters.listed), chains.codes) == nested
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
        n, total = int(voters.state[1]), signed.sum()
        write_sums_by_code(signed, total, chains.codes, chains.first, sums)
        np.testing.assert_array_equal(sums, signed @ H.astype(np.int64))
        _, usual, listed, spans, running, *_ = voters
        write_sums(signed, total, usual, listed, n, spans, running, sums)
        np.testing.assert_array_equal(sums, signed @ H.astype(np.int64))
        assert (voters.state[0] == 1.0) == is_new
        n_listed.append(int(voters.state[1]))
    assert n_listed[0] == n_listed[1] == len(voters.listed)
    assert n_listed[2] == n_listed[3] < 0.5 * n_listed[0]


classifiers = arrays(np.float64, (6, 9), elements=signs)
real_voters = arrays(np.float64, (5, 6), elements=st.sampled_from([-1.0, -0.5, 0.0, 0.5, 1.0]))
six_labels = arrays(np.float64, 6, elements=signs)


@given(st.one_of(real_voters, classifiers))
def test_voters_merge_into_the_first_exactly_when_equal_up_to_sign(H: np.ndarray) -> None:
    kept = reduce_problem(H, np.ones(len(H))).representatives
    columns = [min(tuple(c + 0.0), tuple(-c + 0.0)) for c in H.T]
    assert kept.tolist() == sorted(columns.index(column) for column in {*columns})


@given(classifiers, six_labels, st.integers(0, 2**32 - 1))
def test_gram_and_correlations_are_those_of_the_plain_problem(
    H: np.ndarray, y: np.ndarray, seed: int
) -> None:
    samples = np.random.default_rng(seed).integers(0, 3, (4, 6)).astype(float)
    samples[:, 0] += 1
    reduced = reduce_problem(H, y, samples)
    grams, mus = reduced.grams, reduced.correlations
    kept = reduced.representatives
    for s, gram, mu in zip(samples, grams, mus, strict=True):
        rows = np.repeat(np.arange(6), s.astype(int))
        plain = H[rows][:, kept]
        np.testing.assert_allclose(gram, plain.T @ plain / len(rows), atol=1e-15)
        np.testing.assert_allclose(mu, plain.T @ y[rows] / len(rows), atol=1e-15)


def plain_grams(problem: VotingProblem) -> np.ndarray:
    """Return G = HᵀH/m of every sample by a product in double precision each."""
    return np.stack([(problem.H.T * c) @ problem.H / c.sum() for c in problem.counts])


FOLDS = np.vstack([np.arange(400) % 5 != f for f in range(5)] + [np.ones(400)]).astype(float)


def test_grams_of_classifiers_are_exact_to_the_bit() -> None:
    rng, copies = np.random.default_rng(0), np.random.default_rng(5).integers(0, 4, (3, 400)) * 1.0
    H, y = rng.choice([-1.0, 1.0], (400, 30)), rng.choice([-1.0, 1.0], 400)
    # Folds, one sample, a fifth each, copies, and too many copies for single precision.
    for samples in (FOLDS, FOLDS[:1], 1.0 - FOLDS[:5], copies, copies * 2.0**20):
        problem = reduce_problem(H, y, samples)
        assert problem.grams.dtype == np.float64
        assert problem.grams.tobytes() == plain_grams(problem).tobytes()
    shares = reduce_problem(H, y, (copies + 1) / 7)
    np.testing.assert_allclose(shares.grams, plain_grams(shares), rtol=1e-12, atol=1e-15)
    # Gram matrices of real voters do not depend on the other samples.
    H = rng.uniform(-1, 1, (400, 30))
    together = reduce_problem(H, y, FOLDS)
    assert together.grams.tobytes() == plain_grams(together).tobytes()
    for sample, gram in zip(FOLDS, together.grams, strict=True):
        assert reduce_problem(H, y, sample[None]).grams[0].tobytes() == gram.tobytes()


def test_expanded_weights_stand_at_the_representatives_of_voters_that_may_be_left_unmerged() -> (
    None
):
    H = np.array([[1.0, 1.0, -1.0], [-1.0, -1.0, -1.0]])
    reduced = reduce_problem(H, np.array([1.0, -1.0]))
    assert reduced.expand(np.array([2.0, 3.0])).tolist() == [2.0, 0.0, 3.0]
    reduced = reduce_problem(np.ones((3, 4)), np.ones(3), merge_voters=False)
    assert (reduced.H.shape, reduced.counts.tolist()) == ((1, 4), [[3]])
    # Sums above single precision stay exact.
    problem = reduce_problem(H[:, 1:], np.array([1.0, -1.0]), np.array([[2.0**24 + 1, 2.0]]))
    off_diagonal = -(2.0**24 - 1) / (2.0**24 + 3)
    assert problem.grams[0].tolist() == [[1.0, off_diagonal], [off_diagonal, 1.0]]


@pytest.mark.parametrize("value", [1.5, np.nan])
def test_voters_outside_their_range_are_refused(value: float) -> None:
    with pytest.raises(ValueError, match=r"values in \[-1, 1\]"):
        reduce_problem(np.full((2, 1), value), np.ones(2))
