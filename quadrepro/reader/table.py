"""Printed tables: which number belongs to which data set and method, and what is left out."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, NamedTuple, NoReturn

import pandas as pd

from quadrepro.base.text import few
from quadrepro.errors import DataError, nearest
from quadrepro.reader.forms import frame_grid, read_grids
from quadrepro.reader.grid import Grid, Text
from quadrepro.reader.numbers import Number, comma_sign, is_gap, is_number, parse
from quadrepro.reader.roles import (
    column_role,
    is_known_method,
    metric_in,
    metric_of,
    split_spread,
    summary_kind,
)

OR_WITHOUT = "leave it out with --without {name!r}, or list the methods with --methods"
NOT_A_NUMBER = (
    "{text!r} is not a number such as 0.035, 3.5% or 0.035 ± 0.004; for a missing one write - or "
    "leave the field empty"
)
LOSSES = ("error", "balanced_error", "rmse", "mse", "mae", "log_loss", "brier")
"""Metrics of which the lowest is the best."""

DEVIATIONS = {"sd": "deviations", "se": "standard errors", "ci95": "95% intervals"}


@dataclass(frozen=True)
class Choices:
    """Facts on a table that the caller states.

    Attributes
    ----------
    rows : {"datasets", "methods"}, optional
        Kind of the rows; by default their names tell it.
    methods : sequence of str
        The methods; by default all columns with numbers.
    without : sequence of str
        Columns and rows to leave out.
    metric : str
        The metric; of several columns or values in long form, the one to read.
    table, page : int, optional
        Which of several tables in a file, and which page of a PDF; counted from 1.
    """

    rows: Literal["datasets", "methods"] | None = None
    methods: Sequence[str] = ()
    without: Sequence[str] = ()
    metric: str = ""
    table: int | None = None
    page: int | None = None


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
    percent : bool
        Whether percent signs or titles show that the numbers are in percent.
    spread : {"", "sd", "se", "ci95"}
        Kind of the numbers after ±; empty without any.
    means : bool
        Whether a column is said to hold means.
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
    percent: bool = False
    spread: str = ""
    means: bool = False
    left_out: tuple[str, ...] = ()

    @property
    def greater_is_better(self) -> bool | None:
        """Whether the highest number is the best; None without a metric."""
        return self.metric not in LOSSES if metric_of(self.metric) else None

    @property
    def folds(self) -> pd.DataFrame:
        """Scores of every row, shape (n_rows, n_methods), with NaN for a missing number."""
        values = [[self.numbers[row, m].value for m in self.methods] for row in self.rows]
        return pd.DataFrame(values, [*self.rows], [*self.methods], dtype=float)

    @property
    def scores(self) -> pd.DataFrame:
        """Scores of shape (n_datasets, n_methods): means of folds, NaN if one is missing."""
        names = [self.datasets[row] for row in self.rows]
        return self.folds.groupby(names, sort=False).mean(skipna=False)

    @property
    def sentence(self) -> str:
        """Description of the table, and of what was left out."""
        counts = Counter(self.datasets.values())
        sizes = zip((len(counts), len(self.methods)), ("data set", "method"), strict=True)
        text = " × ".join(f"{n} {name}{'s' * (n != 1)}" for n, name in sizes)
        text = f"Read as {self.form}: {text} ({few(self.methods)})"
        if self.metric or self.percent:
            text += f", {self.metric or 'numbers'}{' in percent' * self.percent}"
        text += f", with {DEVIATIONS[self.spread]}" if self.spread else ""
        if len(self.rows) > len(counts):
            text += f"; up to {max(counts.values())} folds averaged per data set"
        text += f"; summary rows: {few([*self.summaries])}" if self.summaries else ""
        return f"{text}; left out: {'; '.join(self.left_out)}" if self.left_out else text


def read_table(
    source: str | Path | pd.DataFrame, choices: Choices | None = None, **stated: Any
) -> PrintedTable:
    """Read a printed table from a file of any form, or from a data frame.

    Parameters
    ----------
    source : str, Path or DataFrame
        Separated text, Markdown, LaTeX, reStructuredText, HTML, JSON, Excel, parquet, columns
        between blanks, the output of Weka's experimenter, or a page of a PDF.
    choices : Choices, optional
        Facts on the table.
    **stated
        The attributes of `Choices`, as keywords.

    Returns
    -------
    PrintedTable
        Numbers by data set and method, with everything that was left out.

    Raises
    ------
    DataError
        If no table is found, or a role is not clear; the message names the option that decides.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"dataset": ["wine"], "n": [178], "ours": ["0.9*"]})
    >>> read_table(frame).sentence
    'Read as a data frame: 1 data set × 1 method (ours); left out: column n; signs *'
    """
    choices = choices or Choices(**stated)
    if isinstance(source, pd.DataFrame):
        return _Reader(
            "scores", "a data frame", _chosen("scores", [frame_grid(source)], None), choices
        ).read()
    form, grids = read_grids(Path(source), choices.page)
    return _Reader(str(source), form, _chosen(str(source), grids, choices.table), choices).read()


def _chosen(path: str, grids: Iterable[Grid], number: int | None) -> Grid:
    """Return the table of a file that holds numbers, or the chosen one of several."""
    tables = [
        grid for grid in grids if any(is_number(c.text) for row in grid.rows[1:] for c in row[1:])
    ]
    if not tables:
        advice = "a table has a line of names, and below it a name and numbers in each line"
        raise DataError(f"{path}: no table of numbers: {advice}")
    if number is not None and not 1 <= number <= len(tables):
        raise DataError(f"{path}: unknown table {number}: the file has {len(tables)} with numbers")
    if number is None and len(tables) > 1:
        texts = [
            f"{i} on line {t.lines[0]} ({few([c.text for c in t.rows[0]], 3)})"
            for i, t in enumerate(tables, 1)
        ]
        raise DataError(f"{path}: several tables; choose one with --table: {few(texts, 10, '; ')}")
    try:
        return tables[(number or 1) - 1].squared()
    except ValueError as error:
        raise DataError(f"{path}: {error}") from None


class _Column:
    """A column of a grid, and its role."""

    def __init__(self, name: str, cells: list[Text]) -> None:
        self.name, self.cells = name, cells
        self.texts = [c.text for c in cells if c.text and not is_gap(c.text)]
        self.is_words = bool(self.texts) and not any(map(is_number, self.texts))
        self.is_whole = bool(self.texts) and all(
            re.fullmatch(r"[\d,]+", text) for text in self.texts
        )
        self.named = column_role(name)
        self.method, self.kind = split_spread(name)
        self.role = ""


class _Entry(NamedTuple):
    """A number with its row, its method, and the data set or the summary that the row is."""

    row: str
    method: str
    dataset: str
    summary: str
    number: Number
    line: int


class _Reader:
    """Gives roles to the columns and rows of a grid."""

    def __init__(self, path: str, form: str, grid: Grid, choices: Choices) -> None:
        self.path, self.form, self.choices, self.around = path, form, choices, [*grid.around]
        self.left_out: dict[str, None] = {}
        names, n = self._names(grid)
        self.top = grid.lines[0]
        body = [(row, line) for row, line in zip(grid.rows[n:], grid.lines[n:], strict=True)]
        headings = [row[0].text for row, _ in body if len({*row}) == 1 and len(row) > 1]
        self._leave("headings", headings)
        body = [(row, line) for row, line in body if len({*row}) > 1 or len(row) == 1]
        self.lines = [line for _, line in body]
        cells = [*zip(*(row for row, _ in body), strict=True)]
        self.columns = [_Column(name, [*column]) for name, column in zip(names, cells, strict=True)]

    def refuse(self, message: str, line: int | None = None, column: str = "") -> NoReturn:
        """Raise an error with the place of a fault."""
        place = f"{self.path}:{line}" if line else self.path
        raise DataError(f"{place}: {f'column {column!r}: ' if column else ''}{message}")

    def _leave(self, kind: str, names: Sequence[str]) -> None:
        if names:
            plural = "s" * (len(names) > 1 and kind in ("column", "row", "method"))
            self.left_out[f"{kind}{plural} {', '.join(names)}".strip()] = None

    def _names(self, grid: Grid) -> tuple[list[str], int]:
        """Return the name of each column, and the number of lines that hold them."""

        def numeric(row: list[Text]) -> bool:
            # A number with a misprint must not become a part of a name.
            texts = [c.text for c in row[1:] if c.text]
            return any(re.match(r"[^\w(]*\(?[.,]?\d", text) or is_gap(text) for text in texts)

        first = [c.text for c in grid.rows[0][1:]]
        if all(map(is_number, first)) and any("." in text for text in first):
            self.refuse("numbers in the first line: put a line of names above it", grid.lines[0])
        n = next((i for i, row in enumerate(grid.rows) if i and numeric(row)), 1)
        header = grid.rows[:n]
        # A name above all columns is a title, such as Accuracy.
        titles = {
            next(iter(s))
            for row in header[:-1]
            if len(s := {c.text for c in row[1:] if c.text}) == 1
        }
        self.around += sorted(titles)
        names: list[str] = []
        for cells in zip(*header, strict=True):
            name = " ".join(dict.fromkeys(c.text for c in cells if c.text and c.text not in titles))
            base, kind = split_spread(name)
            names.append(
                f"{names[-1]}_{kind}" if names and kind not in ("", "mean") and not base else name
            )
        return names, n

    def read(self) -> PrintedTable:
        """Return the table."""
        every = {c.name for c in self.columns} | {c.method for c in self.columns}
        every |= {text for c in self.columns[:3] for text in c.texts}
        # Names with commas count as a whole.
        methods = [
            part.strip()
            for name in self.choices.methods
            for part in ([name] if name in every else name.split(","))
        ]
        self.choices = choices = replace(self.choices, methods=methods)
        for name in (*choices.without, *methods):
            if name not in every:
                self.refuse(f"unknown column or row {name!r}{nearest(name, every)}")
        self._leave("column", [c.name for c in self.columns if c.name in choices.without])
        self.columns = [c for c in self.columns if c.name not in choices.without]
        for i, column in enumerate(self.columns):
            column.role = self._role(column, self.columns[:i])
        labels, values = self._with("label"), self._with("value")
        named = [c for c in labels if c.named == "methods"]
        sets = [c for c in labels if c.named in ("data sets", "")]
        wanted = [c for c in values if self._is_wanted(c.name)] or values
        if named and sets and len(wanted) == 1:
            entries = [*self._long(named[0], sets[0], wanted[0])]
            return self._table(entries, metric_of(wanted[0].name))
        by_method = choices.rows == "methods"
        if choices.rows is None and not any(c.named == "data sets" for c in labels):
            by_method = bool(named)
            self._check_rows(labels, values)
        return self._table([*self._wide(by_method)], "")

    def _with(self, role: str) -> list[_Column]:
        return [c for c in self.columns if c.role == role]

    def _is_wanted(self, name: str) -> bool:
        """Return whether a name is that of the metric that the caller wants."""
        wanted = self.choices.metric
        return bool(wanted) and (name == wanted or metric_of(name) == (metric_of(wanted) or wanted))

    def _role(self, column: _Column, before: Sequence[_Column]) -> str:
        """Return the role of a column: label, fold, value, size, or out."""
        if {column.name, column.method} & {*self.choices.methods}:
            return "value"
        if not before and (not column.name or column.named in ("id", "data sets", "methods")):
            return "label"
        if column.is_words and (
            column.named in ("data sets", "methods", "metric")
            or all(c.role in ("label", "fold") for c in before)
        ):
            return "label"
        if column.named in ("fold", "time", "id"):
            return {"fold": "fold"}.get(column.named, "out")
        decimals = any(
            "." in text or "," in text for c in self.columns for text in c.texts if not c.is_words
        )
        if column.named in ("size", "test size") or (
            column.named == "unclear" and column.is_whole and decimals
        ):
            return "size" if column.is_whole else "out"
        if column.is_words:
            for cell, line in zip(column.cells, self.lines, strict=True):
                if re.match(r"[-+]?[.,]?\d", cell.text):
                    self.refuse(NOT_A_NUMBER.format(text=cell.text), line, column.name)
        return "out" if column.is_words else "value"

    def _check_rows(self, labels: list[_Column], values: list[_Column]) -> None:
        """Refuse rows that may be methods, and columns of names that may be a long form."""
        known = [text for text in (labels[-1].texts if labels else []) if is_known_method(text)]
        if len(known) > max(1, sum(is_known_method(c.name) for c in self.columns)) and not any(
            c.named == "methods" for c in labels
        ):
            advice = "state the kind of the rows with --rows methods or --rows datasets"
            self.refuse(f"the rows {few(known, 3)} look like methods: {advice}")
        repeated = [c.name for c in labels if len({*c.texts}) < len(c.texts)]
        if len(repeated) > 1 and len(values) == 1:
            names = " and ".join(map(repr, repeated))
            self.refuse(f"{names} may be data sets and methods: call them 'dataset' and 'method'")

    def _long(self, method: _Column, dataset: _Column, value: _Column) -> Iterator[_Entry]:
        """Yield the numbers of a table with a column of methods and one of data sets."""
        folds = self._with("fold")
        metrics = [c for c in self._with("label") if c.named == "metric"]
        used = (method, dataset, value, *folds, *metrics)
        self._leave("column", [c.name for c in self.columns if c not in used])
        kept = range(len(self.lines))
        for column in metrics:
            names = [*dict.fromkeys(column.texts)]
            wanted = [name for name in names if self._is_wanted(name)] or names
            if len(wanted) > 1:
                self.refuse(
                    f"choose one of the metrics {few(names)} with --metric", column=column.name
                )
            kept = [i for i in kept if column.cells[i].text == wanted[0]]
            value.name = wanted[0]
        comma, counts = self._comma([value]), Counter[tuple[str, str]]()
        places = [(dataset.cells[i].text, method.cells[i].text) for i in kept]
        repeated = bool(folds) or len({*places}) < len(places)
        for i, (name, column) in zip(kept, places, strict=True):
            counts[name, column] += 1
            part = ", ".join(c.cells[i].text for c in folds) or str(counts[name, column])
            number = self._number(value, i, comma)
            yield _Entry(
                f"{name}, {part}" if repeated else name,
                column,
                name,
                summary_kind(name),
                number,
                self.lines[i],
            )

    def _wide(self, by_method: bool) -> Iterator[_Entry]:
        """Yield the numbers of a table with a column, or a row, for each method."""
        values, folds = self._with("value"), self._with("fold")
        if by_method:
            values = [c for c in values if c.named != "unclear"]
        elif self.choices.methods:
            values = [c for c in values if {c.name, c.method} & {*self.choices.methods}]
        else:
            self._check_scales([c for c in values if not c.kind])
        if not values:
            self.refuse("no column has the numbers of a method; list the methods with --methods")
        methods = self._methods(values)
        metrics = [*map(metric_of, methods)]
        if len({*metrics}) > 1 and all(metrics):
            self.refuse(
                f"the columns are metrics ({few(metrics)}): leave out all but one with --without"
            )
        label = self._label("methods" if by_method else "data sets")
        used = (label, *values, *folds)
        self._leave(
            "column", [c.name or str(i) for i, c in enumerate(self.columns, 1) if c not in used]
        )
        comma = self._comma(values)
        word = "row" if self.path == "scores" else "line"
        names = [c.text for c in label.cells] if label else [f"{word} {n}" for n in self.lines]
        names = [""] * len(names) if folds and not label else names
        counts, seen = Counter(names), Counter[str]()
        for i, (name, line) in enumerate(zip(names, self.lines, strict=True)):
            if label and not name:
                self.refuse("the row has no name", line)
            seen[name] += 1
            kinds = (summary_kind(c.cells[i].text) for c in self._with("label"))
            summary = next(filter(None, kinds), "")
            if name in self.choices.without or summary == "summary":
                self._leave("row", [name])
                continue
            part = ", ".join(c.cells[i].text for c in folds) or str(seen[name])
            folded = (bool(folds) or counts[name] > 1) and not summary
            row = ", ".join(filter(None, (name, part))) if folded else name
            for method, columns in methods.items():
                if summary == "wins–ties–losses":
                    number = Number(columns[0].cells[i].text)
                else:
                    number, *spreads = (self._number(c, i, comma) for c in columns)
                    number = replace(number, spread=spreads[0].text) if spreads else number
                if by_method:
                    yield _Entry(method, row, method, summary_kind(method), number, self.top)
                else:
                    yield _Entry(row, method, name, summary, number, line)

    def _check_scales(self, values: list[_Column]) -> None:
        """Refuse columns that are not scores, by their name or by their scale."""
        scales = {
            c: _scale([n.value for cell in c.cells if (n := parse(cell)) and n.text])
            for c in values
        }
        usual, n_usual = Counter(scales.values()).most_common(1)[0] if scales else (3, 0)
        n_decimals = sum(not c.is_whole for c in values)
        for column, scale in scales.items():
            advice = OR_WITHOUT.format(name=column.name)
            if summary_kind(column.name) and len(values) > 2:
                self.refuse(f"it may be a summary: {advice}", column=column.name)
            if scale > usual and n_usual > 1:
                ends = f"{min(column.texts, key=len)} and others"
                self.refuse(
                    f"{ends} have another scale than other columns: {advice}", column=column.name
                )
            if column.is_whole and n_decimals > 1 and len({*column.texts} - {"0", "1"}) > 1:
                self.refuse(
                    f"only this column has whole numbers alone: {advice}", column=column.name
                )

    def _methods(self, values: list[_Column]) -> dict[str, list[_Column]]:
        """Return the column of each method, followed by that of its spread if there is one."""
        names, bases = {c.name for c in values}, Counter(c.method for c in values)
        methods: dict[str, list[_Column]] = {}
        kinds = Counter[tuple[str, bool]]()
        for column in sorted(values, key=lambda c: c.kind not in ("", "mean")):
            if not column.name:
                self.refuse(f"column {self.columns.index(column) + 1} has no name", self.top)
            paired = column.method in names or bases[column.method] > 1
            if not (column.kind == "mean" and column.method) and not paired:
                column.method, column.kind = column.name, ""
                if re.search("_(sd|se|ci95)$", column.name):
                    self.refuse("a deviation without its mean", self.top, column.name)
            kinds[column.method, column.kind in ("", "mean")] += 1
            if kinds[column.method, column.kind in ("", "mean")] > 1:
                self.refuse(f"duplicate column {column.name!r}", self.top)
            methods.setdefault(column.method, []).append(column)
        order = {c.method: None for c in values}
        return {name: methods[name] for name in order}

    def _label(self, wanted: str) -> _Column | None:
        """Return the column that names the rows."""
        labels = [c for c in self._with("label") if c.named != "metric"]

        def badness(c: _Column) -> tuple[bool, bool, bool]:
            return (not c.is_words, c.named != wanted, len({*c.texts}) < len(c.texts))

        return min(labels, key=badness, default=None)

    def _comma(self, columns: Sequence[_Column]) -> str:
        try:
            return comma_sign(text for c in columns for text in c.texts)
        except ValueError as error:
            self.refuse(str(error))

    def _number(self, column: _Column, i: int, comma: str) -> Number:
        number = parse(column.cells[i], comma)
        if number is None:
            self.refuse(NOT_A_NUMBER.format(text=column.cells[i].text), self.lines[i], column.name)
        return number

    def _table(self, entries: Sequence[_Entry], metric: str) -> PrintedTable:
        """Return the table of all numbers."""
        methods = tuple(dict.fromkeys(entry.method for entry in entries))
        if self.choices.methods:
            self._leave("method", [m for m in methods if m not in self.choices.methods])
            methods = tuple(m for m in methods if m in self.choices.methods)
        numbers: dict[tuple[str, str], Number] = {}
        for entry in entries:
            if (entry.row, entry.method) in numbers:
                self.refuse(f"duplicate row {entry.row!r}", entry.line)
            numbers[entry.row, entry.method] = entry.number
        lines = {entry.row: entry.line for entry in reversed(entries)}
        rows = {e.row: e.dataset for e in entries if not e.summary}
        summaries = {e.row: e.summary for e in entries if e.summary}
        numbers = {
            (row, m): numbers.get((row, m), Number())
            for row in (*rows, *summaries)
            for m in methods
        }
        scores = [numbers[row, method] for row in rows for method in methods]
        brackets = [n.bracket for n in scores if n.bracket]
        if brackets and all(
            re.fullmatch(r"\d+(\.5)?", b) and float(b) <= len(methods) for b in brackets
        ):
            self._leave("ranks in brackets", [""])
        elif brackets:
            numbers = {p: replace(n, spread=n.spread or n.bracket) for p, n in numbers.items()}
        signs = sorted({sign for n in scores for sign in n.signs})
        self._leave("signs", [" ".join(signs)] if signs else [])
        self._leave("lines", [repr(text[:60]) for text in self.around])
        shares = [n.percent for n in scores if n.text]
        if any(shares) and not all(shares):
            self.refuse("some numbers have a percent sign and others have none: write one kind")
        titles = " ".join((*self.around, *(c.name for c in self.columns)))
        in_percent = re.search(r"[(\[]%[)\]]|\bin percent|\bin %|percentage", titles)
        spreads = [c.kind for c in self.columns if c.kind not in ("", "mean")] or ["sd"]
        has_spread = any(numbers[row, m].spread for row in rows for m in methods)
        metric = self.choices.metric or metric or metric_in(self.around)
        return PrintedTable(
            path=self.path,
            form=self.form,
            rows=tuple(rows),
            methods=methods,
            numbers=numbers,
            lines=lines,
            summaries=summaries,
            datasets=rows,
            sizes={c.name: self._sizes(c, lines) for c in self._with("size")},
            metric=metric_of(metric) or metric,
            percent=any(shares) or in_percent is not None,
            spread=spreads[0] if has_spread else "",
            means=any(c.kind == "mean" for c in self._with("value")),
            left_out=tuple(self.left_out),
        )

    def _sizes(self, column: _Column, lines: dict[str, int]) -> dict[str, int]:
        """Return the numbers of examples of the rows."""
        by_line = dict(zip(self.lines, column.cells, strict=True))
        texts = {
            row: by_line[line].text.replace(",", "")
            for row, line in lines.items()
            if line in by_line
        }
        return {row: int(text) for row, text in texts.items() if text.isdecimal()}


def _scale(numbers: Sequence[float]) -> int:
    """Return 1 for shares, 2 for percent, 3 for other numbers."""
    if not numbers or min(numbers) < 0 or max(numbers) > 100:
        return 3
    return 1 if max(numbers) <= 1 else 2
