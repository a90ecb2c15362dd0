"""Notes on what may be wrong in a user's own file: leaks, missing values, dates, labels."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quadrepro.data.inspection import MOST_GAPS, inspect_file
from quadrepro.data.notes import MOST_CODES, _sentinels
from quadrepro.errors import QuadreproError
from tests.data.tables import Save, described, has, lines

N = 40
X1, X2 = np.random.default_rng(0).normal(size=(2, N)).round(3)
LABELS = np.where(X1 + X2 > 0, "yes", "no")


def notes(folder: Path, columns: dict[str, object], target: str = "y") -> list[str]:
    """Return the notes on some columns besides two of numbers."""
    frame = pd.DataFrame({"x1": X1, "x2": X2, "y": LABELS, **columns})
    frame.to_csv(folder / "my.csv", index=False)
    return [*inspect_file(folder / "my.csv", target).notes]


# Three rows of each patient, with one label.
PATIENTS = np.empty(N, dtype=int)
PATIENTS[np.argsort(LABELS, kind="stable")] = 100 + np.arange(N) // 3 + (np.sort(LABELS) == "yes")
CODES = np.where(LABELS == "yes", "open", np.where(X1 > 0, "shut", "half"))


@pytest.mark.parametrize(
    ("column", "leaks"),
    [
        (CODES, True),
        (np.where(np.arange(N) == np.argmax(LABELS == "no"), "open", CODES), False),
        (np.where(LABELS == "yes", 5.5, -1.5) + X1 / 100, True),
        (np.where(LABELS == "yes", 5.5, -1.5) + X1 * 9, False),
        (np.where(LABELS == "yes", 3, 1), True),
        ([f"c{i // 2}" for i in range(N)], False),
        (PATIENTS, True),
        (np.where(np.arange(N) < 2, PATIENTS[-1], PATIENTS), False),
    ],
)
def test_a_column_that_decides_the_label_is_named(
    tmp_path: Path, column: object, leaks: bool
) -> None:
    assert has(notes(tmp_path, {"z": column}), "z determines y: exclude it") == leaks


def test_gaps_that_decide_the_label_are_named_and_so_are_the_rows_that_have_a_value(
    tmp_path: Path,
) -> None:
    some = np.arange(N) < N // 2
    every = notes(tmp_path, {"z": np.where(some, CODES, "")})
    assert has(every, "z determines y in the 20 rows that have it: exclude it")
    gaps = np.where(LABELS == "yes", X2.astype(str), "")
    assert has(notes(tmp_path, {"z": gaps}), "z has a value exactly in the rows of some labels")
    assert not has(notes(tmp_path, {"z": np.where(some, X2.astype(str), "")}), "z has a value")


@pytest.mark.parametrize(
    ("y", "note"),
    [
        (3 * X1 + 1, "x1 is a linear function of y: exclude it"),
        (X1 - X2, "y is the sum x1 - x2: exclude it unless"),
        (100 - X1 - X2, "y is the sum - x1 - x2 +100: exclude it unless"),
        (X1 - 2 * X2, ""),
        (X1 - X2 + np.random.default_rng(1).normal(size=N) / 1e4, ""),
    ],
)
def test_what_repeats_or_adds_up_to_a_target_of_numbers_is_named(
    tmp_path: Path, y: object, note: str
) -> None:
    every = notes(tmp_path, {"y": y})
    assert has(every, note or "x1 is a linear") == bool(note)
    assert has(every, "y is the sum") == note.startswith("y is")


@given(st.integers(1, 2000), st.sampled_from([-9, -200, 9999]), st.integers(2, 9))
def test_a_number_far_from_all_others_that_is_frequent_or_in_two_columns_may_mean_a_missing_value(
    seed: int, word: int, n_words: int
) -> None:
    rng = np.random.default_rng(seed)
    columns = {name: rng.uniform(0, 30, 50) for name in "abc"}
    for name in "ab":
        columns[name][:n_words] = word
    assert _sentinels(columns) == {str(word): ["a", "b"]}
    del columns["b"]
    # Alone, it must be in 5% of the rows, and further away than twice their range.
    is_clear = n_words >= 3 and word != -9
    assert _sentinels(columns) == ({str(word): ["a"]} if is_clear else {})


@pytest.mark.parametrize(("word", "is_noted"), [(-500, True), (999, True), (500, False)])
def test_a_number_of_one_column_means_a_missing_value_if_it_looks_like_one(
    word: int, is_noted: bool
) -> None:
    column = np.r_[np.arange(9.0), word, word]
    assert bool(_sentinels({"a": column})) == is_noted


def test_a_word_for_a_missing_value_is_that_of_its_columns_if_others_have_it(
    tmp_path: Path,
) -> None:
    far = {name: np.r_[-9, -9, 100 + np.arange(N - 2)] for name in "ab"}
    assert has(notes(tmp_path, far), "-9 may mean a missing value: if it does, add --missing=-9 (a")
    every = notes(tmp_path, {**far, "c": np.arange(N) - 9})
    assert has(
        every, "-9 may mean a missing value: if it does, add --missing a=-9, --missing b=-9."
    )


def test_signs_are_no_words_for_missing_values() -> None:
    assert _sentinels({name: np.array([-1.0, 1, 0] * 9) for name in "ab"}) == {}
    assert _sentinels({name: np.array([-1.0, 0.5, 0] * 9) for name in "ab"}) == {"-1": ["a", "b"]}


@pytest.mark.parametrize("low", [-3.0, 0.0])
def test_a_frequent_lowest_number_near_the_others_means_itself(low: float) -> None:
    rng = np.random.default_rng(2)
    columns = {name: np.maximum(rng.normal(0, 3, 60), low) for name in "ab"}
    assert _sentinels(columns) == {}


def test_repeated_rows_are_counted_with_the_columns_that_are_left_out(tmp_path: Path) -> None:
    day = [f"{i % 20 + 1}.03.2024" for i in range(N)]
    x1, x2, y = (np.repeat(column[:20], 2) for column in (X1, X2, LABELS))
    every = notes(tmp_path, {"x1": x1, "x2": x2, "y": y, "day": day})
    assert has(every, "Rows that repeat an earlier one: 20 in the columns that are used, 0 in all")
    every = notes(tmp_path, {"x1": x1, "x2": x2, "y": y, "day": np.repeat(day[:20], 2)})
    assert has(every, "Rows that repeat an earlier one: 20; view: {duplicates: drop} drops them")


def test_texts_dates_and_rising_numbers_are_named(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    words = [" ".join(rng.choice(["red", "blue", "sky", "sun"], 5)) + f" {i}" for i in range(N)]
    columns = {
        "remark": words,
        "day": [f"{i % 28 + 1}.03.2024" for i in range(N)],
        "ticket": np.cumsum(rng.integers(1, 9, N)),
    }
    every = notes(tmp_path, columns)
    assert has(every, "Free text, which only estimators of your own can use")
    assert has(every, "Dates, left out; to test on the latest rows, add split: {time: NAME}; read")
    assert has(notes(tmp_path, {"season": ["2009-10", "1999-00"] * (N // 2)}), "Taken as nominal")
    for form in ("%d-%b-%y", "%b %d, %Y", "%B %d, %Y", "%Y/%m/%d %I:%M %p", "%m/%d/%y", "%d.%m.%y"):
        days = pd.date_range("2020-01-30", periods=N).strftime(form)
        assert any(f"read as {form}, date in" in n for n in notes(tmp_path, {"day": days}))
    every = notes(tmp_path, columns)
    assert has(every, "Almost every row has a whole number of its own")
    card = inspect_file(tmp_path / "my.csv", "y")
    assert card.view("default").exclude == ("remark", "day")
    by_name = card.by_name
    assert (by_name["day"].date, by_name["day"].codes, by_name["remark"].codes) == (
        *("%d.%m.%Y", None),
        None,
    )


@pytest.mark.parametrize(
    ("days", "values", "separator", "form"),
    [
        (["01/02/2020", "03/02/2020", "02/03/2020"], "123", ",", "%d/%m/%Y"),
        (["02/01/2020", "02/03/2020", "03/02/2020"], "123", ";", "%m/%d/%Y"),
        (["02-03-2020", "02-01-2020", "01-02-2020"], "123", ",", "%m-%d-%Y"),
        (["02/01/2020", "03/04/2020", "02/03/2020"], "123", ",", "%m/%d/%Y"),
        (["02/01/2020", "03/04/2020", "02/03/2020"], "123", ";", "%d/%m/%Y"),
        (["02/01/2020", "03/04/2020", "02/03/2020"], ("1,5", "2", "3"), "|", "%d/%m/%Y"),
    ],
)
def test_days_and_months_that_can_be_exchanged_are_decided_by_the_order_of_rows_or_by_signs(
    save: Save, days: list[str], values: Sequence[str], separator: str, form: str
) -> None:
    rows = zip(days, values, "aba", strict=True)
    path = save("\n".join(map(separator.join, [("day", "x", "y"), *rows])))
    assert described(path, "y").by_name["day"].date == form


def test_labels_that_differ_only_in_capitals_are_named(tmp_path: Path) -> None:
    every = notes(tmp_path, {"y": ["Yes", "no", "YES", "No"] * (N // 4)})
    [note] = [note for note in every if note.startswith("Labels that differ only")]
    assert note.endswith("(No, no, YES, Yes).")
    assert not has(notes(tmp_path, {"y": ["Yes", "no"] * (N // 2)}), "Labels that differ")


def test_a_column_with_many_words_among_numbers_has_codes(save: Save) -> None:
    for n_words, advice in ((MOST_GAPS, "--missing x=w0"), (MOST_GAPS + 1, "--nominal x if")):
        words = [f"w{i}" if i < n_words else i for i in range(40)]
        path = save(lines("x,label", *(f"{x},{'ab'[i % 2]}" for i, x in enumerate(words))))
        with pytest.raises(QuadreproError, match=f"; add {advice}"):
            inspect_file(path, "label")


def test_years_of_two_digits_are_not_in_the_future(save: Save) -> None:
    for year, date in ((70, "%m/%d/%y"), (62, None)):
        rows = (f"{1 + i % 12}/20/{year},{'ab'[i % 2]}" for i in range(40))
        card = inspect_file(save(lines("day,label", *rows)), "label")
        assert card.attributes[0].date == date


def test_labels_of_one_row_each_and_many_labels_are_named(tmp_path: Path, save: Save) -> None:
    every = notes(tmp_path, {"y": [f"n{i}" for i in range(N)]})
    assert has(every, "Each label of y has one row")
    rows = (f"{i % 7},n{i // 2}" for i in range(3 * MOST_CODES))
    card = inspect_file(save(lines("x,y", *rows)), "y")
    assert has([*card.notes], "y has 150 labels in 300 rows: state them as numbers")
