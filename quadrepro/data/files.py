"""Reading one file of any format as a DataFrame."""

from __future__ import annotations

import csv
import gzip
import io
import itertools
import numbers
import re
import struct
import textwrap
import zipfile
from collections.abc import Callable, Iterator, Sequence
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

_BLOCK = 10_000
"""Number of rows kept as Python's lists, which take more memory than a DataFrame."""


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
    readers: dict[str, Callable[[bytes], pd.DataFrame]] = {
        "csv": lambda content: _csv(decode(content, path, layout.encoding), path, layout),
        "arff": lambda content: _arff(decode(content, path)),
        "libsvm": lambda content: _libsvm(content, max(len(layout.columns) - 1, 0)),
        "parquet": _parquet,
        "excel": _excel,
        "mat": _mat,
    }
    if layout.format not in readers:
        raise DataError(f"{path}: {layout.format} files are read as pairs of images and labels")
    content = unpack(path, member)[1]
    with _readable(path, layout.format):
        frame = readers[layout.format](content)
        if layout.format not in ("csv", "libsvm", "mat"):
            frame = frame.apply(_column)
    if not frame.size:
        raise DataError(f"{path}: the file has no rows")
    if frame.index.name is None:
        frame.index = pd.RangeIndex(1, len(frame) + 1, name="row")
    return frame


@contextmanager
def _readable(path: Path, what: str) -> Iterator[None]:
    """Turn any error of a parser into a `DataError`."""
    try:
        yield
    except DataError:
        raise
    except arff.ArffException as error:
        # str(error) fails if the row has a percent sign.
        reason = error.message.replace("%d", str(error.line))
        raise DataError(f"{path}: not readable as {what}: {reason}") from error
    except Exception as error:
        reason = textwrap.shorten(str(error) or type(error).__name__, 200)
        raise DataError(f"{path}: not readable as {what}: {reason}") from error


def unpack(path: Path, member: str = "") -> tuple[str, bytes]:
    """Return the name and the content of a file, or of the file that is packed in it."""
    try:
        if path.suffix.lower() == ".zip":
            with zipfile.ZipFile(path) as archive:
                name = _member(path, archive, member)
                return name, archive.read(name)
        if path.suffix.lower() == ".gz":
            with gzip.open(path) as packed:
                return path.stem, packed.read()
        return path.name, path.read_bytes()
    except (OSError, EOFError, zipfile.BadZipFile) as error:
        raise DataError(f"{path}: {getattr(error, 'strerror', None) or error}") from error


def _member(path: Path, archive: zipfile.ZipFile, member: str) -> str:
    # macOS adds a file with its own metadata for each file.
    names = [
        info.filename
        for info in archive.infolist()
        if not info.is_dir() and not info.filename.startswith("__MACOSX/")
    ]
    if member in names:
        return member
    if not member and len(names) == 1:
        return names[0]
    wanted = repr(member) if member else "exactly one file"
    raise DataError(f"{path}: expected {wanted} in it, found {', '.join(names) or 'nothing'}")


def decode(content: bytes, path: Path, encoding: str = "utf-8") -> str:
    """Decode text, without a byte order mark."""
    try:
        text = content.decode("utf-8-sig" if encoding == "utf-8" else encoding)
        line = text[: text.find("\0") + 1].count("\n") + 1
    except UnicodeDecodeError as error:
        text = "\0"
        line = content[: error.start].count(b"\n") + 1
    if "\0" in text:
        raise DataError(f"{path}, line {line}: not {encoding.upper()} text")
    return text


def find_separator(text: str, name: str = "") -> str:
    """Return what makes `name` a field of the first row, or else splits the first rows evenly."""
    even = []
    for separator in SEPARATORS:
        try:
            rows = [*itertools.islice(filter(any, _reader(text, separator)), SEEN)]
        except csv.Error:  # A field without its separator can be too long.
            continue
        if name and rows and len(rows[0]) > 1 and name in [field.strip() for field in rows[0]]:
            return separator
        if len({len(row) for row in rows}) == 1 and len(rows[0]) > 1:
            even.append(separator)
    return even[0] if even else ","


def _reader(text: str, separator: str, skip: int = 0, *, strict: bool = False) -> Any:
    """Return a reader of rows, which counts lines."""
    lines: Iterator[str] = itertools.islice(io.StringIO(text, newline=""), skip, None)
    if separator == "blank":
        separator, lines = " ", (line.replace("\t", " ").rstrip() for line in lines)
    return csv.reader(lines, delimiter=separator, skipinitialspace=True, strict=strict)


def _csv(text: str, path: Path, layout: FileLayout) -> pd.DataFrame:
    # pandas.read_csv fills short rows in silence, and does not tell the lines of rows.
    reader = _reader(text, layout.separator, layout.skip, strict=True)
    lines: list[int] = []
    rows: list[list[str]] = []
    blocks: list[pd.DataFrame] = []
    try:
        for fields in filter(any, reader):
            lines.append(layout.skip + reader.line_num)
            rows.append(fields)
            if len(fields) != len(rows[0]):
                raise DataError(
                    f"{path}, line {lines[-1]}: {len(fields)} fields, but the first row has"
                    f" {len(rows[0])}"
                )
            if len(rows) > _BLOCK:
                blocks.append(pd.DataFrame(rows[:-1], dtype="str"))
                del rows[:-1]
    except csv.Error as error:
        line = 1 + (lines[-1] if lines else layout.skip)
        raise DataError(f"{path}, line {line}: {error}") from error
    frame = pd.concat([*blocks, pd.DataFrame(rows, dtype="str")])
    return frame.set_axis(pd.Index(lines, name="line")).apply(lambda column: column.str.strip())


