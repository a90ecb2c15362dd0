"""Compiled and plain weighted trees have the same bits."""

from __future__ import annotations

import numpy as np
import pytest

from quadrepro.base.types import FloatArray
from quadrepro.core import compiling
from quadrepro.core.learners.gradient.weighted_trees import WeightedTreeFitter
from tests.core.learners.gradient.test_trees_compiled import SIZES, features
from tests.loops import set_compiled

pytestmark = pytest.mark.skipif(not compiling.enabled(), reason="numba is not installed")


def everything(
    X: FloatArray, targets: FloatArray, weights: FloatArray, size: dict[str, int], share: float
) -> list[bytes]:
    fitter = WeightedTreeFitter(X, np.ones(len(X)), **size, least_share=share)
    trees, leaves = fitter.grow(targets, weights / weights.mean())
    parts = trees.parents, trees.features, trees.thresholds, trees.values, leaves
    return [part.tobytes() for part in parts] + [str(part.shape).encode() for part in parts]


@pytest.mark.parametrize("size", SIZES, ids=str)
@pytest.mark.parametrize("m", [1, 2, 3, 17, 60])
def test_trees_have_the_same_bits(
    m: int, size: dict[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    for seed in range(4):
        rng = np.random.default_rng(seed)
        X = features(rng, m)
        codes = rng.integers(0, 3, m)
        numbers = rng.normal(size=(2, 3, m)) * 10.0 ** rng.integers(-3, 3, (2, 3, 1))
        of_classes = np.tile((codes == np.arange(3)[:, None]).astype(np.float64), (2, 1, 1))
        odd = numbers.copy()
        odd[1, 2, m // 2] = np.nan
        weights = rng.exponential(size=(2, m)) ** rng.integers(1, 30)
        weights[:, rng.random(m) < 0.1] = 0.0
        weights[:, 0] = 1.0
        for targets in (numbers, of_classes, numbers[:, :1], odd):
            for share in (0.0, 0.1):
                set_compiled(monkeypatch, True)
                compiled = everything(X, targets, weights, size, share)
                set_compiled(monkeypatch, False)
                assert compiled == everything(X, targets, weights, size, share)
