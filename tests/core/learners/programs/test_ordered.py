from __future__ import annotations

import hashlib

import numpy as np
import pytest

from quadrepro.core.learners.programs.ordered import Cholesky, ordered_sum, weighted_sum
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
