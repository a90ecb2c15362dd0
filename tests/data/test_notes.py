"""Notes on a user's data: what is remarked on, and what is not."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quadrepro.data.inspection import inspect_file

N = 40
X1, X2 = np.random.default_rng(0).normal(size=(2, N)).round(3)
LABELS = np.where(X1 + X2 > 0, "yes", "no")


def notes(folder: Path, columns: dict[str, object], target: str = "y") -> list[str]:
    """Return the notes on some columns besides two of numbers."""
    frame = pd.DataFrame({"x1": X1, "x2": X2, "y": LABELS, **columns})
    frame.to_csv(folder / "my.csv", index=False)
    return [*inspect_file(folder / "my.csv", target).notes]


def has(found: list[str], start: str) -> bool:
    return any(note.startswith(start) for note in found)


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
    ],
)
def test_a_column_that_decides_the_label_is_named(
    tmp_path: Path, column: object, leaks: bool
) -> None:
    assert has(notes(tmp_path, {"z": column}), "z determines y: exclude it") == leaks


@pytest.mark.parametrize(
    ("y", "note"),
    [
        (3 * X1 + 1, "x1 repeats y"),
        (X1 - X2, "y is the sum x1 - x2: exclude it unless"),
        (X1 - 2 * X2, ""),
        (X1 - X2 + np.random.default_rng(1).normal(size=N) / 1e4, ""),
    ],
)
def test_what_repeats_or_adds_up_to_a_target_of_numbers_is_named(
    tmp_path: Path, y: object, note: str
) -> None:
    every = notes(tmp_path, {"y": y})
    assert has(every, note or "x1 repeats") == bool(note)
    assert has(every, "y is the sum") == note.startswith("y is")


@given(st.integers(1, 2000), st.sampled_from([-9, -200, 9999]), st.integers(2, 9))
def test_a_number_far_from_all_others_in_two_columns_may_mean_a_missing_value(
    seed: int, word: int, n_words: int
) -> None:
    from quadrepro.data.notes import _sentinels

    rng = np.random.default_rng(seed)
    columns = {name: rng.uniform(0, 30, 50) for name in "abc"}
    for name in "ab":
        columns[name][:n_words] = word
    assert _sentinels(columns) == {str(word): "a, b"}
    del columns["b"]
    assert _sentinels(columns) == {}


@pytest.mark.parametrize("low", [-3.0, 0.0])
def test_a_frequent_lowest_number_near_the_others_means_itself(low: float) -> None:
    from quadrepro.data.notes import _sentinels

    rng = np.random.default_rng(2)
    columns = {name: np.maximum(rng.normal(0, 3, 60), low) for name in "ab"}
    assert _sentinels(columns) == {}


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
    assert "Dates, left out; to test on the latest rows, add split: {time: NAME} (day)." in every
    assert has(every, "A whole number of its own in each row, in rising order")
    card = inspect_file(tmp_path / "my.csv", "y")
    assert card.view("default").exclude == ("remark", "day")
    by_name = card.by_name
    assert (by_name["day"].date, by_name["day"].codes, by_name["remark"].codes) == (
        *("%d.%m.%Y", None),
        None,
    )


def test_labels_of_one_row_each_are_named(tmp_path: Path) -> None:
    every = notes(tmp_path, {"y": [f"n{i}" for i in range(N)]})
    assert has(every, "Each label of y has one row")
