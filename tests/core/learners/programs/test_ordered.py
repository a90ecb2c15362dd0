from __future__ import annotations

import hashlib

import numpy as np
import pytest

from quadrepro.base.types import FloatArray
from quadrepro.core.learners.programs.ordered import (
    ROOM,
    Cholesky,
    GrowingCholesky,
    ordered_sum,
    weighted_sum,
)
from tests.loops import set_compiled

both = pytest.mark.parametrize("compiled", [False, True])


def test_a_sum_adds_one_entry_after_the_other() -> None:
    # 1e16 + 1 is 1e16, but 1 + 1 + ... + 1e16 is not.
    ones = np.ones(1000)
    assert ordered_sum(np.append(1e16, ones)) == 1e16
    assert ordered_sum(np.append(ones, 1e16)) == 1e16 + 1000
    assert ordered_sum(np.zeros(0)) == 0.0


@both
def test_a_weighted_sum_adds_one_row_after_the_other(
    compiled: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_compiled(monkeypatch, compiled)
    weights = np.append(1e16, np.ones(1000))
    rows = np.ones((1001, 3))
    assert weighted_sum(weights, rows).tolist() == [1e16] * 3
    assert weighted_sum(weights[::-1], rows).tolist() == [1e16 + 1000] * 3
    assert weighted_sum(weights[:2], np.asfortranarray(rows[:2]) * 2).tolist() == [2e16 + 2] * 3


@both
@pytest.mark.parametrize("seed", range(3))
def test_systems_are_solved_and_matrices_left_alone(
    compiled: bool, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_compiled(monkeypatch, compiled)
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(30, 21))
    matrix, right = rows.T @ rows, rng.normal(size=(21, 3))
    before = matrix.copy(), right.copy()
    factor = Cholesky(matrix)
    assert factor.solve(right) == pytest.approx(np.linalg.solve(matrix, right), rel=1e-8)
    assert factor.solve(right[:, 1]).tobytes() == factor.solve(right)[:, 1].tobytes()
    np.testing.assert_array_equal(matrix, before[0])
    np.testing.assert_array_equal(right, before[1])


@both
def test_the_upper_triangle_alone_is_read(compiled: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    set_compiled(monkeypatch, compiled)
    matrix = np.full((9, 9), 0.5) + np.eye(9)
    upper = np.triu(matrix) + np.tril(np.full((9, 9), np.nan), -1)
    ones = np.ones(9)
    assert Cholesky(upper).solve(ones).tobytes() == Cholesky(matrix).solve(ones).tobytes()


def test_the_bits_are_the_same_on_every_processor() -> None:
    x = np.arange(1.0, 41.0)
    rows = 1.0 / (x[:, None] + x[:25])
    matrix = np.stack([weighted_sum(row, rows) for row in rows.T]) + 1e-3 * np.eye(25)
    solution = Cholesky(matrix).solve(1.0 / x[:25])
    digest = hashlib.sha256(solution.tobytes() + matrix.tobytes()).hexdigest()
    assert digest == "e761116f7c7de5907183083d0f6e047358edc02ac7c2908250514cfc3d3a15fd"


def draw(seed: int, n: int) -> FloatArray:
    """Return a positive definite matrix."""
    A = np.random.default_rng(seed).normal(size=(2 * n, n))
    return A.T @ A / n


def grow(factor: GrowingCholesky, K: FloatArray, order: list[int]) -> None:
    """Append the last row of an order to the factor of the rows before it."""
    *others, last = order
    factor.append(K[last, others], K[last, last], 1e-9)


def assert_solves(factor: GrowingCholesky, K: FloatArray, order: list[int]) -> None:
    part = K[np.ix_(order, order)]
    rights = np.random.default_rng(1).normal(size=(3, len(order)))
    halves = factor.forward(rights)
    np.testing.assert_allclose(halves @ halves.T, rights @ np.linalg.solve(part, rights.T))
    np.testing.assert_allclose(factor.backward(halves[2]), np.linalg.solve(part, rights[2]))


@pytest.mark.parametrize("seed", range(5))
def test_rows_come_and_go_and_the_systems_stay_those_of_the_matrix(seed: int) -> None:
    rng = np.random.default_rng(seed)
    K = draw(seed, 12)
    factor, order = GrowingCholesky(), list[int]()
    for _ in range(60):
        absent = sorted(set(range(12)) - set(order))
        if absent and (not order or rng.random() < 0.6):
            order.append(int(rng.choice(absent)))
            grow(factor, K, order)
        else:
            position = int(rng.integers(len(order)))
            factor.remove(position)
            del order[position]
        if order:
            assert_solves(factor, K, order)


def test_it_makes_room_for_more_rows() -> None:
    n = 2 * ROOM + 3
    K = draw(0, n)
    factor = GrowingCholesky()
    for last in range(n):
        grow(factor, K, list(range(last + 1)))
    assert_solves(factor, K, list(range(n)))
    factor.remove(5)
    assert_solves(factor, K, [i for i in range(n) if i != 5])


def test_right_sides_and_columns_are_left_as_they_are() -> None:
    factor = GrowingCholesky()
    column, right = np.array([1.0]), np.array([1.0, 2.0])
    factor.append(np.zeros(0), 4.0, 0.0)
    factor.append(column, 4.0, 0.0)
    factor.forward(right[None])
    factor.backward(right)
    assert (column.tolist(), right.tolist()) == ([1.0], [1.0, 2.0])


@pytest.mark.parametrize(
    ("diagonal", "shifted"),
    [(1.0, 1.25), (0.5, 1.25), (1.2, 1.45), (1.25, 1.25), (3.0, 3.0)],
    ids=["dependent", "beyond by rounding", "nearly dependent", "at the limit", "independent"],
)
def test_only_a_column_that_nearly_depends_on_the_others_is_shifted(
    diagonal: float, shifted: float
) -> None:
    factor = GrowingCholesky()
    factor.append(np.zeros(0), 4.0, 0.25)
    factor.append(np.array([2.0]), diagonal, 0.25)
    [half] = factor.forward(np.ones((1, 2)))
    expected = np.linalg.solve([[4.0, 2.0], [2.0, shifted]], [1.0, 1.0])
    assert factor.backward(half) == pytest.approx(expected, rel=1e-12)
