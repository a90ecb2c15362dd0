"""An algorithm some of whose candidates have no solution."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from quadrepro.base.types import FloatArray
from quadrepro.core.learners.grid import Grid, Hyperparameter
from quadrepro.core.learners.learner import Algorithm
from quadrepro.core.voters.reduction import VotingProblem


@dataclass(frozen=True)
class Limited(Algorithm):
    """Gives every voter one weight, which has no solution above 2, or on one sample above 1."""

    hyperparameters: ClassVar[tuple[Hyperparameter, ...]] = (
        Hyperparameter("weight", "any", "small", "weight of every voter"),
    )

    def limit(self, problem: VotingProblem) -> str:
        return f"weight must be at most 1 for {problem.n_samples} samples"

    def _paths(self, problem: VotingProblem, grid: Grid) -> FloatArray:
        values = np.array(grid.axis("weight"), dtype=np.float64)
        found = np.tile(values, (problem.n_samples, 1))
        found[:, values > 2] = np.nan
        found[0, values > 1] = np.nan
        return np.repeat(found[:, :, None], problem.H.shape[1], axis=2)


def weights(*values: float) -> Grid:
    return Grid.of({"weight": values})


ONE_VOTER = np.array([[1.0], [-1.0], [1.0], [-1.0]])
FOLD = np.array([0, 0, 1, 1])
