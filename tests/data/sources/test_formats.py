"""Files of every format and archives: what they contain, and what is said of broken ones."""

from __future__ import annotations

import gzip
import io
import struct
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import scipy.io
import scipy.sparse

from quadrepro.data.sources.formats import BYTES, SECONDS, limit, read_idx, refuse_bytes
from quadrepro.errors import ConfigError, DataError
from tests.data.files import Save, cells, images, labels, read, refusal, zipped


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


PAIR = zipped({"a": "1", "b": "2"})


@pytest.mark.parametrize(
    ("content", "member", "fault"),
    [
        (PAIR, "", "expected an archive with one file; it contains a, b"),
        (zipped({}), "", "expected an archive with one file; it contains nothing"),
        (PAIR, "c", "there is no 'c' in it; it contains a, b"),
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


@pytest.mark.parametrize("written", ["big", "50%", "3_2", "٣", "inf"])
def test_an_arff_number_that_is_none_is_refused_with_its_line(save: Save, written: str) -> None:
    said = refusal(save(ARFF.replace("1.5,", f"{written},"), "a.arff"), "arff")
    assert said == f"a.arff, line 9: of size is {written!r}, which is not a finite number"


def test_an_arff_number_may_be_called_nan(save: Save) -> None:
    frame = read(save(ARFF.replace("1.5,", "NaN,"), "a.arff"), "arff")
    assert np.isnan(frame.columns[0]).all()


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


def table_as_parquet(path: Path, **columns: pa.Array) -> Path:
    pq.write_table(pa.table(columns), path)
    return path


def test_a_parquet_file_gives_numbers_texts_and_names(tmp_path: Path) -> None:
    path = table_as_parquet(
        tmp_path / "a.parquet",
        whole=pa.array([1, None]),
        real=pa.array([0.5, float("nan")]),
        big=pa.array([2**53 + 1, 1]),
        text=pa.array([" red ", None]),
        code=pa.array(["x", "y"]).dictionary_encode(),
        truth=pa.array([True, False]),
        empty=pa.nulls(2),
    )
    frame = read(path, "parquet")
    assert frame.names == ("whole", "real", "big", "text", "code", "truth", "empty")
    np.testing.assert_array_equal(frame.columns[0], [1, np.nan])
    np.testing.assert_array_equal(frame.columns[1], [0.5, np.nan])
    assert cells(frame)[2:4] == [[2.0**53, 1.0], ["red", ""]]
    assert cells(frame)[4:] == [["x", "y"], ["true", "false"], ["", ""]]


def test_a_parquet_column_of_lists_is_refused(tmp_path: Path) -> None:
    path = table_as_parquet(tmp_path / "a.parquet", x=pa.array([[1.0], [2.0]]))
    said = refusal(path, "parquet")
    assert said == "a.parquet: column x has type list<element: double>; expected numbers or text"


@pytest.mark.parametrize(
    ("name", "what"),
    [("parquet", "parquet"), ("excel", "an .xls file"), ("mat", "a MATLAB file")],
)
def test_a_page_in_place_of_a_binary_file_is_refused(save: Save, name: str, what: str) -> None:
    path = save("<html><body>Service unavailable</body></html>" * 5, "a.bin")
    said = refusal(path, name)
    assert said.startswith(f"a.bin: not readable as {what}: ")


def test_a_parquet_file_without_rows_is_refused(tmp_path: Path) -> None:
    path = table_as_parquet(tmp_path / "a.parquet", x=pa.array([], pa.float64()))
    assert refusal(path, "parquet") == "a.parquet: the file has no rows"


def sheet(*rows: Sequence[str | float | None]) -> bytes:
    """Return an Excel 2.0 sheet, which xlrd takes for an .xls file."""
    parts = [struct.pack("<4H", 0x09, 4, 2, 0x10)]
    for i, row in enumerate(rows):
        for j, value in enumerate(row):
            place = struct.pack("<2H3s", i, j, b"\0\0\0")
            if isinstance(value, str):
                held = place + struct.pack("B", len(value)) + value.encode()
                parts.append(struct.pack("<2H", 0x04, len(held)) + held)
            elif value is not None:
                held = place + struct.pack("<d", value)
                parts.append(struct.pack("<2H", 0x03, len(held)) + held)
    return b"".join([*parts, struct.pack("<2H", 0x0A, 0)])


def test_an_excel_sheet_gives_numbers_texts_and_names(save: Save) -> None:
    path = save(sheet(("age", " kind "), (28.0, "x "), (None, None), (1.5, 2.0)), "a.xls")
    frame = read(path, "excel")
    assert frame.names == ("age", "kind")
    np.testing.assert_array_equal(frame.columns[0], [28, np.nan, 1.5])
    assert cells(frame)[1] == ["x", "", "2.0"]


LIBSVM = "+1 1:2 3:-4.5 # a remark\n\n-1 qid:7 2:1e1\n1.0\n"


def test_sparse_rows_become_columns_with_the_label_last(save: Save) -> None:
    frame = read(save(LIBSVM, "a.svm"), "libsvm")
    assert cells(frame) == [[2, 0, 0], [0, 10, 0], [-4.5, 0, 0], ["1", "-1", "1"]]


def test_sparse_rows_are_as_wide_as_the_layout_says(save: Save) -> None:
    path = save(LIBSVM, "a.svm")
    frame = read(path, "libsvm", columns=("f1..f4", "target"))
    assert cells(frame)[3:] == [[0, 0, 0], ["1", "-1", "1"]]
    assert len(read(path, "libsvm", columns=("f1..f3", "target")).columns) == 4
    said = refusal(path, "libsvm", columns=("f1", "f2", "target"))
    assert said == "a.svm: there is a feature 3, but the card has only 2"


@pytest.mark.parametrize(
    "row",
    [
        *("1:2 2:3", "yes 1:2", "1 0:2", "1 2:1 1:1", "1 1:1 1:1", "1 1:x", "1 1", "1 a:1", "1,2"),
        *("1 1:3_2", "1 1_0:1", "1_0 1:1"),
    ],
)
def test_a_row_that_is_not_sparse_is_refused_with_its_line(save: Save, row: str) -> None:
    path = save(f"# remark\n1 1:1\n{row}\n1 1:1\n", "a.svm")
    assert refusal(path, "libsvm") == (
        "a.svm, line 3: expected a label and feature:value pairs with features in ascending"
        " order from 1"
    )


def test_a_sparse_file_that_is_too_wide_is_refused(save: Save) -> None:
    said = refusal(save("1 100001:1\n", "a.svm"), "libsvm")
    assert said == "a.svm: 100001 columns, but at most 100000 can be read"


def mat(folder: Path, **held: object) -> Path:
    scipy.io.savemat(folder / "a.mat", held)
    return folder / "a.mat"


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("turned", [False, True])
def test_a_matrix_has_its_examples_where_the_labels_are(
    tmp_path: Path, turned: bool, sparse: bool
) -> None:
    X = np.array([[1.0, 2.0], [0.0, 3.0], [5.0, 0.0]])
    held = X.T if turned else X
    path = mat(
        tmp_path,
        X=scipy.sparse.csc_matrix(held) if sparse else held,
        y=[1.0, -1.0, 1.0],
        scale=2.0,
        by="me",
    )
    frame = read(path, "mat")
    assert cells(frame) == [[1, 0, 5], [2, 3, 0], ["1", "-1", "1"]]


@pytest.mark.parametrize(
    ("held", "names"),
    [
        ({"A": np.ones((3, 2)), "B": np.ones((3, 2)), "y": [1, 2, 3]}, "A 3 x 2, B 3 x 2, y 1 x 3"),
        ({"X": np.ones((3, 2)), "y": [1, 2, 3], "z": [1, 2, 3]}, "X 3 x 2, y 1 x 3, z 1 x 3"),
        ({"X": np.ones((3, 2)), "y": [1, 2, 3], "mean": [1, 2]}, "X 3 x 2, y 1 x 3, mean 1 x 2"),
        ({"X": np.ones((2, 2)), "y": [1, 2]}, "X 2 x 2, y 1 x 2"),
        ({"X": np.ones((3, 2)), "y": [1, 2, 3, 4]}, "X 3 x 2, y 1 x 4"),
        ({"words": "no numbers"}, "no array of numbers"),
    ],
)
def test_matrices_that_can_be_read_in_two_ways_are_refused(
    tmp_path: Path, held: dict[str, object], names: str
) -> None:
    assert refusal(mat(tmp_path, **held), "mat") == (
        "a.mat: expected one matrix of examples and one vector of labels, got " + names
    )


TWO = images([[[1, 2], [3, 4]], [[5, 6], [7, 255]]])


def test_pairs_of_images_and_labels_lie_one_below_the_other(save: Save) -> None:
    one = images([[[9, 8], [7, 6]]])
    contents = (TWO, labels(4, 9), gzip.compress(one), gzip.compress(labels(0)))
    names = ("i", "l", "j.gz", "m.gz")
    frame = read_idx([save(*file) for file in zip(contents, names, strict=True)])
    assert [column.dtype.kind for column in frame.columns] == [*"ffffU"]
    assert cells(frame) == [[1, 5, 9], [2, 6, 8], [3, 7, 7], [4, 255, 6], ["4", "9", "0"]]


@pytest.mark.parametrize(
    ("contents", "message"),
    [
        ([TWO], "a: expected image/label pairs, got 1 file"),
        ([labels(1, 2), TWO], "a: not an idx file of images, which starts with the number 2051"),
        ([TWO, TWO], "b: not an idx file of labels, which starts with the number 2049"),
        ([b"\0", labels(1)], "a: not an idx file of images, which starts with the number 2051"),
        ([TWO[:-1], labels(1, 2)], "a: expected 2 x 2 x 2 bytes of images, got 7"),
        ([TWO, labels(1, 2) + b"\0"], "b: expected 2 bytes of labels, got 3"),
        ([TWO, labels(1)], "a has 2 images, but b has 1 labels"),
        ([TWO, labels(1, 2), images([[[1, 2]]]), labels(1)], "c has images of 1 x 2 pixels, but a"),
    ],
)
def test_broken_pairs_are_refused(save: Save, contents: list[bytes], message: str) -> None:
    paths = [save(content, name) for name, content in zip("abcd", contents, strict=False)]
    with pytest.raises(DataError) as error:
        read_idx(paths)
    assert str(error.value).replace(f"{paths[0].parent}/", "").startswith(message)


def test_one_file_of_a_pair_cannot_be_read_alone(save: Save) -> None:
    said = refusal(save(TWO, "a"), "idx")
    assert said == "a: idx files are read as image/label pairs"


def zeros(kind: str) -> bytes | str:
    """Return a small file of 1000 x 100 numbers."""
    numbers, file = np.zeros((1000, 100)), io.BytesIO()
    if kind == "libsvm":
        return "1 100:1\n" * 1000
    if kind == "mat":
        scipy.io.savemat(file, {"X": numbers, "y": numbers[:, 0]}, do_compression=True)
    else:
        pq.write_table(pa.table({f"c{j}": numbers[:, j] for j in range(100)}), file)
    return file.getvalue()


@pytest.mark.parametrize("kind", ["mat", "libsvm", "parquet"])
def test_a_small_file_of_a_huge_table_is_refused(
    save: Save, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    path = save(zeros(kind), "a.bin")
    monkeypatch.setenv("QUADREPRO_MAX_BYTES", "800000")
    read(path, kind)
    monkeypatch.setenv("QUADREPRO_MAX_BYTES", "799999")
    assert "the table of 1000 x 100 numbers has more than" in refusal(path, kind)


def test_the_environment_can_raise_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    assert (limit(BYTES), limit(SECONDS)) == (512 * 2**20, 1800)
    monkeypatch.setenv("QUADREPRO_MAX_BYTES", "1000")
    refuse_bytes(1000, "a.gz")
    with pytest.raises(DataError, match=r"^a.gz has more than 1,000 bytes; QUADREPRO_MAX_BYTES"):
        refuse_bytes(1001, "a.gz")


@pytest.mark.parametrize("variable", [BYTES, SECONDS])
@pytest.mark.parametrize("written", ["0", "-1", "1e9", "many", "9" * 30, "²"])
def test_a_limit_that_is_no_whole_number_is_refused(
    monkeypatch: pytest.MonkeyPatch, variable: str, written: str
) -> None:
    monkeypatch.setenv(variable, written)
    with pytest.raises(ConfigError, match=rf"{variable} must be a whole number such as \d+, not"):
        limit(variable)
