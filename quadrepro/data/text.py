"""Separated text: how it is written, and its fields as a data frame of texts."""

from __future__ import annotations

import codecs
import csv
import io
import itertools
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow.csv import ConvertOptions, ParseOptions, ReadOptions
from pyarrow.csv import read_csv as arrow_csv

from quadrepro.data.canonical import number
from quadrepro.data.source import FileLayout
from quadrepro.errors import DataError

SEPARATORS = (";", "\t", "|", ",", "blank")
"""Known separators of text; commas may be decimal signs, and names may contain blanks."""

SEEN = 20
"""Number of rows in which a separator and a header are looked for."""

HEAD = 2**20
"""Number of bytes that are decoded to see how text is written."""


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
        """Whether fields of the header are numbers, in columns that have numbers."""
        pairs = zip(self.header, self.rows[0] if self.rows else self.header, strict=False)
        return any(a and number(a) is not None and number(b) is not None for a, b in pairs)

    @property
    def is_even(self) -> bool:
        """Whether all rows have the same number of fields, and the header that or one less."""
        widths, n_names = {*map(len, self.rows or [self.header])}, len(self.header)
        return n_names > 1 and len(widths) == 1 and min(widths) - n_names in (0, 1)


def decode(content: bytes, path: Path, encoding: str = "utf-8") -> str:
    """Decode text, without a byte order mark."""
    try:
        return content.decode("utf-8-sig" if encoding == "utf-8" else encoding)
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise DataError(f"{path}, line {line}: not {encoding.upper()} text") from error


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
    content: bytes,
    path: Path,
    column: str = "",
    *,
    encoding: str = "",
    separator: str = "",
    skip: int = 0,
) -> tuple[FileLayout, Start]:
    """Return how text is written, and its first rows.

    The separator is the one that makes the name of a column a field of the first row; without a
    name, or if none does, the first one that splits the first rows evenly. Comments, titles and
    Excel's line ``sep=;`` above the table are skipped.
    """
    encoding = encoding or encoding_of(content)
    end = content.rfind(b"\n", 0, HEAD) if encoding != "utf-16" and len(content) > HEAD else -1
    head = decode(content[: end if end > 0 else None], path, encoding)
    if marked := re.match(r"(?i)\s*\"?sep=(.)\"?\s*\n", head):
        separator, skip = separator or marked[1], skip or 1
    starts = {name: _start(head, name, skip) for name in ([separator] if separator else SEPARATORS)}
    named = [name for name, start in starts.items() if column and column in start.header]
    even = [name for name, start in starts.items() if start.is_even]
    chosen = next(iter([*named, *even]), separator or ",")
    start = starts[chosen]
    return FileLayout(separator=chosen, encoding=encoding, skip=start.skip), start


def _start(head: str, separator: str, skip: int) -> Start:
    rows = []
    with suppress(csv.Error):  # A row of the wrong separator can be too long for a field.
        for row in itertools.islice(_rows(io.StringIO(head, newline=""), separator, skip), SEEN):
            rows.append(row)
    lines = [line for line, _ in rows]
    return Start.from_rows([[text.strip() for text in fields] for _, fields in rows], lines, skip)


def _n_above(rows: Sequence[Sequence[str]]) -> int:
    """Return the number of rows above a table: comments, and titles in a single field."""
    widths = [max((j for j, text in enumerate(row, 1) if text), default=0) for row in rows]
    width = Counter(widths).most_common(1)[0][0]
    marked = [row[0].startswith(("#", "%")) for row in rows]
    for i, row in enumerate(rows):
        # A single marked row as wide as the table has the names of the columns.
        is_comment = marked[i] and (widths[i] != width or marked[i + 1 : i + 2] == [True])
        is_title = widths[i] == 1 < width and number(row[0]) is None
        if not (is_comment or is_title):
            return i
    return 0


def _rows(
    lines: Iterator[str], separator: str, skip: int, *, strict: bool = False
) -> Iterator[tuple[int, list[str]]]:
    """Yield the last line and the fields of each row that has text."""
    lines = itertools.islice(lines, skip, None)
    if separator == "blank":
        separator, lines = " ", (line.replace("\t", " ").rstrip() for line in lines)
    reader = csv.reader(lines, delimiter=separator, skipinitialspace=True, strict=strict)
    for fields in reader:
        if any(field.strip() for field in fields):
            yield skip + reader.line_num, fields


