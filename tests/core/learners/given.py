"""Voters whose matrix is given in place of attributes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from quadrepro.base.types import FloatArray
from quadrepro.core.learners.grid import Grid
from quadrepro.core.learners.learner import Algorithm, Part, Rng, TrainingData
from quadrepro.core.learners.trainers import VoteTrainer


@dataclass(frozen=True)
class Given:
    """The columns of X are the voters."""

    learn: ClassVar[bool] = False

    def matrices(self, train: Part, X_new: FloatArray, rng: Rng) -> tuple[FloatArray, FloatArray]:
        return train.X, X_new


def votes(
    algorithm: Algorithm, H: FloatArray, y: FloatArray, grids: Sequence[Grid], H_test: FloatArray
) -> VoteTrainer:
    """Return the trainer of votes over the columns of H."""
    test = Part(H_test, np.zeros(len(H_test)))
    data = TrainingData(Part(H, y), test, None, Given(), lambda name: np.random.default_rng(0))
    return VoteTrainer(algorithm, data, grids)
