"""Separated text: how it is written, and its fields as a data frame of texts."""

from __future__ import annotations

import codecs
import csv
import io
import itertools
import re
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import partial, reduce
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow.csv import ConvertOptions, ParseOptions, ReadOptions
from pyarrow.csv import read_csv as arrow_csv

from quadrepro.data.canonical import CURRENCY, parse_numbers
from quadrepro.data.source import FileLayout
from quadrepro.errors import DataError

SEPARATORS = (";", "\t", "|", ",", "blank")
"""Known separators of text; commas may be decimal signs, and names may contain blanks."""

SEEN = 40
"""Number of rows, besides comments, in which a separator and a header are looked for."""

COMMENTS = ("#", "%")
"""Beginnings of comments above a table."""

SNIFFED = 1000
"""Number of rows in which the decimal sign is looked for."""

HEAD = 2**20
"""Number of bytes that are decoded to see how text is written."""

PATIENCE = 1000
"""Maximum number of milliseconds for Arrow's threads to free a text."""

_THOUSANDS = re.compile(rf"({CURRENCY}|[-+\s])*" r"[1-9]\d{0,2}([.,]\d{3})+" rf"({CURRENCY}|\s)*")


class Start(NamedTuple):
    """The first rows of a table."""

    skip: int
    """Number of lines above it."""
    header_line: int
    """Last line of its first row."""
    header: list[str]
    """Fields of its first row."""
    rows: list[list[str]]
    """Fields of the rows below."""

    @classmethod
    def from_rows(cls, rows: list[list[str]], lines: list[int], skip: int) -> Start:
        """Return the start of a table, without comments and titles, from rows and their lines."""
        if not rows:
            return cls(skip, skip, [], [])
        n_above = _n_above(rows)
        first, *others = rows[n_above]
        header = [first.lstrip("#%").lstrip(), *others]
        return cls([skip, *lines][n_above], lines[n_above], header, rows[n_above + 1 :])

    @property
    def looks_like_data(self) -> bool:
        """Whether fields of the header are values of their columns, by the first rows.

        Words are if they occur below, and numbers if numbers are below, unless all are whole and
        rise by equal steps, as years and the names of pandas do.
        """
        rows = [row for row in self.rows if row != self.header]
        for name, *column in zip(self.header, *rows, strict=False):
            if name and name in column and np.isinf(parse_numbers([name])).any():
                return True
        n = min(map(len, [self.header, *self.rows[:1]]))
        names = parse_numbers(self.header[:n])
        below = parse_numbers(self.rows[0][:n]) if self.rows else names
        numbers = names[np.isfinite(names)]
        steps = np.diff(numbers)
        is_series = len(steps) > 0 and steps[0] > 0 and np.ptp(steps) == 0
        if is_series and not np.mod(numbers, 1).any():
            return False
        return bool((np.isfinite(names) & ~np.isinf(below)).any())

    @property
    def is_even(self) -> bool:
        """Whether all rows have the same number of fields, and the header that or one less."""
        widths, n_names = {*map(len, self.rows or [self.header])}, len(self.header)
        return n_names > 1 and len(widths) == 1 and min(widths) - n_names in (0, 1)


def decode(content: bytes, path: Path, encoding: str = "utf-8") -> str:
    """Decode text, without a byte order mark."""
    try:
        return content.decode(encoding).removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        fault = f"not {encoding.upper()} text; save it as UTF-8, or see init --encoding"
        raise DataError(f"{path}, line {line}: {fault}") from error


def encoding_of(content: bytes) -> str:
    """Return UTF-16 if the text has its mark, UTF-8 if it is, or else Windows' Latin."""
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    try:
        _ = content.isascii() or content.decode()
    except UnicodeDecodeError:
        return "cp1252"
    return "utf-8"


def detect(
    content: bytes, path: Path, column: str, encoding: str, separator: str, skip: int, header: bool
) -> tuple[FileLayout, Start]:
    """Return how text is written, with the lines above the rows of values, and its first rows.

    The separator is the one that makes the name of a column a field of the first row; without a
    name, or if none does, the first one that splits the first rows evenly. Comments, titles and
    Excel's line ``sep=;`` above the table are skipped.
    """
    # Only the encodings without zero bytes can be cut at the end of a line.
    end = -1 if len(content) <= HEAD or b"\0" in content[:HEAD] else content.rfind(b"\n", 0, HEAD)
    head = decode(content[: end if end > 0 else None], path, encoding)
    if marked := re.match(r"(?i)\s*\"?sep=(.)\"?\s*\n", head):
        separator, skip = separator or marked[1], skip or 1
    text = head.encode()
    names = [separator] if separator else SEPARATORS
    starts = {name: _start(text, name, skip, path) for name in names}
    named = [name for name, start in starts.items() if column and column in start.header]
    even = [name for name, start in starts.items() if start.is_even]
    chosen = next(iter([*named, *even]), separator or ",")
    start = starts[chosen]
    skip = start.header_line if header else start.skip
    return FileLayout(separator=chosen, encoding=encoding, skip=skip), start


