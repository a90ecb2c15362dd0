"""Readings of a protocol, by how well they fit the printed numbers."""

from __future__ import annotations

import math
import re
from functools import cache
from itertools import product

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from quadrepro.config.config import Experiment
from quadrepro.engine.outcomes import Outcomes
from quadrepro.engine.records import Record
from quadrepro.errors import ConfigError
from quadrepro.papers.printed import NOTHING, Facts, Printed, Sample
from quadrepro.stats import log_probability_of_deviations, log_probability_of_means
from quadrepro.stats import log_probability_of_pooled_deviations as pooled_deviations
from quadrepro.tables.kinds import check_tables
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
from quadrepro.tables.render import Table
from tests.tables.contexts import (
    asking_for,
    counted,
    csv_of,
    gathered,
    loaded,
    made,
    outcomes_of,
    own_paper,
    table_of,
)
from tests.tables.contexts import texts_of as entries_of

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
READINGS = {"image": ("", ", true one", ", of one", ", other")}
READINGS["twonorm"] = ("", ", true one", ", other")
ROWS = tuple(f"{name}{reading}" for name, readings in READINGS.items() for reading in readings)
COLUMNS = ("adaboost", "ebboost", "mine")
PRINTED = {
    ("image", "adaboost"): (4.28, 0.78, 0.14, 0.08),
    ("image", "ebboost"): (4.04, 0.78, 0.13, 0.06),
    ("twonorm", "adaboost"): (4.30, 0.40, 0.29, 0.14),
    ("twonorm", "ebboost"): (4.00, 0.21, 0.26, 0.11),
}
"""Printed errors in percent with their deviations, and margins with theirs."""

OFF = {"": 2.0, "true one": 0.0, "of one": 1.0, "other": -2.5}
"""Percentage points that a reading adds to the errors."""


def outcomes(without: tuple[str, str, int] | None = None) -> Outcomes:
    """Return records near the printed numbers, except for the errors that each reading adds."""
    rng = np.random.default_rng(4)
    records = {}
    for row in ROWS:
        name, _, reading = row.partition(", ")
        for split in range(6):
            common = rng.normal(0, 1)
            for column in COLUMNS:
                mean, sd, margin, spread = PRINTED.get((name, column), (9.0, 1.0, 0.1, 0.1))
                percent = mean + OFF[reading] + 0.7 * sd * (common + rng.normal())
                margins = rng.normal(margin + OFF[reading] / 50, spread, 60)
                kept = None if column == "mine" else margins.clip(-1, 1)
                count = round(100 * percent)
                records[row, column, split] = Record("k", "ok", count, 10_000, margins=kept)
    if without:
        records[without] = Record("k", "missing")
    return gathered(records)


def data_of(table: Table) -> dict[tuple[str, str], dict[str, str]]:
    return {(row["reading"], row["dataset"]): row for row in csv_of(table)}


def texts_of(table: Table) -> dict[str, dict[str, str]]:
    """Return the entries of each reading by column, without bold type."""
    plain = {n: [t.replace("**", "") for t in texts] for n, texts in entries_of(table).items()}
    return {name: dict(zip(table.header[1:], texts, strict=True)) for name, texts in plain.items()}


def n_rows_of(table: Table) -> list[str]:
    """Return the number of rows of each reading."""
    return [entries["rows"] for entries in texts_of(table).values()]


@cache
def table_of_all() -> Table:
    return table_of(loaded(CONFIG), "readings", outcomes())


@pytest.fixture
def table() -> Table:
    """Return the table of all records, which no test may change."""
    return table_of_all()


def test_each_reading_has_a_row_and_the_true_one_is_bold(table: Table) -> None:
    data, texts = data_of(table), texts_of(table)
    assert n_rows_of(table) == ["2", "2", "1", "2"]
    # Distances are read in percent and kept as fractions.
    for quantity, factor in (("mean", 100), ("sd", 100), ("margin sd", 1)):
        distances = [float(data[BASE, name][f"{quantity} off by"]) for name in ("image", "twonorm")]
        assert texts[BASE][f"{quantity} off by"] == f"{factor * np.mean(distances):.3f}"
    # In parentheses are the config's own numbers on the same rows.
    image = float(data[BASE, "image"]["mean off by"])
    assert texts["of one"]["mean off by"].endswith(f"({100 * image:.3f})")
    assert texts["true one"]["inside"] == "4 of 4 (0 of 4)"
    assert texts["of one"]["inside"].endswith("of 2 (0 of 2)")
    assert [name for name, entries in table.rows if entries[-2].bold] == ["true one"]
    notes = " ".join(table.notes)
    assert "if the 20 splits behind them are drawn like our 6." in notes
    assert "log(20 × 3) = 4.1 or what our splits give by chance" in notes
    assert re.search(r"some reading had what it needs in [0-5]\.\d% \(± [01]\.\d\)", notes)


