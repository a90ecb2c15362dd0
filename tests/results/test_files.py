from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from quadrepro.config.config import load_experiment
from quadrepro.config.plan import Plan, make_plan
from quadrepro.engine.records import Record
from quadrepro.engine.store import RecordStore
from quadrepro.engine.work import run_cell
from quadrepro.errors import ConfigError
from quadrepro.results.files import check_tables, environments, mixture, provenance, write_results
from quadrepro.results.folder import read_folder
from quadrepro.tables.table import LABEL

CONFIG = """title: One
repeats: 2
protocol: {{view: quadboost}}
datasets: [monks]
algorithms: [{{name: adaboost, grid: {{n_rounds: 5}}}}]
paper: ebboost
tables: {{{}}}
"""
ALWAYS = {
    "risks.md",
    "risks.csv",
    "risks.tex",
    "cells.csv",
    "outcomes.csv",
    "tables.json",
    "run.json",
}


@pytest.mark.parametrize(
    ("tables", "files", "shown"),
    [
        ("", set(), "One: test risks"),
        (
            "margins: table2",
            {"margins.md", "margins.csv", "margins.tex"},
            "One: training margins",
        ),
        (
            "means: table1, margin_figure: [monks], claims: table1",
            {"means.md", "means.csv", "means.tex"}
            | {"margins.svg", "margins.png", "margins.caption.md", "claims.md", "claims.csv"},
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
        ("means: table3", "the paper ebboost has no printed table 'table3'; did you mean 'table"),
        ("margins: tabel2", "the paper ebboost has no printed table 'tabel2'; did you mean 'table"),
        ("margin_figure: [monks, monk]", "there is no row 'monk' to draw"),
        ("claims: tabel1", "the paper ebboost has no claims 'tabel1'; did you mean 'table1'?"),
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
    assert str(caught.value).startswith(f"{path}:7:")


def test_cells_and_tables_carry_the_printed_row_that_the_config_names(tmp_path: Path) -> None:
    path = tmp_path / "one.yaml"
    text = CONFIG.format("means: table1")
    path.write_text(text.replace("[monks]", "[{name: monks, as: robots, printed: spambase}]"))
    folder = tmp_path / "results"
    plan = make_plan(load_experiment(path))
    write_results(plan, RecordStore(tmp_path / "records"), folder)
    cells = (folder / "cells.csv").read_text().splitlines()
    assert cells[1] == f"robots,adaboost,0,missing,,,,,,,7.74%,{plan.cells[0].key},"
    row = (folder / "means.md").read_text().splitlines()[4]
    assert row.split("|")[1:3] == [" robots     ", " – (7.74 ± 0.74) "]


def test_cells_carry_the_printed_risk_rather_than_the_printed_mean(tmp_path: Path) -> None:
    paper = tmp_path / "both"
    (paper / "printed").mkdir(parents=True)
    (paper / "paper.yaml").write_text("title: Both\n")
    (paper / "printed" / "risks.csv").write_text("dataset,adaboost\nmonks,0.255\n")
    (paper / "printed" / "means.csv").write_text("dataset,adaboost_mean\nmonks,5.00\n")
    path = tmp_path / "one.yaml"
    text = CONFIG.format("means: means, risks: risks")
    path.write_text(text.replace("paper: ebboost", "paper: ./both"))
    folder = tmp_path / "results"
    plan = make_plan(load_experiment(path))
    write_results(plan, RecordStore(tmp_path / "records"), folder)
    cells = (folder / "cells.csv").read_text().splitlines()
    assert cells[1] == f"monks,adaboost,0,missing,,,,,,,0.255,{plan.cells[0].key},"
    assert "(5.00)" in (folder / "means.md").read_text()


SWEPT = """title: Two
protocol: {view: quadboost, folds: 0, measures: [train_error, test_error]}
datasets: [monks]
sweeps: [{over: grid.n_rounds, values: [1, 2]}]
algorithms: [{name: adaboost, grid: {n_rounds: 5}}, {name: quadboost, grid: {n_rounds: 5}}]
tables:
"""


@pytest.mark.parametrize(
    ("asked", "title"),
    [
        ("differences, times, curves, scatter", "risk of QuadBoost less that of AdaBoost"),
        ("times, curves, scatter", "running times"),
        ("curves, scatter", "curves"),
        ("scatter", "risks against those of QuadBoost"),
    ],
)
def test_each_table_has_a_figure_and_the_first_is_shown(
    tmp_path: Path, asked: str, title: str
) -> None:
    lines = {
        "differences": "  differences: [adaboost, quadboost]\n",
        "times": "  times: true\n",
        "curves": "  curves: {panels: [{measures: [test_error]}]}\n",
        "scatter": "  scatter: quadboost\n",
    }
    path = tmp_path / "two.yaml"
    path.write_text(SWEPT + "".join(lines[key] for key in asked.split(", ")))
    experiment = load_experiment(path)
    check_tables(experiment)
    folder = tmp_path / "results"
    table, _ = write_results(make_plan(experiment), RecordStore(tmp_path / "records"), folder)
    assert table.title == f"Two: {title}"
    tables = {f"{t}.{e}" for t in ("risks", "comparisons") for e in ("md", "csv", "tex")}
    drawn = {
        f"{t}.{e}"
        for t in asked.split(", ")
        for e in ("md", "csv", "tex", "svg", "png", "caption.md")
    }
    assert {p.name for p in folder.iterdir()} == tables | drawn | {
        "cells.csv",
        "outcomes.csv",
        "tables.json",
        "run.json",
    }


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (
            "differences: [adaboost, quadbost]",
            "unknown algorithm 'quadbost' here; did you mean 'q",
        ),
        ("scatter: cbboost", "unknown algorithm 'cbboost' here"),
        (
            "curves: {panels: [{measures: [test_error, tst_error]}]}",
            "the protocol keeps no measure 'tst_error'; did you mean 'test_error'?",
        ),
        (
            "curves: {along: rounds, panels: [{measures: [test_error]}]}",
            "no algorithm has values of 'rounds'; did you mean 'n_rounds'?",
        ),
    ],
)
def test_what_a_figure_cannot_show_is_refused_with_its_place(
    tmp_path: Path, line: str, message: str
) -> None:
    path = tmp_path / "two.yaml"
    path.write_text(f"{SWEPT}  {line}\n")
    with pytest.raises(ConfigError) as caught:
        check_tables(load_experiment(path))
    assert message in str(caught.value)
    assert str(caught.value).startswith(f"{path}:7:")


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        ("sweeps:", "absent: [] #", "times: true", "times stand against a sweep's values"),
        (
            "sweeps:",
            "absent: [] #",
            "differences: [adaboost, quadboost]",
            "differences stand against a sweep's values",
        ),
        (
            ", measures: [train_error, test_error]",
            "",
            "curves: {panels: [{measures: [test_error]}]}",
            "curves need measures",
        ),
        (
            ", {name: quadboost, grid: {n_rounds: 5}}",
            "",
            "scatter: adaboost",
            "adaboost is the only algorithm",
        ),
        (
            "{name: quadboost, grid: {n_rounds: 5}}",
            "{name: quadboost-l2, grid: {n_rounds: 5, lam: [2, 1]}}",
            "curves: {panels: [{measures: [test_error]}]}",
            "quadboost-l2 has 2 values of lam, and curves along n_rounds need one",
        ),
        (
            "{name: quadboost, grid: {n_rounds: 5}}",
            "{name: quadboost-l2, grid: {n_rounds: 5}, draw: {lam: {uniform: [1, 2]}}}",
            "curves: {panels: [{measures: [test_error]}]}",
            "quadboost-l2 draws lam, and curves need values of a grid",
        ),
        (
            "[monks]",
            "[{name: concrete, view: rescale}]",
            "differences: [adaboost, quadboost]",
            "differences is of risks, and concrete",
        ),
    ],
)
def test_a_figure_that_the_rest_of_the_config_does_not_allow_is_refused(
    tmp_path: Path, old: str, new: str, line: str, message: str
) -> None:
    assert old in SWEPT
    path = tmp_path / "two.yaml"
    path.write_text(f"{SWEPT.replace(old, new)}  {line}\n")
    with pytest.raises(ConfigError, match=message):
        check_tables(load_experiment(path))


