from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quadrepro.core.learners.learner import Part, TrainingData
from quadrepro.core.learners.voting import FixedStumps
from quadrepro.core.voters.random_stumps import StumpCoding, StumpVote
from quadrepro.core.voters.stumps import Stumps
from quadrepro.proof.solution import DrawnVote, Grid16, MatrixVote, StumpMatrix

seeds = st.integers(0, 2**32 - 1)


def examples(seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    # Whole numbers lie on thresholds now and then, and one attribute is constant.
    return np.column_stack([rng.integers(0, 12, (30, 2)), rng.normal(size=30), np.ones(30)])


def data(X: np.ndarray, voters: FixedStumps) -> TrainingData:
    part = Part(X, np.ones(len(X)))
    return TrainingData(part, part, None, voters, lambda name: np.random.default_rng(5))


@given(seeds)
def test_stumps_are_those_of_the_transformer(seed: int) -> None:
    X, new = examples(seed), examples(seed + 1)
    voters = FixedStumps(3)
    stumps = StumpMatrix.of(data(X, voters), voters)
    np.testing.assert_array_equal(stumps.outputs(new), Stumps(3).fit(X).transform(new))


def test_drawn_voters_are_among_those_that_vary() -> None:
    X, voters = examples(0), FixedStumps(3, 4)
    found = StumpMatrix.of(data(X, voters), voters)
    trainer_H = Stumps(3).fit(X).transform(X)[:, found.chosen]
    np.testing.assert_array_equal(found.outputs(X), trainer_H)
    assert (trainer_H.min(axis=0) < trainer_H.max(axis=0)).all()


@given(seeds)
def test_codes_are_those_of_the_coding(seed: int) -> None:
    X, new = examples(seed), examples(seed + 1)
    np.testing.assert_array_equal(Grid16.of(X).codes(new), StumpCoding.fit(X).transform(new))


@given(seeds)
def test_sums_are_those_of_the_votes(seed: int) -> None:
    rng, X = np.random.default_rng(seed), examples(seed)
    stumps = rng.integers(0, 4, 9), rng.integers(0, 65535, 9), rng.normal(size=9)
    vote = DrawnVote(Grid16.of(X), *stumps)
    plain = StumpVote(stumps[0], stumps[1].astype(np.uint16), stumps[2])
    codes = StumpCoding.fit(X).transform(X)
    np.testing.assert_allclose(vote.sums(X).astype(float), plain.sums(codes), atol=1e-14)
    assert float(vote.total) == pytest.approx(np.abs(stumps[2]).sum())
    voters = FixedStumps(2)
    matrix, weights = StumpMatrix.of(data(X, voters), voters), rng.normal(size=8)
    fixed = MatrixVote(matrix, weights.astype(np.longdouble))
    expected = matrix.outputs(X) @ weights
    np.testing.assert_allclose(fixed.sums(X).astype(float), expected, atol=1e-14)
