"""Tables in a terminal, in colour where it has any."""

from __future__ import annotations

import io
import shutil
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import RenderableType

    from quadrepro.tables.table import Table

PIPED = 100
"""Width where there is no terminal."""


def on_terminal() -> bool:
    """Return whether standard output is a terminal."""
    return sys.stdout.isatty()


def columns() -> int:
    """Return the width of the terminal, or that which ``COLUMNS`` names."""
    return max(20, shutil.get_terminal_size((PIPED, 24)).columns)


def table_text(table: Table, width: int, colour: bool = False) -> str:
    """Return a table with title and notes; cells are folded between words to fit the width."""
    from rich.markdown import Markdown  # slow to import, and not needed for a listing

    # A number and its deviation stay on one line.
    return drawn(Markdown(table.to_markdown().replace(" ± ", "\u00a0±\u00a0")), width, colour)


def drawn(what: RenderableType, width: int, colour: bool = False) -> str:
    """Return what rich draws, without blanks at the ends of lines."""
    from rich.console import Console

    console = Console(file=io.StringIO(), width=width, force_terminal=colour, highlight=False)
    with console.capture() as capture:
        console.print(what)
    return "\n".join(line.rstrip() for line in capture.get().splitlines())
