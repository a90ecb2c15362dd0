"""What the paths of all algorithms that give votes have in common."""

from __future__ import annotations

from typing import cast

import numpy as np
import pytest

from quadrepro.base.types import FloatArray
from quadrepro.config.axis import Axis
from quadrepro.core.learners.grid import Grid
from quadrepro.core.learners.learner import Algorithm
from quadrepro.core.learners.registry import ALGORITHMS

VOTES = [name for name, entry in ALGORITHMS.items() if entry.learner.gives_votes]
each_vote = pytest.mark.parametrize("name", VOTES)


def learner_of(name: str) -> Algorithm:
    return cast(Algorithm, ALGORITHMS[name].make({}))


def grid_of(name: str) -> Grid:
    """Return the ends of the default grid, and few rounds."""
    known = {h.name: h for h in learner_of(name).hyperparameters}
    axes = {key: Axis.model_validate(axis) for key, axis in ALGORITHMS[name].grid.items()}
    ends = {
        key: axis.resolve(known[key].kind)[:: max(1, len(axis) - 1)] for key, axis in axes.items()
    }
    return Grid.of(ends | ({"n_rounds": [3, 12]} if "n_rounds" in ends else {}))


def draw(n: int = 40) -> tuple[FloatArray, FloatArray]:
    """Return a voter matrix with equal and opposite voters and equal examples, and labels."""
    rng = np.random.default_rng(5)
    H = rng.choice([-1.0, 1.0], (n, 9))
    H[:, 3], H[:, 4] = H[:, 0], -H[:, 1]
    H[20:24] = H[:4]
    y = np.where(H[:, 0] + H[:, 1] + H[:, 2] + rng.normal(size=n) > 0, 1.0, -1.0)
    y[20:24] = y[:4]
    return H, y


def assert_close(found: FloatArray, expected: FloatArray) -> None:
    # A solver may add up in another order.
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-8)


@each_vote
def test_a_candidate_is_the_same_alone_and_among_others(name: str) -> None:
    (H, y), learner, grid = draw(), learner_of(name), grid_of(name)
    path = learner.path(H, y, grid)
    assert path.shape == (len(grid), 9)
    for candidate, weights in zip(grid.candidates, path, strict=True):
        alone = Grid.of({key: [value] for key, value in candidate.items()})
        assert_close(learner.path(H, y, alone)[0], weights)


@each_vote
def test_a_sample_gives_the_weights_of_repeated_examples_in_any_order(name: str) -> None:
    (H, y), learner, grid = draw(), learner_of(name), grid_of(name)
    rng = np.random.default_rng(7)
    samples = rng.integers(0, 3, (2, len(y)))
    for counts, path in zip(samples, learner.path(H, y, grid, samples * 1.0), strict=True):
        rows = rng.permutation(np.repeat(np.arange(len(y)), counts))
        assert_close(path, learner.path(H[rows], y[rows], grid))
