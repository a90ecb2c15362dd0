"""Tables of scores: read from files, ranked, shown and summed up in a sentence."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quadrepro.stats import Ranking, critical_difference, rank_methods, rounded_p
from quadrepro.tables.ranking import (
    Scale,
    behind,
    closing_sentence,
    methods_table,
    nemenyi_note,
    pairs_table,
)
from quadrepro.tables.render import entry_text, number_text, to_csv
from quadrepro.tables.table import Table

LOSSES = {"a": [0.1, 0.2, 0.1, 0.3, 0.1, 0.2, 0.1], "b": [0.2, 0.31, 0.22, 0.4, 0.25, 0.3, 0.2]}
RISKS = {
    "a": [0.20, 0.31, 0.15, 0.27, 0.09, 0.11, 0.24],
    "b": [0.22, 0.35, 0.15, 0.30, 0.11, 0.12, 0.29],
    "c": [0.50, 0.45, 0.40, 0.35, 0.50, 0.45, 0.40],
}
TITLES = {"a": "A", "b": "B", "c": "C|"}
LOWER = Scale()
HIGHER = Scale(greater_is_better=True)
SPLITS = Scale(rows="splits")


def sentence(ranking: Ranking, scale: Scale = LOWER) -> str:
    """Return the closing sentence with the names of the methods as titles."""
    return closing_sentence(ranking, {m.name: m.name for m in ranking.methods}, scale)


def cells(table: Table) -> dict[str, list[str]]:
    return {name: [*map(entry_text, entries)] for name, entries in table.rows}


def csv_of(table: Table) -> list[dict[str, str]]:
    return [*csv.DictReader(to_csv(table).splitlines())]


def test_the_sentence_names_the_test_and_the_methods_that_differ() -> None:
    assert sentence(rank_methods(LOSSES)) == (
        "a is better than b (p = 0.016). By Wilcoxon's signed-rank test over 7 data sets "
        "(p ≤ 0.05)."
    )
    three = sentence(rank_methods(LOSSES | {"c": LOSSES["a"][::-1]}))
    assert three.startswith("a has the best mean rank (1.50). Not significantly different from it:")
    assert "2 of 3 pairs differ significantly: a is better than b (p = 0.047), c is better" in three
    assert "adjusted for 3 pairs by Holm's method (p ≤ 0.05)." in three


def test_the_sentence_names_rows_that_are_too_few() -> None:
    ranking = rank_methods({name: values[:4] for name, values in LOSSES.items()})
    assert sentence(ranking).startswith("The two are not significantly different.")
    assert sentence(ranking).endswith("; 4 data sets are too few for that.")


def test_splits_are_compared_by_the_corrected_test() -> None:
    text = sentence(rank_methods(LOSSES, test_share=0.1), SPLITS)
    assert text.startswith("a is better than b (p < 0.001). By corrected resampled t-test over 7")
    assert text.endswith("splits (p ≤ 0.05).")


def test_with_a_rope_that_covers_the_interval_no_method_is_called_better() -> None:
    theirs = [80.0 + 0.1 * i for i in range(12)]
    ours = [score + 0.03 + 0.002 * i for i, score in enumerate(theirs)]
    scores, titles = {"ours": ours, "theirs": theirs}, {"ours": "ours", "theirs": "theirs"}
    plain = rank_methods(scores, greater_is_better=True)
    assert sentence(plain, HIGHER).startswith("ours is better than theirs (p < 0.001).")
    rope = rank_methods(scores, greater_is_better=True, rope=1)
    assert sentence(rope, HIGHER).startswith("The difference is within the rope and immaterial.")
    assert "better" not in sentence(rope, HIGHER)
    assert not any(
        "*" in text for row in cells(pairs_table("", rope, titles, HIGHER)).values() for text in row
    )
    assert "no star" in methods_table("", rope, titles, HIGHER).notes[-1]


def test_a_significant_pair_within_the_rope_is_not_called_insignificant() -> None:
    ranking = rank_methods(RISKS, rope=1)
    assert ranking.pairs["a", "c"].p_adjusted <= 0.05
    text = sentence(ranking)
    assert "within the rope and immaterial" in text
    assert "Not significantly different" not in text
    assert "No pair differs significantly." not in text


def test_neither_a_rope_nor_the_adjustment_for_one_pair_is_mentioned() -> None:
    for scores in (LOSSES, dict.fromkeys("ab", LOSSES["a"])):
        ranking = rank_methods(scores)
        assert not {"rope", "Holm"} & {*re.findall(r"\w+", sentence(ranking))}
        assert "1 pairs" not in methods_table("", ranking, TITLES, LOWER).notes[1]


def winners(ranking: Ranking) -> set[tuple[str, str]]:
    """Return winner and loser of each pair that has one."""
    return {(c.winner, c.loser) for c in ranking.ordered_pairs if c.winner and c.loser}


@given(
    st.integers(2, 3),
    st.integers(6, 12),
    st.integers(0, 999),
    st.sampled_from([None, "m1"]),
    st.sampled_from([0.0, 0.5]),
    st.booleans(),
)
def test_sentence_table_and_pairs_agree_on_the_winners(
    n_methods: int, n_rows: int, seed: int, control: str | None, rope: float, higher: bool
) -> None:
    rng = np.random.default_rng(seed)
    scores = {f"m{j}": (rng.random(n_rows) + 0.3 * j).tolist() for j in range(n_methods)}
    ranking = rank_methods(scores, greater_is_better=higher, control=control, rope=rope)
    titles, scale = {name: name for name in scores}, Scale(greater_is_better=higher)
    expected = winners(ranking)
    text = closing_sentence(ranking, titles, scale)
    assert {*re.findall(r"(m\d) is better than (m\d)", text)} == expected
    pairs = pairs_table("", ranking, titles, scale)
    starred = {name for name, row in cells(pairs).items() if row[-1].endswith("*")}
    assert starred == {f"{c.a} – {c.b}" for c in ranking.ordered_pairs if c.winner}
    rows = csv_of(pairs)
    assert {row["winner"] for row in rows if row["winner"]} == {winner for winner, _ in expected}
    methods = methods_table("", ranking, titles, scale)
    for row in csv_of(methods):
        versus = {row["method"], ranking.reference}
        [*winner] = [winner for winner, loser in expected if {winner, loser} == versus]
        assert [row["winner"]] == (winner or [""])
        p = cells(methods)[row["method"]][4 if "mean score" in methods.header else 3]
        assert p.endswith("*") == bool(winner)


NAME_LENGTHS = [1, 20, 60, 300]


def ranking_of(n_methods: int, n_rows: int, gap: float, control: str | None = None) -> Ranking:
    """Return a ranking of methods whose risks grow by a gap from method to method."""
    rng = np.random.default_rng(n_methods)
    drawn = rng.random((n_methods, n_rows)) + gap * np.arange(n_methods)[:, None]
    scores = {str(j): drawn[j].tolist() for j in range(n_methods)}
    return rank_methods(scores, test_share=0.1, control=control, rope=gap / 2)


@pytest.mark.parametrize("n_methods", [2, 3, 7, 20, 60])
@pytest.mark.parametrize("control", [None, "1"])
@pytest.mark.parametrize("gap", [0.0, 0.3, 5.0])
def test_the_closing_sentence_has_at_most_400_characters(
    n_methods: int, control: str | None, gap: float
) -> None:
    ranking = ranking_of(n_methods, 8, gap, control)
    for length in NAME_LENGTHS:
        titles = {m.name: f"{m.name:x>{length}}" for m in ranking.methods}
        text = closing_sentence(ranking, titles, SPLITS)
        assert len(text) <= 400
        assert "By corrected resampled t-test" in text


def test_pairs_are_in_the_order_of_the_mean_ranks_with_rounded_numbers_to_read() -> None:
    ranking = rank_methods(RISKS)
    table = pairs_table("T", ranking, TITLES, LOWER)
    assert [*cells(table)] == ["A – B", "A – C|", "B – C|"]
    c = ranking.pairs["a", "c"]
    difference, low, high = (number_text(x, 3) for x in (c.difference, c.low, c.high))
    assert cells(table)["A – C|"] == [
        "7–0–0", f"{difference} [{low}, {high}]", f"{rounded_p(c.p_adjusted)}\\*"
    ]  # fmt: skip
    assert cells(table)["A – B"][0] == "6–1–0"


def test_methods_have_ranks_scores_and_the_comparison_with_the_best() -> None:
    ranking = rank_methods(RISKS)
    table = methods_table("T", ranking, TITLES, LOWER)
    rows = cells(table)
    assert [*rows] == ["A", "B", "C|"]
    assert rows["A"] == ["1.07", "0.1957", "–", "–", "–", "yes"]
    c = ranking.pairs["c", "a"]
    assert rows["C|"][0] == "3.00"
    assert rows["C|"][2] == "0–0–7"
    assert rows["C|"][4] == f"{rounded_p(c.p_adjusted)}\\*"
    assert rows["C|"][5] == "no"
    assert table.header[3] == "wins–ties–losses against A"
    assert f"χ² = {ranking.friedman.statistic:.2f}" in table.notes[0]
    assert "over 7 data sets" in table.notes[0]
    assert "adjusted for 3 pairs by Holm's method" in table.notes[1]


def test_a_table_with_a_control_has_no_best_group() -> None:
    ranking = rank_methods(RISKS, control="b")
    table = methods_table("T", ranking, TITLES, LOWER)
    assert table.header[3] == "wins–ties–losses against B"
    assert "best group" not in table.header
    assert "best group" not in to_csv(table)
    assert "Best group" not in " ".join(table.notes)
    assert cells(table)["B"][2:] == ["–"] * 3
    assert "adjusted for 2 pairs" in table.notes[1]


def test_ratios_have_no_mean_score() -> None:
    ranking = rank_methods(RISKS, ratio=True)
    table = methods_table("T", ranking, TITLES, Scale(ratio=True))
    assert table.header == (
        "", "mean rank", "wins–ties–losses against A", "ratio", "p", "best group"
    )  # fmt: skip
    assert cells(table)["C|"][2].startswith(f"{ranking.pairs['c', 'a'].difference:.2f} [")


def test_an_infinite_f_is_shown() -> None:
    risks = {"a": [0.1, 0.2, 0.3], "b": [0.2, 0.3, 0.4], "c": [0.3, 0.4, 0.5]}
    note = methods_table("T", rank_methods(risks), TITLES, LOWER).notes[0]
    assert note.endswith("Iman and Davenport: ∞, p = 0.028.")


def numbers_of(row: dict[str, str], names: Iterable[str]) -> list[float]:
    return [float(row[name]) for name in names]


def test_the_csv_of_pairs_has_every_pair_and_number() -> None:
    ranking = ranking_of(12, 8, 0.1)
    titles = {m.name: m.name for m in ranking.methods}
    table = pairs_table("T", ranking, titles, SPLITS)
    rows = csv_of(table)
    assert (len(table.rows), len(rows)) == (30, 66)
    assert table.notes == ("The first 30 of 66 pairs; the CSV has all.",)
    ranks = {m.name: m.mean_rank for m in ranking.methods}
    for row, c in zip(rows, ranking.ordered_pairs, strict=True):
        assert (row["method"], row["against"]) == (c.a, c.b)
        names = "difference", "low", "high", "wins", "ties", "losses", "p", "p adjusted"
        expected = [
            *(c.difference, c.low, c.high, c.wins, c.ties, c.losses, c.p_value, c.p_adjusted)
        ]
        assert numbers_of(row, names) == pytest.approx(expected, rel=1e-7)
        expected = [ranks[c.a], ranks[c.b]]
        assert numbers_of(row, ("mean rank", "mean rank against")) == pytest.approx(expected)
        assert row["winner"] == (c.winner or "")
        assert row["immaterial"] == str(c.immaterial).lower()


def test_differences_of_scores_have_the_sign_of_the_scores() -> None:
    negative = {name: [-x for x in values] for name, values in RISKS.items()}
    risks = pairs_table("T", rank_methods(RISKS), TITLES, LOWER)
    scores = pairs_table("T", rank_methods(negative, greater_is_better=True), TITLES, HIGHER)
    assert [*cells(scores)] == [*cells(risks)]
    for risk, score in zip(csv_of(risks), csv_of(scores), strict=True):
        assert float(score["difference"]) == -float(risk["difference"])
        assert float(score["low"]) == -float(risk["high"])
        assert score["wins"] == risk["wins"]


@pytest.mark.parametrize("ratio", [False, True])
def test_few_data_sets_have_no_interval(ratio: bool) -> None:
    few = {name: values[:4] for name, values in RISKS.items()}
    ranking, scale = rank_methods(few, ratio=ratio), Scale(ratio=ratio)
    for row in cells(pairs_table("T", ranking, TITLES, scale)).values():
        assert row[1].endswith(" [–]")


def test_two_splits_leave_the_p_values_of_tables_empty() -> None:
    ranking = rank_methods({"a": [0.1, 0.2], "b": [0.2, 0.4]}, test_share=0.5)
    tables = methods_table("", ranking, TITLES, SPLITS), pairs_table("", ranking, TITLES, SPLITS)
    assert cells(tables[1])["A – B"][1:] == ["−0.150 [–]", "–"]
    for table in tables:
        assert "nan" not in to_csv(table)


def test_the_note_on_nemenyis_test_has_its_critical_difference() -> None:
    ranking = rank_methods(RISKS)
    assert f"that are {critical_difference(3, 7):.2f} or more apart" in nemenyi_note(ranking, 0.05)
    assert f"{critical_difference(3, 7, 0.1):.2f} or more" in nemenyi_note(ranking, 0.1)


@pytest.mark.parametrize("higher", [False, True])
def test_a_worse_method_is_behind_by_a_positive_difference(higher: bool) -> None:
    scores = {name: [-x if higher else x for x in RISKS[name]] for name in RISKS}
    ranking = rank_methods(scores, greater_is_better=higher)
    scale = Scale(greater_is_better=higher)
    for a, b in (("a", "c"), ("b", "c")):
        c = ranking.pairs[b, a]
        sizes = [abs(c.difference), *sorted(abs(x) for x in (c.low, c.high))]
        texts = re.fullmatch(r"(.+), interval (.+) to (.+)", behind(c, scale))
        assert texts
        assert [*map(float, texts.groups())] == pytest.approx(sizes, abs=6e-4)


def test_a_comparison_without_interval_has_no_text_of_its_difference() -> None:
    few = {name: values[:4] for name, values in RISKS.items()}
    assert behind(rank_methods(few).pairs["b", "a"], LOWER) == ""
    two = {name: values[:2] for name, values in RISKS.items()}
    assert behind(rank_methods(two, test_share=0.5).pairs["b", "a"], SPLITS) == ""


def test_shares_are_shown_as_percentage_points() -> None:
    scale = Scale("risk", percent=True)
    ranking = rank_methods(RISKS)
    table = methods_table("T", ranking, TITLES, scale)
    assert "difference in percentage points" in table.header
    c = ranking.pairs["c", "a"]
    assert cells(table)["C|"][3].startswith(f"{100 * c.difference:.1f} [")
    assert " percentage points, interval " in behind(c, scale)
