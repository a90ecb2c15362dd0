"""Files of every format: the columns they give, their lines, and messages for broken files."""

from __future__ import annotations

import gzip
import json
import sys
import time
from datetime import datetime
from decimal import Decimal
from functools import partial
from pathlib import Path
from threading import Thread
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import scipy.io

from quadrepro.data import separated
from quadrepro.data.formats import read_idx, read_own_file, unpack
from quadrepro.data.separated import detect, encoding_of
from quadrepro.data.source import FileLayout
from quadrepro.errors import ConfigError, DataError
from tests.data.tables import Save, images, labels, zipped
from tests.make import refusal
from tests.reader.forms import workbook


def read(path: Path, kind: str = "csv", member: str = "", **layout: Any) -> pd.DataFrame:
    return read_own_file(path, FileLayout.model_validate({"format": kind, **layout}), member)


def test_a_text_is_read_when_no_thread_of_arrow_has_it_any_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    content, read_csv = b"1,2\n" * 3, separated.arrow_csv

    def read_and_keep(*args: Any) -> Any:
        Thread(target=lambda text: time.sleep(0.05), args=(content,)).start()
        return read_csv(*args)

    monkeypatch.setattr(separated, "arrow_csv", read_and_keep)
    n_references = sys.getrefcount(content)
    separated.read_own_text(content, tmp_path / "t.csv", FileLayout(separator=","))
    assert sys.getrefcount(content) == n_references


def layout_of(path: Path, column: str = "") -> FileLayout:
    content = unpack(path)[1]
    return detect(content, path, column, encoding_of(content), "", skip=0, header=False)[0]


def cells(frame: pd.DataFrame) -> list[list[object]]:
    """Return the columns, with None for NaN."""
    found = []
    for j in range(frame.shape[1]):
        column = frame.iloc[:, j]
        if not isinstance(column.dtype, pd.CategoricalDtype):
            assert column.dtype.kind == "f" or {type(value) for value in column} == {str}
        found.append([None if value != value else value for value in column])
    return found


@pytest.mark.parametrize(
    "text",
    [
        '\ufeffred ,"1, 2"\n blue,x\n',
        "red;1, 2\nblue;x",
        "red\t1, 2\r\nblue\tx\r\n",
        "red|1, 2\n\n  \n|\nblue | x\n",
        'red "1, 2"\n\n  blue\tx  \n',
    ],
)
def test_text_has_the_same_fields_whatever_separates_them(save: Save, text: str) -> None:
    path = save(text)
    assert cells(read_own_file(path, layout_of(path))) == [["red", "blue"], ["1, 2", "x"]]


def test_rows_of_text_have_their_lines_below_those_to_skip(save: Save) -> None:
    frame = read(save('# one, of, three\nname,x\n\n1,"two\nlines"\n\n2,\n'), skip=2)
    assert cells(frame) == [["1", "2"], ["two\nlines", ""]]
    assert (frame.index.name, [*frame.index]) == ("line", [5, 7])


@pytest.mark.parametrize(
    ("text", "name", "separator"),
    [
        ("a,b,c;label\n1,2,3;x\n", "label", ";"),
        ("a,b;c\tlabel\n1,2\n", "label", "\t"),
        ("first name,label\n1,2\n", "label", ","),
        ("a label\n1 2\n", "label", "blank"),
        ("\n 'x' | label\n", "label", "|"),
        ("1,5;2,5\n3,5;4,5\n", "", ";"),
        (";a,b\n1,2\n", "", ","),
        ("a" * 200_000 + ",label\n", "label", ","),
    ],
)
def test_the_separator_makes_the_name_a_field_or_else_even_rows(
    save: Save, text: str, name: str, separator: str
) -> None:
    assert layout_of(save(text), name).separator == separator


PAIR = zipped({"a": "1,2\n", "b": "3"})


def test_packed_files_are_read(save: Save) -> None:
    apple = zipped({"folder/": "", "data": "1,2\n", "__MACOSX/._data": "x"})
    assert cells(read(save(apple, "a.ZIP"))) == [["1"], ["2"]]
    assert cells(read(save(gzip.compress(b"1,2\n"), "a.csv.gz"))) == [["1"], ["2"]]
    assert cells(read(save(PAIR, "a.zip"), member="a")) == [["1"], ["2"]]