def test_the_numbers_are_those_of_statistics_on_splits(table: Table) -> None:
    records, data = outcomes(), data_of(table)
    assert len(data) == len(ROWS)
    names = COLUMNS[:2]
    share, hundredth = np.array([0.00005]), np.array([0.005])
    for (reading, name), row in data.items():
        title = name if reading == BASE else f"{name}, {reading}"
        mean, sd, margin, spread = np.array([PRINTED[name, c] for c in names]).T
        mean, sd = mean / 100, sd / 100
        errors = np.array([records.values(title, c) for c in names]).T
        kept = np.array([[r.margins for r in records.cell(title, c)] for c in names])
        squares = ((kept - kept.mean(axis=(1, 2), keepdims=True)) ** 2).mean(axis=2).T
        at_margins = kept.mean(axis=2).T
        expected = {
            "log p: mean": log_probability_of_means(errors, mean, share, 20),
            "log p: sd": log_probability_of_deviations(errors, sd, share, 20),
            "log p: margin mean": log_probability_of_means(at_margins, margin, hundredth, 20),
            "log p: margin sd": pooled_deviations(squares, spread, hundredth, 20),
            "mean off by": np.mean(abs(errors.mean(axis=0) - mean)),
            "sd off by": np.mean(abs(errors.std(axis=0, ddof=1) - sd)),
            "margin mean off by": np.mean(abs(kept.mean(axis=(1, 2)) - margin)),
            "margin sd off by": np.mean(abs(kept.std(axis=(1, 2)) - spread)),
        }
        for quantity, value in expected.items():
            assert float(row[quantity]) == pytest.approx(value, rel=1e-5)


def number_of(text: str) -> float:
    """Return a number to read, which has the sign of a minus."""
    return float(text.replace("−", "-"))


def test_factors_are_differences_to_the_config(table: Table) -> None:
    data, texts = data_of(table), texts_of(table)
    kinds = ("means", "deviations", "margins")
    for (_, name), row in data.items():
        factor = float(row["log p: mean"]) - float(data[BASE, name]["log p: mean"])
        assert float(row["log BF: means"] or 0) == pytest.approx(factor, abs=1e-5)
    for reading in ("true one", "of one", "other"):
        own = [row for (name, _), row in data.items() if name == reading]
        factors = [sum(float(row[f"log BF: {kind}"]) for row in own) for kind in kinds]
        numbers = [number_of(texts[reading][f"log BF: {kind}"]) for kind in kinds]
        assert numbers == pytest.approx(factors, abs=0.051)
        assert number_of(texts[reading]["log BF"]) == pytest.approx(sum(factors), abs=0.051)
        assert float(texts[reading]["needed"]) >= math.log(20 * 3) - 0.051


def test_a_row_without_all_splits_is_left_out_wherever_it_counts(experiment: Experiment) -> None:
    table = table_of(experiment, "readings", outcomes(("image, true one", "ebboost", 2)))
    assert n_rows_of(table) == ["2", "1", "1", "2"]
    table = table_of(experiment, "readings", outcomes(("image", "ebboost", 2)))
    texts = texts_of(table)
    assert n_rows_of(table) == ["1", "1", "0", "1"]
    assert {text for title, text in texts["of one"].items() if title != "rows"} == {"–"}
    # It counts as tried all the same.
    assert float(texts["true one"]["needed"]) >= math.log(20 * 3) - 0.051
    assert "1 of 126 cells have no result" in table.notes[-1]
    # Nothing is printed of the column without numbers.
    table = table_of(experiment, "readings", outcomes(("image", "mine", 2)))
    assert n_rows_of(table) == ["2", "2", "1", "2"]


def test_without_printed_margins_there_are_no_columns_of_them(experiment: Experiment) -> None:
    without = asking_for(experiment, readings={"means": "table1"})
    check_tables(without)
    table = table_of(without, "readings", outcomes())
    assert not any("margin" in title for title in (*table.header, *table.data_header))


