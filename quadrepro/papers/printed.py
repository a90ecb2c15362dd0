"""Printed tables: one file each, and the facts of ``paper.yaml`` on what its numbers are.

Numbers are fractions, or in the unit of the target, from the moment they are read: percent is only
a way to show them (`Printed.in_percent`).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import cached_property
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from quadrepro.base.models import Model, fault, known_by
from quadrepro.base.text import scaled
from quadrepro.core.metrics import NUMBERS, find_metric
from quadrepro.errors import ConfigError, DataError
from quadrepro.reader import PrintedTable, read_table
from quadrepro.reader.roles import column_role
from quadrepro.stats import LEVEL, Mean

TIME_ROW = "mean_running_time_s"
"""The row of a printed table that holds mean running times in seconds."""

MEAN, SD = "_mean", "_sd"
"""Endings of the columns of an algorithm if its mean and its standard deviation are printed."""

Spread = Literal["sd", "se", "ci95", "none"]
"""Meaning of the number after ±."""

Holds = Literal["errors", "margins", "comparisons"]
"""Meaning of the numbers: test errors or another metric; training margins; or probabilities that
the row's algorithm is better than the column's."""

Unit = Literal["fraction", "percent"]
"""How a paper prints shares of examples, and other numbers between 0 and 1."""

ACCURACY = "accuracy"
"""The metric that is compared as the error that it leaves."""

OF_ERRORS = ("error", ACCURACY, "rmse")
"""The metrics of printed numbers that are compared with our errors."""

WITHOUT_UNIT = ("log_loss", "mcc")
"""Metrics of classes that are not shares."""


class Sample(Model):
    """The repetitions whose mean a printed number is: random splits, folds, or runs."""

    splits: int | None = Field(default=None, ge=1, le=1_000_000)
    """Number of random splits."""
    cv: int | None = Field(default=None, ge=2, le=100_000)
    """Number of folds of a cross-validation."""
    repeats: int = Field(default=1, ge=1, le=100_000)
    """How often the cross-validation is repeated."""
    pooled: bool = False
    """Whether the errors on all folds are counted together, and not averaged fold by fold."""
    runs: int | None = Field(default=None, ge=1, le=1_000_000)
    """Number of runs, such as random seeds, on one test set."""

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        if sum(x is not None for x in (self.splits, self.cv, self.runs)) != 1:
            raise fault("give one of splits: 20, cv: 10 and runs: 10")
        if self.cv is None and self.pooled:
            raise fault("pooled is of a cross-validation: give cv as well", "pooled")
        if self.cv is None and self.repeats > 1:
            raise fault("repeats is of a cross-validation: give cv as well", "repeats")
        return self

    @property
    def n(self) -> int:
        """Number of test sets, or of runs."""
        return self.splits or self.runs or (self.cv or 1) * self.repeats

    @property
    def text(self) -> str:
        """The sample in words."""
        if self.runs is not None:
            return "one run" if self.runs == 1 else f"{self.runs} runs on one test set"
        if self.cv is None:
            return "one split" if self.splits == 1 else f"{self.splits} splits"
        times = f"{self.repeats} × " if self.repeats > 1 else ""
        return f"{times}{self.cv}-fold cross-validation" + ", pooled" * self.pooled


TestSize = Annotated[int, Field(ge=1, le=1_000_000_000)]
"""A number of examples."""


class Facts(Model):
    """Facts of a printed table in ``paper.yaml``."""

    holds: Holds = "errors"
    """Kind of the numbers: test errors or another `metric`; training margins; or probabilities
    that the row's algorithm is better than the column's."""
    metric: Annotated[str, known_by(find_metric)] = "error"
    """What errors are measured by: a metric of configs, or ``accuracy``. ``error`` is the RMSE
    where numbers are predicted."""
    unit: Unit | None = None
    """The unit of errors, accuracies and other shares; needed where the numbers can be in both."""
    rows: Literal["datasets", "algorithms"] | None = None
    """Kind of the rows of the file; by default the names in it tell."""
    without: tuple[str, ...] = ()
    """Columns and rows of the file that are not read."""
    table: int | None = Field(default=None, ge=1)
    """Which of several tables in the file."""
    sample: Sample | None = Field(default=None, alias="of")
    """Repetitions whose mean a number is; by default one split. Needed for means."""
    spread: Spread | None = None
    """Meaning of the number after ±: the standard deviation, the standard error of the mean, or
    half of a 95% interval; by default by the names of the columns. ``none`` leaves them out."""
    config: str | None = None
    """The config of the table, which gives the sizes of its test sets: the name of one that ships,
    or a path that starts at the folder of the paper."""
    n_test: dict[str, TestSize | tuple[TestSize, TestSize]] = Field(default_factory=dict)
    """By row: the number of test examples, or that and the number of all rows, where the config
    does not give it."""
    compares: str | None = None
    """The printed table of errors whose algorithms these comparisons compare."""
    bold: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    """By row: the columns that are printed in bold as the best, equal ones included; by default the
    bold numbers of the file."""
    fits: str = Field(default="", pattern=r"^[\w-]*$")
    """A config with a reading that contradicts the text, and that these numbers fit best. The
    scoreboard counts it separately from the configs of the text."""

    @model_validator(mode="after")
    def _unit_of_shares(self) -> Self:
        if self.unit and not self.is_share:
            raise fault("only shares have a unit: leave it out", "unit")
        return self

    @property
    def is_share(self) -> bool:
        """Whether the numbers are shares, which can be in percent."""
        if self.holds != "errors" or self.metric in WITHOUT_UNIT:
            return False
        return find_metric(self.metric).tasks != NUMBERS

    @property
    def greater_is_better(self) -> bool:
        """Whether the highest number of a row is the best."""
        return self.holds == "errors" and find_metric(self.metric).greater_is_better


def half_a_unit(printed: str) -> float:
    """Return half a unit of the last digit of a printed number.

    Examples
    --------
    >>> half_a_unit("0.123"), half_a_unit("12"), half_a_unit("1E+1")
    (0.0005, 0.5, 5.0)
    """
    return float(0.5 * 10.0 ** int(Decimal(printed).as_tuple().exponent))


class NotThereError(ConfigError):
    """An unknown name; the caller knows the place where it was written."""


@dataclass(frozen=True)
class Printed:
    """A printed table."""

    name: str
    """Name of the file without ending; empty for a table without numbers."""
    columns: tuple[str, ...]
    """Columns in the printed order, without the column of row names."""
    cells: dict[tuple[str, str], str]
    """The number of a row and column as a text with all printed digits; shares are fractions."""
    facts: Facts = field(default_factory=Facts)
    """Facts on the numbers, with the spread that the columns name."""
    path: Path = Path()
    """The file."""
    lines: dict[str, int] = field(default_factory=dict)
    """The line of each row in the file."""
    summaries: dict[str, str] = field(default_factory=dict)
    """Kind of each row that sums up others: mean, rank, wins, wins–ties–losses or time."""
    unstated: frozenset[str] = frozenset()
    """Facts that nobody stated, of ``metric`` and ``of``."""
    read: str = ""
    """How the file was read, and what was left out of it."""

    @cached_property
    def rows(self) -> tuple[str, ...]:
        """Row names in the printed order, without summaries such as running times."""
        summaries = {TIME_ROW, *self.summaries}
        return tuple(dict.fromkeys(row for row, _ in self.cells if row not in summaries))

    @property
    def algorithms(self) -> tuple[str, ...]:
        """Algorithms in the printed order."""
        if self.facts.holds == "comparisons":
            return self.columns
        names = (column.removesuffix(MEAN).removesuffix(SD) for column in self.columns)
        return tuple(dict.fromkeys(names))

    @property
    def sample(self) -> Sample:
        """The repetitions whose mean a number is."""
        return self.facts.sample or Sample(splits=1)

    @property
    def in_percent(self) -> bool:
        """Whether the paper prints its numbers in percent."""
        return self.facts.unit == "percent"

    def in_unit(self, number: float, form: str = "g") -> str:
        """Return a number in the unit in which the table is printed."""
        return f"{100 * number if self.in_percent else number:{form}}"

    @property
    def numbers(self) -> list[tuple[str, str]]:
        """Row and column of every printed number that is not a spread or a summary."""
        rows = set(self.rows)
        cells = [(row, column) for (row, column), text in self.cells.items() if text]
        return [place for place in cells if place[0] in rows and not place[1].endswith(SD)]

    def mean_column(self, algorithm: str) -> str:
        """Return the column of an algorithm's numbers, without their spread."""
        return algorithm + MEAN if algorithm + MEAN in self.columns else algorithm

    def text(self, row: str, column: str) -> str:
        """Return a printed number as a text, empty if nothing is printed."""
        return self.cells.get((row, column), "")

    def number(self, row: str, column: str) -> float | None:
        """Return a printed number, of a spread the standard deviation, or None."""
        text = self.text(row, column)
        return float(text) * self._factor(column) if text else None

    def rounding(self, row: str, column: str) -> float:
        """Return half a unit of the last printed digit."""
        return half_a_unit(self.text(row, column)) * self._factor(column)

    def as_printed(self, row: str, column: str) -> str:
        """Return a number as the paper prints it, in its unit."""
        text = self.text(row, column)
        return scaled(text, 2) if text and self._is_share(row) and self.in_percent else text

    def _is_share(self, row: str) -> bool:
        """Return whether a row has numbers of the table, or their means."""
        return row != TIME_ROW and self.summaries.get(row, "mean") == "mean"

    def deviation(self, row: str, algorithm: str) -> float | None:
        """Return the printed standard deviation over the sample, or None without one."""
        return self.number(row, algorithm + SD) if self.sample.n > 1 else None

    def _factor(self, column: str) -> float:
        """Return the factor between a printed spread and the standard deviation, 1 for others."""
        spread, n = self.facts.spread if column.endswith(SD) else "sd", self.sample.n
        if spread == "se":
            return math.sqrt(n)
        if spread == "ci95":
            return math.sqrt(n) / Mean(0.0, 1.0, n - 1).reach(LEVEL / 2)
        return 1.0

    @property
    def description(self) -> str:
        """The meaning of the numbers in words."""
        label = {"margins": "training margin", "comparisons": "probability"}.get(self.facts.holds)
        label = label or find_metric(self.facts.metric).label
        label = "number" if "metric" in self.unstated else label
        label += {None: "", "percent": " in percent", "fraction": " as a fraction"}[self.facts.unit]
        if "of" in self.unstated:
            options = " and ".join(f"--{name}" for name in sorted(self.unstated))
            return f"{label}; {options} can state more"
        if self.sample.n == 1:
            return f"{label}, of one split"
        spreads = {"sd": "standard deviation", "se": "standard error", "ci95": "95% interval"}
        spread = spreads.get(self.facts.spread or "", "")
        return f"{label}, mean{f' ± {spread}' if spread else ''} of {self.sample.text}"

    def as_errors(self) -> Printed:
        """Return accuracies as the errors that they leave, and other tables unchanged."""
        if self.facts.metric != ACCURACY:
            return self
        shares = [place for place in self.cells if self._is_share(place[0])]
        right = {p: text for p in shares if (text := self.cells[p]) and not p[1].endswith(SD)}
        cells = self.cells | {p: format(1 - Decimal(text), "f") for p, text in right.items()}
        return replace(self, cells=cells, facts=self.facts.model_copy(update={"metric": "error"}))

    def row_of(self, names: Iterable[str]) -> str | None:
        """Return the first of some names that is the name of a printed row, or None."""
        return next((name for name in names if name in self.rows), None)

    def under(self, names: Mapping[str, Iterable[str]]) -> Printed:
        """Return the table with printed rows under titles of ours, given the names of each title.

        Other printed rows keep their names.
        """
        sources = {title: self.row_of(row_names) for title, row_names in names.items()}
        taken = {*sources, *sources.values()}
        rest = {row: row for row, _ in self.cells if row not in taken}
        every = [(title, row) for title, row in (sources | rest).items() if row is not None]
        cells = {(title, c): self.text(row, c) for title, row in every for c in self.columns}
        return replace(self, cells=cells)


