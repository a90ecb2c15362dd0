"""From a file of any form to grids of texts."""

from __future__ import annotations

import io
import json
import re
import sys
import zipfile
from collections.abc import Iterable, Iterator
from functools import partial
from itertools import chain, takewhile
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from quadrepro.base.files import read_bytes
from quadrepro.base.text import few
from quadrepro.data.separated import decode, encoding_of
from quadrepro.errors import DataError
from quadrepro.reader.doubts import not_a_number
from quadrepro.reader.markup import TABULAR, read_html, read_latex, read_markdown
from quadrepro.reader.plain_text import read_plain_text
from quadrepro.reader.roles import is_misprint
from quadrepro.reader.text_grid import TextGrid, is_number

LARGEST, LARGEST_MARKUP = 2_500_000, 1_500_000
"""Size of the largest file that is read as a table, and of one in a markup language, in bytes."""

UNPACKED = 100_000_000
"""Size of the largest unpacked workbook, in bytes."""

NO_TABLE = "no table of numbers: it has a line of names, and a name and numbers in each line below"

_DELIMITER = re.compile(r"^[ >]*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)+\|?\s*$", re.MULTILINE)
"""The line below the names of a table in Markdown."""


class Content(NamedTuple):
    """The path and the form of a file, its tables, and the text of a page of a PDF."""

    path: str
    form: str
    grids: list[TextGrid]
    page: str = ""


def chosen_table(grids: list[TextGrid], number: int | None) -> TextGrid:
    """Return the table of a file that holds numbers, or the chosen one of several."""
    tables = [g for g in grids if any(is_number(c.text) for row in g.rows[1:] for c in row[1:])]
    if not tables:
        rows = (pair for g in grids for pair in zip(g.lines[1:], g.rows[1:], strict=True))
        cells = ((line, cell.text) for line, row in rows for cell in row[1:])
        misprints = (f"line {n}: {not_a_number(text)}" for n, text in cells if is_misprint(text))
        faults = (grid.fault for grid in grids if grid.fault)
        raise ValueError(next(chain(faults, misprints), NO_TABLE))
    if number is None and len(tables) > 1:
        texts = [
            f"{i} on line {t.lines[0]} ({few([c.text for c in t.rows[0]], 3)})"
            for i, t in enumerate(tables, 1)
        ]
        raise ValueError(f"several tables; choose one with --table: {few(texts, 10, '; ')}")
    if number is not None and not 1 <= number <= len(tables):
        raise ValueError(f"unknown table {number}: the file has {len(tables)} with numbers")
    return tables[(number or 1) - 1].squared()


def read_file(path: Path, page: int | None = None) -> Content:
    """Return the tables of a file, or of standard input if it is ``-``, or raise DataError."""
    try:
        if path == Path("-"):
            return Content("stdin", *_read(sys.stdin.buffer.read(), path, page))
        return Content(str(path), *_read(read_bytes(path), path, page))
    except DataError:
        raise
    except RecursionError:
        raise DataError(f"{path}: nested too deeply") from None
    except Exception as error:  # whatever a parser raises
        raise DataError(f"{path}: not readable: {' '.join(str(error).split())[:300]}") from None


def _read(content: bytes, path: Path, page: int | None) -> tuple[str, list[TextGrid], str]:
    if content.startswith(b"%PDF"):
        text = _page_text(content, page)
        form, grids = read_plain_text(text)
        return f"a page of a PDF, {form}", grids, text
    if len(content) > LARGEST:
        raise ValueError(f"{len(content) / 1e6:.1f} MB are too many for a table of scores")
    if content.startswith(b"PAR1"):
        return "parquet", [frame_grid(pd.read_parquet(io.BytesIO(content), use_threads=False))], ""
    if content.startswith((b"PK\x03\x04", b"\xd0\xcf\x11\xe0")):
        return "Excel", [*_excel(content)], ""
    text = decode(content, path, encoding_of(content))
    if "\x00" in text:
        raise ValueError("neither text nor a format that is known")
    if path.suffix.lower() in (".json", ".jsonl") or re.match(r"\s*[\[{]\s*[\[{\"]", text):
        return "JSON", [_json(text)], ""
    form = _markup(text)
    if not form and re.match(r"(?i)\s*<(!doctype )?html\b", text):
        raise ValueError(NO_TABLE)
    if form and len(content) > LARGEST_MARKUP:
        raise ValueError(f"{len(content) / 1e6:.1f} MB are too many for a table in {form}")
    readers = {"Markdown": read_markdown, "LaTeX": read_latex, "HTML": read_html}
    grids = readers[form](text) if form else []
    return (form, grids, "") if grids else (*read_plain_text(text), "")


