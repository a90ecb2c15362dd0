"""The contracts of quadrepro, and what only AdaBoost_ϱ promises."""

from __future__ import annotations

import numpy as np
import pytest
from quadrepro_margin.algorithm import AdaBoostRho
from quadrepro_margin.measure import least_margin

from quadrepro.core.learners.greedy.adaboost import AdaBoost
from quadrepro.core.learners.grid import Grid
from quadrepro.plugins import Contract, contracts_of
from quadrepro.plugins.contracts import trained

ADDED = {
    "algorithms": "adaboost-rho",
    "measures": "least_margin",
    "claims": "within",
    "tables": "spread",
}
CASES = [(contract, name) for kind, name in ADDED.items() for contract in contracts_of(kind)]


@pytest.mark.parametrize(("contract", "name"), CASES)
def test_the_contracts_hold(contract: Contract, name: str) -> None:
    contract(name)


def separable() -> tuple[np.ndarray, np.ndarray]:
    H = np.random.default_rng(0).choice([-1.0, 1.0], (60, 7))
    return H, np.sign(H[:, :3].sum(axis=1))


def test_without_a_margin_it_is_adaboost() -> None:
    H, y = separable()
    rounds = {"n_rounds": [1, 5, 40]}
    found = AdaBoostRho().path(H, y, Grid.of({"rho": [0.0], **rounds}))
    np.testing.assert_allclose(found, AdaBoost().path(H, y, Grid.of(rounds)), rtol=1e-12)


@pytest.mark.parametrize("rho", [0.1, 0.3])
def test_the_margin_that_it_aims_at_is_reached(rho: float) -> None:
    H, y = separable()  # of three voters, the majority has margin 1/3
    [weights] = AdaBoostRho().path(H, y, Grid.of({"rho": [rho], "n_rounds": [2000]}))
    assert (y * (H @ weights)).min() / np.abs(weights).sum() >= rho


def test_no_vote_has_a_margin_above_the_largest_edge() -> None:
    H, y = separable()
    [weights] = AdaBoostRho().path(H, y, Grid.of({"rho": [0.9], "n_rounds": [10]}))
    assert not weights.any()


def test_the_least_margin_is_that_of_the_worst_example() -> None:
    of = trained("least_margin")
    assert of.H is not None
    margins = of.y * (of.votes @ of.H.T) / np.abs(of.votes).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(least_margin(of), margins.min(axis=1))
