"""Each contract finds the measure or the metric that breaks it."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from quadrepro.base.types import FloatArray
from quadrepro.core.measures.measure import MEASURES, Measure, Trained
from quadrepro.engine.metrics import METRICS, Metric
from quadrepro.plugins import contracts

CALLS = itertools.count()


def restless(trained: Trained) -> FloatArray:
    return np.full(trained.n_candidates, float(next(CALLS)))


def needs_voters(trained: Trained) -> FloatArray:
    return np.abs(trained.votes).sum(axis=1)


def relative(trained: Trained) -> FloatArray:
    errors = trained.scores.mean(axis=1)
    return np.asarray(errors / errors[-1])


def single(trained: Trained) -> FloatArray:
    return np.zeros(1)


@pytest.mark.parametrize(
    ("function", "contract"),
    [
        (single, contracts.every_candidate_has_a_number),
        (restless, contracts.the_same_numbers_twice),
        (needs_voters, contracts.what_it_needs_is_all_that_it_uses),
        (relative, contracts.candidates_are_measured_one_by_one),
    ],
)
def test_a_measure_that_breaks_a_contract_is_found(
    monkeypatch: pytest.MonkeyPatch, function: Callable[[Trained], FloatArray], contract: Any
) -> None:
    monkeypatch.setitem(MEASURES.places, "mine", Measure("mine", function))
    with pytest.raises((AssertionError, ValueError)):
        contract("mine")


def test_a_measure_without_a_title_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(MEASURES.places, "mine", Measure("", needs_voters))
    with pytest.raises(AssertionError, match="no title"):
        contracts.tables_can_show_it("mine")


@pytest.mark.parametrize(
    ("changes", "contract", "message"),
    [
        ({"name": "yours"}, contracts.a_metric_has_the_name_of_its_entry, "its name is 'yours'"),
        (
            {"greater_is_better": False},
            contracts.right_outputs_are_not_worse,
            "right outputs have 1, wrong ones 0",
        ),
        (
            {"function": lambda y, output, n: float(next(CALLS))},
            contracts.a_metric_is_the_same_twice,
            "two calls give other numbers",
        ),
        (
            {"function": lambda y, output, n: float(y[0])},
            contracts.a_metric_is_the_same_twice,
            "the order matters",
        ),
    ],
)
def test_a_metric_that_breaks_a_contract_is_found(
    monkeypatch: pytest.MonkeyPatch, changes: dict[str, Any], contract: Any, message: str
) -> None:
    right: dict[str, Any] = {
        "name": "mine",
        "label": "mine",
        "tasks": ("classification",),
        "needs": "predictions",
        "function": lambda y, output, n: float((y == output).mean()),
    }
    monkeypatch.setitem(METRICS.places, "mine", Metric(**(right | changes)))
    with pytest.raises(AssertionError, match=message):
        contract("mine")