def read_text(content: bytes, path: Path, layout: FileLayout) -> pd.DataFrame:
    """Return the fields of text below the lines to skip, without surrounding blanks.

    The index, called "line", is the last line of each row. Rows without any text are left out.
    """
    if layout.encoding != "utf-8":
        content = decode(content, path, layout.encoding).encode()
    content = content.removeprefix(codecs.BOM_UTF8)
    width = len(next(_rows_of(content, path, layout), (0, []))[1])
    if not width:
        raise DataError(f"{path}: the file has no rows")
    # Single blanks separate the fields, and quotes begin them.
    separator = " " if layout.separator == "blank" else layout.separator
    plain = _single_blanks(content) if layout.separator == "blank" else content
    if separator.encode() + b' "' in plain:
        plain = re.sub(re.escape(separator.encode()) + b' +"', separator.encode() + b'"', plain)
    try:
        table = arrow_csv(
            pa.BufferReader(plain),
            ReadOptions(skip_rows=layout.skip, autogenerate_column_names=True),
            ParseOptions(
                delimiter=separator,
                newlines_in_values=b'"' in plain,
                invalid_row_handler=lambda row: "error" if row.text.strip(" \t,;|") else "skip",
            ),
            ConvertOptions(column_types={f"f{i}": pa.large_string() for i in range(width)}),
        )
    except pa.ArrowInvalid as error:
        raise _fault(content, path, layout, width) or error from None
    columns = table.columns
    del table
    if b" " in plain or b"\t" in plain:
        for j, column in enumerate(columns):
            columns[j] = pc.utf8_trim_whitespace(column)
    empty = pc.equal(columns[0], "")
    if pc.any(empty).as_py():
        for column in columns[1:]:
            empty = pc.and_(empty, pc.equal(column, ""))
        columns = [column.filter(pc.invert(empty)) for column in columns]
    lines = _lines(content, path, layout, len(columns[0]))
    return pd.DataFrame({j: column.to_pandas() for j, column in enumerate(columns)}).set_axis(lines)


def _single_blanks(content: bytes) -> bytes:
    content = re.sub(rb"(?m)^[ \t]+|[ \t]+\r?$", b"", content)
    if b'"' in content:
        return re.sub(rb'("[^"\n]*")|[ \t]+', lambda match: match[1] or b" ", content)
    return re.sub(rb"[ \t]+", b" ", content)


def _rows_of(content: bytes, path: Path, layout: FileLayout) -> Iterator[tuple[int, list[str]]]:
    text, line = io.TextIOWrapper(io.BytesIO(content), "utf-8", "replace", newline=""), layout.skip
    try:
        for line, fields in _rows(text, layout.separator, layout.skip, strict=True):
            yield line, fields
    except csv.Error as error:
        raise DataError(f"{path}, line {line + 1}: {error}") from error


def _lines(content: bytes, path: Path, layout: FileLayout, n_rows: int) -> pd.Index:
    n_lines = content.count(b"\n") + (not content.endswith(b"\n")) - layout.skip
    if n_lines == n_rows:
        return pd.RangeIndex(layout.skip + 1, layout.skip + n_rows + 1, name="line")
    lines = [line for line, _ in _rows_of(content, path, layout)]
    if len(lines) == n_rows:
        return pd.Index(lines, name="line")
    return pd.RangeIndex(1, n_rows + 1, name="row")


def _fault(content: bytes, path: Path, layout: FileLayout, width: int) -> DataError | None:
    """Return the error of the first row that has another number of fields, or is not text."""
    decode(content, path)
    for line, fields in _rows_of(content, path, layout):
        if len(fields) != width:
            fault = f"{len(fields)} fields, but the first row has {width}"
            hint = "; --skip N skips N lines above the table" if len(fields) > width else ""
            return DataError(f"{path}, line {line}: {fault}{hint}")
    return None