def decimal_sign(frame: pd.DataFrame, gaps: Sequence[str]) -> tuple[str, bool]:
    """Return the decimal sign, and whether the other sign is between thousands.

    A column with numbers such as 1,234.5 decides on both. Without one, it is a comma if more
    columns have decimal commas than have decimal points. If no column has the other sign before
    decimals, numbers such as 1,234 are thousands.
    """
    rows = frame.head(SNIFFED)
    columns = [rows[name][~rows[name].isin(gaps)] for name in rows]
    grouped = [sign for sign in ".," if any(_has_groups(column, sign) for column in columns)]
    if len(grouped) == 1:
        return grouped[0], True
    n_points, n_commas = (sum(_has_sign(column, sign) for column in columns) for sign in ".,")
    sign, other = (",", ".") if n_commas > n_points else (".", ",")
    is_clear = min(n_points, n_commas) == 0 < max(n_points, n_commas)
    return sign, is_clear and any(_has_thousands(column, other) for column in columns)


def unclear_number(frame: pd.DataFrame, gaps: Sequence[str]) -> str:
    """Return a number such as 1.510, if no number shows whether points separate thousands."""
    rows = frame.head(SNIFFED)
    columns = [rows[name][~rows[name].isin(gaps)] for name in rows]
    if any(_has_sign(column, ".") for column in columns):
        return ""
    unclear = (column for column in columns if _has_thousands(column, "."))
    return next((c[c.str.contains(".", regex=False)].iloc[0] for c in unclear), "")


def _has_groups(texts: pd.Series, sign: str) -> bool:
    """Return whether most texts are numbers, some with the sign after groups of thousands.

    Several commas also separate thousands; several points may belong to an address.
    """
    is_grouped = texts.str.contains(",") & texts.str.contains(".", regex=False)
    if sign == ".":
        is_grouped |= texts.str.count(",") > 1
    if not is_grouped.any():
        return False  # Most columns are not parsed for it.
    is_finite = np.isfinite(parse_numbers(texts, sign, thousands=True))
    return bool(is_finite[is_grouped].any() and is_finite.mean() > 0.5)


def _has_thousands(texts: pd.Series, sign: str) -> bool:
    """Return whether a sign is in texts, and only between thousands."""
    written = texts[texts.str.contains(sign, regex=False)]
    return bool(len(written) and written.str.fullmatch(_THOUSANDS).all())


def _has_sign(texts: pd.Series, sign: str) -> bool:
    """Return whether all texts are numbers, some with the sign, and not only between thousands."""
    has_sign = texts.str.contains(sign, regex=False).any() and not _has_thousands(texts, sign)
    return bool(has_sign and not np.isinf(parse_numbers(texts, sign)).any())


def _start(text: bytes, separator: str, skip: int, path: Path) -> Start:
    lines, rows, n_plain = [], [], 0
    with suppress(DataError):  # A row of the wrong separator can be too long for a field.
        for line, fields in _rows(*_plain(text, separator), skip, path):
            lines.append(line)
            rows.append([field.strip() for field in fields])
            n_plain += not rows[-1][0].startswith(COMMENTS)
            if n_plain == SEEN:
                break
    return Start.from_rows(rows, lines, skip)


def _n_above(rows: Sequence[Sequence[str]]) -> int:
    """Return the number of rows above a table: comments, and titles in a single field."""
    widths = [max((j for j, text in enumerate(row, 1) if text), default=0) for row in rows]
    marked = [row[0].startswith(COMMENTS) for row in rows]
    plain = [width for width, is_marked in zip(widths, marked, strict=True) if not is_marked]
    width = Counter(plain or widths).most_common(1)[0][0]
    for i, row in enumerate(rows):
        # A single marked row as wide as the table has the names of the columns.
        is_comment = marked[i] and (widths[i] != width or marked[i + 1 : i + 2] == [True])
        is_title = widths[i] == 1 < width and np.isinf(parse_numbers(row[:1])).any()
        if not (is_comment or is_title):
            return i
    return 0


