"""ARFF files of Weka, OpenML and KEEL, whose declared kinds of columns are kept."""

from __future__ import annotations

import re
from pathlib import Path

import arff
import pandas as pd

from quadrepro.errors import DataError

_NAME = r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[^\s{]+"""
_LISTED = r"""\{(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[^}'"])*\}"""
_ATTRIBUTE = re.compile(rf"\s*@attribute\s+({_NAME})\s*({_LISTED}|\w+)", re.IGNORECASE)
_START = re.compile(r"(?im)^[ \t]*@data\b.*$")
_WEIGHT = re.compile(r"(?m),[ \t]*\{[ \t]*[\d.eE+-]+[ \t]*\}[ \t]*\r?$")

_KINDS = {"integer": "REAL", "numeric": "REAL", "date": "STRING"}
"""Kinds of columns as they are read; integers of many files are other numbers."""


def is_arff(text: str) -> bool:
    """Return whether text begins as an ARFF file does, below its comments."""
    return bool(re.match(r"(?i)(\s*(%.*)?\n)*\s*@(relation|attribute)\b", text))


def read_arff(text: str, path: Path) -> pd.DataFrame:
    """Return the columns: numbers, categories in the order of their declaration, or texts.

    Ranges, weights and comments behind a declaration are left out, as are KEEL's lists of inputs
    and outputs. The index, called "line", is the line of each row in the file.
    """
    start = _START.search(text)
    if start is None:
        raise DataError(f"{path}: not readable as arff: the line @data is missing")
    header, rows = text[: start.start()], _WEIGHT.sub("", text[start.end() :])
    lines = [*map(_declaration, header.split("\n")[:-1]), "@data"]
    content = arff.loads("\n".join(lines) + rows.replace("<null>", "?"))
    attributes, n_above = content["attributes"], text.count("\n", 0, start.end()) + 1
    places = [
        line
        for line, row in enumerate(rows.split("\n"), n_above)
        if row.strip() and row.strip()[0] != "%"
    ]
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
