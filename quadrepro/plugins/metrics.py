"""What a metric must keep to, so that tables can rank by it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quadrepro.base.types import Task
from quadrepro.engine.metrics import find_metric
from quadrepro.plugins import Contract

Case = tuple[NDArray[Any], NDArray[Any], NDArray[Any], int]
"""Targets, outputs that are right, outputs that are not, and the number of classes."""


def case(name: str, task: Task) -> Case:
    """Return targets with good and bad outputs of a task, as a metric is given them."""
    rng, metric = np.random.default_rng(9), find_metric(name)
    n_classes = {"classification": 2, "multiclass": 3, "regression": 0}[task]
    if not n_classes:
        numbers = rng.uniform(1, 2, 30)
        return numbers, numbers + 0.01, numbers[::-1] + 1.0, 0
    y = np.arange(30) % n_classes
    wrong = (y + 1) % n_classes
    if metric.needs == "predictions":
        return y, y, wrong, n_classes
    good, bad = (0.8 * np.eye(n_classes)[of] + 0.2 / n_classes for of in (y, wrong))
    if metric.needs == "scores" and n_classes == 2:
        return y, good[:, 1] - 0.5, bad[:, 1] - 0.5, 2
    return y, good, bad, n_classes


def its_name_is_that_of_its_entry(name: str) -> None:
    """It has the name of its entry, a label and a task."""
    metric = find_metric(name)
    assert metric.name == name, f"its name is {metric.name!r}"
    assert metric.label, "it has no label"
    assert metric.tasks, "it judges no task"


def right_outputs_are_not_worse(name: str) -> None:
    """It is a number, and right outputs are at least as good as wrong ones."""
    metric = find_metric(name)
    for task in metric.tasks:
        y, good, bad, n_classes = case(name, task)
        best, worst = (float(metric.function(y, of, n_classes)) for of in (good, bad))
        assert math.isfinite(best), f"{task}: right outputs have no value"
        better = best >= worst if metric.greater_is_better else best <= worst
        assert better, f"{task}: right outputs have {best:g}, wrong ones {worst:g}"


def the_same_number_twice(name: str) -> None:
    """It gives the same number twice, and in any order of the examples."""
    metric = find_metric(name)
    for task in metric.tasks:
        y, good, _, n_classes = case(name, task)
        found = [float(metric.function(y, good, n_classes)) for _ in range(2)]
        found.append(float(metric.function(y[::-1], good[::-1], n_classes)))
        assert found[0] == found[1], f"{task}: two calls give other numbers"
        assert math.isclose(found[0], found[2], rel_tol=1e-9), f"{task}: the order matters"


CONTRACTS: tuple[Contract, ...] = (
    its_name_is_that_of_its_entry,
    right_outputs_are_not_worse,
    the_same_number_twice,
)
