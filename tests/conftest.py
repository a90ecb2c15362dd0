"""Small problems that many tests share."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from quadrepro.voters.reduction import FloatArray

Problem = tuple[FloatArray, FloatArray]


@pytest.fixture
def make_problem() -> Callable[..., Problem]:
    """Return a function that draws a voter matrix and noisy labels."""

    def make(m: int = 60, n: int = 12, *, seed: int = 0, real: bool = False) -> Problem:
        rng = np.random.default_rng(seed)
        H = rng.uniform(-1, 1, (m, n)) if real else rng.choice([-1.0, 1.0], (m, n))
        score = H[:, : max(1, n // 2)].sum(axis=1) + rng.normal(0, 1.5, m)
        return H, np.where(score > 0, 1.0, -1.0)

    return make


@pytest.fixture
def problem(make_problem: Callable[..., Problem]) -> Problem:
    return make_problem()
