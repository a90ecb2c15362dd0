"""Files of every format: the columns they give, their lines, and what is said of broken ones."""

from __future__ import annotations

import gzip
import sys
from collections.abc import Callable
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import scipy.io
import scipy.sparse

from quadrepro.data.files import detect, read_file, read_idx
from quadrepro.data.source import FileLayout
from quadrepro.errors import DataError
from tests.data.files import Save, images, labels, zipped


def read(path: Path, kind: str = "csv", member: str = "", **layout: Any) -> pd.DataFrame:
    return read_file(path, FileLayout.model_validate({"format": kind, **layout}), member)


def cells(frame: pd.DataFrame) -> list[list[object]]:
    """Return the columns, with None for NaN."""
    found = []
    for j in range(frame.shape[1]):
        column = frame.iloc[:, j]
        assert column.dtype.kind == "f" or {type(value) for value in column} == {str}
        found.append([None if value != value else value for value in column])
    return found


def refusal(call: Callable[..., object], *words: Any, **more: Any) -> str:
    """Return the message of an error, without folders."""
    with pytest.raises(DataError) as error:
        call(*words, **more)
    path = words[0] if isinstance(words[0], Path) else words[0][0]
    assert str(path.parent) in str(error.value)
    return str(error.value).replace(f"{path.parent}/", "")


@pytest.mark.parametrize(
    ("separator", "text"),
    [
        (",", '\ufeffred ,"1, 2"\n blue,x\n'),
        (";", "red;1, 2\nblue;x"),
        ("\t", "red\t1, 2\r\nblue\tx\r\n"),
        ("|", "red|1, 2\n\n  \n|\nblue | x\n"),
        ("blank", 'red "1, 2"\n\n  blue\t  x  \n'),
    ],
)
def test_text_has_the_same_fields_whatever_separates_them(
    save: Save, separator: str, text: str
) -> None:
    assert cells(read(save(text), separator=separator)) == [["red", "blue"], ["1, 2", "x"]]


def test_rows_of_text_have_their_lines_below_those_to_skip(save: Save) -> None:
    frame = read(save('# one, of, three\nname,x\n\n1,"two\nlines"\n\n2,\n'), skip=2)
    assert cells(frame) == [["1", "2"], ["two\nlines", ""]]
    assert (frame.index.name, [*frame.index]) == ("line", [5, 7])


def test_many_rows_keep_their_order_and_lines(save: Save) -> None:
    numbers = [str(i) for i in range(20_002)]
    frame = read(save("\n".join(numbers)))
    assert cells(frame) == [numbers]
    assert [*frame.index] == [*range(1, 20_003)]


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (b"1,2\n3\n", ", line 2: 1 fields, but the first row has 2"),
        (b"1,2\n\n3,4,5\n", ", line 3: 3 fields, but the first row has 2"),
        ("1\nµ\n".encode("latin-1"), ", line 2: not UTF-8 text"),
        (b"1\n\n2\0\n", ", line 3: not UTF-8 text"),
        (b'1\n"2\n3\n', ", line 2: unexpected end of data"),
        (b" \n,\n", ": the file has no rows"),
    ],
)
def test_broken_text_is_refused_with_its_line(save: Save, content: bytes, fault: str) -> None:
    assert refusal(read, save(content, "a.csv")) == f"a.csv{fault}"


PAIR = zipped({"a": "1,2\n", "b": "3"})


@pytest.mark.parametrize(
    ("name", "content", "member"),
    [
        ("a.csv.gz", gzip.compress(b"1,2\n"), ""),
        ("a.ZIP", zipped({"folder/": "", "data": "1,2\n", "__MACOSX/._data": "x"}), ""),
        ("a.zip", PAIR, "a"),
    ],
)
def test_packed_files_are_read(save: Save, name: str, content: bytes, member: str) -> None:
    assert cells(read(save(content, name), member=member)) == [["1"], ["2"]]


@pytest.mark.parametrize(
    ("name", "content", "member", "fault"),
    [
        ("a.zip", PAIR, "", ": expected exactly one file in it, found a, b"),
        ("a.zip", zipped({}), "", ": expected exactly one file in it, found nothing"),
        ("a.zip", PAIR, "c", ": expected 'c' in it, found a, b"),
        ("a.zip", b"<html>", "", ": File is not a zip file"),
        ("a.csv.gz", gzip.compress(b"1,2")[:-9], "", ": Compressed file ended"),
        ("a.csv.gz", b"1", "", ": Not a gzipped file"),
    ],
)
def test_a_broken_archive_is_refused(
    save: Save, name: str, content: bytes, member: str, fault: str
) -> None:
    assert refusal(read, save(content, name), member=member).startswith(f"{name}{fault}")


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    assert refusal(read, tmp_path / "no.csv") == "no.csv: No such file or directory"