NOTHING = Printed("", (), {})
"""A printed table without numbers, for a config that names none."""


def read_printed(path: Path, facts: Facts | None = None) -> Printed:
    """Read a printed table of any form; its rows become data sets and its shares fractions."""
    facts = facts or Facts()
    rows: Literal["datasets", "methods"] | None = "methods" if facts.rows == "algorithms" else None
    if facts.rows == "datasets" or facts.holds == "comparisons":
        rows = "datasets"
    try:
        table = read_table(path, rows=rows, without=facts.without, table=facts.table)
    except DataError as error:
        raise ConfigError(str(error)) from None
    if len(set(table.datasets.values())) < len(table.rows):
        names = [name for name, n in Counter(table.datasets.values()).items() if n > 1]
        raise ConfigError(
            f"{path}:{table.lines[table.rows[1]]}: several rows are called {names[0]!r}"
        )
    return from_table(table, facts)


def from_table(table: PrintedTable, facts: Facts, unstated: Iterable[str] = ()) -> Printed:
    """Return a table that was read with the facts on it."""
    spread = facts.spread or table.spread or "none"
    with_spread = table.spread != "" and spread != "none"
    cells, lines, summaries = dict[tuple[str, str], str](), dict[str, int](), dict[str, str]()
    for (name, method), number in table.numbers.items():
        kind = table.summaries.get(name, "")
        row = TIME_ROW if kind == "time" else name
        lines[row] = table.lines.get(name, 1)
        summaries |= {row: kind} if kind else {}
        percent = facts.unit == "percent" and kind in ("", "mean")
        texts = {method: number.text}
        if table.means or with_spread:
            texts = {method + MEAN: number.text}
            texts |= {method + SD: number.spread} if with_spread else {}
        for column, text in texts.items():
            cells[row, column] = scaled(text, -2) if text and percent else text
    bold = {row: [m for m in table.methods if table.numbers[row, m].bold] for row in table.rows}
    # Where other numbers are bold too, a method that is bold throughout is the authors' own.
    own = {m for m in table.methods if all(m in names for names in bold.values())}
    if len(table.rows) > 2 and any({*names} - own for names in bold.values()):
        bold = {row: [m for m in names if m not in own] for row, names in bold.items()}
    n_test: dict[str, int | tuple[int, int]] = {}
    for name, sizes in table.sizes.items():
        n_test |= sizes if column_role(name) == "test size" else {}
    best = facts.bold or {row: tuple(names) for row, names in bold.items() if names}
    resolved = {"spread": spread, "bold": best, "n_test": n_test | facts.n_test}
    columns, path = tuple(dict.fromkeys(column for _, column in cells)), Path(table.path)
    facts, read = facts.model_copy(update=resolved), table.describe("checked one by one")
    about = path, lines, summaries, frozenset(unstated), read
    return Printed(path.stem, columns, cells, facts, *about)
