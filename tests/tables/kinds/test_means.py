from __future__ import annotations

import csv
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import t as student
from scipy.stats import ttest_ind_from_stats, ttest_rel

from quadrepro.config.config import Experiment
from quadrepro.engine.outcomes import Outcomes
from quadrepro.engine.records import Record
from quadrepro.papers.paper import load_paper
from quadrepro.tables.kinds.errors import MEANS, NOISELESS
from tests.tables.contexts import context_of, loaded

CONFIG = """title: Two
protocol: {view: quadboost}
datasets:
  - {name: monks, as: nist09}
  - {name: titanic, as: made-up}
algorithms:
  - {name: adaboost, grid: {n_rounds: 5}}
  - {name: ebboost, algorithm: adaboost, label: EBBoost, grid: {n_rounds: 5}}
  - {name: abr, algorithm: adaboost, label: ABR, grid: {n_rounds: 5}, note: a departure.}
paper: ebboost
tables: {means: table1}
"""
ERRORS = {
    ("nist09", "adaboost"): (12, 14, 13, 13),
    ("nist09", "ebboost"): (11, 12, 11, 12),
    ("nist09", "abr"): (12, 11, 13, 12),
    ("made-up", "adaboost"): (500, 510, 490, 500),
    ("made-up", "ebboost"): (600, 610, 590, 600),
    ("made-up", "abr"): (500, 510, 490, 500),
}
PRINTED = load_paper("ebboost").printed("table1")
EXPECTED = (
    "## Two: test errors in percent\n"
    "\n"
    "| Data set   |                            AdaBoost "
    "|                           EBBoost |                           ABR |\n"
    "|:-----------|------------------------------------:"
    "|----------------------------------:|------------------------------:|\n"
    "| nist09     |       **1.30 ± 0.08** (1.28 ± 0.22) "
    "| ◆ **1.15 ± 0.06** (◆ 1.17 ± 0.13) | **1.20 ± 0.08** (1.18 ± 0.18) |\n"
    "| made-up    | ◆ **50.00 ± 0.82**† (◆ 4.00 ± 0.20) "
    "|                      60.00 ± 0.82 |            ◆ **50.00 ± 0.82** |\n"
    "\n"
    "Ours: mean ± standard deviation over 4 random splits; in parentheses the printed "
    "ones. ◆ marks the lowest mean of a row (in LaTeX ours is shaded and the "
    "printed one underlined).\n"
    "\n"
    "Bold: the best of ours, and what the corrected resampled t-test over the splits, adjusted "
    "for all pairs of a row by Holm's method, does not find to differ from it (p > 0.05). For the "
    "printed ones this cannot be known.\n"
    "\n"
    "Printed: error in percent, mean ± standard deviation of 20 splits.\n"
    "\n"
    "† marks a mean that differs from the printed one by more than samples of 4 and 20 "
    "splits would show (Welch's t-test, p ≤ 0.05; half a unit of the last printed digit "
    "is allowed for).\n"
    "\n"
    "ABR: a departure.\n"
)


def outcomes(errors: dict[tuple[str, str], tuple[int | None, ...]], n: int = 1000) -> Outcomes:
    rows = tuple(dict.fromkeys(row for row, _ in errors))
    columns = tuple(dict.fromkeys(column for _, column in errors))
    records = {
        (*place, i): Record("k", "missing") if e is None else Record("k", "ok", e, n)
        for place, of_splits in errors.items()
        for i, e in enumerate(of_splits)
    }
    repeats, share = len(next(iter(errors.values()))), n / (n + min(n, 500))
    return Outcomes(rows, columns, repeats, records, test_shares=dict.fromkeys(rows, share))


def test_the_table_reads_like_the_papers(experiment: Experiment) -> None:
    more = {("made-up", "adaboost_mean"): "4.00", ("made-up", "adaboost_sd"): "0.20"}
    printed = replace(PRINTED, cells={**PRINTED.cells, **more})
    table = MEANS.table(context_of(experiment, "means", printed), outcomes(ERRORS))
    assert table.to_markdown() == EXPECTED
    entries = [entry for _, of_row in table.rows for entry in of_row]
    assert {(e.verdict, e.mark) for e in entries} == {("inside", ""), ("outside", "†"), ("", "")}


