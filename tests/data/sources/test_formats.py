"""Text files and archives: what they contain, and what is said of broken ones."""

from __future__ import annotations

import gzip
import io
import re
import zipfile
from pathlib import Path

import numpy as np
import pytest

from quadrepro.data.sources.formats import read_file
from quadrepro.data.sources.schema import FileLayout
from quadrepro.errors import DataError
from tests.data.sources.files import Save, cells, refusal


@pytest.mark.parametrize(
    ("separator", "text"),
    [
        (",", 'red ,"1, 2"\n blue,x\n'),
        (";", "red;1, 2\nblue;x"),
        ("\t", "red\t1, 2\r\nblue\tx\r\n"),
        ("|", "red|1, 2\n\n  \nblue | x\n"),
        ("blank", 'red "1, 2"\n\n  blue\t  x  \n'),
    ],
)
def test_a_text_holds_the_same_fields_whatever_separates_them(
    save: Save, separator: str, text: str
) -> None:
    frame = read_file(save("a.csv", text), FileLayout(separator=separator))
    assert cells(frame) == [["red", "blue"], ["1, 2", "x"]]


def test_lines_are_those_of_the_file(save: Save) -> None:
    path = save("a.csv", '# note, of three, words\nname,x\n\n1,"two\nlines"\n\n2,b\n')
    frame = read_file(path, FileLayout(skip=2))
    assert cells(frame) == [["1", "2"], ["two\nlines", "b"]]
    assert [frame.place(row) for row in (0, 1)] == ["line 5", "line 7"]


def test_many_rows_keep_their_order_and_lines(save: Save) -> None:
    numbers = [str(i) for i in range(20_001)]
    frame = read_file(save("a.csv", "\n".join(numbers)), FileLayout())
    assert cells(frame) == [numbers]
    assert frame.place(20_000) == "line 20001"


def test_a_byte_order_mark_is_no_part_of_a_field(save: Save) -> None:
    assert cells(read_file(save("a.csv", b"\xef\xbb\xbfx,y\n"), FileLayout())) == [["x"], ["y"]]


def packed(**files: str) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, text in files.items():
            archive.writestr(name.replace("__", "/"), text)
    return buffer.getvalue()


def test_packed_files_are_read_as_they_were_before(save: Save) -> None:
    gz = save("a.csv.gz", gzip.compress(b"1,2\n", mtime=0))
    alone = save("b.zip", packed(folder__="", data="1,2\n"))
    named = save("c.zip", packed(data="1,2\n", names="3"))
    assert cells(read_file(gz, FileLayout())) == [["1"], ["2"]]
    assert cells(read_file(alone, FileLayout())) == [["1"], ["2"]]
    frame = read_file(named, FileLayout(), member="data")
    assert cells(frame) == [["1"], ["2"]]
    assert frame.origin == f"{named} (data)"


def test_what_macos_adds_to_an_archive_is_no_member(save: Save) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("a.csv", "1,2\n")
        archive.writestr("__MACOSX/._a.csv", b"\0\0")
    assert cells(read_file(save("a.zip", buffer.getvalue()), FileLayout())) == [["1"], ["2"]]


