"""Verdicts on printed numbers, and what they say together."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from quadrepro.config.loading import load_mapping
from quadrepro.papers.printed import MeanOf
from quadrepro.stats import Moments, chance_of_misses, placement, welch_test
from quadrepro.tables.verdicts import (
    Verdict,
    Verdicts,
    like_print,
    of_further_splits,
    of_two_means,
    verdicts_table,
)
from tests.make import config

ENTRY = Verdict("wine", "adaboost", "risk", "0.29")
SPLITS = [0.21, 0.18, 0.25, 0.20, 0.22]


def numbers(mean: float, sd: float, n: int) -> list[float]:
    """Return numbers with a mean and a standard deviation."""
    spread = np.arange(n) - (n - 1) / 2
    return list(mean + sd * spread / spread.std(ddof=1))


def test_a_number_of_one_split_is_judged_by_the_interval_of_a_further_one() -> None:
    place = placement(SPLITS, 0.29, 0.005)
    judged = of_further_splits(ENTRY, SPLITS)
    assert judged.word == "inside"
    assert (judged.low, judged.high) == (place.low - 0.005, place.high + 0.005)
    assert of_further_splits(replace(ENTRY, printed="0.30"), SPLITS).word == "outside"
    assert of_further_splits(replace(ENTRY, further=5), SPLITS).word == "outside"


@pytest.mark.parametrize(("digits", "rounding"), [(2, 0.005), (0, 0.5)])
def test_a_mean_is_judged_by_welchs_test_and_the_interval_agrees(
    digits: int, rounding: float
) -> None:
    splits = numbers(14.2, 3.31, 40)
    ours = Moments(14.2, 3.31, 40)
    for mean in np.arange(11, 18, 0.05):
        entry = Verdict("ringnorm", "abr", "error in percent", f"{mean:.{digits}f}")
        printed = Moments(float(entry.printed), 3.14, 20)
        judged = of_two_means(entry, splits, printed)
        inside = judged.low <= float(entry.printed) <= judged.high
        assert (judged.word == "inside") is inside
        expected = welch_test(ours, printed, rounding=rounding).p_value
        assert judged.p_value == pytest.approx(expected)


def test_the_position_is_minus_one_and_one_at_the_ends_of_the_interval() -> None:
    judged = replace(ENTRY, ours=0.2, low=0.1, high=0.3, p_value=0.05)
    assert replace(judged, printed="0.2").position == 0
    assert replace(judged, printed="0.1").position == pytest.approx(-1)
    assert replace(judged, printed="0.35").position == pytest.approx(1.5)
    assert replace(judged, low=0.2, high=0.2, printed="0.1").position == -np.inf
    assert ENTRY.position is None


@pytest.mark.parametrize(
    ("judged", "reason"),
    [
        (of_further_splits(ENTRY, [0.2]), "one split"),
        (of_further_splits(ENTRY, []), "no result"),
        (of_two_means(ENTRY, [0.2], Moments(1, 1, 2)), "one split"),
        (of_two_means(ENTRY, [], Moments(1, 1, 2)), "no result"),
        (of_further_splits(ENTRY, [np.nan, 0.2, 0.3]), "a split without a number"),
        (of_two_means(ENTRY, [np.nan, 0.2, 0.3], Moments(1, 1, 2)), "a split without a number"),
    ],
)
def test_what_cannot_be_compared_says_why(judged: Verdict, reason: str) -> None:
    assert judged.word == "not comparable"
    assert reason in judged.reason


def table(off: dict[tuple[int, int], float], n_rows: int = 8, n_columns: int = 4) -> Verdicts:
    """Return verdicts on printed numbers that are ours but for some, in deviations of ours."""
    rng = np.random.default_rng(1)
    found = []
    for i in range(n_rows):
        for j in range(n_columns):
            ours = rng.normal(0.3, 0.01, 30)
            text = f"{ours.mean() + off.get((i, j), 0.0) * ours.std(ddof=1):.6f}"
            entry = Verdict(f"row {i}", f"column {j}", "risk", text)
            found.append((of_further_splits(entry, list(ours)), list(ours)))
    return Verdicts.of("table1", found)


def test_a_table_without_misses_says_how_many_chance_would_bring() -> None:
    verdicts = table({})
    [statement] = verdicts.statement({})
    assert statement.startswith("Inside: 32 of 32, outside: 0. If all stemmed from splits like")
    none = np.prod([chance[0] for chance in verdicts.chances.values()])
    assert verdicts.misses.p_fewer == pytest.approx(none)
    assert f"{verdicts.misses.expected:.1f} would be outside on average" in statement
    assert statement.endswith(f"and none with p = {verdicts.misses.p_fewer:.3f}.")


def test_only_what_is_off_after_holms_correction_is_named() -> None:
    verdicts = table({(0, 0): 2.3, (1, 1): 9.0})
    assert [v.row for v in verdicts.outside] == ["row 0", "row 1"]
    assert [v.row for v in verdicts.surely_off] == ["row 1"]
    [_, named] = verdicts.statement({"column 1": "AdaBoost"})
    assert named == "Off even if all 32 are counted (Holm, 0.05): row 1, AdaBoost."
    assert "No single number is off" in table({(0, 0): 2.3}).statement({})[1]


def test_misses_that_come_together_in_a_row_are_named() -> None:
    found = table({(2, j): 3.0 for j in range(4)}).statement({})
    assert any(t.startswith("Most are outside in the row row 2: 4 of 4; by chance") for t in found)
    column = table({(i, 2): 3.0 for i in range(3)}).statement({"column 2": "AdaBoost"})
    assert any(t.startswith("Most are outside in the column AdaBoost: 3 of 8; by") for t in column)
    scattered = table({(0, 0): 3.0, (1, 1): 3.0}).statement({})
    assert not any("Most are" in text for text in scattered)


def test_rows_whose_splits_are_lacking_count_as_independent() -> None:
    verdicts = table({})
    lacking = replace(verdicts, splits={})
    assert lacking.misses.expected == pytest.approx(32 * 0.05)


def test_a_table_without_a_comparable_number_says_so() -> None:
    verdicts = Verdicts.of("table1", [(replace(ENTRY, reason="one split"), [0.2])])
    assert verdicts.statement({}) == (
        "None of the printed numbers can be compared: one split (1).",
    )
    assert verdicts.judged == []


def test_rows_that_share_one_split_are_counted_together() -> None:
    rng = np.random.default_rng(4)
    common = rng.normal(size=30)
    found = []
    for i in range(12):
        ours = list(common + rng.normal(0, 0.01, 30))
        entry = Verdict(f"row {i}", "column", "probability", f"{np.mean(ours):.6f}")
        found.append((of_further_splits(entry, ours), ours))
    alone = Verdicts.of("table2", found).misses
    together = Verdicts.of("table2", found, together=True).misses
    assert together.expected == pytest.approx(alone.expected)
    assert together.high == 12 > alone.high


def test_a_printed_cross_validation_is_placed_among_ours() -> None:
    folds = [0.1, 0.3, 0.2, 0.2, 0.15, 0.25, 0.05, 0.35]
    means = [0.2, 0.2, 0.2, 0.2]
    assert like_print(folds, MeanOf(cv=2, repeats=3), 2, 50) == (pytest.approx(means), 3, None)
    sizes = [10, 30] * 4
    pooled, *_ = like_print(folds, MeanOf(cv=2, pooled=True), 2, None, sizes)
    assert pooled == pytest.approx([0.25, 0.2, 0.225, 0.275])
    for of, kept in ((MeanOf(cv=4), 8), (MeanOf(splits=4), 8), (MeanOf(cv=2), 4)):
        assert like_print(folds[:kept], of, 2, 50) == (folds[:kept], of.n, 50)


def test_the_chance_of_a_row_counts_each_kind_of_number_by_its_own_splits() -> None:
    ours = np.random.default_rng(1).normal(0.3, 0.01, (20, 4))
    kinds = [(1, 100), (1, 100), (20, None), (20, None)]
    found = []
    for j, (further, n_test) in enumerate(kinds):
        entry = Verdict("wine", f"column {j}", "risk", "0.300", further=further, n_test=n_test)
        found.append((of_further_splits(entry, list(ours[:, j])), list(ours[:, j])))
    single = chance_of_misses(ours[:, :2], rounding=0.0005, n_test=100)
    means = chance_of_misses(ours[:, 2:], further=20, rounding=0.0005)
    assert not np.allclose(single, means)
    [chance] = Verdicts.of("table1", found).chances.values()
    assert chance == pytest.approx(np.convolve(single, means))


def test_rows_of_comparisons_have_the_titles_of_the_algorithms() -> None:
    entry = Verdict("adaboost", "lpboost", "probability", "0.90", 0.5, 0.4, 0.6, 0.001)
    algorithms = [{"name": "adaboost", "label": "Ada"}, {"name": "lpboost", "label": "LP"}]
    experiment = load_mapping(config(algorithms=algorithms))
    table = verdicts_table(experiment, [Verdicts.of("t", [(entry, [0.5])])])
    numbers = ("probability", "0.90", "0.5", "0.4 to 0.6", "0.001")
    assert table.rows == (("Ada, LP", numbers),)
    assert "Off even if all 1 are counted (Holm, 0.05): Ada, LP." in table.notes
