"""Files of data sets, as columns: text, archives, spreadsheets and binary formats."""

from __future__ import annotations

import codecs
import contextlib
import csv
import dataclasses
import gzip
import io
import itertools
import math
import os
import re
import struct
import textwrap
import zipfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from quadrepro.base.files import is_special
from quadrepro.base.types import FloatArray
from quadrepro.data.canonical import (
    Column,
    TextArray,
    nominal_column,
    numbers,
    text_column,
)
from quadrepro.data.schema import MAX_COLUMNS
from quadrepro.data.source import FileLayout
from quadrepro.errors import ConfigError, DataError

if TYPE_CHECKING:
    import pyarrow as pa


@dataclasses.dataclass(frozen=True, eq=False)
class Frame:
    """A table as it is in its source.

    Attributes
    ----------
    columns : tuple of ndarray of shape (n_rows,)
        Text without surrounding blanks, or numbers with NaN for missing values.
    origin : str
        The source in words, for messages.
    names : tuple of str or None, default None
        The names of the columns in the source, or None if it has none.
    lines : sequence of int or None, default None
        The line on which each row ends, or None if the source is not a text file.
    """

    columns: tuple[Column, ...]
    origin: str
    names: tuple[str, ...] | None = None
    lines: Sequence[int] | None = None

    def place(self, row: int) -> str:
        """Return the place of the row with a given index: its line, or else its number."""
        return f"line {self.lines[row]}" if self.lines is not None else f"row {row + 1}"


BYTES, SECONDS = "QUADREPRO_MAX_BYTES", "QUADREPRO_MAX_SECONDS"
"""The environment variables that change the limits."""

_DEFAULTS = {BYTES: 512 * 2**20, SECONDS: 1800}


UTF_8 = "utf-8"

_CONTROLS = re.compile(r"[\x00-\x08\x0e-\x1f\x7f]")
"""Characters of binary files, which texts do not contain."""


def limit(variable: str) -> int:
    """Return a limit."""
    default = _DEFAULTS[variable]
    written = os.environ.get(variable, "") or str(default)
    if not (written.isdecimal() and len(written) < 16 and int(written)):
        raise ConfigError(f"{variable} must be a whole number such as {default}, not {written!r}")
    return int(written)


def refuse_bytes(n_bytes: int, what: str) -> None:
    """Refuse more bytes than are allowed."""
    most = limit(BYTES)
    if n_bytes > most:
        raise DataError(f"{what} has more than {most:,} bytes; {BYTES} can allow more")


def refuse_width(n_columns: int, origin: str) -> None:
    """Raise a `DataError` if a table has more than `MAX_COLUMNS` columns."""
    if n_columns > MAX_COLUMNS:
        raise DataError(f"{origin}: {n_columns} columns, but at most {MAX_COLUMNS} can be read")


def refuse_table(n_rows: int, n_columns: int, origin: str) -> None:
    """Raise a `DataError` if a table of numbers takes more bytes than are allowed."""
    refuse_bytes(8 * n_rows * n_columns, f"{origin}: the table of {n_rows} x {n_columns} numbers")


@contextlib.contextmanager
def errors_of_others(what: str) -> Iterator[None]:
    """Turn any error of code that is not ours into a `DataError` that begins with `what`."""
    try:
        yield
    except DataError:
        raise
    except Exception as error:  # Parsers of broken binary files raise errors of any kind.
        said = str(getattr(error, "strerror", None) or error)
        reason = textwrap.shorten(said or type(error).__name__, 200)
        raise DataError(f"{what}: {reason}") from error


def read_file(path: Path, layout: FileLayout, member: str = "") -> Frame:
    """Read the table in a file."""
    name, content = unpack(path, member)
    origin = str(path) if name == path.name else f"{path} ({name})"
    readers: dict[str, Callable[[], Frame]] = {
        "csv": lambda: _csv(text_of(content, origin, layout.encoding), origin, layout),
        "arff": lambda: read_arff(text_of(content, origin), origin),
        "libsvm": lambda: libsvm(content, origin, max(len(layout.columns) - 1, 0)),
        "parquet": lambda: parquet(content, origin),
        "excel": lambda: excel(content, origin),
        "mat": lambda: mat(content, origin),
    }
    if layout.format not in readers:
        raise DataError(f"{path}: {layout.format} files are read as image/label pairs")
    frame = readers[layout.format]()
    if not frame.columns or not len(frame.columns[0]):
        raise DataError(f"{origin}: the file has no rows")
    return frame


