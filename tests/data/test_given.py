from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from quadrepro.data.cache import TEST, TRAIN, UNUSED, VALID
from quadrepro.data.canonical import RawTable, nominal_column, numeric_column
from quadrepro.data.given import read_splits
from quadrepro.data.schema import Attribute
from quadrepro.errors import DataError

IDS = [30.0, 10.0, 20.0]
TABLE = RawTable(
    (Attribute(name="no", kind="numeric"), Attribute(name="colour", kind="nominal")),
    {"no": numeric_column(IDS), "colour": nominal_column(["1.0", "1.0", "0.0"])},
    nominal_column(["a", "b", "a"]),
)


def read(tmp_path: Path, text: str) -> object:
    path = tmp_path / "splits.csv"
    path.write_text(text)
    return read_splits(path, TABLE, "toy").tolist()


def test_lines_name_rows_by_their_attributes_in_any_order(tmp_path: Path) -> None:
    text = "first;no;second\ntrain;10.0;test\nvalid;30;\ntest;20;train\n"
    assert read(tmp_path, text) == [[VALID, UNUSED], [TRAIN, TEST], [TEST, TRAIN]]


def test_a_row_that_no_line_names_is_in_no_part(tmp_path: Path) -> None:
    assert read(tmp_path, "no,1\n20,train\n10,test\n") == [[UNUSED], [TEST], [TRAIN]]


def test_codes_are_written_as_in_the_data(tmp_path: Path) -> None:
    text = "no,colour,1\n30,1.0,train\n20,0.0,test\n"
    assert read(tmp_path, text) == [[TRAIN], [UNUSED], [TEST]]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b\n1,train\n", "line 1: the header must name attributes of toy"),
        ("no\n1\n", "line 1: the header must name attributes of toy"),
        ("", "not nothing"),
        ("no,1\n10,train\n10,test\n", "line 3: the second line with no 10"),
        ("no,1\n40,train\n", "line 2: toy has no row with no 40"),
        ("no,1\nx,train\n", "line 2: toy has no row with no x"),
        ("no,1\n10,tran\n", "line 2, 1: unknown part 'tran'; did you mean 'train'?"),
        ("no,1\n10\n", "line 2: 1 fields, but the header has 2"),
        ("colour,1\n1,train\n", "line 1: 2 rows of toy have colour 1"),
    ],
)
def test_what_names_no_row_or_part_is_refused_with_its_line(
    tmp_path: Path, text: str, message: str
) -> None:
    with pytest.raises(DataError, match=r"splits\.csv") as caught:
        read(tmp_path, text)
    assert message in str(caught.value)


def test_a_pipe_is_not_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(DataError, match="not a regular file"):
        read_splits(tmp_path / "pipe", TABLE, "toy")


def test_parts_are_numbers_apart() -> None:
    assert len(np.unique([UNUSED, TRAIN, TEST, VALID])) == 4
