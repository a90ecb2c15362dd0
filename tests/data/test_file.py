"""What is found out about a user's file: its format, its separator and its header."""

from __future__ import annotations

import gzip
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quadrepro.data.inspection import GAPS, Told, plain_stem, read_own
from quadrepro.errors import ConfigError, DataError
from tests.data.files import Save, cells


def refusal(path: Path, target: str = "label") -> str:
    """Return what is said of a file, without its path."""
    with pytest.raises(DataError) as error:
        read_own(path, target, GAPS)
    return str(error.value).replace(str(path), "")


@pytest.mark.parametrize(
    ("name", "stem"),
    [
        ("my.csv", "my"),
        ("my.data.csv.gz", "my.data"),
        ("my.TSV", "my"),
        ("my.csv.csv", "my.csv"),
        ("my.v2", "my.v2"),
        ("my", "my"),
        (".csv", ".csv"),
    ],
)
def test_the_stem_is_the_name_without_the_endings_that_say_the_format(name: str, stem: str) -> None:
    assert plain_stem(Path("folder", name)) == stem


words = st.text(st.characters(codec="ascii", categories=("L",)), min_size=1, max_size=5)
tables = st.integers(2, 4).flatmap(
    lambda width: st.tuples(
        st.lists(words, min_size=width, max_size=width, unique=True),
        st.lists(
            st.lists(st.integers(-99, 99).map(str), min_size=width, max_size=width),
            min_size=1,
            max_size=5,
        ),
    )
)


@settings(max_examples=60, deadline=None)
@given(tables, st.sampled_from([",", ";", "\t", " "]), st.booleans())
def test_the_separator_is_found_and_rows_are_those_below_the_header(
    tmp_path_factory: pytest.TempPathFactory,
    table: tuple[list[str], list[list[str]]],
    separator: str,
    blank_line: bool,
) -> None:
    names, rows = table
    lines = [*([""] if blank_line else []), *(separator.join(row) for row in (names, *rows))]
    path = tmp_path_factory.mktemp("own") / "my.txt"
    path.write_text("\n".join(lines) + "\n")
    frame, layout = read_own(path, names[-1], GAPS)
    assert frame.names == tuple(names)
    assert cells(frame) == [list(column) for column in zip(*rows, strict=True)]
    assert layout["separator"] == ("blank" if separator == " " else separator)
    assert layout["skip"] == 1 + blank_line
    assert frame.place(0) == f"line {2 + blank_line}"


def test_the_separator_is_the_one_that_has_the_target_among_its_fields(save: Save) -> None:
    path = save("a,b,c;label\n1,2,3;x\n4,5,6;y\n")
    frame, layout = read_own(path, "label", GAPS)
    assert layout["separator"] == ";"
    assert frame.names == ("a,b,c", "label")


def test_the_first_line_is_the_header_whatever_it_holds(save: Save) -> None:
    frame, _ = read_own(save("2019,2020,label\n5,6,a\n7,8,b\n"), "label", GAPS)
    assert frame.names == ("2019", "2020", "label")


def test_formats_with_names_of_their_own_keep_them(tmp_path: Path) -> None:
    pq.write_table(pa.table({" a ": [1.5], "b": ["x"]}), tmp_path / "my.parquet")
    frame, layout = read_own(tmp_path / "my.parquet", "b", GAPS)
    assert (frame.names, layout) == (("a", "b"), {"format": "parquet"})


def test_sparse_rows_get_names(save: Save) -> None:
    path = save(gzip.compress(b"1 2:3\n0 1:1\n", mtime=0), "my.svm.gz")
    frame, layout = read_own(path, "label", GAPS)
    assert (frame.names, layout) == (("f1", "f2", "label"), {"format": "libsvm"})
    assert cells(frame) == [[0, 1], [3, 0], ["1", "0"]]


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("my.xlsx", "PK", ": the format is not known, since 'my.xlsx' does not end in .arff, .csv"),
        ("my", "a,b\n1,2\n", ": the format is not known, since 'my' does not end in .arff, .csv,"),
        ("my.csv", "", ": the file is empty"),
        ("my.csv", " \n\t\n", ": the file is empty"),
        ("my.csv", "a,label\n", ": the file has a header but no rows"),
        ("my.csv", "a,b,a,a\n1,2,3,x\n", ", line 1: columns 1, 3 and 4 have the same name 'a'"),
        ("my.csv", "a,b\n1,2\n3\n", ", line 3: 1 fields, but the first row has 2"),
        ("my.csv", 'a,b\n1,"2\n', ", line 2: unexpected end of data"),
    ],
)
def test_a_file_that_cannot_be_understood_is_refused(
    save: Save, name: str, text: str, message: str
) -> None:
    assert refusal(save(text, name), "b").startswith(message)


