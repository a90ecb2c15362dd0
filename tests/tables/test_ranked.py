"""Tables of scores: read from files, ranked, and told apart."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from quadrepro.errors import DataError
from quadrepro.stats import bayesian_correlated_t, corrected_t_test, holm, rank_methods
from quadrepro.tables.ranked import (
    Splits,
    compare_splits,
    ranking_table,
)
from quadrepro.tables.scores import gaps_of, read_scores, scores_of, told_apart
from quadrepro.tables.table import Table
from tests.make import refusal
from tests.tables.contexts import csv_of

Write = Callable[[str], Path]


BAD = [
    ("", "the file has no rows"),
    ("a,b\n", "a table of scores has a line of names"),
    ("a,b\n1,2\n1,2,3\n", ", line 3: 3 fields, but the first row has 2"),
    ("d,a,b\nx,1,2\ny,3,four\n", ", line 3, column 'b': 'four' is not a number such as 0.035"),
    ("d,a,b\nx,1,2\ny,3,inf\n", ", line 3, column 'b': 'inf' is not a number"),
    ("a,b\n1,2\nx,2\n", ", line 3, column 'a': 'x' is not a number"),
    ("d;a;b\nx;1;1.234,5\n", ", line 2, column 'b': '1.234,5' is not a number"),
    ("a,a\n1,2\n2,3\n", ", line 1, column 2: duplicate 'a'"),
    ("d,a,\nx,1,2\ny,2,3\n", ", line 1, column 3: the column has no name"),
]


@pytest.mark.parametrize(("text", "message"), BAD)
def test_what_is_no_table_of_scores_is_refused_with_its_place(
    write_scores: Write, text: str, message: str
) -> None:
    assert message in refusal(write_scores(text), read_scores, DataError)


@pytest.mark.parametrize("separator", [",", ";", "\t", " "])
def test_fields_are_separated_as_init_knows_it(write_scores: Write, separator: str) -> None:
    found = read_scores(write_scores("set,a,b\nx,1,2\n\ny,3,NA\n".replace(",", separator)))
    assert [*found] == ["a", "b"]
    assert [*found.index] == ["line 2 (x)", "line 4 (y)"]
    assert [*found.iloc[0]] == [1, 2]
    assert gaps_of(found) == {"line 4 (y)": ["b"]}


def test_an_unnamed_first_column_names_the_rows_even_by_numbers(write_scores: Write) -> None:
    found = read_scores(write_scores(",a,b\n0,1,2\n1,3,4\n"))
    assert found.to_dict("list") == {"a": [1, 3], "b": [2, 4]}
    assert [*read_scores(write_scores("z,a\n0,1\n1,3\n"))] == ["z", "a"]


def test_commas_are_decimal_signs_where_other_signs_separate_fields(write_scores: Write) -> None:
    for text in ("set;a;b\nx;0,5;0.25\ny;1;-\n", "set a b\nx 0,5 0,25\n"):
        assert [*read_scores(write_scores(text)).iloc[0]] == [0.5, 0.25]


LOSSES = {"a": [0.1, 0.2, 0.1, 0.3, 0.1, 0.2, 0.1], "b": [0.2, 0.31, 0.22, 0.4, 0.25, 0.3, 0.2]}


def test_the_sentence_names_the_test_and_the_methods_that_differ() -> None:
    ranking = rank_methods(LOSSES)
    assert told_apart(ranking, None).startswith("By Wilcoxon's signed-rank tests over 7 data sets")
    assert told_apart(ranking, None).endswith(": a is better than b (p = 0.016).")
    three = told_apart(rank_methods(LOSSES | {"c": LOSSES["a"][::-1]}), None)
    assert "adjusted for 3 pairs by Holm's method" in three
    assert ": a is better than b (p = 0.047), c is better than b (p = 0.047) and no other" in three
    few = rank_methods({name: of[:4] for name, of in LOSSES.items()})
    assert told_apart(few, None).endswith("told apart; 4 data sets are too few for that.")


def test_resamples_are_compared_by_the_corrected_test() -> None:
    splits = Splits(dict(LOSSES), 0.1)
    sentence = told_apart(rank_methods(LOSSES), splits)
    assert sentence.startswith("By corrected resampled t-tests over 7 resamples (p ≤ 0.05)")
    assert ": a is better than b (p < 0.001)." in sentence


RISKS = {
    "a": [0.20, 0.31, 0.15, 0.27, 0.09, 0.11, 0.24],
    "b": [0.22, 0.35, 0.15, 0.30, 0.11, 0.12, 0.29],
    "c": [0.50, 0.45, 0.40, 0.35, 0.50, 0.45, 0.40],
}
TITLES = {"a": "A", "b": "B", "c": "C|"}


def cells(table: Table) -> dict[str, list[str]]:
    return {name: [*entries] for name, entries in table.rows}


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


def test_an_infinite_f_is_shown() -> None:
    risks = {"a": [0.1, 0.2, 0.3], "b": [0.2, 0.3, 0.4], "c": [0.3, 0.4, 0.5]}
    note = ranking_table("T", rank_methods(risks), TITLES).notes[0]
    assert note.endswith("Iman and Davenport: ∞, p = 0.028.")


def test_the_csv_has_every_number() -> None:
    ranking = rank_methods(RISKS, rope=0.01)
    rows = csv_of(ranking_table("T", ranking, TITLES))
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
    [risk] = [row for row in csv_of(of_risks) if (row["method"], row["against"]) == ("a", "c")]
    [score] = [row for row in csv_of(of_scores) if (row["method"], row["against"]) == ("c", "a")]
    assert float(score["shift"]) == pytest.approx(-float(risk["shift"]))
    assert float(score["shift low"]) == pytest.approx(-float(risk["shift high"]))


SPLITS = [
    Splits({k: [v[i], v[i] + 0.01, v[i + 1]] for k, v in RISKS.items()}, 0.5) for i in range(3)
]


def test_splits_are_compared_by_the_corrected_t_test_adjusted_for_the_pairs() -> None:
    found = compare_splits(SPLITS[0])
    risks = SPLITS[0].risks
    pairs = [("a", "b"), ("a", "c"), ("b", "c")]
    tests = [corrected_t_test(risks[a], risks[b], 0.5) for a, b in pairs]
    assert [found[p].p_value for p in pairs] == [test.p_value for test in tests]
    assert [found[p].p_holm for p in pairs] == holm(test.p_value for test in tests)
    post = bayesian_correlated_t(risks["a"], risks["b"], 0.5)
    assert found["a", "b"].better == post.better
    assert found["b", "a"].better == pytest.approx(post.worse)
    assert found["b", "a"].mean_difference == -found["a", "b"].mean_difference


def test_resamples_of_one_data_set_show_their_p_value_and_what_it_is_worth() -> None:
    table = ranking_table("T", rank_methods(RISKS), TITLES, splits=SPLITS[0], rows="resamples")
    p = compare_splits(SPLITS[0])["a", "c"].p_holm
    assert cells(table)["A – C|"][-1].rstrip("*") == f"{p:.3f}"
    assert "find too much" in table.notes[-1]
    assert "over 7 resamples" in table.notes[0]


def test_few_data_sets_have_no_interval() -> None:
    few = {name: values[:4] for name, values in RISKS.items()}
    assert cells(ranking_table("T", rank_methods(few), TITLES))["A – B"][4].endswith(" [–]")


def test_intervals_hold_for_all_pairs_and_contain_0_where_holm_finds_nothing() -> None:
    for splits in SPLITS:
        found = compare_splits(splits)
        for (a, b), pair in found.items():
            assert pair.low <= pair.mean_difference <= pair.high
            assert (pair.low, pair.high) == pytest.approx((-found[b, a].high, -found[b, a].low))
            # Bonferroni's method for three pairs.
            assert (pair.low <= 0 <= pair.high) == (3 * pair.p_value > 0.05)


def test_a_column_that_counts_the_rows_is_no_method(write_scores: Write) -> None:
    assert [*read_scores(write_scores("fold,a,b\n0,1,2\n1,3,4\n"))] == ["a", "b"]
    assert [*read_scores(write_scores("fold,a,b\n0,1,2\n2,3,4\n"))] == ["fold", "a", "b"]


def test_methods_of_a_data_frame_are_all_there_and_each_once() -> None:
    frame = pd.DataFrame({"a": [1.0, 2.0], "b": [2.0, 3.0]})
    assert [*scores_of(frame.astype(object))] == ["a", "b"]
    with pytest.raises(DataError, match="duplicate 'a'"):
        scores_of(pd.concat([frame, frame], axis=1))