@pytest.mark.parametrize(
    ("text", "name", "separator"),
    [
        ("a,b,c;label\n1,2,3;x\n", "label", ";"),
        ("a,b;c\tlabel\n1,2\n", "label", "\t"),
        ("first name,label\n1,2\n", "label", ","),
        ("a label\n1 2\n", "label", "blank"),
        ("\n 'x' | label\n", "label", "|"),
        ("1,5;2,5\n3,5;4,5\n", "", ";"),
        ("a,b;c\n1,2\n", "", ","),
        ("word\n", "word", ","),
        ("a" * 200_000 + ",label\n", "label", ","),
    ],
)
def test_the_separator_makes_the_name_a_field_or_else_even_rows(
    text: str, name: str, separator: str
) -> None:
    assert find_separator(text, name) == separator


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


def test_an_arff_file_gives_numbers_text_names_and_lines(save: Save) -> None:
    frame = read(save(ARFF), "arff")
    assert [*frame.columns] == ["of size", "colour", "note"]
    assert cells(frame) == [[1.5, None], ["dark blue", "red"], ["", "it's"]]
    assert (frame.index.name, [*frame.index]) == ("line", [10, 11])


def test_a_sparse_arff_file_is_read_as_the_dense_one(save: Save) -> None:
    head = "@relation r\n@attribute a real\n@attribute b integer\n@attribute c {no,yes}\n@data\n"
    dense = read(save(f"{head}0,2.5,no\n0,0,yes\n"), "arff")
    assert cells(read(save(f"{head}{{1 2.5}}\n{{2 yes}}\n"), "arff")) == cells(dense)


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("?, red", "?, green", "Data value green not found in nominal declaration, at line 11."),
        ("?, red", "50%\n?, red", "Bad @DATA instance format in line 11: 50%"),
        ("1.5,", "big,", "Invalid numerical value, at line 10."),
    ],
)
def test_a_broken_arff_file_is_refused_with_its_line(
    save: Save, old: str, new: str, fault: str
) -> None:
    said = refusal(read, save(ARFF.replace(old, new), "a.arff"), "arff")
    assert said == f"a.arff: not readable as arff: {fault}"


def test_a_parquet_file_gives_numbers_and_text(tmp_path: Path) -> None:
    columns = {
        "whole": pa.array([1, None]),
        "money": pa.array([Decimal("1.50"), None]),
        "codes": pa.array([3, None]).dictionary_encode(),
        "text": pa.array([" red ", None]),
        "words": pa.array(["x", None]).dictionary_encode(),
        "truth": pa.array([True, None]),
        "day": pa.array([datetime(2024, 1, 31), None]),
        "empty": pa.nulls(2),
    }
    pq.write_table(pa.table(columns), tmp_path / "a.parquet")
    frame = read(tmp_path / "a.parquet", "parquet")
    assert [*frame.columns] == [*columns]
    held = [1.0, 1.5, 3.0, "red", "x", "True", "2024-01-31", ""]
    assert cells(frame) == [[v, None if isinstance(v, float) else ""] for v in held]
    assert (frame.index.name, [*frame.index]) == ("row", [1, 2])