def test_margins_that_were_not_kept_are_left_out_of_the_factor(experiment: Experiment) -> None:
    records = outcomes()
    lost = records.records["image, true one", "adaboost", 0]
    records.records["image, true one", "adaboost", 0] = Record("k", "ok", lost.errors, 10_000)
    data = data_of(table_of(experiment, "readings", records))
    row = data["true one", "image"]
    assert (row["log BF: margins"], row["log p: margin sd"]) == ("", "")
    total = float(row["log BF: means"]) + float(row["log BF: deviations"])
    assert float(row["log BF"]) == pytest.approx(total)


RIVAL = {"name": "rival", "protocol": {"folds": 3}}


AUC_TABLE = "dataset,adaboost_mean,quadboost_mean\nmonks,0.812,0.832\ntitanic,0.730,0.751\n"


def scored(rows: tuple[str, ...]) -> Outcomes:
    """Return records whose AUC is near 0.73; the rival's is near 0.81."""
    rng, actual, records = np.random.default_rng(2), np.arange(400) % 2, {}
    for place in product(rows, ("adaboost", "quadboost"), range(4)):
        shift = 1.25 if place[0].endswith("rival") else 0.85
        scores = rng.normal(0, 1, 400) + actual * shift
        predicted = (scores > 0).astype(np.intp)
        counts = (int((predicted != actual).sum()), 400)
        fields = {"actual": actual, "predicted": predicted, "scores": scores}
        records[place] = Record("k", "ok", *counts, classes=("no", "yes"), **fields)
    return gathered(records)


def test_readings_of_a_table_of_another_metric_are_compared_by_it() -> None:
    asked = {"readings": [RIVAL], "tables": {"readings": {"means": "table1"}}}
    auc = "metric: auc, unit: fraction, of: {splits: 10}"
    without = own_paper(AUC_TABLE, auc, repeats=4, **asked)
    with pytest.raises(ConfigError, match=r"table1 prints auc: ask for it with metrics: \[auc\]"):
        check_tables(without)
    experiment = own_paper(AUC_TABLE, auc, repeats=4, metrics=["auc"], **asked)
    check_tables(experiment)
    rows = tuple(row.title for row in experiment.config.rows)
    records = scored(rows)
    table = table_of(experiment, "readings", records)
    assert n_rows_of(table) == ["2", "2"]
    # No deviation is printed.
    dashes = [title for title, text in texts_of(table)["rival"].items() if text.startswith("–")]
    assert dashes == ["sd off by", "log BF: deviations"]
    cells = [records.cell("monks, rival", column) for column in records.columns]
    aucs = np.array([[roc_auc_score(r.actual, r.scores) for r in cell] for cell in cells]).T
    row = data_of(table)["rival", "monks"]
    mean = np.array([0.812, 0.832])
    assert float(row["mean off by"]) == pytest.approx(np.mean(abs(aucs.mean(axis=0) - mean)))
    expected = log_probability_of_means(aucs, mean, np.array([0.0005]), 10)
    assert float(row["log p: mean"]) == pytest.approx(expected, rel=1e-6)


CV_TABLE = "dataset,adaboost_mean,quadboost_mean\nmonks,0.23,0.2\ntitanic,0.25,0.16\n"


CROSS_VALIDATED = {
    "repeats": 6,
    "protocol": {"view": "quadboost", "split": {"outer": "3x2"}},
    "readings": [RIVAL],
    "tables": {"errors": "table1", "readings": {"means": "table1"}},
}


def test_printed_deviations_of_one_split_are_refused() -> None:
    text = "dataset,adaboost_mean,adaboost_sd\nmonks,0.23,0.02\ntitanic,0.25,0.01\n"
    facts = "unit: fraction, of: {splits: 1}"
    with pytest.raises(ConfigError, match=r"paper.yaml, as printed: \{table1: \{of: \{splits"):
        check_tables(own_paper(text, facts, **CROSS_VALIDATED))


@pytest.mark.parametrize(
    "sample", ["cv: 2", "cv: 2, pooled: true", "splits: 4", "splits: 1", "runs: 4"]
)
def test_the_number_inside_is_that_of_the_verdicts(sample: str) -> None:
    facts = f"unit: fraction, of: {{{sample}}}"
    experiment = own_paper(CV_TABLE, facts, **CROSS_VALIDATED)
    rng, rows = np.random.default_rng(3), [row.title for row in experiment.config.rows]
    # The two folds of a cross-validation differ, and their means hardly.
    folds = 50 + 20 * (-1) ** np.arange(6)
    places = product(rows, ("adaboost", "quadboost"))
    outcomes = counted({p: (folds + rng.integers(0, 4, 6)).tolist() for p in places}, 250)
    verdicts = made(experiment, "errors", outcomes).verdicts
    for (reading, name), line in data_of(table_of(experiment, "readings", outcomes)).items():
        title = name if reading == BASE else f"{name}, {reading}"
        words = [v.word for v in verdicts.entries if v.row == title]
        assert (int(line["inside"]), int(line["compared"])) == (words.count("inside"), 2)