DRAWN = """title: Drawn
protocol: {view: default, sample: {train: 20, test: 30}, folds: 0}
datasets:
  - {name: m1, as: m1 0}
  - {name: orange, printed: m1 0.3}
algorithms: [{name: boosting, grid: {n_rounds: [1, 2]}}]
paper: rescale
tables: {means: table1, noiseless: table1}
"""


@pytest.fixture
def drawn(tmp_path: Path) -> Plan:
    """Return the plan of a row of numbers and one of classes."""
    path = tmp_path / "drawn.yaml"
    path.write_text(DRAWN)
    check_tables(load_experiment(path))
    return make_plan(load_experiment(path))


def cells_of(folder: Path) -> list[dict[str, str]]:
    return list(csv.DictReader((folder / "cells.csv").read_text().splitlines()))


def test_a_cell_of_numbers_has_an_rmse_for_its_value_and_neither_errors_nor_risk(
    drawn: Plan, tmp_path: Path
) -> None:
    store = RecordStore(tmp_path / "records")
    records = [run_cell(cell) for cell in drawn.cells]
    for record in records:
        store.put(record)
    write_results(drawn, store, tmp_path / "results")
    numbers, classes = cells_of(tmp_path / "results")
    assert list(numbers)[4:8] == ["errors", "n_test", "value", "risk"]
    assert (numbers["errors"], numbers["n_test"], numbers["risk"]) == ("", "30", "")
    assert float(numbers["value"]) == pytest.approx(records[0].rmse, rel=1e-7)
    assert int(classes["errors"]) == records[1].errors
    assert float(classes["value"]) == float(classes["risk"])
    assert float(classes["risk"]) == pytest.approx(records[1].risk, rel=1e-7)
    assert [row["chosen"] for row in (numbers, classes)] == ['{"n_rounds": 2}'] * 2


