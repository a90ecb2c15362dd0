"""Methods ranked over data sets: tables, the closing sentence and the kind of table."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quadrepro.config.config import Experiment
from quadrepro.core.metrics import METRICS
from quadrepro.stats import Ranking, critical_difference, rank_methods, rounded_p
from quadrepro.tables.kinds.comparisons import scale_of
from quadrepro.tables.methods import (
    Scale,
    behind,
    closing_sentence,
    methods_table,
    nemenyi_note,
    pairs_table,
)
from quadrepro.tables.render import number_text, to_csv
from tests.tables.contexts import (
    ONE,
    as_regression,
    asking_for,
    comparison_of,
    crossed,
    csv_of,
    made,
    outcomes_of,
    table_of,
    texts_of,
)

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


def test_the_sentence_names_the_test_and_the_methods_that_differ() -> None:
    test = "By Wilcoxon's signed-rank test over 7 data sets (p ≤ 0.05)."
    # Neither a rope nor an adjustment for one pair is mentioned.
    assert sentence(rank_methods(LOSSES)) == f"a is better than b (p = 0.016). {test}"
    assert "1 pairs" not in methods_table("", rank_methods(LOSSES), TITLES, LOWER).notes[1]
    three = sentence(rank_methods(LOSSES | {"c": LOSSES["a"][::-1]}))
    assert three.startswith("a, c have the best mean rank (1.50). Not significantly different fro")
    behind = sentence(rank_methods(LOSSES | {"c": [loss + 0.01 for loss in LOSSES["a"]]}))
    assert behind.startswith("a has the best mean rank (1.00). ")
    assert "2 of 3 pairs differ significantly: a is better than b (p = 0.047), c is better" in three
    assert "adjusted for 3 pairs by Holm's method (p ≤ 0.05)." in three
    few = sentence(rank_methods({name: values[:4] for name, values in LOSSES.items()}))
    assert few.startswith("The two are not significantly different.")
    assert few.endswith("; 4 data sets are too few for that.")


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
    [texts] = texts_of(pairs_table("", rope, titles, HIGHER)).values()
    assert "*" not in "".join(texts)
    assert "no star" in methods_table("", rope, titles, HIGHER).notes[-1]
    # Nor is a significant pair called insignificant.
    ranking = rank_methods(RISKS, rope=1)
    assert ranking.pairs["a", "c"].p_adjusted <= 0.05
    text = sentence(ranking)
    assert "within the rope and immaterial" in text
    assert "Not significantly different" not in text
    assert "No pair differs significantly." not in text


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
    expected = {(c.winner, c.loser) for c in ranking.ordered_pairs if c.winner}
    text = closing_sentence(ranking, titles, scale)
    assert {*re.findall(r"(m\d) is better than (m\d)", text)} == expected
    pairs = pairs_table("", ranking, titles, scale)
    starred = {name for name, row in texts_of(pairs).items() if row[-1].endswith("*")}
    assert starred == {f"{c.a} – {c.b}" for c in ranking.ordered_pairs if c.winner}
    rows = csv_of(pairs)
    assert {row["winner"] for row in rows if row["winner"]} == {winner for winner, _ in expected}
    methods = methods_table("", ranking, titles, scale)
    for row in csv_of(methods):
        versus = {row["method"], ranking.reference}
        [*winner] = [winner for winner, loser in expected if {winner, loser} == versus]
        assert [row["winner"]] == (winner or [""])
        p = texts_of(methods)[row["method"]][4 if "mean score" in methods.header else 3]
        assert p.endswith("*") == bool(winner)


NAME_LENGTHS = [1, 20, 60, 300]


def ranking_of(n_methods: int, n_rows: int, gap: float, control: str | None = None) -> Ranking:
    """Return a ranking of methods whose risks grow by a gap from method to method."""
    rng = np.random.default_rng(n_methods)
    drawn = rng.random((n_methods, n_rows)) + gap * np.arange(n_methods)[:, None]
    scores = {str(j): drawn[j].tolist() for j in range(n_methods)}
    return rank_methods(scores, test_share=0.1, control=control, rope=gap / 2)


@pytest.mark.parametrize("n_methods", [2, 3, 7, 20])
@pytest.mark.parametrize("control", [None, "1"])
@pytest.mark.parametrize("gap", [0.0, 0.3, 5.0])
def test_the_sentence_has_at_most_400_letters(
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
    assert [*texts_of(table)] == ["A – B", "A – C|", "B – C|"]
    c = ranking.pairs["a", "c"]
    difference, low, high = (number_text(x, 3) for x in (c.difference, c.low, c.high))
    texts = ("7–0–0", f"{difference} [{low}, {high}]", f"{rounded_p(c.p_adjusted)}\\*")
    assert texts_of(table)["A – C|"] == texts
    assert texts_of(table)["A – B"][0] == "6–1–0"


def test_a_table_with_a_control_has_no_best_group() -> None:
    ranking = rank_methods(RISKS, control="b")
    table = methods_table("T", ranking, TITLES, LOWER)
    assert table.header[3] == "wins–ties–losses against B"
    assert "best group" not in table.header
    assert "best group" not in to_csv(table)
    assert "Best group" not in " ".join(table.notes)
    assert texts_of(table)["B"][2:] == ("–",) * 3
    assert "adjusted for 2 pairs" in table.notes[1]


def test_ratios_have_no_mean_score() -> None:
    ranking = rank_methods(RISKS, ratio=True)
    table = methods_table("T", ranking, TITLES, Scale(ratio=True))
    wins = "wins–ties–losses against A"
    assert table.header == ("", "mean rank", wins, "ratio", "p", "best group")
    assert texts_of(table)["C|"][2].startswith(f"{ranking.pairs['c', 'a'].difference:.2f} [")


def test_few_rows_or_splits_have_neither_interval_nor_text_of_a_difference() -> None:
    few = rank_methods({name: values[:4] for name, values in RISKS.items()})
    pairs = texts_of(pairs_table("T", few, TITLES, LOWER)).values()
    assert all(row[1].endswith(" [–]") for row in pairs)
    assert behind(few.pairs["b", "a"], LOWER) == ""
    two = rank_methods({"a": [0.1, 0.2], "b": [0.2, 0.4]}, test_share=0.5)
    tables = methods_table("", two, TITLES, SPLITS), pairs_table("", two, TITLES, SPLITS)
    assert texts_of(tables[1])["A – B"][1:] == ("−0.150 [–]", "–")
    assert not any("nan" in to_csv(table) for table in tables)
    assert behind(two.pairs["b", "a"], SPLITS) == ""


@pytest.mark.parametrize(
    ("scale", "ends", "texts"),
    [
        (Scale(percent=True), (0.082, 0.00028, 0.165), ["8.20", "0.03", "16.50"]),
        (Scale(percent=True), (0.5, -0.7, 1.2), ["50.0", "−70.0", "100.0"]),
        (Scale(ratio=True), (1.003, 1.0026, 1.0034), ["1.003", "1.003", "1.003"]),
        (Scale(), (1.9e12, 1e12, 0.0), ["1900000000000", "1000000000000", "0"]),
    ],
)
def test_no_end_of_a_significant_interval_reads_like_no_difference(
    scale: Scale, ends: tuple[float, float, float], texts: list[str]
) -> None:
    assert scale.texts(*ends, separates=True) == texts


def test_an_infinite_f_is_shown() -> None:
    risks = {"a": [0.1, 0.2, 0.3], "b": [0.2, 0.3, 0.4], "c": [0.3, 0.4, 0.5]}
    note = methods_table("T", rank_methods(risks), TITLES, LOWER).notes[0]
    assert note.endswith("Iman and Davenport: ∞, p = 0.028.")


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
        expected = {"difference": c.difference, "low": c.low, "high": c.high, "wins": c.wins}
        expected |= {"ties": c.ties, "losses": c.losses, "p": c.p_value, "p adjusted": c.p_adjusted}
        expected |= {"mean rank": ranks[c.a], "mean rank against": ranks[c.b]}
        assert {k: float(row[k]) for k in expected} == pytest.approx(expected, rel=1e-7)
        assert row["winner"] == (c.winner or "")
        assert row["immaterial"] == str(c.immaterial).lower()


def test_the_note_on_nemenyis_test_has_its_critical_difference() -> None:
    ranking = rank_methods(RISKS)
    assert f"that are {critical_difference(3, 7):.2f} or more apart" in nemenyi_note(ranking, 0.05)
    assert f"{critical_difference(3, 7, 0.1):.2f} or more" in nemenyi_note(ranking, 0.1)


@pytest.mark.parametrize("higher", [False, True])
def test_a_worse_method_is_behind_by_a_positive_difference(higher: bool) -> None:
    scores = {name: [-x if higher else x for x in RISKS[name]] for name in RISKS}
    scale = Scale(greater_is_better=higher)
    c = rank_methods(scores, greater_is_better=higher).pairs["c", "a"]
    sizes = [abs(c.difference), *sorted(abs(x) for x in (c.low, c.high))]
    texts = re.split(", interval | to ", behind(c, scale))
    assert [*map(float, texts)] == pytest.approx(sizes, abs=6e-4)


def test_shares_are_shown_as_percentage_points() -> None:
    scale = Scale("risk", percent=True)
    ranking = rank_methods(RISKS)
    table = methods_table("T", ranking, TITLES, scale)
    assert "difference in percentage points" in table.header
    c = ranking.pairs["c", "a"]
    assert texts_of(table)["C|"][3].startswith(f"{100 * c.difference:.1f} [")
    assert " percentage points, interval " in behind(c, scale)


MANY = {f"set{i}": (1 + i % 3, 4 + i % 2, 1 + (i + 1) % 3) for i in range(9)}
COLUMNS = ("quadboost", "lpboost", "adaboost")


@pytest.fixture
def ranked(experiment: Experiment) -> Experiment:
    return asking_for(experiment, ranking=True)


def test_each_method_has_a_row_with_its_comparison_with_the_best(ranked: Experiment) -> None:
    table = table_of(ranked, "ranking", outcomes_of(MANY))
    risks = (np.array([*MANY.values()]) / 10).T.tolist()
    ranking = rank_methods(dict(zip(COLUMNS, risks, strict=True)))
    for row, method in zip(csv_of(table), ranking.methods, strict=True):
        assert row["method"] == method.name
        numbers = {"mean rank": method.mean_rank, "mean score": method.mean_score}
        if c := ranking.pairs.get((method.name, "quadboost")):
            numbers |= {"p": c.p_value, "p adjusted": c.p_adjusted, "difference": c.difference}
            numbers |= {"wins": c.wins, "losses": c.losses}
        assert {k: float(row[k]) for k in numbers} == pytest.approx(numbers, rel=1e-7)
        assert row["winner"] == ("quadboost" if method.name == "lpboost" else "")
        assert row["best group"] == str(method.name != "lpboost").lower()
    entries, best = texts_of(table), ranking.methods[0]
    assert [*entries] == [ranked.titles[method.name] for method in ranking.methods]
    assert entries["QuadBoost"] == (f"{best.mean_rank:.2f}", "0.200", "–", "–", "–", "yes")
    assert (entries["LPBoost"][2], entries["LPBoost"][5]) == ("0–0–9", "no")
    assert entries["LPBoost"][4].endswith(r"\*")
    assert table.notes[0].startswith("The lower the risk, the better. Rank 1 is the best of a row")
    assert "over 9 data sets" in table.notes[0]
    assert "adjusted for 3 pairs by Holm's method" in " ".join(table.notes)
    assert "LPBoost: a departure." in table.notes


def test_rmses_are_ranked_by_ratios_and_have_no_mean(ranked: Experiment) -> None:
    outcomes = as_regression(outcomes_of(MANY))
    table = table_of(ranked, "ranking", outcomes)
    assert "ratio" in table.header
    assert not any("mean RMSE" in title for title in table.header)
    expected = rank_methods(outcomes.mean_losses(), ratio=True).pairs["lpboost", "quadboost"]
    [row] = [row for row in csv_of(table) if row["method"] == "lpboost"]
    assert float(row["difference"]) == pytest.approx(expected.difference)
    assert any("A ratio is the RMSE of the row over the other's" in note for note in table.notes)


def test_no_method_of_best_mean_rank_is_significantly_better_than_the_best_group() -> None:
    context, outcomes = comparison_of(crossed())
    table = table_of(asking_for(context.experiment, ranking=True), "ranking", outcomes)
    rows = csv_of(table)
    assert [row["method"] for row in rows[:2]] == ["a0", "a1"]
    # The second one beats the first by the test, though its mean rank is worse.
    assert rows[1]["winner"] == "a1"
    assert [row["best group"] for row in rows] == ["true", "true", *["false"] * 4]
    text = "Best group: the methods that none of the best mean rank is significantly better than."
    assert any(text in note for note in table.notes)


def test_ratios_with_an_error_of_zero_are_short(ranked: Experiment) -> None:
    counts = {row: (0, *counts[1:]) for row, counts in MANY.items()}
    table = table_of(ranked, "ranking", as_regression(outcomes_of(counts)))
    assert [texts[2] for texts in texts_of(table).values()][1:] == ["∞ [∞, ∞]"] * 2


@pytest.mark.parametrize(
    ("name", "ratio"), [("auc", False), ("rmse", True), ("mae", True), ("r2", False)]
)
def test_errors_in_the_unit_of_the_target_are_ratios(name: str, ratio: bool) -> None:
    outcomes = outcomes_of(MANY)
    scale = scale_of(replace(outcomes, metric=METRICS[name]))
    assert (scale.ratio, scale.greater_is_better) == (ratio, name in ("auc", "r2"))
    assert not scale.percent
    assert scale_of(outcomes).percent
    one = outcomes_of({"monks": (1, 2, 3)})
    assert not scale_of(replace(one, metric=METRICS[name])).ratio


def test_a_missing_cell_allows_no_ranking(ranked: Experiment) -> None:
    gap = outcomes_of({**ONE, "monks": (2, None, 1)})
    nothing = made(ranked, "ranking", gap)
    assert nothing.table.rows == ()
    assert nothing.draw is None
    reason = "Ranking takes two algorithms without missing cells on two data sets."
    assert nothing.table.notes == (reason,)
