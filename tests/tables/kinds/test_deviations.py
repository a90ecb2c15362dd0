from __future__ import annotations

import csv
from pathlib import Path

import pytest

from quadrepro.config.config import Experiment
from quadrepro.engine.outcomes import Outcomes
from quadrepro.engine.records import Record
from quadrepro.errors import ConfigError
from quadrepro.papers.printed import Facts, MeanOf, Printed
from quadrepro.results.files import check_tables
from quadrepro.stats import implied_test_size
from quadrepro.tables.kinds.deviations import DEVIATIONS
from quadrepro.tables.table import Table
from tests.tables.contexts import as_regression, asking_for, context_of, loaded

CONFIG = """title: One
paper: ebboost
repeats: 4
protocol: {view: quadboost}
datasets:
  - {name: monks, as: ringnorm}
  - {name: titanic, as: made-up}
readings:
  - {name: rows, of: [ringnorm], protocol: {folds: 3}}
  - {name: tanh, of: [ringnorm], protocol: {folds: 4}}
algorithms:
  - {name: adaboost, grid: {n_rounds: 5}}
  - {name: ebboost, algorithm: adaboost, label: EBBoost, grid: {n_rounds: 5}}
tables:
  audit: table1
"""
ROWS = ("ringnorm", "ringnorm, rows", "ringnorm, tanh", "made-up")
COLUMNS = ("adaboost", "ebboost")
STILL, LIVELY = (0.15, 0.152, 0.148, 0.15), (0.15, 0.18, 0.12, 0.15)


def outcomes(sizes: dict[str, int], risks: tuple[float, ...] = STILL) -> Outcomes:
    records = {
        (row, c, i): Record("k", "ok", round(risk * sizes[row]), sizes[row])
        if row in sizes
        else Record("k", "missing")
        for row in ROWS
        for c in COLUMNS
        for i, risk in enumerate(risks)
    }
    shares = {row: n / (n + min(n, 500)) for row, n in sizes.items()}
    return Outcomes(ROWS, COLUMNS, len(risks), records, test_shares=shares)


def data_of(table: Table) -> dict[str, dict[str, str]]:
    return {row["dataset"]: row for row in csv.DictReader(table.to_csv().splitlines())}


def verdict(experiment: Experiment, n_test: int, risks: tuple[float, ...] = STILL) -> str:
    table = DEVIATIONS.table(context_of(experiment, "audit"), outcomes({"ringnorm": n_test}, risks))
    return str(data_of(table)["ringnorm"]["verdict"])


def test_a_row_is_what_its_printed_columns_imply_together(experiment: Experiment) -> None:
    table = DEVIATIONS.table(context_of(experiment, "audit"), outcomes({"ringnorm": 3000}, LIVELY))
    row = {name: text for name, text in data_of(table)["ringnorm"].items() if name != "dataset"}
    risk, sd = (0.1505 + 0.1345) / 2, ((0.0314**2 + 0.0237**2) / 2) ** 0.5
    ours = (0.15, (0.0018 / 3) ** 0.5)
    share = 3000 / 3500
    printed = implied_test_size(risk, sd, 20, rounding=0.00005, share=share)
    by_ours = implied_test_size(*ours, 4, share=share)
    expected = [risk, sd, printed.estimate, printed.low, printed.high, 3000, share, *ours]
    expected += [by_ours.estimate, by_ours.low, by_ours.high]
    numbers = [float(text) for name, text in row.items() if name != "verdict"]
    assert numbers == pytest.approx(expected, rel=1e-6)
    texts = [entry.ours for entry in table.rows[0][1]]
    assert texts[:2] == ["14.25 ± 2.78", "15.00 ± 2.45"]
    assert texts[2] == f"{printed.estimate:.0f} [{printed.low:.0f}, {printed.high:.0f}]"
    assert texts[4] == "3000"


