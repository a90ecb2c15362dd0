from __future__ import annotations

from collections.abc import Callable

import highspy
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import LinearConstraint, minimize

from quadrepro.base.types import FloatArray
from quadrepro.core.learners.programs import mincq
from quadrepro.core.learners.mincq import MinCqProgram
from quadrepro.core.learners.programs.program import RESIDUAL, ProximalSystem, SolverError

SHARES = [0.01, 0.3, 0.6, 0.9, 0.999, 1.0]


def draw(seed: int, m: int = 60, n: int = 8, *, real: bool = True) -> tuple[FloatArray, FloatArray]:
    """Return the Gram matrix and the margins of random voters, half of them better than chance."""
    rng = np.random.default_rng(seed)
    right = rng.uniform(-1, 1, (m, n)) if real else rng.choice([-1.0, 1.0], (m, n))
    right[:, ::2] = np.where(rng.random(right[:, ::2].shape) < 0.4, 1.0, right[:, ::2])
    return right.T @ right / m, right.mean(axis=0)


def by_highs(gram: FloatArray, margins: FloatArray, mu: float) -> FloatArray:
    """Return the optimal w by the active-set solver of HiGHS."""
    n = len(margins)
    rows, columns = np.tril_indices(n)
    order = np.lexsort((rows, columns))
    solver = highspy.Highs()
    solver.setOptionValue("output_flag", False)
    solver.addVars(n, np.full(n, -1 / n), np.full(n, 1 / n))
    solver.addRow(mu, mu, n, np.arange(n, dtype=np.int32), margins)
    starts = np.searchsorted(columns[order], np.arange(n)).astype(np.int32)
    hessian = highspy.HighsHessian()
    hessian.dim_ = n
    hessian.format_ = highspy.HessianFormat.kTriangular
    hessian.start_ = np.append(starts, len(rows)).astype(np.int32)
    hessian.index_ = rows[order].astype(np.int32)
    hessian.value_ = 2 * gram[rows, columns][order]
    solver.passHessian(hessian)
    solver.run()
    assert solver.getModelStatus() == highspy.HighsModelStatus.kOptimal
    return np.array(solver.getSolution().col_value)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("share", [0.05, 0.5, 0.9])
def test_the_weights_are_those_of_a_second_solver(seed: int, share: float) -> None:
    gram, margins = draw(seed)
    program = MinCqProgram(gram, margins)
    mu = share * program.largest_mu
    weights = program.solve(mu).voter_weights
    assert weights == pytest.approx(by_highs(gram, margins, mu), abs=1e-7)


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    m=st.integers(1, 40),
    n=st.integers(1, 30),
    real=st.booleans(),
    share=st.sampled_from(SHARES),
)
def test_every_solution_satisfies_the_kkt_conditions(
    seed: int, m: int, n: int, real: bool, share: float
) -> None:
    gram, margins = draw(seed, m, n, real=real)
    program = MinCqProgram(gram, margins)
    if program.largest_mu < 1e-3:
        return
    mu = share * program.largest_mu
    solution = program.solve(mu)
    w = solution.voter_weights
    assert np.abs(w).max() <= 1 / n * (1 + 1e-12)
    assert margins @ w == pytest.approx(mu, rel=1e-7)
    assert solution.primal == pytest.approx(w @ gram @ w / mu**2, rel=1e-9)
    assert solution.residual <= RESIDUAL
    # At the very end eta has no bound, and the gap is the residual times eta.
    if share < 0.99:
        assert solution.gap < 1e-6
    inside = np.abs(w) < (1 - 1e-6) / n
    slope = 2 * gram @ w / mu
    if np.abs(margins[inside]).max(initial=0.0) > 1e-2:
        # Stationarity inside the bounds gives eta; at a bound the slope pushes against it.
        known = np.flatnonzero(inside)[np.abs(margins[inside]).argmax()]
        eta = slope[known] / margins[known]
        push = eta * margins - slope
        assert push[inside] == pytest.approx(0.0, abs=1e-6 * eta)
        assert (push * np.sign(w))[~inside].min(initial=0.0) > -1e-6 * eta


def test_equal_voters_and_complements_have_equal_weights_within_a_bound_each() -> None:
    gram, margins = draw(1, n=6)
    copies, signs = np.array([0, 0, 1, 2, 2, 2, 3, 4, 5]), np.array([1, -1, 1, 1, 1, -1, -1, 1, 1])
    many = gram[np.ix_(copies, copies)] * np.outer(signs, signs)
    program = MinCqProgram(many, margins[copies] * signs)
    mu = 0.7 * program.largest_mu
    weights = program.solve(mu).voter_weights * signs
    for voter in range(6):
        assert np.ptp(weights[copies == voter]) == 0.0
    # What the copies share is bounded by all their bounds: the program over w, by scipy.
    bounds = np.bincount(copies) / len(copies)
    merged = minimize(
        lambda w: 100 * w @ gram @ w,
        np.zeros(6),
        jac=lambda w: 200 * gram @ w,
        method="SLSQP",
        bounds=list(zip(-bounds, bounds, strict=True)),
        constraints=LinearConstraint(margins, mu, mu),
        options={"ftol": 1e-14, "maxiter": 500},
    )
    assert np.bincount(copies, weights) == pytest.approx(merged.x, abs=1e-6)
    assert np.abs(weights).max() == pytest.approx(1 / 9)


def test_at_the_largest_mean_margin_all_weights_are_at_their_bound() -> None:
    gram, margins = draw(2, n=9)
    program = MinCqProgram(gram, margins)
    assert program.largest_mu == pytest.approx(np.abs(margins).mean())
    weights = program.solve(program.largest_mu).voter_weights
    assert weights == pytest.approx(np.sign(margins) / 9, abs=1e-9)


