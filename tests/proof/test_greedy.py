"""Every change of a run is found, whatever the algorithm."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from quadrepro.base.types import FloatArray
from quadrepro.core.learners.greedy.adaboost import AdaBoost
from quadrepro.core.learners.greedy.adaboost_reg import AdaBoostReg
from quadrepro.core.learners.greedy.ebboost import EBBoost
from quadrepro.core.learners.greedy.loop import GreedyAlgorithm
from quadrepro.core.learners.greedy.quadboost import QuadBoost, Selection
from quadrepro.core.learners.grid import Grid
from quadrepro.proof.certificate import Rounds
from quadrepro.proof.conditions import AdaBoostRegSolution
from quadrepro.proof.greedy import DrawnTrajectory, FixedTrajectory, GreedySolution, fixed_run
from quadrepro.proof.solution import certificate_of
from tests.proof.solved import GREEDY, OVER_DRAWN, faults, solved

NAMES = [name for name in GREEDY if name != "adaboost, wine"]


def greedy(name: str) -> GreedySolution:
    found = solved(name)
    assert isinstance(found, GreedySolution)
    return found


def fixed(name: str) -> FixedTrajectory:
    run = greedy(name).run
    assert isinstance(run, FixedTrajectory)
    return run


def drawn(name: str) -> DrawnTrajectory:
    run = greedy(name).run
    assert isinstance(run, DrawnTrajectory)
    return run


def changed(name: str, run: FixedTrajectory | DrawnTrajectory) -> list[str]:
    return faults(replace(greedy(name), run=run))


@pytest.mark.parametrize("t", [1, 3])
@pytest.mark.parametrize("name", NAMES)
def test_a_pick_that_is_second_best_is_found(name: str, t: int) -> None:
    run = fixed(name)
    [seen] = run.rounds([t])
    signs = np.abs(seen.picked @ seen.signed) < len(seen.signed)
    others = np.flatnonzero(signs)
    edges = np.abs(seen.picked @ seen.signed[:, others])
    picks = run.picks.copy()
    # The voter most like the picked one, without being equal to it.
    picks[t - 1] = others[edges.argmax()]
    assert any(
        f.startswith(f"round {t}: the pick") for f in changed(name, replace(run, picks=picks))
    )


@pytest.mark.parametrize("t", [1, 4])
@pytest.mark.parametrize("name", NAMES)
def test_a_weight_that_is_off_by_a_millionth_is_found(name: str, t: int) -> None:
    run = fixed(name)
    weights = run.weights.copy()
    weights[t - 1] *= 1 + 1e-6
    found = changed(name, replace(run, weights=weights))
    assert any(fault.startswith(f"round {t}: the weight") for fault in found)


FALLS = "the fall of", "the least softened loss", "C-bound"
"""How the messages about objectives begin."""


@pytest.mark.parametrize("name", [name for name in NAMES if name != "hedge"])
def test_an_objective_that_rises_is_found(name: str) -> None:
    run = fixed(name)
    weights = run.weights.copy()
    weights[1] *= -1
    found = changed(name, replace(run, weights=weights))
    assert any(fault.startswith(tuple(f"round 2: {word}" for word in FALLS)) for fault in found)


@pytest.mark.parametrize("name", ["cb-boost, once", "gb-cb-boost"])
def test_a_voter_that_is_picked_twice_is_found(name: str) -> None:
    run = fixed(name)
    picks = run.picks.copy()
    picks[3] = picks[1]
    assert "round 4: the pick was in the vote before" in changed(name, replace(run, picks=picks))


@pytest.mark.parametrize("name", ["cb-boost", "gb-cb-boost", "adaboost", "ebboost", "quadboost"])
def test_a_vote_may_be_empty_only_if_no_voter_has_an_edge(name: str) -> None:
    run = replace(fixed(name), picks=np.zeros(0, np.intp), weights=np.zeros(0), n_asked=3)
    assert changed(name, run) != []
    balanced = np.where(np.arange(40)[:, None] % 2 == np.arange(2), 1.0, -1.0)
    assert changed(name, replace(run, signed=balanced)) == []


@pytest.mark.parametrize("name", NAMES)
def test_a_run_that_ended_too_early_is_found(name: str) -> None:
    run = fixed(name)
    short = replace(run, picks=run.picks[:3], weights=run.weights[:3], n_asked=30)
    found = changed(name, short)
    assert [fault.split(":")[0] for fault in found] == ["round 4"]


@pytest.mark.parametrize("name", OVER_DRAWN)
def test_another_drawn_stump_and_one_that_was_not_drawn_are_found(name: str) -> None:
    run = drawn(name)
    source = run.draw()
    source.begin(1)
    cuts, attributes = run.cuts.copy(), run.attributes.copy()
    [seen] = run.rounds([1])
    other = int(np.abs(seen.signed.sum(axis=0)).argmin())
    cuts[0], attributes[0] = source.cuts[other], source.attributes[other]
    found = changed(name, replace(run, cuts=cuts, attributes=attributes))
    assert any(fault.startswith("round 1: the pick") for fault in found)
    cuts[0] += 1
    found = changed(name, replace(run, cuts=cuts, attributes=attributes))
    assert "round 1: the pick is not a candidate" in found


@pytest.mark.parametrize("name", OVER_DRAWN)
def test_a_weight_of_a_drawn_stump_is_checked(name: str) -> None:
    run = drawn(name)
    weights = run.weights.copy()
    weights[1] *= 1 + 1e-6
    found = changed(name, replace(run, weights=weights))
    assert any(fault.startswith("round 2: the weight") for fault in found)


@pytest.mark.parametrize("name", ["abr", "abr, drawn"])
def test_false_influences_are_found(name: str) -> None:
    solution = greedy(name)
    assert isinstance(solution, AdaBoostRegSolution)
    influences = solution.influences.copy()
    influences[2, 5] *= 1 + 1e-6
    found = faults(replace(solution, influences=influences))
    assert any(fault.startswith("round 3: the influences") for fault in found)


def test_a_voter_without_error_must_decide() -> None:
    run = fixed("adaboost")
    perfect = np.ones((len(run.signed), 1))
    assert changed("adaboost", FixedTrajectory(perfect, np.array([0]), np.ones(1), 1)) == []
    first = replace(run, picks=run.picks[:1], weights=run.weights[:1], n_asked=2)
    two = replace(
        first,
        signed=np.hstack([run.signed, perfect]),
        picks=np.append(first.picks, run.signed.shape[1]),
        weights=np.append(first.weights, np.abs(first.weights) / 2),
    )
    assert "round 2: a voter without error does not decide" in changed("adaboost", two)


@pytest.mark.parametrize("selection", ["decrease", "correlation"])
def test_what_picks_a_voter_with_other_values_is_told_apart(
    make_problem: Callable[..., tuple[FloatArray, FloatArray]], selection: Selection
) -> None:
    H, y = make_problem(real=True)
    grid = Grid.of({"n_rounds": [20]})
    run = fixed_run(QuadBoost(selection=selection), H, y, grid)
    for checked in ("decrease", "correlation"):
        learner = QuadBoost(selection=checked)
        found = faults(replace(greedy("quadboost"), learner=learner, run=run))
        assert (found == []) == (checked == selection)


def test_rounds_of_a_sample_are_those_of_the_whole_run() -> None:
    run = fixed("adaboost, wine")
    every = {seen.t: seen for seen in run.rounds(range(1, 200))}
    for seen in run.rounds(sorted(Rounds(np.random.default_rng(1)).among(199))):
        np.testing.assert_allclose(
            seen.margins.astype(float), every[seen.t].margins.astype(float), rtol=0, atol=1e-13
        )
        assert (seen.pick, seen.weight) == (every[seen.t].pick, every[seen.t].weight)


@pytest.mark.parametrize(
    ("learner", "value"),
    [(AdaBoost(), np.nan), (EBBoost(), 0.5), (AdaBoostReg(), 3.0)],
    ids=["adaboost", "ebboost", "abr"],
)
def test_a_run_may_end_with_a_voter_without_error(
    learner: GreedyAlgorithm[Any], value: float
) -> None:
    rng = np.random.default_rng(0)
    H, y = rng.choice([-1.0, 1.0], (40, 6)), rng.choice([-1.0, 1.0], 40)
    H[:, 3] = -y
    axes = {"n_rounds": [20]} | ({learner.value_name: [value]} if learner.value_name else {})
    run = fixed_run(learner, H, y, Grid.of(axes))
    assert run.weights.tolist() == [-1.0]
    other, made = greedy("adaboost"), certificate_of(learner)
    assert issubclass(made, GreedySolution)
    solution = made({}, learner, other.cell, value, run, other.voters)
    assert faults(solution) == []
    # As the last voter is wrong once, the run should have gone on.
    signed = run.signed.copy()
    signed[0, 3] *= -1
    assert faults(replace(solution, run=replace(run, signed=signed))) != []


@pytest.mark.parametrize("name", ["adaboost, drawn", "adaboost, lagged"])
def test_a_round_too_many_is_found(name: str) -> None:
    run = drawn(name)
    # The last stump once more, with a weight that changes no error.
    longer = replace(
        run,
        attributes=np.append(run.attributes, run.attributes[-1]),
        cuts=np.append(run.cuts, run.cuts[-1]),
        weights=np.append(run.weights, 1e-9 * run.weights[-1]),
    )
    assert any(fault.startswith("an earlier round") for fault in changed(name, longer))
