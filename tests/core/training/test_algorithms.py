from __future__ import annotations

import math
from dataclasses import fields

import pytest
from pydantic import ValidationError

from quadrepro.base.models import faults_at
from quadrepro.config.axis import Axis
from quadrepro.core.learners.quadboost import QuadBoost
from quadrepro.core.training.algorithms import ALGORITHMS, find_registered
from quadrepro.core.training.contract import Learner
from quadrepro.core.training.estimator import RegisteredEstimator
from quadrepro.core.training.grid import Grid


@pytest.mark.parametrize("name", ALGORITHMS)
def test_every_entry_makes_an_algorithm_with_its_defaults_and_has_a_small_grid(name: str) -> None:
    entry = find_registered(name)
    learner = entry.make({})
    assert type(learner) is entry.learner
    assert issubclass(entry.learner, Learner)
    assert bool(learner.hyperparameters) == (name != "baseline")
    assert entry.source
    if isinstance(entry, RegisteredEstimator):
        assert set(entry.settings) == set(entry.names({}))
        return
    kinds = {h.name: h.kind for h in learner.hyperparameters}
    axes = {k: Axis.model_validate(v).resolve(kinds[k]) for k, v in entry.grid.items()}
    assert {h.name for h in learner.hyperparameters if not h.optional} <= {*axes}
    learner.check(Grid.from_values(axes))
    assert math.prod(map(len, axes.values())) <= 20
    assert max(axes.get("n_rounds", [0])) <= 10_000
    assert {key: getattr(learner, key) for key in entry.preset} == entry.preset
    assert {key: getattr(learner, key) for key in entry.settings} == entry.settings
    named = {f.name for f in fields(entry.learner)}
    assert set(entry.settings) == named - set(entry.preset)


def test_settings_are_checked() -> None:
    entry = ALGORITHMS["quadboost-l2"]
    assert entry.make({"reweight": True}) == QuadBoost("l2", reweight=True)
    with pytest.raises(ValidationError, match="rewaight"):
        entry.make({"rewaight": True})
    with pytest.raises(ValidationError, match="reweight"):
        entry.make({"reweight": "little"})
    with pytest.raises(ValueError, match="power must be 1 or 2"), faults_at():
        ALGORITHMS["abr"].make({"power": 3})


def test_a_preset_cannot_be_changed() -> None:
    entry = ALGORITHMS["rboosting"]
    assert "step" not in entry.settings
    assert entry.make({"step": "full"}) == entry.make({})
