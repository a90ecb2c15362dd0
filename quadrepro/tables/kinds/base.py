"""What a kind of table or figure is, and what it is given to work with."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

from quadrepro.config.config import Config, Experiment
from quadrepro.config.datasets import Row
from quadrepro.config.tables import TableKey
from quadrepro.core.learners.registry import BASELINE
from quadrepro.engine.outcomes import Outcomes
from quadrepro.errors import ConfigError, nearest
from quadrepro.papers.printed import NOTHING, OF_ERRORS, Holds, Printed, Unit
from quadrepro.tables.notes import own_rows_note, splits_word
from quadrepro.tables.printed import check_printed, printed_for
from quadrepro.tables.table import ENDINGS, MISSING, Table
from quadrepro.tables.verdicts import Verdicts

Option = TypeVar("Option")


@dataclass(frozen=True)
class Context(Generic[Option]):
    """An experiment as one kind of table sees it."""

    experiment: Experiment
    """The config and its source."""
    key: str
    """The kind's key below ``tables`` in the config."""
    option: Option
    """What the config says there, validated; the kind's default if it says nothing."""
    read: Callable[[Experiment, str], Printed] = printed_for
    """Returns a printed table by its name; by default one of the config's paper."""

    @property
    def config(self) -> Config:
        """The whole config."""
        return self.experiment.config

    @property
    def titles(self) -> dict[str, str]:
        """Title of each column, by its name."""
        return self.experiment.titles

    @property
    def compared(self) -> list[str]:
        """The columns that can be compared: not the baseline."""
        return [c for c in self.titles if c != BASELINE]

    @property
    def splits(self) -> str:
        """What notes call the repeats, in the plural."""
        return splits_word(self.config.protocol.split)

    def error(self, message: str, *place: str | int) -> ConfigError:
        """Return an error that names a place below the kind's key."""
        return self.experiment.error(message, "tables", self.key, *place)

    def printed(self, name: str, unit: Unit = "percent", metric: str = "") -> Printed:
        """Return a printed table of the paper with its rows under the titles of ours.

        The empty name, and a table of another metric than the one asked for or than errors, have no
        numbers.
        """
        table = self.read(self.experiment, name)
        if table.facts.metric not in ((metric,) if metric else OF_ERRORS):
            return NOTHING
        numbers = [row for row, task in self.experiment.tasks.items() if task == "regression"]
        return table.in_unit(unit, numbers)

    def folds(self, row: str) -> int:
        """Return the number of folds of our cross-validation of a row, or 0 without one."""
        entry = next(entry for entry in self.config.entries if entry.title == row)
        return entry.changed(self.config.protocol).split.outer_folds

    def check_printed(self, holds: Holds) -> None:
        """Refuse an option that names no printed table of the paper, or one of another kind."""
        check_printed(self.experiment, self.key, str(self.option), holds)

    def check_splits(self, name: str, *place: str | int) -> None:
        """Refuse a printed table whose numbers are of one split."""
        if self.read(self.experiment, name).splits < 2:
            raise self.error(
                "a deviation is that of several splits: set their number in the paper's "
                f"paper.yaml, as printed: {{{name}: {{of: {{splits: 20}}}}}}",
                *place,
            )

    def check_column(self, name: str, *place: str | int) -> None:
        """Refuse the name of a column that does not exist, at a place below the kind's key."""
        if name not in self.titles:
            message = f"unknown algorithm {name!r} here{nearest(name, self.titles)}"
            raise self.error(message, *place)

    def check_one_of_two(self, name: str, *place: str | int) -> None:
        """Refuse a column that cannot be compared with another one."""
        self.check_column(name, *place)
        if len(self.titles) == 1:
            message = f"{name} is the only algorithm: there is none to compare it with"
            raise self.error(message, *place)

    def check_risks_of_two(self, name: str, *place: str | int) -> None:
        """Refuse a column that cannot be compared with another one by their risks."""
        self.check_one_of_two(name, *place)
        for row, task in self.experiment.tasks.items():
            if task == "regression":
                raise self.error(f"{self.key} is of risks, and {row} predicts a number")

    def check_sweeps(self) -> None:
        """Refuse a config without a sweep."""
        if not self.config.sweeps:
            raise self.error(f"{self.key} stand against a sweep's values: give sweeps")


