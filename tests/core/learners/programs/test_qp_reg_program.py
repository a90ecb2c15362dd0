from __future__ import annotations

import numpy as np
import piqp
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from quadrepro.base.types import FloatArray
from quadrepro.core.learners.programs import qp_reg
from quadrepro.core.learners.programs.program import RESIDUAL, ProximalSystem, SolverError
from quadrepro.core.learners.qp_reg import MarginQP, guess_optimum

VALUES = np.geomspace(1e-3, 1e3, 7).tolist()


def draw(
    seed: int, m: int = 40, n: int = 12, right: float = 0.62, *, real: bool = False
) -> tuple[FloatArray, FloatArray]:
    rng = np.random.default_rng(seed)
    margins = np.where(rng.random((m, n)) < right, 1.0, -1.0)
    if real:
        margins *= rng.random((m, n))
    return margins, rng.integers(1, 4, m).astype(float)


def kkt_fault(margins: FloatArray, caps: FloatArray, b: FloatArray, u: FloatArray) -> float:
    """Return the largest violation of the conditions, each as the textbook writes it."""
    slack = np.maximum(0.0, 1.0 - margins @ b)
    scale = u.max()
    lower = 2 * b - u @ margins  # multipliers of b >= 0
    faults = [
        -b,
        -lower,
        np.abs(np.minimum(b, lower)),
        -u / scale,
        (u - caps) / scale,
        np.minimum(slack, (caps - u) / scale),
        np.minimum(u / scale, np.maximum(0.0, margins @ b + slack - 1.0)),
    ]
    return max(float(f.max()) for f in faults)


def dual_by_scipy(margins: FloatArray, caps: FloatArray) -> float:
    """Return the dual's optimum by L-BFGS-B over the box."""

    def negative(u: FloatArray) -> tuple[float, FloatArray]:
        edges = np.maximum(0.0, u @ margins)
        return edges @ edges / 4 - u.sum(), margins @ edges / 2 - 1.0

    result = minimize(
        negative,
        caps / 2,
        jac=True,
        method="L-BFGS-B",
        bounds=[(0.0, c) for c in caps],
        options={"maxiter": 20_000, "maxfun": 50_000, "ftol": 1e-15, "gtol": 1e-10},
    )
    return float(-result.fun)


programs = given(
    seed=st.integers(0, 10**6),
    m=st.integers(1, 60),
    n=st.integers(1, 30),
    right=st.floats(0.1, 0.95),
    real=st.booleans(),
    C=st.sampled_from(VALUES),
)


def somewhere(seed: int, caps: FloatArray) -> FloatArray:
    """Return dual weights in their box, half of them on a bound."""
    return caps * np.clip(np.random.default_rng(seed + 1).uniform(-0.5, 1.5, len(caps)), 0.0, 1.0)


@settings(max_examples=60, deadline=None)
@programs
def test_every_solution_satisfies_the_kkt_conditions(
    seed: int, m: int, n: int, right: float, real: bool, C: float
) -> None:
    margins, counts = draw(seed, m, n, right, real=real)
    program = MarginQP(margins, counts)
    solution = program.solve(C)
    u, b = solution.example_weights, solution.voter_weights
    assert kkt_fault(margins, C * counts, b, u) < 1e-8
    assert max(program.residual(C, u), solution.residual) < RESIDUAL
    assert b == pytest.approx(program.voter_weights(u), rel=1e-8, abs=1e-11 * u.sum())
    assert solution.gap < 1e-6
    slack = np.maximum(0.0, 1.0 - margins @ b)
    assert solution.primal == pytest.approx(b @ b + C * counts @ slack)
    assert solution.dual == pytest.approx(
        u.sum() - (np.maximum(0.0, u @ margins) ** 2).sum() / 4, abs=1e-9 * u.sum()
    )


