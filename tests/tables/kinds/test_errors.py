"""Errors, RMSEs and metrics beside printed numbers."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import ttest_ind_from_stats
from sklearn.metrics import roc_auc_score

from quadrepro.api import reproduce
from quadrepro.config.config import Experiment
from quadrepro.config.datasets import Absent
from quadrepro.config.loading import load_mapping
from quadrepro.engine.outcomes import Outcomes
from quadrepro.engine.records import Record
from quadrepro.papers.paper import load_paper
from quadrepro.papers.printed import TIME_ROW, Facts, MeanOf, Printed
from quadrepro.results.results import Results
from quadrepro.tables.made import make_tables
from quadrepro.tables.table import Table
from tests.make import config
from tests.tables.contexts import (
    ALGORITHMS,
    ONE,
    as_regression,
    csv_of,
    loaded,
    made,
    outcomes_of,
    table_of,
)

TEXTS = {
    "monks": ("0.200", "0.100", "0.100"),
    "titanic": ("0.300", "0.400", "0.500"),
    "wine": ("0.100", "0.200", "0.300"),
    TIME_ROW: ("0.5", "10", "20"),
}
CELLS = {
    (row, c): text for row, of in TEXTS.items() for c, text in zip(ALGORITHMS, of, strict=True)
}
PUBLISHED = Printed("three", ALGORITHMS, CELLS)


def rows_of(table: Table) -> dict[str, tuple[str, ...]]:
    return dict(table.rows)


def data_of(table: Table) -> dict[tuple[str, str], dict[str, str]]:
    return {(row["dataset"], row["algorithm"]): row for row in csv_of(table)}


def test_the_lowest_of_a_row_is_bold_ties_too_ours_and_printed(experiment: Experiment) -> None:
    rows = rows_of(table_of(experiment, "errors", outcomes_of(ONE), PUBLISHED))
    assert rows["monks"] == ("0.200 (0.200)", "**0.100** (**0.100**)", "**0.100** (**0.100**)")
    assert rows["wine"] == ("0.100 (**0.100**)", "0.200 (0.200)", "**0.000** (0.300)")
    # Means of equal counts are lowest together.
    splits = ({"monks": errors, "wine": (3, 4, 5)} for errors in ((1, 3, 3), (2, 2, 2), (3, 1, 2)))
    entries = rows_of(table_of(experiment, "errors", outcomes_of(*splits)))["monks"]
    assert ["**" in text for text in entries] == [True, True, False]


def test_mean_running_times_are_the_last_row_and_marked_as_measured(experiment: Experiment) -> None:
    table = table_of(experiment, "errors", outcomes_of(ONE, seconds=1.25), PUBLISHED)
    name, entries = table.rows[-1]
    assert entries == ("1.250 (0.5)", "1.250 (10)", "1.250 (20)")
    assert table.timed_rows == (name, TIME_ROW)
    assert data_of(table)[TIME_ROW, "lpboost"]["printed"] == "10"
    means = Printed("t", ("adaboost_mean",), {(TIME_ROW, "adaboost_mean"): "0.5"})
    table = table_of(experiment, "errors", outcomes_of(ONE, seconds=1.25), means)
    assert table.rows[-1][1][2] == "1.250 (0.5)"


def test_a_missing_cell_is_a_dash_and_its_row_has_no_best(experiment: Experiment) -> None:
    found = outcomes_of({**ONE, "monks": (2, None, 1)})
    table = table_of(experiment, "errors", found, PUBLISHED)
    assert rows_of(table)["monks"] == ("0.200 (0.200)", "– (**0.100**)", "0.100 (**0.100**)")
    assert "1 of 9 cells have no result (–): 1 missing." in table.notes
    assert "LPBoost: a departure." in table.notes


def test_repeats_show_mean_and_deviation_and_mark_what_lies_outside(experiment: Experiment) -> None:
    repeats = [ONE, {**ONE, "monks": (3, 1, 1)}, {**ONE, "monks": (1, 1, 1)}]
    off = replace(PUBLISHED, cells={**PUBLISHED.cells, ("monks", "quadboost"): "0.900"})
    found = made(experiment, "errors", outcomes_of(*repeats), off)
    assert rows_of(found.table)["monks"][0] == "0.200 ± 0.100† (0.900)"
    entry = data_of(found.table)["monks", "quadboost"]
    assert [entry[k] for k in ("quantity", "splits", "mean", "sd", "printed", "verdict")] == [
        *("risk", "3", "0.2", "0.1", "0.900", "outside")
    ]
    assert [(v.row, v.column) for v in found.verdicts.outside] == [("monks", "quadboost")]


def test_a_data_set_that_cannot_be_had_is_a_row_of_dashes_with_its_reason(
    experiment: Experiment,
) -> None:
    absent = (Absent(name="animals", reason="it is no longer offered."),)
    lacking = experiment.config.model_copy(update={"absent": absent})
    cells = {**PUBLISHED.cells, ("animals", "quadboost"): "0.120"}
    printed = replace(PUBLISHED, cells=cells)
    table = table_of(replace(experiment, config=lacking), "errors", outcomes_of(ONE), printed)
    assert rows_of(table)["animals"] == ("– (0.120)", "–", "–")
    assert "animals: it is no longer offered." in table.notes


def test_numbers_have_rmses_with_four_digits_in_the_place_of_risks(experiment: Experiment) -> None:
    table = table_of(experiment, "errors", as_regression(outcomes_of(ONE), "titanic"))
    assert rows_of(table)["titanic"] == ("**0.7500**", "1.0000", "1.2500")
    assert rows_of(table)["monks"] == ("0.200", "**0.100**", "**0.100**")
    assert data_of(table)["titanic", "quadboost"]["quantity"] == "RMSE"


PERCENT = """title: Two
protocol: {view: quadboost}
datasets: [{name: monks, as: nist09}, {name: titanic, as: made-up}]
algorithms:
  - {name: adaboost, grid: {n_rounds: 5}}
  - {name: ebboost, algorithm: adaboost, label: EBBoost, grid: {n_rounds: 5}}