def unpack(path: Path, member: str = "") -> tuple[str, bytes]:
    """Return the name and the content of a file, or of the file that is packed in it."""
    if is_special(path):
        raise DataError(f"{path}: cannot be read: not a regular file")
    with errors_of_others(f"{path}: cannot be read"):
        if path.suffix.lower() == ".zip":
            with zipfile.ZipFile(path) as archive:
                name = _member(path, archive, member)
                # No more is read than the archive declares.
                refuse_bytes(archive.getinfo(name).file_size, f"{path}: once unpacked, {name}")
                return name, archive.read(name)
        if path.suffix.lower() == ".gz":
            with gzip.open(path) as packed:
                content = packed.read(limit(BYTES) + 1)
                refuse_bytes(len(content), f"{path}: once unpacked, the file")
                return path.stem, content
        refuse_bytes(path.stat().st_size, f"{path}: the file")
        return path.name, path.read_bytes()


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
    holds = ", ".join(names) or "nothing"
    if member:
        raise DataError(f"{path}: there is no {member!r} in it; it contains {holds}")
    raise DataError(f"{path}: expected an archive with one file; it contains {holds}")


def text_of(content: bytes, origin: str, encoding: str = UTF_8) -> str:
    """Decode text, without a byte order mark."""
    try:
        text = content.decode("utf-8-sig" if encoding == UTF_8 else encoding)
        zero = text.find("\0")
        line = text.count("\n", 0, zero) + 1
    except UnicodeDecodeError as error:
        zero = error.start
        line = content[:zero].count(b"\n") + 1
    if zero >= 0:
        raise DataError(f"{origin}, line {line}: not {encoding.upper()} text")
    return text


def encoding_of(content: bytes) -> str:
    """Return the encoding of a text: UTF-8, UTF-16 or Windows' superset of Latin-1."""
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    # Every other byte of most texts is zero.
    start = content[:1000]
    for encoding, zeros in (("utf-16-le", start[1::2]), ("utf-16-be", start[::2])):
        if 2 * zeros.count(0) > len(zeros):
            return encoding
    for encoding in (UTF_8, "cp1252"):
        with contextlib.suppress(UnicodeDecodeError):
            if not _CONTROLS.search(content.decode(encoding)):
                return encoding
    return UTF_8


def separator_of(text: str, target: str = "") -> str:
    """Return what splits the first rows evenly, preferably with the target in the header."""
    best, separator = (False, False, False, 1), ","
    for candidate in (",", ";", "\t", "|"):
        first = _first_rows(text, candidate)
        width = len(first[0]) if first else 0
        even = width > 1 and {*map(len, first)} == {width}
        # Between decimal commas there is another separator.
        fits = (bool(first) and target in first[0], even, even and candidate != ",", width)
        if fits > best:
            best, separator = fits, candidate
    # Names can contain blanks, so blanks are separators only if nothing else is.
    header = _first_rows(text, "blank")[:1]
    return "blank" if best[3] == 1 and header and len(header[0]) > 1 else separator


def _first_rows(text: str, separator: str) -> list[list[str]]:
    rows: list[list[str]] = []
    try:
        for fields, _ in itertools.islice(text_rows(text, "", separator), 20):
            rows.append(fields)
    except DataError:  # A quote is followed by another separator: this one makes uneven rows.
        rows.append([])
    return rows


def text_rows(
    text: str, origin: str, separator: str, skip: int = 0
) -> Iterator[tuple[list[str], int]]:
    """Yield the fields of every row that is not blank, and the line on which the row ends."""
    lines: Iterator[str] = itertools.islice(io.StringIO(text, newline=""), skip, None)
    blanks = separator == "blank"
    if blanks:
        lines = (line.replace("\t", " ").rstrip() for line in lines)
    delimiter = " " if blanks else separator
    reader = csv.reader(lines, delimiter=delimiter, skipinitialspace=True, strict=True)
    begin = skip
    try:
        for fields in reader:
            begin = skip + reader.line_num
            stripped = [field.strip() for field in fields]
            if stripped and stripped != [""]:
                yield stripped, begin
    except csv.Error as error:
        raise DataError(f"{origin}, line {begin + 1}: {error}") from error