def test_a_printed_rmse_has_no_percent_sign_even_where_its_cell_is_missing(
    drawn: Plan, tmp_path: Path
) -> None:
    write_results(drawn, RecordStore(tmp_path / "records"), tmp_path / "results")
    numbers, classes = cells_of(tmp_path / "results")
    assert (numbers["published"], classes["published"]) == ("0.2698", "0.6204%")
    assert [numbers[key] for key in ("errors", "n_test", "value", "risk")] == [""] * 4


def test_the_table_without_noise_stands_beside_the_other(drawn: Plan, tmp_path: Path) -> None:
    store, folder = RecordStore(tmp_path / "records"), tmp_path / "results"
    record = run_cell(drawn.cells[0])
    store.put(record)
    shown, _ = write_results(drawn, store, folder)
    assert shown.title == "Drawn: test errors in percent, or RMSE where numbers are predicted"
    noiseless = (folder / "noiseless.md").read_text().splitlines()
    assert noiseless[0] == "## Drawn: RMSE on test examples without noise"
    [value] = record.measures["rmse_noiseless"]
    assert noiseless[4].split("|")[2].strip() == f"{value:.4f} (0.2698 ± 0.0495)"
    assert f"| {record.rmse:.4f} " in (folder / "means.md").read_text()


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (", sample: {train: 20, test: 30}", "", "8:25: no row draws its own sample of numbers"),
        (
            "{name: m1, as: m1 0}",
            "twonorm_generated",
            "8:25: no row draws its own sample of numbers: only then is the truth known",
        ),
        ("noiseless: table1", "noiseless: tabel1", "8:25: the paper rescale has no printed table"),
    ],
)
def test_a_table_without_noise_needs_a_sample_of_numbers_and_a_printed_one(
    tmp_path: Path, old: str, new: str, message: str
) -> None:
    assert old in DRAWN
    path = tmp_path / "drawn.yaml"
    path.write_text(DRAWN.replace(old, new))
    with pytest.raises(ConfigError) as caught:
        check_tables(load_experiment(path))
    assert str(caught.value).startswith(f"{path}:{message}")


