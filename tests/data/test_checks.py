"""Columns of a source become those of a card, and what arrived is compared with the card."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from quadrepro.data.canonical import RawTable, content_hash, numeric_column
from quadrepro.data.card import Attribute, Card, load_card
from quadrepro.data.checks import checks, divide, refuse_other_content, to_table
from quadrepro.data.source import Layout
from quadrepro.data.store import load_dataset, read_csv
from quadrepro.errors import DataError
from tests.data.tables import make_card


def differences(card: Card, table: RawTable) -> str:
    with pytest.raises(DataError) as refusal:
        refuse_other_content(card, table, "HERE")
    start = "toy: HERE differs from the card: "
    assert str(refusal.value).startswith(start)
    return str(refusal.value).removeprefix(start)


LABELS = "labels 01 ({}), no ({}) instead of labels 01 (2), no (2)"


def test_rows_that_are_what_the_card_says_pass_every_check(toy: Card, toy_csv: Path) -> None:
    table = read_csv(toy_csv, toy)
    found = list(checks(toy, table))
    named = [check.what for check in found]
    assert named == ["attributes", "rows", "missing cells", "labels", "content"]
    assert not any(check.problem for check in found)
    refuse_other_content(toy, table, "HERE")


@pytest.mark.parametrize(
    ("old", "new", "problems"),
    [
        ("1,red,no\n", "", "3 rows instead of 4 rows; " + LABELS.format(2, 1)),
        ("1,red,no", "1,,no", "3 missing cells in 3 rows instead of 2 missing cells in 2 rows"),
        ("-2.5,,no\n,", ",,no\n-2.5,", "2 missing cells in 1 row instead of 2 missing cells in 2 "),
        ("red,no", "red,01", LABELS.format(3, 1)),
    ],
)
def test_counts_that_differ_are_named_with_both_sides(
    toy: Card, toy_csv: Path, old: str, new: str, problems: str
) -> None:
    content = toy_csv.read_text()
    assert old in content
    toy_csv.write_text(content.replace(old, new))
    assert differences(toy, read_csv(toy_csv, toy)).startswith(problems)


def test_values_that_differ_though_all_counts_agree_are_told_by_their_hash(
    toy: Card, toy_csv: Path
) -> None:
    toy_csv.write_text(toy_csv.read_text().replace("3e1", "3e2"))
    table = read_csv(toy_csv, toy)
    here, there = content_hash(table), toy.content_hash
    assert differences(toy, table) == f"content {here} instead of {there}"


def test_ranges_and_codes_tell_which_attributes_differ(toy: Card, toy_csv: Path) -> None:
    size = Attribute(name="size", kind="numeric", range=(0, 1))
    colour = Attribute(name="colour", kind="nominal", codes=("red", "blue", "green"))
    stated = toy.model_copy(update={"attributes": (size, colour)})
    table = read_csv(toy_csv, toy)
    assert differences(stated, table) == (
        "size from -2.5 to 30 instead of from 0 to 1, colour without the code green"
    )
    other = colour.model_copy(update={"codes": ("red",)})
    stated = toy.model_copy(update={"attributes": (toy.attributes[0], other)})
    assert differences(stated, table) == "colour with the unknown code blue"


def test_only_the_first_few_attributes_that_differ_are_named() -> None:
    card = load_card("wine")
    low = tuple(a.model_copy(update={"range": (0.0, 0.5)}) for a in card.attributes)
    other = card.model_copy(update={"attributes": low})
    with pytest.raises(DataError, match=r"from 0 to 0\.5, and 9 more$"):
        refuse_other_content(other, load_dataset("wine").table, "HERE")


def test_attributes_under_other_names_or_of_other_kinds_are_refused(
    toy: Card, toy_csv: Path
) -> None:
    table = read_csv(toy_csv, toy)
    swapped = toy.model_copy(update={"attributes": toy.attributes[::-1]})
    assert differences(swapped, table) == ("attribute size (numeric) instead of colour (nominal)")
    fewer = toy.model_copy(update={"attributes": toy.attributes[:1]})
    assert differences(fewer, table).startswith("2 attributes instead of 1")


def test_the_target_of_a_regression_is_compared_by_its_range(toy: Card, toy_csv: Path) -> None:
    table = read_csv(toy_csv, toy)
    numbers = RawTable(table.attributes, table.columns, numeric_column([1, 2, 3, 4]))
    target = toy.target.model_copy(update={"labels": {}, "range": (1.0, 5.0)})
    card = toy.model_copy(
        update={"task": "regression", "target": target, "content_hash": content_hash(numbers)}
    )
    assert differences(card, numbers) == "from 1 to 4 instead of from 1 to 5"


def test_parts_are_rows_in_the_order_of_the_source_and_belong_to_the_content(
    toy: Card, toy_csv: Path
) -> None:
    table = read_csv(toy_csv, toy)
    assert divide(toy, table) is table
    parted = toy.model_copy(update={"parts": {"train": (1, 3), "test": (4, 4)}})
    divided = divide(parted, table)
    assert divided.part is not None
    assert divided.part.tolist() == ["train", "train", "train", "test"]
    turned = divide(parted, table.take(np.array([3, 2, 1, 0])))
    assert len({content_hash(t) for t in (table, divided, turned)}) == 3


def test_rows_beyond_the_parts_are_told_by_their_number(toy: Card, toy_csv: Path) -> None:
    parted = toy.model_copy(update={"parts": {"all": (1, 4)}})
    longer = read_csv(toy_csv, toy).take(np.array([0, 1, 2, 3, 3]))
    assert differences(parted, divide(parted, longer)).startswith("5 rows instead of 4 rows")


Values = list[str] | list[float]

SIZE = ["1.5", "?", "-0"]
COLOUR = ["r", " b ", ""]
LABEL = ["+1", "0", "1.0"]


def frame(*columns: Values, names: tuple[str, ...] = (), place: str = "row") -> pd.DataFrame:
    made = pd.DataFrame(dict(enumerate(columns)), index=pd.RangeIndex(4, 7, name=place))
    return made.set_axis([*names], axis=1) if names else made


@pytest.fixture
def card() -> Card:
    labels = {"original": "label", "labels": {"0": 1, "1": 2}}
    return make_card(rows=3, missing_cells=2, rows_with_missing=2, target=labels)


def rows(frame: pd.DataFrame, card: Card, **layout: Any) -> dict[str, list[Any]]:
    """Return the columns of the table, None for a missing number."""
    table = to_table(frame, Layout(**layout), card, "here")
    assert table.attributes == card.attributes
    numbers = [None if np.isnan(value) else value for value in table.columns["size"]]
    colours = table.columns["colour"].tolist()
    return {"size": numbers, "colour": colours, "target": table.target.tolist()}


PLAIN = {"size": [1.5, None, 0.0], "colour": ["r", "b", ""], "target": ["+1", "0", "1"]}


def test_columns_are_attributes_and_target_unless_a_layout_places_them(card: Card) -> None:
    assert rows(frame(SIZE, COLOUR, LABEL), card) == PLAIN
    shuffled = frame(LABEL, ["x", "y", "z"], SIZE, COLOUR)
    assert rows(shuffled, card, columns=("target", "", "size", "colour")) == PLAIN


def test_codes_of_the_source_become_those_of_the_card(card: Card) -> None:
    found = rows(
        frame(["small", "2", "3"], COLOUR, LABEL),
        card,
        codes={"size": {"small": "1"}, "colour": {"r": "red"}, "target": {"+1": "1"}},
    )
    assert found == {"size": [1, 2, 3], "colour": ["red", "b", ""], "target": ["1", "0", "1"]}


def test_what_a_source_writes_for_a_missing_value_is_missing(card: Card) -> None:
    found = rows(frame(["-9", "1", ""], ["-9", "r", "?"], LABEL), card, missing=("-9",))
    assert found["size"] == [None, 1, None]
    assert found["colour"] == ["", "r", "?"]


def test_codes_and_gaps_of_a_source_are_found_if_they_are_numbers(card: Card) -> None:
    found = rows(
        frame([-9.0, 1.0, 2.0], [1.0, 2.0, -9.0], LABEL),
        card,
        missing=("-9",),
        codes={"size": {"2.0": "20"}, "colour": {"1.0": "red"}},
    )
    assert found["size"] == [None, 1, 20]
    assert found["colour"] == ["red", "2", ""]


def test_numbers_of_a_source_become_numbers_or_codes(card: Card) -> None:
    nan = float("nan")
    found = rows(frame([-0.0, nan, 2.0], [1.0, 2.5, nan], [0.0, 1.0, 1.0]), card)
    assert found == {"size": [0, None, 2], "colour": ["1", "2.5", ""], "target": ["0", "1", "1"]}
    assert not np.signbit(found["size"][0])


def test_decimal_commas_are_read_if_a_layout_says_so(card: Card) -> None:
    assert rows(frame(["1,5", "2", ""], COLOUR, LABEL), card, decimal=",")["size"] == [1.5, 2, None]


@pytest.mark.parametrize(
    ("layout", "taken"),
    [
        ({"rows": (2, 3)}, [1, 2]),
        ({"rows": (1, 1)}, [0]),
        ({"complete": True}, [0]),
        ({"only": {"colour": ("r", "")}}, [0, 2]),
        ({"only": {"target": ("0", "1"), "colour": ("b",)}}, [1]),
    ],
)
def test_a_layout_takes_some_rows(card: Card, layout: dict[str, Any], taken: list[int]) -> None:
    found = rows(frame(SIZE, COLOUR, LABEL), card, **layout)
    assert found == {key: [values[i] for i in taken] for key, values in PLAIN.items()}


EXPECTED = "but the card of toy expects 3 (size, colour, target)"


@pytest.mark.parametrize(
    ("held", "message"),
    [
        (frame(SIZE, LABEL), f": 2 columns, {EXPECTED}"),
        (frame(SIZE, LABEL, names=("a", "b")), f": 2 columns (a, b), {EXPECTED}"),
        (frame(["1", "big", "2"], COLOUR, LABEL, place="line"), ", line 5: size is 'big', which"),
        (frame(["1", "2", "inf"], COLOUR, LABEL), ", row 6: size is 'inf', which is not a finite"),
        (frame([1.0, -np.inf, 2.0], COLOUR, LABEL), ", row 5: size is '-inf', which is"),
        (frame(SIZE, COLOUR, ["1", "0", "?"]), ", row 6: the row has no label"),
    ],
)
def test_a_source_that_does_not_fit_its_card_is_refused_with_the_place(
    card: Card, held: pd.DataFrame, message: str
) -> None:
    with pytest.raises(DataError) as error:
        to_table(held, Layout(), card, "here")
    assert str(error.value).startswith(f"here{message}")


def test_a_row_that_is_left_out_needs_no_label(card: Card) -> None:
    held = frame(SIZE, ["r", "b", "b"], ["", "0", "1"])
    assert rows(held, card, only={"colour": ("b",)})["target"] == ["0", "1"]


def test_a_long_list_of_columns_is_cut_short(card: Card) -> None:
    held = frame(*[SIZE] * 10, names=tuple(f"c{j}" for j in range(10)))
    with pytest.raises(DataError) as error:
        to_table(held, Layout(columns=("size", "colour", "", "target")), card, "here")
    assert str(error.value) == (
        "here: 10 columns (c0, c1, c2, c3, c4, c5, c6, c7, ...), but the card of toy expects 4"
        " (size, colour, left out, target)"
    )