def test_a_named_index_of_a_parquet_file_is_a_column(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    pd.DataFrame({"x": [1.5]}, pd.Index(["a"], name="key")).to_parquet(path)
    assert cells(read(path, "parquet")) == [["a"], [1.5]]


def test_a_parquet_column_of_lists_is_refused(tmp_path: Path) -> None:
    pq.write_table(pa.table({"x": [[1.0], [2.0]]}), tmp_path / "a.parquet")
    said = refusal(read, tmp_path / "a.parquet", "parquet")
    assert said == "a.parquet: not readable as parquet: the column x does not have numbers or text"


@pytest.mark.parametrize("kind", ["parquet", "excel", "mat", "libsvm"])
def test_a_page_in_place_of_a_file_is_refused(save: Save, kind: str) -> None:
    said = refusal(read, save("<html><body>Service unavailable</body></html>" * 5, "a"), kind)
    assert said.startswith(f"a: not readable as {kind}: ")


def test_an_excel_sheet_gives_numbers_text_and_names(
    save: Save, monkeypatch: pytest.MonkeyPatch
) -> None:
    columns = {"age": [28, "", 1.5], " kind ": ["x ", "", 2], "Unnamed: 2": [datetime.now()] * 3}
    monkeypatch.setattr(pd, "read_excel", lambda *_, **__: pd.DataFrame(columns))
    frame = read(save(b"PK", "a.xlsx"), "excel")
    assert [*frame.columns] == ["age", " kind ", ""]
    assert cells(frame)[:2] == [[28, None, 1.5], ["x", "", "2"]]


def test_a_missing_engine_is_named_with_its_extra(
    save: Save, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "python_calamine", None)
    said = refusal(read, save(b"PK", "a.xlsx"), "excel")
    assert said.endswith("Excel files need: pip install 'quadrepro[excel]'")


LIBSVM = "+1 1:2 3:-4.5 # a remark\n\n-1 qid:7 2:1e1\n1.0\n"


def test_sparse_rows_become_columns_with_the_label_last(save: Save) -> None:
    path = save(LIBSVM)
    columns = [[2, 0, 0], [0, 10, 0], [-4.5, 0, 0]]
    assert cells(read(path, "libsvm")) == [*columns, [1, -1, 1]]
    wide = read(path, "libsvm", columns=("f1..f4", "target"))
    assert cells(wide) == [*columns, [0, 0, 0], [1, -1, 1]]
    assert "features" in refusal(read, path, "libsvm", columns=("f1", "f2", "target"))


def mat(folder: Path, **held: object) -> Path:
    scipy.io.savemat(folder / "a.mat", held)
    return folder / "a.mat"


@pytest.mark.parametrize("turned", [False, True])
def test_a_matrix_has_its_examples_where_the_labels_are(tmp_path: Path, *, turned: bool) -> None:
    X = np.array([[1.0, 2.0], [0.0, 3.0], [5.0, 0.0]])
    held = scipy.sparse.csc_matrix(X.T) if turned else X
    path = mat(tmp_path, X=held, y=[1.0, -1.0, 1.0], other=[1, 2, 3, 4], scale=2.0, by="me")
    assert cells(read(path, "mat")) == [[1, 0, 5], [2, 3, 0], [1, -1, 1]]


@pytest.mark.parametrize(
    ("held", "shapes"),
    [
        ({"A": np.ones((3, 2)), "B": np.ones((3, 2)), "y": [1, 2, 3]}, "3 x 2, 3 x 2, 1 x 3"),
        ({"X": np.ones((3, 2)), "y": [1, 2, 3], "z": [1, 2, 3]}, "3 x 2, 1 x 3, 1 x 3"),
        ({"X": np.ones((2, 2)), "y": [1, 2]}, "2 x 2, 1 x 2"),
        ({"X": np.ones((3, 2)), "y": [1, 2, 3, 4]}, "3 x 2, 1 x 4"),
    ],
)
def test_matrices_that_can_be_read_in_two_ways_are_refused(
    tmp_path: Path, held: dict[str, object], shapes: str
) -> None:
    said = refusal(read, mat(tmp_path, **held), "mat")
    assert said.endswith(f"one matrix of examples and one vector of labels, found {shapes}")


TWO = images([[[1, 2], [3, 4]], [[5, 6], [7, 255]]])


def test_pairs_of_images_and_labels_are_one_below_the_other(save: Save) -> None:
    one = gzip.compress(images([[[9, 8], [7, 6]]]))
    files = {"i": TWO, "l": labels(4, 9), "j.gz": one, "m.gz": gzip.compress(labels(0))}
    frame = read_idx([save(content, name) for name, content in files.items()])
    assert cells(frame) == [[1, 5, 9], [2, 6, 8], [3, 7, 7], [4, 255, 6], [4, 9, 0]]
    assert (frame.index.name, [*frame.index]) == ("row", [1, 2, 3])


@pytest.mark.parametrize(
    ("contents", "message"),
    [
        ([TWO], "got a (2 x 2 x 2)"),
        ([TWO, labels(1)], "got a (2 x 2 x 2), b (1)"),
        ([TWO, labels(1, 2), images([[[1, 2]]]), labels(1)], "d (1)"),
        ([b"<html>", labels(1)], "a: not a file of bytes in MNIST's format"),
        ([TWO[:-1], labels(1, 2)], "a: not a file of bytes in MNIST's format"),
    ],
)
def test_broken_pairs_are_refused(save: Save, contents: list[bytes], message: str) -> None:
    paths = [save(content, name) for name, content in zip("abcd", contents, strict=False)]
    assert message in refusal(read_idx, paths)


def test_one_file_of_a_pair_cannot_be_read_alone(save: Save) -> None:
    assert "idx files are read as pairs" in refusal(read, save(TWO), "idx")
