"""Drawn stumps compare codes as thresholds compare values, and come alike from equal seeds."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from quadrepro.base.types import FloatArray
from quadrepro.core.holdout import HoldoutStumps
from quadrepro.core.voters.drawn import (
    ROUNDS_AT_ONCE,
    ROWS_AT_ONCE,
    STEPS,
    RandomStumps,
    StumpVote,
    coded,
)

Data = tuple[FloatArray, FloatArray]


@pytest.fixture
def data() -> Data:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(40, 3)) * [1, 100, 0]
    return X, np.where(X[:, 0] + rng.normal(size=40) > 0, 1.0, -1.0)


@pytest.fixture
def make(data: Data) -> Callable[..., RandomStumps]:
    codes = coded(data[0], data[0])

    def source(seed: int = 0, **options: object) -> RandomStumps:
        rule = HoldoutStumps.model_validate({"per_round": 50, **options})
        return RandomStumps(codes, np.random.default_rng(seed), rule)

    return source


def outputs(source: RandomStumps, data: Data) -> FloatArray:
    """Return this round's candidates on the training examples, shape (n_voters, n_examples)."""
    X, _ = data
    low, high = X.min(axis=0), X.max(axis=0)
    a, cut = source.attributes, source.cuts.astype(float)
    thresholds = low[a] + cut / STEPS * (high - low)[a]
    return np.where(X.T[a] > thresholds[:, None], 1.0, -1.0) * source.turns[:, None]


@given(arrays(np.float64, (7, 1), elements=st.floats(-1e6, 1e6)), st.integers(0, STEPS - 1))
def test_a_code_exceeds_a_cut_where_the_value_exceeds_the_threshold(
    X: FloatArray, cut: int
) -> None:
    codes = coded(X, X)[0]
    assert not (codes > cut)[X[:, 0] == X.min()].any()
    if X.max() > X.min():
        assert (codes > cut)[X[:, 0] == X.max()].all()
    order = np.argsort(X[:, 0], kind="stable")
    assert (np.diff(codes[order].astype(int)) >= 0).all()
    # Values outside of the training range are as its ends.
    codes = coded(np.array([[-5.0], [0.5], [9.0]]), np.array([[0.0], [1.0]]))
    assert codes.tolist() == [[0, 32768, STEPS]]


def test_every_example_is_coded_as_if_it_were_alone() -> None:
    X = np.random.default_rng(0).normal(size=(2 * ROWS_AT_ONCE + 3, 4))
    codes = coded(X, X[:50])
    alone = np.hstack([coded(X[i : i + 1], X[:50]) for i in range(len(X))])
    np.testing.assert_array_equal(codes, alone)
    assert codes.flags.c_contiguous


@pytest.mark.parametrize("thresholds", ["uniform", "data", "deviation"])
@pytest.mark.parametrize("polarity", ["both", "random"])
def test_sums_are_those_of_the_stumps(
    make: Callable[..., RandomStumps], data: Data, thresholds: str, polarity: str
) -> None:
    source = make(thresholds=thresholds, polarity=polarity)
    units = np.random.default_rng(2).integers(-(2**40), 2**40, (3, 40))
    for t in (1, 2, 3):
        source.begin(t)
        H = outputs(source, data).T.astype(np.int64)
        np.testing.assert_array_equal(source.sums(units), units @ H)
    assert source.complements == (polarity == "both")
    assert set(source.turns) == ({1.0} if polarity == "both" else {-1.0, 1.0})


def test_equal_seeds_give_equal_stumps_and_rounds_give_others_if_they_redraw(
    make: Callable[..., RandomStumps],
) -> None:
    one, two, other, fixed = make(), make(), make(seed=1), make(redraw=False)
    seen, first = set(), set()
    for t in range(1, 2 * ROUNDS_AT_ONCE + 2):
        for source in (one, two, other, fixed):
            source.begin(t)
        np.testing.assert_array_equal(one.cuts, two.cuts)
        np.testing.assert_array_equal(one.attributes, two.attributes)
        assert not np.array_equal(one.cuts, other.cuts)
        seen.add(one.cuts.tobytes())
        first.add(fixed.cuts.tobytes())
    assert (len(seen), len(first)) == (2 * ROUNDS_AT_ONCE + 1, 1)


def test_thresholds_are_uniform_or_the_values_of_examples_as_asked_for(
    make: Callable[..., RandomStumps], data: Data
) -> None:
    source = make(per_round=20_000)
    source.begin(1)
    shares = source.cuts / STEPS
    assert abs(shares.mean() - 0.5) < 4 / np.sqrt(12 * 20_000)
    assert np.bincount(source.attributes, minlength=3).min() > 6000
    source = make(thresholds="data")
    source.begin(1)
    codes = coded(data[0], data[0])
    assert all(cut in codes[a] for a, cut in zip(source.attributes, source.cuts, strict=True))
    source = make(thresholds="deviation", deviations=0.5)
    source.begin(1)
    middle, reach = codes.mean(axis=1)[source.attributes], codes.std(axis=1)[source.attributes]
    assert (np.abs(source.cuts - middle) <= 0.5 * reach + 1).all()


def test_a_vote_sums_its_stumps(data: Data) -> None:
    codes = coded(data[0], data[0])
    vote = StumpVote(
        np.array([0, 1, 0]), np.array([30000, 0, 65000], np.uint16), np.array([0.5, -2.0, 1.0])
    )
    np.testing.assert_allclose(vote.outputs(codes) @ vote.weights, vote.sums(codes))
    assert set(np.unique(vote.outputs(codes))) == {-1.0, 1.0}