def test_the_verdict_compares_our_test_sets_with_the_interval(experiment: Experiment) -> None:
    # Implied are 158 test examples, from 37 (test sets hold half of the rows) to 274.
    assert verdict(experiment, 150) == "fits"
    assert verdict(experiment, 30) == "too small"
    assert verdict(experiment, 3000) == "too large"
    # Of errors that vary as much as the printed ones, the size of the test sets is not to blame.
    assert verdict(experiment, 3000, LIVELY) == "varies"
    # One split has no deviation.
    assert verdict(experiment, 3000, STILL[:1]) == "too large"


def test_what_does_not_fit_is_marked_and_counted(experiment: Experiment) -> None:
    table = DEVIATIONS.table(context_of(experiment, "audit"), outcomes({"ringnorm": 3000}))
    assert [entries[-1].ours + entries[-1].mark for _, entries in table.rows] == ["too large†", "–"]
    assert "0 fits, 0 varies, 1 too large, 0 too small" in " ".join(table.notes)


def test_a_reading_has_a_row_if_its_test_sets_have_another_size(experiment: Experiment) -> None:
    sizes = {"ringnorm": 3000, "ringnorm, rows": 100, "ringnorm, tanh": 3000}
    table = DEVIATIONS.table(context_of(experiment, "audit"), outcomes(sizes))
    assert [row for row, _ in table.rows] == ["ringnorm", "ringnorm, rows", "made-up"]
    assert data_of(table)["ringnorm, rows"]["n_test"] == "100.0"


def test_a_row_without_print_or_records_or_risks_has_dashes(experiment: Experiment) -> None:
    context = context_of(experiment, "audit")
    nothing = DEVIATIONS.table(context, outcomes({}))
    assert [e.ours for e in nothing.rows[0][1]][3:] == ["–", "–", "–"]
    assert nothing.rows[0][1][2].ours != "–"
    assert {e.ours for e in nothing.rows[1][1]} == {"–"}
    predicted = DEVIATIONS.table(context, as_regression(outcomes({"ringnorm": 3000}), "ringnorm"))
    assert {e.ours for e in predicted.rows[0][1]} == {"–"}


def test_a_mean_of_zero_implies_nothing(experiment: Experiment) -> None:
    cells = {("ringnorm", "adaboost_mean"): "0.00", ("ringnorm", "adaboost_sd"): "0.00"}
    printed = Printed(
        "t", ("adaboost_mean", "adaboost_sd"), cells, Facts(of=MeanOf(splits=20), spread="sd")
    )
    table = DEVIATIONS.table(
        context_of(experiment, "audit", printed), outcomes({"ringnorm": 30}, (0.0, 0.0))
    )
    assert [e.ours for e in table.rows[0][1]] == ["0.00 ± 0.00", "0.00 ± 0.00", "–", "–", "30", "–"]


def test_a_deviation_that_may_be_zero_has_no_upper_end(experiment: Experiment) -> None:
    cells = {("ringnorm", "adaboost_mean"): "5.00", ("ringnorm", "adaboost_sd"): "0.00"}
    printed = Printed(
        "t", ("adaboost_mean", "adaboost_sd"), cells, Facts(of=MeanOf(splits=20), spread="sd")
    )
    table = DEVIATIONS.table(
        context_of(experiment, "audit", printed), outcomes({"ringnorm": 10**6})
    )
    assert table.rows[0][1][2].ours.startswith("∞ [")
    assert table.rows[0][1][2].ours.endswith(", ∞]")


def test_printed_tables_without_deviations_or_risks_are_refused(experiment: Experiment) -> None:
    check_tables(experiment)
    with pytest.raises(ConfigError, match="holds margins, and not errors"):
        check_tables(asking_for(experiment, audit="table2"))


def test_rows_that_predict_numbers_alone_are_refused(tmp_path: Path) -> None:
    experiment = loaded(
        tmp_path,
        "title: Numbers\n"
        "paper: rescale\n"
        "protocol: {view: default, normalise: none, sample: {train: 50, test: 50}}\n"
        "datasets: [{name: m1, as: m1 0, parameters: {sigma: 0}}]\n"
        "algorithms: [{name: boosting, grid: {n_rounds: 5}}]\n"
        "tables: {audit: table1}\n",
    )
    with pytest.raises(ConfigError, match="6:10: audit is of risks, and all rows predict numbers"):
        check_tables(experiment)
