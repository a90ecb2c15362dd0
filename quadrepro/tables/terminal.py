"""Tables in a terminal, in colour where it has any."""

from __future__ import annotations

import io
import os
import re
import shutil
import sys
from collections.abc import Collection, Iterable, Sequence

from rich import box
from rich.cells import cell_len
from rich.console import Console
from rich.markdown import Markdown
from rich.table import Table as Grid
from rich.text import Text

from quadrepro.base.text import visible
from quadrepro.tables.table import Table

GAP = 2
"""Columns of the terminal between two of a table."""

WORD = 14
"""Width that a column keeps if it has words of that length."""

NAME = 14
"""Width at which names of rows are folded where printed numbers are below ours."""

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
    """Return a table with title and notes; cells are folded between words to fit the width."""
    # A number and its deviation stay on one line.
    text = table.to_markdown().replace(" ± ", "\u00a0±\u00a0")
    console = _console(width, colour)
    with console.capture() as capture:
        console.print(Markdown(text))
    return _without_blanks(capture.get())


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
    console = _console(width)
    with console.capture() as capture:
        console.print(grid)
    return _without_blanks(capture.get())


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


def _console(width: int, colour: bool = False) -> Console:
    dumb = os.environ.get("TERM") == "dumb"
    return Console(
        file=io.StringIO(),
        width=width,
        force_terminal=colour and not dumb,
        color_system="standard" if colour and not dumb else None,
        highlight=False,
        markup=False,
        emoji=False,
    )


def _without_blanks(text: str) -> str:
    """Return text without blanks at the ends of lines."""
    return "\n".join(line.rstrip() for line in text.splitlines())


def _grid(gap: int = GAP) -> Grid:
    return Grid(
        box=box.SIMPLE_HEAD,
        show_edge=False,
        pad_edge=False,
        padding=(0, gap - 1, 0, 0),
        header_style="",
    )
