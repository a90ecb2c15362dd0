"""Kinds that are classes, as `Kind`."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any, Generic, TypeVar

from quadrepro.engine.outcomes import Outcomes
from quadrepro.tables.kinds.base import Context, Kind, Made
from quadrepro.tables.table import Table
from quadrepro.tables.verdicts import Verdicts

Option = TypeVar("Option")


class TableKind(Generic[Option]):
    """A kind of table or figure as a class."""

    key: str
    option: Any
    meaning: str = ""
    stem: str = ""
    timed: bool = False
    describes_figure: bool = False

    @property
    def name(self) -> str:
        """Name of the files."""
        return self.key

    def check(self, context: Context[Option]) -> None:
        """Check the option."""

    def written(self, context: Context[Option]) -> bool:
        """Return whether there are files."""
        return True

    def table(self, context: Context[Option], outcomes: Outcomes) -> Table:
        """Return the table."""
        raise NotImplementedError

    def draw(self, context: Context[Option], outcomes: Outcomes, folder: Path) -> None:
        """Draw the figure."""
        raise NotImplementedError

    def verdicts(self, context: Context[Option], outcomes: Outcomes) -> Verdicts | None:
        """Return verdicts."""
        return None


def legacy(kind: TableKind[Any]) -> Kind[Any]:
    """Return a class of kind as a `Kind`."""

    def draw(context: Context[Any], outcomes: Outcomes, path: Path) -> None:
        kind.draw(context, outcomes, path.parent)

    def make(context: Context[Any], outcomes: Outcomes) -> Made | None:
        if not kind.written(context):
            return None
        has_table = type(kind).table is not TableKind.table
        has_figure = type(kind).draw is not TableKind.draw
        return Made(
            kind.table(context, outcomes) if has_table else None,
            partial(draw, context, outcomes) if has_figure else None,
            kind.verdicts(context, outcomes),
            kind.timed,
        )

    return Kind(kind.key, kind.option, kind.meaning, make, kind.check)
