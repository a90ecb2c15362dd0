from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quadrepro import Stumps
from quadrepro.base.types import FloatArray
from quadrepro.core.voters import bits
from quadrepro.core.voters.moments import VoterMoments, stump_problem
from quadrepro.core.voters.reduction import reduce_problem

Data = tuple[FloatArray, FloatArray, Stumps]


def data(m: int = 150, seed: int = 0) -> Data:
    """Return examples with equal, opposite and constant attributes, labels and stumps."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 6, (m, 5)).astype(float)
    X[:, 2], X[:, 3], X[:, 4] = X[:, 1], -X[:, 1], 1.0
    return X, rng.choice([-1.0, 1.0], m), Stumps(4).fit(X)


def assert_same(a: VoterMoments, b: VoterMoments) -> None:
    assert a.n_examples == b.n_examples
    np.testing.assert_array_equal(a.products, b.products)
    np.testing.assert_array_equal(a.agreements, b.agreements)


@pytest.mark.parametrize("m", [1, 64, 100, 257])
def test_sums_are_those_of_the_voter_matrix(m: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bits, "BLOCK", 64)
    X, y, stumps = data(m)
    H = stumps.transform(X).astype(np.int64)
    found = VoterMoments.of(X, y, stumps)
    assert found.products.dtype == found.agreements.dtype == np.int64
    np.testing.assert_array_equal(found.products, H.T @ H)
    np.testing.assert_array_equal(found.agreements, H.T @ y.astype(np.int64))
    assert found.n_examples == m


@given(st.lists(st.integers(0, 150), max_size=6), st.randoms())
def test_chunks_add_up_to_the_whole_in_any_order(cuts: list[int], random: st.DataObject) -> None:
    X, y, stumps = data()
    chunks = np.split(np.arange(150), sorted(cuts))
    random.shuffle(chunks)
    parts = [VoterMoments.of(X[rows], y[rows], stumps) for rows in chunks]
    assert_same(sum(parts[1:], parts[0]), VoterMoments.of(X, y, stumps))


def test_the_sums_of_a_fold_can_be_taken_away() -> None:
    X, y, stumps = data()
    fold = np.arange(150) % 5 == 0
    rest = VoterMoments.of(X, y, stumps) - VoterMoments.of(X[fold], y[fold], stumps)
    assert_same(rest, VoterMoments.of(X[~fold], y[~fold], stumps))


@pytest.mark.parametrize("merge", [True, False])
@given(seed=st.integers(0, 2**32 - 1), m=st.integers(1, 12))
def test_the_problem_is_that_of_the_voter_matrix_to_the_bit(merge: bool, seed: int, m: int) -> None:
    X, y, stumps = data(m, seed)
    whole = stump_problem(X, y, stumps, merge_voters=merge)
    ours = VoterMoments.of(X, y, stumps).problem(merge_voters=merge)
    assert ours.representatives.tobytes() == whole.representatives.tobytes()
    assert_same(ours.moments, whole.moments)
    plain = reduce_problem(stumps.transform(X), y, merge_voters=merge)
    assert ours.representatives.tolist() == plain.representatives.tolist()
    assert (ours.n_samples, ours.n_voters) == (1, plain.n_voters)
    assert ours.grams().tobytes() == plain.grams().tobytes()
    assert ours.correlations().tobytes() == plain.correlations().tobytes()
    weights = np.arange(1.0, 1 + ours.n_voters)
    assert ours.expand(weights).tobytes() == plain.expand(weights).tobytes()


@pytest.mark.parametrize("m", [63, 64, 65, 200])
def test_stumps_that_differ_on_few_examples_of_any_block_are_not_merged(
    m: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bits, "BLOCK", 64)
    X, y, stumps = data(m)
    for row in (0, m // 2, m - 1):
        other = X.copy()
        other[row, 2] = 5.0 - other[row, 2]
        ours = stump_problem(other, y, stumps)
        plain = reduce_problem(stumps.transform(other), y)
        assert ours.representatives.tolist() == plain.representatives.tolist()
        assert ours.grams().tobytes() == plain.grams().tobytes()


def test_sums_too_large_for_single_precision_stay_exact() -> None:
    one = VoterMoments.of(
        np.array([[0.0], [3.0]]), np.array([-1.0, 1.0]), Stumps(2).fit([[0.0], [3.0]])
    )
    many = VoterMoments(one.products * 2**40, one.agreements * 2**40 - 1, 2**41)
    assert many.problem(merge_voters=False).correlations()[0, 0] == 1 - 2.0**-41


def test_no_example_makes_no_problem() -> None:
    X, y, stumps = data()
    with pytest.raises(ValueError, match="there are no examples"):
        VoterMoments.of(X[:0], y[:0], stumps).problem()


@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize("seed", range(5))
def test_weighted_sums_are_those_of_the_weighted_voter_matrix(
    seed: int, whole: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bits, "BLOCK", 64)
    X, y, stumps = data(100)
    rng = np.random.default_rng(seed)
    weights = rng.integers(1, 5, 100).astype(float) if whole else rng.uniform(0.1, 5, 100)
    found = VoterMoments.of(X, y, stumps, weights=weights)
    H = stumps.transform(X)
    np.testing.assert_allclose(found.products, (H.T * weights) @ H, rtol=1e-13, atol=1e-12)
    np.testing.assert_allclose(found.agreements, H.T @ (weights * y), rtol=1e-13, atol=1e-12)
    assert found.n_examples == pytest.approx(weights.sum())
    kept = found.problem().representatives
    assert kept.tolist() == VoterMoments.of(X, y, stumps).problem().representatives.tolist()
    if whole:
        n = weights.astype(int)
        assert_same(found, VoterMoments.of(X.repeat(n, axis=0), y.repeat(n), stumps))
