"""Printed tables: one CSV file each, and the facts of ``paper.yaml`` on what its numbers are."""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import cached_property
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from quadrepro.base.files import read_text
from quadrepro.base.models import Model, fault, known_by
from quadrepro.engine.metrics import NUMBERS, find_metric
from quadrepro.errors import ConfigError, DataError
from quadrepro.stats import COVERAGE, Moments

TIME_ROW = "mean_running_time_s"
"""The row of a printed table that holds mean running times in seconds."""

MEAN_ROW = "column_mean"
"""The row of a printed table that holds the mean of each column."""

MEAN, SD = "_mean", "_sd"
"""Endings of the columns of an algorithm if its mean and its standard deviation are printed."""

Spread = Literal["sd", "se", "ci95", "none"]

SPREADS: dict[str, Spread] = {"_sd": "sd", "_se": "se", "_ci95": "ci95"}
"""What the ending of a column says of what is printed after ±."""

NUMBER = re.compile(r"[-+]?(\d{1,15}\.?\d{0,15}|\.\d{1,15})", re.ASCII)
"""A printed number; more digits than a float holds are none that somebody has measured."""

Holds = Literal["errors", "margins", "comparisons"]
"""What the numbers are: test errors or another metric; training margins; or probabilities that the
row's algorithm is better than the column's."""

Unit = Literal["fraction", "percent"]
"""The unit of shares of examples, and of other numbers between 0 and 1."""

ACCURACY = "accuracy"
"""The metric that is shown as the error that it leaves."""

OF_ERRORS = ("error", ACCURACY, "rmse")
"""The metrics of printed numbers that stand beside our errors."""

WITHOUT_UNIT = ("log_loss", "mcc")
"""Metrics of classes that are no shares."""


class MeanOf(Model):
    """What a printed number is the mean of: random splits, or folds."""

    splits: int | None = Field(default=None, ge=1, le=1_000_000)
    """Number of random splits."""
    cv: int | None = Field(default=None, ge=2, le=100_000)
    """Number of folds of a cross-validation."""
    repeats: int = Field(default=1, ge=1, le=100_000)
    """How often the cross-validation is repeated."""
    pooled: bool = False
    """Whether the errors on all folds are counted together, and not averaged fold by fold."""

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        if (self.splits is None) == (self.cv is None):
            raise fault("give either splits: 20 or cv: 10")
        if self.cv is None and self.pooled:
            raise fault("pooled is of a cross-validation: give cv as well", "pooled")
        if self.cv is None and self.repeats > 1:
            raise fault("repeats is of a cross-validation: give cv as well", "repeats")
        return self

    @property
    def n(self) -> int:
        """The number of test sets."""
        return self.splits or (self.cv or 1) * self.repeats

    @property
    def text(self) -> str:
        """The words for it."""
        if self.cv is None:
            return "one split" if self.splits == 1 else f"{self.splits} splits"
        times = f"{self.repeats} × " if self.repeats > 1 else ""
        return f"{times}{self.cv}-fold cross-validation" + ", pooled" * self.pooled


Size = Annotated[int, Field(ge=1, le=1_000_000_000)]
"""A number of examples."""


