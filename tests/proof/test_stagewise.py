from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from quadrepro.core.learners.gradient.trees import GrownTrees
from quadrepro.proof.stagewise import StagewiseSolution
from tests.proof.solved import STAGEWISE, faults, solved

TREES = [name for name in STAGEWISE if name not in ("samme, weak", "gentle-adaboost, more classes")]
LONG = [name for name in TREES if name != "samme, apart"]


def solution(name: str) -> StagewiseSolution:
    found = solved(name)
    assert isinstance(found, StagewiseSolution)
    return found


def changed(name: str, k: int, weight: float = 1.0, **fields: Any) -> list[str]:
    """Return the faults if the weight of round k grows by a factor, and parts of its trees change.

    A part is changed by a function of an array that may be written to.
    """
    found = solution(name)
    additions = list(found.additions)
    fitted = additions[k - 1].fitted
    if fields:
        assert isinstance(fitted, GrownTrees)
        new = {key: getattr(fitted, key).copy() for key in fields}
        for key, change in fields.items():
            change(new[key])
        fitted = replace(fitted, **new)
    old = additions[k - 1]
    additions[k - 1] = replace(old, fitted=fitted, weight=old.weight * weight)
    return faults(replace(found, additions=additions))


@pytest.mark.parametrize("name", [name for name in STAGEWISE if name in TREES or "weak" in name])
def test_a_weight_that_is_off_by_a_millionth_is_found(name: str) -> None:
    found = changed(name, 1, 1 + 1e-6)
    assert any(fault.startswith("round 1: the weight") for fault in found)


@pytest.mark.parametrize("name", TREES)
def test_the_value_of_a_leaf_that_is_off_by_a_millionth_is_found(name: str) -> None:
    def change(values: Any) -> None:
        values.flat[np.abs(values).argmax()] *= 1 + 1e-6

    found = changed(name, 1, values=change)
    assert any(fault.startswith("round 1: the value of a leaf") for fault in found)


@pytest.mark.parametrize("name", LONG)
def test_a_cut_between_other_neighbours_is_found(name: str) -> None:
    tree: Any = solution(name).additions[1].fitted
    column = np.unique(solution(name).X[:, tree.features[0, 0]])
    above = column[column > tree.thresholds[0, 0]]
    other = above[0] if len(above) > 1 else column[column <= tree.thresholds[0, 0]][-1] - 1e-9

    def change(thresholds: Any) -> None:
        thresholds[0, 0] = other

    found = changed(name, 2, thresholds=change)
    assert any(fault.startswith("round 2: the pick") for fault in found)


@pytest.mark.parametrize("name", LONG)
def test_a_cut_that_is_missing_is_found(name: str) -> None:
    def change(thresholds: Any) -> None:
        thresholds[0, -1] = np.inf

    assert "round 1: a leaf of the tree could be cut" in changed(name, 1, thresholds=change)


@pytest.mark.parametrize("name", ["logitboost", "real-adaboost", "gentle-adaboost"])
def test_a_run_that_ends_too_early_is_found(name: str) -> None:
    found = solution(name)
    faulty = replace(found, additions=found.additions[:-1])
    assert faults(faulty) == ["the run ends too early"]


def test_a_run_that_goes_on_after_a_vote_without_error_is_found() -> None:
    found = solution("samme, apart")
    faulty = replace(found, additions=[*found.additions, found.additions[-1]])
    n = len(faulty.additions)
    assert f"round {n}: the run should have ended before" in faults(faulty)
