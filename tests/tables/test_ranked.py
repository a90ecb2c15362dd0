from __future__ import annotations

import csv

import pytest

from quadrepro.stats import bayesian_correlated_t, corrected_t_test, holm, rank_methods
from quadrepro.tables.ranked import (
    Splits,
    compare_splits,
    ranking_table,
)
from quadrepro.tables.table import Table

RISKS = {
    "a": [0.20, 0.31, 0.15, 0.27, 0.09, 0.11, 0.24],
    "b": [0.22, 0.35, 0.15, 0.30, 0.11, 0.12, 0.29],
    "c": [0.50, 0.45, 0.40, 0.35, 0.50, 0.45, 0.40],
}
TITLES = {"a": "A", "b": "B", "c": "C|"}


def cells(table: Table) -> dict[str, list[str]]:
    return {name: [*entries] for name, entries in table.rows}


def data(table: Table) -> list[dict[str, str]]:
    return list(csv.DictReader(table.to_csv().splitlines()))


def test_pairs_stand_by_rank_with_rounded_numbers_for_reading() -> None:
    ranking = rank_methods(RISKS, rope=0.01)
    table = ranking_table("T", ranking, TITLES)
    assert list(cells(table)) == ["A – B", "A – C|", "B – C|"]
    pair = ranking.pairs[1]
    found = cells(table)["A – C|"]
    assert found[0] == "1.07, 3.00"
    assert found[1] == "< 0.001*"
    assert found[3] == f"{pair.wilcoxon_p_holm:.3f}*"
    assert found[4] == (
        f"{pair.shift.estimate:+.2g} [{pair.shift.low:+.2g}, {pair.shift.high:+.2g}]"
    )
    post = pair.posterior
    assert found[5] == f"{post.better:.2f} / {post.same:.2f} / {post.worse:.2f}"
    assert "A 1.07, B 1.93, C| 3.00" in table.notes[0]
    assert f"χ² = {ranking.friedman.statistic:.2f}" in table.notes[0]
    assert f"that are {ranking.critical_difference:.2f} or more apart" in table.notes[1]
    adjusted = holm(pair.rank_p for pair in ranking.pairs)
    ranks = [entries[2] for entries in cells(table).values()]
    assert ranks == ["0.109", "< 0.001*", f"{adjusted[2]:.3f}"]


def test_the_direction_and_the_tests_of_all_methods_are_named() -> None:
    ranking = rank_methods(RISKS)
    table = ranking_table("T", ranking, TITLES)
    assert table.notes[0].startswith("The lower the risk, the better. Mean ranks over 7 data sets")
    turned = ranking_table("T", ranking, TITLES, higher_is_better=True, quantity="AUC")
    assert turned.notes[0].startswith("The higher the AUC, the better. ")


def test_an_infinite_f_is_shown() -> None:
    risks = {"a": [0.1, 0.2, 0.3], "b": [0.2, 0.3, 0.4], "c": [0.3, 0.4, 0.5]}
    note = ranking_table("T", rank_methods(risks), TITLES).notes[0]
    assert note.endswith("Iman and Davenport: ∞, p = 0.028.")


def test_without_a_rope_nothing_is_the_same() -> None:
    table = ranking_table("T", rank_methods(RISKS), TITLES)
    assert table.header[-1] == "better / worse"
    assert cells(table)["A – B"][-1] == "1.00 / 0.00"


def test_the_csv_has_every_number() -> None:
    ranking = rank_methods(RISKS, rope=0.01)
    rows = data(ranking_table("T", ranking, TITLES))
    assert [(row["method"], row["against"]) for row in rows] == [(p.a, p.b) for p in ranking.pairs]
    for row, pair in zip(rows, ranking.pairs, strict=True):
        assert float(row["wilcoxon p"]) == pytest.approx(pair.wilcoxon_p)
        assert float(row["rank p Holm"]) == pytest.approx(pair.rank_p_holm)
        assert float(row["friedman p"]) == pytest.approx(ranking.friedman.p_value)
        assert float(row["shift low"]) == pytest.approx(pair.shift.low)
        assert float(row["same"]) == pytest.approx(pair.posterior.same)


def test_differences_of_scores_have_the_sign_of_the_scores() -> None:
    negative = {name: [-x for x in values] for name, values in RISKS.items()}
    of_risks = ranking_table("T", rank_methods(RISKS), TITLES)
    of_scores = ranking_table("T", rank_methods(negative), TITLES, higher_is_better=True)
    assert list(cells(of_scores)) == ["C| – B", "C| – A", "B – A"]
    risk = next(row for row in data(of_risks) if row["against"] == "c")
    score = next(r for r in data(of_scores) if (r["method"], r["against"]) == ("c", risk["method"]))
    assert float(score["shift"]) == pytest.approx(-float(risk["shift"]))
    assert float(score["shift low"]) == pytest.approx(-float(risk["shift high"]))


SPLITS = [
    Splits({k: [v[i], v[i] + 0.01, v[i + 1]] for k, v in RISKS.items()}, 0.5) for i in range(3)
]


def test_splits_are_compared_by_the_corrected_t_test_adjusted_for_the_pairs() -> None:
    found = compare_splits(SPLITS[0], rope=0.01)
    risks = SPLITS[0].risks
    pairs = [("a", "b"), ("a", "c"), ("b", "c")]
    tests = [corrected_t_test(risks[a], risks[b], 0.5) for a, b in pairs]
    assert [found[p].p_value for p in pairs] == [test.p_value for test in tests]
    assert [found[p].p_holm for p in pairs] == holm(test.p_value for test in tests)
    post = bayesian_correlated_t(risks["a"], risks["b"], 0.5, 0.01)
    assert found["a", "b"].posterior == post
    assert found["b", "a"].posterior.better == post.worse
    assert found["b", "a"].mean_difference == -found["a", "b"].mean_difference


def test_resamples_of_one_data_set_show_their_p_value_and_what_it_is_worth() -> None:
    table = ranking_table("T", rank_methods(RISKS), TITLES, splits=SPLITS[0], rows="resamples")
    p = compare_splits(SPLITS[0], 0.0)["a", "c"].p_holm
    assert cells(table)["A – C|"][-1].rstrip("*") == f"{p:.3f}"
    assert "find too much" in table.notes[-1]
    assert "over 7 resamples" in table.notes[0]


def test_few_data_sets_have_no_interval() -> None:
    few = {name: values[:4] for name, values in RISKS.items()}
    assert cells(ranking_table("T", rank_methods(few), TITLES))["A – B"][4].endswith(" [–]")


def test_intervals_hold_for_all_pairs_and_contain_0_where_holm_finds_nothing() -> None:
    for splits in SPLITS:
        found = compare_splits(splits, 0.0)
        for (a, b), pair in found.items():
            assert pair.low <= pair.mean_difference <= pair.high
            assert (pair.low, pair.high) == (-found[b, a].high, -found[b, a].low)
            # Bonferroni's method for three pairs.
            assert (pair.low <= 0 <= pair.high) == (3 * pair.p_value > 0.05)
