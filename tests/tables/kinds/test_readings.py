"""Readings of a protocol, by what their splits say of the printed numbers."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from quadrepro.config.config import Experiment
from quadrepro.engine.outcomes import Outcomes
from quadrepro.engine.records import Record
from quadrepro.errors import ConfigError
from quadrepro.papers.printed import NOTHING, Facts, MeanOf, Printed
from quadrepro.stats import (
    Moments,
    log_probability_of_deviations,
    log_probability_of_means,
    log_probability_of_pooled_deviations,
    welch_test,
)
from quadrepro.tables.kinds.readings import (
    BASE,
    TABLES,
    OurSplits,
    RowEvidence,
    evidence,
    log_factors,
    needed_factors,
    share_by_chance,
    simulate,
)
from quadrepro.tables.made import check_tables
from quadrepro.tables.table import Table
from tests.tables.contexts import (
    as_regression,
    asking_for,
    csv_of,
    loaded,
    outcomes_of,
    table_of,
)

# Tables


CONFIG = """title: Two
paper: ebboost
repeats: 6
protocol: {view: quadboost}
datasets:
  - {name: monks, as: image}
  - {name: titanic, as: twonorm}
readings:
  - {name: true one, protocol: {folds: 3}}
  - {name: of one, of: [image], protocol: {folds: 4}}
  - {name: other, protocol: {folds: 6}}
algorithms:
  - {name: adaboost, grid: {n_rounds: 5}}
  - {name: ebboost, algorithm: adaboost, label: EBBoost, grid: {n_rounds: 5}}
  - {name: mine, algorithm: adaboost, label: Mine, grid: {n_rounds: 5}}
tables:
  readings: {means: table1, margins: table2}