@pytest.mark.parametrize(
    ("name", "content", "member", "message"),
    [
        (
            "a.zip",
            packed(a="1", b="2"),
            "",
            "a.zip: expected an archive with one file; it contains a, b",
        ),
        ("a.zip", packed(), "", "a.zip: expected an archive with one file; it contains nothing"),
        ("a.zip", packed(a="1", b="2"), "c", "a.zip: there is no 'c' in it; it contains a, b"),
        ("a.zip", b"<html>", "", "a.zip: cannot be read: File is not a zip file"),
        ("a.gz", b"<html>", "", "a.gz: cannot be read: Not a gzipped file (b'<h')"),
        (
            "a.gz",
            gzip.compress(b"1,2", mtime=0)[:-9],
            "",
            "a.gz: cannot be read: Compressed file ended before the end-of-stream marker was"
            " reached",
        ),
        ("a.csv", b"1,2\n3\n", "", "a.csv, line 2: 1 fields, but the first row has 2"),
        ("a.csv", "1\nµ\n".encode("latin-1"), "", "a.csv, line 2: not UTF-8 text"),
        ("a.csv", "1,2\n".encode("utf-16"), "", "a.csv, line 1: not UTF-8 text"),
        ("a.csv", b"1\n\n2\0\n", "", "a.csv, line 3: not UTF-8 text"),
        ("a.csv", b'1\n"2\n3\n', "", "a.csv, line 2: unexpected end of data"),
        ("a.csv", b"", "", "a.csv: the file has no rows"),
        ("a.csv", b" \n\n", "", "a.csv: the file has no rows"),
        (
            "a.csv",
            b"," * 100_000,
            "",
            "a.csv, line 1: 100001 columns, but at most 100000 can be read",
        ),
    ],
)
def test_a_broken_text_or_archive_is_refused(
    save: Save, name: str, content: bytes, member: str, message: str
) -> None:
    assert refusal(save(name, content), FileLayout(), member) == message


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    message = refusal(tmp_path / "absent.csv", FileLayout())
    assert message == "absent.csv: cannot be read: No such file or directory"


ARFF = """% a comment
@relation 'two rows'
@ATTRIBUTE\t'of size' INTEGER
@attribute colour {red, 'dark blue'}
@attribute note string

@data
% another
1.5, 'dark blue', ?
?, red, "it's"
"""


def test_an_arff_file_gives_numbers_texts_names_and_lines(save: Save) -> None:
    frame = read_file(save("a.arff", ARFF), FileLayout(format="arff"))
    assert frame.names == ("of size", "colour", "note")
    np.testing.assert_array_equal(frame.columns[0], [1.5, np.nan])
    assert cells(frame)[1:] == [["dark blue", "red"], ["", "it's"]]
    assert [frame.place(row) for row in (0, 1)] == ["line 9", "line 10"]


def test_a_sparse_arff_file_is_read_as_the_dense_one(save: Save) -> None:
    head = "@relation r\n@attribute a real\n@attribute b real\n@attribute c {no,yes}\n@data\n"
    dense = read_file(save("d.arff", head + "0,2,no\n0,0,yes\n"), FileLayout(format="arff"))
    sparse = read_file(save("s.arff", head + "{1 2}\n{2 yes}\n"), FileLayout(format="arff"))
    assert cells(sparse) == cells(dense)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            'red, "it\'s"',
            "green, x",
            "Data value green not found in nominal declaration, at line 10.",
        ),
        ("1.5,", "big,", "Invalid numerical value, at line 9."),
        ("1.5,", "50%,", "Invalid numerical value, at line 9."),
        ("?, red", "50%\n?, red", "Bad @DATA instance format in line 10: 50%"),
        ("note string", "note date", "Bad @ATTRIBUTE type, at line 5."),
        ("@data", "@date", "Invalid layout of the ARFF file, at line 10."),
        (
            "note",
            "colour",
            "Bad @ATTRIBUTE name colour at line 5, this name is already in use in line 4.",
        ),
    ],
)
def test_a_broken_arff_file_is_refused_with_its_line(
    save: Save, old: str, new: str, message: str
) -> None:
    assert old in ARFF
    path = save("a.arff", ARFF.replace(old, new))
    said = refusal(path, FileLayout(format="arff"))
    assert said == f"a.arff: not readable as ARFF: {message}"


CODES = ", ".join(f"c{i}" for i in range(100))


