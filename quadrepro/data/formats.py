"""Reading one file of any format as a DataFrame; declared kinds of columns are kept."""

from __future__ import annotations

import gzip
import io
import json
import re
import textwrap
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from itertools import zip_longest
from pathlib import Path, PurePath
from typing import Any

import arff
import numpy as np
import pandas as pd
from numpy.typing import NDArray

from quadrepro.base.text import few
from quadrepro.data.separated import SEEN, Start, decode, encoding_of, numbered, read_own_text
from quadrepro.data.source import PART, FileLayout, FileSource
from quadrepro.errors import ConfigError, DataError, nearest

FORMATS = {
    **dict.fromkeys((".libsvm", ".svm", ".svmlight"), "libsvm"),
    **dict.fromkeys((".xls", ".xlsx"), "excel"),
    **dict.fromkeys((".json", ".jsonl", ".ndjson"), "json"),
    ".arff": "arff",
    ".parquet": "parquet",
}
"""Formats by the ending of a file's name; all others are told by the content."""

MAGIC = {b"PAR1": "parquet", b"PK\x03\x04": "excel", b"\xd0\xcf\x11\xe0": "excel"}
"""First bytes of files that are not text."""

_NO_TABLE = re.compile(rb"(?i)(\xef\xbb\xbf)?\s*(<!doctype|<html|<\?xml|<table|version https:)")
_SPARSE = re.compile(
    r"(\s*(#.*)?\n)*([-+\d.eE]+|\d+(,\d+)+)([ \t]+qid:\d+)?"
    r"([ \t]+\d+:[-+\d.eE]+)+[ \t]*(#.*)?(\n|$)"
)
_LABELS = re.compile(rb"(?m)^[-+\d.]+,")


def format_of(name: str, content: bytes, path: Path, encoding: str | None = None) -> str:
    """Return the format of a file, by the ending of its name or by its content."""
    if match := _NO_TABLE.match(content):
        hint = "HTML or XML: save it as CSV" if b"<" in match[0] else "Git LFS's: run git lfs pull"
        raise DataError(f"{path}: the content is {hint}")
    form = FORMATS.get(PurePath(name).suffix.lower()) or MAGIC.get(content[:4])
    if form and (form != "excel" or content[:4] in MAGIC):
        return form  # Many a file with the ending of Excel is text.
    head = content[:100_000]
    if not (encoding or encoding_of(content) == "utf-16") and b"\0" in head:
        fault = f"the format is not known, and {name!r} is not text"
        raise DataError(f"{path}: {fault}; save it as CSV, or name its --encoding if it is text")
    text = head.decode("utf-8", "replace")
    if re.match(r"(?i)(\s*(%.*)?\n)*\s*@(relation|attribute)\b", text):
        return "arff"
    if _SPARSE.match(text):
        return "libsvm"
    return "json" if re.match(r"\s*[\[{]\s*[\[{\"]", text) else "csv"


def read_own_file(path: Path, layout: FileLayout, member: str = "") -> pd.DataFrame:
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
        Each column has only floats, with NaN for a missing value; categories that the file
        declares, in their order; or only text without surrounding blanks, with ``""``. All columns
        of ``csv`` are text. The columns have the names of the file, or numbers if it has none. The
        index, called "line" or "row", is the last line of the row in the file, or the number of the
        row from 1.
    """
    content = unpack(path, member)[1]
    with _readable(path, layout.format):
        match layout.format:
            case "csv":
                frame = read_own_text(content, path, layout)
            case "arff":
                frame = read_arff(decode(content, path, layout.encoding), path)
            case "libsvm":
                n_others = 1 + (PART in layout.columns)
                frame = _libsvm(content, max(len(layout.columns) - n_others, 0))
            case "parquet":
                frame = pd.read_parquet(io.BytesIO(content), use_threads=False)
                # A named index is a column of the file.
                frame = frame.reset_index(level=[*filter(None, frame.index.names)])
            case "excel":
                frame = _excel(content, path, layout)
            case "json":
                frame = _json(decode(content, path))
            case "mat":
                frame = _mat(content)
            case "idx":
                raise ValueError("images and their labels are in two files")
    if not frame.size:
        others = ", ".join(sheet_names(path, member)[1:])
        hint = f"; other sheets, for --sheet: {others}" * bool(others)
        raise DataError(f"{path}: the file has {'a header but ' * bool(layout.skip)}no rows{hint}")
    if layout.format == "csv":
        return frame
    if frame.index.name != "line":
        frame = numbered(frame)
    for j in range(frame.shape[1]):
        frame.isetitem(j, _column(frame.iloc[:, j]))
    return frame


def read_source(source: FileSource) -> pd.DataFrame:
    """Return the rows of a user's file and, below them, of its test file, with their parts."""
    frame = read_own_file(Path(source.path), source, source.member)
    if not source.test:
        return frame
    layout = source.model_copy(update={"skip": source.test_skip})
    return with_test_rows(frame, read_own_file(Path(source.test), layout, source.member), source)


