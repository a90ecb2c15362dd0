"""Compiled and plain trees have the same bits."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from quadrepro.base.types import FloatArray
from quadrepro.core import compiling
from quadrepro.core.learners.gradient.steps import follow
from quadrepro.core.learners.gradient.trees import TreeFitter
from quadrepro.core.learners.greedy.loop import Step
from tests.loops import set_compiled

pytestmark = pytest.mark.skipif(not compiling.enabled(), reason="numba is not installed")

SIZES: list[dict[str, int]] = [{"cuts": 1}, {"cuts": 4}, {"cuts": 40}, {"depth": 3}, {"depth": 30}]


def features(rng: np.random.Generator, m: int) -> FloatArray:
    """Draw columns without ties, with ties, mostly 0, constant, equal and mirrored."""
    plain, few = rng.normal(size=(m, 2)), rng.integers(0, 3, (m, 1))
    sparse = np.where(rng.random((m, 2)) < 0.7, 0.0, rng.normal(size=(m, 2)))
    columns = np.hstack([plain, few, sparse, np.full((m, 1), 0.1), plain[:, :1], -sparse[:, :1]])
    return columns[:, rng.permutation(8)[: rng.integers(1, 9)]]


def targets(rng: np.random.Generator, m: int) -> FloatArray:
    """Draw targets without ties, with ties, tiny, huge, of very different size and constant."""
    plain = rng.normal(size=(6, m))
    few = rng.integers(-2, 3, (3, m)).astype(float)
    wide = rng.normal(size=(2, m)) * 10.0 ** rng.uniform(-12, 3, (2, m))
    scales = np.array([[1.0], [1.0], [1e-160], [1e-310], [1e154], [1e300]])
    return np.concatenate([scales * plain, few, wide, np.full((1, m), 1e9 / 3), np.zeros((1, m))])


def everything(X: FloatArray, y: FloatArray, new: FloatArray, size: dict[str, Any]) -> list[bytes]:
    trees, leaves = TreeFitter(X, **size).fit(y)
    ends = trees.leaves(new)
    scores = np.linspace(-1, 1, ends.size).reshape(ends.shape)
    weights = np.linspace(-2, 3, len(y))
    follow(scores, trees, ends, Step(np.zeros(len(y), np.intp), weights, None, weights / 7))
    follow(scores, trees, ends, Step(np.zeros(len(y), np.intp), weights, None))
    parts = trees.parents, trees.features, trees.thresholds, trees.values
    return [part.tobytes() for part in (*parts, leaves, trees.answers(leaves), ends, scores)]


def same(
    monkeypatch: pytest.MonkeyPatch, X: FloatArray, y: FloatArray, new: FloatArray, size: Any
) -> bool:
    set_compiled(monkeypatch, True)
    compiled = everything(X, y, new, size)
    set_compiled(monkeypatch, False)
    return compiled == everything(X, y, new, size)


@pytest.mark.parametrize("size", [*SIZES, {"cuts": 4, "least_share": 0.1}], ids=str)
@pytest.mark.parametrize("m", [1, 2, 3, 5, 17, 60, 129])
def test_trees_have_the_same_bits(
    m: int, size: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    for seed in range(6):
        rng = np.random.default_rng(seed)
        X = features(rng, m)
        new = rng.choice(X.ravel(), (X.shape[1], 30))
        assert same(monkeypatch, X, targets(rng, m), new, size)


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_one_tree_and_trees_of_targets_that_overflowed_have_the_same_bits(
    size: dict[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(1)
    X = features(rng, 40)
    y = rng.normal(size=(1, 40))
    assert same(monkeypatch, X, y, X.T, size)
    odd = np.concatenate([y, y, y])
    odd[0, 3], odd[2, 5] = np.inf, np.nan
    assert same(monkeypatch, X, odd, X.T, size)


def test_arrays_that_cannot_be_written_to_are_followed(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(2)
    X, y = features(rng, 20), rng.normal(size=(2, 20))
    X.flags.writeable = y.flags.writeable = False
    trees, _ = TreeFitter(X, 3).fit(y)
    for part in (trees.parents, trees.features, trees.thresholds, trees.values):
        part.flags.writeable = False
    leaves = trees.leaves(np.asfortranarray(X).T)
    answers = trees.answers(leaves)
    set_compiled(monkeypatch, False)
    assert (trees.answers(trees.leaves(X.T)) == answers).all()
