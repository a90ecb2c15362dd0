from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from quadrepro.base.types import FloatArray


@pytest.fixture
def one_thread() -> Iterator[None]:
    """Threads of HistGradientBoosting would wait for each other on so few examples."""
    with threadpool_limits(limits=1):
        yield


@pytest.fixture
def examples() -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return 90 examples, noisy labels, and 90 new examples."""
    draws = np.random.default_rng(4)
    X = draws.normal(size=(90, 4))
    return X, np.where(X[:, 0] * X[:, 1] + draws.normal(0, 0.5, 90) > 0, 1.0, -1.0), X[::-1] + 0.1
