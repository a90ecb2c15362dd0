from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from quadrepro.errors import ConfigError, DataError
from quadrepro.stats import rank_methods
from quadrepro.tables.ranked import Splits
from quadrepro.tables.scores import Scores, direction, read_scores, told_apart
from tests.make import refusal

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
    assert ([*found.table], found.table.index.name) == (["a", "b"], "set")
    assert [*found.table.index] == ["line 2 (x)", "line 4 (y)"]
    assert [*found.table.iloc[0]] == [1, 2]
    assert found.gaps == {"line 4 (y)": ["b"]}


def test_an_unnamed_first_column_names_the_rows_even_by_numbers(write_scores: Write) -> None:
    found = read_scores(write_scores(",a,b\n0,1,2\n1,3,4\n"))
    assert found.table.to_dict("list") == {"a": [1, 3], "b": [2, 4]}
    assert [*read_scores(write_scores("z,a\n0,1\n1,3\n")).table] == ["z", "a"]


def test_commas_are_decimal_signs_where_other_signs_separate_fields(write_scores: Write) -> None:
    for text in ("set;a;b\nx;0,5;0.25\ny;1;-\n", "set a b\nx 0,5 0,25\n"):
        assert [*read_scores(write_scores(text)).table.iloc[0]] == [0.5, 0.25]


def scores(names: tuple[str, ...] = ("a", "b"), source: str = "s.csv", of_rows: str = "") -> Scores:
    return Scores(pd.DataFrame(0.9, pd.Index(["r"], name=of_rows), names), source)


@pytest.mark.parametrize(
    ("found", "higher"),
    [
        (scores(("svm_acc", "knn acc")), True),
        (scores(source="x/AUC-2020.csv"), True),
        (scores(of_rows="Accuracy"), True),
        (scores(("F1 of A", "F1 of B")), True),
        (scores(source="errors.csv"), False),
        (scores(("RMSE.a", "RMSE.b")), False),
    ],
)
def test_a_word_in_the_names_tells_which_scores_are_better(found: Scores, higher: bool) -> None:
    assert direction(found, None) is higher
    assert direction(found, not higher) is not higher


@pytest.mark.parametrize(
    "found",
    [
        scores(),
        scores(("auc-boost", "knn")),
        scores(("accurate", "accurate b")),
        scores(source="auc_error.csv"),
    ],
)
def test_what_the_names_leave_open_is_asked_and_not_guessed(found: Scores) -> None:
    with pytest.raises(ConfigError, match=r"--higher-is-better .* or --lower-is-better"):
        direction(found, None)
    assert direction(found, True)


LOSSES = {"a": [0.1, 0.2, 0.1, 0.3, 0.1, 0.2, 0.1], "b": [0.2, 0.31, 0.22, 0.4, 0.25, 0.3, 0.2]}


def test_the_sentence_names_the_test_and_the_methods_that_differ() -> None:
    ranking = rank_methods(LOSSES)
    assert told_apart(ranking, None).startswith("By Wilcoxon's signed-rank tests over 7 data sets")
    assert told_apart(ranking, None).endswith(": a is better than b (p = 0.016).")
    three = told_apart(rank_methods(LOSSES | {"c": LOSSES["a"][::-1]}), None)
    assert "adjusted for 3 pairs by Holm's method" in three
    assert ": a is better than b (p = 0.047), c is better than b (p = 0.047) and no other" in three
    few = rank_methods({name: of[:4] for name, of in LOSSES.items()})
    assert told_apart(few, None).endswith("told apart, for which 4 are too few.")


def test_resamples_are_compared_by_the_corrected_test() -> None:
    splits = Splits(dict(LOSSES), 0.1)
    sentence = told_apart(rank_methods(LOSSES), splits)
    assert sentence.startswith("By corrected resampled t-tests over 7 resamples (p ≤ 0.05)")
    assert ": a is better than b (p < 0.001)." in sentence
