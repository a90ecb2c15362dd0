"""Reading binary files, and LIBSVM's text, as frames."""

from __future__ import annotations

import contextlib
import io
import math
import struct
import textwrap
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from quadrepro._typing import FloatArray
from quadrepro.data.canonical import Column, nominal_column
from quadrepro.data.schema import MAX_COLUMNS
from quadrepro.data.sources.frame import Frame
from quadrepro.data.sources.limits import refuse_bytes
from quadrepro.errors import DataError

if TYPE_CHECKING:
    import pyarrow as pa

_MATLAB_NUMBERS = frozenset(
    {"double", "single", "logical", "sparse"}
    | {f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)}
)
"""What MATLAB calls the arrays that are numbers; others are not read."""

_IDX_IMAGES, _IDX_LABELS = 2051, 2049


def libsvm(content: bytes, origin: str, n_features: int) -> Frame:
    """Read sparse rows in LIBSVM's format.

    Parameters
    ----------
    content : bytes
    origin : str
        The file in words, for messages.
    n_features : int
        The number of features, or 0 for as many as occur.

    Returns
    -------
    Frame
        The features in their order, then the label as text.

    Raises
    ------
    DataError
        If the content is not valid, or has more features than expected.
    """
    from sklearn.datasets import load_svmlight_file

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


def parquet(content: bytes, origin: str) -> Frame:
    """Read a parquet file: integers, floats and decimals as numbers, everything else as text."""
    import pyarrow.parquet as pq

    with _library(origin, "parquet"):
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


def excel(content: bytes, origin: str) -> Frame:
    """Read the first sheet of an .xls file, whose first row has the names of the columns."""
    import xlrd

    with _library(origin, "an .xls file"):
        book = xlrd.open_workbook(file_contents=content, logfile=io.StringIO())
        sheet = book.sheet_by_index(0)
        columns = [sheet.col(j) for j in range(sheet.ncols)]
    names = tuple(str(top.value).strip() for top, *_ in columns)
    return Frame(tuple(_excel_column(cells) for _, *cells in columns), origin, names)


def mat(content: bytes, origin: str) -> Frame:
    """Read a MATLAB file with one matrix of examples and one vector of labels."""
    from scipy.io import loadmat, whosmat

    file: Any = io.BytesIO(content)
    with _library(origin, "a MATLAB file"):
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


def idx(files: Sequence[tuple[str, bytes]]) -> Frame:
    """Read files in MNIST's format.

    Parameters
    ----------
    files : sequence of tuple of (str, bytes)
        Names and contents: images, labels, images, labels and so on.

    Returns
    -------
    Frame
        The pixels as numbers, row by row of an image, then the label as text.

    Raises
    ------
    DataError
        If the files are not valid, or not pairs with as many images as labels.
    """
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


def refuse_width(n_columns: int, origin: str) -> None:
    """Raise a `DataError` if a table has more than `MAX_COLUMNS` columns."""
    if n_columns > MAX_COLUMNS:
        raise DataError(f"{origin}: {n_columns} columns, but at most {MAX_COLUMNS} can be read")


def refuse_table(n_rows: int, n_columns: int, origin: str) -> None:
    """Raise a `DataError` if a table of numbers takes more bytes than are allowed."""
    refuse_bytes(8 * n_rows * n_columns, f"{origin}: the table of {n_rows} x {n_columns} numbers")


@contextlib.contextmanager
def _library(origin: str, what: str) -> Iterator[None]:
    """Turn any error of a library into a `DataError` that names the file."""
    try:
        yield
    except DataError:
        raise
    except Exception as error:  # Parsers of broken binary files raise errors of any kind.
        reason = textwrap.shorten(str(error) or type(error).__name__, 200)
        raise DataError(f"{origin}: not readable as {what}: {reason}") from error


def _label_texts(labels: NDArray[Any]) -> NDArray[np.str_]:
    return nominal_column(map(str, labels.tolist()))


def _refuse_libsvm_line(content: bytes, origin: str) -> None:
    """Raise a `DataError` for the first line that is not valid, if there is one."""
    for line, row in enumerate(content.splitlines(), start=1):
        label, *pairs = row.split(b"#")[0].split() or [b"0"]
        try:
            features = [int(pair.split(b":")[0]) for pair in pairs if pair[:4] != b"qid:"]
            for value in (label, *(pair.split(b":")[1] for pair in pairs)):
                float(value)
        except (ValueError, IndexError):
            features = [0]
        if features != sorted(set(features)) or features[:1] == [0]:
            raise DataError(
                f"{origin}, line {line}: expected a label and feature:value pairs with features in"
                " ascending order from 1"
            )


def _excel_column(cells: Sequence[Any]) -> Column:
    # A cell without a value has an empty text.
    if all(isinstance(cell.value, float) or cell.value == "" for cell in cells):
        return np.array([math.nan if cell.value == "" else cell.value for cell in cells])
    return np.array([str(cell.value).strip() for cell in cells], dtype=np.str_)


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
    return np.array([(text or "").strip() for text in texts], dtype=np.str_)


def _dense(value: Any) -> NDArray[Any] | None:
    """Return a 2-D array of numbers, or None for any other value of a MATLAB file."""
    array = value.toarray() if hasattr(value, "toarray") else value
    is_table = isinstance(array, np.ndarray) and array.ndim == 2 and array.dtype.kind in "fiub"
    return array if is_table else None


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


def _by(shape: Sequence[int]) -> str:
    return " x ".join(map(str, shape))
