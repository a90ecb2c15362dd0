from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from quadrepro.base.types import FloatArray
from quadrepro.core.learners.mincq import MinCq
from quadrepro.core.learners.programs.program import (
    RESIDUAL,
    STEPS,
    ProgramSolution,
    ProximalSystem,
    SolverError,
    best_guess,
    feasible,
    infeasible,
    kkt_residual,
    mu_limit,
    require_optimal,
)
from quadrepro.core.voters.reduction import reduce_problem


@pytest.mark.parametrize(
    ("primal", "dual", "gap"), [(3.0, 2.0, 0.5), (0.3, 0.2, 0.1), (-3.0, -4.0, 0.25)]
)
def test_the_gap_is_relative_to_the_dual_objective_but_never_magnified(
    primal: float, dual: float, gap: float
) -> None:
    assert ProgramSolution(np.ones(1), primal, dual, "Optimal").gap == pytest.approx(gap)


@pytest.mark.parametrize("residual", [2 * RESIDUAL, float("inf"), float("nan")])
def test_a_large_residual_or_none_is_an_error_that_names_the_program(residual: float) -> None:
    with pytest.raises(
        SolverError, match=r"^The program ended with a KKT residual of .*, above 1e-08$"
    ):
        require_optimal(residual, "The program ended")


@pytest.mark.parametrize("residual", [0.0, RESIDUAL])
def test_a_small_residual_is_no_error(residual: float) -> None:
    require_optimal(residual, "The program ended")


@pytest.mark.parametrize("largest", [0.3, 1 / 3, 1e-3])
def test_the_largest_mean_margin_itself_is_feasible_rounding_included(largest: float) -> None:
    assert feasible(largest, largest)
    assert feasible(np.nextafter(largest, 1.0), largest)
    assert feasible(largest / 2, largest)
    assert not feasible(largest * (1 + 1e-9), largest)


@pytest.mark.parametrize(
    ("largest", "shown"), [(0.37599, "0.375"), (0.5, "0.5"), (0.0123499, "0.0123"), (1.0, "1")]
)
def test_the_limit_is_rounded_down_to_three_digits(largest: float, shown: str) -> None:
    assert mu_limit(np.array([largest])) == f"mu can be at most {shown}"


def test_the_limit_of_several_samples_is_the_smallest_and_says_so() -> None:
    said = mu_limit(np.array([0.5, 0.25, 0.3]))
    assert said == "mu can be at most 0.25 on the smallest of these samples"


def test_without_a_voter_that_is_right_more_or_less_often_no_mean_margin_is_feasible() -> None:
    assert "no mu above 0 is feasible" in mu_limit(np.array([0.2, 0.0]))


def test_the_error_names_the_mean_margin_and_the_limit_of_the_algorithm() -> None:
    problem = reduce_problem(np.array([[1.0, 1.0], [1.0, -1.0]]), np.ones(2), merge_voters=False)
    error = infeasible(MinCq(), 0.75, problem)
    assert str(error) == "no vote has a mean margin of mu = 0.75: mu can be at most 0.5"


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
