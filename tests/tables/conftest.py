"""Records with known errors in the shape of an experiment."""

from __future__ import annotations

from pathlib import Path

import pytest
from matplotlib.figure import Figure

from quadrepro.config.config import Experiment
from tests.tables.contexts import loaded

CONFIG = """title: Three
protocol: {view: quadboost}
datasets: [monks, titanic, wine]
algorithms:
  - {name: quadboost, label: QuadBoost, grid: {n_rounds: 5}}
  - {name: lpboost, label: LPBoost, grid: {C: 1}, note: a departure.}
  - {name: adaboost, label: AdaBoost, grid: {n_rounds: 5}}
baseline: false
"""


@pytest.fixture(autouse=True)
def in_own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run each test in a folder of its own, where configs and papers are written."""
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def experiment(request: pytest.FixtureRequest) -> Experiment:
    """Return the experiment of the module's ``CONFIG``, by default of the one above."""
    return loaded(getattr(request.module, "CONFIG", CONFIG))


@pytest.fixture
def figures(monkeypatch: pytest.MonkeyPatch) -> list[Figure]:
    """Return a list of the drawn figures; none is written."""
    drawn: list[Figure] = []
    monkeypatch.setattr(Figure, "savefig", lambda figure, *_, **__: drawn.append(figure))
    return drawn
