"""Small problems that contracts try things on."""

from __future__ import annotations

from typing import Any

import numpy as np

from quadrepro.base.types import FloatArray
from quadrepro.config.axis import Axis
from quadrepro.core.learners.grid import Grid
from quadrepro.core.learners.learner import Entry, Learner
from quadrepro.core.learners.registry import find_entry

MOST_ROUNDS = 12
"""Rounds of a contract, which takes a moment."""


def entry_of(name: str) -> Entry:
    """Return the entry of an algorithm of the registry."""
    entry = find_entry(name)
    assert isinstance(entry, Entry), f"{name} is not an algorithm of a registry"
    return entry


def votes(n: int = 40) -> tuple[FloatArray, FloatArray]:
    """Return a voter matrix with equal and opposite voters and equal examples, and labels."""
    rng = np.random.default_rng(5)
    H = rng.choice([-1.0, 1.0], (n, 9))
    H[:, 3], H[:, 4] = H[:, 0], -H[:, 1]
    H[n // 2 : n // 2 + 4] = H[:4]
    noisy = H[:, 0] + H[:, 1] + H[:, 2] + rng.normal(size=n)
    y = np.where(noisy > 0, 1.0, -1.0)
    y[n // 2 : n // 2 + 4] = y[:4]
    return H, y


def attributes(n: int = 40) -> tuple[FloatArray, FloatArray]:
    """Return attributes, one of them constant, and labels."""
    rng = np.random.default_rng(6)
    X = rng.normal(size=(n, 4))
    X[:, 3] = 2.0
    return X, np.where(X[:, 0] + X[:, 1] * X[:, 2] > 0.1, 1.0, -1.0)


def small_grid(name: str, learner: Learner) -> Grid:
    """Return the first and the last default value of each hyper-parameter, and few rounds."""
    found: dict[str, Any] = {}
    known = {h.name: h for h in learner.hyperparameters}
    for key, axis in (entry_of(name).grid or entry_of(name).grid).items():
        if key == "n_rounds":
            found[key] = [3, MOST_ROUNDS]
        elif key in known:
            values = Axis.model_validate(axis).resolve(known[key].kind)
            found[key] = list(dict.fromkeys([values[0], values[-1]]))
    needed = [h.name for h in known.values() if not h.optional and h.name not in found]
    assert not needed, f"the entry has no grid for {', '.join(needed)}"
    return Grid.of(found)
