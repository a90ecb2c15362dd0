from __future__ import annotations

import csv
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine

from quadrepro.config.config import Experiment
from quadrepro.config.loading import load_experiment
from quadrepro.config.plan import Plan, make_plan
from quadrepro.engine.records import Record, RecordStore
from quadrepro.engine.worker import run_cell
from quadrepro.results.files import check_tables, environments, mixture, provenance, write_results
from quadrepro.results.folder import read_folder
from quadrepro.tables.table import LABEL, Table
from tests.make import assert_refused, refusal

Config = Callable[[str], Path]
Write = Callable[..., tuple[Table, Path]]

CONFIG = """title: One
repeats: 2
protocol: {{view: quadboost}}
datasets: [monks]
algorithms: [{{name: adaboost, grid: {{n_rounds: 5}}}}]
paper: ebboost
tables: {{{}}}
"""
ALWAYS = {"cells.csv", "tables.json", "run.json"}
PLAIN = ("md", "csv")
DRAWING = ("svg",)


def named(stem: str, endings: Sequence[str]) -> set[str]:
    return {f"{stem}.{ending}" for ending in endings}


def checked(path: Path) -> Experiment:
    experiment = load_experiment(path)
    check_tables(experiment)
    return experiment


@pytest.fixture
def config(tmp_path: Path) -> Callable[[str], Path]:
    """Return a function that writes a config."""

    def write(text: str) -> Path:
        path = tmp_path / "one.yaml"
        path.write_text(text)
        return path

    return write


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., tuple[Table, Path]]:
    """Return a function that writes the results of a plan; its first table and the folder."""

    def write(plan: Plan, *records: Record) -> tuple[Table, Path]:
        store, folder = RecordStore(tmp_path / "records"), tmp_path / "results"
        for record in records:
            store.put(record)
        return next(iter(write_results(plan, store, folder)[0].values())), folder

    return write


def cells_of(folder: Path) -> list[dict[str, str]]:
    return list(csv.DictReader((folder / "cells.csv").read_text().splitlines()))


@pytest.mark.parametrize(
    ("tables", "files", "shown"),
    [
        ("", set(), "One: test risks"),
        ("margins: table2", named("margins", PLAIN), "One: training margins"),
        (
            "means: table1, margin_figure: [monks], claims: table1",
            named("means", PLAIN) | named("margins", DRAWING) | named("claims", PLAIN[:2]),
            "One: test errors in percent",
        ),
    ],
)
def test_the_tables_a_config_asks_for_are_written_and_its_papers_is_shown(
    config: Config, write: Write, tables: str, files: set[str], shown: str
) -> None:
    table, folder = write(make_plan(checked(config(CONFIG.format(tables)))))
    assert table.title == shown
    assert {p.name for p in folder.iterdir()} == ALWAYS | named("risks", PLAIN) | files


@pytest.mark.parametrize(
    ("tables", "telling"),
    [
        ("means: table3", "no printed table 'table3'; did you mean 'table"),
        ("margins: tabel2", "the paper ebboost has no printed table 'tabel2'; did you mean 'table"),
        ("margin_figure: [monks, monk]", "there is no row 'monk' to draw"),
        ("claims: tabel1", "the paper ebboost has no claims 'tabel1'; did you mean 'table1'?"),
    ],
)
def test_what_there_is_not_is_refused_with_its_place(
    config: Config, tables: str, telling: str
) -> None:
    message = refusal(config(CONFIG.format(tables)), checked)
    assert message.startswith("7:")
    assert telling in message


def test_cells_and_tables_carry_the_printed_row_that_the_config_names(
    config: Config, write: Write
) -> None:
    row = "[{name: monks, as: robots, printed: spambase}]"
    plan = make_plan(checked(config(CONFIG.format("means: table1").replace("[monks]", row))))
    _, folder = write(plan)
    cells = (folder / "cells.csv").read_text().splitlines()
    assert cells[1] == "robots,adaboost,0,missing,,,,,,,7.74%,"
    row = (folder / "means.md").read_text().splitlines()[4]
    assert row.split("|")[1:3] == [" robots     ", " – (7.74 ± 0.74) "]


def test_cells_carry_the_printed_risk_rather_than_the_printed_mean(
    config: Config, write: Write, tmp_path: Path
) -> None:
    paper = tmp_path / "both"
    (paper / "printed").mkdir(parents=True)
    (paper / "paper.yaml").write_text(
        "title: Both\nprinted: {risks: {unit: fraction}, means: {of: {splits: 2}}}\n"
    )
    (paper / "printed" / "risks.csv").write_text("dataset,adaboost\nmonks,0.255\n")
    (paper / "printed" / "means.csv").write_text("dataset,adaboost_mean\nmonks,5.00\n")
    text = CONFIG.format("means: means, risks: risks")
    _, folder = write(make_plan(checked(config(text.replace("paper: ebboost", "paper: ./both")))))
    assert cells_of(folder)[0]["published"] == "0.255"
    assert "(5.00)" in (folder / "means.md").read_text()


