from __future__ import annotations

import csv
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from quadrepro.config.config import Experiment
from quadrepro.config.datasets import Absent
from quadrepro.config.loading import load_mapping
from quadrepro.engine.outcomes import Outcomes
from quadrepro.papers.printed import TIME_ROW, Printed
from quadrepro.tables.kinds.errors import RISKS
from quadrepro.tables.table import Table
from tests.tables.contexts import as_regression, context_of, loaded

Make = Callable[..., Outcomes]


def risks_of(experiment: Experiment, printed: Printed, outcomes: Outcomes) -> Table:
    return RISKS.table(context_of(experiment, "risks", printed), outcomes)


ONE = {"monks": (2, 1, 1), "titanic": (3, 4, 5), "wine": (1, 2, 0)}


def test_the_lowest_of_a_row_is_bold_ties_too_ours_and_printed(
    experiment: Experiment, outcomes: Make, published: Printed
) -> None:
    lines = risks_of(experiment, published, outcomes(ONE)).to_markdown().splitlines()
    row = next(line for line in lines if "monks" in line)
    assert row.split("|")[2].strip() == "0.200 (0.200)"
    assert row.split("|")[3].strip() == "**0.100** (**0.100**)"
    assert row.split("|")[4].strip() == "**0.100** (**0.100**)"
    wine = next(line for line in lines if "wine" in line)
    assert wine.split("|")[2].strip() == "0.100 (**0.100**)"
    assert wine.split("|")[4].strip() == "**0.000** (0.300)"


def test_the_last_row_is_the_mean_running_time(
    experiment: Experiment, outcomes: Make, published: Printed
) -> None:
    table = risks_of(experiment, published, outcomes(ONE, seconds=1.25))
    last = table.to_markdown().splitlines()[7]
    assert last.split("|")[1:3] == [" Mean running time (s) ", "       1.250 (0.5) "] or (
        "1.250 (0.5)" in last and "Mean running time (s)" in last
    )


def test_a_missing_cell_is_a_dash_and_its_row_has_no_best(
    experiment: Experiment, outcomes: Make, published: Printed
) -> None:
    errors = {**ONE, "monks": (2, None, 1)}
    text = risks_of(experiment, published, outcomes(errors)).to_markdown()
    row = next(line for line in text.splitlines() if "monks" in line)
    assert "– (**0.100**)" in row
    assert "**0.100** (" not in row
    assert "1 of 9 cells have no result" in text


def test_departures_are_said_below_the_table(
    experiment: Experiment, outcomes: Make, published: Printed
) -> None:
    assert "LPBoost: a departure." in risks_of(experiment, published, outcomes(ONE)).notes


def test_csv_has_every_number_at_full_precision_in_a_column_of_its_own(
    experiment: Experiment, outcomes: Make, published: Printed
) -> None:
    text = risks_of(experiment, published, outcomes(ONE)).to_csv()
    header, *rows = csv.reader(text.splitlines())
    assert header[:3] == ["dataset", "quadboost", "quadboost printed"]
    assert rows[0] == ["monks", "0.2", "0.200", "0.1", "0.100", "0.1", "0.100"]
    assert rows[-1][0] == "mean_running_time_s"


def test_repeats_show_mean_and_deviation_and_mark_what_lies_outside(
    experiment: Experiment, outcomes: Make, published: Printed
) -> None:
    repeats = [ONE, {**ONE, "monks": (3, 1, 1)}, {**ONE, "monks": (1, 1, 1)}]
    text = risks_of(experiment, published, outcomes(*repeats)).to_markdown()
    row = next(line for line in text.splitlines() if "monks" in line)
    assert "0.200 ± 0.100 (0.200)" in row
    wine = next(line for line in text.splitlines() if "wine" in line)
    assert "0.000 ± 0.000** (0.300)" in wine
    off = Printed("one", published.columns, {**published.cells, ("monks", "quadboost"): "0.900"})
    marked = risks_of(experiment, off, outcomes(*repeats))
    assert "0.200 ± 0.100† (0.900)" in marked.to_markdown()
    entries = [entry for _, of_row in marked.rows for entry in of_row]
    assert {(e.verdict, e.mark) for e in entries} == {("inside", ""), ("outside", "†"), ("", "")}