def _markup(text: str) -> str:
    """Return the name of a markup language, or an empty text."""
    rows = re.findall(r"^.*(?<!\\)&.*\\\\\s*(?:%.*|\\hline\s*)?$", text, re.MULTILINE)
    if _DELIMITER.search(text) and "|" in text:
        return "Markdown"
    if re.search(rf"\\begin\{{{TABULAR}\}}", text) or len(rows) > 1:
        return "LaTeX"
    return "HTML" if re.search(r"<table\b", text, re.IGNORECASE) else ""


def _json(text: str) -> TextGrid:
    """Return the table of records, of columns, or of columns and data."""
    load = partial(json.loads, parse_float=str, parse_int=str)
    in_lines = re.match(r"\s*\{.*\}\s*\n\s*\{", text)
    lines = filter(str.strip, text.splitlines())
    content: Any = [*map(load, lines)] if in_lines else load(text)
    if isinstance(content, dict) and {"columns", "data"} <= content.keys():
        index = content.get("index") or None
        return frame_grid(pd.DataFrame(content["data"], index, content["columns"], object))
    around: list[str] = []
    if isinstance(content, dict):
        lists = [value for value in content.values() if isinstance(value, list)]
        if len(lists) == 1:  # such as {"results": [...], "metric": "accuracy"}
            around = [f"{key}: {value}" for key, value in content.items() if value is not lists[0]]
            content = lists[0]
    if isinstance(content, list) and content and isinstance(content[0], list):
        return _grid(map(_texts, content))
    if isinstance(content, dict | list):
        grid = frame_grid(pd.DataFrame(content, dtype=object))
        grid.around = around
        return grid
    raise ValueError("JSON of a table holds records, columns, or columns and data")


def frame_grid(frame: pd.DataFrame) -> TextGrid:
    """Return a data frame as a grid; an index that only counts is left out."""
    n = frame.columns.nlevels
    if frame.index.names != [None] or [*map(str, frame.index)] != [*map(str, range(len(frame)))]:
        names = [str(name or "") for name in frame.index.names]
        frame = frame.reset_index(names=names, col_level=n - 1, allow_duplicates=True)
    heads = ([*map(str, frame.columns.get_level_values(i))] for i in range(n))
    grid = _grid([*heads, *map(_texts, frame.to_numpy(dtype=object).tolist())], 1 - n)
    grid.n_header = n
    return grid


def _grid(rows: Iterable[Iterable[str]], first: int = 1) -> TextGrid:
    """Return rows of texts as a grid, numbered from the first."""
    grid = TextGrid()
    for number, row in enumerate(rows, first):
        grid.add(number, row)
    return grid


def _texts(values: list[Any]) -> list[str]:
    """Return values as texts, and missing ones as empty texts."""
    if any(isinstance(value, dict | list) for value in values):
        raise ValueError('values within values: write a list of {"dataset", "method", "score"}')
    return ["" if pd.isna(x) else f"{x:.12g}" if isinstance(x, float) else str(x) for x in values]


def _excel(content: bytes) -> Iterator[TextGrid]:
    """Yield the sheets of a workbook that are not empty."""
    if content.startswith(b"PK"):
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            if sum(file.file_size for file in archive.infolist()) > UNPACKED:
                raise ValueError("the unpacked workbook is too large")
    options = {"sheet_name": None, "header": None, "keep_default_na": False, "engine": "calamine"}
    try:
        sheets = pd.read_excel(io.BytesIO(content), **options)
    except ImportError:
        raise ValueError("Excel needs python-calamine: pip install 'quadrepro[excel]'") from None
    for name, sheet in sheets.items():
        rows = [_texts(row) for row in sheet.to_numpy(dtype=object).tolist()]
        # A title fills one place of its row.
        titles = [*takewhile(lambda row: sum(map(bool, row)) < min(2, len(row)), rows)]
        grid = _grid(rows[len(titles) :], len(titles) + 1)
        grid.around = [str(name), *filter(None, chain(*titles))]
        if grid.rows:
            yield grid


def _page_text(content: bytes, page: int | None) -> str:
    """Return the text of a page of a PDF, with blanks between columns."""
    try:
        from pypdf import PdfReader
    except ImportError:
        raise ValueError("a PDF needs pypdf: pip install 'quadrepro[pdf]'") from None
    pages = PdfReader(io.BytesIO(content)).pages
    if page is None and len(pages) > 1:
        raise ValueError(f"a PDF of {len(pages)} pages: choose one with --page")
    if page is not None and not 1 <= page <= len(pages):
        raise ValueError(f"the PDF has {len(pages)} pages, and not a page {page}")
    return str(pages[(page or 1) - 1].extract_text(extraction_mode="layout"))
