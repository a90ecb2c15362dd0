from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from quadrepro.verification.programs import (
    CqBoostSolution,
    LPBoostSolution,
    MarginSolution,
    MinCqSolution,
    ProgramSolution,
    _best_eta,
)
from tests.verification.solved import PROGRAMS, faults, solved

MARGIN = [name for name in PROGRAMS if name.startswith("r")]
WITH_DUALS = ["lpboost", *MARGIN]
OF_MINCQ = ["mincq", "mincq-on-cb-boost"]


def program(name: str) -> ProgramSolution:
    found = solved(name)
    assert isinstance(found, ProgramSolution)
    return found


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_weight_that_is_off_by_a_millionth_is_found(name: str) -> None:
    solution = program(name)
    weights = solution.weights.copy()
    weights[np.abs(weights).argmax()] *= 1 + 1e-6
    # The objective is flat at its minimum, so that the constraints tell.
    assert faults(replace(solution, weights=weights)) != []


@pytest.mark.parametrize("name", PROGRAMS)
def test_weights_of_another_optimum_are_found(name: str) -> None:
    solution = program(name)
    weights = solution.weights * np.linspace(0.5, 1, len(solution.weights))
    if name in MARGIN:
        weights *= np.abs(solution.weights).sum() / np.abs(weights).sum()
    assert any("gap" in fault for fault in faults(replace(solution, weights=weights)))


@pytest.mark.parametrize("name", WITH_DUALS)
def test_duals_that_are_off_by_a_millionth_are_found(name: str) -> None:
    solution = program(name)
    assert isinstance(solution, LPBoostSolution | MarginSolution)
    duals = solution.duals.copy()
    duals[duals.argmax()] *= 1 + 1e-6
    assert faults(replace(solution, duals=duals)) != []


@pytest.mark.parametrize("name", WITH_DUALS)
def test_negative_duals_are_found(name: str) -> None:
    solution = program(name)
    assert isinstance(solution, LPBoostSolution | MarginSolution)
    duals = solution.duals.copy()
    duals[duals.argmin()] = -1e-6
    assert any("dual constraints" in fault for fault in faults(replace(solution, duals=duals)))


def test_a_voter_that_lpboost_left_out_is_found() -> None:
    solution = program("lpboost")
    assert isinstance(solution, LPBoostSolution)
    signed = solution.signed.copy()
    # A voter that is right wherever an example has a dual weight.
    signed[:, 0] = 1.0
    found = faults(replace(solution, signed=signed))
    assert any("dual constraints" in fault for fault in found)


@pytest.mark.parametrize("name", MARGIN)
def test_a_false_round_of_adaboost_is_found(name: str) -> None:
    solution = program(name)
    assert isinstance(solution, MarginSolution)
    run = solution.before.run
    weights = run.weights.copy()
    weights[0] *= 1 + 1e-6
    before = replace(solution.before, run=replace(run, weights=weights))
    found = faults(replace(solution, before=before))
    assert any(fault.startswith("round 1: the weight") for fault in found)


@pytest.mark.parametrize("name", OF_MINCQ)
def test_a_weight_beyond_its_bound_is_found(name: str) -> None:
    solution = program(name)
    weights = solution.weights.copy()
    weights[np.abs(weights).argmax()] = 1.001 / len(weights)
    found = faults(replace(solution, weights=weights))
    assert any("MinCq's constraints" in fault for fault in found)


def test_an_edge_that_cqboost_left_is_found() -> None:
    solution = program("cqboost, limited")
    assert isinstance(solution, CqBoostSolution)
    assert faults(solution) == []
    found = faults(replace(solution, limited=False))
    assert any("the edge that is left" in fault for fault in found)


def test_another_first_voter_of_cqboost_is_found() -> None:
    solution = program("cqboost, limited")
    assert isinstance(solution, CqBoostSolution)
    found = faults(replace(solution, added=solution.added[::-1], signs=solution.signs[::-1]))
    assert any("CqBoost's first round: the pick" in fault for fault in found)


def test_mincqs_bound_is_the_best_that_an_eta_gives() -> None:
    rng = np.random.default_rng(0)
    for _ in range(20):
        slopes, margins = rng.normal(size=(2, 9)).astype(np.longdouble)
        margins[0] = 0
        scale = np.abs(margins).sum() * 0.7

        def bound(eta: float, s=slopes, m=margins, n=scale) -> float:  # type: ignore[no-untyped-def]
            return float(eta - np.abs(s - eta * m).sum() / n)

        found = minimize_scalar(lambda eta: -bound(eta), bounds=(-1e3, 1e3), method="bounded")
        assert bound(float(_best_eta(slopes, margins, scale))) >= -found.fun - 1e-9


def test_every_program_is_solved_over_more_than_one_voter() -> None:
    for name in PROGRAMS:
        assert np.count_nonzero(program(name).weights) > 1
    assert isinstance(program("mincq"), MinCqSolution)
