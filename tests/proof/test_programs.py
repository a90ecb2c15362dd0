from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from quadrepro.base.types import FloatArray
from quadrepro.proof.certificate import LongArray
from quadrepro.proof.programs import (
    EntropySolution,
    LPBoostSolution,
    MarginSolution,
    ProgramVoteSolution,
)
from quadrepro.proof.solution import Vote
from tests.proof.solved import PROGRAMS, faults, solved

MARGIN = [name for name in PROGRAMS if name.startswith("r")]
WITH_DUALS = ["lpboost", *MARGIN]
ENTROPY = ["softboost", "erlpboost"]


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


def entropy(name: str) -> EntropySolution:
    found = program(name)
    assert isinstance(found, EntropySolution)
    return found


def named(solution: ProgramVoteSolution) -> set[str]:
    return {fault.split(" is off")[0] for fault in faults(solution)}


@pytest.mark.parametrize("name", ENTROPY)
def test_a_voter_that_was_not_the_best_is_found(name: str) -> None:
    solution = entropy(name)
    voters = solution.voters.copy()
    voters[1] = voters[0]
    assert "round 2: the pick" in named(replace(solution, voters=voters))


@pytest.mark.parametrize("name", ENTROPY)
def test_the_wrong_side_of_a_voter_is_found(name: str) -> None:
    solution = entropy(name)
    signs = solution.signs * np.where(np.arange(len(solution.signs)) == 2, -1.0, 1.0)
    assert "round 3: the pick" in named(replace(solution, signs=signs))


@pytest.mark.parametrize("name", ENTROPY)
@pytest.mark.parametrize("t", [0, 2])
def test_example_weights_that_are_off_by_a_millionth_are_found(name: str, t: int) -> None:
    solution = entropy(name)
    moved = solution.examples[t].copy()
    moved[:2] += np.array([1.0, -1.0]) * 1e-6 * moved[:2].min()
    examples = [*solution.examples[:t], moved, *solution.examples[t + 1 :]]
    found = named(replace(solution, examples=examples))
    if t == 0:
        assert "the uniform weights, or the sum of the voters'" in found
    scaled = [*solution.examples[:t], moved * (1 + 1e-6), *solution.examples[t + 1 :]]
    assert "the capped simplex" in named(replace(solution, examples=scaled))


@pytest.mark.parametrize("name", ENTROPY)
def test_example_weights_farther_from_uniform_ones_than_need_be_are_found(name: str) -> None:
    solution = entropy(name)
    examples = solution.examples.copy()
    # The weights of a later round satisfy the constraints of this one.
    examples[1] = examples[3]
    assert "round 1's gap" in named(replace(solution, examples=examples))


def test_example_weights_whose_edges_are_above_the_level_are_found() -> None:
    solution = entropy("softboost")
    nearer = replace(solution, delta=solution.delta * 2)
    assert "the level of round 1" in named(nearer)


@pytest.mark.parametrize("name", ENTROPY)
def test_a_run_that_ended_too_early_is_found(name: str) -> None:
    solution = entropy(f"{name}, limited")
    assert faults(solution) == []
    assert "the soft margin less δ" in named(replace(solution, limited=False))


@pytest.mark.parametrize("name", ENTROPY)
def test_multipliers_that_are_off_are_found(name: str) -> None:
    solution = entropy(name)
    multipliers = solution.multipliers.copy()
    multipliers[1] = multipliers[1] * np.linspace(0.9, 1, len(multipliers[1]))
    assert "round 2's gap" in named(replace(solution, multipliers=multipliers))


def test_multipliers_of_erlpboost_above_its_price_are_found() -> None:
    solution = entropy("erlpboost")
    multipliers = [v * (1 + 1e-6) for v in solution.multipliers]
    assert "round 1's Σv" in named(replace(solution, multipliers=multipliers))


def test_weights_of_softboost_short_of_the_largest_soft_margin_are_found() -> None:
    solution = entropy("softboost")
    weights = solution.weights + 0.0
    used = np.flatnonzero(weights)
    weights[used[:2]] += np.sign(weights[used[:2]]) * np.array([1e-4, -1e-4])
    assert named(replace(solution, weights=weights)) >= {"SoftBoost's gap"}
