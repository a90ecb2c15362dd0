from __future__ import annotations

from pathlib import Path

import pytest
from matplotlib.figure import Figure

from quadrepro.config.config import Experiment
from quadrepro.config.loading import load_experiment
from quadrepro.engine.outcomes import Outcomes
from quadrepro.engine.records import Record
from quadrepro.tables.kinds.base import Context
from quadrepro.tables.kinds.sweeps import TIMES
from tests.tables.contexts import context_of, loaded

CONFIG = """title: Two
repeats: 3
protocol: {{view: quadboost}}
datasets: [monks]
sweeps:
  - {{over: protocol.noise.deviation, as: noise, values: [0, 0.5]}}
  - {{over: {over}}}
algorithms:
  - {{name: adaboost, label: AdaBoost, grid: {{n_rounds: 5}}}}
  - {{name: quadboost, label: QuadBoost, grid: {{n_rounds: 5}}}}
tables: {{times: true}}
baseline: false
"""
ROUNDS = "grid.n_rounds, values: [1, 10, 1000]"
COLUMNS = ("adaboost", "quadboost")


def load(folder: Path, over: str = ROUNDS) -> Experiment:
    return loaded(folder, CONFIG.format(over=over))


def times_of(experiment: Experiment) -> Context[bool]:
    return context_of(experiment, "times")


def outcomes(experiment: Experiment, missing: tuple[str, str, int] | None = None) -> Outcomes:
    """Return outcomes whose second of three times is the middle one."""
    rows = tuple(row.entry.title for row in experiment.config.rows)
    records = {
        (row, column, split): Record("k", "ok", 1, 10, seconds=(i + 1) * seconds)
        for i, row in enumerate(rows)
        for column in COLUMNS
        for split, seconds in enumerate((9.0, 2.0, 1.0) if column == "adaboost" else (0.1,) * 3)
    }
    if missing:
        records[missing] = Record("k", "missing")
    return Outcomes(rows, COLUMNS, 3, records)


def test_entries_are_medians_over_the_splits(tmp_path: Path) -> None:
    experiment = load(tmp_path)
    table = TIMES.table(
        times_of(experiment), outcomes(experiment, ("monks, noise 0.5", "adaboost", 2))
    )
    assert [(name, *(e.ours for e in entries)) for name, entries in table.rows] == [
        ("monks, noise 0", "2", "0.1"),
        ("monks, noise 0.5", "–", "0.2"),
        ("monks, n_rounds 1", "6", "0.3"),
        ("monks, n_rounds 10", "8", "0.4"),
        ("monks, n_rounds 1000", "10", "0.5"),
    ]
    assert table.data_rows[0] == ("monks", "noise", 0, "adaboost", 3, 2.0)
    assert table.data_rows[2] == ("monks", "noise", 0.5, "adaboost", 0, None)


@pytest.mark.parametrize("missing", [None, ("monks, noise 0.5", "adaboost", 2)])
def test_a_panel_a_sweep_and_a_curve_an_algorithm(
    tmp_path: Path, missing: tuple[str, str, int] | None, figures: list[Figure]
) -> None:
    experiment = load(tmp_path)
    TIMES.draw(times_of(experiment), outcomes(experiment, missing), tmp_path)
    noise, rounds = figures[0].axes
    assert (noise.get_xscale(), rounds.get_xscale()) == ("linear", "log")
    assert (noise.get_yscale(), rounds.get_yscale()) == ("log", "log")
    assert (noise.get_xlabel(), rounds.get_xlabel()) == ("noise", "n rounds")
    titles = [panel.get_title() for panel in (noise, rounds)]
    assert titles == ["monks: noise varied", "monks: n rounds varied"]
    assert noise.get_ylabel() == rounds.get_ylabel() == "seconds"
    assert [list(line.get_xdata()) for line in rounds.get_lines()] == [[1, 10, 1000]] * 2
    assert list(rounds.get_lines()[0].get_ydata()) == [6, 8, 10]
    assert list(noise.get_lines()[0].get_xdata()) == ([0] if missing else [0, 0.5])


def test_an_algorithm_without_a_sweeps_hyper_parameter_is_left_out_of_its_panel(
    tmp_path: Path, figures: list[Figure]
) -> None:
    experiment = load(tmp_path)
    path = experiment.source.path
    without = "{name: quadboost, algorithm: lpboost, grid: {C: 1}}"
    path.write_text(
        path.read_text().replace(
            "{name: quadboost, label: QuadBoost, grid: {n_rounds: 5}}", without
        )
    )
    experiment = load_experiment(path)
    TIMES.draw(times_of(experiment), outcomes(experiment), tmp_path)
    noise, rounds = figures[0].axes
    assert [line.get_label() for line in noise.get_lines()] == ["adaboost", "quadboost"]
    assert [line.get_label() for line in rounds.get_lines()] == ["adaboost"]


def test_values_that_are_no_numbers_stand_side_by_side(tmp_path: Path) -> None:
    experiment = load(tmp_path, "protocol.normalise, values: [tanh, none]")
    TIMES.draw(times_of(experiment), outcomes(experiment), tmp_path)
    text = (tmp_path / "times.svg").read_text()
    assert "<!-- tanh -->" in text
    assert "<!-- none -->" in text


def test_the_same_times_give_the_same_figure_and_none_an_empty_one(tmp_path: Path) -> None:
    experiment = load(tmp_path)
    for name in ("a", "b"):
        TIMES.draw(times_of(experiment), outcomes(experiment), tmp_path / name)
    rows = outcomes(experiment).rows
    lost = {(r, c, s): Record("k", "missing") for r in rows for c in COLUMNS for s in range(3)}
    TIMES.draw(times_of(experiment), Outcomes(rows, COLUMNS, 3, lost), tmp_path / "none")
    a, b, none = ((tmp_path / name / "times.svg").read_bytes() for name in ("a", "b", "none"))
    assert a == b
    assert a != none
