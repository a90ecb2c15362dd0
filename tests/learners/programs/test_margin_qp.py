from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import LinearConstraint, minimize

from quadrepro._typing import FloatArray
from quadrepro.learners.programs.margin_qp import RESIDUAL, MarginQP
from quadrepro.learners.programs.program import SolverError

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


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    m=st.integers(1, 60),
    n=st.integers(1, 30),
    right=st.floats(0.1, 0.95),
    real=st.booleans(),
    C=st.sampled_from(VALUES),
)
def test_every_solution_satisfies_the_kkt_conditions(
    seed: int, m: int, n: int, right: float, real: bool, C: float
) -> None:
    margins, counts = draw(seed, m, n, right, real=real)
    solution = MarginQP(margins, counts).solve(C)
    u, b = solution.example_weights, solution.voter_weights
    assert kkt_fault(margins, C * counts, b, u) < 1e-8
    assert solution.residual < RESIDUAL
    assert solution.gap < 1e-6
    slack = np.maximum(0.0, 1.0 - margins @ b)
    assert solution.primal == pytest.approx(b @ b + C * counts @ slack)
    assert solution.dual == pytest.approx(
        u.sum() - (np.maximum(0.0, u @ margins) ** 2).sum() / 4, abs=1e-9 * u.sum()
    )


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("C", [0.003, 0.1, 3.0])
def test_the_optimum_is_that_of_a_general_solver_on_the_dual(seed: int, C: float) -> None:
    margins, counts = draw(seed)
    solution = MarginQP(margins, counts).solve(C)
    assert solution.dual == pytest.approx(dual_by_scipy(margins, C * counts), rel=1e-6)


def test_a_program_that_is_not_solved_is_an_error_that_names_the_price(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    program = MarginQP(*draw(0))
    point, _ = program._piqp(2.0 * program._counts)
    wrong = point._make(values + 1.0 for values in point)
    monkeypatch.setattr(program, "_piqp", lambda caps: (wrong, "out of steps"))
    with pytest.raises(SolverError, match=r"at C = 2 ended as 'out of steps' with a KKT residual"):
        program.solve(2.0)


def test_on_separable_data_a_large_price_gives_the_separator_of_least_norm() -> None:
    margins, counts = draw(1, m=30, n=40, right=0.75)
    solution = MarginQP(margins, counts).solve(1e3)
    assert (margins @ solution.voter_weights).min() == pytest.approx(1.0, abs=1e-8)
    n = margins.shape[1]
    result = minimize(
        lambda b: b @ b,
        np.full(n, 0.1),
        jac=lambda b: 2 * b,
        method="SLSQP",
        bounds=[(0, None)] * n,
        constraints=LinearConstraint(margins, 1.0, np.inf),
        options={"ftol": 1e-14, "maxiter": 1000},
    )
    assert result.success
    assert solution.primal == pytest.approx(result.fun, rel=1e-6)
    assert solution.voter_weights == pytest.approx(result.x, abs=1e-5)


def test_a_small_price_gives_the_positive_part_of_the_class_mean_direction() -> None:
    margins, counts = draw(2)
    C = 1e-6
    solution = MarginQP(margins, counts).solve(C)
    mean = counts @ margins
    assert solution.voter_weights == pytest.approx(C / 2 * np.maximum(0.0, mean), rel=1e-9)


def test_voters_that_are_mostly_wrong_get_no_weight() -> None:
    margins, counts = draw(3, right=0.2)
    assert ((counts @ margins) < 0).all()
    solution = MarginQP(margins, counts).solve(0.01)
    assert not solution.voter_weights.any()
    assert solution.primal == pytest.approx(0.01 * counts.sum())


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
