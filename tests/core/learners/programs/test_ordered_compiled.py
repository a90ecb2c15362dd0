"""Compiled and plain factorisations have the same bits."""

from __future__ import annotations

import numpy as np
import pytest

from quadrepro.base.types import FloatArray
from quadrepro.core import compiling
from quadrepro.core.learners.programs.ordered import Cholesky
from tests.loops import set_compiled


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
