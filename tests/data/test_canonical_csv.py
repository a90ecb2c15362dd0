"""However a canonical CSV is written it is read alike; what is wrong is refused with its line."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from quadrepro.data.card import Card
from quadrepro.data.store import read_csv
from quadrepro.errors import DataError
from tests.data.tables import assert_same


def test_a_csv_is_read_with_its_missing_values(toy: Card, toy_csv: Path) -> None:
    table = read_csv(toy_csv, toy)
    np.testing.assert_array_equal(table.columns["size"], [1, -2.5, np.nan, 30])
    assert table.columns["colour"].tolist() == ["red", "", "blue", "red"]
    assert table.target.tolist() == ["no", "no", "01", "01"]
    assert table.label_counts == {"01": 2, "no": 2}
    assert table.missing.tolist() == [[False, False], [False, True], [True, False], [False, False]]


@pytest.mark.parametrize(
    "rewrite",
    [
        lambda text: text.replace("\n", "\r\n"),
        lambda text: "\ufeff" + text,
        lambda text: text.replace("red", '" red"').replace("\n1,", "\n 1.0,"),
        lambda text: text + "\n",
    ],
    ids=["CRLF", "byte order mark", "quotes and blanks", "blank line at the end"],
)
def test_how_a_csv_is_written_does_not_matter(
    toy: Card, toy_csv: Path, rewrite: Callable[[str], str]
) -> None:
    plain = read_csv(toy_csv, toy)
    toy_csv.write_bytes(rewrite(toy_csv.read_text()).encode())
    assert_same(read_csv(toy_csv, toy), plain)


def test_a_compressed_csv_is_read_as_the_plain_one(toy: Card, toy_csv: Path) -> None:
    compressed = toy_csv.with_suffix(".csv.gz")
    compressed.write_bytes(gzip.compress(toy_csv.read_bytes()))
    assert_same(read_csv(compressed, toy), read_csv(toy_csv, toy))


def refusal(path: Path, content: bytes, card: Card) -> str:
    path.write_bytes(content)
    with pytest.raises(DataError) as refused:
        read_csv(path, card)
    return str(refused.value).removeprefix(str(path))


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (b"", ": the file is empty"),
        (b"size,colour,target\n", ": the file has a header but no rows"),
        (b"size,color,target\n1,red,no\n", ", line 1: column 2 must be 'colour', not 'color'"),
        (b"size,colour\n1,red\n", ", line 1: 2 columns, but the card has 3 (the last one is 't"),
        (b"size,colour,target,more\n", ", line 1: 4 columns, but the card has 3 (the last one is"),
    ],
)
def test_another_header_is_refused(toy: Card, toy_csv: Path, content: bytes, fault: str) -> None:
    assert refusal(toy_csv, content, toy).startswith(fault)


@pytest.mark.parametrize(
    ("rows", "fault"),
    [
        (b"1,red,no\n1,red\n", ", line 3: 2 fields, but the header has 3"),
        (b'1,"a\nb",no\n1,red\n', ", line 4: 2 fields, but the header has 3"),
        (b",red,no\n1o,red,no\n", ", line 3, column size: '1o' is not a number"),
        (b"nan,red,no\n", ", line 2, column size: 'nan' is not a number"),
        (b"1e999,red,no\n", ", line 2, column size: '1e999' is not a number"),
        (b"1,red,no\n1,red, \n", ", line 3: column target has no label"),
        (b"1,red,no\n1,r\xe9d,no\n", ", line 3: not UTF-8 text"),
        (b'1,"red,no\n', ", line 2: unexpected end of data"),
    ],
)
def test_an_unreadable_row_is_refused_with_its_line(
    toy: Card, toy_csv: Path, rows: bytes, fault: str
) -> None:
    assert refusal(toy_csv, b"size,colour,target\n" + rows, toy) == fault


def test_a_cut_bent_or_wrongly_named_archive_is_refused_with_its_file(
    toy: Card, toy_csv: Path
) -> None:
    whole = gzip.compress(toy_csv.read_bytes())
    bent = whole[:10] + b"\xff" * 8 + whole[18:]
    for content in (toy_csv.read_bytes(), whole[:-9], bent):
        said = refusal(toy_csv.with_suffix(".csv.gz"), content, toy)
        assert said.startswith(": cannot be read: ")