def test_the_data_hold_both_tests_at_full_precision(experiment: Experiment) -> None:
    text = MEANS.table(context_of(experiment, "means"), outcomes(ERRORS)).to_csv()
    rows = {(r["dataset"], r["algorithm"]): r for r in csv.DictReader(text.splitlines())}
    entry = rows["nist09", "abr"]
    ours, best = (np.array(ERRORS["nist09", c]) / 10 for c in ("abr", "ebboost"))
    assert entry["splits"] == "4"
    assert float(entry["mean"]) == pytest.approx(ours.mean())
    assert float(entry["sd"]) == pytest.approx(ours.std(ddof=1))
    assert (entry["printed mean"], entry["printed sd"]) == ("1.18", "0.18")
    assert float(entry["difference"]) == pytest.approx(ours.mean() - 1.18)
    # 500 examples are trained on and 1000 tested: s² (1/4 + 2) rather than s²/4.
    statistic = ttest_rel(ours, best).statistic / 3
    assert float(entry["p against best"]) == pytest.approx(2 * student.sf(abs(statistic), 3))
    nearest = ours.mean() - (abs(ours.mean() - 1.18) - 0.005) * np.sign(ours.mean() - 1.18)
    welch = ttest_ind_from_stats(
        ours.mean(), ours.std(ddof=1), 4, nearest, 0.18, 20, equal_var=False
    )
    assert float(entry["p against printed"]) == pytest.approx(welch.pvalue)
    assert entry["verdict"] == "inside"
    lacking = rows["made-up", "abr"]
    assert [lacking[k] for k in ("printed mean", "difference", "verdict")] == ["", "", ""]


def test_a_row_with_a_missing_cell_has_no_best_and_no_test(experiment: Experiment) -> None:
    lacking = outcomes({**ERRORS, ("nist09", "abr"): (12, None, 13, 12)})
    table = MEANS.table(context_of(experiment, "means"), lacking)
    entries = table.rows[0][1]
    assert [e.ours for e in entries] == ["1.30 ± 0.08", "1.15 ± 0.06", "–"]
    assert not any(e.bold or e.best for e in entries)
    assert [e.printed_best for e in entries] == [False, True, False]
    assert "1 of 24 cells have no result (–): 1 missing." in table.notes


def test_one_split_has_a_best_and_no_tests(experiment: Experiment) -> None:
    one = {place: of_splits[:1] for place, of_splits in ERRORS.items()}
    table = MEANS.table(context_of(experiment, "means"), outcomes(one))
    assert [e.ours for e in table.rows[0][1]] == ["1.20", "1.10", "1.20"]
    assert [e.bold for e in table.rows[0][1]] == [False, True, False]
    assert table.notes[0].startswith("Ours: one random split; in parentheses")
    assert not any("Bold" in note or "†" in note for note in table.notes)


def test_latex_shades_the_best_and_underlines_the_printed_one(experiment: Experiment) -> None:
    text = MEANS.table(context_of(experiment, "means"), outcomes(ERRORS)).to_latex()
    assert r"\cellcolor{gray!25}\textbf{1.15 $\pm$ 0.06} (\underline{1.17 $\pm$ 0.13})" in text


REGRESSION = """title: Mixed
protocol: {view: default, sample: {train: 20, test: 30}, folds: 0}
datasets: [ROWS]
algorithms:
  - {name: boosting, label: A, grid: {n_rounds: 5}}
  - {name: rboosting, algorithm: boosting, label: B, grid: {n_rounds: 5}}
paper: rescale
tables: {means: table1, noiseless: table1}
"""
RMSES = {
    "boosting": [(0.27, 0.1), (0.25, 0.2), (0.29, 0.3)],
    "rboosting": [(0.2463, 0.4), (0.2459, 0.5), (0.2461, 0.6)],
}


@pytest.fixture
def load(tmp_path: Path) -> Callable[[str], Experiment]:
    """Return a function that loads a config of given rows."""

    def load(rows: str) -> Experiment:
        return loaded(tmp_path, REGRESSION.replace("ROWS", rows))

    return load


def predicted(row: str = "m1 0") -> Outcomes:
    records = {
        (row, column, i): Record(
            "k", "ok", n_test=30, rmse=rmse, measures={"rmse_noiseless": [truth]}
        )
        for column, of_splits in RMSES.items()
        for i, (rmse, truth) in enumerate(of_splits)
    }
    return Outcomes((row,), tuple(RMSES), 3, records, test_shares={row: 0.0})


def with_classes() -> Outcomes:
    """Return outcomes of a row of numbers and one of classes."""
    classes = {("o", c): (3, 6, 9) for c in RMSES}
    records = predicted().records | outcomes(classes, 30).records
    shares = {"m1 0": 0.0, "o": 0.0}
    return Outcomes(("m1 0", "o"), tuple(RMSES), 3, records, test_shares=shares)


ONE = "{name: m1, as: m1 0}"


def test_rmses_have_four_digits_and_no_percent(load: Callable[[str], Experiment]) -> None:
    table = MEANS.table(context_of(load(ONE), "means"), predicted())
    assert table.title == "Mixed: RMSE on test examples"
    a, b = table.rows[0][1]
    assert (a.ours, a.printed) == ("0.2700 ± 0.0200", "0.2698 ± 0.0495")
    assert (b.ours, b.printed) == ("0.2461 ± 0.0002", "0.2460 ± 0.0605")
    assert [entry.best for entry in (a, b)] == [False, True]
    means = [row[3] for row in table.data_rows]
    assert means == [pytest.approx(0.27), pytest.approx(0.2461)]