def _csv(text: str, origin: str, layout: FileLayout) -> Frame:
    lines: list[int] = []
    rows = _even_rows(text_rows(text, origin, layout.separator, layout.skip), origin, lines)
    # A field takes many times as much memory as a str of Python as it does in an array.
    parts = iter(lambda: [*itertools.islice(rows, 10_000)], [])
    blocks = [[text_column(c) for c in zip(*part, strict=True)] for part in parts]
    columns = tuple(map(np.concatenate, zip(*blocks, strict=True)))
    return Frame(columns, origin, lines=lines)


def _even_rows(
    rows: Iterator[tuple[list[str], int]], origin: str, lines: list[int]
) -> Iterator[list[str]]:
    """Yield rows, all with the same number of fields, and append their lines to `lines`."""
    width = 0
    for fields, line in rows:
        if not width:
            width = len(fields)
            refuse_width(width, f"{origin}, line {line}")
        elif len(fields) != width:
            raise DataError(
                f"{origin}, line {line}: {len(fields)} fields, but the first row has {width}"
            )
        lines.append(line)
        yield fields


# liac-arff needs a blank after these words.
_DECLARATIONS = ("@attribute", "@relation")


_NUMERIC = ("integer", "numeric", "real")
"""Types of attributes with numbers."""


_CODE = (
    r"""(?:"(?:[^"\\]|\\.)*+"|'(?:[^'\\]|\\.)*+'|(?:[^\s,}"']|}(?!$))(?:[^\s,}]|}(?!$))*+)?+\s*+"""
)


_CODES = re.compile(rf"\s*+(?:{_CODE},\s*+)*+{_CODE}}}")
"""The codes of an attribute; liac-arff takes exponential time to find that some are none."""


FEW_CODES = 10
"""Number of commas up to which liac-arff may look by itself."""


def read_arff(text: str, origin: str) -> Frame:
    """Return the rows of an ARFF file, dense or sparse."""
    import arff

    n_attributes = text.lower().count("@attribute")
    refuse_width(n_attributes, origin)
    if re.search(r"^[^\S\n]*+\{", text, re.MULTILINE):
        # A sparse row is a few bytes, whatever the number of its columns.
        refuse_table(text.count("\n") + 1, n_attributes, origin)
    rows_at: list[int] = []
    numeric: list[bool] = []
    line = 0

    def lines() -> Iterator[str]:
        nonlocal line
        in_data = False
        for line, written in enumerate(io.StringIO(text), start=1):
            bare = written.strip()
            if in_data and bare and not bare.startswith("%"):
                rows_at.append(line)
            in_data = in_data or bare.upper().startswith("@DATA")
            word, *rest = bare.split(None, 1) or [""]
            if in_data or not rest or word.lower() not in _DECLARATIONS:
                yield written
                continue
            after_name = max(rest[0].find(rest[0][0], 1), 0) if rest[0][0] in "\"'" else 0
            _, _, codes = rest[0][after_name:].partition("{")
            if codes.count(",") > FEW_CODES and not _CODES.fullmatch(codes):
                raise ValueError("the codes of the attribute are not a list such as {a, b}")
            *name, last = rest[0].rsplit(None, 1)
            is_numeric = bool(name) and last.lower() in _NUMERIC
            if word.lower() == "@attribute":
                numeric.append(is_numeric)
            # liac-arff truncates integers, and reads 3_2 as 32.
            yield f"{word} {name[0]} string" if is_numeric else f"{word} {rest[0]} "

    try:
        content = arff.load(lines())
    except arff.ArffException as error:
        # str(error) fails if the row has a percent sign.
        reason = textwrap.shorten(error.message.replace("%d", str(error.line)), 200)
        raise DataError(f"{origin}: not readable as ARFF: {reason}") from error
    except (ValueError, LookupError, csv.Error) as error:
        raise DataError(f"{origin}, line {line}: not readable as ARFF: {error}") from error
    if not content["data"]:
        raise DataError(f"{origin}: the file has no rows")
    names = tuple(name for name, _ in content["attributes"])
    columns: list[Column] = []
    values_of = zip(*content["data"], strict=True)
    for name, values, is_numeric in zip(names, values_of, numeric, strict=True):
        texts = ["" if value is None else value.strip() for value in values]
        columns.append(text_column(texts))
        if is_numeric:
            columns[-1] = numbers("" if text.lower() == "nan" else text for text in texts)
            for row in np.flatnonzero(np.isinf(columns[-1])):
                raise DataError(
                    f"{origin}, line {rows_at[row]}: {name} is {texts[row]!r}, which is not a"
                    " finite number"
                )
    return Frame(tuple(columns), origin, names, rows_at)