paper: ebboost
tables: {errors: table1}
"""
ERRORS = {
    ("nist09", "adaboost"): (12, 14, 13, 13),
    ("nist09", "ebboost"): (11, 12, 11, 12),
    ("made-up", "adaboost"): (500, 510, 490, 500),
    ("made-up", "ebboost"): (600, 610, 590, 600),
}


def of_thousand(errors: dict[tuple[str, str], tuple[int, ...]]) -> Outcomes:
    """Return outcomes of 1000 test examples."""
    rows, columns = (tuple(dict.fromkeys(place[i] for place in errors)) for i in (0, 1))
    records = {
        (*place, i): Record("k", "ok", e, 1000)
        for place, of_splits in errors.items()
        for i, e in enumerate(of_splits)
    }
    return Outcomes(rows, columns, 4, records, test_shares=dict.fromkeys(rows, 0.5))


def test_errors_are_in_percent_where_they_are_printed_so_and_judged_by_welchs_test(
    tmp_path: Path,
) -> None:
    experiment = loaded(tmp_path, PERCENT)
    printed = load_paper("ebboost").printed("table1")
    more = {("made-up", "adaboost_mean"): "4.00", ("made-up", "adaboost_sd"): "0.20"}
    printed = replace(printed, cells={**printed.cells, **more})
    found = made(experiment, "errors", of_thousand(ERRORS), printed)
    assert found.table.title == "Two: test errors in percent"
    assert rows_of(found.table)["nist09"] == (
        "1.30 ± 0.08 (1.28 ± 0.22)",
        "**1.15 ± 0.06** (**1.17 ± 0.13**)",
    )
    assert rows_of(found.table)["made-up"] == ("**50.00 ± 0.82**† (4.00 ± 0.20)", "60.00 ± 0.82")
    assert "Printed: error in percent, mean ± standard deviation of 20 splits." in found.table.notes
    verdict = next(v for v in found.verdicts.entries if v.row == "nist09")
    # The printed mean is any that is rounded to 1.28.
    nearest = 1.3 - max(0, abs(1.3 - 1.28) - 0.005)
    sd = float(np.std([1.2, 1.4, 1.3, 1.3], ddof=1))
    test = ttest_ind_from_stats(1.3, sd, 4, nearest, 0.22, 20, equal_var=False)
    assert verdict.p_value == pytest.approx(test.pvalue)
    assert verdict.quantity == "error in percent"


def test_a_printed_mean_of_folds_is_placed_among_our_cross_validations() -> None:
    protocol = {"view": "quadboost", "split": {"outer": "3x2"}}
    keys = {"datasets": ["monks", "wine"], "algorithms": ["quadboost"], "protocol": protocol}
    facts = Facts(unit="fraction", of=MeanOf(cv=2))
    printed = Printed("p", ("quadboost",), {("monks", "quadboost"): "0.19"}, facts)
    risks = (0.1, 0.3, 0.15, 0.23, 0.1, 0.26)
    records = {
        (row, "quadboost", i): Record("k", "ok", round(100 * risk), 100)
        for row in ("monks", "wine")
        for i, risk in enumerate(risks)
    }
    found = Outcomes(("monks", "wine"), ("quadboost",), 6, records)
    verdicts = made(load_mapping(config(**keys)), "errors", found, printed).verdicts
    [verdict] = verdicts.entries
    # Three cross-validations of two folds each: 0.20, 0.19, 0.18.
    assert verdict.ours == pytest.approx(0.19)
    assert (verdict.low or 0) > 0.13  # single folds would give 0.02


NUMBERS = """title: Mixed
protocol: {view: default, sample: {train: 20, test: 30}, folds: 0}
datasets: [{name: m1, as: m1 0}, {name: orange, as: o}]
algorithms:
  - {name: boosting, label: A, grid: {n_rounds: 5}}
  - {name: rboosting, algorithm: boosting, label: B, grid: {n_rounds: 5}}
