"""Small problems and a small experiment that many tests share."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from quadrepro.voters.reduction import FloatArray

Problem = tuple[FloatArray, FloatArray]

SMALL = """title: Small
seed: 7
protocol:
  view: quadboost
datasets:
  - monks
  - {name: titanic, as: people}
algorithms:
  - name: quadboost-l2
    grid:
      n_rounds: [10, 20]
      lam: {from: 10, to: 1, points: 2}
  - name: ada
    algorithm: adaboost
    grid: {n_rounds: 5}
"""


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


@pytest.fixture
def small_config(tmp_path: Path) -> Callable[..., Path]:
    """Return a function that writes the small config with one text replaced by another."""

    def write(old: str = "", new: str = "", name: str = "small") -> Path:
        assert old in SMALL
        path = tmp_path / f"{name}.yaml"
        path.write_text(SMALL.replace(old, new, 1) if old else SMALL)
        return path

    return write


@pytest.fixture(autouse=True)
def no_data_from_outside(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Let no test see data but the embedded sets and what it names itself, nor the network."""
    monkeypatch.delenv("QUADREPRO_DATA", raising=False)
    monkeypatch.setenv("QUADREPRO_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("QUADREPRO_OFFLINE", "1")


@pytest.fixture(scope="session")
def canonical_folder() -> Path:
    """Return the folder of canonical CSVs, named when the session began."""
    named = os.environ.get("QUADREPRO_DATA")
    if not named:
        pytest.skip("QUADREPRO_DATA names no folder of canonical CSVs")
    return Path(named).resolve()