@pytest.mark.parametrize("ending", ["to_markdown", "to_latex", "to_csv"])
def test_rendering_is_a_function_of_its_input(
    experiment: Experiment, outcomes: Make, published: Printed, ending: str
) -> None:
    first, second = (
        getattr(risks_of(experiment, published, outcomes(ONE)), ending)() for _ in range(2)
    )
    assert first == second


def test_a_data_set_that_cannot_be_had_is_a_row_of_dashes_with_its_reason(
    experiment: Experiment, outcomes: Make, published: Printed
) -> None:
    absent = (Absent(name="animals", reason="it is no longer offered."),)
    config = experiment.config.model_copy(update={"absent": absent})
    table = risks_of(replace(experiment, config=config), published, outcomes(ONE))
    names = [name for name, _ in table.rows]
    assert names == ["monks", "titanic", "wine", "animals", "Mean running time (s)"]
    assert [entry.ours for entry in table.rows[3][1]] == ["–", "–", "–"]
    assert "animals: it is no longer offered." in table.notes
    assert [row[0] for row in table.data_rows] == ["monks", "titanic", "wine", TIME_ROW]


def test_where_numbers_are_predicted_rmses_stand_in_the_place_of_risks(
    experiment: Experiment, outcomes: Make, published: Printed
) -> None:
    found = as_regression(outcomes(ONE), "titanic")
    table = risks_of(experiment, published, found)
    assert [e.ours for e in table.rows[1][1]] == ["0.750", "1.000", "1.250"]
    assert [e.bold for e in table.rows[1][1]] == [True, False, False]
    assert table.data_rows[1][1] == pytest.approx(0.75)
    assert [e.ours for e in table.rows[0][1]] == ["0.200", "0.100", "0.100"]


def test_two_columns_of_one_algorithm_are_told_apart_by_their_names(
    tmp_path: Path, outcomes: Make, published: Printed
) -> None:
    experiment = loaded(
        tmp_path,
        "title: Same\nprotocol: {view: quadboost}\ndatasets: [monks, titanic, wine]\n"
        "baseline: false\nalgorithms:\n"
        "  - {name: quadboost, grid: {n_rounds: 5}}\n"
        "  - {name: lpboost, algorithm: adaboost, grid: {n_rounds: 5}, note: a departure.}\n"
        "  - {name: adaboost, grid: {n_rounds: 5}}\n",
    )
    table = risks_of(experiment, published, outcomes(ONE))
    over = " (10 stumps per attribute)"
    assert table.header == ("Data set", f"QuadBoost{over}", f"lpboost{over}", f"adaboost{over}")
    assert f"lpboost{over}: a departure." in table.notes


def test_means_of_equal_counts_are_lowest_together(
    experiment: Experiment, outcomes: Make, published: Printed
) -> None:
    found = outcomes(*({"monks": errors} for errors in ((1, 3, 3), (2, 2, 2), (3, 1, 2))))
    lone = replace(
        experiment,
        config=experiment.config.model_copy(update={"datasets": experiment.config.datasets[:1]}),
    )
    table = risks_of(lone, published, found)
    assert [entry.bold for entry in table.rows[0][1]] == [True, True, False]
    assert table.data_rows[0][1] == table.data_rows[0][4] == 0.2


@pytest.mark.parametrize(
    ("rows", "title"),
    [
        (["monks"], "T: test risks"),
        ([{"name": "concrete", "view": "rescale"}], "T: RMSE on test examples"),
        (
            ["monks", {"name": "concrete", "view": "rescale"}],
            "T: test risks, or RMSE where numbers are predicted",
        ),
    ],
)
def test_the_title_says_where_numbers_are_predicted(rows: list[Any], title: str) -> None:
    config = {"title": "T", "protocol": {"view": "quadboost"}, "datasets": rows}
    entry = {"name": "boosting", "grid": {"n_rounds": 5}}
    experiment = load_mapping({**config, "algorithms": [entry]})
    outcomes = Outcomes((), ("boosting", "baseline"), 1, {})
    assert RISKS.table(context_of(experiment, "risks"), outcomes).title == title