class TableKind(TableKey, Generic[Option]):
    """A kind of table or figure: what a config can ask for, and how it is made.

    A subclass gives `key`, `option` and `meaning`, overrides `table`, `draw` or both, and is
    registered as an instance of it.

    Examples
    --------
    >>> class Sizes(TableKind[bool]):
    ...     key, option, meaning = "sizes", bool, "The number of data sets: `true`."
    ...
    ...     def table(self, context, outcomes):
    ...         return Table("Sizes", ("data sets",), ((str(len(outcomes.rows)), ()),), ())
    >>> Sizes().makes_table, Sizes().makes_figure
    (True, False)
    """

    endings: tuple[str, ...] = ENDINGS
    """Endings of the files that the table is written to."""
    timed: bool = False
    """Whether the files hold nothing but measured times. Rows of measured times in other tables are
    named by `Table.timed_rows`."""

    describes_figure: bool = False
    """Whether the table only says what the figure shows, so that a run prints another one."""

    sums_up: bool = False
    """Whether the conclusion of a comparison is below the table; it is below the first in any case.
    """

    @property
    def makes_table(self) -> bool:
        """Whether there is a table."""
        return type(self).table is not TableKind.table

    @property
    def makes_figure(self) -> bool:
        """Whether there is a figure."""
        return type(self).draw is not TableKind.draw

    def check(self, context: Context[Option]) -> None:
        """Raise ConfigError if the option does not fit the rest of the config."""

    def written(self, context: Context[Option]) -> bool:
        """Return whether there are files."""
        return True

    def table(self, context: Context[Option], outcomes: Outcomes) -> Table:
        """Return the table."""
        raise NotImplementedError

    def draw(self, context: Context[Option], outcomes: Outcomes, folder: Path) -> None:
        """Write the figure to ``stem.svg``."""
        raise NotImplementedError

    def published(self, context: Context[Option]) -> dict[tuple[str, str], str]:
        """Return what is printed in place of our risks, by row and column, for ``cells.csv``."""
        return {}

    def verdicts(self, context: Context[Option], outcomes: Outcomes) -> Verdicts | None:
        """Return verdicts on the printed numbers."""
        return None


def _by_test(context: Context[Any], row: Row) -> bool:
    holdout = row.entry.changed(context.config.protocol).holdout
    return holdout is not None and holdout.by == "test"


def _against_rest(context: Context[Any]) -> list[str]:
    """Return the note on columns of learners that tell only two classes apart."""
    tasks = context.experiment.tasks
    rows = [row for row, task in tasks.items() if task == "multiclass"]
    if not rows:
        return []
    titles = [
        context.titles[column.name]
        for column in context.experiment.algorithms
        if column.learner.against_rest("multiclass")
    ]
    where = "" if len(rows) == len(tasks) else f" of {', '.join(rows)}"
    message = "trained once for each class against the rest; the largest score wins"
    return [f"{', '.join(titles)}: {message}, on the classes{where}."] if titles else []


def closing_notes(context: Context[Any], outcomes: Outcomes) -> tuple[str, ...]:
    """Return the notes below most tables: of algorithms, of missing cells, of the config."""
    config = context.config
    entries = [column.entry for column in context.experiment.columns]
    notes = [f"{context.titles[entry.name]}: {entry.note}" for entry in entries if entry.note]
    notes += _against_rest(context)
    if oracles := [row.entry.title for row in config.rows if _by_test(context, row)]:
        rows = "All rows" if len(oracles) == len(config.rows) else "Rows " + "; ".join(oracles)
        notes.append(
            f"{rows}: an oracle chose by the errors on the test examples themselves, so these are "
            "the least errors that a choice could reach, not estimates."
        )
    notes += context.experiment.small_classes
    if not config.own_rows:
        notes.append(own_rows_note(config))
    lacking = Counter(record.status for record in outcomes.records.values() if not record.ok)
    if lacking:
        how = ", ".join(f"{n} {status}" for status, n in sorted(lacking.items()))
        notes.append(
            f"{lacking.total()} of {len(outcomes.records)} cells have no result ({MISSING}): {how}."
        )
    return (*notes, *config.notes)