def test_without_bounds_in_the_way_the_weights_solve_a_linear_system() -> None:
    gram, margins = draw(3)
    direction = np.linalg.solve(gram, margins)
    mu = 1e-3
    weights = MinCqProgram(gram, margins).solve(mu).voter_weights
    assert weights == pytest.approx(mu * direction / (margins @ direction), rel=1e-9)


def test_a_mean_margin_that_no_vote_has_is_an_error_that_names_it() -> None:
    program = MinCqProgram(*draw(4))
    with pytest.raises(SolverError, match=r"at mu = 0.9 ended as .* with a KKT residual of"):
        program.solve(0.9)


def dependent(seed: int, m: int = 7, n: int = 20) -> tuple[FloatArray, FloatArray]:
    """Return more voters than examples, one of them three times and one negated."""
    rng = np.random.default_rng(seed)
    right = np.where(rng.random((m, n)) < 0.6, 1.0, -1.0)
    right = np.hstack([right, right[:, [0, 0]], -right[:, [1]]])
    return right.T @ right / m, right.mean(axis=0)


def least_norm(gram: FloatArray, w: FloatArray) -> float:
    """Return the least norm of a vote with the same outputs within the bounds, by scipy."""
    n = len(w)
    values, vectors = np.linalg.eigh(gram)
    rows = vectors[:, values > 1e-9].T
    result = minimize(
        lambda x: n * x @ x,
        w,
        jac=lambda x: 2 * n * x,
        method="SLSQP",
        bounds=[(-1 / n, 1 / n)] * n,
        constraints=LinearConstraint(rows, rows @ w, rows @ w),
        options={"ftol": 1e-15, "maxiter": 500},
    )
    return float(np.sqrt(result.x @ result.x))


@pytest.mark.parametrize("share", [0.05, 0.3, 0.6, 0.8])
def test_of_several_optima_the_one_of_least_norm_is_found(
    share: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    within = []
    plain = MinCqProgram._least_within
    monkeypatch.setattr(MinCqProgram, "_least_within", lambda *a: within.append(share) or plain(*a))
    for seed in range(6):
        gram, margins = dependent(seed)
        program = MinCqProgram(gram, margins)
        w = program.solve(share * program.largest_mu).voter_weights
        assert np.linalg.norm(w) == pytest.approx(least_norm(gram, w), rel=1e-6)
    # Where mu is small, no bound is in the way of the least norm.
    assert (len(within) > 0) == (share > 0.5)


@pytest.mark.parametrize("make", [draw, dependent])
@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize("seed", range(4))
def test_the_bits_of_the_weights_do_not_depend_on_where_the_solver_ended(
    make: Callable[[int], tuple[FloatArray, FloatArray]],
    share: float,
    seed: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    program = MinCqProgram(*make(seed))
    mu = share * program.largest_mu
    weights = program.solve(mu).voter_weights
    plain, rng = program._piqp, np.random.default_rng(seed)

    def elsewhere(bounds: FloatArray) -> tuple[FloatArray, float, str]:
        v, eta, word = plain(bounds)
        return np.clip(v + 1e-6 * rng.normal(size=len(v)), -bounds, bounds), eta + 1e-6, word

    monkeypatch.setattr(program, "_piqp", elsewhere)
    assert program.solve(mu).voter_weights.tobytes() == weights.tobytes()


def test_a_value_does_not_depend_on_those_before_it() -> None:
    gram, margins = dependent(0)
    program = MinCqProgram(gram, margins)
    for share in SHARES:
        mu = share * program.largest_mu
        alone = MinCqProgram(gram, margins).solve(mu).voter_weights
        assert program.solve(mu).voter_weights.tobytes() == alone.tobytes()


@pytest.mark.parametrize("size", [1e-9, 1e-7, 1e-6])
def test_a_solver_that_ends_short_of_the_optimum_does_no_harm(
    size: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    gram, margins = dependent(1)
    program = MinCqProgram(gram, margins)
    mu = 0.5 * program.largest_mu
    right, plain = program.solve(mu), program._piqp

    def short(bounds: FloatArray) -> tuple[FloatArray, float, str]:
        v, eta, word = plain(bounds)
        return np.clip(v + size * np.arange(len(v)) / len(v), -bounds, bounds), eta, word

    monkeypatch.setattr(program, "_piqp", short)
    monkeypatch.setattr(mincq, "GUESSES", 0)
    assert program.solve(mu).voter_weights.tobytes() == right.voter_weights.tobytes()


def test_the_least_norm_is_found_from_any_optimal_vote() -> None:
    gram, margins = dependent(2)
    program = MinCqProgram(gram, margins)
    n = len(program._margins)
    bounds = program._copies / (n * 0.8 * program.largest_mu)
    v, free = bounds * np.linspace(-0.9, 0.9, n), np.ones(n, dtype=np.bool_)
    _, vectors = np.linalg.eigh(program._gram * program._scales * program._scales[:, None])
    found = program._least_within(bounds, v, free)
    other = program._least_within(bounds, v + program._scales * vectors[:, 0], free)
    assert other == pytest.approx(found, abs=1e-9)
    assert (np.abs(found) <= bounds * (1 + 1e-9)).all()
    assert program._gram @ found == pytest.approx(program._gram @ v)


def test_the_steps_end_when_they_no_longer_help(monkeypatch: pytest.MonkeyPatch) -> None:
    program = MinCqProgram(*dependent(0))
    n, solved = len(program._margins), []
    plain = ProximalSystem.solve
    monkeypatch.setattr(ProximalSystem, "solve", lambda *a: solved.append(a) or plain(*a))
    program._solve(np.zeros(n), np.ones(n, dtype=np.bool_), 1.0)
    assert 2 < len(solved) < 8
