"""Equal voters and examples are merged without a change; sums of a matrix are its own."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from quadrepro.core.voters.reduction import VotingProblem, reduce_problem

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


MANY = np.random.default_rng(5)
FOLDS = np.vstack([np.arange(400) % 5 != f for f in range(5)] + [np.ones(400)]).astype(float)


@pytest.mark.parametrize(
    "samples",
    [
        FOLDS,
        FOLDS[:1],
        1.0 - FOLDS[:5],
        MANY.integers(0, 4, (3, 400)).astype(float),
        MANY.integers(0, 4, (3, 400)) * 2.0**20,
        MANY.integers(1, 4, (2, 400)) / 7,
    ],
    ids=["folds", "one sample", "fifths", "copies", "too many copies", "shares"],
)
def test_grams_of_classifiers_are_exact_to_the_bit(samples: np.ndarray) -> None:
    rng = np.random.default_rng(0)
    H, y = rng.choice([-1.0, 1.0], (400, 30)), rng.choice([-1.0, 1.0], 400)
    problem = reduce_problem(H, y, samples)
    grams, expected = problem.grams, plain_grams(problem)
    assert grams.dtype == np.float64
    if (samples == np.rint(samples)).all():
        assert grams.tobytes() == expected.tobytes()
    else:
        np.testing.assert_allclose(grams, expected, rtol=1e-12, atol=1e-15)


def test_classifiers_sums_above_single_precision_stay_exact() -> None:
    H = np.array([[1.0, 1.0], [1.0, -1.0]])
    problem = reduce_problem(H, np.array([1.0, -1.0]), np.array([[2.0**24 + 1, 2.0]]))
    off_diagonal = (2.0**24 - 1) / (2.0**24 + 3)
    assert problem.grams[0].tolist() == [[1.0, off_diagonal], [off_diagonal, 1.0]]


def test_grams_of_real_voters_do_not_depend_on_the_other_samples() -> None:
    rng = np.random.default_rng(0)
    H, y = rng.uniform(-1, 1, (400, 30)), rng.choice([-1.0, 1.0], 400)
    together = reduce_problem(H, y, FOLDS)
    assert together.grams.tobytes() == plain_grams(together).tobytes()
    for sample, gram in zip(FOLDS, together.grams, strict=True):
        assert reduce_problem(H, y, sample[None]).grams[0].tobytes() == gram.tobytes()


def test_expanded_weights_stand_at_the_representatives() -> None:
    H = np.array([[1.0, 1.0, -1.0], [-1.0, -1.0, -1.0]])
    reduced = reduce_problem(H, np.array([1.0, -1.0]))
    assert reduced.expand(np.array([2.0, 3.0])).tolist() == [2.0, 0.0, 3.0]


def test_voters_can_be_left_unmerged() -> None:
    reduced = reduce_problem(np.ones((3, 4)), np.ones(3), merge_voters=False)
    assert reduced.H.shape == (1, 4)
    assert reduced.counts.tolist() == [[3]]


@pytest.mark.parametrize("value", [1.5, np.nan])
def test_voters_outside_their_range_are_refused(value: float) -> None:
    with pytest.raises(ValueError, match=r"values in \[-1, 1\]"):
        reduce_problem(np.full((2, 1), value), np.ones(2))
