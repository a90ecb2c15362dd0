"""Four votes of three voters, trained on four examples and tested on two."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from quadrepro.base.types import FloatArray
from quadrepro.core.measures.measure import Trained
from quadrepro.core.seeds import generator

H = np.array([[1.0, 1, -1], [1, -1, -1], [-1, -1, 1], [-1, 1, 1]])
Y = np.array([1.0, 1, -1, -1])
H_TEST = np.array([[1.0, -1, 1], [1, 1, 1]])
Y_TEST = np.array([-1.0, 1])
WEIGHTS = np.array([[0.0, 0, 0], [0.5, 0, 0], [0.5, 0, 1], [0.25, -1, 0]])


@pytest.fixture
def train() -> Callable[..., Trained]:
    """Return a function that gives the votes with some weights."""

    def trained(weights: FloatArray = WEIGHTS) -> Trained:
        def rng(name: str) -> np.random.Generator:
            return generator(3, "here", name)

        return Trained(Y, Y_TEST, weights @ H.T, weights @ H_TEST.T, H, weights, rng)

    return trained


@pytest.fixture
def trained(train: Callable[..., Trained]) -> Trained:
    return train()
