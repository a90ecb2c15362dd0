"""Columns of a grid: their names, from one or several lines, and their roles."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from itertools import pairwise

from quadrepro.reader.grid import Grid, Text, is_gap, is_number
from quadrepro.reader.roles import column_role, split_spread


class Column:
    """A column of a grid, and its role."""

    def __init__(self, name: str, cells: Sequence[Text]) -> None:
        self.name, self.cells = name, cells
        self.texts = [c.text for c in cells if c.text and not is_gap(c.text)]
        self.is_words = bool(self.texts) and not any(map(is_number, self.texts))
        self.is_whole = bool(self.texts) and all(re.fullmatch(r"[\d,]+", t) for t in self.texts)
        self.named = column_role(name)
        if self.named in ("fold", "id", "size", "test size") and not (
            self.is_whole or self.is_words
        ):
            self.named = ""
        self.method, self.kind = split_spread(name)
        self.role = ""
        """One of label, fold, value, size, words and out."""

    @property
    def fault(self) -> int | None:
        """Place of a misprinted number among words, or None."""
        pattern = re.compile(r"\W*\d")
        return next((i for i, c in enumerate(self.cells) if pattern.match(c.text)), None)

    def set_role(self, before: Sequence[Column], chosen: Collection[str]) -> None:
        """Set the role, given the columns to the left and the names of the methods."""
        labels_only = all(c.role in ("label", "fold", "out") for c in before)
        if {self.name, self.method} & {*chosen}:
            self.role = "value"
        elif (not before and (not self.name or self.named in ("id", "data sets", "methods"))) or (
            self.is_words and self.named in ("data sets", "methods", "metric")
        ):
            self.role = "label"
        elif self.is_words:
            first = not before or self.fault is None
            self.role = "label" if labels_only and first else "words"
        elif not self.texts or self.named in ("time", "id"):
            self.role = "out" if self.named or before else "label"
            self.role = "value" if not self.texts and not self.named else self.role
        else:
            sized = self.named in ("size", "test size")
            self.role = "fold" if self.named == "fold" else "size" if sized else "value"


def read_header(grid: Grid) -> tuple[list[str], int]:
    """Return the name of each column, and the number of lines that hold them.

    A name above all columns is a title and joins the lines around the table. Raises ValueError if
    the first line has numbers.
    """
    rows = grid.rows
    first = [c.text for c in rows[0][1:]]
    decimals = any(is_number(text) and re.search("[.,]", text) for text in first)
    corner = rows[0][0].text == "" or column_role(rows[0][0].text) != ""
    if not grid.n_header and (decimals or (all(map(is_number, first)) and not corner)):
        raise ValueError(f"line {grid.lines[0]}: numbers: put a line of names above it")
    n = grid.n_header or 1
    while not grid.n_header and n < len(rows) and _names_on(rows[n - 1], rows[n]):
        n += 1
    header = [[c.text for c in row] for row in rows[:n]]
    for above, below in pairwise(header):
        for j in range(2, len(above)):  # a name above several columns
            above[j] = above[j] or (above[j - 1] if below[j] else "")
    titles = {t for row in header[:-1] for t in row if {*row[1:]} == {t}}
    grid.around += sorted(titles)
    names: list[str] = []
    for texts in zip(*header, strict=True):
        name = " ".join(dict.fromkeys(text for text in texts if text and text not in titles))
        base, kind = split_spread(name)
        spread = names and kind not in ("", "mean") and not base
        names.append(f"{names[-1]}_{kind}" if spread else name)
    return names, n


def _names_on(above: Sequence[Text], row: Sequence[Text]) -> bool:
    """Return whether a row goes on with names, after one that spans columns or lacks the corner."""
    texts = [c.text for c in row[1:] if c.text]
    # A number with a misprint must not become a part of a name.
    if any(re.match(r"[^\w(]*\(?[.,]?\d", text) or is_gap(text) for text in texts):
        return False
    names = [c.text for c in above[1:]]
    if not texts:  # the name of an index, below the names of columns
        return above[0].text == ""
    return row[0].text in ("", above[0].text) or "" in names or len({*names}) < len(names)