@settings(max_examples=60, deadline=None)
@programs
def test_the_residual_is_the_largest_violation_and_bounds_gap_and_error(
    seed: int, m: int, n: int, right: float, real: bool, C: float
) -> None:
    margins, counts = draw(seed, m, n, right, real=real)
    program, caps = MarginQP(margins, counts), C * counts
    u = somewhere(seed, caps)
    if not u.any():
        assert program.residual(C, u) == np.inf
        return
    b, residual = program.voter_weights(u), program.residual(C, u)
    assert residual == pytest.approx(kkt_fault(margins, caps, b, u), rel=1e-9, abs=1e-12)
    short = 1.0 - margins @ b
    gap = b @ b + caps @ np.maximum(0.0, short) - (u.sum() - b @ b)
    sizes = np.maximum(caps, u.max() * np.abs(short)).sum()
    assert gap <= residual * sizes + 1e-12 * sizes
    assert ((b - program.solve(C).voter_weights) ** 2).sum() <= gap + 1e-12 * sizes


@settings(max_examples=60, deadline=None)
@programs
def test_the_climb_reaches_the_optimum_from_anywhere_and_never_descends(
    seed: int, m: int, n: int, right: float, real: bool, C: float
) -> None:
    margins, counts = draw(seed, m, n, right, real=real)
    program, caps = MarginQP(margins, counts), C * counts
    u, heights = somewhere(seed, caps), []
    for _ in range(2 * (m + n)):
        if program.residual(C, u) <= RESIDUAL:
            break
        u = program._climb(caps, u)
        assert u.min() >= 0.0
        assert (u <= caps).all()
        heights.append(u.sum() - (program.voter_weights(u) ** 2).sum())
    assert program.residual(C, u) <= RESIDUAL
    rounding = 1e-14 * np.abs(heights).max(initial=caps.sum())
    assert np.diff(heights).min(initial=0.0) >= -rounding
    assert program.voter_weights(u) == pytest.approx(
        program.solve(C).voter_weights, abs=1e-6, rel=1e-6
    )


DEGENERATE = [
    (204469, 26, 11, 0.74, False, 10.0),
    (520364, 6, 19, 0.94, False, 0.1),
    (793437, 49, 24, 0.93, True, 0.1),
    (962121, 25, 9, 0.83, True, 100.0),
    (853635, 54, 8, 0.87, False, 1000.0),
    (606468, 3, 24, 0.94, False, 1.0),
]
"""Programs whose optimum is degenerate, so that guesses at it are mostly wrong."""


def test_a_wrong_guess_at_a_degenerate_optimum_is_mended() -> None:
    wrong = 0
    for seed, m, n, right, real, C in DEGENERATE:
        margins, counts = draw(seed, m, n, right, real=real)
        program, caps = MarginQP(margins, counts), C * counts
        guess = guess_optimum(margins, caps)
        guesses = [guess.u, program._solve_guess(caps, guess)]
        wrong += min(program.residual(C, u) for u in guesses) > RESIDUAL
        solution = program.solve(C)
        b, u = solution.voter_weights, solution.example_weights
        assert solution.residual < RESIDUAL
        assert kkt_fault(margins, caps, b, u) < 1e-8
        assert solution.dual == pytest.approx(dual_by_scipy(margins, caps), rel=1e-6)
    # Which guesses are wrong depends on the last bits of the processor's arithmetic.
    assert wrong > 0


def nearly_singular(seed: int, m: int, n: int) -> tuple[FloatArray, FloatArray]:
    """Return a program in which every voter has a twin that differs on one example."""
    margins, counts = draw(seed, m, n)
    twins = margins.copy()
    twins[np.random.default_rng(seed).integers(0, m, n), np.arange(n)] *= -1
    return np.hstack([margins, twins]), counts


def weights_by_piqp(margins: FloatArray, caps: FloatArray) -> FloatArray:
    """Return the optimal weights by a general solver, from the program over weights and slack."""
    m, n = margins.shape
    solver = piqp.DenseSolver()
    solver.settings.eps_abs = solver.settings.eps_rel = 1e-10
    solver.settings.max_iter = 1000
    solver.setup(
        np.diag(np.r_[np.full(n, 2.0), np.zeros(m)]),
        np.r_[np.zeros(n), caps],
        G=np.hstack([margins, np.eye(m)]),
        h_l=np.ones(m),
        x_l=np.zeros(n + m),
    )
    assert solver.solve() == piqp.PIQP_SOLVED
    return np.asarray(solver.result.x[:n])


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    m=st.integers(1, 60),
    n=st.integers(1, 30),
    C=st.sampled_from([1e-3, 1.0, 1e3, 1e4, 1e5, 1e6]),
)
@example(seed=3, m=36, n=12, C=1e6)
@example(seed=7, m=31, n=10, C=1e6)
@example(seed=23, m=52, n=1, C=1e6)
def test_a_program_with_twin_voters_is_solved_at_any_price(
    seed: int, m: int, n: int, C: float
) -> None:
    margins, counts = nearly_singular(seed, m, n)
    program = MarginQP(margins, counts)
    solution = program.solve(C)
    u, b = solution.example_weights, solution.voter_weights
    assert solution.residual < RESIDUAL
    assert u.min() >= 0.0
    assert (u <= C * counts).all()
    short = 1.0 - margins @ b
    open_sides = np.where(short > 0, C * counts - u, u) / u.max()
    assert np.minimum(np.abs(short), open_sides).max() < 1e-8
    assert b == pytest.approx(program.voter_weights(u), abs=1e-8 * max(b.max(), 1e-4 * u.sum()))
    assert solution.gap < 1e-6


