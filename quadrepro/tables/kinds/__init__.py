"""Kinds of tables and figures, and all that a config asks for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Generic, TypeVar, cast

from quadrepro.base.text import scaled
from quadrepro.config.config import KINDS, Config, Experiment, asked_for
from quadrepro.core.metrics import find_metric
from quadrepro.core.training.algorithms import BASELINE
from quadrepro.engine.outcomes import Outcomes
from quadrepro.errors import ConfigError, nearest
from quadrepro.papers.printed import NOTHING, OF_ERRORS, Holds, Printed
from quadrepro.tables.from_paper import check_printed
from quadrepro.tables.judge import NO_VERDICTS, Verdicts, verdicts_table
from quadrepro.tables.render import MISSING, CsvField, Entry, Table, listed

VERDICTS = "verdicts"
"""Name of the table of verdicts, which is made wherever something is printed."""

ORACLES = {
    "test": "an oracle chose by the errors on the test examples themselves, so these are the least "
    "errors that a choice could reach, not estimates.",
    "both": "validation errors chose the number of rounds, and an oracle all else by the errors on "
    "the test examples themselves, so these are not estimates.",
}
"""Notes on rows whose test examples take part in the choice, by the key `by` of the hold-out."""

Option = TypeVar("Option")

Texts = Iterable[str]
Rows = Iterable[tuple[str, Iterable[Entry]]]
"""Name and entries of each row."""
Data = Iterable[tuple[CsvField, ...]]
"""Fields of each row of a CSV."""


@dataclass(frozen=True)
class Context(Generic[Option]):
    """An experiment as one kind of table sees it."""

    experiment: Experiment
    """The config and its source."""
    key: str
    """The kind's key below ``tables`` in the config."""
    option: Option
    """The validated value of the key; the kind's default if the config has none."""

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
        """The word for the repeats, in the plural."""
        rule = self.config.protocol.split
        if rule.outer:
            return "folds"
        return "random splits" if rule.draws_more else "splits"

    def error(self, message: str, *place: str | int) -> ConfigError:
        """Return an error that names a place below the kind's key."""
        return self.experiment.error(message, "tables", self.key, *place)

    def table(
        self, subject: str, header: Texts, rows: Rows, notes: Texts, data_header: Texts, data: Data
    ) -> Table:
        """Return a table on a subject, which its title names after the config."""
        title, body = f"{self.config.title}: {subject}", ((name, (*row,)) for name, row in rows)
        return Table(title, (*header,), (*body,), (*notes,), (*data_header,), (*data,))

    def printed(self, name: str) -> Printed:
        """Return a printed table of the paper with its rows under the titles of ours.

        Accuracies become errors. The empty name gives a table without numbers.
        """
        if not name or self.experiment.paper is None:
            return NOTHING
        table = self.experiment.paper.printed(name).as_errors()
        if table.facts.holds == "comparisons":  # its rows are algorithms
            return table
        table = table.under({row.title: row.item.printed_names for row in self.config.rows})
        if not table.in_percent:
            return table
        # An RMSE has the unit of its target, also in a table in percent.
        tasks, cells = self.experiment.tasks, table.cells.items()
        kept = [(p, text) for p, text in cells if text and tasks.get(p[0]) == "regression"]
        cells_in_unit = {place: scaled(text, 2) for place, text in kept}
        return replace(table, cells=table.cells | cells_in_unit)

    def judged(self, outcomes: Outcomes, printed: Printed) -> Outcomes | None:
        """Return the outcomes by the metric of a printed table, or None if it is not asked for."""
        metric = printed.facts.metric
        return outcomes if metric in OF_ERRORS else self.by_metrics(outcomes).get(metric)

    def headline(self, outcomes: Outcomes) -> Outcomes:
        """Return the outcomes as the config's headline judges them: by errors, or by a metric."""
        return self.by_metrics(outcomes).get(self.config.headline, outcomes)

    def by_metrics(self, outcomes: Outcomes) -> dict[str, Outcomes]:
        """Return the outcomes as each metric of the config judges them, by its name."""
        tasks, judged = self.experiment.tasks.items(), {}
        for metric in map(find_metric, self.config.metrics):
            rows = [row for row, task in tasks if task in metric.tasks]
            judged[metric.name] = outcomes.by(metric, rows)
        return judged

    def check_printed(self, name: str, holds: Holds) -> None:
        """Refuse the name of a printed table that the paper does not have, or of another kind."""
        check_printed(self.experiment, self.key, name, holds)

    def check_metric(self, name: str, *place: str | int) -> None:
        """Refuse a printed table of a metric that the config does not ask for."""
        metric = self.printed(name).facts.metric
        if metric not in (*OF_ERRORS, *self.config.metrics):
            advice = f"ask for it with metrics: [{metric}]"
            raise self.error(f"{name} prints {metric}: {advice}", *place)

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
    """Everything that a kind makes of the records of an experiment."""

    table: Table
    """The table."""
    draw: Callable[[Path], None] | None = None
    """Draws the figure into a file, in the format that its ending names."""
    verdicts: Verdicts = NO_VERDICTS
    """Verdicts on the printed numbers, if there are any."""


