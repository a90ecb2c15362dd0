"""What a kind of table or figure is, what it is given to work with, and what it makes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

from quadrepro.config.config import Config, Experiment
from quadrepro.core.learners.registry import BASELINE
from quadrepro.engine.metrics import find_metric
from quadrepro.engine.outcomes import Outcomes
from quadrepro.errors import ConfigError, nearest
from quadrepro.papers.printed import NOTHING, OF_ERRORS, Holds, Printed, Unit
from quadrepro.tables.notes import own_rows_note
from quadrepro.tables.printed import check_printed
from quadrepro.tables.table import MISSING, Table
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
        rule = self.config.protocol.split
        if rule.outer:
            return "folds"
        return "random splits" if rule.draws_share and not rule.time else "splits"

    def error(self, message: str, *place: str | int) -> ConfigError:
        """Return an error that names a place below the kind's key."""
        return self.experiment.error(message, "tables", self.key, *place)

    def printed(self, name: str, unit: Unit = "percent", metric: str = "") -> Printed:
        """Return a printed table of the paper with its rows under the titles of ours.

        The empty name, and a table of another metric than the one asked for or than errors, have no
        numbers.
        """
        if not name or self.experiment.paper is None:
            return NOTHING
        table = self.experiment.paper.printed(name)
        if table.facts.holds != "comparisons":  # whose rows are algorithms
            table = table.under({e.title: e.printed_names for e in self.config.entries})
        if table.facts.metric not in ((metric,) if metric else OF_ERRORS):
            return NOTHING
        numbers = [row for row, task in self.experiment.tasks.items() if task == "regression"]
        return table.in_unit(unit, numbers)

    def check_printed(self, name: str, holds: Holds) -> None:
        """Refuse the name of a printed table that the paper does not have, or of another kind."""
        check_printed(self.experiment, self.key, name, holds)

    def check_column(self, name: str, *place: str | int) -> None:
        """Refuse the name of a column that does not exist, at a place below the kind's key."""
        if name not in self.titles:
            message = f"unknown algorithm {name!r} here{nearest(name, self.titles)}"
            raise self.error(message, *place)

    def check_sweeps(self) -> None:
        """Refuse a config without a sweep."""
        if not self.config.sweeps:
            raise self.error(f"{self.key} are shown along sweeps: give sweeps")


@dataclass(frozen=True)
class Made:
    """What a kind makes of the records of an experiment, all at once."""

    table: Table
    """The table."""
    draw: Callable[[Path], None] | None = None
    """Draws the figure into a file, in the format that its ending names."""
    verdicts: Verdicts | None = None
    """Verdicts on the printed numbers beside ours."""


@dataclass(frozen=True)
class Kind(Generic[Option]):
    """A kind of table or figure: what a config can ask for, and how it is made.

    Examples
    --------
    >>> def sizes(context, outcomes):
    ...     rows = (("data sets", (str(len(outcomes.rows)),)),)
    ...     return Made(Table("Sizes", ("", "number"), rows, ()))
    >>> Kind("sizes", bool, "The number of data sets: `true`.", sizes, Context.check_sweeps).key
    'sizes'
    """

    key: str
    """The key below ``tables``; also the name of the files without ending."""
    option: Any
    """Type of its value, as pydantic reads it."""
    meaning: str
    """The output and the meaning of the option, for the reference of configs."""
    make: Callable[[Context[Option], Outcomes], Made | None]
    """Makes what is written; None if there is nothing to write."""
    check: Callable[[Context[Option]], None]
    """Raises ConfigError if the option does not fit the rest of the config."""


def by_metrics(context: Context[Any], outcomes: Outcomes) -> list[Outcomes]:
    """Return the outcomes as each metric of the config judges them."""
    tasks = context.experiment.tasks
    found = []
    for metric in map(find_metric, context.config.metrics):
        rows = [row for row, task in tasks.items() if task in metric.tasks]
        found.append(outcomes.by(metric, rows))
    return found


def headline(context: Context[Any], outcomes: Outcomes) -> Outcomes:
    """Return the outcomes as the config's headline judges them: by errors, or by a metric."""
    judged = {of.metric.name: of for of in by_metrics(context, outcomes) if of.metric}
    return judged.get(context.config.headline, outcomes)


def closing_notes(context: Context[Any], outcomes: Outcomes) -> tuple[str, ...]:
    """Return the notes below most tables: of algorithms, of missing cells, of the config."""
    config = context.config
    entries = [column.entry for column in context.experiment.columns]
    notes = [f"{context.titles[entry.name]}: {entry.note}" for entry in entries if entry.note]
    if "multiclass" in context.experiment.tasks.values():
        columns = context.experiment.algorithms
        titles = [context.titles[c.name] for c in columns if c.learner.against_rest("multiclass")]
        how = "trained once for each class against the rest; the largest score wins"
        notes += [f"{', '.join(titles)}: with more than two classes, {how}."] if titles else []
    protocols = context.experiment.protocols
    if oracles := [row for row, of in protocols.items() if of.holdout and of.holdout.by == "test"]:
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