class Facts(Model):
    """Facts of a printed table in ``paper.yaml``."""

    holds: Holds = "errors"
    """What the numbers are: test errors or another `metric`; training margins; or probabilities
    that the row's algorithm is better than the column's."""
    metric: Annotated[str, known_by(find_metric)] = "error"
    """What errors are measured by: a metric of configs, or ``accuracy``. ``error`` is the RMSE
    where numbers are predicted."""
    unit: Unit | None = None
    """The unit of errors, accuracies and other shares; needed where the numbers can be in both."""
    rows: Literal["datasets", "algorithms"] = "datasets"
    """What the lines of the file are."""
    of: MeanOf | None = None
    """What a number is the mean of; by default one split. Needed where means are printed."""
    spread: Spread | None = None
    """What is printed after ±: the standard deviation, the standard error of the mean, or half of
    a 95% interval. By default, the endings of the columns say it; ``none`` leaves them out."""
    config: str | None = None
    """The config of the table, which gives the sizes of its test sets: the name of one that ships,
    or a path that starts at the folder of the paper."""
    n_test: dict[str, Size | tuple[Size, Size]] = Field(default_factory=dict)
    """By row: the number of test examples, or that and the number of all rows, where the config
    does not give it."""
    compares: str | None = None
    """The printed table of errors whose algorithms these comparisons compare."""
    bold: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    """By row: the columns that are printed in bold as the best, equal ones included."""
    fits: str = Field(default="", pattern=r"^[\w-]*$")
    """A config with a reading that contradicts the text, and that these numbers fit best. The
    scoreboard counts it beside the configs of the text."""

    @model_validator(mode="after")
    def _of_shares(self) -> Self:
        if self.unit and not self.is_share:
            raise fault("only shares have a unit: leave it out", "unit")
        return self

    @property
    def is_share(self) -> bool:
        """Whether the numbers are shares, which can be in percent."""
        if self.holds != "errors" or self.metric in WITHOUT_UNIT:
            return False
        return find_metric(self.metric).tasks != NUMBERS


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
    """Columns in the printed order, without that of the row names."""
    cells: dict[tuple[str, str], str]
    """The printed text of a row and column, digit for digit."""
    facts: Facts = field(default_factory=Facts)
    """What its numbers are; unit and spread are those that were found."""
    path: Path = Path()
    """The file."""
    lines: dict[str, int] = field(default_factory=dict)
    """The line of each row in the file."""
    printed_as: str = ""
    """What the printed numbers are, if these are in another unit."""

    @cached_property
    def rows(self) -> tuple[str, ...]:
        """Row names in the printed order, without those of running times and column means."""
        summaries = (TIME_ROW, MEAN_ROW)
        return tuple(dict.fromkeys(row for row, _ in self.cells if row not in summaries))

    @property
    def algorithms(self) -> tuple[str, ...]:
        """Algorithms in the printed order."""
        if self.facts.holds == "comparisons":
            return self.columns
        names = (column.removesuffix(MEAN).removesuffix(SD) for column in self.columns)
        return tuple(dict.fromkeys(names))

    @property
    def of(self) -> MeanOf:
        """What a number is the mean of."""
        return self.facts.of or MeanOf(splits=1)

    @property
    def numbers(self) -> list[tuple[str, str]]:
        """Row and column of every printed number that is no spread and no summary."""
        rows = set(self.rows)
        return [
            at
            for at, text in self.cells.items()
            if text and at[0] in rows and not at[1].endswith(SD)
        ]

    def mean_column(self, algorithm: str) -> str:
        """Return the column of an algorithm's numbers, without that of their spread."""
        return algorithm + MEAN if algorithm + MEAN in self.columns else algorithm

    def text(self, row: str, column: str) -> str:
        """Return what is printed, or an empty text if nothing is."""
        return self.cells.get((row, column), "")

    def number(self, row: str, column: str) -> float | None:
        """Return the printed number, that of a spread as a standard deviation, or None."""
        text = self.text(row, column)
        return float(text) * self._factor(column) if text else None

    def rounding(self, row: str, column: str) -> float:
        """Return half a unit of the last printed digit."""
        return half_a_unit(self.text(row, column)) * self._factor(column)

    def spread(self, row: str, algorithm: str) -> str:
        """Return a printed number ± its spread, or the number alone."""
        texts = self.text(row, self.mean_column(algorithm)), self.text(row, algorithm + SD)
        return " ± ".join(filter(None, texts)) if texts[0] else ""

    def moments(self, row: str, algorithm: str) -> Moments | None:
        """Return the mean and the standard deviation over the splits, or None without both."""
        mean = self.number(row, self.mean_column(algorithm))
        sd = self.number(row, algorithm + SD)
        return None if mean is None or sd is None or self.of.n < 2 else Moments(mean, sd, self.of.n)

    def _factor(self, column: str) -> float:
        """Return what a printed number is multiplied by to be a standard deviation, or 1."""
        if not column.endswith(SD) or self.facts.spread not in ("se", "ci95"):
            return 1.0
        if self.facts.spread == "se":
            return math.sqrt(self.of.n)
        # scipy.stats takes half a second to import.
        from scipy.stats import t as student

        return math.sqrt(self.of.n) / float(student.ppf((1 + COVERAGE) / 2, self.of.n - 1))

    @property
    def words(self) -> str:
        """What the printed numbers are."""
        if self.printed_as:
            return self.printed_as
        label = {"margins": "training margin", "comparisons": "probability"}.get(self.facts.holds)
        label = label or find_metric(self.facts.metric).label
        label += {None: "", "percent": " in percent", "fraction": " as a fraction"}[self.facts.unit]
        if self.of.n == 1:
            return f"{label}, of one split"
        spreads = {"sd": "standard deviation", "se": "standard error", "ci95": "95% interval"}
        spread = spreads.get(self.facts.spread or "", "")
        return f"{label}, mean{f' ± {spread}' if spread else ''} of {self.of.text}"

    def in_unit(self, unit: Unit, but: Collection[str] = ()) -> Printed:
        """Return the table in another unit, and accuracies as errors, without some rows."""
        if self.facts.unit is None:
            return self
        digits = {"fraction": 0, "percent": 2}
        power = digits[unit] - digits[self.facts.unit]
        accuracy, cells = self.facts.metric == ACCURACY, dict(self.cells)
        for (row, column), text in self.cells.items():
            if text and row not in {TIME_ROW, *but} and (power or accuracy):
                number = Decimal(text).scaleb(power)
                left = accuracy and not column.endswith(SD)
                cells[row, column] = str(10 ** digits[unit] - number if left else number)
        metric = "error" if accuracy else self.facts.metric
        facts = self.facts.model_copy(update={"unit": unit, "metric": metric})
        words = self.words + "; shown as errors" * accuracy
        return replace(self, cells=cells, facts=facts, printed_as=words)

    def row_of(self, names: Iterable[str]) -> str | None:
        """Return the first of some names that is the name of a printed row, or None."""
        return next((name for name in names if name in self.rows), None)

    def under(self, names: Mapping[str, Iterable[str]]) -> Printed:
        """Return the table with printed rows under titles of ours, given the names of each title.

        Printed rows that belong to none keep their names.
        """
        sources = {title: self.row_of(of_title) for title, of_title in names.items()}
        taken = {*sources, *sources.values()}
        rest = [row for row in (*self.rows, TIME_ROW, MEAN_ROW) if row not in taken]
        cells = {
            (title, column): self.text(row, column)
            for title, row in (*sources.items(), *((row, row) for row in rest))
            for column in self.columns
            if row is not None
        }
        return replace(self, cells=cells)