@dataclass(frozen=True)
class Kind(Generic[Option]):
    """A kind of table or figure: its option in a config, and how it is made.

    Examples
    --------
    >>> from quadrepro.tables.render import Entry
    >>> def sizes(context, outcomes):
    ...     "The number of data sets: `true`."
    ...     rows = (("data sets", (Entry(str(len(outcomes.rows))),)),)
    ...     return Made(Table("Sizes", ("", "number"), rows))
    >>> kind = Kind(bool, sizes, Context.check_sweeps)
    """

    option: Any
    """Type of the value of its key below ``tables``, as pydantic reads it."""
    make: Callable[[Context[Option], Outcomes], Made | None]
    """Makes table, figure and verdicts; None if there is nothing to write. Its docstring is the
    `meaning` of the key."""
    check: Callable[[Context[Option]], None]
    """Raises ConfigError if the option does not fit the rest of the config."""

    @property
    def meaning(self) -> str:
        """The output and the meaning of the option, for the reference of configs."""
        return " ".join((self.make.__doc__ or "").split())


def _kinds_with_contexts(experiment: Experiment) -> Iterator[tuple[Kind[Any], Context[Any]]]:
    """Yield the kinds that a config asks for, and those that are always written."""
    for key, option in asked_for(experiment.config.tables).items():
        yield cast("Kind[Any]", KINDS.find(key)), Context(experiment, key, option)


def check_tables(experiment: Experiment) -> None:
    """Refuse a config that asks for tables or figures that cannot be made."""
    for kind, context in _kinds_with_contexts(experiment):
        kind.check(context)


def make_tables(experiment: Experiment, outcomes: Outcomes) -> dict[str, Made]:
    """Return everything that is written of an experiment, by the name of its files."""
    kinds = _kinds_with_contexts(experiment)
    made_of_kinds = {context.key: kind.make(context, outcomes) for kind, context in kinds}
    written = {key: made for key, made in made_of_kinds.items() if made}
    if verdicts := [made.verdicts for made in written.values() if made.verdicts.entries]:
        table = verdicts_table(experiment, verdicts, own_rows_notes(experiment.config))
        written[VERDICTS] = Made(table)
    return written


def own_rows_notes(config: Config) -> list[str]:
    """Return a note if tests over data sets leave out rows."""
    n_own, n_rows = len(config.own_rows), len(config.rows)
    if n_own == n_rows:
        return []
    if not n_own:
        swept = listed([sweep.word for sweep in config.sweeps])
        return [f"No row has the config's own {swept}, so nothing is tested over data sets."]
    how = "under the config's own reading"
    if config.sweeps:
        own = [row for row in config.rows if row.title in config.own_rows]
        how = f"with {listed([*dict.fromkeys(f'{row.sweep} {row.value}' for row in own)])}"
    return [f"Each data set counts once: {n_own} of {n_rows} rows, {how}."]


def closing_notes(context: Context[Any], outcomes: Outcomes) -> tuple[str, ...]:
    """Return the notes below most tables: on algorithms, missing cells, and the config's own."""
    config = context.config
    items = [column.item for column in context.experiment.columns]
    notes = [f"{context.titles[item.name]}: {item.note}" for item in items if item.note]
    if "multiclass" in context.experiment.tasks.values():
        columns = context.experiment.algorithms
        titles = [context.titles[c.name] for c in columns if c.learner.against_rest("multiclass")]
        how = "trained once for each class against the rest; the largest score wins"
        notes += [f"{', '.join(titles)}: with more than two classes, {how}."] if titles else []
    protocols = context.experiment.protocols.items()
    for by, how in ORACLES.items():
        oracles = [row for row, p in protocols if p.holdout and p.holdout.by == by]
        if oracles:
            rows = "All rows" if len(oracles) == len(config.rows) else "Rows " + "; ".join(oracles)
            notes.append(f"{rows}: {how}")
    notes += context.experiment.small_classes
    if not config.own_rows:
        notes += own_rows_notes(config)
    lacking = Counter(record.status for record in outcomes.records.values() if not record.ok)
    if lacking:
        how = ", ".join(f"{n} {status}" for status, n in sorted(lacking.items()))
        notes.append(
            f"{lacking.total()} of {len(outcomes.records)} cells have no result ({MISSING}): {how}."
        )
    return (*notes, *config.notes)
