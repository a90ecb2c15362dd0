from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.optimize import lsq_linear

from quadrepro.base.types import FloatArray
from quadrepro.core.learners import programs
from quadrepro.core.learners.programs import SolverError
from quadrepro.core.learners.qp_reg import MarginQP

VALUES = np.geomspace(1e-3, 1e3, 7).tolist()


def draw(
    seed: int, m: int = 40, n: int = 12, right: float = 0.62, *, real: bool = False
) -> tuple[FloatArray, FloatArray]:
    rng = np.random.default_rng(seed)
    margins = np.where(rng.random((m, n)) < right, 1.0, -1.0)
    if real:
        margins *= rng.random((m, n))
    return margins, rng.integers(1, 4, m).astype(float)


def kkt_fault(margins: FloatArray, caps: FloatArray, b: FloatArray) -> float:
    """Return how far 2b is from M'u + z, for the best u and z >= 0 that complement b.

    Examples above the margin have u = 0, those short of it u = C n, voters with weight z = 0.
    """
    short, unit = 1.0 - margins @ b, max(1.0, b.max())
    on, free = np.abs(short) <= 1e-5 * unit, b <= 1e-6 * unit
    fixed = 2 * b - caps * (short > 1e-5 * unit) @ margins
    columns = np.hstack([margins[on].T, np.eye(len(b))[:, free]])
    if not columns.size:
        return float(np.abs(fixed).max())
    most = np.concatenate([caps[on], np.full(free.sum(), np.inf)])
    found = lsq_linear(columns, fixed, (np.zeros(len(most)), most), tol=1e-14, max_iter=1000)
    return float(np.abs(columns @ found.x - fixed).max() / max(1.0, np.abs(fixed).max()))


@given(
    seed=st.integers(0, 10**6),
    m=st.integers(1, 60),
    n=st.integers(1, 30),
    right=st.floats(0.1, 0.95),
    real=st.booleans(),
    C=st.sampled_from(VALUES),
)
# Programs whose optimum is degenerate.
@example(seed=204469, m=26, n=11, right=0.74, real=False, C=10.0)
@example(seed=520364, m=6, n=19, right=0.94, real=False, C=0.1)
@example(seed=793437, m=49, n=24, right=0.93, real=True, C=0.1)
@example(seed=962121, m=25, n=9, right=0.83, real=True, C=100.0)
@example(seed=853635, m=54, n=8, right=0.87, real=False, C=1000.0)
def test_every_solution_satisfies_the_kkt_conditions(
    seed: int, m: int, n: int, right: float, real: bool, C: float
) -> None:
    margins, counts = draw(seed, m, n, right, real=real)
    b = MarginQP(margins, counts).solve(C)
    assert b.min() >= 0.0
    assert kkt_fault(margins, C * counts, b) < 1e-5


@pytest.mark.parametrize("C", [1e3, 1e4])
def test_twin_voters_and_high_prices_have_a_solution(C: float) -> None:
    for seed in range(10):
        margins, counts = draw(seed, 30, 10)
        twins = margins.copy()
        twins[np.random.default_rng(seed).integers(0, 30, 10), np.arange(10)] *= -1
        margins = np.hstack([margins, twins])
        b = MarginQP(margins, counts).solve(C)
        assert kkt_fault(margins, C * counts, b) < 1e-4


def test_a_small_price_gives_the_positive_part_of_the_class_mean_direction() -> None:
    margins, counts = draw(2)
    C = 1e-3
    mean = C / 2 * np.maximum(0.0, counts @ margins)
    assert (margins @ mean < 1).all()
    assert MarginQP(margins, counts).solve(C) == pytest.approx(mean, rel=1e-7, abs=1e-10)


@pytest.mark.parametrize("C", [0.01, 0.1, 1.0])
def test_a_voter_without_error_has_the_weight_of_the_closed_form(C: float) -> None:
    # b² + C m (1 - b)_+ is least at C m / 2, but at 1 once that is larger.
    [weight] = MarginQP(np.ones((1, 1)), np.array([5.0])).solve(C)
    assert weight == pytest.approx(min(1.0, 5 * C / 2), abs=1e-9)


def test_a_value_does_not_depend_on_those_before_it() -> None:
    for seed, right in ((6, 0.62), (1, 0.8)):
        margins, counts = draw(seed, m=30, n=40, right=right)
        program = MarginQP(margins, counts)
        for C in VALUES:
            assert program.solve(C) == pytest.approx(MarginQP(margins, counts).solve(C), abs=1e-7)


def test_a_residual_above_the_bound_is_an_error_that_names_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(programs, "RESIDUAL", 0.0)
    with pytest.raises(SolverError, match=r"PIQP ended as Status.PIQP_SOLVED with a residual of"):
        MarginQP(*draw(0)).solve(2.0)
