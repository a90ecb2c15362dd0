from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import LinearConstraint, minimize

from quadrepro.base.types import FloatArray
from quadrepro.core.learners.cqboost import CqBoostMaster, CqBoostSolution
from quadrepro.core.learners.programs.program import RESIDUAL, SolverError


def draw(seed: int, m: int = 50, n: int = 7, *, real: bool = False) -> FloatArray:
    """Return y h of random voters, half of them better than chance."""
    rng = np.random.default_rng(seed)
    right = rng.uniform(-1, 1, (m, n)) if real else rng.choice([-1.0, 1.0], (m, n))
    right[:, ::2] = np.where(rng.random(right[:, ::2].shape) < 0.4, 1.0, right[:, ::2])
    return right


def make(right: FloatArray, mu: float) -> CqBoostMaster:
    return CqBoostMaster(right.T @ right / len(right), right.mean(axis=0), mu)


def best_first(right: FloatArray) -> list[tuple[int, float]]:
    """Return every voter and complement, the one of largest margin first."""
    margins = right.mean(axis=0)
    best = int(np.abs(margins).argmax())
    first = (best, float(np.sign(margins[best])))
    both = [(j, s) for j in range(right.shape[1]) for s in (1.0, -1.0)]
    return [first, *(v for v in both if v != first)]


def solve_over(right: FloatArray, mu: float, added: list[tuple[int, float]]) -> CqBoostSolution:
    master = make(right, mu)
    for voter in added:
        master.add_voter(*voter)
    return master.solve()


def least_by_scipy(columns: FloatArray, mu: float) -> float:
    """Return the least mean squared margin over weights q of given columns y h, by SLSQP."""
    m, n = columns.shape
    gram, margins = columns.T @ columns / m, columns.mean(axis=0)
    result = minimize(
        lambda q: q @ gram @ q / mu**2,
        np.eye(n)[margins.argmax()],
        jac=lambda q: 2 * gram @ q / mu**2,
        method="SLSQP",
        bounds=[(0.0, None)] * n,
        constraints=[
            LinearConstraint(margins, mu, np.inf),
            LinearConstraint(np.ones(n), 1.0, 1.0),
        ],
        options={"ftol": 1e-12, "maxiter": 1000},
    )
    assert result.status in (0, 8)  # 8: no step lowers it any more
    return float(result.fun) * mu**2


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("share", [0.1, 0.5, 0.95])
@pytest.mark.parametrize("n_added", [2, 6, 14])
def test_the_optimum_is_that_of_a_general_solver(seed: int, share: float, n_added: int) -> None:
    right = draw(seed)
    mu = share * np.abs(right.mean(axis=0)).max()
    added = best_first(right)[:n_added]
    columns = np.column_stack([s * right[:, j] for j, s in added])
    solution = solve_over(right, mu, added)
    assert solution.primal == pytest.approx(least_by_scipy(columns, mu), rel=1e-6)


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    m=st.integers(1, 40),
    n=st.integers(1, 20),
    real=st.booleans(),
    share=st.sampled_from([0.01, 0.3, 0.7, 0.99, 1 - 1e-12, 1.0]),
)
def test_every_master_is_optimal_and_its_example_weights_give_its_edges(
    seed: int, m: int, n: int, real: bool, share: float
) -> None:
    right = draw(seed, m, n, real=real)
    mu = share * np.abs(right.mean(axis=0)).max()
    if mu < 1e-3:
        return
    master = make(right, mu)
    added = best_first(right)
    for t, voter in enumerate(added, 1):
        master.add_voter(*voter)
        solution = master.solve()
        columns = np.column_stack([s * right[:, j] for j, s in added[:t]])
        q, scale = solution.voter_weights, max(1.0, solution.beta)
        vote = columns @ q
        assert q.min() >= 0.0
        assert q.sum() == pytest.approx(1.0, abs=1e-9)
        assert vote.mean() >= mu - 1e-9
        assert solution.beta * (vote.mean() - mu) == pytest.approx(0.0, abs=1e-8)
        example_weights = (solution.beta - 2 * vote) / m
        edges = example_weights @ right
        assert solution.edges == pytest.approx(edges, abs=1e-9 * scale)
        of_added = example_weights @ columns
        assert of_added[q > 1e-9] == pytest.approx(solution.nu, abs=1e-8 * scale)
        assert of_added.max() <= solution.nu + 1e-8 * scale
        assert solution.primal == pytest.approx((vote**2).mean(), abs=1e-9 * scale)
        assert solution.dual == pytest.approx(solution.primal, abs=1e-8 * scale)
        assert solution.residual <= RESIDUAL
        weights = master.vote()
        assert right @ weights == pytest.approx(vote, abs=1e-9)


