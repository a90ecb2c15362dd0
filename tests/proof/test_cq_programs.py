from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from quadrepro.proof.programs import CqBoostVoteSolution, MinCqSolution, _best_eta
from tests.proof.solved import faults, solved


def cqboost(name: str) -> CqBoostVoteSolution:
    found = solved(name)
    assert isinstance(found, CqBoostVoteSolution)
    return found


def mincq(name: str) -> MinCqSolution:
    found = solved(name)
    assert isinstance(found, MinCqSolution)
    return found


@pytest.mark.parametrize("name", ["mincq", "mincq-on-cb-boost"])
def test_a_weight_beyond_its_bound_is_found(name: str) -> None:
    solution = mincq(name)
    weights = solution.weights.copy()
    weights[np.abs(weights).argmax()] = 1.001 / len(weights)
    found = faults(replace(solution, weights=weights))
    assert any("MinCq's constraints" in fault for fault in found)


def test_an_edge_that_cqboost_left_is_found() -> None:
    solution = cqboost("cqboost, limited")
    assert faults(solution) == []
    found = faults(replace(solution, limited=False))
    assert any("the edge that is left" in fault for fault in found)


def test_another_first_voter_of_cqboost_is_found() -> None:
    solution = cqboost("cqboost, limited")
    found = faults(replace(solution, added=solution.added[::-1], signs=solution.signs[::-1]))
    assert any(fault.startswith("round 1: the pick") for fault in found)


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


@pytest.mark.parametrize("name", ["cqboost", "cqboost, limited"])
def test_another_voter_of_a_later_round_is_found(name: str) -> None:
    solution = cqboost(name)
    added = solution.added.copy()
    others = np.setdiff1d(np.arange(solution.signed.shape[1]), added)
    added[2] = others[0]
    found = faults(replace(solution, added=added))
    assert any(fault.startswith("round 3: the pick") for fault in found)


def test_the_price_of_the_margin_is_checked() -> None:
    solution = cqboost("cqboost")
    found = faults(replace(solution, betas=[*solution.betas[:-1], solution.betas[-1] * 1.001]))
    assert found != []


def test_voters_of_cb_boost_that_are_not_its_own_are_found() -> None:
    solution = mincq("mincq-on-cb-boost")
    assert solution.before is not None
    run = solution.before.run
    weights = run.weights.copy()
    weights[2] *= 1 + 1e-6
    before = replace(solution.before, run=replace(run, weights=weights))
    found = faults(replace(solution, before=before))
    assert any(fault.startswith("round 3: the weight") for fault in found)


@pytest.mark.parametrize("share", [1 + 1e-6, 1 - 1e-6])
def test_weights_that_add_up_to_more_than_1_and_a_low_margin_are_found(share: float) -> None:
    solution = cqboost("cqboost")
    found = faults(replace(solution, weights=solution.weights * share))
    assert any("CqBoost's constraints" in fault for fault in found)


@pytest.mark.parametrize("name", ["mincq", "mincq-on-cb-boost"])
def test_a_vote_with_the_mean_margin_that_is_not_optimal_is_found(name: str) -> None:
    solution = mincq(name)
    margins = solution.signed.mean(axis=0)
    weights = solution.mu * np.sign(margins) / np.abs(margins).sum()
    [found] = faults(replace(solution, weights=weights))
    assert found.startswith("MinCq's gap")
