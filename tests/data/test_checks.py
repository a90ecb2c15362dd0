"""Tables are compared with their cards, and those that ship with their rules and scikit-learn."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable, Iterable
from random import Random
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer, load_diabetes, load_wine

from quadrepro.data.canonical import (
    RawTable,
    content_hash,
    nominal_column,
    numeric_column,
    parse_numbers,
    sort_rows,
)
from quadrepro.data.card import Attribute, Card, card_names, load_card
from quadrepro.data.checks import to_table, verified
from quadrepro.data.rules import RULES, generate
from quadrepro.data.source import GeneratedSource, Layout
from quadrepro.errors import DataError
from tests.data.tables import (
    ATTRIBUTES,
    ROWS,
    TABLE,
    Row,
    assert_same,
    load_dataset,
    make_card,
    make_table,
)

NAN = float("nan")
MANY = st.lists(
    st.tuples(
        st.floats(allow_infinity=False),
        st.sampled_from(["", "red", "blue", "é", "01", "1"]),
        st.sampled_from(["no", "yes"]),
    ),
    min_size=1,
    max_size=20,
)


def as_texts(table: RawTable) -> list[tuple[str, ...]]:
    columns = (table.columns["size"], table.columns["colour"], table.target)
    return sorted(tuple(map(str, row)) for row in zip(*columns, strict=True))


@given(MANY, st.randoms(use_true_random=False))
def test_rows_in_any_order_give_the_same_table_and_hash(rows: list[Row], random: Random) -> None:
    table, shuffled = make_table(rows), make_table(random.sample(rows, len(rows)))
    assert_same(sort_rows(table), sort_rows(shuffled))
    assert content_hash(table) == content_hash(shuffled)
    assert as_texts(sort_rows(table)) == as_texts(table)
    assert_same(sort_rows(table), sort_rows(sort_rows(table)))


def test_rows_are_sorted_by_the_first_attribute_first_and_the_label_last() -> None:
    rows = [(NAN, "a", "y"), (2.0, "b", "y"), (2.0, "", "z"), (2.0, "b", "x"), (-1.0, "c", "x")]
    table = sort_rows(make_table(rows))
    assert table.columns["size"].tolist()[:4] == [-1.0, 2.0, 2.0, 2.0]
    assert table.columns["colour"].tolist() == ["c", "", "b", "b", "a"]
    assert table.target.tolist() == ["x", "z", "x", "y", "y"]


def test_the_hash_tells_values_labels_names_and_kinds_apart() -> None:
    table = make_table([(1.0, "red", "no"), (2.0, "", "yes")])
    others = [
        make_table([(1.0, "red", "no"), (2.0, "red", "yes")]),
        make_table([(1.0, "red", "no"), (NAN, "", "yes")]),
        make_table([(1.0, "red", "yes"), (2.0, "", "no")]),
        make_table([(1.0, "red", "no")]),
        dataclasses.replace(
            table,
            attributes=(Attribute(name="weight", kind="numeric"), ATTRIBUTES[1]),
            columns={"weight": table.columns["size"], "colour": table.columns["colour"]},
        ),
    ]
    assert len({content_hash(t) for t in [table, *others]}) == 6


def test_the_hash_stays_what_cards_were_written_with() -> None:
    assert content_hash(make_table([(1.0, "red", "no"), (NAN, "", "yes")])) == (
        "sha256:e4aba094a34e5561e687e98e8b026dc7a6008aa26068e577de8cbb2dc07b8f86"
    )


def test_every_nan_and_every_zero_hash_alike() -> None:
    odd_nan = np.array([0x7FF8000000000001], dtype=np.uint64).view(np.float64)[0]
    nan, other, zero, minus = (
        content_hash(make_table([(x, "", "a")])) for x in (np.nan, odd_nan, 0.0, -0.0)
    )
    assert (nan, zero) == (other, minus)


def test_codes_lose_blanks_and_empty_decimals_and_nothing_else() -> None:
    written = [" red ", "1.0", "-3.00", "1.5", "01", "1.", "v1.0", "1.0.0", "1.0\n2", ""]
    plain = ["red", "1", "-3", "1.5", "01", "1.", "v1.0", "1.0.0", "1.0\n2", ""]
    assert nominal_column(written).tolist() == plain


def test_a_number_has_digits_a_sign_a_point_and_an_exponent() -> None:
    numbers = ["1.5", "+3", "-.5", "3.", " 3 ", "1e3", "1E-3"]
    assert parse_numbers(numbers).tolist() == [*map(float, numbers)]
    words = ["1,5", "3_2", "٣", "3٣", "１", "inf", "nan", "0x10", "1 2", "1e999"]
    assert parse_numbers(words).tolist() == [np.inf] * len(words)
    assert parse_numbers(["1,5", "1.5", "-2"], ",").tolist() == [1.5, np.inf, -2]


GAPS = "rows with missing cells: {} instead of 2"
LABELS = "labels: 01 ({}), no ({}) instead of 01 (2), no (2)"


def differences(card: Card, table: RawTable) -> str:
    with pytest.raises(DataError) as refusal:
        verified(card, table, "HERE")
    start = "toy: HERE differs from the card: "
    assert str(refusal.value).startswith(start)
    return str(refusal.value).removeprefix(start)


@pytest.mark.parametrize(
    ("rows", "different"),
    [
        (ROWS[1:], "rows: 3 instead of 4; " + LABELS.format(2, 1)),
        ([(1.0, "", "no"), *ROWS[1:]], f"missing cells: 3 instead of 2; {GAPS.format(3)}"),
        ([*ROWS[:1], (np.nan, "", "no"), (0, "blue", "01"), ROWS[3]], GAPS.format(1)),
        ([(1.0, "red", "01"), *ROWS[1:]], LABELS.format(3, 1)),
    ],
)
def test_counts_that_differ_are_named_with_both_sides(rows: list[Any], different: str) -> None:
    assert differences(make_card(), make_table(rows)) == different


def test_content_is_compared_if_nothing_else_differs() -> None:
    assert verified(make_card(), TABLE, "HERE") is TABLE
    other = make_table([*ROWS[:3], (300.0, "red", "01")])
    found, stated = content_hash(other), content_hash(TABLE)
    assert differences(make_card(), other) == f"content: {found} instead of {stated}"


def test_attributes_are_compared_by_their_ranges_and_a_target_of_numbers_by_its_own() -> None:
    size = Attribute(name="size", kind="numeric", range=(0, 1))
    card = make_card(attributes=(size, TABLE.attributes[1]))
    assert differences(card, TABLE) == "size: from -2.5 to 30 instead of from 0 to 1"
    nothing = make_table([(np.nan, "red", "no")] * 4)
    assert differences(card, nothing).endswith("; size: no value instead of from 0 to 1")
    numbers = RawTable(TABLE.attributes, TABLE.columns, numeric_column([1, 2, 3, 4]))
    target = {"original": "y", "range": (1.0, 5.0)}
    card = make_card(task="regression", target=target, views={})
    assert differences(card, numbers) == "target: from 1 to 4 instead of from 1 to 5"


def test_only_the_first_few_differences_are_named() -> None:
    card = load_card("wine")
    low = tuple(a.model_copy(update={"range": (0.0, 0.5)}) for a in card.attributes)
    with pytest.raises(DataError, match=r"from 0 to 0\.5; and 9 more$"):
        verified(card.model_copy(update={"attributes": low}), load_dataset("wine").table, "HERE")
    fewer = RawTable(TABLE.attributes[:1], {"size": TABLE.columns["size"]}, TABLE.target)
    assert differences(make_card(), fewer).startswith("attributes: 1 instead of 2; missing cells")


def test_parts_are_rows_in_the_order_of_the_source_and_belong_to_the_content() -> None:
    parts = np.array(["train", "train", "train", "test"])
    divided = RawTable(TABLE.attributes, TABLE.columns, TABLE.target, parts)
    card = make_card(parts={"train": (1, 3), "test": (4, 4)}, content_hash=content_hash(divided))
    part = verified(card, TABLE, "HERE").part
    assert part is not None
    assert part.tolist() == parts.tolist()
    for other in (TABLE.take(np.array([3, 2, 1, 0])), divided.take(np.array([3, 2, 1, 0]))):
        assert differences(card, other).startswith("content: sha256:")
    longer = TABLE.take(np.array([0, 1, 2, 3, 3]))
    assert differences(card, longer).startswith("rows: 5 instead of 4")


Values = list[str] | list[float]

SIZE = ["1.5", "?", "-0"]
COLOUR = ["r", " b ", ""]
LABEL = ["+1", "0", "1.0"]
READ = (["r", "b", ""], ["+1", "0", "1"])
PLAIN: dict[str, list[Any]] = {"size": [1.5, None, 0.0], "colour": READ[0], "target": READ[1]}


def frame(*columns: Values, names: tuple[str, ...] = (), place: str = "row") -> pd.DataFrame:
    made = pd.DataFrame(dict(enumerate(columns)), index=pd.RangeIndex(4, 7, name=place))
    return made.set_axis([*names], axis=1) if names else made


def rows(frame: pd.DataFrame, **layout: Any) -> dict[str, list[Any]]:
    """Return the columns of the table, None for a missing number."""
    table = to_table(frame, Layout(**layout), make_card(), "here")
    numbers = [None if np.isnan(value) else value for value in table.columns["size"]]
    colours = table.columns["colour"].tolist()
    return {"size": numbers, "colour": colours, "target": table.target.tolist()}


def test_columns_are_attributes_and_target_unless_a_layout_places_them() -> None:
    assert rows(frame(SIZE, COLOUR, LABEL)) == PLAIN
    shuffled = frame(LABEL, ["x", "y", "z"], SIZE, COLOUR)
    assert rows(shuffled, columns=("target", "", "size", "colour")) == PLAIN


@pytest.mark.parametrize(
    ("columns", "layout", "expected"),
    [
        (
            (["small", "2", "3"], COLOUR, LABEL),
            {"codes": {"size": {"small": "1"}, "colour": {"r": "red"}, "target": {"+1": "1"}}},
            ([1, 2, 3], ["red", "b", ""], ["1", "0", "1"]),
        ),
        (
            (["-9", "1", ""], ["-9", "r", "?"], LABEL),
            {"missing": ("-9",)},
            ([None, 1, None], ["", "r", "?"], READ[1]),
        ),
        (
            ([-9.0, 1.0, 2.0], [1.0, 2.0, -9.0], LABEL),
            {"missing": ("-9",), "codes": {"size": {"2.0": "20"}, "colour": {"1.0": "red"}}},
            ([None, 1, 20], ["red", "2", ""], READ[1]),
        ),
        (
            ([-0.0, np.nan, 2.0], [1.0, 2.5, np.nan], [0.0, 1.0, 1.0]),
            {},
            ([0, None, 2], ["1", "2.5", ""], ["0", "1", "1"]),
        ),
        (([0.0, 1.0, 2.0], COLOUR, LABEL), {"codes": {"size": {"0": "7"}}}, ([7, 1, 2], *READ)),
        ((["1,5", "2", ""], COLOUR, LABEL), {"decimal": ","}, ([1.5, 2, None], *READ)),
    ],
)
def test_values_of_a_source_become_those_of_the_card(
    columns: tuple[Values, ...], layout: dict[str, Any], expected: tuple[list[Any], ...]
) -> None:
    found = rows(frame(*columns), **layout)
    assert tuple(found.values()) == expected
    assert not any(value == 0 and np.signbit(value) for value in found["size"])


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
def test_a_layout_takes_some_rows(layout: dict[str, Any], taken: list[int]) -> None:
    found = rows(frame(SIZE, COLOUR, LABEL), **layout)
    assert found == {key: [values[i] for i in taken] for key, values in PLAIN.items()}


EXPECTED = "but the card of toy expects 3 (size, colour, target)"


@pytest.mark.parametrize(
    ("held", "message"),
    [
        (frame(SIZE, LABEL, names=("a", "b")), f": 2 columns (a, b), {EXPECTED}"),
        (
            frame(*[SIZE] * 9, names=tuple("abcdefghi")),
            ": 9 columns (a, b, c, d, e, f, g, h and 1 more)",
        ),
        (frame(["1", "big", "2"], COLOUR, LABEL, place="line"), ", line 5: size is 'big', which"),
        (frame(["1", "2", "inf"], COLOUR, LABEL), ", row 6: size is 'inf', which is not a finite"),
        (frame([1.0, -np.inf, 2.0], COLOUR, LABEL), ", row 5: size is '-inf', which is"),
        (frame(SIZE, COLOUR, ["1", "0", "?"]), ", row 6: the row has no label"),
    ],
)
def test_a_source_that_does_not_fit_its_card_is_refused_with_the_place(
    held: pd.DataFrame, message: str
) -> None:
    with pytest.raises(DataError) as error:
        to_table(held, Layout(), make_card(), "here")
    assert str(error.value).startswith(f"here{message}")


def test_a_row_that_is_left_out_needs_no_label() -> None:
    held = frame(SIZE, ["r", "b", "b"], ["", "0", "1"])
    assert rows(held, only={"colour": ("b",)})["target"] == ["0", "1"]
    assert rows(held, drop_unlabelled=True)["target"] == ["0", "1"]


Rows = list[tuple[object, ...]]


def rows_of(name: str) -> Rows:
    """Return the rows that ship, sorted."""
    dataset = load_dataset(name)
    assert dataset.origin == "ships with quadrepro"
    table = dataset.table
    columns = [table.columns[a.name].tolist() for a in table.attributes]
    return sorted(zip(*columns, table.target.tolist(), strict=True))


def test_balance_tips_by_torque() -> None:
    states = itertools.product((1.0, 2.0, 3.0, 4.0, 5.0), repeat=4)
    sides = "BRL"
    expected = [(a, b, c, d, sides[int(np.sign(c * d - a * b))]) for a, b, c, d in states]
    assert rows_of("balance") == sorted(expected)


@pytest.mark.parametrize(
    ("name", "rule"),
    [
        ("monks", lambda a: a[0] == a[1] or a[4] == "1"),
        ("monks_2", lambda a: a.count("1") == 2),
        ("monks_3", lambda a: (a[4], a[3]) == ("3", "1") or (a[4] in "123" and a[1] in "12")),
    ],
)
def test_monks_labels_follow_the_rules_of_their_report(
    name: str, rule: Callable[[tuple[str, ...]], bool]
) -> None:
    robots = itertools.product("123", "123", "12", "123", "1234", "12")
    assert rows_of(name) == sorted((*a, "1" if rule(a) else "0") for a in robots)


def test_bundled_sets_are_those_of_scikit_learn() -> None:
    def rows(data: np.ndarray, labels: Iterable[object]) -> Rows:
        return sorted((*row, label) for row, label in zip(data.tolist(), labels, strict=True))

    wine, tumours, patients = load_wine(), load_breast_cancer(), load_diabetes(scaled=False)
    assert rows_of("wine") == rows(wine.data, (str(y + 1) for y in wine.target))
    assert rows_of("wdbc") == rows(tumours.data, ("MB"[y] for y in tumours.target))
    assert rows_of("diabetes") == rows(patients.data.round(4), patients.target)


def test_every_rule_gives_what_its_cards_say_and_no_two_cards_share_a_seed() -> None:
    drawn = {
        name: source
        for name in card_names()
        for source in load_card(name).sources
        if isinstance(source, GeneratedSource)
    }
    for name in drawn:
        dataset = load_dataset(name)
        assert (dataset.origin, dataset.table.n_rows) == ("generated by rule", dataset.card.rows)
    assert {source.generator for source in drawn.values()} == {*RULES}
    assert len({source.seed for source in drawn.values()}) == len(drawn)


@pytest.mark.parametrize(
    ("generator", "parameters", "fault"),
    [
        ("orang", {}, "orang: unknown generator 'orang'; did you mean 'orange'?"),
        ("m2", {"low": -1, "sigma": 1}, "m2: draw_m2() got an unexpected keyword argument 'low'"),
        ("orange", {"noise_inputs": 1}, "orange: half of the rows are in each class, but 625 is"),
    ],
)
def test_what_no_rule_can_follow_is_refused(
    generator: str, parameters: dict[str, float], fault: str
) -> None:
    source = GeneratedSource(kind="generated", generator=generator, seed=0, parameters=parameters)
    with pytest.raises(DataError) as error:
        generate(source, load_card("balance"))
    assert str(error.value).startswith(f"the card of balance: {fault}")