def test_over_the_first_voter_alone_the_mean_margin_has_no_price() -> None:
    right = draw(0)
    solution = solve_over(right, 0.01, best_first(right)[:1])
    assert solution.voter_weights == pytest.approx([1.0])
    assert solution.beta == 0.0
    assert solution.nu == pytest.approx(-2.0)
    assert solution.primal == pytest.approx(1.0)


def test_the_complement_of_a_single_voter_is_the_next_and_shrinks_the_vote_to_the_margin() -> None:
    right = draw(0)
    [first, *_] = best_first(right)
    alone = solve_over(right, 0.01, [first])
    assert alone.best == (first[0], -first[1])
    assert alone.excess == pytest.approx(4.0)
    master = make(right, 0.01)
    master.add_voter(*first)
    master.add_voter(*alone.best)
    solution = master.solve()
    assert solution.beta > 0
    assert right.mean(axis=0) @ master.vote() == pytest.approx(0.01)


@pytest.mark.parametrize("mu", [0.02, 0.2, 0.4])
def test_the_order_of_the_voters_and_warm_starts_do_not_matter(mu: float) -> None:
    right = draw(1, n=9)
    added = best_first(right)
    cold = solve_over(right, mu, added)
    warm = make(right, mu)
    left = False
    weights = np.zeros(0)
    for voter in [added[0], *reversed(added[1:])]:
        warm.add_voter(*voter)
        solution = warm.solve()
        left |= bool((solution.voter_weights[:-1][weights > 0] == 0).any())
        weights = solution.voter_weights
    assert left  # voters lost their weight on the way
    assert solution.primal == pytest.approx(cold.primal, rel=1e-10)
    assert solution.nu == pytest.approx(cold.nu, abs=1e-10)


@pytest.mark.parametrize("seed", range(8))
def test_of_several_optima_one_has_voters_that_do_not_depend_on_each_other(seed: int) -> None:
    rng = np.random.default_rng(seed)
    right = rng.choice([-1.0, 0.0, 1.0], (6, 15))
    right = np.hstack([right, right[:, :5], -right[:, 5:9], (right[:, :3] + right[:, 3:6]) / 2])
    mu = 0.3 * np.abs(right.mean(axis=0)).max()
    added = best_first(right)
    weights = solve_over(right, mu, added).voter_weights
    columns = np.array([[1.0, *(s * right[:, j])] for j, s in added]).T[:, weights > 0]
    assert np.linalg.matrix_rank(columns) == columns.shape[1]


def test_of_voters_with_the_same_edge_the_first_joins() -> None:
    right = draw(4)
    right[:, 5] = right[:, 3]
    voters = [*best_first(right)[:2], (5, 1.0), (3, 1.0), (5, -1.0), (3, -1.0)]
    weights = solve_over(right, 0.05, voters).voter_weights
    assert weights[3] + weights[5] > 0
    assert weights[2] == weights[4] == 0.0


def test_after_hundreds_of_voters_that_come_and_go_the_weights_have_twelve_digits() -> None:
    right, mu = draw(5, 400, 150), 0.2
    first, *others = best_first(right)
    master, added, left = make(right, mu), [first], 0
    master.add_voter(*first)
    weights = master.solve().voter_weights
    for i in np.random.default_rng(0).permutation(len(others)):
        master.add_voter(*others[i])
        added.append(others[i])
        before, weights = weights, master.solve().voter_weights
        left += int((weights[:-1][before > 0] == 0).sum())
    assert left > 50
    columns = np.column_stack([s * right[:, j] for j, s in added])[:, weights > 0]
    rows = np.stack([np.ones(columns.shape[1]), columns.mean(axis=0)])
    system = np.block([[columns.T @ columns / 400 + 1.0, rows.T], [rows, np.zeros((2, 2))]])
    target = np.concatenate([np.zeros(columns.shape[1]), [1.0, mu]])
    exact = np.linalg.solve(system, target)
    exact += np.linalg.solve(system, target - system @ exact)
    assert weights[weights > 0] == pytest.approx(exact[:-2], abs=1e-12)