ARFF = """% a comment
@relation\t'two rows'
@ATTRIBUTE\t'of size' INTEGER
@attribute colour {red, 'dark blue'}
@attribute note string

@data
% another

1.5, 'dark blue', ?
?, red, "it's"
"""
ARFF_FAULT = "not readable as arff: "


@pytest.mark.parametrize(
    ("name", "content", "fault"),
    [
        ("a.csv", "1,2\n3\n", ", line 2: 1 field, but the first row has 2"),
        ("a.csv", "1,2\n\n3,4,5\n", ", line 3: 3 fields, but the first row has 2; --skip 2 if"),
        ("a.csv", "1\nµ\n".encode("latin-1"), ", line 2: not UTF-8 text"),
        ("a.csv", '1\n"2\n3\n', ", line 2: unexpected end of data"),
        ("a.csv", " \n,\n", "the file has no rows"),
        ("a.zip", PAIR, "expected exactly one file in it, found a, b"),
        ("a.zip", b"<html>", "File is not a zip file"),
        ("a.csv.gz", gzip.compress(b"1,2")[:-9], "Compressed file ended"),
        ("a.arff", ARFF.replace("?, red", "?, green"), f"{ARFF_FAULT}Data value green not found"),
        ("a.arff", ARFF.replace("?, r", "50%\n?, r"), f"{ARFF_FAULT}Bad @DATA instance format in"),
        ("a.arff", ARFF.replace("1.5", "b"), f"{ARFF_FAULT}Invalid numerical value, at line 10."),
        *((f"a.{k}", "<html>", f"not readable as {k}: ") for k in ("parquet", "excel", "mat")),
        ("a.libsvm", "<html>", "not readable as libsvm: "),
        ("a.idx", images([[[1]]]), "not readable as idx: images and their labels are in two"),
    ],
    ids=[str(i) for i in range(16)],  # bytes of archives differ between processes
)
def test_a_broken_file_is_refused_with_its_line(
    save: Save, name: str, content: bytes | str, fault: str
) -> None:
    ending = name.split(".")[1]
    told = refusal(
        save(content, name), partial(read, kind="csv" if ending == "zip" else ending), DataError
    )
    assert told.lstrip().startswith(fault)


def test_a_file_that_is_not_there_is_refused(save: Save) -> None:
    assert refusal(save("").with_name("no.csv"), read, DataError) == " No such file or directory"
    of_other = partial(read, member="c")
    message = " expected 'c' in it, found a, b; choose with --member NAME"
    assert refusal(save(PAIR, "a.zip"), of_other, DataError) == message


def test_an_arff_file_gives_numbers_text_names_and_lines(save: Save) -> None:
    frame = read(save(ARFF), "arff")
    assert [*frame.columns] == ["of size", "colour", "note"]
    assert cells(frame) == [[1.5, None], ["dark blue", "red"], ["", "it's"]]
    assert frame["colour"].cat.categories.tolist() == ["red", "dark blue"]
    assert (frame.index.name, [*frame.index]) == ("line", [10, 11])


def test_a_parquet_file_gives_numbers_and_text(tmp_path: Path) -> None:
    columns = {
        "whole": pa.array([1, None]),
        "money": pa.array([Decimal("1.50"), None]),
        "text": pa.array([" red ", None]),
        "words": pa.array(["x", None]).dictionary_encode(),
        "truth": pa.array([True, None]),
        "day": pa.array([datetime(2024, 1, 31), None]),
        "empty": pa.nulls(2),
    }
    pq.write_table(pa.table(columns), tmp_path / "a.parquet")
    frame = read(tmp_path / "a.parquet", "parquet")
    assert [*frame.columns] == [*columns]
    texts = [[text, ""] for text in ("1.50", "red", "x", "True", "2024-01-31", "")]
    texts[2][1] = None  # The words are declared.
    assert cells(frame) == [[1.0, None], *texts]
    assert (frame.index.name, [*frame.index]) == ("row", [1, 2])


