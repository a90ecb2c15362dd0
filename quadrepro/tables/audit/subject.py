"""A paper under audit with the sizes of its test sets, and the findings of an audit."""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple

from quadrepro.base.resources import find_config
from quadrepro.config.config import Experiment
from quadrepro.config.datasets import Row
from quadrepro.config.loading import load_experiment
from quadrepro.config.plan import source_of
from quadrepro.core.problems import FreshRows, Sources
from quadrepro.core.splits import Splitter
from quadrepro.data.store import Found
from quadrepro.errors import ConfigError, DataError, nearest
from quadrepro.papers.paper import Paper
from quadrepro.papers.printed import OF_ERRORS, Printed

VERDICTS = ("holds", "fails", "suspicious", "cannot be judged")
"""Verdicts on findings; a suspicious one fails unless something holds that is not printed."""

NOT_SAID = "neither a config nor n_test gives the size of its test sets"
NUMBERS = "its algorithms predict numbers"

SLACK = 1e-9
"""Half units of printed numbers are floats, with errors far below this."""


def in_unit(table: Printed, number: float, form: str = "g") -> str:
    """Return a number in the unit in which a table is printed."""
    return f"{100 * number if table.in_percent else number:{form}}"


class PrintedPlace(NamedTuple):
    """A place in a printed table."""

    table: str
    row: str = ""
    """Empty for a whole table or column."""
    column: str = ""
    """Empty for a whole table or row."""


@dataclass(frozen=True)
class Finding:
    """One printed number, or one sentence, that was checked."""

    place: PrintedPlace
    printed: str
    """The printed number as in the paper, or the sentence."""
    holds: bool | None
    """None if it cannot be judged."""
    why: str
    """The numbers that decide, or why it cannot be judged."""
    p_value: float | None = None
    """P-value of a statistical test, which `audit` corrects for all tests; None if the finding is
    certain."""
    unless: str = ""
    """An assumption that a failure rests on; it is then not counted as one."""

    @property
    def verdict(self) -> str:
        """The verdict in a word."""
        if self.holds is None:
            return "cannot be judged"
        return "holds" if self.holds else "suspicious" if self.unless else "fails"

    @property
    def reason(self) -> str:
        """The numbers that decide, with the assumption of a failure."""
        suspicious = self.verdict == "suspicious"
        return f"{self.why}; suspicious unless {self.unless}" if suspicious else self.why

    @property
    def texts(self) -> tuple[str, str, str, str]:
        """Place, printed number, verdict and reason for reading."""
        return ", ".join(filter(None, self.place)), self.printed, self.verdict, self.reason


class Size(NamedTuple):
    """The test sets behind a printed row."""

    n_test: int
    """Number of examples of each."""
    n_rows: int
    """Number of all rows; 0 if every split has fresh examples, `n_test` if it is not known."""
    or_n_test: tuple[int, ...] = ()
    """Other numbers of examples, where a share of the rows can be rounded up or down."""


@dataclass(frozen=True)
class Subject:
    """A paper under audit."""

    paper: Paper

    @cached_property
    def tables(self) -> tuple[Printed, ...]:
        """All printed tables, by name."""
        return tuple(map(self.paper.printed, self.paper.tables))

    def holding(self, holds: str) -> list[Printed]:
        """Return the tables that hold a kind of numbers; other metrics than errors are left out."""
        tables = [table for table in self.tables if table.facts.holds == holds]
        # Other metrics do not count examples.
        return [t for t in tables if holds != "errors" or t.facts.metric in OF_ERRORS]

    def check(self, name: str, names: Collection[str], kind: str, *place: str | int) -> None:
        """Refuse an unknown name in ``paper.yaml``, with the nearest one."""
        if name not in names:
            message = f"unknown {kind} {name!r}{nearest(name, names)}"
            raise self.paper.error(message, "printed", *place)

    def size(self, table: Printed, row: str) -> Size | str:
        """Return the test sets behind a printed row, or why they are not known."""
        if not table.facts.is_share:
            return NUMBERS
        return self._sizes.get((table.name, row), NOT_SAID)

    @cached_property
    def _sizes(self) -> dict[tuple[str, str], Size | str]:
        """The test sets by table and row, or why they are not known."""
        sizes: dict[tuple[str, str], Size | str] = {}
        for table in self.tables:
            if table.facts.config is not None:
                experiment = self._experiment(table.facts.config, table.name)
                for ours in experiment.config.rows:
                    if (row := table.row_of(ours.item.printed_names)) is not None:
                        size = _size(ours, experiment.config.repeats)
                        sizes.setdefault((table.name, row), size)
            for row, numbers in table.facts.n_test.items():
                place = table.name, "n_test", row
                self.check(row, table.rows, "row", *place)
                n_test, n_rows = numbers if isinstance(numbers, tuple) else (numbers, numbers)
                if n_test > n_rows:
                    message = f"{n_test} test examples cannot be taken from {n_rows} rows"
                    raise self.paper.error(message, "printed", *place)
                sizes[table.name, row] = Size(n_test, n_rows)
        return sizes

    def _experiment(self, name: str, table: str) -> Experiment:
        """Return the config of a table."""
        local = self.paper.source.path.parent / name
        try:
            return load_experiment(find_config(local if local.is_file() else name))
        except ConfigError as error:
            raise self.paper.error(str(error), "printed", table, "config") from None


def _size(row: Row, repeats: int) -> Size | str:
    """Return the test sets of a row of a config, by the card alone."""
    if row.task == "regression":
        return NUMBERS
    sources = Sources({row.item.name: Found(row.item.card, None)}, repeats)
    try:
        source = source_of(sources, row, row.protocol, row.view)
    except DataError:
        return "the card does not give the number of rows; n_test can"
    n_test = source.sizes[-1]
    if isinstance(source, FreshRows):
        return Size(n_test, 0)
    splitter = source.splitter
    if splitter.rule.columns or splitter.rule.openml_task is not None:
        return "the rows decide which of them are tested; n_test can give their number"
    others = _roundings(splitter) - {n_test}
    return Size(n_test, splitter.n_rows, tuple(sorted(others)))


def _roundings(splitter: Splitter) -> set[int]:
    """Return the sizes of a test set with every share of the rows rounded up and down."""
    rule, n_rows = splitter.rule, splitter.n_rows
    if rule.outer_folds:
        rests = _whole(Fraction(n_rows, rule.outer_folds))
    elif rule.train == "all" or rule.test is not None or isinstance(rule.train, int):
        rests = {sum(splitter.sizes[1:])}
    else:
        most = rule.at_most or n_rows
        rests = {n_rows - min(n_train, most) for n_train in _whole(rule.share * n_rows)}
    if not splitter.holdout:
        return rests
    return {half for rest in rests for half in _whole(Fraction(rest, 2))}


def _whole(size: Fraction) -> set[int]:
    return {math.floor(size), math.ceil(size)}
