"""Records with known errors in the shape of an experiment."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure

from quadrepro.config.config import Experiment
from quadrepro.engine.outcomes import Outcomes
from quadrepro.engine.records import Record
from tests.make import of_wrong
from tests.tables.contexts import loaded

ALGORITHMS = ("quadboost", "lpboost", "adaboost")

CONFIG = """title: Three
protocol: {view: quadboost}
datasets: [monks, titanic, wine]
algorithms:
  - {name: quadboost, label: QuadBoost, grid: {n_rounds: 5}}
  - {name: lpboost, label: LPBoost, grid: {C: 1}, note: a departure.}
  - {name: adaboost, label: AdaBoost, grid: {n_rounds: 5}}
baseline: false
"""


@pytest.fixture
def experiment(request: pytest.FixtureRequest, tmp_path: Path) -> Experiment:
    """Return the experiment of the module's ``CONFIG``, or else of the one above."""
    return loaded(tmp_path, getattr(request.module, "CONFIG", CONFIG))


@pytest.fixture
def figures(monkeypatch: pytest.MonkeyPatch) -> list[Figure]:
    """Return a list of the figures that are drawn, none of which is written."""
    found: list[Figure] = []
    monkeypatch.setattr(Figure, "savefig", lambda figure, *_, **__: found.append(figure))
    return found


@pytest.fixture
def outcomes() -> Callable[..., Outcomes]:
    """Return a function that makes outcomes of 10 test examples from numbers of errors."""

    def make(*errors: dict[str, tuple[int | None, ...]], seconds: float = 1.0) -> Outcomes:
        rows = tuple(errors[0])
        records = {}
        for repeat, of_repeat in enumerate(errors):
            for row, counts in of_repeat.items():
                for algorithm, count in zip(ALGORITHMS, counts, strict=True):
                    key = f"{row} {algorithm} {repeat}"
                    record = Record(key, "missing")
                    if count is not None:
                        wrong = np.arange(10) < count
                        record = Record(
                            key, "ok", count, 10, {"C": 1.0}, seconds=seconds, **of_wrong(wrong)
                        )
                    records[row, algorithm, repeat] = record
        shares = dict.fromkeys(rows, 0.5)
        return Outcomes(rows, ALGORITHMS, len(errors), records, test_shares=shares)

    return make