STUMPS = " (10 stumps per attribute)"
SWEPT = """title: Two
protocol: {view: quadboost, folds: 0, measures: [train_error, test_error]}
datasets: [monks]
sweeps: [{over: grid.n_rounds, values: [1, 2]}]
algorithms: [{name: adaboost, grid: {n_rounds: 5}}, {name: quadboost, grid: {n_rounds: 5}}]
tables:
"""


LINES = {
    "differences": "  differences: [adaboost, quadboost]\n",
    "times": "  times: true\n",
    "curves": "  curves: {panels: [{measures: [test_error]}]}\n",
    "scatter": "  scatter: quadboost\n",
}


@pytest.mark.parametrize(
    ("asked", "title"),
    [
        (
            "differences, times, curves, scatter",
            f"risk of QuadBoost{STUMPS} less that of AdaBoost{STUMPS}",
        ),
        ("times, curves, scatter", "running times"),
        ("curves, scatter", "curves"),
        ("scatter", "test risks"),
    ],
)
def test_each_table_has_a_figure_and_the_first_is_shown(
    config: Config, write: Write, asked: str, title: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The files of figures are empty: their names matter here.
    monkeypatch.setattr(Figure, "savefig", lambda *_, **__: None)
    monkeypatch.setattr(ConstrainedLayoutEngine, "execute", lambda *_: None)
    stems = asked.split(", ")
    path = config(SWEPT + "".join(LINES[stem] for stem in stems))
    table, folder = write(make_plan(checked(path)))
    assert table.title == f"Two: {title}"
    tables = [named("risks", PLAIN)]
    drawn = [named(stem, PLAIN + DRAWING) for stem in stems]
    assert {p.name for p in folder.iterdir()} == ALWAYS.union(*tables, *drawn)


@pytest.mark.parametrize(
    ("line", "telling"),
    [
        ("differences: [adaboost, quadbost]", "unknown algorithm 'quadbost' here; did you mean 'q"),
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
    config: Config, line: str, telling: str
) -> None:
    message = refusal(config(f"{SWEPT}  {line}\n"), checked)
    assert message.startswith("7:")
    assert telling in message


QUADBOOST = "{name: quadboost, grid: {n_rounds: 5}}"


@pytest.mark.parametrize(
    ("old", "new", "line", "telling"),
    [
        ("sweeps:", "absent: [] #", "times", "times stand against a sweep's values"),
        ("sweeps:", "absent: [] #", "differences", "differences stand against a sweep's values"),
        (", measures: [train_error, test_error]", "", "curves", "curves need measures"),
        (f", {QUADBOOST}", "", "scatter", "adaboost is the only algorithm"),
        (
            QUADBOOST,
            "{name: quadboost-l2, grid: {n_rounds: 5, lam: [2, 1]}}",
            "curves",
            "quadboost-l2 has 2 values of lam, and curves along n_rounds need one",
        ),
        (
            QUADBOOST,
            "{name: quadboost-l2, grid: {n_rounds: 5}, draw: {lam: {uniform: [1, 2]}}}",
            "curves",
            "quadboost-l2 draws lam, and curves need values of a grid",
        ),
        (
            "[monks]",
            "[{name: concrete, view: rescale}]",
            "differences",
            "differences is of risks, and concrete",
        ),
    ],
)
def test_a_figure_that_the_rest_of_the_config_does_not_allow_is_refused(
    config: Config, old: str, new: str, line: str, telling: str
) -> None:
    assert old in SWEPT
    lines = LINES[line].replace("scatter: quadboost", "scatter: adaboost")
    assert telling in refusal(config(SWEPT.replace(old, new) + lines), checked)


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
def drawn(config: Config) -> Plan:
    """Return the plan of a row of numbers and one of classes."""
    return make_plan(checked(config(DRAWN)))


def test_a_cell_of_numbers_has_an_rmse_for_its_value_and_neither_errors_nor_risk(
    drawn: Plan, write: Write
) -> None:
    records = [run_cell(cell) for cell in drawn.cells]
    _, folder = write(drawn, *records)
    numbers, classes = cells_of(folder)
    assert list(numbers)[4:8] == ["errors", "n_test", "value", "risk"]
    assert (numbers["errors"], numbers["n_test"], numbers["risk"]) == ("", "30", "")
    assert float(numbers["value"]) == pytest.approx(records[0].rmse, rel=1e-7)
    assert int(classes["errors"]) == records[1].errors
    assert float(classes["value"]) == float(classes["risk"])
    assert float(classes["risk"]) == pytest.approx(records[1].risk, rel=1e-7)
    assert [row["chosen"] for row in (numbers, classes)] == ['{"n_rounds": 2}'] * 2


def test_a_printed_rmse_has_no_percent_sign_even_where_its_cell_is_missing(
    drawn: Plan, write: Write
) -> None:
    numbers, classes = cells_of(write(drawn)[1])
    assert (numbers["published"], classes["published"]) == ("0.2698", "0.6204%")
    assert [numbers[key] for key in ("errors", "n_test", "value", "risk")] == [""] * 4


def test_the_table_without_noise_stands_beside_the_other(drawn: Plan, write: Write) -> None:
    record = run_cell(drawn.cells[0])
    shown, folder = write(drawn, record)
    assert shown.title == "Drawn: test errors in percent, or RMSE where numbers are predicted"
    noiseless = (folder / "noiseless.md").read_text().splitlines()
    assert noiseless[0] == "## Drawn: RMSE on test examples without noise"
    [value] = record.measures["rmse_noiseless"]
    assert noiseless[4].split("|")[2].strip() == f"{value:.4f} (0.2698 ± 0.0495)"
    assert f"| {record.rmse:.4f} " in (folder / "means.md").read_text()


NO_SAMPLE = "no row draws its own sample of numbers"


@pytest.mark.parametrize(
    ("old", "new", "telling"),
    [
        (", sample: {train: 20, test: 30}", "", NO_SAMPLE),
        ("{name: m1, as: m1 0}", "twonorm_generated", f"{NO_SAMPLE}: only then is the truth"),
        ("noiseless: table1", "noiseless: tabel1", "the paper rescale has no printed table"),
    ],
)
def test_a_table_without_noise_needs_a_sample_of_numbers_and_a_printed_one(
    config: Config, old: str, new: str, telling: str
) -> None:
    assert old in DRAWN
    assert_refused(config(DRAWN.replace(old, new)), "8:25", telling, checked)


@pytest.mark.parametrize(
    ("panel", "telling"),
    [
        (
            "{measures: [train_error], algorithms: [adabost]}",
            "unknown algorithm 'adabost' here; did you mean 'adaboost'?",
        ),
        (
            "{measures: [quadratic_risk], algorithms: [adaboost]}",
            "no measure 'quadratic_risk'; known are test_error, train_error",
        ),
        (
            "{measures: [quadratic_risk], algorithms: [quadboost], marks: [quadratic_rsk]}",
            "no measure 'quadratic_rsk'; did you mean 'quadratic_risk'?",
        ),
        (
            "{measures: [test_error], algorithms: [quadboost]}",
            "no measure 'test_error'; known are quadratic_risk",
        ),
    ],
)
def test_a_panel_of_some_algorithms_draws_what_is_kept_of_them(
    config: Config, panel: str, telling: str
) -> None:
    own = "grid: {n_rounds: 5}, measures: [quadratic_risk]}]"
    text = SWEPT.replace("grid: {n_rounds: 5}}]", own)
    assert own in text
    allowed = "{measures: [quadratic_risk], algorithms: [quadboost]}, {measures: [quadratic_risk]}"
    assert checked(config(f"{text}  curves: {{panels: [{allowed}]}}\n"))
    message = refusal(config(f"{text}  curves: {{panels: [{panel}]}}\n"), checked)
    assert message.startswith("7:")
    assert message.endswith(telling)


def test_outputs_that_the_config_no_longer_asks_for_are_removed_and_nothing_else(
    config: Config, write: Write
) -> None:
    _, folder = write(make_plan(checked(config(CONFIG.format("means: table1")))))
    (folder / "notes.md").write_text("by hand")
    assert (folder / "means.csv").is_file()
    write(make_plan(checked(config(CONFIG.format("")))))
    assert list(folder.glob("means.*")) == []
    assert (folder / "notes.md").read_text() == "by hand"
    manifest = read_folder(folder).manifest
    assert manifest is not None
    assert all((folder / name).is_file() for name in manifest.files)


def made(date: str, numpy: str = "2.4.6", commit: str = "abc", dirty: bool = False) -> Record:
    environment: dict[str, Any] = {
        "versions": {"numpy": numpy},
        "git": {"commit": commit, "dirty": dirty},
        "processor": {"machine": "x86_64"},
    }
    return Record(f"key of {date}", "ok", date=date, environment=environment)


def test_run_json_says_what_was_asked_for_and_how_the_cells_were_computed(
    small_config: Callable[..., Path],
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
