"""Boosted trees have the same bits on another processor."""

from __future__ import annotations

import pytest

from tests.processors import lines_of

CODE = """
import hashlib
import numpy as np
from quadrepro.core.learners.gradient.boosting import STEPS, GradientBoost
from quadrepro.core.learners.grid import Grid

rng = np.random.default_rng(0)
X = np.hstack([rng.normal(size=(333, 3)), rng.integers(0, 4, (333, 2))])
y = X[:, 0] * X[:, 3] + X[:, 1] + rng.normal(size=333)
values = {"shrink": "nu", "rescale": "u", "epsilon": "eps"}
values |= {"rescale-truncate": "u", "rescale-epsilon": "eps"}
labels = np.where(y > 1, 1.0, -1.0)
for step in STEPS:
    own = {values[step]: [0.1, 0.5, 1.0]} if step in values else {}
    grid = Grid.of({**own, "n_rounds": [1, 10, 60]})
    for loss, targets in (("l2", y), ("logistic", labels), ("exponential", labels)):
        algorithm = GradientBoost(step, loss, cuts=3)
        scores = algorithm.predictions(X[:250], targets[:250], [grid], X, rng)
        print(step, loss, hashlib.sha256(scores.tobytes()).hexdigest())
"""


@pytest.mark.slow
def test_an_older_processor_and_plain_numpy_give_the_same_bits() -> None:
    # numpy takes no notice of features that it does not know.
    older = lines_of(
        CODE, NPY_DISABLE_CPU_FEATURES="X86_V3 X86_V4 AVX512_ICL AVX512_SPR", QUADREPRO_JIT="0"
    )
    assert older == lines_of(CODE)
    assert len(older) == 21