@pytest.mark.parametrize(("m", "n"), [(480, 24), (300, 30)])
def test_a_large_program_at_high_prices_is_solved_like_by_a_general_solver(m: int, n: int) -> None:
    margins, counts = nearly_singular(m, m, n)
    program = MarginQP(margins, counts)
    for C in (1e4, 1e5, 1e6):
        solution = program.solve(C)
        assert solution.residual < RESIDUAL
    caps = 1e4 * counts
    assert program.solve(1e4).voter_weights == pytest.approx(
        weights_by_piqp(margins, caps), abs=1e-4
    )


def test_a_program_that_is_not_solved_is_an_error_that_names_the_price(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    margins, counts = draw(0)
    guess = guess_optimum(margins, 2.0 * counts)
    wrong = guess._replace(u=counts, free=guess.capped, capped=guess.free, steps=7)
    monkeypatch.setattr(qp_reg, "guess_optimum", lambda *_: wrong)
    assert MarginQP(margins, counts).solve(2.0).residual < RESIDUAL
    monkeypatch.setattr(qp_reg, "CLIMB", 0)
    with pytest.raises(SolverError, match=r"at C = 2 ended after 7 steps with a KKT residual"):
        MarginQP(margins, counts).solve(2.0)


def test_an_interior_point_that_ends_nowhere_does_no_harm(monkeypatch: pytest.MonkeyPatch) -> None:
    margins, counts = draw(0)
    right = MarginQP(margins, counts).solve(2.0)
    guess = guess_optimum(margins, 2.0 * counts)
    nobody = np.zeros_like(guess.free)
    nowhere = guess._replace(u=np.full_like(guess.u, np.nan), free=nobody, capped=nobody)
    monkeypatch.setattr(qp_reg, "guess_optimum", lambda *_: nowhere)
    program, steps = MarginQP(margins, counts), []
    climb = program._climb
    monkeypatch.setattr(program, "_climb", lambda *a: steps.append(a) or climb(*a))
    found = program.solve(2.0)
    assert 0 < len(steps) < 100
    assert found.residual < RESIDUAL
    np.testing.assert_array_equal(found.voter_weights, right.voter_weights)


@settings(max_examples=30, deadline=None)
@programs
def test_the_bits_of_the_weights_do_not_depend_on_how_the_optimum_was_found(
    seed: int, m: int, n: int, right: float, real: bool, C: float
) -> None:
    margins, counts = draw(seed, m, n, right, real=real)
    caps = C * counts
    weights = MarginQP(margins, counts).solve(C).voter_weights
    order = np.random.default_rng(seed).permutation(m)
    shuffled = guess_optimum(margins[order], caps[order])
    back = np.argsort(order)
    other = shuffled._replace(
        u=shuffled.u[back], free=shuffled.capped[back], capped=shuffled.capped[back]
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(qp_reg, "guess_optimum", lambda *_: other)
        assert MarginQP(margins, counts).solve(C).voter_weights.tobytes() == weights.tobytes()


def test_the_bits_are_those_of_the_optimum_where_dual_weights_are_not_unique() -> None:
    # The margins of each quadruple satisfy a + d = b + c: if three are 1, so is the fourth.
    rng = np.random.default_rng(0)
    pairs = np.where(rng.random((6, 2, 8)) < 0.8, 1.0, -1.0)
    quadruples = [
        np.hstack([p, q]) for p in pairs[:3].reshape(6, 8) for q in pairs[3:].reshape(6, 8)
    ]
    margins, counts = np.array(quadruples), np.ones(36)
    solution = MarginQP(margins, counts).solve(5.0)
    on = np.abs(margins @ solution.voter_weights - 1.0) < 1e-9
    used = solution.voter_weights > 0
    assert np.linalg.matrix_rank(margins[np.ix_(on, used)]) < on.sum()
    # Other optimal dual weights: those that climbing from a corner of the box ends with.
    program, caps = MarginQP(margins, counts), np.full(36, 5.0)
    u = np.where(np.arange(36) % 2, caps, 0.0)
    for _ in range(500):
        u = program._climb(caps, u)
    assert program.residual(5.0, u) < RESIDUAL
    assert np.abs(u - solution.example_weights).max() > 1e-3
    settled = program._settled(caps, u)
    assert settled.tobytes() == solution.voter_weights.tobytes()


def test_without_slack_a_higher_price_takes_no_step(monkeypatch: pytest.MonkeyPatch) -> None:
    margins, counts = draw(1, m=30, n=40, right=0.75)
    program = MarginQP(margins, counts)
    first = program.solve(100.0)
    assert (first.example_weights < 100.0 * counts).all()
    monkeypatch.setattr(qp_reg, "guess_optimum", None)
    again = program.solve(1000.0)
    assert again.voter_weights.tobytes() == first.voter_weights.tobytes()
    assert again.residual < RESIDUAL
    with pytest.raises(TypeError):
        program.solve(0.9 * (first.example_weights / counts).max())


def test_weights_far_from_those_of_the_dual_weights_are_an_error(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    program = MarginQP(*draw(0))
    b = program.solve(2.0).voter_weights
    monkeypatch.setattr(program, "_settled", lambda *_: b + 1e-6 * b.max())
    with pytest.raises(SolverError, match="KKT residual of 3e-06"):
        program.solve(2.0)


def test_the_last_steps_end_when_they_no_longer_help(monkeypatch: pytest.MonkeyPatch) -> None:
    margins, counts = draw(0)
    program = MarginQP(margins, counts)
    u, solved = program.solve(2.0).example_weights, []
    plain = ProximalSystem.solve
    monkeypatch.setattr(ProximalSystem, "solve", lambda *a: solved.append(a) or plain(*a))
    program._settled(2.0 * counts, u)
    assert 1 < len(solved) < 8


def test_a_small_price_gives_the_positive_part_of_the_class_mean_direction() -> None:
    margins, counts = draw(2)
    C = 1e-6
    solution = MarginQP(margins, counts).solve(C)
    mean = counts @ margins
    assert solution.voter_weights == pytest.approx(C / 2 * np.maximum(0.0, mean), rel=1e-9)


@pytest.mark.parametrize("C", [0.01, 0.1, 1.0])
def test_a_voter_without_error_has_the_weight_of_the_closed_form(C: float) -> None:
    # b² + C m (1 - b)_+ is least at C m / 2, but at 1 once that is larger.
    solution = MarginQP(np.ones((1, 1)), np.array([5.0])).solve(C)
    assert solution.voter_weights[0] == pytest.approx(min(1.0, 5 * C / 2), abs=1e-9)


@pytest.mark.parametrize("C", VALUES)
def test_counts_stand_for_repeated_examples(C: float) -> None:
    margins, counts = draw(4)
    repeated = np.repeat(margins, counts.astype(int), axis=0)
    merged = MarginQP(margins, counts).solve(C)
    plain = MarginQP(repeated, np.ones(len(repeated))).solve(C)
    assert merged.voter_weights == pytest.approx(plain.voter_weights, abs=1e-8)


def test_a_value_does_not_depend_on_those_before_it() -> None:
    margins, counts = draw(6)
    program = MarginQP(margins, counts)
    for C in VALUES:
        alone = MarginQP(margins, counts).solve(C)
        np.testing.assert_array_equal(program.solve(C).voter_weights, alone.voter_weights)


def test_the_climb_stays_where_nothing_rises() -> None:
    program = MarginQP(np.ones((1, 1)), np.ones(1))
    # The dual is u - u²/4.
    assert program._climb(np.array([5.0]), np.array([2.0])).tolist() == [2.0]
