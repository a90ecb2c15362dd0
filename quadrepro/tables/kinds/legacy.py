"""Kinds that are classes, as `Kind`."""

from __future__ import annotations

from typing import Any, Generic, TypeVar

from quadrepro.engine.outcomes import Outcomes
from quadrepro.tables.kinds.base import Context, Kind, Made
from quadrepro.tables.table import Table

Option = TypeVar("Option")


class TableKind(Generic[Option]):
    """A kind of table as a class."""

    key: str
    option: Any
    meaning: str = ""

    def check(self, context: Context[Option]) -> None:
        """Check the option."""

    def table(self, context: Context[Option], outcomes: Outcomes) -> Table:
        """Return the table."""
        raise NotImplementedError


def legacy(kind: TableKind[Any]) -> Kind[Any]:
    """Return a class of kind as a `Kind`."""

    def make(context: Context[Any], outcomes: Outcomes) -> Made:
        return Made(kind.table(context, outcomes))

    return Kind(kind.key, kind.option, kind.meaning, make, kind.check)
