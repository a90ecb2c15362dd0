"""Compiled and plain sums, signs and votes of drawn stumps have the same bits."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from quadrepro.core.learners.greedy.loop import Step

from quadrepro.base.types import FloatArray
from quadrepro.core import compiling
from quadrepro.core.learners.adaboost import ValidationWatcher
from quadrepro.core.learners.grid import Stopping
from quadrepro.core.voters.drawn import RandomStumps, StumpCoding, StumpVote
from tests.loops import set_compiled

pytestmark = pytest.mark.skipif(not compiling.enabled(), reason="numba is not installed")


def problem_list() -> Iterator[Any]:
    rng = np.random.default_rng(0)
    for m, d in ((1, 1), (2, 3), (7, 2), (60, 4), (300, 5), (30, 90)):
        y = np.where(rng.random(m) < 0.5, 1.0, -1.0)
        yield pytest.param(rng.normal(size=(m, d)), y, id=f"{m} of {d}")
        yield pytest.param(np.rint(rng.normal(size=(m, d))), y, id=f"{m} of {d}, ties")
    X = np.repeat(rng.normal(size=(20, 1)), 3, axis=1)
    X[:, 1] = 4.0
    yield pytest.param(X, np.ones(20), id="a constant, one class")
    # Nearly all codes have the same first byte.
    yield pytest.param(np.append(1e6, np.arange(99.0))[:, None], np.ones(100), id="an outlier")


PROBLEMS = list(problem_list())
Bits = Callable[[Callable[[], object]], None]


@pytest.fixture
def same_bits(monkeypatch: pytest.MonkeyPatch) -> Bits:
    def compare(run: Callable[[], Any]) -> None:
        compiled = [part.tobytes() for part in run()]
        set_compiled(monkeypatch, False)
        plain = [part.tobytes() for part in run()]
        set_compiled(monkeypatch, True)
        assert compiled == plain

    return compare


def whole_weights(m: int, rows: int) -> FloatArray:
    rng = np.random.default_rng(m)
    units = np.floor(2.0**52 / m * rng.random((rows, m)) ** 8)
    units[0] = 0.0
    units[-1, 1:] = 0.0
    return units


@pytest.mark.parametrize(("X", "y"), PROBLEMS)
@pytest.mark.parametrize("polarity", ["both", "random"])
@pytest.mark.parametrize("thresholds", ["uniform", "data"])
def test_sums_and_signs(
    X: FloatArray, y: FloatArray, thresholds: str, polarity: str, same_bits: Bits
) -> None:
    codes = StumpCoding.fit(X).transform(X)
    options: dict[str, Any] = {"thresholds": thresholds, "polarity": polarity}
    units, picks = whole_weights(len(y), 4), np.array([16, 0, 16])

    def run() -> list[FloatArray]:
        source = RandomStumps(codes, y, np.random.default_rng(1), per_round=17, **options)
        parts = []
        for t in (1, 2, 3):
            source.begin(t)
            sums, signs = np.full((4, 17), np.nan), np.full((3, len(y)), np.nan)
            source.sums(units, sums)
            source.signs(picks, signs)
            parts += [sums, signs]
        return parts

    same_bits(run)


@pytest.mark.parametrize(("X", "y"), PROBLEMS)
def test_a_single_stump(X: FloatArray, y: FloatArray, same_bits: Bits) -> None:
    codes = StumpCoding.fit(X).transform(X)

    def run() -> list[FloatArray]:
        source = RandomStumps(codes, y, np.random.default_rng(5), per_round=1)
        source.begin(1)
        sums = np.full((1, 1), np.nan)
        source.sums(whole_weights(len(y), 1), sums)
        return [sums]

    same_bits(run)


@pytest.mark.parametrize(("X", "y"), PROBLEMS)
def test_votes_and_their_errors(X: FloatArray, y: FloatArray, same_bits: Bits) -> None:
    codes = StumpCoding.fit(X).transform(X)

    def run() -> list[Any]:
        rng = np.random.default_rng(2)
        source = RandomStumps(codes, y, rng, per_round=9, polarity="random")
        found = ValidationWatcher(source, codes, y, 4, Stopping(99))
        live, parts = np.arange(4), []
        for t in range(1, 30):
            source.begin(t)
            weights = rng.choice([0.1, 0.2, -0.3, 0.0, 1e-20], len(live))
            found.after(t, live, Step(rng.integers(0, 9, len(live)), weights, None), None)
            if t == 20:
                live = live[[0, 2]]
            parts += [
                found.best_errors.copy(),
                found.last_errors.copy(),
                found.best_round.copy(),
                found.last_round.copy(),
            ]
        return parts

    same_bits(run)


@pytest.mark.parametrize("n", [0, 1, 400])
def test_a_long_vote(n: int, same_bits: Bits) -> None:
    rng = np.random.default_rng(3)
    codes = rng.integers(0, 65536, (3, 21)).astype(np.uint16)
    cuts = codes[0, rng.integers(0, 21, n)]
    vote = StumpVote(
        rng.integers(0, 3, n), cuts, rng.normal(size=n) * 10.0 ** rng.uniform(-9, 3, n)
    )
    same_bits(lambda: [vote.sums(codes)])