def test_programs_over_voters_that_nearly_depend_on_each_other_have_an_optimum() -> None:
    for seed in range(150):
        rng = np.random.default_rng(seed)
        right = rng.choice([-1.0, 1.0], (int(rng.integers(2, 12)), int(rng.integers(1, 6))))
        noise = 10.0 ** -rng.integers(3, 9) * rng.uniform(-1, 1, right.shape)
        right = np.hstack([right, np.clip(right + noise, -1, 1)])
        share = rng.choice([0.01, 0.5, 0.9, 1 - 1e-12, 1.0, 1 + 5e-13, 1 + 9e-13])
        mu = share * np.abs(right.mean(axis=0)).max()
        if mu < 1e-3:
            continue
        first, *others = best_first(right)
        master = make(right, mu)
        for voter in [first, *(others[i] for i in rng.permutation(len(others)))]:
            master.add_voter(*voter)
            assert master.solve().residual <= RESIDUAL


def test_when_every_voter_was_added_no_edge_is_left() -> None:
    right = draw(2)
    assert solve_over(right, 0.1, best_first(right)).excess == 0.0


def test_a_first_voter_without_the_mean_margin_is_an_error_that_names_it() -> None:
    master = make(draw(3), 0.99)
    master.add_voter(0, 1.0)
    with pytest.raises(SolverError, match=r"at mu = 0.99 over 1 voters ended with a KKT residual"):
        master.solve()


def test_weights_that_do_not_sum_to_one_are_refused() -> None:
    # Without products, every edge is 0 whatever the weights are.
    master = CqBoostMaster(np.zeros((1, 1)), np.array([0.5]), 0.5)
    master.add_voter(0, 1.0)
    master._q *= 1 + 1e-7
    with pytest.raises(SolverError, match="KKT residual of 1e-07"):
        master.solve()


def test_a_price_of_a_mean_margin_that_is_above_its_bound_is_refused() -> None:
    master = make(draw(3), 0.1)
    master.add_voter(*best_first(draw(3))[0])
    master._beta = 1e-6
    with pytest.raises(SolverError, match="KKT residual"):
        master.solve()


@pytest.mark.parametrize("gap", [0.3, 1e-7])
def test_an_edge_that_is_above_the_others_by_rounding_alone_is_no_excess(gap: float) -> None:
    # A small gap between the margins makes beta large, and with it the rounding of the edges.
    rng = np.random.default_rng(0)
    right = rng.uniform(-1, 1, (60, 8))
    right += np.where(np.arange(8) == 0, 0.4, 0.4 - gap) - right.mean(axis=0)
    # The average of two voters has the average of their edges.
    right = np.hstack([right, (right[:, :7] + right[:, 1:]) / 2, right[:, :1] / 2])
    added = [(j, s) for j in range(8) for s in (1.0, -1.0)]
    solution = solve_over(right, 0.4 - gap / 2, added)
    assert solution.excess == 0.0
    assert solution.beta > 0.1 / gap


def test_of_voters_whose_edges_differ_by_rounding_the_first_is_the_best() -> None:
    small = 2e-13
    products = np.array([[0.5, -0.6, -0.6 - small], [-0.6, 1.0, 0.9], [-0.6 - small, 0.9, 1.0]])
    master = CqBoostMaster(products, np.array([0.5, 0.3, 0.3]), 0.2)
    master.add_voter(0, 1.0)
    solution = master.solve()
    assert solution.edges[2] > solution.edges[1]
    assert solution.best == (1, 1.0)
    master.generate(0.0, 2)
    assert master.vote()[1] > 0.0