paper: rescale
tables: {errors: table1, noiseless: table1}
"""


def test_rmses_against_the_truth_stand_beside_the_same_printed_ones(tmp_path: Path) -> None:
    experiment = loaded(tmp_path, NUMBERS)
    rmses = {"boosting": [(0.27, 0.1), (0.25, 0.3)], "rboosting": [(0.246, 0.4), (0.25, 0.6)]}
    records = {
        ("m1 0", c, i): Record("k", "ok", n_test=30, rmse=x, measures={"rmse_noiseless": [true]})
        for c, of_splits in rmses.items()
        for i, (x, true) in enumerate(of_splits)
    }
    records |= {("o", c, i): Record("k", "ok", 3, 30) for c in rmses for i in (0, 1)}
    found = Outcomes(("m1 0", "o"), (*rmses,), 2, records, test_shares={})
    table = table_of(experiment, "noiseless", found)
    assert table.title == "Mixed: RMSE on test examples without noise"
    of_numbers = rows_of(table)["m1 0"]
    assert of_numbers[0] == "**0.2000 ± 0.1414** (0.2698 ± 0.0495)"
    assert rows_of(table)["o"] == ("–", "–")
    assert table_of(experiment, "errors", found).title == (
        "Mixed: test risks, or RMSE where numbers are predicted"
    )


CONFIG_OF_METRICS: dict[str, Any] = {
    "title": "Measured",
    "repeats": 3,
    "protocol": {"view": "quadboost"},
    "datasets": ["monks", "balance"],
    "metrics": ["auc", "log_loss"],
    "headline": "auc",
    "algorithms": [
        {"name": "adaboost", "label": "AdaBoost", "grid": {"n_rounds": 5}},
        {"name": "bayes", "algorithm": "sklearn:GaussianNB"},
        {"name": "stump", "algorithm": "sklearn:DecisionTreeClassifier", "grid": {"max_depth": 1}},
    ],
}


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Results:
    out = tmp_path_factory.mktemp("out")
    return reproduce(CONFIG_OF_METRICS, jobs=1, out=out, progress=False)


def auc_of(record: Record) -> float:
    probabilities, scores = record.probabilities, record.scores
    if scores is None:
        scores = probabilities[:, 1]
    return float(roc_auc_score(record.actual, scores))


def test_metrics_follow_the_errors_with_the_values_of_every_record(results: Results) -> None:
    data = results.table("errors").data.set_index(["dataset", "algorithm", "quantity"])
    for row in ("monks", "balance"):
        for column in ("adaboost", "bayes", "baseline"):
            values = [auc_of(record) for record in results.outcomes.cell(row, column)]
            found = data.loc[(row, column, "AUC")]
            assert found["mean"] == pytest.approx(np.mean(values))
            assert found["sd"] == pytest.approx(np.std(values, ddof=1), abs=1e-9)
    names = [name for name, _ in results.made["errors"].rows]
    # The headline comes first.
    assert names[:4] == ["monks, AUC", "balance, AUC", "monks, risk", "balance, risk"]
    assert results.made["errors"].title == "Measured: AUC, and other metrics"


def test_the_best_is_the_highest_where_higher_is_better(results: Results) -> None:
    for name, entries in results.made["errors"].rows:
        if ", AUC" in name:
            compared = [text.replace("*", "") for text in entries[:3]]
            assert f"**{max(compared)}**" in entries
            assert not entries[3].startswith("**")


def test_cells_without_a_value_of_the_metric_are_counted(results: Results) -> None:
    assert dict(results.made["errors"].rows)["monks, log loss"][0] == "–"
    note = "log loss is undefined, or there are no probabilities to compute it from (–), in 6 of "
    assert any(text.startswith(note) for text in results.made["errors"].notes)
    place = ("monks", "bayes", 1)
    record = results.outcomes.records[place]
    one_class = replace(record, actual=np.zeros_like(record.predicted, dtype=np.intp))
    outcomes = replace(results.outcomes, records={**results.outcomes.records, place: one_class})
    table = make_tables(results.plan.experiment, outcomes)["errors"].table
    assert any(note.startswith("AUC is ") and ", in 1 of " in note for note in table.notes)
    assert dict(table.rows)["monks, AUC"][1] == "–"


def test_on_one_data_set_algorithms_are_the_rows_and_metrics_the_columns(tmp_path: Path) -> None:
    one = {**CONFIG_OF_METRICS, "datasets": ["monks"], "title": "One"}
    found = reproduce(one, jobs=1, out=tmp_path, progress=False)
    table = found.made["errors"]
    assert table.header == ("Algorithm", "AUC", "risk", "log loss")
    assert [name for name, _ in table.rows] == [*found.plan.experiment.titles.values()]  # type: ignore[union-attr]
    assert len({path.name for path in found.folder.iterdir()}) <= 12


def test_a_printed_metric_stands_beside_ours_and_not_beside_errors(
    results: Results, tmp_path: Path
) -> None:
    data = results.table("errors").data.set_index(["dataset", "algorithm", "quantity"])
    ours = data.loc[("monks", "adaboost", "AUC")]["mean"]
    facts = Facts(metric="auc", unit="percent", of=MeanOf(splits=3))
    cells = {("monks", "adaboost_mean"): f"{100 * ours:.2f}", ("monks", "bayes_mean"): "50"}
    printed = Printed("t", ("adaboost_mean", "bayes_mean"), cells, facts)
    experiment = load_mapping({**CONFIG_OF_METRICS, "baseline": True})
    found = made(experiment, "errors", results.outcomes, printed)
    rows = rows_of(found.table)
    assert rows["monks, AUC"][0].endswith(f" (**{ours:.4f}**)")
    assert "†" in rows["monks, AUC"][1]
    assert "(" not in rows["monks, risk"][0]
    assert {v.quantity for v in found.verdicts.entries} == {"AUC"}