@pytest.mark.parametrize("end", ["", " x", " x}", "} x", ", 'x}"])
def test_codes_without_an_end_are_refused_in_no_time(save: Save, end: str) -> None:
    path = save("a.arff", f"@relation r\n@attribute a {{{CODES}{end}\n@data\nc1\n")
    said = refusal(path, FileLayout(format="arff"))
    assert said.startswith("a.arff, line 2: not readable as ARFF: the codes of the attribute are ")


@pytest.mark.parametrize(
    "declared",
    [
        "a {CODES}",
        "'a {' {CODES}",
        "a\t{  CODES  }",
        "a {'x, y', \"z }\", CODES}",
        "a {CODES,}",
    ],
)
def test_many_codes_are_read_however_they_are_written(save: Save, declared: str) -> None:
    text = f"@relation r\n@ATTRIBUTE\t{declared.replace('CODES', CODES)}\n@data\nc1\n"
    frame = read_file(save("a.arff", text), FileLayout(format="arff"))
    assert list(frame.columns[0]) == ["c1"]


def test_an_arff_file_of_blanks_is_refused_in_no_time(save: Save) -> None:
    blanks = " " * 100_000
    text = f"@relation{blanks}r\n@attribute{blanks}a{blanks}b integer\n@data\n" + "\n" * 100_000
    said = refusal(save("a.arff", text), FileLayout(format="arff"))
    assert said.startswith("a.arff: not readable as ARFF: Bad @ATTRIBUTE ")


def test_an_arff_file_with_a_nameless_relation_is_refused_with_its_line(save: Save) -> None:
    said = refusal(save("a.arff", "\n@relation\n"), FileLayout(format="arff"))
    assert said.startswith("a.arff, line 2: not readable as ARFF: ")


def test_an_arff_file_that_is_too_wide_is_refused(save: Save) -> None:
    path = save("a.arff", "@relation r\n" + "@attribute a real\n" * 100_001)
    said = refusal(path, FileLayout(format="arff"))
    assert said == "a.arff: 100001 columns, but at most 100000 can be read"


def test_an_archive_that_holds_more_than_is_allowed_is_refused(
    save: Save, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = b"1,2\n" * 1000
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.csv", text)
    paths = [save("a.zip", buffer.getvalue()), save("b.csv.gz", gzip.compress(text))]
    for path in paths:
        monkeypatch.setenv("QUADREPRO_MAX_BYTES", "4000")
        assert len(read_file(path, FileLayout()).columns[0]) == 1000
        monkeypatch.setenv("QUADREPRO_MAX_BYTES", "3999")
        message = refusal(path, FileLayout())
        assert "once unpacked, " in message
        assert "has more than 3,999 bytes; QUADREPRO_MAX_BYTES" in message


def test_a_sparse_arff_file_that_is_large_once_dense_is_refused(
    save: Save, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = "".join(f"@attribute a{j} numeric\n" for j in range(100))
    path = save("a.arff", f"@relation r\n{names}@data\n" + "{0 1}\n" * 100)
    monkeypatch.setenv("QUADREPRO_MAX_BYTES", "80000")
    with pytest.raises(DataError, match=r"the table of 203 x 100 numbers has more than 80,000"):
        read_file(path, FileLayout(format="arff"))


def test_a_file_larger_than_is_allowed_is_refused(
    save: Save, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = save("a.csv", "1,2\n" * 1000)
    monkeypatch.setenv("QUADREPRO_MAX_BYTES", "3999")
    assert "a.csv: the file has more than 3,999 bytes" in refusal(path, FileLayout())


def test_a_device_is_no_file_to_read() -> None:
    with pytest.raises(DataError, match=r"/dev/zero: cannot be read: not a regular file"):
        read_file(Path("/dev/zero"), FileLayout())


def test_an_arff_file_without_rows_is_refused(save: Save) -> None:
    path = save("a.arff", "@relation a\n@attribute x numeric\n@data\n")
    with pytest.raises(DataError, match=f"^{re.escape(str(path))}: the file has no rows$"):
        read_file(path, FileLayout(format="arff"))