def test_columns_without_a_name_can_be_many(save: Save) -> None:
    frame, _ = read_own(save(",,label\n1,2,a\n3,4,b\n"), "label", GAPS)
    assert frame.names == ("", "", "label")


@pytest.mark.parametrize(
    ("encoding", "detected"),
    [
        ("utf-8", "utf-8"),
        ("utf-8-sig", "utf-8"),
        ("utf-16", "utf-16"),
        ("utf-16-le", "utf-16-le"),
        ("utf-16-be", "utf-16-be"),
        ("latin-1", "cp1252"),
        ("cp1252", "cp1252"),
    ],
)
def test_encodings_are_detected(save: Save, encoding: str, detected: str) -> None:
    path = save("Größe;Kündigung\n1,5;ja\n2;nein\n".encode(encoding))
    frame, layout = read_own(path, "Kündigung", GAPS)
    assert frame.names == ("Größe", "Kündigung")
    assert layout == {"encoding": detected, "separator": ";", "decimal": ",", "skip": 1}


def test_what_is_detected_can_be_overruled(save: Save) -> None:
    path = save("a|1,000|č\nb|2,000|d\n".encode("cp1250"))
    told = Told(encoding="cp1250", separator="|", decimal=",", names="u,v,w")
    frame, layout = read_own(path, "w", GAPS, told)
    assert (frame.names, cells(frame)[2]) == (("u", "v", "w"), ["č", "d"])
    assert layout == {"encoding": "cp1250", "separator": "|", "decimal": ",", "skip": 0}


def test_columns_without_a_header_are_numbered(save: Save) -> None:
    frame, layout = read_own(save("1,5;2,25\n3,5;4,25\n"), "x2", GAPS, Told(no_header=True))
    assert (frame.names, frame.place(0)) == (("x1", "x2"), "line 1")
    assert cells(frame) == [["1,5", "3,5"], ["2,25", "4,25"]]
    assert (layout["decimal"], layout["skip"]) == (",", 0)


@pytest.mark.parametrize(
    ("column", "decimal"),
    [
        (["1,5", "2"], ","),
        (["1.5", "2"], "."),
        (["1,000", "2,500"], "."),
        (["0,513", "-1,486"], ","),
        (["1,5", "a"], "."),
        (["1,5", "NA"], ","),
    ],
)
def test_a_comma_is_decimal_if_it_cannot_be_between_thousands(
    save: Save, column: list[str], decimal: str
) -> None:
    path = save("\n".join(["x;label", *(f"{field};{i}" for i, field in enumerate(column))]))
    assert read_own(path, "label", GAPS)[1]["decimal"] == decimal


@pytest.mark.parametrize(
    ("name", "told", "message"),
    [
        ("my.csv", Told(encoding="utf-99"), "--encoding: unknown encoding 'utf-99'"),
        ("my.csv", Told(encoding="zlib"), "--encoding: unknown encoding 'zlib'"),
        ("my.csv", Told(names="a,b"), ": 2 names, but 1 columns"),
        ("my.arff", Told(decimal=","), ": encoding, separator, decimal and names are those of the"),
    ],
)
def test_what_cannot_be_told_of_a_file_is_refused(
    save: Save, name: str, told: Told, message: str
) -> None:
    path = save("x\n1\n", name)
    with pytest.raises(ConfigError) as error:
        read_own(path, "x", GAPS, told)
    assert str(error.value).replace(str(path), "").startswith(message)
