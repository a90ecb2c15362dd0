"""Text files and archives: what they contain, and what is said of broken ones."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest

from tests.data.files import Save, cells, read, refusal, zipped


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
    frame = read(save(text, "a.csv"), separator=separator)
    assert cells(frame) == [["red", "blue"], ["1, 2", "x"]]


def test_lines_are_those_of_the_file(save: Save) -> None:
    path = save('# note, of three, words\nname,x\n\n1,"two\nlines"\n\n2,b\n', "a.csv")
    frame = read(path, skip=2)
    assert cells(frame) == [["1", "2"], ["two\nlines", "b"]]
    assert [frame.place(row) for row in (0, 1)] == ["line 5", "line 7"]


def test_many_rows_keep_their_order_and_lines(save: Save) -> None:
    numbers = [str(i) for i in range(20_001)]
    frame = read(save("\n".join(numbers), "a.csv"))
    assert cells(frame) == [numbers]
    assert frame.place(20_000) == "line 20001"


def test_a_byte_order_mark_is_no_part_of_a_field(save: Save) -> None:
    assert cells(read(save(b"\xef\xbb\xbfx,y\n", "a.csv"))) == [["x"], ["y"]]


@pytest.mark.parametrize(
    ("name", "content", "member", "origin"),
    [
        ("a.csv.gz", gzip.compress(b"1,2\n", mtime=0), "", "a.csv.gz (a.csv)"),
        ("a.zip", zipped({"folder/": "", "data": "1,2\n"}), "", "a.zip (data)"),
        ("a.zip", zipped({"data": "1,2\n", "names": "3"}), "data", "a.zip (data)"),
        ("a.zip", zipped({"a.csv": "1,2\n", "__MACOSX/._a.csv": b"\0\0"}), "", "a.zip (a.csv)"),
    ],
    ids=["gzip", "a folder", "a member", "macOS"],
)
def test_packed_files_are_read_as_they_were_before(
    save: Save, name: str, content: bytes, member: str, origin: str
) -> None:
    path = save(content, name)
    frame = read(path, member=member)
    assert cells(frame) == [["1"], ["2"]]
    assert frame.origin == str(path.with_name(origin))


TWO = zipped({"a": "1", "b": "2"})


@pytest.mark.parametrize(
    ("content", "member", "fault"),
    [
        (TWO, "", "expected an archive with one file; it contains a, b"),
        (zipped({}), "", "expected an archive with one file; it contains nothing"),
        (TWO, "c", "there is no 'c' in it; it contains a, b"),
        (b"<html>", "", "cannot be read: File is not a zip file"),
    ],
)
def test_a_broken_archive_is_refused(save: Save, content: bytes, member: str, fault: str) -> None:
    assert refusal(save(content, "a.zip"), member=member) == f"a.zip: {fault}"


@pytest.mark.parametrize(
    ("content", "fault"),
    [(b"<html>", "Not a gzipped"), (gzip.compress(b"1,2", mtime=0)[:-9], "Compressed file ended")],
)
def test_a_broken_gzip_file_is_refused(save: Save, content: bytes, fault: str) -> None:
    assert refusal(save(content, "a.gz")).startswith(f"a.gz: cannot be read: {fault}")


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (b"1,2\n3\n", ", line 2: 1 fields, but the first row has 2"),
        ("1\nµ\n".encode("latin-1"), ", line 2: not UTF-8 text"),
        ("1,2\n".encode("utf-16"), ", line 1: not UTF-8 text"),
        (b"1\n\n2\0\n", ", line 3: not UTF-8 text"),
        (b'1\n"2\n3\n', ", line 2: unexpected end of data"),
        (b"", ": the file has no rows"),
        (b" \n\n", ": the file has no rows"),
        (b"," * 100_000, ", line 1: 100001 columns, but at most 100000 can be read"),
    ],
)
def test_a_broken_text_is_refused_with_its_line(save: Save, content: bytes, fault: str) -> None:
    assert refusal(save(content, "a.csv")) == f"a.csv{fault}"


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    said = refusal(tmp_path / "absent.csv")
    assert said == "absent.csv: cannot be read: No such file or directory"


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
    frame = read(save(ARFF, "a.arff"), "arff")
    assert frame.names == ("of size", "colour", "note")
    np.testing.assert_array_equal(frame.columns[0], [1.5, np.nan])
    assert cells(frame)[1:] == [["dark blue", "red"], ["", "it's"]]
    assert [frame.place(row) for row in (0, 1)] == ["line 9", "line 10"]


def test_a_sparse_arff_file_is_read_as_the_dense_one(save: Save) -> None:
    head = "@relation r\n@attribute a real\n@attribute b real\n@attribute c {no,yes}\n@data\n"
    dense = read(save(head + "0,2,no\n0,0,yes\n", "d.arff"), "arff")
    sparse = read(save(head + "{1 2}\n{2 yes}\n", "s.arff"), "arff")
    assert cells(sparse) == cells(dense)


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("?, red", "?, green", "Data value green not found in nominal declaration, at line 10."),
        ("1.5,", "big,", "Invalid numerical value, at line 9."),
        ("1.5,", "50%,", "Invalid numerical value, at line 9."),
        ("?, red", "50%\n?, red", "Bad @DATA instance format in line 10: 50%"),
        ("note string", "note date", "Bad @ATTRIBUTE type, at line 5."),
        ("@data", "@date", "Invalid layout of the ARFF file, at line 10."),
        ("note", "colour", "Bad @ATTRIBUTE name colour at line 5, this name is already in use"),
    ],
)
def test_a_broken_arff_file_is_refused_with_its_line(
    save: Save, old: str, new: str, fault: str
) -> None:
    assert old in ARFF
    said = refusal(save(ARFF.replace(old, new), "a.arff"), "arff")
    assert said.startswith(f"a.arff: not readable as ARFF: {fault}")


CODES = ", ".join(f"c{i}" for i in range(100))


@pytest.mark.parametrize("end", ["", " x", " x}", "} x", ", 'x}"])
def test_codes_without_an_end_are_refused_in_no_time(save: Save, end: str) -> None:
    path = save(f"@relation r\n@attribute a {{{CODES}{end}\n@data\nc1\n", "a.arff")
    said = refusal(path, "arff")
    assert said.startswith("a.arff, line 2: not readable as ARFF: the codes of the attribute are ")


@pytest.mark.parametrize(
    "declared",
    ["a {CODES}", "'a {' {CODES}", "a\t{  CODES  }", "a {'x, y', \"z }\", CODES}", "a {CODES,}"],
)
def test_many_codes_are_read_however_they_are_written(save: Save, declared: str) -> None:
    text = f"@relation r\n@ATTRIBUTE\t{declared.replace('CODES', CODES)}\n@data\nc1\n"
    frame = read(save(text, "a.arff"), "arff")
    assert list(frame.columns[0]) == ["c1"]


def test_an_arff_file_of_blanks_is_refused_in_no_time(save: Save) -> None:
    blanks = " " * 100_000
    text = f"@relation{blanks}r\n@attribute{blanks}a{blanks}b integer\n@data\n" + "\n" * 100_000
    said = refusal(save(text, "a.arff"), "arff")
    assert said.startswith("a.arff: not readable as ARFF: Bad @ATTRIBUTE ")


def test_an_arff_file_with_a_nameless_relation_is_refused_with_its_line(save: Save) -> None:
    said = refusal(save("\n@relation\n", "a.arff"), "arff")
    assert said.startswith("a.arff, line 2: not readable as ARFF: ")


def test_an_arff_file_that_is_too_wide_is_refused(save: Save) -> None:
    path = save("@relation r\n" + "@attribute a real\n" * 100_001, "a.arff")
    said = refusal(path, "arff")
    assert said == "a.arff: 100001 columns, but at most 100000 can be read"


@pytest.mark.parametrize("name", ["a.zip", "a.csv.gz"])
def test_an_archive_that_holds_more_than_is_allowed_is_refused(
    save: Save, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    text = b"1,2\n" * 1000
    path = save(zipped({"a.csv": text}) if name == "a.zip" else gzip.compress(text), name)
    monkeypatch.setenv("QUADREPRO_MAX_BYTES", "4000")
    assert len(read(path).columns[0]) == 1000
    monkeypatch.setenv("QUADREPRO_MAX_BYTES", "3999")
    said = refusal(path)
    assert "once unpacked, " in said
    assert "has more than 3,999 bytes; QUADREPRO_MAX_BYTES" in said


def test_a_sparse_arff_file_that_is_large_once_dense_is_refused(
    save: Save, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = "".join(f"@attribute a{j} numeric\n" for j in range(100))
    path = save(f"@relation r\n{names}@data\n" + "{0 1}\n" * 100, "a.arff")
    monkeypatch.setenv("QUADREPRO_MAX_BYTES", "80000")
    said = refusal(path, "arff")
    assert "the table of 203 x 100 numbers has more than 80,000" in said


def test_a_file_larger_than_is_allowed_is_refused(
    save: Save, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("QUADREPRO_MAX_BYTES", "3999")
    said = refusal(save("1,2\n" * 1000, "a.csv"))
    assert "a.csv: the file has more than 3,999 bytes" in said


def test_a_device_is_no_file_to_read() -> None:
    assert refusal(Path("/dev/zero")) == "zero: cannot be read: not a regular file"


def test_an_arff_file_without_rows_is_refused(save: Save) -> None:
    path = save("@relation a\n@attribute x numeric\n@data\n", "a.arff")
    assert refusal(path, "arff") == "a.arff: the file has no rows"
