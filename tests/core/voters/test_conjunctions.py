from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quadrepro import (
    CBBoostClassifier,
    Conjunctions,
    CqBoostClassifier,
    QuadBoostClassifier,
    Stumps,
)
from quadrepro.base.types import FloatArray
from quadrepro.core.estimators.streaming import MomentClassifier
from quadrepro.core.voters.bits import pack
from quadrepro.core.voters.conjunctions import Tallies

Pair = tuple[FloatArray, FloatArray]


def problem(seed: int, m: int = 90, n: int = 5) -> Pair:
    """Return examples with ties, and labels that need two attributes."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 6, (m, n)).astype(np.float64)
    y = np.where((X[:, 0] > 2) & (X[:, 1] > 2) | (rng.random(m) < 0.2), 1.0, -1.0)
    return X, y


def chosen(X: FloatArray, y: FloatArray, per_attribute: int, n_best: int) -> list[int]:
    """Return the paired stumps, by numpy's correlation of every stump."""
    H = Stumps(per_attribute).fit_transform(X)
    size = [
        0.0 if np.ptp(h) == 0 or np.ptp(y) == 0 else round(abs(np.corrcoef(h, y)[0, 1]), 12)
        for h in H.T
    ]
    of_attribute = np.reshape(size, (X.shape[1], per_attribute))
    first = [(-row.max(), a, int(row.argmax())) for a, row in enumerate(of_attribute)]
    return sorted(a * per_attribute + i for _, a, i in sorted(first)[:n_best])


@given(st.integers(0, 10**6), st.integers(1, 4), st.integers(2, 6))
def test_the_best_stump_of_each_attribute_by_correlation_is_paired(
    seed: int, per_attribute: int, n_best: int
) -> None:
    X, y = problem(seed, m=40)
    assert Conjunctions(per_attribute, n_best).fit(X, y).best_.tolist() == chosen(
        X, y, per_attribute, n_best
    )


def test_a_conjunction_is_positive_where_both_are() -> None:
    X, y = problem(0)
    voters = Conjunctions(3, 4).fit(X, y)
    H = voters.transform(X)
    stumps = Stumps(3).fit_transform(X)
    expected = [*stumps.T]
    for i, j in combinations(voters.best_, 2):
        for a in (1, -1):
            expected += [
                np.where((a * stumps[:, i] > 0) & (b * stumps[:, j] > 0), 1.0, -1.0)
                for b in (1, -1)
            ]
    np.testing.assert_array_equal(H, np.column_stack(expected))
    assert H.shape[1] == voters.n_voters == 15 + 4 * 6


@pytest.mark.parametrize("m", [1, 63, 64, 65, 200])
def test_bits_are_the_columns_of_the_voter_matrix(m: int) -> None:
    X, y = problem(1, 200)
    voters = Conjunctions(3, 4).fit(X, y)
    np.testing.assert_array_equal(voters.pack(X[:m]), pack(voters.transform(X[:m]).T > 0))


def test_tallies_of_parts_add_up_to_those_of_the_whole() -> None:
    X, y = problem(3)
    stumps = Stumps(3).fit(X)
    H = stumps.transform(X)
    whole = Tallies.of(X, y, stumps)
    for found in (whole, Tallies.of(X[60:], y[60:], stumps) + Tallies.of(X[:60], y[:60], stumps)):
        np.testing.assert_array_equal(found.agreements, H.T @ y)
        np.testing.assert_array_equal(found.totals, H.sum(axis=0))
        assert (found.balance, found.n_examples) == (y.sum(), 90)


@pytest.mark.parametrize(
    "vote",
    [
        QuadBoostClassifier("l1", lam=0.02),
        QuadBoostClassifier("linf", n_rounds=30),
        CBBoostClassifier(15),
        CqBoostClassifier(0.05),
    ],
    ids=repr,
)
def test_a_stream_gives_the_weights_of_memory_and_of_the_voter_matrix(
    vote: MomentClassifier,
) -> None:
    X, y = problem(4)
    vote.set_params(voters=Conjunctions(3, 4))
    streamed = vote.fit_stream(lambda: ((X[a::4], y[a::4]) for a in (2, 0, 3, 1))).voter_weights_
    assert vote.fit(X, y).voter_weights_.tobytes() == streamed.tobytes()
    H = Conjunctions(3, 4).fit(X, y).transform(X)
    vote.set_params(voters="precomputed")
    assert vote.fit(H, y).voter_weights_.tobytes() == streamed.tobytes()


def test_conjunctions_chosen_on_a_first_chunk_are_kept_for_further_ones() -> None:
    X, y = problem(6)
    vote = QuadBoostClassifier(n_rounds=20, voters=Conjunctions(3, 4))
    vote.partial_fit(X[:50], y[:50]).partial_fit(X[50:], y[50:])
    fixed = Conjunctions(3, 4).fit(X[:50], y[:50])
    again = QuadBoostClassifier(n_rounds=20, voters=fixed).fit_stream(lambda: iter([(X, y)]))
    assert vote.voter_weights_.tobytes() == again.voter_weights_.tobytes()


def test_what_cannot_be_chosen_is_refused() -> None:
    X, y = problem(7)
    with pytest.raises(ValueError, match="requires y to be passed"):
        Conjunctions().fit(X)
    with pytest.raises(ValueError, match="n_best must be at least 2, not 1"):
        Conjunctions(n_best=1).fit(X, y)
    with pytest.raises(ValueError, match="per_attribute must be at least 1"):
        Conjunctions(0).fit(X, y)


@pytest.mark.parametrize("seed", range(5))
def test_pairs_are_chosen_by_weighted_correlations(seed: int) -> None:
    X, y = problem(seed)
    weights = np.random.default_rng(seed).integers(1, 6, len(X))
    found = Conjunctions(4, 3).fit(X, y, sample_weight=weights)
    assert found.best_.tolist() == chosen(X.repeat(weights, axis=0), y.repeat(weights), 4, 3)
    scaled = Conjunctions(4, 3).fit(X, y, sample_weight=weights / 8)
    assert scaled.best_.tolist() == found.best_.tolist()


def test_a_conjunction_counts_half_for_each_of_its_attributes() -> None:
    X, y = problem(0)
    voters = Conjunctions(1, 2).fit(X[:, :3], y)
    a, b = voters.best_
    sizes = np.array([1.0, 2.0, 4.0, 8.0, 8.0, 8.0, 8.0])
    expected = sizes[:3].copy()
    expected[[a, b]] += 16.0
    assert voters.over_attributes(sizes).tolist() == expected.tolist()
