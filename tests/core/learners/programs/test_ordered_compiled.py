"""Compiled and plain factorisations have the same bits."""

from __future__ import annotations

import numpy as np
import pytest

from quadrepro.base.types import FloatArray
from quadrepro.core import compiling
from quadrepro.core.learners.programs.ordered import (
    Cholesky,
    GrowingCholesky,
    ordered_sum,
    weighted_sum,
)
from tests.loops import SIZES, drawn, set_compiled


def positive_definite(n: int, kind: str) -> FloatArray:
    rng = np.random.default_rng(n)
    rows = rng.normal(size=(n + 3, n))
    if kind == "ties":
        rows = np.sign(rows)
        rows[:, n // 2 :] = rows[:, : n - n // 2]
    if kind == "scales":
        rows *= 10.0 ** rng.integers(-4, 4, n)
    return np.asarray(rows.T @ rows + 1e-6 * np.eye(n))


@pytest.mark.skipif(not compiling.enabled(), reason="numba is not installed")
@pytest.mark.parametrize("n", [1, 2, 8, 13, 70, 330])
@pytest.mark.parametrize("kind", ["plain", "ties", "scales"])
def test_compiled_and_plain_bits_are_equal(n, kind, monkeypatch):
    matrix = positive_definite(n, kind)
    right = np.random.default_rng(1).normal(size=n)
    compiled = Cholesky(matrix)
    solution = compiled.solve(right)
    set_compiled(monkeypatch, False)
    plain = Cholesky(matrix)
    assert np.triu(compiled.upper).tobytes() == np.triu(plain.upper).tobytes()
    assert solution.tobytes() == plain.solve(right).tobytes()


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("last", [0.0, -1.0, np.nan])
@pytest.mark.parametrize("n", [1, 4, 6])
def test_a_pivot_that_is_not_positive_is_found(compiled, last, n, monkeypatch):
    set_compiled(monkeypatch, compiled)
    matrix = np.eye(n)
    matrix[-1, -1] = last
    with pytest.raises(np.linalg.LinAlgError, match="not positive definite"):
        Cholesky(matrix)


compiled = pytest.mark.skipif(not compiling.enabled(), reason="numba is not installed")

SHIFT = 1e-9


@compiled
@pytest.mark.parametrize("n", SIZES)
def test_products_of_vectors(n: int) -> None:
    from quadrepro.core.learners.programs import ordered_compiled

    a, b = drawn(0, 2, n)
    for other in (b, -np.zeros(n)):
        assert (
            np.array(ordered_compiled.dot(a, other)).tobytes()
            == np.array(ordered_sum(a * other)).tobytes()
        )


@compiled
@pytest.mark.parametrize("n", SIZES)
def test_rows_that_come_and_go(n: int) -> None:
    from quadrepro.core.learners.programs import ordered_compiled

    rng = np.random.default_rng(n)
    A = rng.choice([-1.0, 1.0], (n, 2 * n))
    # Some of the rows depend on others.
    A[1::5] = A[: len(A[1::5])]
    K, plain = A @ A.T / n, GrowingCholesky()
    plain.reserve(n)
    upper, lower = plain.upper.copy(), plain.lower.copy()

    def same_bytes() -> None:
        for ours, theirs in ((np.triu(upper), np.triu(plain.upper)), (lower, plain.lower)):
            leading = slice(0, plain.n)
            assert ours[leading, leading].tobytes() == theirs[leading, leading].tobytes()

    order: list[int] = []
    for row in range(n):
        column, diagonal = K[row, order], K[row, row]
        ordered_compiled.append(upper, lower, plain.n, column, diagonal, SHIFT)
        plain.append(column, diagonal, SHIFT)
        order.append(row)
        same_bytes()
    for place in (0, n // 2, n - 3):
        if 0 <= place < plain.n:
            ordered_compiled.remove(upper, lower, plain.n, place)
            plain.remove(place)
            same_bytes()


@pytest.mark.skipif(not compiling.enabled(), reason="numba is not installed")
@pytest.mark.parametrize(("m", "n"), [(300, 40), (40, 300), (1, 5), (5, 1), (200, 1), (0, 3)])
@pytest.mark.parametrize("whole", [False, True])
def test_compiled_and_plain_sums_have_equal_bits(m, n, whole, monkeypatch):
    rng = np.random.default_rng(m)
    weights, rows = rng.normal(size=m) * 10.0 ** rng.integers(-9, 9, m), rng.normal(size=(m, n))
    rows = np.sign(rows) if whole else rows
    weights[::3] *= 0.0  # among them -0.0
    compiled = weighted_sum(weights, rows)
    set_compiled(monkeypatch, False)
    assert compiled.tobytes() == weighted_sum(weights, rows).tobytes()
