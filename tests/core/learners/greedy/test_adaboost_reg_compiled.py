"""The compiled line search takes the same steps, to the last bit, as the plain one."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from quadrepro.base.types import FloatArray
from quadrepro.core import compiling
from quadrepro.core.learners.adaboost_reg import SCAN, SLACK, StepLoss, exact_sums
from tests.loops import set_compiled

pytestmark = pytest.mark.skipif(not compiling.enabled(), reason="numba is not installed")

PRICES = np.array([0.0, 0.1, 3.0, 30.0, 300.0, 1e4, 1e6])


def random_loss(seed: int, m: int) -> StepLoss:
    """Return losses with examples that the samples lack, or have more than once."""
    rng = np.random.default_rng(seed)
    n = len(PRICES)
    counts = rng.integers(0, 3, (n, m)).astype(float)
    counts[:, 0] = 1.0
    w = rng.dirichlet(np.full(m, 0.3), n) * (counts > 0)
    means = rng.dirichlet(np.ones(m), n) * (counts > 0)
    right = np.where(rng.random((n, m)) < rng.uniform(0.2, 1), 1.0, -1.0)
    prices = rng.permutation(PRICES)[:, None]
    bends = prices * (w - means) ** 2 * (seed % 3 > 0)
    starts = np.log(
        w / w.max(axis=1, keepdims=True), where=counts > 0, out=np.full((n, m), -np.inf)
    )
    return StepLoss(starts, counts, right + prices * w**2, bends, rng.uniform(0, 20, n))


def minimisers(loss: StepLoss, monkeypatch: pytest.MonkeyPatch) -> tuple[FloatArray, FloatArray]:
    compiled = loss.minimiser()
    set_compiled(monkeypatch, False)
    return compiled, loss.minimiser()


@pytest.mark.parametrize("m", [1, 2, 9, 200])
@pytest.mark.parametrize("seed", range(12))
def test_compiled_and_plain_steps_are_equal(
    seed: int, m: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    compiled, plain = minimisers(random_loss(seed, m), monkeypatch)
    assert compiled.tobytes() == plain.tobytes()


CORNERS: dict[str, tuple[Any, ...]] = {
    "first round": ([0.0, -1.0], [1.0, -1.0], [0.5, 0.0], 0.0),
    "no edge": ([0.0, 0.0], [1.0, -1.0], [0.0, 0.0], 1.0),
    "against the edge": ([-1.0, 0.0], [1.0, -1.0], [0.0, 0.0], 1.0),
    "all right": ([-1.0, 0.0], [1.0, 1.0], [0.0, 0.0], 1.0),
    "all wrong": ([-1.0, 0.0], [-1.0, -1.0], [0.0, 0.0], 1.0),
    "flat": ([-1.0, 0.0], [0.0, 0.0], [0.0, 0.0], 1.0),
    "falls for ever": ([-1.0, 0.0], [1e5, 1e4], [1e5, 2e5], 1e-9),
    "no weight": ([-np.inf, 0.0, -1.0], [-1e3, 1.0, -1.0], [1e3, 0.0, 0.0], 5.0),
    "light, then heavy": ([-1e3, 0.0, -1.0], [-1.0, 1.0, 1.0], [1e3, 0.0, 0.0], 5.0),
}


@pytest.mark.parametrize("corner", CORNERS)
def test_they_are_equal_in_the_corners(corner: str, monkeypatch: pytest.MonkeyPatch) -> None:
    *parts, total = CORNERS[corner]
    starts, slopes, bends = (np.array([row]) for row in parts)
    loss = StepLoss(starts, np.ones_like(starts), slopes, bends, np.array([total]))
    compiled, plain = minimisers(loss, monkeypatch)
    assert np.isfinite(plain).all()
    assert compiled.tobytes() == plain.tobytes()


def test_of_steps_with_equal_losses_both_take_the_first() -> None:
    from quadrepro.core.learners.greedy.adaboost_reg_compiled import first

    ones, bits = np.ones((1, 2)), 50
    places = []
    for start in 0.01 * np.arange(40):
        # Steps of 0.02 and 0.04 have equal losses, and bounds that differ by rounding.
        starts = -start - np.array([[0.0, 3 * SCAN[10]]])
        loss = StepLoss(starts, ones, np.array([[1.0, -1.0]]), 0 * ones, np.ones(1))
        rows = starts[0], ones[0], loss.slopes[0], loss.bends[0]
        place = first(*rows, 1.0, bits, SCAN, SLACK, np.empty(len(SCAN)), np.empty(2))
        assert [place] == loss.first().tolist()
        losses = [loss.logarithms(SCAN[k : k + 1])[0] for k in (10, 11)]
        places += [place] if losses[0] == losses[1] else []
    assert len(places) > 3
    assert set(places) == {10}


@pytest.mark.parametrize("seed", range(40))
def test_no_bound_is_above_the_loss_and_the_first_step_is_the_best_of_all(seed: int) -> None:
    from quadrepro.core.learners.greedy.adaboost_reg_compiled import first, write_bounds

    loss, m = random_loss(seed, 12), 12
    for r in range(len(PRICES)):
        rows = loss.starts[r], loss.counts[r], loss.slopes[r], loss.bends[r], loss.total[r]
        of_row = StepLoss(*(part[None] for part in rows))
        losses = np.array([of_row.logarithms(np.array([a]))[0] for a in SCAN])
        bounds = np.empty(len(SCAN))
        write_bounds(*rows, SCAN, bounds)
        assert (bounds <= losses + 1e-9 * np.abs(losses)).all()
        bits = 52 - math.frexp(loss.counts[r].sum())[1]
        place = first(*rows, bits, SCAN, SLACK, bounds, np.empty(m))
        assert place == losses.argmin()


@pytest.mark.parametrize("low", [-310.0, -30.0, 0.0])
def test_compiled_and_plain_sums_are_equal(low: float) -> None:
    from quadrepro.core.learners.greedy.adaboost_reg_compiled import exact_sum

    rng = np.random.default_rng(0)
    counts = rng.integers(0, 9, 300).astype(float)
    terms = rng.normal(size=(5, 300)) * 10.0 ** rng.uniform(low, low + 20, (5, 300))
    terms[1] = 0.0
    terms[2, 3:] = 0.0
    bits = 52 - math.frexp(counts.sum())[1]
    ours = np.array([exact_sum(row, counts, bits) for row in terms])
    assert ours.tobytes() == exact_sums(terms, counts[None].repeat(5, axis=0)).tobytes()
