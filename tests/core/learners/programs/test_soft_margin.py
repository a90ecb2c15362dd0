from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from quadrepro.base.types import FloatArray
from quadrepro.core.learners.adaboost import AdaBoost
from quadrepro.core.learners.grid import Grid
from quadrepro.core.learners.programs.lp_reg import RegularizedLP
from quadrepro.core.learners.programs.qp_reg import RegularizedQP
from quadrepro.core.learners.programs.soft_margin import SoftMargin, first_picks

Problem = tuple[FloatArray, FloatArray]
GRIDS: dict[SoftMargin, Grid] = {
    RegularizedLP(n_rounds=40): Grid.of({"nu": [1.0, 0.7, 0.5, 0.3, 0.1]}),
    RegularizedQP(n_rounds=40): Grid.of({"C": [0.001, 0.01, 0.1, 1.0, 100.0]}),
}
both = pytest.mark.parametrize(("algorithm", "grid"), GRIDS.items(), ids=["LP", "QP"])


def values_of(grid: Grid) -> tuple[float, ...]:
    [(_, values)] = grid.axes
    return values


def objective(algorithm: SoftMargin, margins: FloatArray, a: FloatArray, value: float) -> float:
    """Return what the program minimises, from its definition."""
    z = margins @ a
    if isinstance(algorithm, RegularizedQP):
        return float(a @ a + value * np.maximum(0.0, 1.0 - z).sum())
    C = 1 / (value * len(z))
    return -max(float(rho - C * np.maximum(0.0, rho - z).sum()) for rho in z)


@both
def test_only_adaboosts_voters_have_weight_and_in_its_direction(
    make_problem: Callable[..., Problem], algorithm: SoftMargin, grid: Grid
) -> None:
    H, y = make_problem(m=80, n=30)
    vote = AdaBoost().path(H, y, Grid.of({"n_rounds": [40]}))[0]
    path = algorithm.path(H, y, grid)
    assert (vote < 0).any()
    assert (vote == 0).any()
    assert (path * np.sign(vote) >= 0).all()
    assert not path[:, vote == 0].any()
    assert path.any(axis=1).all()


@both
def test_a_path_has_the_weights_that_are_solved_for_oriented_voters(
    make_problem: Callable[..., Problem], algorithm: SoftMargin, grid: Grid
) -> None:
    H, y = make_problem(m=80, n=30)
    signs = np.sign(AdaBoost().path(H, y, Grid.of({"n_rounds": [40]}))[0])
    path = algorithm.path(H, y, grid)
    used = signs != 0
    again = algorithm.solve_weights(H[:, used] * signs[used], y, values_of(grid))
    margins = H * y[:, None]
    for ours, theirs, value in zip(path, again, values_of(grid), strict=True):
        assert objective(algorithm, margins, ours, value) == pytest.approx(
            objective(algorithm, margins[:, used] * signs[used], theirs, value), rel=1e-7
        )


@both
def test_samples_with_counts_are_repeated_examples(
    make_problem: Callable[..., Problem], algorithm: SoftMargin, grid: Grid
) -> None:
    H, y = make_problem(m=60, n=10)
    counts = np.random.default_rng(1).integers(0, 3, len(y))
    rows = np.repeat(np.arange(len(y)), counts)
    sampled = algorithm.path(H, y, grid, counts[None, :].astype(float))[0]
    repeated = algorithm.path(H[rows], y[rows], grid)
    margins = (H * y[:, None])[rows]
    for ours, theirs, value in zip(sampled, repeated, values_of(grid), strict=True):
        assert objective(algorithm, margins, ours, value) == pytest.approx(
            objective(algorithm, margins, theirs, value), rel=1e-7
        )


def test_of_equal_voters_the_first_has_lp_regs_weight(problem: Problem) -> None:
    H, y = problem
    [[algorithm, grid], _] = GRIDS.items()
    weights = algorithm.solve_weights(np.hstack([H, H]), y, values_of(grid))
    assert not weights[:, H.shape[1] :].any()
    np.testing.assert_array_equal(
        weights[:, : H.shape[1]], algorithm.solve_weights(H, y, values_of(grid))
    )


def test_equal_voters_share_qp_regs_weight_as_the_plain_program_has_it(problem: Problem) -> None:
    H, y = problem
    [_, [algorithm, grid]] = GRIDS.items()
    twice = np.hstack([H[:, 2:], H, H[:, :1]])
    weights = algorithm.solve_weights(twice, y, values_of(grid))
    margins = twice * y[:, None]
    np.testing.assert_allclose(
        weights, algorithm._solve_counted(margins, np.ones(len(y)), values_of(grid)), atol=1e-9
    )
    n = H.shape[1]
    np.testing.assert_array_equal(weights[:, : n - 2], weights[:, n : 2 * n - 2])
    np.testing.assert_array_equal(weights[:, n - 2], weights[:, -1])


def test_a_stump_that_is_picked_again_is_the_same_voter() -> None:
    attributes, cuts = np.array([1, 0, 1, 1, 0]), np.array([0.5, 0.5, 0.5, 0.2, 0.5])
    signs = np.array([1.0, 1.0, 1.0, 1.0, -1.0])
    assert first_picks(attributes, cuts, signs).tolist() == [0, 1, 3, 4]


@both
def test_where_adaboost_finds_no_voter_the_vote_is_empty(algorithm: SoftMargin, grid: Grid) -> None:
    H = np.array([[1.0], [1.0], [-1.0], [-1.0]])
    y = np.array([1.0, -1.0, 1.0, -1.0])
    assert not algorithm.path(H, y, grid).any()


@both
def test_the_number_of_rounds_must_be_positive(
    problem: Problem, algorithm: SoftMargin, grid: Grid
) -> None:
    with pytest.raises(ValueError, match="n_rounds must be positive"):
        type(algorithm)(n_rounds=0).path(*problem, grid)
