from __future__ import annotations

import pytest

from quadrepro.base.types import FloatArray
from quadrepro.core.learners.grid import Grid
from quadrepro.core.learners.qp_reg import RegularizedQP

Problem = tuple[FloatArray, FloatArray]


def test_the_values_of_the_price_run_from_simple_to_complex(problem: Problem) -> None:
    with pytest.raises(ValueError, match="the values of C must increase"):
        RegularizedQP().path(*problem, Grid.of({"C": [1.0, 0.5]}))
