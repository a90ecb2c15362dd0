from __future__ import annotations

from pathlib import Path

import pytest

from quadrepro.engine.records import RecordStore
from quadrepro.errors import ConfigError
from quadrepro.experiment.loading import load_experiment
from quadrepro.experiment.plan import make_plan
from quadrepro.report.files import check_tables, write_results

CONFIG = """title: One
repeats: 2
protocol: {{view: quadboost}}
datasets: [monks]
algorithms: [{{name: adaboost, grid: {{n_rounds: 5}}}}]
tables: {{{}}}
"""
ALWAYS = {f"{stem}.{end}" for stem in ("risks", "comparisons") for end in ("md", "csv", "tex")}
ALWAYS |= {"cells.csv", "run.json"}


@pytest.mark.parametrize(
    ("tables", "files", "shown"),
    [
        ("", set(), "One: test risks"),
        (
            "margins: ebboost-table2",
            {"margins.md", "margins.csv", "margins.tex"},
            "One: training margins",
        ),
        (
            "percent: ebboost-table1, margin_figure: [monks], claims: ebboost",
            {"percent.md", "percent.csv", "percent.tex"}
            | {"margins.svg", "margins.png", "claims.md"},
            "One: test errors in percent",
        ),
    ],
)
def test_the_tables_a_config_asks_for_are_written_and_its_papers_is_shown(
    tmp_path: Path, tables: str, files: set[str], shown: str
) -> None:
    path = tmp_path / "one.yaml"
    path.write_text(CONFIG.format(tables))
    experiment = load_experiment(path)
    check_tables(experiment)
    folder = tmp_path / "results"
    table, _ = write_results(make_plan(experiment), RecordStore(tmp_path / "records"), folder)
    assert table.title == shown
    assert {p.name for p in folder.iterdir()} == ALWAYS | files


@pytest.mark.parametrize(
    ("tables", "message"),
    [
        ("percent: ebboost-table3", "there is no published table 'ebboost-table3'"),
        ("margins: ebbost-table2", "there is no published table 'ebbost-table2'"),
        ("margin_figure: [monks, monk]", "there is no row 'monk' to draw"),
        ("claims: ebbost", "there are no claims 'ebbost'"),
    ],
)
def test_what_there_is_not_is_refused_with_its_place(
    tmp_path: Path, tables: str, message: str
) -> None:
    path = tmp_path / "one.yaml"
    path.write_text(CONFIG.format(tables))
    with pytest.raises(ConfigError) as caught:
        check_tables(load_experiment(path))
    assert message in str(caught.value)
    assert str(caught.value).startswith(f"{path}:6:")


def test_cells_and_tables_carry_the_printed_row_that_the_config_names(tmp_path: Path) -> None:
    path = tmp_path / "one.yaml"
    text = CONFIG.format("percent: ebboost-table1")
    path.write_text(text.replace("[monks]", "[{name: monks, as: robots, printed: spambase}]"))
    folder = tmp_path / "results"
    plan = make_plan(load_experiment(path))
    write_results(plan, RecordStore(tmp_path / "records"), folder)
    cells = (folder / "cells.csv").read_text().splitlines()
    assert cells[1] == "robots,adaboost,0,missing,,,,,,7.74%"
    row = (folder / "percent.md").read_text().splitlines()[4]
    assert row.split("|")[1:3] == [" robots     ", " – (7.74 ± 0.74) "]
