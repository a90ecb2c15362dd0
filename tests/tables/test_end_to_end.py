from __future__ import annotations

import csv
from pathlib import Path

import pytest

from quadrepro.results.compare import compare
from tests.cli.call import quadrepro

pytestmark = pytest.mark.slow

CONFIG = """title: Noise
seed: 7
repeats: 2
protocol: {view: quadboost, folds: 0, measures: [train_error, test_error]}
datasets: [monks]
absent: [{name: animals, reason: it is no longer offered}]
sweeps: [{over: protocol.noise.deviation, as: noise, values: [0, 0.5]}]
algorithms:
  - {name: adaboost, label: AdaBoost, grid: {n_rounds: [1, 2, 4, 8]}}
  - {name: quadboost, label: QuadBoost, grid: {n_rounds: [1, 10]}}
  - {name: lpboost, grid: {C: 1}}
tables:
  curves: {panels: [{measures: [train_error, test_error], scale: -log}]}
  times: true
  differences: [adaboost, quadboost]
  scatter: quadboost
"""
FIGURES = ("curves", "times", "differences", "scatter")


def test_a_run_writes_tables_and_figures_and_two_runs_agree_but_for_times(tmp_path: Path) -> None:
    config = tmp_path / "noise.yaml"
    config.write_text(CONFIG)
    folders = [tmp_path / name / "noise" for name in ("a", "b")]
    for jobs, folder in enumerate(folders, start=1):
        words = ["run", config, "--jobs", jobs, "--no-report", "--out", folder.parent]
        result = quadrepro(*words)
        assert result.exit_code == 0, result.output
        assert "## Noise: test risks" in result.stdout
    a, b = folders
    stems = (*FIGURES, "errors")
    assert {p.name for p in a.iterdir()} == {
        *(f"{stem}.{end}" for stem in stems for end in ("md", "csv")),
        *(f"{stem}.svg" for stem in FIGURES if stem != "scatter"),  # four dots are no figure
        *("cells.csv", "tables.json", "run.json"),
    }
    assert compare(a, b, tolerance=0).differences == []
    for path in a.iterdir():
        if path.stem not in ("times", "errors", "cells", "run"):
            assert path.read_bytes() == (b / path.name).read_bytes()
    assert (a / "times.csv").read_bytes() != (b / "times.csv").read_bytes()
    errors = (a / "errors.md").read_text()
    assert "| animals " in errors
    assert "animals: it is no longer offered." in errors
    with open(a / "curves.csv", newline="") as file:
        curves = list(csv.DictReader(file))
    assert len(curves) == 2 * (4 + 2 + 1)
    # The last candidate is the one whose risk the other tables show.
    with open(a / "differences.csv", newline="") as file:
        squares = {(s["dataset"], s["value"]): s for s in csv.DictReader(file)}
    last = next(c for c in curves if c["algorithm"] == "adaboost" and c["n_rounds"] == "8")
    shown = float(squares["monks", "0"]["adaboost mean"])
    assert abs(100 * float(last["test_error"]) - shown) < 1e-9
