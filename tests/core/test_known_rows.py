from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.model_selection import PredefinedSplit

from quadrepro.core.protocol import SplitRule
from quadrepro.core.splits import KnownRows
from quadrepro.errors import ConfigError


def known(values: list[Any], **fields: Any) -> KnownRows:
    rule = SplitRule.model_validate(dict.fromkeys(fields or ["column"], "c") | fields)
    return KnownRows.of(None, {"c": np.array(values)}, rule, "toy")


def test_groups_and_classes_become_codes() -> None:
    rule = SplitRule(groups="site")
    found = KnownRows.of(np.array([1.0, -1.0, 1.0]), {"site": np.array([7.5, 7.5, 2.0])}, rule, "t")
    assert found.classes is not None
    assert found.groups is not None
    assert (found.classes.tolist(), found.groups.tolist()) == ([1, 0, 1], [1, 1, 0])
    assert found.tested is None
    taken = found.take(np.array([2, 0]))
    assert taken.groups is not None
    assert taken.groups.tolist() == [0, 1]


@pytest.mark.parametrize(
    "texts",
    [
        ["2019-12-31", "2020-01-01", "2020-01-01T00:00:01", "2020-01-02"],
        ["2020-01", "2020-02-15", "2020-03"],
        ["2020-01-01T12:00+02:00", "2020-01-01T11:00", "2020-01-01T11:00:00.000001Z"],
        ["9", "10", "1e3"],
        ["0001-01-01", "9999-12-30T23:59:59.999998", "9999-12-30T23:59:59.999999"],
    ],
)
def test_times_sort_as_dates_or_numbers_and_not_as_text(texts: list[str]) -> None:
    times = known(texts, time="c").times
    assert times is not None
    assert (np.diff(times) > 0).all()


@given(st.lists(st.integers(-3, 6), min_size=3, max_size=30))
def test_numbered_parts_are_those_of_scikit_learns_predefined_split(numbers: list[int]) -> None:
    tested = [max(n, -1) for n in numbers]
    if max(tested) < 0 or len({*tested}) == 1:
        return
    found = known([str(n) for n in numbers]).tested
    assert found is not None
    np.testing.assert_array_equal(found, known([float(n) for n in numbers]).tested)
    expected = [test.tolist() for _, test in PredefinedSplit(tested).split()]
    assert [np.flatnonzero(found == r).tolist() for r in range(found.max() + 1)] == expected


def test_words_are_parts() -> None:
    part = known(["test", "train", "valid"]).part
    assert part is not None
    assert part.tolist() == [2, 0, 1]


@pytest.mark.parametrize(
    ("fields", "values", "message"),
    [
        ({"groups": "c"}, ["a", "", ""], "2 rows are without c, by which toy is divided"),
        ({"time": "c"}, [1.0, np.nan], "1 row is without c, by which toy is divided"),
        (
            {"time": "c"},
            ["2020-01-01", "monday"],
            "c of toy has 'monday', which is neither a number nor a date as 2024-12-31",
        ),
        (
            {"time": "c"},
            ["3", "1_0"],
            "c of toy has '1_0', which is neither a number nor a date as 2024-12-31",
        ),
        ({"column": "c"}, ["train", "train"], "c of toy names no row test"),
        ({"column": "c"}, ["valid", "test"], "c of toy names no row train"),
        (
            {"column": "c"},
            ["train", "tset"],
            "c of toy has 'tset'; did you mean 'test'?; it must have train, valid or test for each"
            " row, or number the test parts",
        ),
        (
            {"column": "c"},
            ["1", "1_0"],
            "c of toy has '1_0'; known are test, train, valid; it must have train, valid or test"
            " for each row, or number the test parts",
        ),
        (
            {"column": "c"},
            [1.0, 1.5],
            "c of toy has 1.5, but test parts are numbered by whole numbers",
        ),
        (
            {"column": "c"},
            [3.0, 3.0],
            "c of toy is 3 in every row, so nothing is left to train on",
        ),
        ({"column": "c"}, [-1.0, -2.0], "c of toy is negative in every row, so no row is tested"),
    ],
)
def test_columns_that_cannot_be_used_are_refused(
    fields: dict[str, str], values: list[Any], message: str
) -> None:
    with pytest.raises(ConfigError) as caught:
        known(values, **fields)
    assert str(caught.value) == message