def _plain(text: bytes, separator: str) -> tuple[bytes, str]:
    """Return text with one blank in place of several if blanks separate fields, and the sign."""
    if separator != "blank":
        return text, separator
    text = re.sub(rb"(?m)^[ \t]+|[ \t]+\r?$", b"", text)
    if b'"' in text:
        return re.sub(rb'("[^"\n]*")|[ \t]+', lambda match: match[1] or b" ", text), " "
    return re.sub(rb"[ \t]+", b" ", text), " "


def _rows(text: bytes, separator: str, skip: int, path: Path) -> Iterator[tuple[int, list[str]]]:
    """Yield the last line and the fields of each row that is not empty.

    A quote must end its field.
    """
    lines = io.TextIOWrapper(io.BytesIO(text), "utf-8", "replace", newline="")
    reader = csv.reader(
        itertools.islice(lines, skip, None), delimiter=separator, skipinitialspace=True, strict=True
    )
    line = skip
    try:
        for fields in reader:
            line = skip + reader.line_num
            if any(field.strip() for field in fields):
                yield line, fields
    except csv.Error as error:
        advice = "; quote fields that hold quotes, and double these"
        raise DataError(f"{path}, line {line + 1}: {error}{advice}") from error


def read_own_text(content: bytes, path: Path, layout: FileLayout) -> pd.DataFrame:
    """Return the fields of text below the lines to skip, without surrounding blanks.

    The index, called "line", is the last line of each row. Rows without any text are left out.
    """
    if layout.encoding != "utf-8":
        content = decode(content, path, layout.encoding).encode()
    text, separator = _plain(content.removeprefix(codecs.BOM_UTF8), layout.separator)
    rows = partial(_rows, text, separator, layout.skip, path)
    width = len(next(rows(), (0, []))[1])
    if not width:
        return pd.DataFrame()
    is_cut = not text.endswith(b"\n")
    text += b"\n" * is_cut  # Arrow needs it for a single row
    try:
        columns = _columns(text, separator, layout.skip, width)
    except pa.ArrowInvalid:
        decode(text, path)
        for line, fields in rows():
            if len(fields) != width:
                n = f"{len(fields)} field{'s' * (len(fields) != 1)}"
                fault = f"{n}, but the first row has {width}"
                hint = f"; --skip {line - 1} if the table starts there" * (len(fields) > width)
                hint += "; the file ends there" * (is_cut and line == text.count(b"\n"))
                raise DataError(f"{path}, line {line}: {fault}{hint}") from None
        raise
    n_lines, n_rows = text.count(b"\n"), len(columns[0])
    lines: Sequence[int] = range(layout.skip + 1, n_lines + 1)
    if len(lines) != n_rows:
        lines = [line for line, _ in rows()]
    frame = pd.DataFrame({j: column.to_pandas() for j, column in enumerate(columns)})
    if len(lines) != n_rows:
        return numbered(frame)
    return frame.set_axis(pd.Index(lines, name="line"))


def numbered(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a frame whose index, called "row", is the number of each row from 1."""
    return frame.set_axis(pd.RangeIndex(1, len(frame) + 1, name="row"))


def _columns(text: bytes, separator: str, skip: int, width: int) -> list[pa.ChunkedArray]:
    """Return the fields of each column without surrounding blanks, and without empty rows."""
    has_quotes, has_blanks = b'"' in text, b" " in text or b"\t" in text
    if separator.encode() + b' "' in text:
        # Quotes that follow blanks would be part of the field.
        text = re.sub(re.escape(separator.encode()) + b' +"', separator.encode() + b'"', text)
    options = ReadOptions(skip_rows=skip, autogenerate_column_names=True)
    types = ConvertOptions(column_types={f"f{i}": pa.large_string() for i in range(width)})
    form = ParseOptions(delimiter=separator, newlines_in_values=has_quotes)
    n_references = sys.getrefcount(text)
    try:
        table = arrow_csv(pa.BufferReader(text), options, form, types)
    except pa.ArrowInvalid:
        form.invalid_row_handler = lambda row: "error" if row.text.strip(" \t,;|") else "skip"
        table = arrow_csv(pa.BufferReader(text), options, form, types)
    # A thread of Arrow that frees the text while the interpreter ends would abort the process.
    for _ in range(PATIENCE):
        if sys.getrefcount(text) <= n_references:
            break
        time.sleep(0.001)
    columns: list[pa.ChunkedArray] = table.columns
    del table  # so that each column is released when it is replaced
    if has_blanks:
        for j, column in enumerate(columns):
            columns[j] = pc.utf8_trim_whitespace(column)
    if pc.any(pc.equal(columns[0], "")).as_py():
        empty = reduce(pc.and_, (pc.equal(column, "") for column in columns))
        columns = [column.filter(pc.invert(empty)) for column in columns]
    return columns