@pytest.mark.parametrize(
    ("panel", "message"),
    [
        (
            "{measures: [train_error], algorithms: [adabost]}",
            "unknown algorithm 'adabost' here; did you mean 'adaboost'?",
        ),
        (
            "{measures: [quadratic_risk], algorithms: [adaboost]}",
            "the protocol keeps no measure 'quadratic_risk'; known are test_error, train_error",
        ),
        (
            "{measures: [quadratic_risk], algorithms: [quadboost], marks: [quadratic_rsk]}",
            "the protocol keeps no measure 'quadratic_rsk'; did you mean 'quadratic_risk'?",
        ),
        (
            "{measures: [test_error], algorithms: [quadboost]}",
            "the protocol keeps no measure 'test_error'; known are quadratic_risk",
        ),
    ],
)
def test_a_panel_of_some_algorithms_draws_what_is_kept_of_them(
    tmp_path: Path, panel: str, message: str
) -> None:
    own = "grid: {n_rounds: 5}, measures: [quadratic_risk]}]"
    text = SWEPT.replace("grid: {n_rounds: 5}}]", own)
    assert own in text
    path = tmp_path / "two.yaml"
    allowed = "{measures: [quadratic_risk], algorithms: [quadboost]}, {measures: [quadratic_risk]}"
    path.write_text(f"{text}  curves: {{panels: [{allowed}]}}\n")
    check_tables(load_experiment(path))
    path.write_text(f"{text}  curves: {{panels: [{panel}]}}\n")
    with pytest.raises(ConfigError) as caught:
        check_tables(load_experiment(path))
    assert str(caught.value).startswith(f"{path}:7:")
    assert str(caught.value).endswith(message)


def test_outputs_that_the_config_no_longer_asks_for_are_removed_and_nothing_else(
    tmp_path: Path,
) -> None:
    path, folder = tmp_path / "one.yaml", tmp_path / "results"
    path.write_text(CONFIG.format("means: table1"))
    store = RecordStore(tmp_path / "records")
    write_results(make_plan(load_experiment(path)), store, folder)
    (folder / "notes.md").write_text("by hand")
    assert (folder / "means.csv").is_file()
    path.write_text(CONFIG.format(""))
    write_results(make_plan(load_experiment(path)), store, folder)
    assert list(folder.glob("means.*")) == []
    assert (folder / "notes.md").read_text() == "by hand"
    manifest = read_folder(folder).manifest
    assert manifest is not None
    assert all((folder / name).is_file() for name in manifest.files)


Write = Callable[..., Path]


def made(date: str, numpy: str = "2.4.6", commit: str = "abc", dirty: bool = False) -> Record:
    environment: dict[str, Any] = {
        "versions": {"numpy": numpy},
        "git": {"commit": commit, "dirty": dirty},
        "processor": {"machine": "x86_64"},
    }
    return Record(f"key of {date}", "ok", date=date, environment=environment)


def test_run_json_says_what_was_asked_for_and_how_the_cells_were_computed(
    small_config: Write,
) -> None:
    record = made("2026-01-01")
    found = provenance(make_plan(load_experiment(small_config())), [record])
    assert found.experiment == "small"
    assert found.seed == found.config["seed"] == 7
    assert {*found.data} == {"monks", "people"}
    assert [*found.computed] == environments([record])


def test_cells_are_counted_by_what_they_were_computed_with() -> None:
    records = [made("2026-01-03", "1"), made("2026-01-02"), made("2026-01-01")]
    first, second = environments([*records, Record("d", "missing")])
    assert (first.cells, first.first, first.last) == (2, "2026-01-01", "2026-01-02")
    assert first.versions == {"numpy": "2.4.6"}
    assert (second.cells, second.versions) == (1, {"numpy": "1"})


def test_a_table_says_if_its_cells_were_not_all_computed_alike() -> None:
    alike = [made("2026-01-01"), made("2026-01-02", commit="def")]
    assert mixture(alike) == ""
    note = mixture([*alike, made("2026-01-03", "1")])
    assert note.startswith(LABEL)
    assert "2 sets of packages or processors" in note


def test_a_table_says_if_code_was_not_committed() -> None:
    note = mixture([made("2026-01-01"), made("2026-01-02", dirty=True)])
    assert note == f"{LABEL}1 cells were computed by code that was not committed."
