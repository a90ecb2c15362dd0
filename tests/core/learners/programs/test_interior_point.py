from __future__ import annotations

import numpy as np
import pytest

from quadrepro.base.types import FloatArray
from quadrepro.core.learners.qp_reg import (
    INTERIOR_STEPS,
    MarginQP,
    _Newton,
    _Point,
    _start,
    guess_optimum,
)

PRICES = [0.01, 0.1, 1.0, 10.0]


def draw(seed: int, m: int = 60, n: int = 20) -> tuple[FloatArray, FloatArray]:
    rng = np.random.default_rng(seed)
    margins = np.where(rng.random((m, n)) < 0.62, rng.random((m, n)), -rng.random((m, n)))
    return margins, rng.integers(1, 4, m).astype(float)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("C", PRICES)
def test_the_guess_is_right_where_the_optimum_is_not_degenerate(seed: int, C: float) -> None:
    margins, counts = draw(seed)
    caps = C * counts
    guess = guess_optimum(margins, caps)
    solution = MarginQP(margins, counts).solve(C)
    u, b = solution.example_weights, solution.voter_weights
    assert guess.u == pytest.approx(u, abs=1e-5 * u.max())
    np.testing.assert_array_equal(guess.free, (u > 0) & (u < caps))
    np.testing.assert_array_equal(guess.capped, u == caps)
    np.testing.assert_array_equal(guess.used, b > 0)
    assert (guess.u <= caps).all()
    assert 5 < guess.steps < 30


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("C", [1e-3, 1.0, 1e3])
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_the_start_is_strictly_inside_and_satisfies_the_equations(
    seed: int, C: float, sign: float
) -> None:
    margins, counts = draw(seed)
    margins, caps = sign * np.abs(margins), C * counts
    x, s = _start(margins, caps)
    point = _Point(x, s, len(caps))
    assert min(x.min(), s.min()) > 0
    assert margins @ point.b + point.xi - point.w == pytest.approx(1.0)
    assert point.u + point.t == pytest.approx(caps)
    assert 2 * point.b - point.u @ margins == pytest.approx(point.z)


def test_directions_solve_newtons_equations() -> None:
    margins, _ = draw(0)
    m, n = margins.shape
    rng = np.random.default_rng(1)
    x, s = rng.uniform(0.1, 1.0, (2, 2 * m + n))
    change = rng.normal(size=2 * m + n)
    point = _Point(x, s, m)
    dx, ds = _Newton(margins, point).direction(change)
    step = _Point(dx, ds, m)
    assert x * ds + s * dx == pytest.approx(change)
    assert step.t == pytest.approx(-step.u)
    after = _Point(x + dx, s + ds, m)
    assert margins @ after.b + after.xi - after.w == pytest.approx(1.0)
    assert 2 * after.b - after.u @ margins == pytest.approx(after.z)


@pytest.mark.parametrize("C", [1e-300, 1e300])
def test_it_ends_without_an_error_where_numbers_overflow(C: float) -> None:
    margins, counts = draw(0)
    with np.errstate(all="ignore"):
        guess = guess_optimum(margins, C * counts)
    assert guess.steps <= INTERIOR_STEPS
    assert guess.free.shape == guess.capped.shape == counts.shape
