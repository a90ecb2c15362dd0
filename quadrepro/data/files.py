"""Reading one file of any format as a DataFrame."""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import itertools
import re
import textwrap
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import arff
import numpy as np
import pandas as pd
from numpy.typing import NDArray

from quadrepro.data.source import FileLayout
from quadrepro.errors import DataError

SEPARATORS = (";", "\t", "|", ",", "blank")
"""Known separators of text; commas may be decimal signs, and names may contain blanks."""

SEEN = 20
"""Number of rows in which a separator is looked for."""


def read_file(path: Path, layout: FileLayout, member: str = "") -> pd.DataFrame:
    """Read a table.

    Parameters
    ----------
    path : Path
        The file; ``.gz`` and ``.zip`` are unpacked.
    layout : FileLayout
        Its format and, for text, its separator, its encoding and the number of lines to skip.
    member : str, default ""
        The file in a ``.zip``; can be left out if there is only one.

    Returns
    -------
    DataFrame of shape (n_rows, n_columns)
        Each column has only floats, with NaN for a missing value, or only text without surrounding
        blanks, with ``""``; all columns of ``csv`` are text. The columns have the names of the
        file, or numbers if it has none. The index, called "line" or "row", is the last line of
        the row in the file, or the number of the row from 1.
    """
    content = unpack(path, member)[1]
    with _readable(path, layout.format):
        match layout.format:
            case "csv":
                frame = _csv(decode(content, path, layout.encoding), path, layout)
            case "arff":
                frame = _arff(decode(content, path))
            case "libsvm":
                frame = _libsvm(content, max(len(layout.columns) - 1, 0))
            case "parquet":
                frame = pd.read_parquet(io.BytesIO(content))
            case "excel":
                frame = pd.read_excel(io.BytesIO(content), keep_default_na=False, engine="calamine")
            case "mat":
                frame = _mat(content)
            case "idx":
                raise ValueError("images and their labels are in two files")
    if not frame.size:
        raise DataError(f"{path}: the file has no rows")
    if layout.format == "csv":
        return frame
    if layout.format != "arff":
        frame = _numbered(frame)
    return frame.apply(_column)


@contextmanager
def _readable(path: Path, what: str) -> Iterator[None]:
    """Turn any error of a parser into a `DataError`."""
    try:
        yield
    except DataError:
        raise
    except Exception as error:
        # The messages of liac-arff lack the line, and fail if the row has a percent sign.
        reason = (
            error.message.replace("%d", str(error.line))
            if isinstance(error, arff.ArffException)
            else str(error)
        )
        reason = textwrap.shorten(reason, 200)
        raise DataError(f"{path}: not readable as {what}: {reason}") from error


