"""Numbers or codes: what a column of a user's file holds, and what is refused."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quadrepro.data.canonical import Column
from quadrepro.data.inspection import (
    GAPS,
    MOST_LABELS,
    OwnColumn,
    attribute_values,
    own_columns,
    target_values,
    used_gaps,
)
from quadrepro.data.sources.formats import Frame
from quadrepro.errors import ConfigError, DataError


def frame(*columns: list[str] | list[float], names: tuple[str, ...] = ()) -> Frame:
    held: list[Column] = [np.array(column) for column in columns]
    called = names or tuple(f"c{j}" for j in range(len(held)))
    lines = range(2, 2 + len(held[0]))
    return Frame(tuple(held), "my.csv", called, lines)


def column(*fields: str | float) -> OwnColumn:
    return own_columns(frame([*fields]), GAPS)["c0"]  # type: ignore[list-item]


numbers = st.floats(allow_nan=False, allow_infinity=False)


@given(st.lists(st.one_of(numbers.map(repr), st.sampled_from(GAPS)), min_size=1))
def test_a_column_of_numbers_and_gaps_is_numbers(fields: list[str]) -> None:
    values = column(*fields).values("")
    expected = [math.nan if field in GAPS else float(field) + 0.0 for field in fields]
    np.testing.assert_array_equal(values, expected)


@given(
    st.lists(st.sampled_from(["red", " blue ", "4", "5.0", ""]), min_size=1).filter(
        lambda fields: 2 * sum(f in ("red", " blue ") for f in fields) >= sum(map(bool, fields)) > 0
    )
)
def test_a_column_whose_values_are_mostly_words_is_codes(fields: list[str]) -> None:
    plain = {" blue ": "blue", "5.0": "5"}
    assert column(*fields).values("").tolist() == [plain.get(f, f) for f in fields]


def test_numbers_of_a_file_that_has_types_become_codes_as_they_would_be_written() -> None:
    found = column(1.0, 2.5, math.nan)
    np.testing.assert_array_equal(found.values(""), [1.0, 2.5, math.nan])
    assert found.codes.tolist() == ["1", "2.5", ""]


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        (("1", "two", "3"), "3: c0 is 'two', but 2 of its 3 values are numbers; ask two"),
        (
            ("1", "it's", "3", "?"),
            "3: c0 is \"it's\", but 2 of its 3 values are numbers; ask 'it'\"'\"'s'",
        ),
        (("1", "-inf"), "3: c0 is '-inf', which is not a finite number"),
        (("1e999",), "2: c0 is '1e999', which is not a finite number"),
        (("1,000.5", "2"), "2: c0 is '1,000.5', but numbers are written with a point and without"),
    ],
)
def test_a_word_among_numbers_is_refused_with_its_line(
    fields: tuple[str, ...], message: str
) -> None:
    with pytest.raises(DataError) as error:
        column(*fields).values("ask WORD")
    assert str(error.value).startswith(f"my.csv, line {message}")


def test_a_comma_among_words_is_part_of_a_code() -> None:
    assert column("a", "b", "1,000.5").values("").tolist() == ["a", "b", "1,000.5"]


def test_the_gaps_are_the_words_that_occur_in_the_order_in_which_they_are_known() -> None:
    held = frame(["NA", "x", "-"], ["", "?", "none"])
    assert used_gaps(held, ["none", "-"]) == ("?", "", "NA", "none", "-")
    assert used_gaps(frame([1.0, math.nan]), []) == ()
    with pytest.raises(ConfigError, match=r"^my\.csv: no field is 'nil', given for missing values"):
        used_gaps(held, ["none", "nil"])


def test_columns_are_found_by_name_with_their_gaps_emptied() -> None:
    held = frame(["NA", "x"], ["1", "-"], [1.0, math.nan], names=("a", "", "b"))
    found = own_columns(held, ["-", "NA"])
    assert [*found] == ["a", "b"]
    assert found["a"].held.tolist() == ["", "x"]
    assert found["b"].held is held.columns[2]


def test_an_attribute_is_codes_if_the_user_says_so_else_the_message_tells_how() -> None:
    mixed = column("1", "2", "many")
    assert attribute_values(mixed, as_codes=True).tolist() == ["1", "2", "many"]
    with pytest.raises(DataError, match=r"add --missing many if .* or --nominal c0 if the column"):
        attribute_values(mixed, as_codes=False)


@pytest.mark.parametrize(
    ("fields", "task", "labels"),
    [
        (["0", "1", "1"], "", True),
        ([str(i) for i in range(MOST_LABELS)], "", True),
        ([str(i) for i in range(MOST_LABELS + 1)], "", False),
        (["0.5", "1", "1"], "", False),
        (["0", "1", "1"], "regression", False),
        (["0.5", "1", "1"], "classification", True),
        (["yes", "no"], "", True),
        (["1e3", "2"], "", True),
    ],
)
def test_a_target_is_labels_if_it_has_few_distinct_whole_numbers_or_words(
    fields: list[str], task: str, labels: bool
) -> None:
    values = target_values(column(*fields), task)
    assert (values.dtype.kind == "U") is labels
    assert values.tolist() == (fields if labels else [float(f) for f in fields])


@pytest.mark.parametrize(
    ("fields", "task", "message"),
    [
        (["1", "?"], "", "my.csv, line 3: the target c0 has no value"),
        (["1", "x"], "regression", "my.csv, line 3: c0 is 'x', which is not a finite number"),
        (["x", "x"], "", "my.csv: c0 is 'x' in every row, so there is nothing to learn"),
        (["2", "2.0"], "regression", "my.csv: c0 is '2.0' in every row, so there is nothing to"),
        (["1", "2", "x"], "", "my.csv, line 4: c0 is 'x', but 2 of its 3 values are numbers; add"),
    ],
)
def test_a_target_that_cannot_be_learned_is_refused(
    fields: list[str], task: str, message: str
) -> None:
    with pytest.raises(DataError) as error:
        target_values(column(*fields), task)
    assert str(error.value).startswith(message)


def test_with_decimal_commas_a_point_makes_no_number() -> None:
    (found,) = own_columns(frame(["1,5", "-2", ""]), GAPS, ",").values()
    np.testing.assert_array_equal(found.numbers, [1.5, -2, math.nan])
    (found,) = own_columns(frame(["1.500", "2,5"]), GAPS, ",").values()
    with pytest.raises(DataError, match=r"c0 is '1.500', but numbers are written with a comma"):
        found.values("")