def _column(column: pd.Series) -> pd.Series:
    """Return a column of any type as floats if all its values are numbers, otherwise as text."""
    if column.dtype.kind in "iuf":
        return column.astype(np.float64)
    if column.dtype.kind == "M":
        column = column.astype("str")  # dates without a time if no row has one
    values = column.astype(object)
    kinds = {type(value) for value in values[values.notna()]}
    if kinds & {list, dict, bytes, np.ndarray}:
        raise TypeError(f"the column {column.name} does not have numbers or text")
    values = values.mask(values == "")
    kinds = {type(value) for value in values[values.notna()]}
    if kinds and all(
        issubclass(kind, numbers.Number) and not issubclass(kind, bool) for kind in kinds
    ):
        return values.astype(np.float64)
    texts = values[values.notna()].astype("str").str.strip()
    return texts.reindex(values.index, fill_value="").astype("str")


def _arff(text: str) -> pd.DataFrame:
    lines = [_declaration(line) for line in text.split("\n")]
    content = arff.load(lines)
    starts = [line.lstrip()[:5].lower() for line in lines]
    first = starts.index("@data") + 1
    rows = [i + 1 for i in range(first, len(lines)) if starts[i] and starts[i][0] != "%"]
    names = [name for name, _ in content["attributes"]]
    return pd.DataFrame(content["data"], pd.Index(rows, name="line"), names, dtype=object)


def _declaration(line: str) -> str:
    """Return a line as liac-arff needs it: with a blank after the word, and without integers."""
    word, *rest = line.split(None, 1)[:2] or [""]
    if word.lower() not in ("@attribute", "@relation"):
        return line
    # liac-arff truncates integers, which files use for any number.
    return f"{word} " + re.sub(r"(?i)\sinteger\s*$", " real", rest[0] if rest else "")


def _libsvm(content: bytes, n_features: int) -> pd.DataFrame:
    from sklearn.datasets import load_svmlight_file  # takes a second to import

    examples, labels = load_svmlight_file(
        io.BytesIO(content), n_features=n_features or None, zero_based=False
    )
    return pd.DataFrame(np.column_stack([examples.toarray(), labels]))


def _parquet(content: bytes) -> pd.DataFrame:
    frame = pd.read_parquet(io.BytesIO(content))
    return frame.reset_index() if frame.index.name else frame


def _excel(content: bytes) -> pd.DataFrame:
    try:
        frame = pd.read_excel(io.BytesIO(content), keep_default_na=False, engine="calamine")
    except ImportError as error:
        raise ValueError("Excel files need: pip install 'quadrepro[excel]'") from error
    unnamed = re.compile(r"Unnamed: \d+")
    return frame.rename(columns=lambda name: "" if unnamed.fullmatch(str(name)) else str(name))


def _mat(content: bytes) -> pd.DataFrame:
    from scipy.io import loadmat

    held = [v for name, v in loadmat(io.BytesIO(content)).items() if not name.startswith("__")]
    dense = [np.asarray(v.toarray() if hasattr(v, "toarray") else v) for v in held]
    arrays = [array for array in dense if array.dtype.kind in "fiub" and array.size > 1]
    tables = [array for array in arrays if min(array.shape) > 1]
    vectors = [a for a in arrays if min(a.shape) == 1 and all(a.size in t.shape for t in tables)]
    if len(tables) != 1 or len(vectors) != 1 or len({*tables[0].shape}) == 1:
        shapes = ", ".join(_by(array.shape) for array in arrays)
        raise ValueError(
            f"expected one matrix of examples and one vector of labels, found {shapes}"
        )
    (table,), (labels,) = tables, vectors
    examples = table if labels.size == len(table) else table.T
    return pd.DataFrame(np.column_stack([examples, labels.ravel()]).astype(np.float64))


def read_idx(paths: Sequence[Path]) -> pd.DataFrame:
    """Read pairs of files in MNIST's format, with the rows of each pair below those before it."""
    arrays = [_idx_array(path) for path in paths]
    images, labels = arrays[::2], arrays[1::2]
    if [len(array) for array in images] != [array.size for array in labels] or len(
        {array.shape[1:] for array in images}
    ) != 1:
        files = ", ".join(f"{p} ({_by(a.shape)})" for p, a in zip(paths, arrays, strict=True))
        raise DataError(f"expected files of images, each with one of their labels, got {files}")
    pixels = np.concatenate([array.reshape(len(array), -1) for array in images])
    # Columns are contiguous, as they are read one by one.
    table = np.vstack([pixels.T, np.concatenate(labels)]).astype(np.float64).T
    return pd.DataFrame(table, pd.RangeIndex(1, len(table) + 1, name="row"), copy=False)


def _idx_array(path: Path) -> NDArray[np.uint8]:
    """Return the array in a file: two zeros, the type of bytes, the number of sizes, the sizes."""
    content = unpack(path)[1]
    try:
        n_sizes = content.startswith(b"\0\0\x08") and content[3]
        shape = struct.unpack_from(f">{n_sizes}i", content, 4)
        return np.frombuffer(content, np.uint8, offset=4 + 4 * n_sizes).reshape(shape)
    except (ValueError, IndexError, struct.error) as error:
        raise DataError(f"{path}: not a file of bytes in MNIST's format: {error}") from error


def _by(shape: Sequence[int]) -> str:
    return " x ".join(map(str, shape))
