"""Printed tables as they were read, and the facts on them that a caller states."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

import pandas as pd

from quadrepro.base.text import few
from quadrepro.reader.roles import metric_of, split_spread
from quadrepro.reader.text_grid import Number

LOSSES = ("error", "balanced_error", "rmse", "mse", "mae", "mape", "log_loss", "brier")
"""Metrics whose lowest value is the best."""

SHARES = (
    *("accuracy", "error", "balanced_accuracy", "balanced_error"),
    *("auc", "f1", "average_precision"),
)
"""Metrics with values from 0 to 1."""

DEVIATIONS = {"sd": "deviations", "se": "standard errors", "ci95": "95% intervals"}


@dataclass(frozen=True)
class Choices:
    """Facts on a table that the caller states.

    Attributes
    ----------
    rows : {"datasets", "methods"}, optional
        Kind of the rows; by default their names tell it.
    methods : str, or sequence of str
        The methods; by default all columns with numbers.
    without : str, or sequence of str
        Columns and rows to leave out.
    metric : str
        The metric; of several columns or values in long form, the one to read.
    sizes : str
        A column of numbers of examples; others are known by their names.
    table, page : int, optional
        Which of several tables in a file, and which page of a PDF; counted from 1.
    """

    rows: Literal["datasets", "methods"] | None = None
    methods: Sequence[str] = ()
    without: Sequence[str] = ()
    metric: str = ""
    sizes: str = ""
    table: int | None = None
    page: int | None = None

    def __post_init__(self) -> None:
        for name in ("methods", "without"):
            if isinstance(getattr(self, name), str):
                object.__setattr__(self, name, (getattr(self, name),))

    def has_metric(self, name: str) -> bool:
        """Return whether a name is the stated metric."""
        kind = metric_of(self.metric) or self.metric
        same = name.lower() in (self.metric.lower(), split_spread(self.metric)[0].lower())
        return self.metric != "" and (same or metric_of(name) == kind != "other")


@dataclass(frozen=True)
class PrintedTable:
    """A table as it was read.

    Attributes
    ----------
    path : str
        The file; ``scores`` for a data frame.
    form : str
        Form of the file, such as ``LaTeX``.
    rows, methods : tuple of str
        Rows without summaries, and methods, in the printed order.
    numbers : dict
        The number of each row, summaries included, and method.
    lines : dict
        Line of each row in the file.
    summaries : dict
        Kind of each summary row: mean, rank, wins, wins–ties–losses or time.
    datasets : dict
        Data set of each row; several rows of one are its folds.
    sizes : dict
        Numbers of examples by row, by the name of their column.
    metric : str
        The metric; empty if the table does not name one.
    arrow : {"", "↑", "↓"}
        Sign in names or titles that the highest or the lowest number is the best.
    percent : bool
        Whether percent signs or titles show that the numbers are in percent.
    spread : {"", "sd", "se", "ci95"}
        Kind of the numbers after ±; empty without any.
    means : bool
        Whether a column is said to hold means.
    assumed : bool
        Whether neither names nor the caller tell that the rows are data sets.
    left_out : tuple of str
        Columns, rows, lines and signs that were not used.
    """

    path: str
    form: str
    rows: tuple[str, ...]
    methods: tuple[str, ...]
    numbers: dict[tuple[str, str], Number]
    lines: dict[str, int]
    summaries: dict[str, str] = field(default_factory=dict)
    datasets: dict[str, str] = field(default_factory=dict)
    sizes: dict[str, dict[str, int]] = field(default_factory=dict)
    metric: str = ""
    arrow: str = ""
    percent: bool = False
    spread: str = ""
    means: bool = False
    assumed: bool = False
    left_out: tuple[str, ...] = ()

    @property
    def greater_is_better(self) -> bool | None:
        """Whether the highest number is the best; None if neither metric nor arrows tell it."""
        if metric_of(self.metric) not in ("", "another"):
            return self.metric not in LOSSES
        return self.arrow == "↑" if self.arrow else None

    @property
    def impossible(self) -> str:
        """The first number that the metric cannot be, with its place; empty if there is none."""
        kind = metric_of(self.metric)
        most = 100.0 if kind in SHARES else math.inf if kind in LOSSES else math.nan
        for (row, method), n in self.numbers.items():
            if row in self.datasets and (n.value < 0.0 <= most or n.value > most):
                return f"{n.text} ({row}, {method})"
        return ""

    @property
    def folds(self) -> pd.DataFrame:
        """Scores of every row, shape (n_rows, n_methods), with NaN for a missing number."""
        values = [[self.numbers[row, m].value for m in self.methods] for row in self.rows]
        return pd.DataFrame(values, [*self.rows], [*self.methods], dtype=float)

    @property
    def scores(self) -> pd.DataFrame:
        """Scores of shape (n_datasets, n_methods): means of folds, NaN if one is missing."""
        names = [self.datasets[row] for row in self.rows]
        # A list could be taken for the names of columns.
        return self.folds.groupby(pd.Index(names), sort=False).mean(skipna=False)

    @property
    def sentence(self) -> str:
        """Description of the table, and of everything that was left out."""
        return self.describe("averaged per data set")

    def describe(self, folds: str) -> str:
        """Return the description, with how folds are used."""
        counts = Counter(self.datasets.values())
        sizes = zip((len(counts), len(self.methods)), ("data set", "method"), strict=True)
        text = " × ".join(f"{n} {name}{'s' * (n != 1)}" for n, name in sizes)
        text = f"Read as {self.form}: {text} ({few(self.methods)})"
        if self.metric or self.percent:
            text += f", {self.metric or 'numbers'}{' in percent' * self.percent}"
        text += f", with {DEVIATIONS[self.spread]}" if self.spread else ""
        if len(self.rows) > len(counts):
            text += f"; up to {max(counts.values())} folds {folds}"
        text += "; rows taken for data sets (if not: --rows methods)" * self.assumed
        text += f"; summary rows: {few([*self.summaries])}" if self.summaries else ""
        text += f"; sizes: {few([*self.sizes])}" if self.sizes else ""
        return f"{text}; left out: {'; '.join(self.left_out)}" if self.left_out else text
