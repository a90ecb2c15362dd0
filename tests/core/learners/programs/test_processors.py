"""The votes of all programs have the same bits on another processor."""

from __future__ import annotations

import pytest

from tests.processors import lines_of

CODE = """
import hashlib
import numpy as np
from quadrepro.core.learners.grid import Grid
from quadrepro.core.learners.lp_reg import RegularizedLP
from quadrepro.core.learners.lpboost import LPBoost
from quadrepro.core.learners.mincq import MinCq, MinCqOnCBBoost
from quadrepro.core.learners.qp_reg import RegularizedQP

rng = np.random.default_rng(0)
y = np.where(rng.random(90) < 0.5, 1.0, -1.0)
H = np.where(rng.random((90, 60)) < 0.6, y[:, None], -y[:, None])
runs = [
    (RegularizedQP(n_rounds=40), {"C": [0.001, 0.01, 0.1, 1.0, 10.0]}),
    (MinCq(), {"mu": [0.15, 0.1, 0.03, 0.003]}),
    (MinCqOnCBBoost(), {"n_rounds": [1, 5, 20]}),
    (LPBoost(), {"C": [0.01, 0.03, 0.1, 0.3]}),
    (RegularizedLP(n_rounds=40), {"nu": [1.0, 0.5, 0.3, 0.1]}),
]
for algorithm, grid in runs:
    path = algorithm.path(H, y, Grid.of(grid))
    print(type(algorithm).__name__, hashlib.sha256(path.tobytes()).hexdigest())
"""


@pytest.mark.slow
def test_an_older_processor_and_plain_numpy_give_the_same_bits() -> None:
    # OpenBLAS takes the kernels of the processor that is named; other BLAS take no notice.
    older = lines_of(CODE, OPENBLAS_CORETYPE="Nehalem", QUADREPRO_JIT="0")
    assert older == lines_of(CODE)
    assert len(older) == 5
