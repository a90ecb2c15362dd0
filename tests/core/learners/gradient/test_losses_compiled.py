"""Compiled and plain line searches of the logistic loss have the same bits."""

from __future__ import annotations

import numpy as np
import pytest

from quadrepro.base.types import FloatArray
from quadrepro.core import compiling
from quadrepro.core.learners.gradient.losses import LogisticLoss
from tests.loops import set_compiled

pytestmark = pytest.mark.skipif(not compiling.enabled(), reason="numba is not installed")


@pytest.mark.parametrize("m", [1, 2, 7, 8, 9, 64, 301])
@pytest.mark.parametrize("scale", [1e-90, 1e-3, 1.0, 30.0, 1e3, 1e5])
def test_steps_have_the_same_bits(m: int, scale: float, monkeypatch: pytest.MonkeyPatch) -> None:
    for seed in range(5):
        rng = np.random.default_rng(seed)
        n, n_leaves = int(rng.integers(1, 9)), int(rng.integers(1, 7))
        scores = scale * rng.normal(size=(n, m))
        leaves = rng.integers(0, n_leaves, (n, m)).astype(np.int32)
        values = rng.normal(size=(n, n_leaves)) * 10.0 ** rng.uniform(-120, 3, (n, 1))
        answers = np.take_along_axis(values, leaves, axis=1)
        y = rng.choice([-1.0, 1.0], m)

        def search() -> FloatArray:
            return LogisticLoss().search(scores, answers, leaves, y)  # noqa: B023

        set_compiled(monkeypatch, True)
        compiled = search()
        set_compiled(monkeypatch, False)
        assert compiled.tobytes() == search().tobytes()


def test_a_loss_without_a_minimum_has_the_same_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    y = np.array([1.0, -1.0, 1.0])
    answers = np.stack([y, -y, 0 * y, [1.0, 1.0, 1e-9]])
    leaves = np.broadcast_to(np.arange(3, dtype=np.int32), answers.shape)
    compiled = LogisticLoss().search(np.zeros((4, 3)), answers, leaves, y)
    set_compiled(monkeypatch, False)
    plain = LogisticLoss().search(np.zeros((4, 3)), answers, leaves, y)
    assert compiled.tobytes() == plain.tobytes()
    assert compiled.tolist()[:3] == [30.0, -30.0, 0.0]
