from __future__ import annotations

import numpy as np
import pytest

from quadrepro.core.learners.programs.cqboost import CqBoostSolution


@pytest.mark.parametrize(("dual", "gap"), [(0.01, 0.0), (0.02, 1.0), (0.0, 1.0)])
def test_the_gap_is_relative_to_the_primal_objective(dual: float, gap: float) -> None:
    solution = CqBoostSolution(
        voter_weights=np.ones(1),
        primal=0.01,
        dual=dual,
        status="optimal",
        residual=0.0,
        edges=np.zeros(1),
        beta=0.0,
        nu=0.0,
        best=(0, -1.0),
        excess=0.0,
    )
    assert solution.gap == pytest.approx(gap)
