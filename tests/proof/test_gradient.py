from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from quadrepro.core.learners.gradient.trees import TreeFitter
from quadrepro.proof.gradient import GradientSolution, best_gain, cut_gain
from tests.proof.solved import TREES, faults, solved


def changed(name: str, k: int, **fields: Any) -> list[str]:
    """Return the faults if fields of the tree of round k are replaced."""
    found = solved(name)
    assert isinstance(found, GradientSolution)
    trees = list(found.trees)
    trees[k - 1] = trees[k - 1]._replace(**fields)
    return faults(replace(found, trees=trees))


def tree(name: str, k: int) -> Any:
    found = solved(name)
    assert isinstance(found, GradientSolution)
    return found.trees[k - 1]


@pytest.mark.parametrize("k", [1, 3])
@pytest.mark.parametrize("name", TREES)
def test_a_weight_that_is_off_by_a_millionth_is_found(name: str, k: int) -> None:
    weight = tree(name, k).weight * (1 + 1e-6)
    found = changed(name, k, weight=weight)
    words = ("the weight", "the derivative along the tree", "the truncation")
    assert any(f.startswith(f"round {k}: ") and any(w in f for w in words) for f in found)


@pytest.mark.parametrize("name", TREES)
def test_the_value_of_a_leaf_that_is_off_by_a_millionth_is_found(name: str) -> None:
    values = tree(name, 2).values.copy()
    values[np.abs(values).argmax()] *= 1 + 1e-6
    found = changed(name, 2, values=values)
    assert any(fault.startswith("round 2: the value of a leaf") for fault in found)


@pytest.mark.parametrize("name", [name for name in TREES if name.startswith("r")])
def test_a_false_re_scaling_is_found(name: str) -> None:
    found = changed(name, 2, shrink=tree(name, 2).shrink + 1e-6)
    assert any(fault.startswith("round 2: the re-scaling") for fault in found)


@pytest.mark.parametrize("name", ["boosting, classes", "boosting, numbers", "boosting, deep"])
def test_a_cut_between_other_neighbours_is_found(name: str) -> None:
    found = solved(name)
    assert isinstance(found, GradientSolution)
    thresholds = tree(name, 1).thresholds.copy()
    column = np.sort(found.X[:, tree(name, 1).features[0]])
    thresholds[0] = column[column > thresholds[0]][0]
    faulty = changed(name, 1, thresholds=thresholds)
    assert any(fault.startswith("round 1: the pick") for fault in faulty)


@pytest.mark.parametrize("name", ["boosting, classes", "boosting, numbers", "boosting, deep"])
def test_a_cut_that_is_missing_is_found(name: str) -> None:
    thresholds = tree(name, 1).thresholds.copy()
    thresholds[-1] = np.inf
    found = changed(name, 1, thresholds=thresholds)
    assert "round 1: a leaf of the tree could be cut" in found


def test_gains_are_those_of_every_threshold() -> None:
    rng = np.random.default_rng(0)
    for _ in range(20):
        X = rng.integers(0, 4, (15, 2)).astype(float)
        targets, inside = rng.normal(size=15).astype(np.longdouble), rng.random(15) < 0.8
        gains = []
        for column in X.T:
            for threshold in (0.5, 1.5, 2.5):
                right = inside & (column > threshold)
                parts = [targets[inside & ~right], targets[right]]
                whole = ((targets[inside] - targets[inside].mean()) ** 2).sum()
                rest = sum(((part - part.mean()) ** 2).sum() for part in parts if len(part))
                gain = np.sqrt(float(max(whole - rest, 0)))
                assert float(cut_gain(targets, inside, right)) == pytest.approx(gain, abs=1e-7)
                gains.append(gain)
        assert best_gain(X, targets, inside) == pytest.approx(max(gains), abs=1e-9)


def test_leaves_are_those_of_the_tree() -> None:
    found = solved("boosting, deep")
    assert isinstance(found, GradientSolution)
    first = found.trees[0]
    trees, leaves = TreeFitter(found.X, depth=3).fit(found.y[None])
    np.testing.assert_array_equal(first.leaves(found.X), leaves[0])
    np.testing.assert_array_equal(first.values, trees.values[0])


def test_a_truncated_step_along_which_the_loss_rises_is_found() -> None:
    found = solved("rtboosting, classes")
    assert isinstance(found, GradientSolution)
    # The second step is at its bound.
    faulty = changed("rtboosting, classes", 2, weight=-found.trees[1].weight)
    assert any(fault.startswith("round 2: the truncation") for fault in faulty)
