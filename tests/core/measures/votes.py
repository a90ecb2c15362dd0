"""Votes to be measured."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st

from quadrepro.base.types import FloatArray
from quadrepro.core.measures.measure import Trained, evaluate
from quadrepro.core.measures.names import MEASURES
from quadrepro.core.seeds import generator
from quadrepro.core.training.algorithms import ALGORITHMS
from quadrepro.core.training.grid import Grid

H = np.array([[1.0, 1, -1], [1, -1, -1], [-1, -1, 1], [-1, 1, 1]])
Y = np.array([1.0, 1, -1, -1])
H_TEST = np.array([[1.0, -1, 1], [1, 1, 1]])
Y_TEST = np.array([-1.0, 1])
WEIGHTS = np.array([[0.0, 0, 0], [0.5, 0, 0], [0.5, 0, 1], [0.25, -1, 0]])


def votes_of(H: FloatArray, y: FloatArray, weights: FloatArray, seed: int = 0) -> Trained:
    """Return votes of the voters H, which are tested on the examples that they were trained on."""
    scores = weights @ H.T
    return Trained(y, y, scores, scores, H, weights, lambda name: generator(seed, name))


def four_votes(weights: FloatArray = WEIGHTS) -> Trained:
    """Return votes of three voters, trained on four examples and tested on two."""
    return Trained(Y, Y_TEST, weights @ H.T, weights @ H_TEST.T, H, weights)


def path_of(name: str, H: FloatArray, y: FloatArray, n_rounds: int) -> FloatArray:
    """Return the weights after 1, 2, ..., n_rounds rounds of an algorithm."""
    algorithm: Any = ALGORITHMS[name].make({})
    return np.asarray(
        algorithm.path(H, y, Grid.from_values({"n_rounds": list(range(1, n_rounds + 1))}))
    )


def measured(name: str, trained: Trained) -> FloatArray:
    """Return one measure of all candidates."""
    return np.array(evaluate({name: MEASURES[name]}, trained)[name])


def random_problem(seed: int) -> tuple[FloatArray, FloatArray]:
    """Draw five voters and labels of nine examples: no voter has just half right."""
    signs = np.random.default_rng(seed).choice([-1.0, 1.0], (9, 6))
    return signs[:, :5], signs[:, 5]


Problem = tuple[FloatArray, FloatArray]
problems = st.integers(0, 10**6).map(random_problem)
