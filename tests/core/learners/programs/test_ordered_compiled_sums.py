"""Compiled and plain sums of rows have the same bits."""

from __future__ import annotations

import numpy as np
import pytest

from quadrepro.core import compiling
from quadrepro.core.learners.programs.ordered import weighted_sum
from tests.loops import set_compiled


@pytest.mark.skipif(not compiling.enabled(), reason="numba is not installed")
@pytest.mark.parametrize(("m", "n"), [(300, 40), (40, 300), (1, 5), (5, 1), (200, 1), (0, 3)])
@pytest.mark.parametrize("whole", [False, True])
def test_compiled_and_plain_bits_are_equal(m, n, whole, monkeypatch):
    rng = np.random.default_rng(m)
    weights, rows = rng.normal(size=m) * 10.0 ** rng.integers(-9, 9, m), rng.normal(size=(m, n))
    rows = np.sign(rows) if whole else rows
    weights[::3] *= 0.0  # among them -0.0
    compiled = weighted_sum(weights, rows)
    set_compiled(monkeypatch, False)
    assert compiled.tobytes() == weighted_sum(weights, rows).tobytes()