def libsvm(content: bytes, origin: str, n_features: int) -> Frame:
    """Read sparse rows in LIBSVM's format."""
    from sklearn.datasets import load_svmlight_file

    if b"_" in content:
        # scikit-learn reads 3_2 as 32.
        _refuse_libsvm_line(content, origin)
    try:
        sparse, labels = load_svmlight_file(io.BytesIO(content), zero_based=False)
    except (ValueError, OverflowError) as error:
        _refuse_libsvm_line(content, origin)
        raise DataError(f"{origin}: not readable as LIBSVM: {error}") from error
    held = sparse.shape[1]
    if n_features and held > n_features:
        raise DataError(f"{origin}: there is a feature {held}, but the card has only {n_features}")
    refuse_width(held, origin)
    refuse_table(sparse.shape[0], max(held, n_features), origin)
    dense = np.zeros((max(held, n_features), sparse.shape[0]))
    sparse.T.toarray(out=dense[:held])
    return Frame((*dense, _label_texts(labels)), origin)


def _refuse_libsvm_line(content: bytes, origin: str) -> None:
    """Raise a `DataError` for the first line that is not valid, if there is one."""
    for line, row in enumerate(content.splitlines(), start=1):
        row = row.split(b"#")[0]
        label, *pairs = row.split() or [b"0"]
        try:
            features = [int(pair.split(b":")[0]) for pair in pairs if pair[:4] != b"qid:"]
            for value in (label, *(pair.split(b":")[1] for pair in pairs)):
                float(value)
        except (ValueError, IndexError):
            features = [0]
        if b"_" in row or features != sorted(set(features)) or features[:1] == [0]:
            raise DataError(
                f"{origin}, line {line}: expected a label and feature:value pairs with features in"
                " ascending order from 1"
            )


def parquet(content: bytes, origin: str) -> Frame:
    """Read a parquet file: integers, floats and decimals as numbers, everything else as text."""
    import pyarrow.parquet as pq

    with errors_of_others(f"{origin}: not readable as parquet"):
        file = pq.ParquetFile(io.BytesIO(content))
        n_columns = len(file.schema_arrow)
        refuse_width(n_columns, origin)
        refuse_table(file.metadata.num_rows, n_columns, origin)
        table = file.read()
        columns = tuple(
            _arrow_column(name, column, origin)
            for name, column in zip(table.schema.names, table.columns, strict=True)
        )
    return Frame(columns, origin, tuple(table.schema.names))


def _arrow_column(name: str, column: pa.ChunkedArray, origin: str) -> Column:
    import pyarrow as pa

    kind = column.type
    if pa.types.is_dictionary(kind):
        column, kind = column.cast(kind.value_type), kind.value_type
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        # Rounded to float64, as numbers of text files are.
        numbers: FloatArray = column.cast(pa.float64(), safe=False).to_numpy()
        return numbers
    if pa.types.is_nested(kind) or pa.types.is_binary(kind):
        raise DataError(f"{origin}: column {name} has type {kind}; expected numbers or text")
    texts = column.cast(pa.string()).to_pylist()
    return text_column((text or "").strip() for text in texts)


def excel(content: bytes, origin: str) -> Frame:
    """Read the first sheet of an .xls file, whose first row has the names of the columns."""
    import xlrd

    with errors_of_others(f"{origin}: not readable as an .xls file"):
        book = xlrd.open_workbook(file_contents=content, logfile=io.StringIO())
        sheet = book.sheet_by_index(0)
        columns = [sheet.col(j) for j in range(sheet.ncols)]
    names = tuple(str(top.value).strip() for top, *_ in columns)
    return Frame(tuple(_excel_column(cells) for _, *cells in columns), origin, names)


def _excel_column(cells: Sequence[Any]) -> Column:
    # A cell without a value has an empty text.
    if all(isinstance(cell.value, float) or cell.value == "" for cell in cells):
        return np.array([math.nan if cell.value == "" else cell.value for cell in cells])
    return text_column(str(cell.value).strip() for cell in cells)


_MATLAB_NUMBERS = frozenset(
    {"double", "single", "logical", "sparse"}
    | {f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)}
)
"""What MATLAB calls the arrays that are numbers; others are not read."""