def with_test_rows(train: pd.DataFrame, test: pd.DataFrame, source: FileSource) -> pd.DataFrame:
    """Return training rows with test rows below them, and a column of parts."""
    if [*test.columns] != [*train.columns]:
        missing = few([name for name in train if name not in test.columns])
        pairs = zip_longest(test, train, fillvalue="nothing")
        others = few([f"{other} in place of {name}" for other, name in pairs if other != name])
        difference = f"it has no {missing}" if missing else f"{others}; write them in one order"
        raise DataError(f"{source.test}: its columns differ from the training rows: {difference}")
    parts = [train.assign(**{PART: "train"}), test.assign(**{PART: "test"})]
    return pd.concat(parts)


@contextmanager
def _readable(path: Path, form: str) -> Iterator[None]:
    """Turn any error of a parser into a `DataError`."""
    try:
        yield
    except (ConfigError, DataError):
        raise
    except Exception as error:
        if isinstance(error, arff.ArffException):
            # Its own text lacks the line, and fails if the row has a percent sign.
            reason = error.message.replace("%d", str(error.line))
        else:
            reason = str(error)
        reason = textwrap.shorten(reason, 200)
        raise DataError(f"{path}: not readable as {form}: {reason}") from error


def _column(column: pd.Series) -> pd.Series:
    """Return numbers as floats, declared categories as they are, and anything else as text."""
    column = column.infer_objects()
    if column.dtype.kind in "iuf":
        return column.astype("float64")
    if isinstance(column.dtype, pd.CategoricalDtype):
        return column.cat.rename_categories(column.cat.categories.astype("str").str.strip())
    if column.dtype == object:
        column = column.map(_written, na_action="ignore")
    return column.astype("str").str.strip().fillna("")


def _written(value: Any) -> str:
    """Return a value as it would be written in text."""
    if isinstance(value, datetime) and value.time() == datetime.min.time():
        return str(value.date())
    return f"{value:.15g}" if isinstance(value, float) else str(value).strip()


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
    except (OSError, EOFError, zlib.error, zipfile.BadZipFile) as error:
        raise DataError(f"{path}: {getattr(error, 'strerror', None) or error}") from error


def _member(path: Path, names: list[str], member: str) -> str:
    # macOS adds a file with its own metadata for each file.
    files = [name for name in names if not name.endswith("/") and not name.startswith("__MACOSX/")]
    matches = [name for name in files if member in ("", name)]
    if len(matches) == 1:
        return matches[0]
    expected, listed = repr(member) if member else "exactly one file", ", ".join(files) or "nothing"
    message = f"expected {expected} in it, found {listed}; choose with --member NAME"
    raise DataError(f"{path}: {message}")


def sheet_names(path: Path, member: str = "") -> list[str]:
    """Return the names of the sheets of an Excel file; any other file has none."""
    content = unpack(path, member)[1]
    if MAGIC.get(content[:4]) != "excel":
        return []
    with pd.ExcelFile(io.BytesIO(content), engine="calamine") as book:
        return [*map(str, book.sheet_names)]


def _excel(content: bytes, path: Path, layout: FileLayout) -> pd.DataFrame:
    """Return the rows of a sheet below the lines to skip; the index is the line of each row."""
    with pd.ExcelFile(io.BytesIO(content), engine="calamine") as book:
        sheet = layout.sheet or book.sheet_names[0]
        if sheet not in book.sheet_names:
            hint = nearest(sheet, map(str, book.sheet_names))
            raise ConfigError(f"{path}: it has no sheet {sheet!r}{hint}")
        frame = pd.read_excel(
            book, sheet_name=sheet, header=None, keep_default_na=False, na_values=[""], dtype=object
        )
    frame = frame.set_axis(pd.RangeIndex(1, len(frame) + 1, name="line"))
    return frame.iloc[layout.skip :].dropna(how="all")


def sheet_start(content: bytes, path: Path, layout: FileLayout) -> Start:
    """Return the first rows of a sheet."""
    with _readable(path, layout.format):
        head = _excel(content, path, layout).head(SEEN)
    rows = head.map(_written, na_action="ignore").fillna("").to_numpy().tolist()
    return Start.from_rows(rows, head.index.tolist(), layout.skip)