def test_a_sheet_gives_the_rows_below_the_lines_to_skip(save: Save) -> None:
    path = save(workbook([["age", "kind"], ["28", "x "], ["", ""], ["1.5", ""]]), "a.xlsx")
    frame = read(path, "excel", skip=1)
    assert cells(frame) == [["28", "1.5"], ["x", ""]]
    assert (frame.index.name, [*frame.index]) == ("line", [2, 4])
    with pytest.raises(ConfigError, match="no sheet 'Grades'; known are"):
        read(path, "excel", sheet="Grades")


RECORDS = [{"size": 1.5, "kind": "x "}, {"size": None, "kind": "y"}]


@pytest.mark.parametrize(
    "text",
    [
        json.dumps(RECORDS),
        "\n".join(map(json.dumps, RECORDS)),
        json.dumps({"rows": RECORDS}),
        json.dumps({"size": [1.5, None], "kind": ["x", "y"]}),
        json.dumps({"0": RECORDS[0], "1": RECORDS[1]}),
        json.dumps({"columns": ["size", "kind"], "data": [[1.5, "x"], [None, "y"]]}),
    ],
)
def test_json_gives_the_same_columns_however_they_are_nested(save: Save, text: str) -> None:
    frame = read(save(text), "json")
    assert [*frame.columns] == ["size", "kind"]
    assert cells(frame) == [[1.5, None], ["x", "y"]]


def test_json_can_have_numbers_as_names_of_columns(save: Save) -> None:
    columns = {"0": {"0": 1, "1": 2, "2": 3}, "1": {"0": 4, "1": 5, "2": 6}}
    assert cells(read(save(json.dumps(columns)), "json")) == [[1, 2, 3], [4, 5, 6]]


def test_sparse_rows_become_columns_with_the_label_last(save: Save) -> None:
    path = save("+1 1:2 3:-4.5 # a remark\n\n-1 qid:7 2:1e1\n1.0\n")
    columns = [[2, 0, 0], [0, 10, 0], [-4.5, 0, 0]]
    assert cells(read(path, "libsvm")) == [*columns, [1, -1, 1]]
    wide = read(path, "libsvm", columns=("f1..f4", "target"))
    assert cells(wide) == [*columns, [0, 0, 0], [1, -1, 1]]
    assert cells(read(save("1 0:2 2:3\n2 1:4\n"), "libsvm")) == [[2, 0], [0, 4], [3, 0], [1, 2]]


@pytest.mark.parametrize("turned", [False, True])
def test_a_matrix_of_matlab_has_its_labels_last(tmp_path: Path, turned: bool) -> None:
    path = tmp_path / "a.mat"
    examples = np.array([[1, 2, 5], [0, 3, 4]])
    held = {"target": [[1], [-1]], "data": examples.T if turned else examples}
    scipy.io.savemat(path, held)
    assert cells(read(path, "mat")) == [[1, 0], [2, 3], [5, 4], [1, -1]]


TWO = images([[[1, 2], [3, 4]], [[5, 6], [7, 255]]])


def test_pairs_of_images_and_labels_are_one_below_the_other(save: Save) -> None:
    one = gzip.compress(images([[[9, 8], [7, 6]]]))
    files = {"i": TWO, "l": labels(4, 9), "j.gz": one, "m.gz": gzip.compress(labels(0))}
    frame = read_idx([save(content, name) for name, content in files.items()])
    assert cells(frame) == [[1, 5, 9], [2, 6, 8], [3, 7, 7], [4, 255, 6], [4, 9, 0]]
    assert (frame.index.name, [*frame.index]) == ("row", [1, 2, 3])


@pytest.mark.parametrize(
    "contents", [[TWO], [TWO, labels(1)], [b"<html>", labels(1)], [TWO[:-1], labels(1, 2)]]
)
def test_broken_pairs_are_refused(save: Save, contents: list[bytes]) -> None:
    paths = [save(content, name) for name, content in zip("abcd", contents, strict=False)]
    message = refusal(paths[0], lambda path: read_idx([path, *paths[1:]]), DataError)
    assert "not readable as" in message