"""
ROWS = (
    "image",
    "image, true one",
    "image, of one",
    "image, other",
    "twonorm",
    "twonorm, true one",
    "twonorm, other",
)
COLUMNS = ("adaboost", "ebboost", "mine")
PRINTED = {
    ("image", "adaboost"): (4.28, 0.78, 0.14, 0.08),
    ("image", "ebboost"): (4.04, 0.78, 0.13, 0.06),
    ("twonorm", "adaboost"): (4.30, 0.40, 0.29, 0.14),
    ("twonorm", "ebboost"): (4.00, 0.21, 0.26, 0.11),
}
OFF = {"": 2.0, "true one": 0.0, "of one": 1.0, "other": -2.5}


def outcomes(without: tuple[str, str, int] | None = None) -> Outcomes:
    """Return records near print but for what each reading adds to the errors."""
    rng = np.random.default_rng(4)
    records = {}
    for row in ROWS:
        of, _, reading = row.partition(", ")
        for split in range(6):
            common = rng.normal(0, 1)
            for column in COLUMNS:
                mean, sd, margin, spread = PRINTED.get((of, column), (9.0, 1.0, 0.1, 0.1))
                percent = mean + OFF[reading] + 0.7 * sd * (common + rng.normal())
                margins = rng.normal(margin + OFF[reading] / 50, spread, 60)
                records[row, column, split] = Record(
                    "k",
                    "ok",
                    round(100 * percent),
                    10_000,
                    margins=None if column == "mine" else margins.clip(-1, 1),
                )
    if without:
        records[without] = Record("k", "missing")
    return Outcomes(ROWS, COLUMNS, 6, records)


def data_of(table: Table) -> dict[tuple[str, str], dict[str, str]]:
    return {(row["reading"], row["dataset"]): row for row in csv_of(table)}


def texts_of(table: Table) -> dict[str, dict[str, str]]:
    return {
        name: {
            title: text.replace("*", "")
            for title, text in zip(table.header[1:], entries, strict=True)
        }
        for name, entries in table.rows
    }


def test_there_is_a_row_a_reading_and_the_true_one_stands_out(experiment: Experiment) -> None:
    table = table_of(experiment, "readings", outcomes())
    texts = texts_of(table)
    assert [of["rows"] for of in texts.values()] == ["2", "2", "1", "2"]
    assert texts["true one"]["inside"] == "4 of 4 (0 of 4)"
    assert texts["of one"]["inside"].endswith("of 2 (0 of 2)")
    assert [name for name, entries in table.rows if "**" in entries[-2]] == ["true one"]
    notes = " ".join(table.notes)
    assert "if the 20 splits behind them are drawn like our 6." in notes
    assert "log(20 × 3) = 4.1 or what our splits give by chance" in notes
    assert re.search(r"some reading had what it needs in [0-5]\.\d% \(± [01]\.\d\)", notes)


def test_the_numbers_are_those_of_the_statistics_on_each_rows_splits(
    experiment: Experiment,
) -> None:
    found = outcomes()
    data = data_of(table_of(experiment, "readings", found))
    assert len(data) == len(ROWS)
    names, half = COLUMNS[:2], np.array([0.005])
    for (reading, of), row in data.items():
        title = of if reading == "as in the config" else f"{of}, {reading}"
        mean, sd, margin, spread = np.array([PRINTED[of, c] for c in names]).T
        errors = 100 * np.array([found.values(title, c) for c in names]).T
        kept = np.array([[r.margins for r in found.cell(title, c)] for c in names])
        squares = ((kept - kept.mean(axis=(1, 2), keepdims=True)) ** 2).mean(axis=2).T
        at_margins = kept.mean(axis=2).T
        expected = {
            "log p: mean": log_probability_of_means(errors, mean, half, 20),
            "log p: sd": log_probability_of_deviations(errors, sd, half, 20),
            "log p: margin mean": log_probability_of_means(at_margins, margin, half, 20),
            "log p: margin sd": log_probability_of_pooled_deviations(squares, spread, half, 20),
            "mean off by": np.mean(abs(errors.mean(axis=0) - mean)),
            "sd off by": np.mean(abs(errors.std(axis=0, ddof=1) - sd)),
            "margin mean off by": np.mean(abs(kept.mean(axis=(1, 2)) - margin)),
            "margin sd off by": np.mean(abs(kept.std(axis=(1, 2)) - spread)),
        }
        for name, value in expected.items():
            assert float(row[name]) == pytest.approx(value, rel=1e-6)
        moments = [Moments(e.mean(), e.std(ddof=1), 6) for e in errors.T]
        beside = [Moments(m, s, 20) for m, s in zip(mean, sd, strict=True)]
        tests = [
            welch_test(a, b, rounding=0.005).p_value for a, b in zip(moments, beside, strict=True)
        ]
        assert (int(row["inside"]), row["compared"]) == (sum(p > 0.05 for p in tests), "2")


def test_factors_are_differences_to_the_config_and_need_more_the_more_were_tried(
    experiment: Experiment,
) -> None:
    table = table_of(experiment, "readings", outcomes())
    data, texts = data_of(table), texts_of(table)
    kinds = ("means", "deviations", "margins")
    for (_, of), row in data.items():
        base = data["as in the config", of]
        of_means = float(row["log p: mean"]) - float(base["log p: mean"])
        assert float(row["log BF: means"] or 0) == pytest.approx(of_means, abs=1e-5)
    for reading in ("true one", "of one", "other"):
        own = [row for (name, _), row in data.items() if name == reading]
        factors = [sum(float(row[f"log BF: {kind}"]) for row in own) for kind in kinds]
        shown = [float(texts[reading][f"log BF: {kind}"]) for kind in kinds]
        assert shown == pytest.approx(factors, abs=0.051)
        assert float(texts[reading]["log BF"]) == pytest.approx(sum(factors), abs=0.051)
        assert float(texts[reading]["needed"]) >= math.log(20 * 3) - 0.051


def test_in_parentheses_the_config_stands_on_the_same_rows(experiment: Experiment) -> None:
    table = table_of(experiment, "readings", outcomes())
    of_image = float(data_of(table)["as in the config", "image"]["mean off by"])
    assert texts_of(table)["of one"]["mean off by"].endswith(f"({of_image:.3f})")


def test_a_row_that_lacks_a_split_is_left_out_wherever_it_counts(experiment: Experiment) -> None:
    table = table_of(experiment, "readings", outcomes(("image, true one", "ebboost", 2)))
    assert [of["rows"] for of in texts_of(table).values()] == ["2", "1", "1", "2"]
    table = table_of(experiment, "readings", outcomes(("image", "ebboost", 2)))
    texts = texts_of(table)
    assert [of["rows"] for of in texts.values()] == ["1", "1", "0", "1"]
    assert {of for name, of in texts["of one"].items() if name != "rows"} == {"–"}
    # It was tried all the same.
    assert float(texts["true one"]["needed"]) >= math.log(20 * 3) - 0.051
    assert "1 of 126 cells have no result" in table.notes[-1]
    # Nothing is printed of the column without numbers.
    table = table_of(experiment, "readings", outcomes(("image", "mine", 2)))
    assert [of["rows"] for of in texts_of(table).values()] == ["2", "2", "1", "2"]


def test_without_printed_margins_there_are_no_columns_of_them(experiment: Experiment) -> None:
    without = asking_for(experiment, readings={"means": "table1"})
    check_tables(without)
    table = table_of(without, "readings", outcomes())
    assert not any("margin" in title for title in (*table.header, *table.data_header))


def test_margins_that_were_not_kept_are_left_out_of_the_factor(experiment: Experiment) -> None:
    found = outcomes()
    lost = found.records["image, true one", "adaboost", 0]
    found.records["image, true one", "adaboost", 0] = Record("k", "ok", lost.errors, 10_000)
    data = data_of(table_of(experiment, "readings", found))
    row = data["true one", "image"]
    assert (row["log BF: margins"], row["log p: margin sd"]) == ("", "")
    total = float(row["log BF: means"]) + float(row["log BF: deviations"])
    assert float(row["log BF"]) == pytest.approx(total)


def test_numbers_that_are_predicted_are_compared_in_their_own_unit(experiment: Experiment) -> None:
    found = as_regression(outcomes(), "image")
    row = data_of(table_of(experiment, "readings", found))["as in the config", "image"]
    errors = np.array([found.values("image", c) for c in COLUMNS[:2]]).T
    expected = log_probability_of_means(errors, np.array([4.28, 4.04]), np.array([0.005]), 20)
    assert float(row["log p: mean"]) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("tables", "message"),
    [
        ({"means": "table2"}, "holds margins, and not errors"),
        ({"means": "table1", "margins": "table1"}, "holds errors, and not margins"),
        ({"margins": "table2"}, "means is missing"),
    ],
)
def test_tables_that_cannot_be_compared_with_are_refused(
    experiment: Experiment, tables: dict[str, str], message: str
) -> None:
    with pytest.raises(ConfigError, match=message):
        check_tables(asking_for(experiment, readings=tables))


def test_a_config_without_readings_or_deviations_is_refused(tmp_path: Path) -> None:
    without = CONFIG[: CONFIG.index("readings:")] + CONFIG[CONFIG.index("algorithms:") :]
    with pytest.raises(ConfigError, match=r"13:3: there is nothing to compare: give readings"):
        check_tables(loaded(tmp_path, without))
    of_one_split = CONFIG.replace("paper: ebboost", "paper: quadboost").replace(
        ", margins: table2", ""
    )
    for name, printed in (("image", "monks"), ("twonorm", "titanic"), ("ebboost,", "quadboost,")):
        of_one_split = of_one_split.replace(name, printed)
    with pytest.raises(ConfigError, match=r"paper.yaml, as printed: \{table1: \{of: \{splits"):
        check_tables(loaded(tmp_path, of_one_split))


# Evidence


BESIDE = Printed(
    "t",
    ("quadboost_mean", "quadboost_sd", "lpboost_mean"),
    {
        ("monks", "quadboost_mean"): "20.0",
        ("monks", "quadboost_sd"): "8",
        ("monks", "lpboost_mean"): "31",
        ("monks", "lpboost_sd"): "",
    },
    Facts(of=MeanOf(splits=5), spread="sd"),
)


COUNTS = ({"monks": (1, 3, None)}, {"monks": (2, 4, None)}, {"monks": (2, 2, None)})


def test_each_printed_number_counts_with_its_own_columns_and_rounding() -> None:
    found = evidence(outcomes_of(*COUNTS), BESIDE, NOTHING, "monks")
    both = np.array([[10.0, 30.0], [20.0, 40.0], [20.0, 20.0]])
    assert found.distances["mean"] == pytest.approx((20 - 50 / 3, 1))
    assert found.distances["sd"] == pytest.approx((8 - np.std([10, 20, 20], ddof=1),))
    assert found.logs == pytest.approx(
        {
            "mean": log_probability_of_means(both, np.array([20, 31]), np.array([0.05, 0.5]), 5),
            "sd": log_probability_of_deviations(both[:, :1], np.array([8]), np.array([0.5]), 5),
        }
    )
    # A test needs both deviations.
    assert found.inside == (True,)
    assert "margin mean" not in found.distances


@pytest.mark.parametrize(("text", "inside"), [("29", True), ("29.0", False)])
def test_a_mean_is_inside_if_its_verdict_is_which_allows_for_its_rounding(
    text: str, inside: bool
) -> None:
    ours, printed = Moments(50 / 3, float(np.std([10, 20, 20], ddof=1)), 3), Moments(29, 8, 5)
    assert (
        welch_test(ours, printed).p_value < 0.05 < welch_test(ours, printed, rounding=0.5).p_value
    )
    table = replace(BESIDE, cells={**BESIDE.cells, ("monks", "quadboost_mean"): text})
    found = evidence(outcomes_of(*COUNTS), table, NOTHING, "monks")
    assert found.inside == (inside,)


def test_without_print_or_splits_there_is_no_evidence() -> None:
    assert evidence(outcomes_of(*COUNTS), NOTHING, NOTHING, "monks") is None
    assert evidence(outcomes_of(*COUNTS[:1]), BESIDE, NOTHING, "monks") is None
    lacking = (*COUNTS[:2], {"monks": (2, None, 1)})
    assert evidence(outcomes_of(*lacking), BESIDE, NOTHING, "monks") is None


def test_factors_are_of_kinds_of_number_that_both_readings_have() -> None:
    margins = {"margin mean": -3.0, "margin sd": -4.0}
    base = RowEvidence(logs={"mean": -1.0, "sd": -2.0, **margins})
    reading = RowEvidence(logs={"mean": -0.5, "sd": -4.0, "margin mean": -2.0, "margin sd": -2.5})
    expected = {"means": 0.5, "deviations": -2.0, "margins": 2.5}
    assert log_factors(reading, base) == expected
    part = RowEvidence(logs={"mean": -0.5, "margin mean": -2.0})
    assert log_factors(part, base) == {"means": 0.5}
    assert log_factors(base, part) == {"means": -0.5}


def printed_means(values: np.ndarray, n_printed: int = 40) -> RowEvidence:
    return RowEvidence(splits={"mean": OurSplits(values[:, None], np.array([0.005]), n_printed)})


def spreads(shared: float, offset: float = 0.0) -> float:
    """Return the deviation of simulated factors of ten rows, by the share of common variance."""
    rng = np.random.default_rng(1)
    found: dict[str, dict[str, RowEvidence]] = {BASE: {}, "rival": {}}
    for row in map(str, range(10)):
        common, base, rival = rng.normal(size=(3, 40))
        of_base, of_rival = ((1 - shared) ** 0.5 * x + shared**0.5 * common for x in (base, rival))
        found[BASE][row] = printed_means(of_base)
        found["rival"][row] = printed_means(offset + 2 * of_rival if offset else of_rival)
    return float(simulate(found, 0)["rival"].std())


@pytest.mark.parametrize("shared", [0.0, 0.9])
def test_simulated_factors_of_equal_readings_vary_by_the_dependence_of_their_splits(
    shared: float,
) -> None:
    # Half a difference of squares of normal values with correlation r has variance 1 - r squared.
    # Both are distances to the same mean of 40 printed splits from means of 40 of ours.
    correlation = (1 + shared) / 2
    expected = (10 * (1 - correlation**2)) ** 0.5
    assert spreads(shared) == pytest.approx(expected, rel=0.25)


def test_simulated_readings_have_the_means_and_deviations_of_the_base() -> None:
    assert spreads(0.5, offset=7.0) == pytest.approx(spreads(0.5), rel=1e-6)


def test_a_reading_that_changes_nothing_has_simulated_factors_of_zero() -> None:
    same = {"a": printed_means(np.random.default_rng(0).normal(size=12))}
    simulated = simulate({BASE: same, "same": same, "of no row": {}}, 0)
    assert not np.any(simulated["same"])
    assert not np.any(simulated["of no row"])


def test_the_number_of_readings_tried_is_paid_for() -> None:
    same = {"one": np.zeros(20)}
    for tried in (10, 11):
        assert needed_factors(same, tried) == {"one": pytest.approx(math.log(20 * tried))}
    assert needed_factors({}, 3) == {}


def test_a_reading_needs_what_one_of_twenty_simulated_tables_gives_some_reading() -> None:
    rng = np.random.default_rng(0)
    simulated = {"wide": rng.normal(0, 8, 400), "narrow": rng.normal(0, 4, 400)}
    simulated["same"] = np.zeros(400)
    needed = needed_factors(simulated, 3)
    some = [simulated[name] >= needed[name] for name in ("wide", "narrow")]
    assert np.mean(np.any(some, axis=0)) == pytest.approx(0.05, abs=1 / 400)
    sds = [np.std(simulated[name], ddof=1) for name in ("wide", "narrow")]
    assert needed["wide"] / needed["narrow"] == pytest.approx(sds[0] / sds[1])
    assert needed["same"] == pytest.approx(math.log(60))


@pytest.mark.parametrize("seed", range(10))
def test_the_table_that_sets_what_is_needed_reaches_it_whatever_is_rounded(seed: int) -> None:
    rng = np.random.default_rng(seed)
    simulated = {name: 30 * rng.standard_normal(TABLES) for name in "abc"}
    assert share_by_chance(needed_factors(simulated, 3), simulated) == 0.05
