"""Tables as wide as the terminal, in colour where it has any."""

from __future__ import annotations

import io
import os
import re
import shutil
import sys
import textwrap
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from rich import box
from rich.cells import cell_len
from rich.console import Console, RenderableType
from rich.table import Table as Grid
from rich.text import Text

from quadrepro.base.text import visible
from quadrepro.tables.table import BEST, MISSING, Table, TableEntry, heading_lines, plain

GAP = 2
"""Columns of the terminal between two of a table."""

NAME = 14
"""Width at which names of rows are folded where room is short."""

WORD = 14
"""Width that a column keeps if it has words of that length."""

PIPED = 100
"""Width where there is no terminal."""

STYLES = {"inside": "green", "outside": "red", "not comparable": "", "": ""}
"""Colours of printed numbers; those outside have a mark as well."""


def on_terminal() -> bool:
    """Return whether standard output is a terminal."""
    return sys.stdout.isatty()


def columns() -> int:
    """Return the width of the terminal, or that which ``COLUMNS`` names."""
    return max(20, shutil.get_terminal_size((PIPED, 24)).columns)


def table_text(table: Table, width: int, colour: bool = False) -> str:
    """Return a table with title and notes, no line of which is wider than the terminal.

    Printed numbers are next to ours where there is room, else below them, and columns that do not
    fit go on in blocks. Columns of words are folded.
    """
    parts: list[RenderableType] = [Text(table.title, style="bold")]
    for grid in _grids(table, width):
        parts += ["", grid]
    for note in table.notes:
        parts += ["", Text(plain(note))]
    return _rendered(parts, width, colour)


def listing_text(
    header: Sequence[str],
    rows: Iterable[Sequence[str]],
    width: int,
    dispensable: Collection[str] = (),
) -> str:
    """Return rows of words, folded to the width of the terminal."""
    kept = [[*map(visible, column)] for column in zip(header, *rows, strict=True)]
    for name in dispensable:
        if _total(kept) > width:
            kept = [column for column in kept if column[0] != name]
    gap = GAP if _total(kept) <= width else 1
    grid = _grid(gap)
    widths = _fitted(kept, width - gap * (len(kept) - 1))
    for (name, *words), n in zip(kept, widths, strict=True):
        numbers = all(re.fullmatch(r"[-–+.\de]*", word) for word in words)
        grid.add_column(
            Text(name), overflow="fold", width=n, justify="right" if numbers else "left"
        )
    for row in zip(*(column[1:] for column in kept), strict=True):
        grid.add_row(*map(Text, row))
    return _rendered([grid], width, colour=False)


def _total(columns: Sequence[Sequence[str]]) -> int:
    return sum(max(map(cell_len, column)) + GAP for column in columns) - GAP


def _fitted(columns: Sequence[Sequence[str]], room: int) -> list[int]:
    """Return widths of columns: the widest give way first, between words as long as they can."""
    widths = [min(max(map(cell_len, column)), max(room, 1)) for column in columns]
    words = [
        min(WORD, max(map(cell_len, " ".join(column).split()), default=0)) for column in columns
    ]
    # Names are broken last of all.
    for floors in ([widths[0], *words[1:]], [1] * len(columns)):
        while sum(widths) > room:
            spare = [i for i, n in enumerate(widths) if n > floors[i]]
            if not spare:
                break
            widths[max(spare, key=widths.__getitem__)] -= 1
    return widths


def _rendered(parts: Iterable[RenderableType], width: int, colour: bool) -> str:
    """Return what rich draws, without blanks at the ends of lines."""
    dumb = os.environ.get("TERM") == "dumb"
    console = Console(
        file=io.StringIO(),
        width=width,
        force_terminal=colour and not dumb,
        color_system="standard" if colour and not dumb else None,
        highlight=False,
        markup=False,
        emoji=False,
    )
    with console.capture() as capture:
        for part in parts:
            console.print(part)
    return "\n".join(line.rstrip() for line in capture.get().splitlines())


def _grid(gap: int = GAP) -> Grid:
    return Grid(
        box=box.SIMPLE_HEAD,
        show_edge=False,
        pad_edge=False,
        padding=(0, gap - 1, 0, 0),
        header_style="",
    )


@dataclass(frozen=True)
class _Layout:
    """Whether printed numbers are below ours, and names and headings are folded."""

    stacked: bool
    folded: bool

    def name(self, text: str) -> Text:
        """Return the name of a row."""
        return Text("\n".join(textwrap.wrap(text, NAME)) if self.folded else text)

    def heading(self, title: str) -> Text:
        """Return the heading of a column."""
        return Text("\n".join(heading_lines(title, hyphens=self.folded)))

    def entry(self, entry: TableEntry) -> Text:
        """Return our number with the printed one."""
        style = STYLES[entry.verdict]
        ours = Text(f"{BEST} " * entry.best + entry.ours, style="bold" if entry.bold else "")
        if not entry.printed:
            ours.stylize(style)
        ours.append(entry.mark, style=style)
        if entry.ours == MISSING:
            ours.stylize("dim")
        if entry.printed:
            best = f"{BEST} " * entry.printed_best
            printed = Text(f"({best}{entry.printed})", style=style)
            if entry.printed_bold:
                printed.stylize("bold")
            ours = Text("\n" if self.stacked else " ").join((ours, printed))
        if entry.grey:
            ours.stylize("dim italic")
        return ours


def _grids(table: Table, width: int) -> Iterator[Grid]:
    """Yield the first layout that fits, or the narrowest in blocks of columns."""
    if table.align == "left":
        yield _words(table)
        return
    for layout in (_Layout(False, False), _Layout(True, False), _Layout(True, True)):
        blocks = _blocks(table, layout, width)
        if len(blocks) == 1:
            break
    for block in blocks:
        grid = _grid()
        grid.add_column(layout.heading(table.header[0]), overflow="fold")
        for i in block:
            heading = layout.heading(table.header[i + 1])
            grid.add_column(heading, justify="right", overflow="fold")
        for name, entries in table.rows:
            grid.add_row(layout.name(name), *(layout.entry(entries[i]) for i in block))
        yield grid


def _blocks(table: Table, layout: _Layout, width: int) -> list[list[int]]:
    """Return the numbers of the columns in blocks that fit beside what names the rows."""
    names = [layout.heading(table.header[0]), *(layout.name(name) for name, _ in table.rows)]
    columns = [
        [layout.heading(title), *(layout.entry(entries[i]) for _, entries in table.rows)]
        for i, title in enumerate(table.header[1:])
    ]
    needed = [GAP + max(map(_width, column)) for column in columns]
    keys = [*range(table.n_keys)]
    room = width - max(map(_width, names)) - sum(needed[i] for i in keys)
    blocks = [[*keys]]
    left = room
    for i in range(len(keys), len(columns)):
        if len(blocks[-1]) > len(keys) and needed[i] > left:
            blocks.append([*keys])
            left = room
        blocks[-1].append(i)
        left -= needed[i]
    return blocks


def _width(text: Text) -> int:
    return max(map(cell_len, text.plain.splitlines()), default=0)


def _words(table: Table) -> Grid:
    """Return a table of sentences, with an empty line between its rows."""
    grid = _grid()
    grid.leading = 1
    for title in table.header:
        grid.add_column(Text(title), overflow="fold")
    layout = _Layout(stacked=False, folded=False)
    for name, entries in table.rows:
        grid.add_row(Text(name), *map(layout.entry, entries))
    return grid
