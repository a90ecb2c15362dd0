"""Compiled and plain loops give the same bytes."""

from __future__ import annotations

import numpy as np
import pytest

from quadrepro.base.types import FloatArray
from quadrepro.core import compiling
from quadrepro.core.learners.programs.ordered import GrowingCholesky, ordered_sum

compiled = pytest.mark.skipif(not compiling.enabled(), reason="numba is not installed")

SHIFT = 1e-9

SIZES = [1, 2, 7, 8, 9, 64, 131]


def drawn(seed: int, *shape: int) -> FloatArray:
    """Return numbers of all sizes, zeros of both signs among them."""
    rng = np.random.default_rng(seed)
    numbers = rng.normal(size=shape) * 10.0 ** rng.integers(-6, 6, shape)
    return np.where(rng.random(shape) < 0.1, np.copysign(0.0, numbers), numbers)


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
