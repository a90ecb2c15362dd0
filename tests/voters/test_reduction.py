from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from quadrepro.voters.reduction import reduce_problem

voters = arrays(np.float64, (6, 9), elements=st.sampled_from([-1.0, 1.0]))
real_voters = arrays(np.float64, (5, 6), elements=st.sampled_from([-1.0, -0.5, 0.0, 0.5, 1.0]))
labels = arrays(np.float64, 6, elements=st.sampled_from([-1.0, 1.0]))


@given(voters, labels)
def test_representatives_are_the_lowest_index_of_their_class(H: np.ndarray, y: np.ndarray) -> None:
    kept = reduce_problem(H, y).representatives
    for j in range(H.shape[1]):
        equal = [
            i for i in range(j + 1) if (H[:, i] == H[:, j]).all() or (H[:, i] == -H[:, j]).all()
        ]
        assert (j in kept) == (equal == [j])


@given(real_voters)
def test_real_voters_merge_exactly_when_equal_up_to_sign(H: np.ndarray) -> None:
    kept = reduce_problem(H, np.ones(5)).representatives
    distinct = {min(tuple(c + 0.0), tuple(-c + 0.0)) for c in H.T}
    assert len(kept) == len(distinct)
    assert kept.tolist() == sorted(kept)


@given(voters, labels, st.integers(0, 2**32 - 1))
def test_gram_and_correlations_are_those_of_the_plain_problem(
    H: np.ndarray, y: np.ndarray, seed: int
) -> None:
    samples = np.random.default_rng(seed).integers(0, 3, (4, 6)).astype(float)
    samples[:, 0] += 1
    reduced = reduce_problem(H, y, samples)
    grams, mus = reduced.grams(), reduced.correlations()
    kept = reduced.representatives
    for s, gram, mu in zip(samples, grams, mus, strict=True):
        rows = np.repeat(np.arange(6), s.astype(int))
        plain = H[rows][:, kept]
        np.testing.assert_allclose(gram, plain.T @ plain / len(rows), atol=1e-15)
        np.testing.assert_allclose(mu, plain.T @ y[rows] / len(rows), atol=1e-15)


def test_expanded_weights_stand_at_the_representatives() -> None:
    H = np.array([[1.0, 1.0, -1.0], [-1.0, -1.0, -1.0]])
    reduced = reduce_problem(H, np.array([1.0, -1.0]))
    assert reduced.expand(np.array([2.0, 3.0])).tolist() == [2.0, 0.0, 3.0]


def test_voters_can_be_left_unmerged() -> None:
    reduced = reduce_problem(np.ones((3, 4)), np.ones(3), merge_voters=False)
    assert reduced.H.shape == (1, 4)
    assert reduced.counts.tolist() == [[3]]


@pytest.mark.parametrize(
    ("H", "y", "samples", "message"),
    [
        (np.ones((2, 1)), np.array([0.0, 1.0]), None, "labels must be -1 or"),
        (np.full((2, 1), 1.5), np.ones(2), None, r"values in \[-1, 1\]"),
        (np.full((2, 1), np.nan), np.ones(2), None, r"values in \[-1, 1\]"),
        (np.ones((2, 0)), np.ones(2), None, "has no voter"),
        (np.ones((2, 1)), np.ones(2), np.zeros((1, 2)), "holds no example"),
    ],
)
def test_impossible_problems_are_refused(
    H: np.ndarray, y: np.ndarray, samples: np.ndarray | None, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        reduce_problem(H, y, samples)
