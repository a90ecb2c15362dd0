"""Compiled and plain loops give the same bytes, alone and in a whole run."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from types import ModuleType

import numpy as np
import pytest

from quadrepro._typing import FloatArray
from quadrepro.kernels import compiling
from quadrepro.learners.programs import cqboost_loops as plain
from quadrepro.learners.programs.cqboost import generate_columns

compiled = pytest.mark.skipif(not compiling.enabled(), reason="numba is not installed")

SIZES = [1, 2, 7, 8, 9, 64, 131]


def drawn(seed: int, *shape: int) -> FloatArray:
    """Return numbers of all sizes, zeros of both signs among them."""
    rng = np.random.default_rng(seed)
    numbers = rng.normal(size=shape) * 10.0 ** rng.integers(-6, 6, shape)
    return np.where(rng.random(shape) < 0.1, np.copysign(0.0, numbers), numbers)


def factor(seed: int, n: int) -> FloatArray:
    """Return a matrix with room to spare around an upper triangular one."""
    return drawn(seed, n + 3, n + 3) + np.diag(np.random.default_rng(seed).uniform(1, 2, n + 3))


def same_bytes(run: Callable[[ModuleType], FloatArray]) -> None:
    from quadrepro.kernels import cqboost

    assert run(cqboost).tobytes() == run(plain).tobytes()


@compiled
@pytest.mark.parametrize("n", SIZES)
def test_products_of_vectors(n: int) -> None:
    a, b = drawn(0, 2, n)
    same_bytes(lambda loops: np.array(loops.dot(a, b)))
    same_bytes(lambda loops: np.array(loops.dot(a, -np.zeros(n))))


@compiled
@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("rows", [0, 1, 2, 9])
def test_weighted_sums_of_rows(n: int, rows: int) -> None:
    matrix, weights = drawn(0, 10, n), drawn(1, rows)
    chosen = np.random.default_rng(0).permutation(10)[:rows]

    def run(loops: ModuleType) -> FloatArray:
        total = drawn(2, n)
        loops.add_rows(weights, chosen, matrix, total)
        return total

    same_bytes(run)


@compiled
@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize(
    ("name", "sides"), [("backward", ()), ("forward", (1,)), ("forward", (3,))]
)
def test_triangular_systems(n: int, name: str, sides: tuple[int, ...]) -> None:
    def run(loops: ModuleType) -> FloatArray:
        x = drawn(1, *sides, n)
        getattr(loops, name)(factor(0, n), x)
        return x

    same_bytes(run)


@compiled
@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("place", ["first", "middle", "last"])
def test_rotations_after_a_column_is_deleted(n: int, place: str) -> None:
    position = {"first": 0, "middle": n // 2, "last": n - 1}[place]

    def run(loops: ModuleType) -> FloatArray:
        R = factor(0, n)
        loops.remove(R, n, position)
        return np.triu(R[: n - 1, : n - 1])

    same_bytes(run)


def right(kind: str, seed: int) -> FloatArray:
    """Return y h of random voters."""
    rng = np.random.default_rng(seed)
    if kind == "one example":
        return rng.choice([-1.0, 1.0], (1, 6))
    if kind == "one voter":
        return np.where(rng.random((9, 1)) < 0.8, 1.0, -1.0)
    if kind == "real":
        return rng.uniform(-1, 1, (40, 30))
    signs = np.where(rng.random((60, 90)) < 0.55, 1.0, -1.0)
    signs[:, 5], signs[:, 6] = signs[:, 8], -signs[:, 9]
    return signs if kind == "dependent" else signs[:, :40]


@compiled
@pytest.mark.parametrize("kind", ["one example", "one voter", "real", "signs", "dependent"])
@pytest.mark.parametrize("share", [0.05, 0.6, 1.0])
def test_whole_runs(kind: str, share: float, monkeypatch: pytest.MonkeyPatch) -> None:
    columns = right(kind, 1)
    gram, margins = columns.T @ columns / len(columns), columns.mean(axis=0)
    mu = share * float(np.abs(margins).max())

    def run() -> list[bytes]:
        steps = list(generate_columns(gram, margins, mu))
        return [b"".join((w.tobytes(), s.edges.tobytes(), repr(s).encode())) for w, s in steps]

    found = run()
    monkeypatch.setenv(compiling.SWITCH, "0")
    assert run() == found


def test_the_bits_are_the_same_on_every_processor() -> None:
    columns = right("signs", 2)
    # Sums of whole numbers, which every BLAS gets right.
    gram, margins = columns.T @ columns / len(columns), columns.sum(axis=0) / len(columns)
    votes = [weights for weights, _ in generate_columns(gram, margins, 0.05)]
    assert len(votes) > 40
    digest = hashlib.sha256(np.concatenate(votes).tobytes()).hexdigest()
    assert digest == "9295fcff79f22388be19e3a55dfaea0a41b06f4dca63da20c153fe73929135ed"
