"""Reading a printed table: roles, numbers, and a list of everything that is left out."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import nan
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple, NoReturn

import pandas as pd

from quadrepro.base.text import few
from quadrepro.errors import DataError, nearest
from quadrepro.reader.forms import Content, frame_grid, read_file
from quadrepro.reader.grid import Grid, Number, Text, comma_sign, is_number, parse
from quadrepro.reader.roles import (
    Column,
    column_role,
    is_well_known,
    metric_in,
    metric_of,
    part_of,
    read_header,
    summary_kind,
)
from quadrepro.reader.table import Choices, PrintedTable

DESCRIBING = ("size", "test size", "time", "unclear")
"""Roles of columns that describe methods or data sets."""

OR_WITHOUT = "leave it out with --without {name!r}, or list the methods with --methods"
NOT_A_NUMBER = (
    "{text!r} is not a number such as 0.035, 3.5% or 0.035 ± 0.004; for a missing one write - or "
    "leave the field empty"
)


def read_table(source: str | Path | pd.DataFrame, **choices: Any) -> PrintedTable:
    """Read a printed table from a file of any form, or from a data frame.

    Parameters
    ----------
    source : str, Path or DataFrame
        Separated text, Markdown, LaTeX, reStructuredText, HTML, JSON, Excel, parquet, columns
        between blanks, the output of Weka's experimenter, or a page of a PDF.
    **choices
        Facts on the table, the attributes of `Choices`.

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
    'Read as a data frame: 1 data set × 1 method (ours); sizes: n; left out: signs *'
    """
    stated = Choices(**choices)
    path = "scores" if isinstance(source, pd.DataFrame) else str(source)
    if isinstance(source, pd.DataFrame):
        content = Content("a data frame", [frame_grid(source)])
    else:
        content = read_file(Path(source), stated.page)
    try:
        grid = _chosen(path, content.grids, stated.table)
        return _Reader(path, content.form, grid, stated).read()
    except DataError as error:
        if not content.page:
            raise
        lines = "\n".join(line.rstrip() for line in content.page.splitlines() if line.strip())
        raise DataError(
            f"{error}; put the lines of the table into a text file, with two blanks between "
            f"columns. The page reads:\n{lines}"
        ) from None


def _chosen(path: str, grids: Sequence[Grid], number: int | None) -> Grid:
    """Return the table of a file that holds numbers, or the chosen one of several."""
    tables = [g for g in grids if any(is_number(c.text) for row in g.rows[1:] for c in row[1:])]
    if not tables:
        if fault := next((grid.fault for grid in grids if grid.fault), ""):
            raise DataError(f"{path}: {fault}")
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
    grid = tables[(number or 1) - 1]
    try:
        if grid.fault:
            raise ValueError(grid.fault)
        return grid.squared()
    except ValueError as error:
        raise DataError(f"{path}: {error}") from None


class _Entry(NamedTuple):
    """A number with its row, its method, and the data set or the summary that the row is."""

    row: str
    method: str
    dataset: str
    summary: str
    number: Number
    place: int
    """Index of the row in the grid."""


class _Reader:
    """Gives roles to the columns and rows of a grid."""

    def __init__(self, path: str, form: str, grid: Grid, choices: Choices) -> None:
        self.path, self.form, self.choices = path, form, choices
        self.left_out: dict[str, None] = {}
        self.metric = ""
        self.top, self.around = grid.lines[0], grid.around
        try:
            names, n = read_header(grid)
        except ValueError as error:
            self.refuse(str(error))
        rows = [*zip(grid.rows[n:], grid.lines[n:], strict=True)]
        headings = [
            r for r in rows if len({*r[0]}) == 1 < len(r[0]) and not is_number(r[0][0].text)
        ]
        self._leave("headings", [row[0].text for row, _ in headings])
        rows = [row for row in rows if row not in headings]
        self.lines = [line for _, line in rows]
        cells = [*zip(*(row for row, _ in rows), strict=True)] or [()] * len(names)
        self.columns = [Column(name, column) for name, column in zip(names, cells, strict=True)]

    def refuse(self, message: str, line: int | None = None, column: str = "") -> NoReturn:
        """Raise an error with the place of a fault."""
        place = f"{self.path}:{line}" if line else self.path
        in_column = f"column {shorten(column)!r}: " if column else ""
        raise DataError(f"{place}: {in_column}{message}")

    def _leave(self, kind: str, names: Sequence[str]) -> None:
        if names:
            plural = "s" * (len(names) > 1 and kind in ("column", "row", "method"))
            self.left_out[f"{kind}{plural} {', '.join(names)}".strip()] = None

    def _with(self, *roles: str) -> list[Column]:
        return [c for c in self.columns if c.role in roles]

    def read(self) -> PrintedTable:
        """Return the table."""
        self._set_choices()
        self._set_roles()
        labels, rows = self._with("label"), self.choices.rows
        methods = [c for c in labels if c.named == "methods"]
        others = [c for c in labels if c.is_words and c.named == ""]
        numbered = [c for c in labels if c.named == "id"]
        sets = [c for c in labels if c.named == "data sets"] or others or numbered
        names = [c for c in labels if c.named == "data sets" and c.is_words]
        if len(names) > 1 and names[0].texts != names[1].texts:
            both = f"the columns {names[0].name!r} and {names[1].name!r} both name data sets"
            self.refuse(f"{both}: split tables side by side, or leave one out with --without")
        if methods and sets and rows != "methods":
            return self._table([*self._long(methods[0], sets[0])])
        if rows is None and not any(c.named == "data sets" for c in labels):
            self._check_kinds(labels, by_method=bool(methods))
            rows = "methods" if methods else None
        if rows == "methods":
            self._turn()
        return self._table([*self._wide()])

    def _turn(self) -> None:
        """Make columns of the rows, whose names are methods, and rows of the columns."""
        self._check_words()
        values = [c for c in self._with("value") if column_role(c.name) not in DESCRIBING]
        label, methods = self._label("methods"), self._one_metric(self._methods(values))
        used = (label, *(c for columns in methods.values() for c in columns))
        self._leave("column", [c.name for c in self.columns if c not in used])
        names = [c.text for c in label.cells] if label else self._numbered()
        cells = [
            [
                Text("±".join(c.cells[i].text for c in columns), columns[0].cells[i].bold)
                for columns in methods.values()
            ]
            for i in range(len(names))
        ]
        rows = Column("dataset", [*map(Text, methods)])
        self.columns = [
            rows,
            *(Column(name, texts) for name, texts in zip(names, cells, strict=True)),
        ]
        self.columns = [c for c in self.columns if c.name not in self.choices.without]
        self.lines = [self.top] * len(methods)
        self._set_roles()

    def _set_roles(self) -> None:
        """Give every column its role, from left to right."""
        for i, column in enumerate(self.columns):
            column.set_role(self.columns[:i], self.choices.methods)

    def _set_choices(self) -> None:
        """Split the names of methods, and leave out columns; refuse unknown names."""
        names = {c.name for c in self.columns} | {c.method for c in self.columns}
        names |= {text for c in self.columns[:3] for text in c.texts}
        methods = []
        for name in self.choices.methods:  # names with commas count as a whole
            methods += [name] if name in names else [part.strip() for part in name.split(",")]
        for name in (*self.choices.without, *methods):
            if name not in names:
                self.refuse(f"unknown column or row {name!r}{nearest(name, names)}")
        self.choices = replace(self.choices, methods=methods)
        out = [c for c in self.columns if c.name in self.choices.without]
        self._leave("column", [c.name for c in out])
        self.columns = [c for c in self.columns if c not in out]

    # Checks of roles

    def _check_words(self) -> None:
        """Refuse columns of words in which a number is misprinted."""
        for column in self._with("words"):
            if column.fault is not None and not summary_kind(column.name):
                text = column.cells[column.fault].text
                self.refuse(
                    NOT_A_NUMBER.format(text=shorten(text)), self.lines[column.fault], column.name
                )

    def _check_kinds(self, labels: Sequence[Column], by_method: bool) -> None:
        """Refuse rows that may be methods, and columns of names that may be a long form."""
        rows, values = (labels[-1].texts if labels else []), self._with("value")
        columns = [c.method or c.name for c in values]
        turned = [name for name in rows if is_well_known(name, "methods")]
        turned += [name for name in columns if is_well_known(name, "datasets")]
        n_others = sum(is_well_known(name, "methods") for name in columns)
        n_others += sum(is_well_known(name, "datasets") for name in rows)
        if not by_method and len(turned) > max(1, n_others):
            advice = "state the kind of the rows with --rows methods or --rows datasets"
            names = f"the rows look like methods, or the columns like data sets ({few(turned, 3)})"
            self.refuse(f"{names}: {advice}")
        repeated = [c.name for c in labels if len({*c.texts}) < len(c.texts)]
        if len(repeated) > 1 and len(values) == 1:
            both = " and ".join(map(repr, repeated))
            self.refuse(f"{both} may be data sets and methods: call them 'dataset' and 'method'")

    def _check_scales(self, values: Sequence[Column], rows: Sequence[int]) -> None:
        """Refuse columns that are not scores, by their name or by their scale."""
        numbered = [
            c.name
            for c in values
            if re.fullmatch(r"\d+", c.name)
            or column_role(re.sub(r"[ _-]*\d+$", "", c.name)) == "fold"
        ]
        if len(numbered) == len(values) > 2 and _in_order(numbered):
            advice = "put them into rows, with a column 'fold'"
            self.refuse(f"the columns {few(numbered, 3)} may be folds: {advice}")
        means = [c for c in values if c.kind in ("", "mean")]
        scales = {c: s for c in means if (s := _scale([c.cells[i] for i in rows]))}
        usual, n_usual = Counter(scales.values()).most_common(1)[0] if scales else (3, 0)
        n_decimals = sum(not c.is_whole for c in values)
        for column, scale in scales.items():
            advice = OR_WITHOUT.format(name=shorten(column.name))
            if (summary_kind(column.name) or column.named == "unclear") and len(values) > 1:
                self.refuse(f"it may not be a method: {advice}", column=column.name)
            if scale > usual and n_usual > 1:
                text = max(column.texts, key=len)
                self.refuse(
                    f"{text} has another scale than other columns: {advice}", column=column.name
                )
            if column.is_whole and n_decimals > 1 and len({*column.texts} - {"0", "1"}) > 1:
                self.refuse(
                    f"only this column has whole numbers alone: {advice}", column=column.name
                )

    def _check_last_row(self, cells: Sequence[Sequence[Text]], names: Sequence[str]) -> None:
        """Refuse a last row that is the mean of the rows above without being called so."""
        rows = [[n.value if (n := parse(cell)) else nan for cell in row] for row in cells]
        if len(rows) < 4 or len(rows[0]) < 2:
            return
        *above, last = rows
        columns = [*zip(*above, strict=True)]
        near = (abs(fmean(c) - x) <= 0.0051 * abs(x) for c, x in zip(columns, last, strict=True))
        if all(near) and all(len({*column}) > 2 for column in columns):
            advice = OR_WITHOUT.format(name=shorten(names[-1]))
            self.refuse(f"the row {shorten(names[-1])!r} may be the mean of the others: {advice}")

    # Folds

    def _folded(
        self, names: Sequence[tuple[str, ...]], rows: Sequence[int], used: Sequence[Column | None]
    ) -> list[str]:
        """Return the folds of rows with some names, empty texts without folds.

        Repeated names without a column of folds have equal numbers of rows, and no other column
        differs between them.
        """
        folds, counts = self._with("fold"), Counter(names)
        for column in folds:
            if column.is_words:
                advice = "keep one kind in the file, or leave the column out with --without"
                texts = few([*dict.fromkeys(column.texts)])
                self.refuse(f"{texts} may not be folds: {advice}", column=column.name)
        if folds:
            return [", ".join(c.cells[i].text for c in folds) for i in rows]
        if max(counts.values(), default=1) == 1:
            return [""] * len(names)
        for column in self._with("label", "words", "size", "value"):
            pairs = {*zip(names, (column.cells[i].text for i in rows), strict=True)}
            n = len({text for _, text in pairs})
            crossed = len(pairs) == len(counts) * n and 1 < n < len(pairs)
            other = column not in used and column.role != "value" and len(pairs) > len(counts)
            if other or (column.role == "value" and crossed and len(counts) > 1):
                advice = "keep one kind of rows, or call the column 'fold'"
                self.refuse(f"it differs between rows of one name: {advice}", column=column.name)
        seen, folds_of_rows = Counter[tuple[str, ...]](), list[str]()
        # Rows of one name may be runs with several settings, or below several headings; two of them
        # may be a number and its deviation.
        unclear = len(names[0]) > 1 or any(key.startswith("heading") for key in self.left_out)
        unclear |= {*counts.values()} == {2} or len({*counts.values()}) > 1
        for name, i in zip(names, rows, strict=True):
            seen[name] += 1
            if unclear and seen[name] > 1:
                advice = "name a column of folds 'fold'"
                self.refuse(f"duplicate row {', '.join(name)!r}: {advice}", self.lines[i])
            folds_of_rows.append(str(seen[name]))
        return folds_of_rows

    def _metric_rows(self) -> list[int]:
        """Return the rows of the chosen metric, if a column names metrics."""
        rows = [*range(len(self.lines))]
        for column in (c for c in self._with("label") if c.named == "metric"):
            names = [*dict.fromkeys(column.texts)]
            chosen = [name for name in names if self._is_chosen(name)] or names
            if len(chosen) > 1:
                self.refuse(f"choose one of {few(names)} with --metric", column=column.name)
            self.metric = metric_of(chosen[0])
            rows = [i for i in rows if column.cells[i].text == chosen[0]]
        return rows

    def _is_chosen(self, name: str) -> bool:
        """Return whether the caller chose this metric."""
        metric = self.choices.metric
        return bool(metric) and (name == metric or metric_of(name) == (metric_of(metric) or metric))

    # Forms

    def _long(self, method: Column, dataset: Column) -> Iterator[_Entry]:
        """Yield the numbers of a table with a column of methods and one of data sets."""
        values = self._methods(self._with("value"))
        if len(values) > 1:
            values = {name: c for name, c in values.items() if self._is_chosen(name)} or values
        if len(values) != 1:
            self.refuse(f"choose one of the columns {few([*values], 8)} with --metric")
        [(name, columns)] = values.items()
        metrics = [c for c in self._with("label") if c.named == "metric"]
        kept = self._metric_rows()
        used = (method, dataset, *columns, *self._with("fold"), *metrics)
        others = [c for c in self.columns if c not in used and c.role != "size"]
        self._leave("column", [c.name for c in others])
        self.metric = self.metric or metric_of(name)
        self._keep(kept)
        comma = self._comma(columns)
        places = [(d.text, m.text) for d, m in zip(dataset.cells, method.cells, strict=True)]
        folds = self._folded(places, range(len(places)), used)
        for i, ((data, column_name), fold) in enumerate(zip(places, folds, strict=True)):
            number = self._number(columns, i, comma)
            row = f"{data}, {fold}" if fold else data
            yield _Entry(row, column_name, data, summary_kind(data), number, i)

    def _wide(self) -> Iterator[_Entry]:
        """Yield the numbers of a table with a column for each method."""
        self._keep(self._metric_rows())
        self._check_words()
        values, chosen = self._with("value"), {*self.choices.methods}
        values = [c for c in values if {c.name, c.method} & chosen] if chosen else values
        methods = self._one_metric(self._methods(values))
        values = [c for columns in methods.values() for c in columns]
        if not values:
            self.refuse("no column has the numbers of a method; list the methods with --methods")
        label, labels = self._label("data sets"), self._with("label")
        used = (label, *values, *self._with("fold"), *(c for c in labels if c.named == "metric"))
        others = [(i, c) for i, c in enumerate(self.columns, 1) if c not in used]
        self._leave("column", [c.name or str(i) for i, c in others if c.role != "size"])
        titles = [c.text for c in label.cells] if label else self._numbered()
        if label and "" in titles:
            self.refuse("the row has no name", self.lines[titles.index("")])
        if len({part for base, part in map(part_of, titles) if not base}) > 1:
            self.refuse(
                f"the rows are metrics ({few(titles, 3)}): a table of scores has one metric"
            )
        kinds = [self._summary(i, labels, methods) for i in range(len(titles))]
        out = [t for t, kind in zip(titles, kinds, strict=True) if kind == "summary"]
        self._leave(
            "row", [*dict.fromkeys([*out, *(t for t in titles if t in self.choices.without)])]
        )
        rows = [i for i, t in enumerate(titles) if not kinds[i] and t not in self.choices.without]
        if not chosen:
            self._check_scales(values, rows)
            for column in self._with("size"):
                if len(column.name) == 1 and all(c.is_whole for c in values):
                    advice = OR_WITHOUT.format(name=column.name)
                    self.refuse(f"it may be a method or sizes: {advice}", column=column.name)
        names, folds = self._names_and_folds([titles[i] for i in rows], rows, used)
        comma = self._comma(values)
        for i, name, fold in zip(rows, names, folds, strict=True):
            for method, columns in methods.items():
                row = ", ".join(filter(None, (name, fold)))
                yield _Entry(row, method, name, "", self._number(columns, i, comma), i)
        self._check_last_row([[c[0].cells[i] for c in methods.values()] for i in rows], names)
        for i, kind in enumerate(kinds):
            for method, columns in methods.items() if kind not in ("", "summary") else ():
                counted = kind == "wins–ties–losses"
                text = columns[0].cells[i].text
                number = Number(text) if counted else self._number(columns, i, comma)
                yield _Entry(titles[i], method, "", kind, number, i)

    def _summary(self, i: int, labels: Sequence[Column], methods: dict[str, list[Column]]) -> str:
        """Return the kind of a summary row, or an empty text."""
        kind = next(filter(None, (summary_kind(c.cells[i].text) for c in labels)), "")
        texts = [columns[0].cells[i].text for columns in methods.values()]
        # Wins are counts: a row called Best may hold the best scores.
        return "summary" if kind == "wins" and any("." in text for text in texts) else kind

    def _names_and_folds(
        self, titles: list[str], rows: Sequence[int], used: Sequence[Column | None]
    ) -> tuple[list[str], list[str]]:
        """Return the data set and the fold of each row."""
        fold = r"(.*?)[ _-]*(?:cv|fold|split|run|seed|trial|iter|rep(?:eat)?)[ _-]?(\d+)"
        matches = [re.fullmatch(fold, title, re.IGNORECASE) for title in titles]
        if titles and all(matches):
            names, folds = ([m[k] for m in matches if m] for k in (1, 2))
            return names, folds
        return titles, self._folded([(title,) for title in titles], rows, used)

    def _keep(self, rows: Sequence[int]) -> None:
        """Keep some rows alone."""
        for column in self.columns:
            column.cells = [column.cells[i] for i in rows]
        self.lines = [self.lines[i] for i in rows]

    def _numbered(self) -> list[str]:
        """Return names of rows without any."""
        word = "row" if self.path == "scores" else "line"
        return [f"{word} {n}" if not self._with("fold") else "" for n in self.lines]

    def _label(self, kind: str) -> Column | None:
        """Return the column that names the rows."""

        def badness(c: Column) -> tuple[bool, bool, bool]:
            return (
                c.named != kind or not c.is_words,
                not c.is_words,
                len({*c.texts}) < len(c.texts),
            )

        labels = [c for c in self._with("label") if c.named != "metric"]
        return min(labels, key=badness, default=None)

    def _methods(self, values: Sequence[Column]) -> dict[str, list[Column]]:
        """Return the column of each method, followed by its column of spreads if there is one."""
        names, bases = {c.name for c in values}, Counter(c.method for c in values)
        methods: dict[str, list[Column]] = {}
        for column in sorted(values, key=lambda c: c.kind not in ("", "mean")):
            if not column.name.strip("= "):
                self.refuse(f"column {self.columns.index(column) + 1} has no name", self.top)
            alone = column.method not in names and bases[column.method] == 1
            if alone and not re.search("_mean$", column.name):
                if re.search("_(sd|se|ci95)$", column.name):
                    self.refuse("a deviation without its mean", self.top, column.name)
                column.method, column.kind = column.name, ""
            columns = methods.setdefault(column.method, [])
            if len(columns) == (2 if column.kind not in ("", "mean") else 1):
                self.refuse(f"duplicate column {column.name!r}", self.top)
            columns.append(column)
        return dict(sorted(methods.items(), key=lambda item: values.index(item[1][0])))

    def _one_metric(self, methods: dict[str, list[Column]]) -> dict[str, list[Column]]:
        """Return the methods of one metric, whose name is left out of theirs."""
        if len(methods) == 1:
            return methods
        parts = {n: (n, "") if summary_kind(n) else part_of(n) for n in methods}
        others = {method for method, metric in parts.values() if metric != "time"}
        times = [name for name, (base, part) in parts.items() if part == "time" and base in others]
        if times and not ({*times} & {*self.choices.methods} or self._is_chosen("time")):
            parts = {name: part for name, part in parts.items() if name not in times}
            methods = {name: methods[name] for name in parts}
        metrics = [*dict.fromkeys(part for _, part in parts.values() if part not in ("", "time"))]
        bare = {name for name, (_, part) in parts.items() if not part}
        shared = bare & {base for base, part in parts.values() if part in metrics}
        if len(metrics) < 2 and not shared and "statistic" not in metrics:
            same = len(metrics) == 1 and all(base and part for base, part in parts.values())
            return {parts[name][0] if same else name: c for name, c in methods.items()}
        chosen = {
            name: method for name, (method, metric) in parts.items() if self._is_chosen(metric)
        }
        if not chosen or "" in chosen.values():
            advice = "choose one with --metric, or leave out the others with --without"
            several = few([*metrics, *sorted(shared)])
            self.refuse(f"the columns hold several metrics or statistics ({several}): {advice}")
        return {method: methods[name] for name, method in chosen.items()}

    def _comma(self, columns: Sequence[Column]) -> str:
        try:
            return comma_sign(text for c in columns for text in c.texts)
        except ValueError as error:
            self.refuse(str(error))

    def _number(self, columns: Sequence[Column], i: int, comma: str) -> Number:
        """Return a number with the spread that another column may have."""
        numbers = [parse(column.cells[i], comma) for column in columns]
        for column, number in zip(columns, numbers, strict=True):
            if number is None:
                self.refuse(
                    NOT_A_NUMBER.format(text=shorten(column.cells[i].text)),
                    self.lines[i],
                    column.name,
                )
        first, *spreads = (number for number in numbers if number is not None)
        return replace(first, spread=spreads[0].text) if spreads else first

    def _table(self, entries: Sequence[_Entry]) -> PrintedTable:
        """Return the table of all numbers."""
        methods = tuple(dict.fromkeys(entry.method for entry in entries))
        values = self._with("value")
        spreads = [c.kind for c in values if c.kind not in ("", "mean")]
        n_methods = max(len(methods), len(values))
        if self.choices.methods:
            self._leave("method", [m for m in methods if m not in self.choices.methods])
            methods = tuple(m for m in methods if m in self.choices.methods)
        numbers: dict[tuple[str, str], Number] = {}
        for entry in entries:
            if (entry.row, entry.method) in numbers:
                self.refuse(f"duplicate row {entry.row!r}", self.lines[entry.place])
            numbers[entry.row, entry.method] = entry.number
        places = {entry.row: entry.place for entry in reversed(entries)}
        rows = {e.row: e.dataset for e in entries if not e.summary}
        summaries = {e.row: e.summary for e in entries if e.summary}
        left = {*self.choices.without} & {text for c in self._with("label") for text in c.texts}
        if left or len(methods) < len(values) - len(spreads):
            # They sum up other numbers as well.
            self._leave("row", [*summaries])
            summaries = {}
        if not rows or not methods:
            self.refuse("no row has the numbers of a data set")
        numbers = {
            (row, m): numbers.get((row, m), Number())
            for row in (*rows, *summaries)
            for m in methods
        }
        scores = [numbers[row, method] for row in rows for method in methods]
        numbers = self._spread(numbers, scores, n_methods)
        signs = sorted({n.signs for n in scores if n.signs})
        self._leave("signs", [" ".join(signs)] if signs else [])
        self._leave("", sorted({n.other for n in scores if n.other}))
        self._leave("lines", [repr(shorten(text)) for text in self.around])
        shares = [n.percent for n in scores if n.text]
        if any(shares) and not all(shares):
            self.refuse("some numbers have a percent sign and others have none: write one kind")
        sign = r"[(\[]%[)\]]|\bin percent|\bin %"
        named = [re.search(sign, c.name) is not None for c in values if not c.kind]
        if any(named) and not all(named):
            self.refuse("some columns are in percent and others are not: write one kind")
        in_percent = (any(named) and all(named)) or re.search(
            sign, " ".join(self.around)
        ) is not None
        in_percent &= any(n.value > 1 for n in scores)
        has_spread = any(numbers[row, m].spread for row in rows for m in methods)
        metric = self.choices.metric or self.metric or metric_in(self.around)
        return PrintedTable(
            path=self.path,
            form=self.form,
            rows=tuple(rows),
            methods=methods,
            numbers=numbers,
            lines={row: self.lines[i] for row, i in places.items()},
            summaries=summaries,
            datasets=rows,
            sizes={c.name: _sizes(c, places) for c in self._with("size")},
            metric=metric_of(metric) or metric,
            percent=any(shares) or in_percent,
            spread=[*spreads, "sd"][0] if has_spread else "",
            means=any(c.kind == "mean" for c in values),
            left_out=tuple(self.left_out),
        )

    def _spread(
        self, numbers: dict[tuple[str, str], Number], scores: Sequence[Number], n_methods: int
    ) -> dict[tuple[str, str], Number]:
        """Return the numbers with those in brackets as spreads, unless they are ranks."""
        brackets = [n.bracket for n in scores if n.bracket]
        if brackets and all(
            re.fullmatch(r"\d+(\.5)?", b) and float(b) <= n_methods for b in brackets
        ):
            self._leave("ranks in brackets", [""])
            return numbers
        whole = all("." not in b for b in brackets) and any("." in n.text for n in scores)
        large = [n for n in scores if n.bracket and float(n.bracket) > 0.5 * abs(n.value)]
        about = re.findall(r"\(([^)]*)\)", " ".join(self.around))  # such as (time in s)
        other = any(not re.search("sd|std|dev|±|err|[%\\d]|percent", text) for text in about)
        if brackets and (whole or other or len(large) > 0.5 * len(brackets)):
            self.refuse("numbers in brackets may not be deviations: write deviations with ±")
        return {place: replace(n, spread=n.spread or n.bracket) for place, n in numbers.items()}


def _sizes(column: Column, places: dict[str, int]) -> dict[str, int]:
    """Return the numbers of examples of the rows."""
    texts = {row: column.cells[i].text.replace(",", "") for row, i in places.items()}
    return {row: int(text) for row, text in texts.items() if text.isdecimal()}


def shorten(text: str) -> str:
    """Return at most 60 characters of a text of a stranger."""
    return text if len(text) <= 60 else f"{text[:57]}..."


def _in_order(names: Sequence[str]) -> bool:
    """Return whether names end in consecutive numbers."""
    numbers = [int(re.findall(r"\d+", name)[-1]) for name in names]
    return numbers == [*range(numbers[0], numbers[0] + len(numbers))]


def _scale(cells: Sequence[Text]) -> int:
    """Return 1 for shares, 2 for percent, 3 for larger numbers, 0 without numbers."""
    numbers = [n.value for cell in cells if (n := parse(cell)) and n.text]
    return 0 if not numbers else 1 if max(numbers) <= 1 else 2 if max(numbers) <= 100 else 3