NUMBERS = {"quadboost_mean": "0.200", "quadboost_sd": "0.08", "lpboost_mean": "0.31"}
TABLE = Printed(
    "t",
    (*NUMBERS,),
    {("monks", column): text for column, text in NUMBERS.items()},
    Facts(of=Sample(splits=5), spread="sd"),
)
COUNTS = ({"monks": (1, 3, None)}, {"monks": (2, 4, None)}, {"monks": (2, 2, None)})


def test_each_printed_number_counts_with_its_own_columns_and_rounding() -> None:
    part = evidence(outcomes_of(*COUNTS), TABLE, NOTHING, "monks")
    both = np.array([[0.1, 0.3], [0.2, 0.4], [0.2, 0.2]])
    assert part.distances["mean"] == pytest.approx((0.2 - 0.5 / 3, 0.01))
    assert part.distances["sd"] == pytest.approx((0.08 - np.std([0.1, 0.2, 0.2], ddof=1),))
    halves, n = np.array([0.0005, 0.005]), 5
    logs = {"mean": log_probability_of_means(both, np.array([0.2, 0.31]), halves, n)}
    logs["sd"] = log_probability_of_deviations(both[:, :1], np.array([0.08]), halves[1:], n)
    assert part.logs == pytest.approx(logs)
    # A mean without a deviation has a verdict, too.
    assert part.inside == [True, True]
    assert "margin mean" not in part.distances


def test_without_printed_numbers_or_splits_there_is_no_evidence() -> None:
    assert evidence(outcomes_of(*COUNTS), NOTHING, NOTHING, "monks") is None
    assert evidence(outcomes_of(*COUNTS[:1]), TABLE, NOTHING, "monks") is None
    gap = (*COUNTS[:2], {"monks": (2, None, 1)})
    assert evidence(outcomes_of(*gap), TABLE, NOTHING, "monks") is None


def test_factors_are_of_kinds_of_number_that_both_readings_have() -> None:
    margins = {"margin mean": -3.0, "margin sd": -4.0}
    base = {"mean": -1.0, "sd": -2.0, **margins}
    reading = {"mean": -0.5, "sd": -4.0, "margin mean": -2.0, "margin sd": -2.5}
    expected = {"means": 0.5, "deviations": -2.0, "margins": 2.5}
    assert log_factors(reading, base) == expected
    part = {"mean": -0.5, "margin mean": -2.0}
    assert log_factors(part, base) == {"means": 0.5}
    assert log_factors(base, part) == {"means": -0.5}


def printed_means(values: np.ndarray, n_printed: int = 40) -> RowEvidence:
    splits = {"mean": OurSplits(values[:, None], np.array([0.005]), n_printed)}
    return RowEvidence([], {}, {}, splits)


def spreads(shared: float, offset: float = 0.0) -> float:
    """Return the deviation of simulated factors of ten rows, by the share of common variance."""
    rng = np.random.default_rng(1)
    rows: dict[str, dict[str, RowEvidence]] = {BASE: {}, "rival": {}}
    for row in map(str, range(10)):
        common, base, rival = rng.normal(size=(3, 40))
        base, rival = ((1 - shared) ** 0.5 * x + shared**0.5 * common for x in (base, rival))
        rows[BASE][row] = printed_means(base)
        rows["rival"][row] = printed_means(offset + 2 * rival if offset else rival)
    return float(simulate(rows, 0)["rival"].std())


def test_simulated_factors_vary_by_the_dependence_of_the_splits() -> None:
    for shared in (
        0.0,
        0.9,
    ):
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


def test_the_table_that_sets_what_is_needed_reaches_it_whatever_is_rounded() -> None:
    rng = np.random.default_rng(0)
    for _ in range(10):
        simulated = {name: 30 * rng.standard_normal(TABLES) for name in "abc"}
        assert share_by_chance(needed_factors(simulated, 3), simulated) == 0.05
