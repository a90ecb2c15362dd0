"""Verdicts on a printed table as a whole."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest

from quadrepro.config.loading import load_mapping
from quadrepro.papers.printed import Sample
from quadrepro.stats import (
    Misses,
    chance_of_misses,
    holm,
    independent_misses,
    null_p_values,
    tail_p_values,
)
from quadrepro.tables.judge import OurNumbers, PrintedNumber, Verdict, judge
from quadrepro.tables.verdicts import (
    DATA_HEADER,
    SCORE_HEADER,
    Verdicts,
    score_sentence,
    score_text,
    verdicts_table,
)
from tests.make import config
from tests.tables.contexts import csv_of, texts_of

TWENTY = Sample(splits=20)


def normal_splits(
    n_rows: int, n_columns: int, n_splits: int = 30
) -> dict[tuple[int, int], list[float]]:
    """Return independent splits of every entry."""
    rng = np.random.default_rng(1)
    places = [(i, j) for i in range(n_rows) for j in range(n_columns)]
    return {place: [*rng.normal(0.3, 0.01, n_splits)] for place in places}


def table(off: Mapping[tuple[int, int], float], n_rows: int = 8, n_columns: int = 4) -> Verdicts:
    """Return verdicts on our own means, some of them moved by a number of deviations."""
    entries = []
    for (i, j), ours in normal_splits(n_rows, n_columns).items():
        text = f"{np.mean(ours) + off.get((i, j), 0.0) * np.std(ours, ddof=1):.6f}"
        verdict = judge(PrintedNumber(text), OurNumbers(ours))
        entries.append(verdict.at(f"row {i}", f"column {j}", "risk"))
    return Verdicts("table1", tuple(entries))


def with_deviations(texts: Mapping[str, str]) -> Verdicts:
    """Return verdicts on means of ours with printed deviations, by row."""
    ours = [n / 1000 for n in (38, 42, 45, 36, 39, 41)]
    entries = []
    for row, sd in texts.items():
        number = PrintedNumber("0.040", TWENTY, float(sd), 0.0005, sd)
        entries.append(judge(number, OurNumbers(ours, [1000] * 6)).at(row, "ada", "risk"))
    return Verdicts("table1", tuple(entries))


def test_without_misses_the_number_that_chance_gives_is_stated() -> None:
    verdicts = table({})
    [statement] = verdicts.statement({})
    misses = verdicts.misses
    assert statement.startswith("Inside: 32 of 32, outside: 0. If all were drawn like ours, ")
    none = np.prod([chance[0] for chance in verdicts.chances.values()])
    assert misses.p_fewer == pytest.approx(none)
    expected = sum(chance @ np.arange(5) for chance in verdicts.chances.values())
    assert misses.expected == pytest.approx(expected)
    assert f"{misses.expected:.1f} would be outside on average, and {misses.low} to " in statement
    assert f"(p = {misses.p_value:.3f})" in statement


@pytest.mark.parametrize(
    ("p_more", "p_fewer", "p_value"), [(0.01, 0.995, 0.02), (1.0, 0.2, 0.4), (0.6, 0.7, 1.0)]
)
def test_the_p_value_of_misses_is_two_sided(p_more: float, p_fewer: float, p_value: float) -> None:
    misses = Misses(3, 1.6, 0, 4, p_more, p_fewer)
    assert misses.p_value == pytest.approx(p_value)


def test_only_what_is_outside_after_holms_correction_is_named() -> None:
    verdicts = table({(0, 0): 2.3, (1, 1): 9.0})
    assert [v.row for v in verdicts.outside] == ["row 0", "row 1"]
    assert [v.row for v in verdicts.outside_after_holm] == ["row 1"]
    [_, named] = verdicts.statement({"column 1": "AdaBoost"})
    assert named == "Outside after Holm's correction for 32 numbers (0.05): row 1, AdaBoost."
    [_, nothing] = table({(0, 0): 2.3}).statement({})
    assert nothing == "Outside after Holm's correction for 32 numbers (0.05): none."


def test_p_values_after_holm_are_at_least_their_shares_among_our_own_splits() -> None:
    verdicts = table({(0, 0): 3.4, (1, 1): 4.2, (2, 2): 9.0})
    ours = np.array([v.repeats.values for v in verdicts.judged if v.repeats]).reshape(8, 4, -1)
    null = np.concatenate([null_p_values(row.T, rounding=0.0000005).ravel() for row in ours])
    p_values = [v.p_value or 0.0 for v in verdicts.judged]
    adjusted = holm(tail_p_values(p_values, null))
    expected = [v for v, p in zip(verdicts.judged, adjusted, strict=True) if p <= 0.05]
    assert verdicts.outside_after_holm == expected
    assert (2, 2) in {(int(v.row[-1]), int(v.column[-1])) for v in expected}


def test_misses_of_one_row_are_named() -> None:
    statement = [*table({(2, j): 3.0 for j in range(4)}).statement({"row 2": "wine"})]
    start = "Most are outside in the row wine: 4 of 4; by chance, some row has 4 or"
    assert any(text.startswith(start) for text in statement)
    scattered = [*table({(0, 0): 3.0, (1, 1): 3.0}).statement({})]
    assert not any("Most are" in text for text in scattered)


def test_rows_whose_columns_have_other_numbers_of_splits_count_as_independent() -> None:
    verdicts = table({})
    first, *others = verdicts.entries
    shorter = replace(first.repeats, values=first.repeats.values[1:])
    entries = (replace(first, repeats=shorter), *others)
    uneven = replace(verdicts, entries=entries)
    assert [*uneven.chances["row 0"]] == pytest.approx([*independent_misses(4)])


def test_rows_of_one_sample_are_counted_together() -> None:
    rng = np.random.default_rng(4)
    common, entries = rng.normal(size=30), []
    for i in range(12):
        ours = [*(common + rng.normal(0, 0.01, 30))]
        verdict = judge(PrintedNumber(f"{np.mean(ours):.6f}"), OurNumbers(ours))
        entries.append(verdict.at(f"row {i}", "column", "probability"))
    separate = Verdicts("table2", tuple(entries)).misses
    together = Verdicts("table2", tuple(entries), one_sample=True).misses
    assert together.expected == pytest.approx(separate.expected)
    assert together.high == 12 > separate.high


def test_the_chance_of_a_row_takes_the_form_of_its_printed_numbers() -> None:
    ours = np.random.default_rng(1).normal(0.3, 0.01, (20, 3))
    n_test = [100] * 20
    entries = [
        judge(PrintedNumber("0.300", TWENTY), OurNumbers([*column], n_test)).at("wine", c, "risk")
        for c, column in zip("abc", ours.T, strict=True)
    ]
    [chance] = Verdicts("table1", tuple(entries)).chances.values()
    null = null_p_values(ours, n_printed=20, rounding=0.0005, n_test=n_test)
    assert [*chance] == pytest.approx([*chance_of_misses(null)])


def test_rows_that_do_not_count_are_judged_and_not_counted() -> None:
    verdicts = replace(table({(7, 0): 9.0}), own_rows=frozenset({"row 0", "row 1"}))
    assert len(verdicts.entries) == 32
    assert len(verdicts.judged) == 8
    assert verdicts.outside == verdicts.outside_after_holm == []
    assert verdicts.words["row 7", "column 0"] == "outside"
    assert verdicts.score[1] == 8


def test_an_entry_is_outside_if_any_of_its_numbers_is() -> None:
    entry = Verdict("0.3", 0.3, 0.2, 0.4, 0.9, row="wine", column="ada", quantity="margin mean")
    off = replace(entry, p_value=0.01, quantity="margin sd")
    unknown = replace(entry, p_value=None)
    for entries, word in (
        ((entry, off), "outside"),
        ((off, entry), "outside"),
        ((entry, entry), "inside"),
        ((unknown, entry), "inside"),
        ((unknown, unknown), ""),
    ):
        assert Verdicts("t", entries).words.get(("wine", "ada"), "") == word


def test_a_table_without_a_verdict_gives_the_reasons() -> None:
    entries = [judge(PrintedNumber("0.29"), OurNumbers([0.2] * n)) for n in (1, 1, 0)]
    verdicts = Verdicts("table1", tuple(v.at("wine", "ada", "risk") for v in entries))
    text = "None of the printed numbers can be compared: one split (2), no result (1)."
    assert [*verdicts.statement({})] == [text]
    assert verdicts.judged == []
    score = dict(zip(SCORE_HEADER, verdicts.score, strict=True))
    assert [score[k] for k in ("numbers", "inside", "not comparable", "p")] == [3, 0, 3, None]


def test_printed_deviations_are_counted_and_named_apart_from_means() -> None:
    verdicts = with_deviations({"wine": "0.0031", "monks": "0.0003", "zoo": "0.0034"})
    assert [v.word for v in verdicts.judged] == ["inside"] * 3
    assert [v.word for v in verdicts.deviations] == ["inside", "outside", "inside"]
    statement = [*verdicts.statement({"ada": "AdaBoost"})]
    assert statement[-1] == "Standard deviations inside: 2 of 3; outside: monks, AdaBoost."
    assert verdicts.score[-2:] == (2, 1)
    assert [*with_deviations({"wine": "0.0031"}).statement({})][-1] == (
        "Standard deviations inside: 1 of 1."
    )


def test_the_score_has_a_number_for_every_title() -> None:
    verdicts = table({(0, 0): 2.3, (1, 1): 9.0})
    score, misses = dict(zip(SCORE_HEADER, verdicts.score, strict=True)), verdicts.misses
    assert verdicts.score[:5] == ("table1", 32, 30, 2, 0)
    expected = (misses.expected, misses.low, misses.high)
    assert (score["expected outside"], score["low"], score["high"]) == expected
    p_values = (misses.p_value, misses.p_more, misses.p_fewer)
    assert (score["p"], score["p more"], score["p fewer"]) == p_values
    assert json.loads(str(score["outside after holm"])) == [["row 1", "column 1"]]
    lines = score_text([verdicts]).splitlines()
    assert lines[0] == ",".join(SCORE_HEADER)
    assert lines[1].startswith("table1,32,30,2,0,")


def test_a_sentence_sums_up_the_score() -> None:
    score = ("table1", 12, 9, 1, 2, 0.6, 0, 2, 0.8, 0.4, 0.9, "[]", 0, 0)
    text = " are inside our intervals, where 9 are expected (p = 0.800)."
    names = {"table1": "Table 1", "appendix_b": "appendix_b", "figure3": "Figure 3"}
    for name, shown in names.items():
        assert score_sentence(name, score) == f"9 of 10 printed numbers of {shown}{text}"


ADA = {"name": "ada", "algorithm": "adaboost", "label": "Ada"}
LP = {"name": "lp", "algorithm": "lpboost", "label": "LP"}
EXPERIMENT = load_mapping(config(algorithms=[ADA, LP]))


@pytest.mark.parametrize(
    ("percent", "texts"),
    [
        (False, ("risk", "0.0410", "0.05000", "0.04321 to 0.06000", "0.001")),
        (True, ("risk in percent", "4.10", "5.000", "4.321 to 6.000", "0.001")),
    ],
)
def test_numbers_outside_are_in_the_unit_of_the_paper(
    percent: bool, texts: tuple[str, ...]
) -> None:
    entry = Verdict("0.0410", 0.05, 0.043214, 0.06, 0.001).at("wine", "ada", "risk")
    inside = replace(entry, p_value=0.5, column="lp")
    verdicts = Verdicts("table1", (entry, inside), "Errors.", percent=percent)
    made = verdicts_table(EXPERIMENT, [verdicts], ["A note."])
    assert texts_of(made) == {"wine, Ada": texts}
    assert made.data_header == DATA_HEADER
    first, second = csv_of(made)
    assert (first["printed"], first["ours"], first["low"]) == ("0.0410", "0.05", "0.043214")
    assert [first["verdict"], second["verdict"]] == ["outside", "inside"]
    assert {"Printed table1: Errors.", "A note."} <= {*made.notes}
    # Rows of comparisons are algorithms.
    comparison = replace(entry, row="ada", column="lp")
    made = verdicts_table(EXPERIMENT, [Verdicts("t", (comparison,), one_sample=True)], [])
    assert [*texts_of(made)] == ["Ada, LP"]


def test_deviations_are_rows_of_the_table_and_of_the_csv() -> None:
    made = verdicts_table(EXPERIMENT, [with_deviations({"wine": "0.0031", "monks": "0.0003"})], [])
    numbers = [(row["quantity"], row["printed"]) for row in csv_of(made)]
    mean, spread = ("risk", "0.040"), "deviation of risk"
    assert numbers == [mean, (spread, "0.0031"), mean, (spread, "0.0003")]
    [(row, texts)] = texts_of(made).items()
    assert (row, texts[:2]) == ("monks, Ada", ("deviation of risk", "0.0003"))


def test_statements_name_their_table_if_there_are_several() -> None:
    both = [table({}), replace(table({}), printed="table2")]
    alone, together = (verdicts_table(EXPERIMENT, every, []) for every in (both[:1], both))
    starts = [note.partition(" Inside")[0] for note in together.notes[-2:]]
    assert starts == ["Printed table1:", "Printed table2:"]
    assert alone.notes[-1].startswith("Inside: 32 of 32")
