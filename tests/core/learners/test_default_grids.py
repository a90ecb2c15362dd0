from __future__ import annotations

import math

import pytest

from quadrepro.config.axis import Axis
from quadrepro.core.learners.grid import Grid
from quadrepro.core.learners.registry import ALGORITHMS

MOST_CANDIDATES = 20


@pytest.mark.parametrize("name", ALGORITHMS)
def test_every_algorithm_has_a_small_grid_of_valid_values(name: str) -> None:
    learner = ALGORITHMS[name].make({})
    kinds = {h.name: h.kind for h in learner.hyperparameters}
    axes = {
        key: Axis.model_validate(values).resolve(kinds[key])
        for key, values in ALGORITHMS[name].grid.items()
    }
    assert {h.name for h in learner.hyperparameters if not h.optional} <= {*axes}
    learner.check(Grid.of(axes))
    assert math.prod(map(len, axes.values())) <= MOST_CANDIDATES
    assert max(axes.get("n_rounds", [0])) <= 10_000
