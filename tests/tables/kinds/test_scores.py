"""Errors, RMSEs and metrics next to printed numbers."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from quadrepro.api import reproduce
from quadrepro.config.config import Experiment
from quadrepro.config.datasets import Absent
from quadrepro.config.loading import load_mapping
from quadrepro.engine.records import Record
from quadrepro.papers.paper import load_paper
from quadrepro.papers.printed import TIME_ROW, Facts, Printed, Sample
from quadrepro.results.results import Results
from quadrepro.tables.judge import verdicts_table
from quadrepro.tables.kinds import make_tables
from quadrepro.tables.render import Table
from tests.make import config
from tests.tables.contexts import (
    ALGORITHMS,
    ONE,
    as_regression,
    counted,
    csv_of,
    gathered,
    made,
    outcomes_of,
    table_of,
    texts_of,
)

TEXTS = {
    "monks": ("0.200", "0.100", "0.100"),
    "titanic": ("0.300", "0.400", "0.500"),
    "wine": ("0.100", "0.200", "0.300"),
    TIME_ROW: ("0.5", "10", "20"),
}
CELLS = {
    (row, c): text
    for row, texts in TEXTS.items()
    for c, text in zip(ALGORITHMS, texts, strict=True)
}
PUBLISHED = Printed("three", ALGORITHMS, CELLS)


def data_of(table: Table) -> dict[tuple[str, str], dict[str, str]]:
    return {(row["dataset"], row["algorithm"]): row for row in csv_of(table)}


def test_the_lowest_of_a_row_is_bold_ties_too_ours_and_printed(experiment: Experiment) -> None:
    rows = texts_of(table_of(experiment, "errors", outcomes_of(ONE), PUBLISHED))
    assert rows["monks"] == ("0.200 (0.200)", "**0.100** (**0.100**)", "**0.100** (**0.100**)")
    assert rows["wine"] == ("0.100 (**0.100**)", "0.200 (0.200)", "**0.000** (0.300)")
    # Means of equal counts are lowest together.
    splits = ({"monks": errors, "wine": (3, 4, 5)} for errors in ((1, 3, 3), (2, 2, 2), (3, 1, 2)))
    entries = texts_of(table_of(experiment, "errors", outcomes_of(*splits)))["monks"]
    assert ["**" in text for text in entries] == [True, True, False]


def test_mean_running_times_are_the_last_row_and_marked_as_measured(experiment: Experiment) -> None:
    table = table_of(experiment, "errors", outcomes_of(ONE, seconds=1.25), PUBLISHED)
    name, _ = table.rows[-1]
    assert texts_of(table)[name] == ("1.250 (0.5)", "1.250 (10)", "1.250 (20)")
    assert table.timed_rows == (name, TIME_ROW)
    assert data_of(table)[TIME_ROW, "lpboost"]["printed"] == "10"
    means = Printed("t", ("adaboost_mean",), {(TIME_ROW, "adaboost_mean"): "0.5"})
    table = table_of(experiment, "errors", outcomes_of(ONE, seconds=1.25), means)
    assert texts_of(table)[name][2] == "1.250 (0.5)"


def test_a_missing_cell_is_a_dash_and_its_row_has_no_best(experiment: Experiment) -> None:
    gap = outcomes_of({**ONE, "monks": (2, None, 1)})
    table = table_of(experiment, "errors", gap, PUBLISHED)
    assert texts_of(table)["monks"] == ("0.200 (0.200)", "– (**0.100**)", "0.100 (**0.100**)")
    assert "1 of 9 cells have no result (–): 1 missing." in table.notes
    assert "LPBoost: a departure." in table.notes


def test_repeats_show_deviations_and_mark_numbers_outside(experiment: Experiment) -> None:
    repeats = [ONE, {**ONE, "monks": (3, 1, 1)}, {**ONE, "monks": (1, 1, 1)}]
    off = replace(PUBLISHED, cells={**PUBLISHED.cells, ("monks", "quadboost"): "0.900"})
    result = made(experiment, "errors", outcomes_of(*repeats), off)
    assert texts_of(result.table)["monks"][0] == "0.200 ± 0.100 (0.900†)"
    row = data_of(result.table)["monks", "quadboost"]
    assert [*row.values()][2:7] == ["risk", "3", "0.2", "0.1", "0.900"]
    assert row["verdict"] == "outside"
    # None of 30 examples is wrong, and 3 of 10 printed: p = 0.012.
    outside = [("monks", "quadboost"), ("wine", "adaboost")]
    assert [(v.row, v.column) for v in result.verdicts.outside] == outside


def test_an_absent_data_set_is_a_row_of_dashes_with_its_reason(experiment: Experiment) -> None:
    absent = (Absent(name="animals", reason="it is no longer offered."),)
    config = experiment.config.model_copy(update={"absent": absent})
    cells = {**PUBLISHED.cells, ("animals", "quadboost"): "0.120"}
    printed = replace(PUBLISHED, cells=cells)
    table = table_of(replace(experiment, config=config), "errors", outcomes_of(ONE), printed)
    assert texts_of(table)["animals"] == ("– (0.120)", "–", "–")
    assert "animals: it is no longer offered." in table.notes


def test_regressions_have_rmses_with_four_digits(experiment: Experiment) -> None:
    table = table_of(experiment, "errors", as_regression(outcomes_of(ONE), "titanic"))
    assert texts_of(table)["titanic"] == ("**0.750**", "1.000", "1.250")
    assert texts_of(table)["monks"] == ("0.200", "**0.100**", "**0.100**")
    assert data_of(table)["titanic", "quadboost"]["quantity"] == "RMSE"


def test_printed_errors_are_next_to_the_errors_and_not_to_the_metric_error_as_well() -> None:
    experiment = load_mapping(config(datasets=[*ONE], algorithms=[*ALGORITHMS], metrics=["error"]))
    table = table_of(experiment, "errors", outcomes_of(ONE), PUBLISHED)
    entries = texts_of(table)
    assert entries["monks, risk"][0] == "0.200 (0.200)"
    assert entries["monks, error"][0] == "0.2000"


PERCENT = {
    "datasets": [{"name": "monks", "as": "nist09"}, {"name": "titanic", "as": "made-up"}],
    "algorithms": ["adaboost", {"name": "ebboost", "algorithm": "adaboost"}],
    "paper": "ebboost",
    "tables": {"errors": "table1"},
}
ERRORS = {
    ("nist09", "adaboost"): (12, 14, 13, 13),
    ("nist09", "ebboost"): (11, 12, 11, 12),
    ("made-up", "adaboost"): (500, 510, 490, 500),
    ("made-up", "ebboost"): (600, 610, 590, 600),
}


def test_errors_are_shown_in_percent_where_they_are_printed_so() -> None:
    experiment = load_mapping(config(**PERCENT))
    printed = load_paper("ebboost").printed("table1")
    more = {("made-up", "adaboost_mean"): "0.0400", ("made-up", "adaboost_sd"): "0.0020"}
    printed = replace(printed, cells={**printed.cells, **more})
    result = made(experiment, "errors", counted(ERRORS, 1000), printed)
    assert result.table.title == "Small: test errors in percent"
    texts = texts_of(result.table)
    assert texts["nist09"] == ("1.30 ± 0.08 (1.28 ± 0.22)", "**1.15 ± 0.06** (**1.17** ± 0.13)")
    assert texts["made-up"] == ("**50.00 ± 0.82** (4.00† ± 0.20†)", "60.00 ± 0.82")
    note = "Printed: error in percent, mean ± standard deviation of 20 splits."
    assert note in result.table.notes
    assert result.verdicts.percent
    row = data_of(result.table)["nist09", "adaboost"]
    names = ("quantity", "mean", "sd", "printed", "printed sd")
    assert [row[name] for name in names] == ["risk", "0.013", "0.00081649658", "0.0128", "0.0022"]


def test_rmses_keep_their_unit_next_to_errors_in_percent() -> None:
    facts = Facts(unit="percent", of=Sample(splits=4))
    columns = ("boosting_mean", "rboosting_mean")
    # As they are read: 53.21 and 4.2.
    cells = {("diabetes", "boosting_mean"): "0.5321", ("wine", "boosting_mean"): "0.042"}
    printed = Printed("table1", columns, cells, facts)
    names, rmses = ("boosting", "rboosting"), enumerate((70, 71, 70.5, 71.5))
    places = product(names, rmses)
    numbers = {("diabetes", c, i): Record("k", "ok", n_test=50, rmse=x) for c, (i, x) in places}
    risks = counted({("wine", name): (10, 12, 11, 9) for name in names}, 50)
    keys = {"datasets": ["diabetes", "wine"], "algorithms": [*names]}
    experiment = load_mapping(config(protocol={"view": "default"}, **keys))
    result = made(experiment, "errors", gathered(numbers | risks.records), printed)
    assert texts_of(result.table)["diabetes"][0] == "**70.75 ± 0.65** (53.21†)"
    assert texts_of(result.table)["wine"][0] == "**21.00 ± 2.58** (4.2†)"
    listed = texts_of(verdicts_table(experiment, [result.verdicts], []))
    assert listed["diabetes, Boosting"][:3] == ("RMSE", "53.21", "70.75")
    assert listed["wine, Boosting"][:3] == ("risk in percent", "4.2", "21.00")


def test_a_printed_mean_of_folds_is_placed_among_our_cross_validations() -> None:
    protocol = {"view": "quadboost", "split": {"outer": "3x2"}}
    keys = {"datasets": ["monks", "wine"], "algorithms": ["quadboost"], "protocol": protocol}
    facts = Facts(unit="fraction", of=Sample(cv=2))
    printed = Printed("p", ("quadboost",), {("monks", "quadboost"): "0.19"}, facts)
    errors = {(row, "quadboost"): (10, 30, 15, 23, 10, 26) for row in ("monks", "wine")}
    result = made(load_mapping(config(**keys)), "errors", counted(errors), printed)
    [verdict] = result.verdicts.entries
    # Three cross-validations of two folds each: 0.20, 0.19, 0.18.
    assert verdict.ours == pytest.approx(0.19)
    assert verdict.repeats.values == pytest.approx((0.20, 0.19, 0.18))
    assert (verdict.low or 0) > 0.13  # single folds would give 0.02
    assert any("placed among the means of our cross-validations" in n for n in result.table.notes)


NUMBERS = {
    "protocol": {"view": "default", "sample": {"train": 20, "test": 30}, "folds": 0},
    "datasets": [{"name": "m1", "as": "m1 0"}, {"name": "orange", "as": "o"}],
    "algorithms": ["boosting", {"name": "rboosting", "algorithm": "boosting"}],
    "paper": "rescale",
    "tables": {"errors": "table1", "noiseless": "table1"},
}


def test_rmses_without_noise_are_next_to_the_printed_rmses() -> None:
    experiment = load_mapping(config(**NUMBERS))
    rmses = {"boosting": [(0.27, 0.1), (0.25, 0.3)], "rboosting": [(0.246, 0.4), (0.25, 0.6)]}
    records = {
        ("m1 0", c, i): Record("k", "ok", n_test=30, rmse=x, measures={"rmse_noiseless": [true]})
        for c, pairs in rmses.items()
        for i, (x, true) in enumerate(pairs)
    }
    records |= {("o", c, i): Record("k", "ok", 3, 30) for c in rmses for i in (0, 1)}
    outcomes = gathered(records, test_shares={})
    table = table_of(experiment, "noiseless", outcomes)
    assert table.title == "Small: RMSE on test examples without noise"
    assert texts_of(table)["m1 0"][0] == "**0.2000 ± 0.1414** (0.2698 ± 0.0495)"
    assert texts_of(table)["o"] == ("–", "–")
    assert table_of(experiment, "errors", outcomes).title == (
        "Small: test risks, or RMSE where numbers are predicted"
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
            numbers = data.loc[(row, column, "AUC")]
            assert numbers["mean"] == pytest.approx(np.mean(values))
            assert numbers["sd"] == pytest.approx(np.std(values, ddof=1), abs=1e-9)
    names = [name for name, _ in results.made["errors"].rows]
    # The headline comes first.
    assert names[:4] == ["monks, AUC", "balance, AUC", "monks, risk", "balance, risk"]
    assert results.made["errors"].title == "Measured: AUC, and other metrics"


def test_the_best_is_the_highest_where_higher_is_better(results: Results) -> None:
    for name, entries in texts_of(results.made["errors"]).items():
        if ", AUC" in name:
            compared = [text.replace("*", "") for text in entries[:3]]
            assert f"**{max(compared)}**" in entries
            assert not entries[3].startswith("**")


def test_cells_without_a_value_of_the_metric_are_counted(results: Results) -> None:
    assert texts_of(results.made["errors"])["monks, log loss"][0] == "–"
    note = "log loss is undefined, or there are no probabilities to compute it from (–), in 6 of "
    assert any(text.startswith(note) for text in results.made["errors"].notes)
    place = ("monks", "bayes", 1)
    record = results.outcomes.records[place]
    one_class = replace(record, actual=np.zeros_like(record.predicted, dtype=np.intp))
    outcomes = replace(results.outcomes, records={**results.outcomes.records, place: one_class})
    table = make_tables(results.plan.experiment, outcomes)["errors"].table
    assert any(note.startswith("AUC is ") and ", in 1 of " in note for note in table.notes)
    assert texts_of(table)["monks, AUC"][1] == "–"


def test_on_one_data_set_algorithms_are_the_rows_and_metrics_the_columns() -> None:
    one = {**CONFIG_OF_METRICS, "datasets": ["monks"], "title": "One"}
    single = reproduce(one, jobs=1, out="out", progress=False)
    table = single.made["errors"]
    assert table.header == ("Algorithm", "AUC", "risk", "log loss")
    assert [name for name, _ in table.rows] == [*single.plan.experiment.titles.values()]
    assert len({path.name for path in single.folder.iterdir()}) <= 12


@pytest.mark.parametrize("unit", ["percent", "fraction"])
def test_a_printed_metric_is_next_to_our_values_of_it(results: Results, unit: str) -> None:
    data = results.table("errors").data.set_index(["dataset", "algorithm", "quantity"])
    ours = data.loc[("monks", "adaboost", "AUC")]["mean"]
    facts = Facts.model_validate({"metric": "auc", "unit": unit, "of": {"splits": 3}})
    cells = {("monks", "adaboost_mean"): f"{ours:.4f}", ("monks", "bayes_mean"): "0.50"}
    printed = Printed("t", ("adaboost_mean", "bayes_mean"), cells, facts)
    experiment = load_mapping({**CONFIG_OF_METRICS, "baseline": True})
    result = made(experiment, "errors", results.outcomes, printed)
    rows = texts_of(result.table)
    digits = f"{100 * ours:.2f}" if unit == "percent" else f"{ours:.4f}"
    row = rows["monks, AUC" + " in percent" * (unit == "percent")]
    assert row[0].endswith(f" (**{digits}**)")
    assert row[0].startswith(digits[:3]) or row[0].startswith(f"**{digits[:3]}")
    assert "†" in row[1]
    assert not any("(" in text for name, row in rows.items() if "risk" in name for text in row)
    assert {v.quantity for v in result.verdicts.entries} == {"AUC"}
    assert [v.word for v in result.verdicts.entries] == ["inside", "outside"]
    # There are no test examples whose sampling explains a difference of AUCs.
    assert not any(v.repeats.n_test for v in result.verdicts.entries if v.repeats)


def test_classes_and_splits_that_are_not_tested_are_noted() -> None:
    columns, records = ["adaboost", "boosting"], {}
    keys = {"datasets": ["wine"], "metrics": ["balanced_error", "log_loss"]}
    experiment = load_mapping(config(protocol={"view": "default"}, algorithms=columns, **keys))
    splits = enumerate(map(np.array, ([0, 1, 2], [0, 1, 1], [0, 0])))
    for (split, codes), column in product(splits, columns):
        fields = {"classes": ("1", "2", "3"), "actual": codes, "predicted": codes}
        records["wine", column, split] = Record("k", "ok", 0, len(codes), **fields)
    table = make_tables(experiment, gathered(records))["errors"].table
    leaves_out = "means over classes leave out those without test rows: 2 in 1, 3 in 2 of 3 splits."
    alone = "balanced error is undefined in 1 of 3 splits, whose test rows are of one class"
    assert f"wine: {leaves_out}" in table.notes
    assert any(note.startswith(f"wine: {alone}") for note in table.notes)
    assert not any(note.startswith("balanced error is undefined, or") for note in table.notes)
    assert any(note.endswith("(–), in 6 of 6 cells.") for note in table.notes)
    assert texts_of(table)["AdaBoost"][1].replace("*", "") == "0.0000 ± 0.0000"