def test_means_that_only_rounding_tells_apart_are_both_the_best(
    load: Callable[[str], Experiment],
) -> None:
    found = predicted()
    rmses = {"boosting": 0.1 + 0.2, "rboosting": 0.3}
    records = {place: replace(r, rmse=rmses[place[1]]) for place, r in found.records.items()}
    table = MEANS.table(context_of(load(ONE), "means"), replace(found, records=records))
    assert [entry.best for entry in table.rows[0][1]] == [True, True]


def test_a_table_of_numbers_and_classes_says_which_is_which(
    load: Callable[[str], Experiment],
) -> None:
    experiment = load(f"{ONE}, {{name: orange, as: o}}")
    table = MEANS.table(context_of(experiment, "means"), with_classes())
    assert table.title == "Mixed: test errors in percent, or RMSE where numbers are predicted"
    assert [entries[0].ours for _, entries in table.rows] == ["0.2700 ± 0.0200", "20.00 ± 10.00"]


def test_without_noise_the_other_rmses_are_compared(load: Callable[[str], Experiment]) -> None:
    table = NOISELESS.table(context_of(load(ONE), "noiseless"), predicted())
    assert table.title == "Mixed: RMSE on test examples without noise"
    a, b = table.rows[0][1]
    assert [a.ours, b.ours] == ["0.2000 ± 0.1000", "0.5000 ± 0.1000"]
    assert [a.best, b.best] == [True, False]
    assert [row[9] for row in table.data_rows] == pytest.approx([0.2 - 0.2698, 0.5 - 0.246])


def test_a_row_whose_truth_is_not_known_is_a_dash_without_noise(
    load: Callable[[str], Experiment],
) -> None:
    experiment = load(f"{ONE}, {{name: orange, as: o}}")
    table = NOISELESS.table(context_of(experiment, "noiseless"), with_classes())
    assert [[e.ours for e in entries] for _, entries in table.rows] == [
        ["0.2000 ± 0.1000", "0.5000 ± 0.1000"],
        ["–", "–"],
    ]


def test_the_printed_splits_are_those_of_the_paper_in_notes_and_test(
    load: Callable[[str], Experiment],
) -> None:
    table = MEANS.table(context_of(load(ONE), "means"), predicted())
    assert table.notes[0].startswith(
        "Ours: mean ± standard deviation over 3 random splits; in parentheses the printed ones."
    )
    assert table.notes[2] == "Printed: RMSE, mean ± standard deviation of 50 splits."
    assert "samples of 3 and 50 splits" in table.notes[3]
    ours = np.array([rmse for rmse, _ in RMSES["boosting"]])
    # The printed mean is any that is rounded to 0.2698.
    nearest = ours.mean() - max(0, abs(ours.mean() - 0.2698) - 5e-5) * np.sign(ours.mean() - 0.2698)
    welch = ttest_ind_from_stats(
        ours.mean(), ours.std(ddof=1), 3, nearest, 0.0495, 50, equal_var=False
    )
    assert table.data_rows[0][10] == pytest.approx(welch.pvalue)


def test_means_of_equal_counts_are_best_together(experiment: Experiment) -> None:
    columns = ("adaboost", "ebboost", "abr")
    errors = dict(zip(columns, ((1, 5), (3, 3), (3, 4)), strict=True))
    found = outcomes({("nist09", column): counts for column, counts in errors.items()}, 30)
    table = MEANS.table(context_of(experiment, "means"), found)
    assert [entry.best for entry in table.rows[0][1]] == [True, True, False]
    assert table.data_rows[0][3] == table.data_rows[1][3] == 10


def test_the_title_says_what_is_predicted_even_if_nothing_was_computed(
    load: Callable[[str], Experiment],
) -> None:
    context = context_of(load(ONE), "means")
    records = {("m1 0", column, i): Record("k", "missing") for column in RMSES for i in range(3)}
    lost = Outcomes(("m1 0",), tuple(RMSES), 3, records)
    assert MEANS.table(context, lost).title == "Mixed: RMSE on test examples"


def test_fresh_samples_have_the_paired_t_test_and_its_chance(
    load: Callable[[str], Experiment],
) -> None:
    table = MEANS.table(context_of(load(ONE), "means"), predicted())
    ours, best = ([rmse for rmse, _ in RMSES[c]] for c in ("boosting", "rboosting"))
    assert table.data_rows[0][5] == pytest.approx(ttest_rel(ours, best).pvalue)
    assert "a paired t-test over the splits" in table.notes[1]
    assert "of rows of 2 equal algorithms 5% would have" in table.notes[1]
