from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from quadrepro.base.types import FloatArray
from quadrepro.core.learners.programs.program import STEPS, ProximalSystem, best_guess, kkt_residual


def singular(seed: int, n: int = 6, rank: int = 3) -> FloatArray:
    factor = np.random.default_rng(seed).normal(size=(n, rank))
    return np.asarray(factor @ factor.T)


@pytest.mark.parametrize("seed", range(3))
def test_proximal_steps_end_at_the_solution_nearest_to_the_start(seed: int) -> None:
    matrix = singular(seed)
    rng = np.random.default_rng(seed)
    right, start = matrix @ rng.normal(size=6), rng.normal(size=6)
    system = ProximalSystem(matrix, 1e-9)
    x = start
    for _ in range(STEPS):
        x = x + system.solve(right - matrix @ x)
    nearest = start + np.linalg.pinv(matrix, rcond=1e-10) @ (right - matrix @ start)
    assert x == pytest.approx(nearest, abs=1e-5)
    assert matrix @ x == pytest.approx(right, abs=1e-12 * np.abs(matrix).max())


def test_a_system_solves_for_several_right_hand_sides_and_leaves_the_matrix_alone() -> None:
    matrix = singular(0, rank=6)
    before = matrix.copy()
    right = np.random.default_rng(1).normal(size=(6, 2))
    found = ProximalSystem(matrix, 0.5).solve(right)
    assert (matrix + 0.5 * np.eye(6)) @ found == pytest.approx(right)
    np.testing.assert_array_equal(matrix, before)


def test_a_matrix_that_stays_indefinite_is_an_error() -> None:
    with pytest.raises(np.linalg.LinAlgError):
        ProximalSystem(np.diag([1.0, -1.0]), 1e-9)


@pytest.mark.parametrize("seed", range(5))
def test_the_residual_is_zero_at_the_optimum_alone(seed: int) -> None:
    # f(x) = |x - target|²/2 is least over the box at the clipped target.
    rng = np.random.default_rng(seed)
    low, high, target = np.full(8, -1.0), np.full(8, 2.0), rng.normal(0, 3, 8)
    optimum = np.clip(target, low, high)
    assert kkt_residual(optimum, optimum - (optimum - target), low, high, 1.0) == 0.0
    other = rng.uniform(low, high)
    assert kkt_residual(other, other - (other - target), low, high, 1.0) > 0.1


@pytest.mark.parametrize("seed", range(5))
def test_the_residual_is_the_largest_of_the_smaller_sides_of_complementarity(seed: int) -> None:
    rng = np.random.default_rng(seed)
    low, high, scale = -rng.random(20), rng.random(20), 3.0
    x, slope = rng.uniform(low, high), rng.normal(0, 0.1, 20)
    sides = np.where(
        slope > 0,
        np.minimum(slope, (x - low) / scale),
        np.minimum(-slope, (high - x) / scale),
    )
    found = kkt_residual(x, x - scale * slope, low, high, scale)
    assert found == pytest.approx(sides.max())


def made(points: list[float], asked: list[float]) -> Iterator[float]:
    for point in points:
        asked.append(point)
        yield point


def test_the_first_guess_is_always_made_and_none_after_one_that_is_good_enough() -> None:
    asked: list[float] = []
    assert best_guess(0.1, made([3.0, 2.0], asked), abs, 0.5) == (0.1, 0.1)
    assert asked == [3.0]
    asked.clear()
    assert best_guess(9.0, made([3.0, -0.5, 0.1], asked), abs, 0.5) == (-0.5, 0.5)
    assert asked == [3.0, -0.5]


def test_the_best_guess_wins_and_the_first_of_equals() -> None:
    assert best_guess(9.0, [-4.0, 3.0, -3.0, 5.0], abs, 0.0) == (3.0, 3.0)
    assert best_guess(3.0, [-3.0, 4.0], abs, 0.0) == (3.0, 3.0)
    assert best_guess(3.0, [], abs, 0.0) == (3.0, 3.0)
