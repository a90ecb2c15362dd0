"""What the tests of samples share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from quadrepro.data.rules import draw_fresh

N = 40_000


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def assert_follows(values: NDArray[np.float64], cdf: Callable[..., Any]) -> None:
    assert stats.kstest(values, cdf).pvalue > 0.001


def first_and_last(name: str, rows: int, **parameters: float) -> tuple[list[Any], list[Any]]:
    """Return the first three attributes and the target of the first and the last row of seed 0."""
    table = draw_fresh(name, parameters, [rows], rng()).table
    shown = [*(table.columns[a.name] for a in table.attributes[:3]), table.target]
    return [column[0].item() for column in shown], [column[-1].item() for column in shown]
