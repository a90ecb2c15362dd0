"""Reading a printed table: roles, numbers, and a list of everything that is left out."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace
from itertools import chain, count
from pathlib import Path
from typing import Any

import pandas as pd

from quadrepro.base.text import few
from quadrepro.errors import DataError, nearest
from quadrepro.reader import doubts, roles
from quadrepro.reader.forms import Content, chosen_table, frame_grid, read_file
from quadrepro.reader.printed_table import LOSSES, Choices, PrintedTable
from quadrepro.reader.roles import Methods, TableColumn, metric_of, summary_kind
from quadrepro.reader.text_grid import Number, Text, comma_sign, is_number, parse

COPY_THE_PAGE = (
    "put the lines of the table into a text file, with two blanks between columns. The page reads:"
)
PERCENT = r"[(\[]%[)\]]|\bin percent|\bin %"
FOLD = r"(.*?)[ _-]*(?:cv|fold|split|run|seed|trial|iter|rep(?:eat)?)[ _-]?(\d+)"


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
    if isinstance(source, pd.DataFrame):
        content = Content("scores", "a data frame", [frame_grid(source)])
    else:
        content = read_file(Path(source), stated.page)
    try:
        return _Reader(content, stated).read()
    except ValueError as error:
        message, line = (*error.args, None)[:2]
        message = f"{content.path}:{line}: {message}" if line else f"{content.path}: {message}"
        if content.page:
            lines = "\n".join(x.rstrip() for x in content.page.splitlines() if x.strip())
            message += f"; {COPY_THE_PAGE}\n{lines}"
        raise DataError(message) from None


Key = tuple[str, ...]
"""The name of a row; in long form, with the method."""


class _Reader:
    """Gives roles to the columns and rows of a grid."""

    def __init__(self, content: Content, choices: Choices) -> None:
        self.path, self.form, self.choices = content.path, content.form, choices
        self.metric, self.arrow, self.assumed, self.is_turned = "", "", False, False
        self.left_out: dict[str, None] = {}
        self.numbers: dict[tuple[str, str], Number] = {}
        self.datasets: dict[str, str] = {}
        self.summaries: dict[str, str] = {}
        self.places: dict[str, int] = {}
        self.scored: list[TableColumn] = []
        grid = chosen_table(content.grids, choices.table)
        names, n = roles.read_header(grid)
        self.top, self.around = grid.lines[0], grid.around
        rows = [*zip(grid.rows[n:], grid.lines[n:], strict=True)]
        # In other forms, a row without numbers is a data set that has none.
        alone = content.form in ("Markdown", "HTML", "Excel")
        headings = [r for r in rows if len(names) > 1 and _is_heading(r[0], alone)]
        titles = [row[0].text for row, _ in headings]
        if len(metrics := {*filter(None, (roles.metric_in([title]) for title in titles))}) > 1:
            advice = "keep the rows of one in the file"
            doubts.refuse(f"headings name several metrics ({few(sorted(metrics))}): {advice}")
        self._leave("headings", titles)
        rows = [row for row in rows if row not in headings]
        self.lines = [line for _, line in rows]
        self.columns = [TableColumn(x, [row[j] for row, _ in rows]) for j, x in enumerate(names)]

    def _leave(self, kind: str, names: Sequence[str]) -> None:
        if names:
            plural = "s" * (len(names) > 1 and kind in ("column", "row", "method"))
            self.left_out[f"{kind}{plural} {', '.join(names)}".strip()] = None

    def _with(self, *roles: str) -> list[TableColumn]:
        return [c for c in self.columns if c.role in roles]

    def _labels(self, *kinds: str) -> list[TableColumn]:
        return [c for c in self._with("label") if c.named in kinds]

    def _compared_in(self, sets: Sequence[TableColumn]) -> list[TableColumn]:
        """Return the only column of words that differs between the rows of a data set.

        All other columns have the names of metrics.
        """
        words = [c for c in self._with("label", "words") if c.is_words and not c.named]
        values = self._with("value")
        if len(sets) != 1 or len(words) != 1 or not all(metric_of(c.method) for c in values):
            return []
        rows = [(a.text, b.text) for a, b in zip(sets[0].cells, words[0].cells, strict=True)]
        repeats = min(Counter(name for name, _ in rows).values()) > 1
        return words if repeats and len({*rows}) == len(rows) else []

    # The table

    def read(self) -> PrintedTable:
        """Return the table."""
        self._set_choices()
        self._set_roles()
        self._keep_one_metric()
        rows, named = self.choices.rows, self._labels("data sets")
        methods = self._labels("methods") or self._compared_in(named)
        words = [c for c in named if c.is_words]
        if len(words) > 1 and words[0].texts != words[1].texts:
            both = f"the columns {words[0].name!r} and {words[1].name!r} both name data sets"
            doubts.refuse(f"{both}: split tables side by side, or leave one out with --without")
        values, others = self._with("value"), [c for c in self._labels("") if c.is_words]
        # Next to methods of one row each, such words are their kinds.
        in_rows = methods and min(Counter(methods[0].texts).values()) > 1
        has_metric = any(metric_of(c.method) for c in values)
        sets = named or (others if in_rows or has_metric or len(values) == 1 else [])
        sets = sets or self._labels("id")
        repeat = methods and self._with("fold") and len({*methods[0].texts}) < len(self.lines)
        if methods and (sets or repeat) and rows != "methods":
            return self._table(sets[0] if sets else None, methods[0])
        sums_up = rows is None and not named and doubts.has_means_of_rows(values)
        if rows is None and not sums_up:
            stated = "data sets" if named else "methods" if methods else ""
            self.assumed = doubts.about_kinds(self._with("label"), values, stated)
        if rows == "methods" or sums_up or (rows is None and not named and methods):
            self._turn()
        return self._table(self._label("data sets"), None)

    def _set_choices(self) -> None:
        """Split the names of methods, and leave out columns; refuse unknown names."""
        names = {name for c in self.columns for name in (c.name, c.method)}
        names |= {text for c in self.columns[:3] for text in c.texts}
        methods = []
        for name in self.choices.methods:  # names with commas count as a whole
            methods += [name] if name in names else [part.strip() for part in name.split(",")]
        for name in (*self.choices.without, *methods):
            if name not in names:
                doubts.refuse(f"unknown column or row {name!r}{nearest(name, names)}")
        self.choices = replace(self.choices, methods=methods)
        self._leave("column", [c.name for c in self.columns if c.name in self.choices.without])
        self.columns = [c for c in self.columns if c.name not in self.choices.without]

    def _set_roles(self) -> None:
        """Give every column its role, from left to right."""
        chosen = [name for name in (*self.choices.methods, self.choices.metric) if name]
        for i, column in enumerate(self.columns):
            column.set_role(self.columns[:i], chosen)
            if column.name and column.name == self.choices.sizes and column.is_whole:
                column.role = "size"
        folds = self._with("fold")
        seeds = [c for c in folds if "seed" in c.name.lower()]
        if 0 < len(seeds) < len(folds):
            others = [c for c in self._with("label", "fold") if c not in seeds]
            rows = [*zip(*([cell.text for cell in c.cells] for c in others), strict=True)]
            for column in seeds if len({*rows}) == len(rows) else ():
                column.role = "out"  # seeds of a framework, which the folds do not need
        # The ranks of each method in a column next to it.
        names = Counter(c.name for c in self.columns if summary_kind(c.name) == "rank")
        for column in self.columns:
            column.role = "out" if names[column.name] > 1 else column.role

    def _turn(self) -> None:
        """Make columns of the rows, whose names are methods, and rows of the columns."""
        self._check_words()
        values = self._with("value")
        # Among other letters, such as in PACS, P is a data set.
        letters = sum(re.fullmatch("[A-Z]", c.name) is not None for c in values) > 2
        others = ("time", "unclear")
        values = [c for c in values if c.named not in others or (letters and c.name == "P")]
        values = [c for c in values if roles.column_role(c.name) != "size"]  # also if not whole
        label = self._label("methods")
        methods = doubts.one_metric(self._methods(values), self.choices)
        self._leave_others((label, *chain(*methods.values())))
        scores = [
            mean
            for mean, *_ in methods.values()
            if not (summary_kind(mean.name) or roles.is_summary_row(mean.name))
        ]
        doubts.about_properties(scores, len(self.lines))
        self.metric = self.metric or (
            scores[0].method if len(scores) == 1 and metric_of(scores[0].method) else ""
        )
        columns = [TableColumn("dataset", [*map(Text, methods)])]
        titles = self._titles(label)
        for i, name in enumerate(titles):
            if name and name in titles[:i]:
                advice = "give each method a name, or name data sets in a column 'dataset'"
                doubts.refuse(f"duplicate row {name!r}: {advice}", self.lines[i])
            texts = ("±".join(c.cells[i].text for c in group) for group in methods.values())
            bold = (group[0].cells[i].bold for group in methods.values())
            columns.append(TableColumn(name, [*map(Text, texts, bold)]))
        self.columns = [c for c in columns if c.name not in self.choices.without]
        self.lines, self.is_turned = [self.top] * len(methods), True
        self._set_roles()

    def _collect(self, label: TableColumn | None, by_row: TableColumn | None) -> None:
        """Collect the numbers of the data sets and the summaries."""
        methods = self._one_value() if by_row else self._wide()
        self.scored = columns = [*chain(*methods.values())]
        used = (label, by_row, *columns, *self._with("fold"), *self._labels("metric"))
        self._leave_others((*used, *self._with("size")))
        titles, without = self._titles(label), {*self.choices.without}
        below = "deviations below their means are not read: write them next to these with ±"
        if label and "" in titles:
            advice = f"repeat a name that extends over several rows; {below}"
            doubts.refuse(f"the row has no name: {advice}", self.lines[titles.index("")])
        for title, line in zip(titles, self.lines, strict=True):
            base, kind = roles.split_spread(title)
            if base in titles and kind not in ("", "mean"):
                doubts.refuse(f"row {title!r}: {below}", line)
        scored = [t for t in titles if not (summary_kind(t) or roles.is_summary_row(t))]
        doubts.about_names(scored, self.choices)
        keys = [*zip(titles, *([[c.text for c in by_row.cells]] if by_row else []), strict=True)]
        labels = [label] if label and by_row else self._with("label")
        named, is_last = list[tuple[Key, str]](), True
        for i, key in [*enumerate(keys)][::-1]:
            kind = self._summary(i, labels, methods, is_last or self.is_turned)
            named, is_last = [(key, kind), *named], is_last and kind != ""
        # Several summaries of one name sum up parts of the table.
        counts = Counter(key for key, kind in named if kind)
        kinds = ["summary" if counts[key] > 1 else kind for key, kind in named]
        sums = [i for i, kind in enumerate(kinds) if kind == "summary"]
        parts = ([titles[i], *(c.cells[i].text for c in self._with("fold"))] for i in sums)
        left_out = [", ".join(filter(None, names)) for names in parts]
        left_out += [name for name in chain(*keys) if name in without]
        self._leave("row", [*dict.fromkeys(left_out)])
        rows = [i for i, key in enumerate(keys) if not kinds[i] and without.isdisjoint(key)]
        if not by_row and not self.choices.methods:
            sizes, kind = self._with("size"), metric_of(self._stated_metric())
            doubts.about_columns(columns, sizes, rows, self.choices, kind)
        texts = [[mean.cells[i] for mean, *_ in methods.values()] for i in range(len(titles))]
        scores = [(titles[i], texts[i]) for i in rows]
        for i, kind in enumerate(kinds):
            if kind == "mean" and any(i < j for j in rows):
                doubts.about_mean(titles[i], texts[i], [row for _, row in scores])
        metric = metric_of(self._stated_metric())
        if not (label or by_row or self.choices.methods):
            doubts.about_first_column(columns[0])
        if self.choices.rows != "datasets":
            doubts.about_rows(scores, metric)
        row_arrow = doubts.direction_of([titles[i] for i in rows])
        self.arrow = doubts.direction_of([c.name for c in columns]) or row_arrow
        names, folds = self._names_and_folds([keys[i] for i in rows], rows, used)
        places = [*zip(rows, names, folds, strict=True)]
        kept = [i for i, kind in enumerate(kinds) if kind not in ("", "summary")]
        places += [(i, titles[i], "") for i in kept]
        comma = comma_sign(text for c in columns for text in c.texts)
        for i, name, fold in places:
            row = ", ".join(filter(None, (name, fold)))
            self.places.setdefault(row, i)
            (self.summaries if kinds[i] else self.datasets)[row] = kinds[i] or name
            for method, group in methods.items():
                place = row, keys[i][1] if by_row else method
                if place in self.numbers:
                    doubts.refuse(f"duplicate row {row!r}", self.lines[i])
                self.numbers[place] = self._number(group, i, comma, kinds[i])

    def _table(self, label: TableColumn | None, by_row: TableColumn | None) -> PrintedTable:
        """Return the table of columns of methods, or of rows with a method in each."""
        self._collect(label, by_row)
        methods = tuple(dict.fromkeys(method for _, method in self.numbers))
        values = self._with("value")
        spreads = [c.kind for c in values if c.is_spread]
        n_methods = max(len(methods), len(values))
        if self.choices.methods:
            self._leave("method", [m for m in methods if m not in self.choices.methods])
            methods = tuple(m for m in methods if m in self.choices.methods)
        elif alike := [m for m in methods if [x.lower() for x in methods].count(m.lower()) > 1]:
            names = " and ".join(map(repr, alike[:2]))
            advice = "write one name for both, or list the methods with --methods"
            doubts.refuse(f"{names} differ only in case: {advice}")
        texts = {
            text for c in self._with("label") for text in c.texts if not roles.is_summary_row(text)
        }
        if texts & {*self.choices.without} or len(methods) < len(values) - len(spreads):
            # They sum up other numbers as well.
            self._leave("row", [*self.summaries])
            self.summaries = {}
        if not self.datasets or not methods:
            doubts.refuse("no row has the numbers of a data set")
        if {*self.datasets} == {*methods} and not self.choices.rows:
            advice = "state --rows datasets or methods if it is not one of pairs"
            doubts.refuse(f"the rows of the table are called like its columns: {advice}")
        places = [(row, m) for row in (*self.datasets, *self.summaries) for m in methods]
        numbers = {place: self.numbers.get(place, Number()) for place in places}
        scores = [numbers[row, m] for row in self.datasets for m in methods]
        numbers = self._with_spreads(numbers, scores, n_methods)
        signs = sorted({n.signs for n in scores if n.signs})
        self._leave("signs", [" ".join(signs)] if signs else [])
        self._leave("", sorted({n.other for n in scores if n.other}))
        self._leave("lines", [repr(doubts.shorten(text)) for text in self.around])
        has_spread = any(numbers[row, m].spread for row in self.datasets for m in methods)
        metric, percent = self._stated_metric(), self._in_percent(scores)
        if self.choices.rows != "datasets":
            row_numbers = {row: [numbers[row, m] for m in methods] for row in self.datasets}
            doubts.about_units(row_numbers, metric_of(metric) or metric)
        return PrintedTable(
            path=self.path,
            form=self.form,
            rows=tuple(self.datasets),
            methods=methods,
            numbers=numbers,
            lines={row: self.lines[i] for row, i in self.places.items()},
            summaries=self.summaries,
            datasets=self.datasets,
            sizes={c.name: _sizes(c, self.places) for c in self._with("size")},
            metric=metric if metric_of(metric) in ("", "other") else metric_of(metric),
            arrow=self.arrow or self._direction(),
            percent=percent,
            spread=[*spreads, "sd"][0] if has_spread else "",
            means=any(c.kind == "mean" for c in values),
            assumed=self.assumed,
            left_out=tuple(self.left_out),
        )

    # Columns

    def _label(self, kind: str) -> TableColumn | None:
        """Return the column that names the rows."""

        def badness(c: TableColumn) -> tuple[bool, bool, bool]:
            repeats = len({*c.texts}) < len(c.texts)
            return c.named != kind or not c.is_words, not c.is_words, repeats

        labels = [c for c in self._with("label") if c.named != "metric"]
        return min(labels, key=badness, default=None)

    def _titles(self, label: TableColumn | None) -> list[str]:
        """Return the names of rows; lines are named by their numbers, and folds are not."""
        if label:
            return [c.text for c in label.cells]
        word = "row" if self.path == "scores" else "line"
        return ["" if self._with("fold") else f"{word} {n}" for n in self.lines]

    def _leave_others(self, used: Sequence[TableColumn | None]) -> None:
        """Leave out the columns that are not used."""
        others = [(i, c) for i, c in enumerate(self.columns, 1) if c not in used]
        self._leave("row" if self.is_turned else "column", [c.name or str(i) for i, c in others])

    def _methods(self, values: Sequence[TableColumn]) -> Methods:
        """Return the column of each method, followed by its column of spreads if there is one."""
        names, bases = {c.name for c in values}, Counter(c.method for c in values)
        methods: Methods = {}
        for column in sorted(values, key=lambda c: c.is_spread):
            if not column.name.strip("= "):
                doubts.refuse(f"column {self.columns.index(column) + 1} has no name", self.top)
            if column.kind == "mean" and column.method in names:
                column.method, column.kind = column.name, ""  # such as len and avg_len
            alone = column.method not in names and bases[column.method] == 1
            if alone and not re.search("_mean$", column.name):
                if re.search("_(sd|se|ci95)$", column.name):
                    doubts.refuse("a deviation without its mean", self.top, column.name)
                column.method, column.kind = column.name, ""
            group = methods.setdefault(column.method, [])
            if len(group) == 1 + column.is_spread:
                doubts.refuse(f"duplicate column {column.name!r}", self.top)
            group.append(column)
        return dict(sorted(methods.items(), key=lambda item: values.index(item[1][0])))

    def _wide(self) -> Methods:
        """Return the columns of each method of a table with a column for each method."""
        self._check_words()
        chosen = {*self.choices.methods}
        values = [c for c in self._with("value") if not chosen or chosen & {c.name, c.method}]
        methods = doubts.one_metric(self._methods(values), self.choices)
        if not methods:
            doubts.refuse("no column has the numbers of a method; list the methods with --methods")
        metrics = {roles.part_of(group[0].method)[1] for group in methods.values()}
        self.metric = self.metric or (metric_of(*metrics) if len(metrics) == 1 else "")
        return methods

    def _one_value(self) -> Methods:
        """Return the column of values of a table with a column of methods, and its spreads."""
        values = self._methods(self._with("value"))
        chosen = [name for name in values if self.choices.has_metric(name)] or [*values]
        if len(chosen) != 1:
            advice = "with --metric, or state --rows methods if they are data sets"
            doubts.refuse(f"choose one of the columns {few(chosen, 8)} {advice}")
        self.metric = self.metric or metric_of(*chosen)
        return {name: values[name] for name in chosen}

    # Rows

    def _keep_one_metric(self) -> None:
        """Keep the rows of the chosen metric, if a column names metrics."""
        rows = [*range(len(self.lines))]
        for column in self._labels("metric"):
            names = [*dict.fromkeys(column.texts)]
            chosen = [name for name in names if self.choices.has_metric(name)] or names
            if len(chosen) > 1:
                doubts.refuse(f"choose one of {few(names)} with --metric", column=column.name)
            self.metric = metric_of(chosen[0])
            self._leave("rows of", [name for name in names if name != chosen[0]])
            rows = [i for i in rows if column.cells[i].text == chosen[0]]
        if len(rows) < len(self.lines):
            self.columns = [TableColumn(c.name, [c.cells[i] for i in rows]) for c in self.columns]
            self.lines = [self.lines[i] for i in rows]
            self._set_roles()

    def _summary(
        self, i: int, labels: Sequence[TableColumn], methods: Methods, is_last: bool
    ) -> str:
        """Return the kind of a summary row, or an empty text."""
        texts = [c.cells[i].text for c in labels]
        kind = next(filter(None, map(summary_kind, texts)), "")
        folds = [c.cells[i].text for c in self._with("fold")]
        if any(map(summary_kind, folds)):
            return "summary"
        if not kind and any(roles.is_summary_row(text, is_last) for text in texts):
            return "summary"
        # Wins are counts: a row called Best may hold the best scores. Years are whole, too.
        decimals = any("." in group[0].cells[i].text for group in methods.values())
        if decimals and re.fullmatch("(?i)years?", texts[0] if texts else ""):
            return ""
        return "summary" if kind == "wins" and decimals else kind

    def _names_and_folds(
        self, names: Sequence[Key], rows: Sequence[int], used: Sequence[TableColumn | None]
    ) -> tuple[list[str], list[str]]:
        """Return the data set and the fold of each row; the fold is empty without any.

        Repeated names without a column of folds have equal numbers of rows, and no other column
        differs between them.
        """
        titles = [name[0] for name in names]
        matches = [re.fullmatch(FOLD, title, re.IGNORECASE) for title in titles]
        if titles and len(names[0]) == 1 and all(matches):
            return [m[1] for m in matches if m], [m[2] for m in matches if m]
        folds, counts = self._with("fold"), Counter(names)
        for column in folds:
            if column.is_words:
                advice = "keep one kind in the file, or leave the column out with --without"
                words = few([*dict.fromkeys(column.texts)])
                doubts.refuse(f"{words} may not be folds: {advice}", column=column.name)
        columns = self._with("label", "words", "size", "value")
        texts = {column: [column.cells[i].text for i in rows] for column in columns}
        doubts.about_folds(names, texts, used, bool(folds))
        if folds:
            return titles, [", ".join(c.cells[i].text for c in folds) for i in rows]
        if len(counts) == len(names):
            return titles, [""] * len(titles)
        # Rows of one name may be runs with several settings, or below several headings; two of them
        # may be a number and its deviation.
        n_rows = {*counts.values()}
        headings = any(key.startswith("heading") for key in self.left_out)
        earlier: dict[Key, count[int]] = defaultdict(count)
        numbers = [1 + next(earlier[name]) for name in names]
        if headings or len(names[0]) > 1 or len(n_rows) > 1 or n_rows == {2}:
            k = numbers.index(2)
            row = ", ".join(names[k])
            advice = "name a column of folds 'fold', or join what differs with the names"
            message = f"duplicate row {row!r}: {advice}"
            doubts.refuse(message, self.lines[rows[k]])
        return titles, [*map(str, numbers)]

    # Numbers

    def _number(self, group: Sequence[TableColumn], i: int, comma: str, kind: str) -> Number:
        """Return a number with the spread that another column may have."""
        if kind == "wins–ties–losses":
            return Number(group[0].cells[i].text)
        numbers = []
        for column in group:
            number = parse(column.cells[i], comma)
            if number is None:
                doubts.refuse(doubts.not_a_number(column.cells[i].text), self.lines[i], column.name)
            numbers.append(number)
        return replace(numbers[0], spread=numbers[1].text) if len(group) > 1 else numbers[0]

    def _with_spreads(
        self, numbers: dict[tuple[str, str], Number], scores: Sequence[Number], n_methods: int
    ) -> dict[tuple[str, str], Number]:
        """Return the numbers with those in brackets as spreads, unless they are ranks."""
        brackets = [n.bracket for n in scores if n.bracket]
        ranks = (re.fullmatch(r"\d+(\.5)?", b) and float(b) <= n_methods for b in brackets)
        if brackets and all(ranks):
            self._leave("ranks in brackets", [""])
            return numbers
        doubts.about_brackets(scores, self.around)
        return {place: replace(n, spread=n.spread or n.bracket) for place, n in numbers.items()}

    def _in_percent(self, scores: Sequence[Number]) -> bool:
        """Return whether signs, names or titles show that numbers are in percent."""
        signs = [n.percent for n in scores if n.text]
        names = {bool(re.search(PERCENT, c.name)) for c in self.scored if not c.kind}
        if len({*signs}) > 1:
            few_have = signs.count(True) < signs.count(False)
            message = "some numbers have a percent sign and others have none: write one kind, or "
            message += "leave out a row or a column with --without"
            for (row, _), n in self.numbers.items():
                if row in self.datasets and n.text and n.percent == few_have:
                    doubts.refuse(message, self.lines[self.places[row]])
        if len(names) > 1:
            message = "some columns are in percent and others are not: write one kind, or "
            doubts.refuse(f"{message}leave out the others with --without")
        titled = True in names or re.search(PERCENT, " ".join(self.around)) is not None
        # Shares of right examples are above 1% if anything was learned.
        is_error = metric_of(self._stated_metric()) in ("error", "balanced_error")
        return True in signs or (titled and (is_error or any(n.value > 1 for n in scores)))

    # Checks

    def _check_words(self) -> None:
        """Refuse columns of words in which a number is misprinted."""
        for column in self._with("words"):
            # Sizes have units, such as 108M.
            if column.fault is not None and not (summary_kind(column.name) or column.named):
                text = column.cells[column.fault].text
                doubts.refuse(doubts.not_a_number(text), self.lines[column.fault], column.name)

    def _stated_metric(self) -> str:
        """Return the metric that the caller, a name or a title states, or an empty text."""
        in_title, arrow = roles.metric_in(self.around), self._direction()
        if in_title == "other" or (arrow and (arrow == "↓") != (in_title in LOSSES)):
            in_title = ""  # the title is about something else, such as its reduction
        return self.choices.metric or self.metric or in_title

    def _direction(self) -> str:
        """Return the arrow for a direction that the lines around the table state."""
        text = " ".join(self.around).lower()
        higher, lower = (f"{word} is better" in text for word in ("higher", "lower"))
        return "" if higher == lower else "↑" if higher else "↓"


def _is_heading(row: Sequence[Text], alone: bool) -> bool:
    """Return whether a row has a name above all columns, or, with `alone`, in the first one."""
    name, *others = (c.text for c in row)
    extends = {*others} == {name} or (alone and {*others} == {""})
    return name != "" and not is_number(name) and extends


def _sizes(column: TableColumn, places: dict[str, int]) -> dict[str, int]:
    """Return the numbers of examples of the rows."""
    texts = {row: column.cells[i].text.replace(",", "") for row, i in places.items()}
    return {row: int(text) for row, text in texts.items() if text.isdecimal()}
