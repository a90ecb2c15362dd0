"""The paper under audit, perhaps made of a single table in a file, its test sets, and findings."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from quadrepro.base.files import find_config, write_text
from quadrepro.base.text import few
from quadrepro.base.yaml import YamlSource, to_yaml
from quadrepro.config.config import Experiment
from quadrepro.config.datasets import Row
from quadrepro.config.loading import load_experiment
from quadrepro.config.plan import source_of
from quadrepro.core.metrics import find_metric
from quadrepro.core.problems import FreshRows, Sources
from quadrepro.core.splits import Splitter
from quadrepro.data.store import Found
from quadrepro.errors import ConfigError, DataError, nearest
from quadrepro.papers.paper import FILE, PRINTED, Paper, PaperFile
from quadrepro.papers.printed import OF_ERRORS, Facts, Printed, Sample, Unit, from_table
from quadrepro.reader import PrintedTable
from quadrepro.reader.roles import metric_of
from quadrepro.tables.render import csv_text

VERDICTS = ("holds", "fails", "suspicious", "cannot be judged")
"""Verdicts on findings; a suspicious one fails unless something holds that is not printed."""

NOT_SAID = "neither a config nor n_test gives the size of its test sets"
NUMBERS = "its algorithms predict numbers"


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


HINTS = """\
# Further keys of a table, see docs/papers.md:
#   metric: accuracy            kind of the numbers; by default errors
#   of: {splits: 20}            the repetitions of a mean; or {cv: 10}, {runs: 10}
#   n_test: {ROW: 81}           number of test examples; or [81, 270], that and of all rows
#   bold: {ROW: [COLUMN]}       the numbers in bold
"""


def table_paper(
    table: PrintedTable,
    *,
    unit: Unit | None = None,
    sample: Sample | None = None,
    n_test: Mapping[str, int] | str = "",
) -> Paper:
    """Return a paper that has a single printed table.

    Parameters
    ----------
    table : PrintedTable
        The table.
    unit : {"fraction", "percent"}, optional
        Unit of its shares; by default percent if a sign shows it or a number is above 1.
    sample : Sample, optional
        The repetitions whose mean a number is.
    n_test : mapping of str to int, or str
        Numbers of test examples by row or data set, or the name of a column that has them.

    Raises
    ------
    ConfigError
        If a row, a column or the metric is unknown, or the numbers cannot be shares.
    """
    path, name = Path(table.path), Path(table.path).stem
    stated, metric = {"of": sample, "metric": table.metric}, table.metric or "error"
    try:
        find_metric(metric)
    except ValueError as error:
        message = f"{error}; state another one with --metric"
        if metric_of(metric):
            message = f"there are no checks of {metric}: state --metric rmse if it has no limit"
        raise ConfigError(f"{path}: {message}") from None
    facts = Facts.model_validate({"metric": metric, "of": sample})
    if facts.is_share:
        numbers = [table.numbers[row, m].value for row in table.rows for m in table.methods]
        if max(numbers, default=0) > 100:
            advice = "name their metric, such as --metric rmse, or leave out columns with --without"
            raise ConfigError(f"{path}: numbers above 100 are not shares: {advice}")
        if min(numbers, default=0) < 0 and not table.metric:
            raise ConfigError(f"{path}: negative numbers are not shares: name their --metric")
        in_percent = table.percent or (metric != "brier" and any(x > 1 for x in numbers))
        unit = unit or ("percent" if in_percent else "fraction")
        facts = facts.model_copy(update={"unit": unit})
    if isinstance(n_test, str):
        if n_test and n_test not in table.sizes:
            columns = f"; columns of whole numbers: {few([*table.sizes])}" if table.sizes else ""
            raise ConfigError(f"{path}: no column of sizes is called {n_test!r}{columns}")
        n_test = table.sizes.get(n_test, {})
    rows = {*table.rows, *table.datasets.values()}
    for row in n_test:
        if row not in rows:
            raise ConfigError(f"{path}: unknown row {row!r}{nearest(row, rows)}")
    sizes = {row: n_test.get(row, n_test.get(data, 0)) for row, data in table.datasets.items()}
    facts = facts.model_copy(update={"n_test": {row: n for row, n in sizes.items() if n}})
    printed = from_table(table, facts, {key for key, value in stated.items() if not value})
    file = PaperFile(title=name, printed={name: printed.facts})
    return Paper(str(path), file, {name: printed}, {}, YamlSource(path, {}))


def write_draft(paper: Paper, folder: Path) -> None:
    """Write a paper of a single table as a folder: ``paper.yaml`` and the table as CSV."""
    [(name, printed)] = paper.tables.items()
    rows = (*printed.rows, *printed.summaries)
    lines = [[row, *(printed.as_printed(row, c) for c in printed.columns)] for row in rows]
    stated = printed.facts.model_dump(mode="json", by_alias=True, exclude_defaults=True)
    facts = {key: value for key, value in stated.items() if value is not None and key != "spread"}
    write_text(folder / PRINTED / f"{name}.csv", csv_text(["dataset", *printed.columns], lines))
    write_text(folder / FILE, to_yaml({"title": name, "printed": {name: facts}}) + HINTS)


def read_sizes(path: Path) -> dict[str, int]:
    """Return the numbers of test examples by row, from a file of names and sizes."""
    try:
        frame = pd.read_csv(path, header=None, names=["row", "size"], dtype=str)
    except (ValueError, OSError) as error:
        raise ConfigError(f"{path}: {error}") from None
    pairs = frame.fillna("").map(str.strip).itertuples(index=False)
    sizes = {row: int(size) for row, size in pairs if size.isdecimal()}
    if not sizes:
        raise ConfigError(f"{path}: no line has a row and its number of test examples")
    return sizes
