"""What a card says is compared with what arrived, and every difference is named on both sides."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from quadrepro.data.canonical import RawTable, content_hash, numeric_column
from quadrepro.data.card import Attribute, Card, load_card
from quadrepro.data.checks import checks, divide, refuse_other_content
from quadrepro.data.sources.generated import LOADERS
from quadrepro.data.store import read_csv
from quadrepro.errors import DataError


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
    with pytest.raises(DataError, match=r"from 0 to 0\.5, and 9 more$"):
        refuse_other_content(card.model_copy(update={"attributes": low}), LOADERS["wine"](), "HERE")


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
