"""Equal content has equal rows and an equal hash, in whatever order it comes."""

from __future__ import annotations

import dataclasses
from random import Random

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from quadrepro.data.canonical import RawTable, content_hash, nominal_column, number, sort_rows
from quadrepro.data.card import Attribute
from tests.data.tables import ATTRIBUTES, Row, assert_same, make_table

NAN = float("nan")
ROWS = st.lists(
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


@given(ROWS, st.randoms(use_true_random=False))
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
    for text in ("1.5", "+3", "-.5", "3.", " 3 ", "1e3", "1E-3"):
        assert number(text) == float(text)
    for text in ("1,5", "3_2", "٣", "3٣", "１", "inf", "nan", "0x10", "1 2"):
        assert number(text) is None, text
    assert (number("1,5", ","), number("1.5", ","), number("-2", ",")) == (1.5, None, -2)