NOTHING = Printed("", (), {})
"""A printed table without numbers, for a config that names none."""


def read_printed(path: Path, facts: Facts | None = None) -> Printed:
    """Read and check a printed table, with data sets as rows."""
    facts = facts or Facts()
    (top, header), *lines = _lines(path)
    columns = [_split(name) for name in header]
    for i, (name, (base, ending)) in enumerate(zip(header, columns, strict=True)):
        message = "the column has no name" if i and not name else ""
        if name in header[:i]:
            message = f"duplicate column {name!r}"
        if ending in SPREADS and not {base, base + MEAN} & {*header[1:]}:
            message = f"{name!r} is a deviation without its mean, {base + MEAN!r}"
        if message:
            raise ConfigError(f"{_place(path, top, header, i)}: {message}")
    spread = facts.spread or next((SPREADS[e] for _, e in columns if e in SPREADS), "none")
    turned, cells = facts.rows == "algorithms", dict[tuple[str, str], str]()
    at: dict[str, int] = {}
    for line, fields in lines:
        if len(fields) != len(header):
            place = _place(path, line, fields, min(len(fields), len(header)) - 1)
            wanted = f"the first line has {len(header)}"
            raise ConfigError(f"{place}: the line has {len(fields)} fields, and {wanted}")
        row = fields[0]
        if not row:
            raise ConfigError(f"{path}:{line}:1: the row has no name")
        if row in at:
            message = f"duplicate row {row!r}, first on line {at[row]}"
            raise ConfigError(f"{path}:{line}:1: {message}")
        at[row] = line
        for i, text in enumerate(fields[1:], start=1):
            if text and not NUMBER.fullmatch(text):
                message = f"{text!r} is not a number such as 0.035; leave out what is not printed"
                raise ConfigError(f"{_place(path, line, fields, i)}: {message}")
            name, ending = columns[i]
            if ending not in SPREADS or spread != "none":
                ending = SD if ending in SPREADS else ending
                cells[(name, row + ending) if turned else (row, name + ending)] = text
    lines_of = dict.fromkeys((row for row, _ in cells), top) if turned else at
    facts = facts.model_copy(update={"spread": spread})
    shown = tuple(dict.fromkeys(column for _, column in cells))
    return Printed(path.stem, shown, cells, facts, path, lines_of)


def _lines(path: Path) -> list[tuple[int, list[str]]]:
    """Return the fields of each line that is not blank, with its number."""
    try:
        text = read_text(path).removeprefix("\ufeff")
        reader = csv.reader(io.StringIO(text, newline=""), strict=True)
        lines = [(reader.line_num, [field.strip() for field in fields]) for fields in reader]
    except DataError as error:
        raise ConfigError(str(error)) from None
    except csv.Error as error:
        raise ConfigError(f"{path}:{reader.line_num}:1: not valid CSV: {error}") from None
    lines = [(line, fields) for line, fields in lines if any(fields)]
    if len(lines) < 2:
        raise ConfigError(f"{path}:1:1: a printed table has a line of column names and rows below")
    return lines


def _place(path: Path, line: int, fields: list[str], i: int) -> str:
    """Return ``file:line:column`` of a field; one with a comma or quotes is quoted."""
    widths = (len(f) + 2 * (not {",", '"'}.isdisjoint(f)) + f.count('"') for f in fields[:i])
    return f"{path}:{line}:{sum(widths) + i + 1}"


def _split(column: str) -> tuple[str, str]:
    """Return the name in a column, and its ending if that tells what the numbers are."""
    ending = next((e for e in (MEAN, *SPREADS) if column.endswith(e)), "")
    return column.removesuffix(ending), ending