def _json(text: str) -> pd.DataFrame:
    """Return records or columns of JSON, or one record per line."""
    try:
        content = json.loads(text)
    except json.JSONDecodeError:
        content = [json.loads(line) for line in text.splitlines() if line.strip()]
    if isinstance(content, dict):
        lists = [value for value in content.values() if isinstance(value, list)]
        if "columns" in content and "data" in content:
            content = pd.DataFrame(content["data"], columns=content["columns"])
        elif len(lists) == 1 and all(isinstance(value, dict) for value in lists[0]):
            [content] = lists
    frame = pd.json_normalize(content) if isinstance(content, list) else pd.DataFrame(content)
    # With orient="index", the keys are the numbers or names of rows, which are more than columns.
    by_number = "".join(map(str, frame)).isdigit() and not "".join(map(str, frame.index)).isdigit()
    by_name = frame.index.dtype.kind == "O" and frame.shape[1] > len(frame)
    if isinstance(content, dict) and (by_number or by_name):
        frame = pd.json_normalize([*content.values()])
    if any(isinstance(value, list | dict) for value in frame.to_numpy(dtype=object).ravel()):
        raise ValueError("its records hold lists: write one value for each column")
    return frame.rename(columns=str)


def _libsvm(content: bytes, n_features: int) -> pd.DataFrame:
    from sklearn.datasets import load_svmlight_file  # takes a second to import

    if labels := _LABELS.search(content):
        line = content.count(b"\n", 0, labels.start()) + 1
        raise ValueError(f"line {line} has several labels; keep one of them in each row")
    examples, labels = load_svmlight_file(
        io.BytesIO(content), n_features=n_features or None, zero_based="auto"
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
    return numbered(pd.DataFrame(table, copy=False))


def _idx_array(path: Path) -> NDArray[np.uint8]:
    """Return the array in a file: two zeros, the type of bytes, the number of sizes, the sizes."""
    content = unpack(path)[1]
    with _readable(path, "idx"):
        n_sizes = content[3]
        sizes = np.frombuffer(content, ">i4", n_sizes, offset=4)
        return np.frombuffer(content, np.uint8, offset=4 + 4 * n_sizes).reshape(sizes)


_NAME = r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[^\s{]+"""
_LISTED = r"""\{(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[^}'"])*\}"""
_ATTRIBUTE = re.compile(rf"\s*@attribute\s+({_NAME})\s*({_LISTED}|\w+)", re.IGNORECASE)
_START = re.compile(r"(?im)^[ \t]*@data\b.*$")
WEIGHT = re.compile(r"(?m),[ \t]*\{[ \t]*[\d.eE+-]+[ \t]*\}[ \t]*\r?$")

_KINDS = {"integer": "REAL", "numeric": "REAL", "date": "STRING"}
"""Kinds of columns as they are read; integers of many files are other numbers."""


def read_arff(text: str, path: Path) -> pd.DataFrame:
    """Return the columns: numbers, categories in the order of their declaration, or texts.

    Ranges, weights and comments behind a declaration are left out, as are KEEL's lists of inputs
    and outputs. The index, called "line", is the line of each row in the file.
    """
    start = _START.search(text)
    if start is None:
        raise DataError(f"{path}: not readable as arff: the line @data is missing")
    header, rows = text[: start.start()], WEIGHT.sub("", text[start.end() :])
    if "," not in rows and "{" not in rows:
        rows = re.sub(r"(?<=\S)[ \t]+(?=\S)", ",", rows)  # Weka reads blanks as well
    lines = [*map(_declaration, header.split("\n")[:-1]), "@data"]
    content = arff.loads("\n".join(lines) + rows.replace("<null>", "?"))
    attributes, n_above = content["attributes"], text.count("\n", 0, start.end()) + 1
    lines_below = enumerate(map(str.strip, rows.split("\n")), n_above)
    places = [line for line, row in lines_below if row and row[0] != "%"]
    frame = pd.DataFrame(content["data"], pd.Index(places, name="line"), dtype=object)
    frame.columns = [re.sub(r"\\(.)", r"\1", name) for name, _ in attributes]
    for j, (_, kind) in enumerate(attributes):
        column = frame.iloc[:, j]
        if isinstance(kind, list):
            typed = pd.Series(pd.Categorical(column, [*dict.fromkeys(kind)]), frame.index)
        else:
            typed = column.astype("float64" if kind == "REAL" else "str")
        frame.isetitem(j, typed)
    return frame


def _declaration(line: str) -> str:
    """Return a declaration as liac-arff reads it, a comment for any other line of the header."""
    match = _ATTRIBUTE.match(line)
    if match is None:
        return "@relation r" if line.strip().lower().startswith("@relation") else "%"
    name, kind = match.groups()
    return f"@attribute {name} {kind if kind[0] == '{' else _KINDS.get(kind.lower(), kind)}"