def mat(content: bytes, origin: str) -> Frame:
    """Read a MATLAB file with one matrix of examples and one vector of labels."""
    from scipy.io import loadmat, whosmat

    file: Any = io.BytesIO(content)
    with errors_of_others(f"{origin}: not readable as a MATLAB file"):
        names = []
        for name, shape, kind in whosmat(file):
            if len(shape) == 2 and kind in _MATLAB_NUMBERS:
                refuse_table(shape[0], shape[1], f"{origin} ({name})")
                names.append(name)
        file.seek(0)
        held = {k: _dense(v) for k, v in loadmat(file, variable_names=names).items()}
    numbers = {k: v for k, v in held.items() if v is not None and v.size > 1}
    matrices = [k for k, v in numbers.items() if min(v.shape) > 1]
    vectors = [k for k, v in numbers.items() if min(v.shape) == 1]
    shapes = ", ".join(f"{k} {_by(v.shape)}" for k, v in numbers.items())
    refusal = DataError(
        f"{origin}: expected one matrix of examples and one vector of labels, got"
        f" {shapes or 'no array of numbers'}"
    )
    if len(matrices) != 1:
        raise refusal
    examples = numbers[matrices[0]]
    vectors = [k for k in vectors if numbers[k].size in examples.shape]
    if len(vectors) != 1 or examples.shape[0] == examples.shape[1]:
        raise refusal
    labels = numbers[vectors[0]].ravel()
    features = examples if labels.size == examples.shape[1] else examples.T
    return Frame((*features.astype(np.float64, order="C"), _label_texts(labels)), origin)


def _dense(value: Any) -> NDArray[Any] | None:
    """Return a 2-D array of numbers, or None for any other value of a MATLAB file."""
    array = value.toarray() if hasattr(value, "toarray") else value
    is_table = isinstance(array, np.ndarray) and array.ndim == 2 and array.dtype.kind in "fiub"
    return array if is_table else None


_IDX_IMAGES, _IDX_LABELS = 2051, 2049


def read_idx(paths: Sequence[Path]) -> Frame:
    """Read files in MNIST's format, and put the rows of each pair below those of the one before."""
    files = [(str(path), unpack(path)[1]) for path in paths]
    names = " + ".join(name for name, _ in files)
    if len(files) % 2 or not files:
        raise DataError(
            f"{names or 'idx'}: expected image/label pairs, got {len(files)}"
            f" {'file' if len(files) == 1 else 'files'}"
        )
    arrays = [
        _idx_array(name, content, (_IDX_IMAGES, _IDX_LABELS)[i % 2])
        for i, (name, content) in enumerate(files)
    ]
    images, labels = arrays[::2], arrays[1::2]
    for i, (pixels, classes) in enumerate(zip(images, labels, strict=True)):
        if len(pixels) != len(classes):
            raise DataError(
                f"{files[2 * i][0]} has {len(pixels)} images, but"
                f" {files[2 * i + 1][0]} has {len(classes)} labels"
            )
        if pixels.shape[1:] != images[0].shape[1:]:
            raise DataError(
                f"{files[2 * i][0]} has images of {_by(pixels.shape[1:])} pixels, but"
                f" {files[0][0]} has images of {_by(images[0].shape[1:])}"
            )
    pixels = np.concatenate(images).reshape(sum(map(len, images)), -1)
    columns = pixels.T.astype(np.float64, order="C")
    return Frame((*columns, np.concatenate(labels).astype(np.str_)), names)


def _idx_array(name: str, content: bytes, magic: int) -> NDArray[np.uint8]:
    what = "images" if magic == _IDX_IMAGES else "labels"
    n_sizes = magic % 256
    if len(content) < 4 * (n_sizes + 1) or struct.unpack_from(">i", content)[0] != magic:
        raise DataError(f"{name}: not an idx file of {what}, which starts with the number {magic}")
    shape = struct.unpack_from(f">{n_sizes}i", content, 4)
    held = len(content) - 4 * (n_sizes + 1)
    if held != np.prod(shape, dtype=np.int64):
        raise DataError(f"{name}: expected {_by(shape)} bytes of {what}, got {held}")
    return np.frombuffer(content, np.uint8, offset=4 * (n_sizes + 1)).reshape(shape)


def _label_texts(labels: NDArray[Any]) -> TextArray:
    return nominal_column(map(str, labels.tolist()))


def _by(shape: Sequence[int]) -> str:
    return " x ".join(map(str, shape))