def _numbered(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.set_axis(pd.RangeIndex(1, len(frame) + 1, name="row"))


def _column(column: pd.Series) -> pd.Series:
    """Return numbers as floats, and anything else as text."""
    if column.dtype.kind in "iuf":
        return column.astype(np.float64)
    return column.astype("str").str.strip().fillna("")


def unpack(path: Path, member: str = "") -> tuple[str, bytes]:
    """Return the name and the content of a file, or of the file that is packed in it."""
    try:
        if path.suffix.lower() == ".zip":
            with zipfile.ZipFile(path) as archive:
                name = _member(path, archive.namelist(), member)
                return name, archive.read(name)
        if path.suffix.lower() == ".gz":
            return path.stem, gzip.decompress(path.read_bytes())
        return path.name, path.read_bytes()
    except (OSError, EOFError, zipfile.BadZipFile) as error:
        raise DataError(f"{path}: {getattr(error, 'strerror', None) or error}") from error


def _member(path: Path, names: list[str], member: str) -> str:
    # macOS adds a file with its own metadata for each file.
    files = [name for name in names if not name.endswith("/") and not name.startswith("__MACOSX/")]
    wanted = [name for name in files if member in ("", name)]
    if len(wanted) != 1:
        what = repr(member) if member else "exactly one file"
        raise DataError(f"{path}: expected {what} in it, found {', '.join(files) or 'nothing'}")
    return wanted[0]


def decode(content: bytes, path: Path, encoding: str = "utf-8") -> str:
    """Decode text, without a byte order mark."""
    try:
        return content.decode("utf-8-sig" if encoding == "utf-8" else encoding)
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise DataError(f"{path}, line {line}: not {encoding.upper()} text") from error


def detect(path: Path, column: str = "", encoding: str = "", separator: str = "") -> FileLayout:
    """Return the encoding and the separator of text, unless they are given.

    The separator is the one that makes the name of a column a field of the first row; without a
    name, or if none does, the first one that splits the first rows evenly.
    """
    content = unpack(path)[1]
    encoding = encoding or encoding_of(content)
    separator = separator or _separator(decode(content, path, encoding), column)
    return FileLayout(separator=separator, encoding=encoding)


def encoding_of(content: bytes) -> str:
    """Return UTF-16 if the text has its mark, UTF-8 if it is, or else Windows' Latin."""
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    try:
        content.decode()
    except UnicodeDecodeError:
        return "cp1252"
    return "utf-8"


def _separator(text: str, column: str) -> str:
    even = []
    for separator in SEPARATORS:
        try:
            rows = [*itertools.islice(filter(any, _reader(text, separator)), SEEN)]
        except csv.Error:
            continue  # A row that is split by the wrong separator can be too long for a field.
        if rows and len(rows[0]) > 1:
            if column and column in [field.strip() for field in rows[0]]:
                return separator
            if len({len(row) for row in rows}) == 1:
                even.append(separator)
    return even[0] if even else ","


def _reader(text: str, separator: str, skip: int = 0, *, strict: bool = False) -> Any:
    """Return a reader of rows, which counts lines."""
    lines: Iterator[str] = itertools.islice(io.StringIO(text, newline=""), skip, None)
    if separator == "blank":
        separator, lines = " ", (line.replace("\t", " ").rstrip() for line in lines)
    return csv.reader(lines, delimiter=separator, skipinitialspace=True, strict=strict)


def _csv(text: str, path: Path, layout: FileLayout) -> pd.DataFrame:
    # pandas.read_csv fills short rows in silence, and does not know the lines of rows.
    reader = _reader(text, layout.separator, layout.skip, strict=True)
    rows: dict[int, list[str]] = {}
    try:
        for fields in filter(any, reader):
            rows[layout.skip + reader.line_num] = [field.strip() for field in fields]
    except csv.Error as error:
        line = 1 + max(rows, default=layout.skip)
        raise DataError(f"{path}, line {line}: {error}") from error
    width = len(next(iter(rows.values()), ()))
    for line, fields in rows.items():
        if len(fields) != width:
            found = f"{len(fields)} fields, but the first row has {width}"
            raise DataError(f"{path}, line {line}: {found}")
    return pd.DataFrame([*rows.values()], pd.Index([*rows], name="line"), dtype="str")


def _arff(text: str) -> pd.DataFrame:
    # liac-arff needs a blank after the word, and truncates integers, which are often any number.
    text = re.sub(r"(?im)^[ \t]*(@attribute|@relation)[ \t]+", r"\1 ", text)
    text = re.sub(r"(?im)^(@attribute .*\s)integer[ \t\r]*$", r"\1real", text)
    content = arff.loads(text)
    lines = [line.strip().lower()[:5] for line in text.split("\n")]
    start = lines.index("@data") + 1
    rows = [i for i, line in enumerate(lines[start:], start + 1) if line and line[0] != "%"]
    names = [name for name, _ in content["attributes"]]
    return pd.DataFrame(content["data"], pd.Index(rows, name="line"), names)


def _libsvm(content: bytes, n_features: int) -> pd.DataFrame:
    from sklearn.datasets import load_svmlight_file  # takes a second to import

    examples, labels = load_svmlight_file(
        io.BytesIO(content), n_features=n_features or None, zero_based=False
    )
    return pd.DataFrame(np.column_stack([examples.toarray(), labels]))


def _mat(content: bytes) -> pd.DataFrame:
    from scipy.io import loadmat  # rarely needed

    held = {k: v for k, v in loadmat(io.BytesIO(content)).items() if not k.startswith("__")}
    labels, examples = sorted(held.values(), key=np.size)
    if len(examples) != labels.size:
        examples = examples.T
    return pd.DataFrame(np.column_stack([examples, labels.ravel()]))


def read_idx(paths: Sequence[Path]) -> pd.DataFrame:
    """Read pairs of files in MNIST's format, with the rows of each pair below those before it."""
    arrays = [_idx_array(path) for path in paths]
    with _readable(paths[0], "pairs of images and labels"):
        pairs = zip(arrays[::2], arrays[1::2], strict=True)
        tables = [np.column_stack([x.reshape(len(x), -1), labels]) for x, labels in pairs]
        # Columns are contiguous, as they are read one by one.
        table = np.concatenate(tables).astype(np.float64, order="F")
    return _numbered(pd.DataFrame(table, copy=False))


def _idx_array(path: Path) -> NDArray[np.uint8]:
    """Return the array in a file: two zeros, the type of bytes, the number of sizes, the sizes."""
    content = unpack(path)[1]
    with _readable(path, "idx"):
        n_sizes = content[3]
        sizes = np.frombuffer(content, ">i4", n_sizes, offset=4)
        return np.frombuffer(content, np.uint8, offset=4 + 4 * n_sizes).reshape(sizes)
