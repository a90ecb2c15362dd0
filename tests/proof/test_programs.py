from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from quadrepro.base.types import FloatArray
from quadrepro.proof.certificate import LongArray
from quadrepro.proof.programs import (
    LPBoostSolution,
    MarginSolution,
    ProgramVoteSolution,
)
from quadrepro.proof.solution import Vote
from tests.proof.solved import PROGRAMS, faults, solved

MARGIN = [name for name in PROGRAMS if name.startswith("r")]
WITH_DUALS = ["lpboost", *MARGIN]


def program(name: str) -> ProgramVoteSolution:
    found = solved(name)
    assert isinstance(found, ProgramVoteSolution)
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


def test_every_program_is_solved_over_more_than_one_voter() -> None:
    for name in PROGRAMS:
        assert np.count_nonzero(program(name).weights) > 1


@pytest.mark.parametrize("name", MARGIN)
def test_weights_against_adaboosts_signs_are_found(name: str) -> None:
    solution = program(name)
    weights = solution.weights.copy()
    weights[weights.argmin()] = -1e-6
    found = faults(replace(solution, weights=weights))
    assert any("the signs of the weights" in fault for fault in found)


@pytest.mark.parametrize("name", MARGIN)
def test_weight_on_a_voter_that_adaboost_did_not_find_is_found(name: str) -> None:
    solution = program(name)

    class More(Vote):
        total = solution.final.total + 1e-6

        def sums(self, X: FloatArray) -> LongArray:
            raise NotImplementedError

    found = faults(replace(solution, final=More()))
    assert [fault.split(" is off")[0] for fault in found] == ["the weights of other voters"]


@pytest.mark.parametrize("name", ["rlp-boost", "rlp-boost, drawn"])
def test_weights_of_lp_reg_that_do_not_add_up_to_1_are_found(name: str) -> None:
    solution = program(name)
    found = faults(replace(solution, weights=solution.weights * (1 + 1e-6)))
    assert any("the sum of LP_REG's weights" in fault for fault in found)
