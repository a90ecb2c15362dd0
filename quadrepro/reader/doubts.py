"""Rows and columns of a printed table that may not be what they are taken for are refused."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import pairwise
from statistics import fmean, median
from typing import NoReturn

from quadrepro.base.text import few
from quadrepro.reader import roles
from quadrepro.reader.printed_table import LOSSES, SHARES, Choices
from quadrepro.reader.roles import Columns, Methods, TableColumn, part_of, summary_kind
from quadrepro.reader.text_grid import Number, Text, parse, value_of

OR_WITHOUT = "leave it out with --without {!r}, or list the methods with --methods"
OR_METHODS = f"{OR_WITHOUT}, or state --rows methods if it sums up data sets"
OR_A_METHOD = "leave it out with --without {!r}, or state --rows methods if it is a method"
OR_A_DATA_SET = "leave it out with --without {!r}, or state --rows datasets if it is a data set"

OR_METRIC = "leave it out with --without {!r}, or read nothing else with --metric {!r}"
OR_DECIMALS = "leave it out with --without {!r}, or write it with decimals if it has scores"
OR_RENAME = "leave it out with --without {!r}, or call it 'Mean'"

LEAST_PERCENT = 5.0
"""Numbers of a row that are larger are no fractions."""

MOST_PERCENT = 100.0
"""Tables with larger numbers have no percents."""

FEWEST = 4
"""Least number of rows for one to sum up the others."""


def refuse(message: str, line: int | None = None, column: str = "") -> NoReturn:
    """Refuse a table, with the place of a fault; `read_table` adds the path."""
    in_column = f"column {shorten(column)!r}: " if column else ""
    raise ValueError(in_column + message, line)


def about_kinds(labels: Columns, values: Columns, stated: str) -> bool:
    """Return whether no name tells the kind of the rows; refuse names that tell another one.

    `stated` is the kind by the name of the column of names: methods, data sets, or neither.
    """
    rows, columns = (labels[-1].texts if labels else []), [c.method or c.name for c in values]
    # Well-known names, by the kind of the rows.
    evidence = {
        kind: [x for x in rows if roles.is_well_known(x, own)]
        + [x for x in columns if roles.is_well_known(x, other)]
        for kind, own, other in (
            ("methods", "methods", "datasets"),
            ("data sets", "datasets", "methods"),
        )
    }
    kind, other = ("data sets", "methods") if stated == "methods" else ("methods", "data sets")
    advice = "state the kind of the rows with --rows methods or --rows datasets"
    if len(evidence[kind]) > max(1, len(evidence[other])):
        names = f"the rows look like {kind}, or the columns like {other} ({few(evidence[kind], 3)})"
        refuse(f"{names}: {advice}")
    repeated = [c.name for c in labels if len({*c.texts}) < len(c.texts)]
    if len(repeated) > 1 and len(values) == 1 and stated != "data sets":
        both = " and ".join(map(repr, repeated))
        refuse(f"{both} may be data sets and methods: call them 'dataset' and 'method'")
    if rows and not stated and len(columns) == 1 and roles.metric_of(columns[0]):
        refuse(f"the rows may be data sets or methods ({few(rows, 3)}): {advice}")
    return bool(rows) and not stated and len(evidence["data sets"]) <= len(evidence["methods"])


def about_properties(columns: Columns, n_rows: int) -> None:
    """Refuse columns next to names of methods that may not be scores on a data set."""
    n_decimals = sum(not c.is_whole for c in columns)
    for column in columns:
        if len(columns) > 1 and roles.metric_of(column.method):
            _refuse_column("it is a metric, and others are data sets", column, OR_METRIC)
        if column.is_whole and n_decimals > 1 and {*column.texts} - {"0", "1", "100"}:
            _refuse_column("only this column has whole numbers alone", column, OR_DECIMALS)
    scores = [[*map(value_of, c.cells)] for c in columns]
    for i in {0, len(columns) - 1} if n_rows >= FEWEST - 1 <= len(columns) - 1 else ():
        others = zip(*scores[:i], *scores[i + 1 :], strict=True)
        if all(map(_is_mean, columns[i].cells, others)):
            _refuse_column("it is the mean of the others", columns[i], OR_RENAME)


def has_means_of_rows(columns: Columns) -> bool:
    """Return whether a column has the mean of the other numbers of each row, as its name says."""
    scores = [c for c in columns if not (summary_kind(c.name) or c.is_spread)]
    rows = [*zip(*([value_of(cell) for cell in c.cells] for c in scores), strict=True)]
    means = [c.cells for c in columns if summary_kind(c.name) == "mean"]
    return len(scores) > 1 and any(all(map(_is_mean, cells, rows)) for cells in means)


def _is_mean(cell: Text, values: Sequence[float]) -> bool:
    """Return whether a text is the mean of some numbers, but for one unit of its last digit."""
    decimals = re.sub(r"\D.*", "", cell.text.partition(".")[2])
    return abs(fmean(values) - value_of(cell)) <= 10.0 ** -len(decimals) + 1e-9


def about_columns(
    columns: Columns, sizes: Columns, rows: Sequence[int], choices: Choices, metric: str
) -> None:
    """Refuse columns that may not be scores of methods, by their name or their scale."""
    ends = [re.fullmatch(r"(.*?)[ _-]*(\d+)", c.name) for c in columns]
    folds = [int(m[2]) for m in ends if m and (not m[1] or roles.column_role(m[1]) == "fold")]
    if len(folds) == len(columns) > 2 and folds == [*range(folds[0], folds[0] + len(folds))]:
        advice = "put them into rows, with a column 'fold'"
        refuse(f"the columns {few([c.name for c in columns], 3)} may be folds: {advice}")
    means = [c for c in columns if not c.is_spread]
    scales = {c: s for c in means if (s := _scale([c.cells[i] for i in rows]))}
    usual, n_usual = Counter(scales.values()).most_common(1)[0] if scales else (3, 0)
    n_decimals = sum(not c.is_whole for c in columns)
    for column, scale in scales.items():
        kind = summary_kind(column.name)
        n_different = len({*column.texts} - {"0", "1"})
        if (kind or column.named == "unclear") and len(columns) > 1:
            sums_up = kind in ("mean", "rank") and choices.rows is None
            advice = OR_METHODS if sums_up else OR_WITHOUT
            _refuse_column("it may not be a method", column, advice)
        has_end = metric not in LOSSES or metric in SHARES
        if scale > usual and n_usual > 1 and has_end:
            numbers = [n for cell in column.cells if (n := parse(cell)) and n.text]
            largest = max(numbers, key=lambda n: n.value).text
            _refuse_column(f"{largest} has another scale than other columns", column)
        if column.is_whole and n_decimals > 1 and n_different > 1:
            _refuse_column("only this column has whole numbers alone", column)
    words = any(len(c.name) > 1 for c in columns)
    for column in (*sizes, *columns):
        letter = len(column.name) == 1 if column.role == "size" else column.name in "dkmp"
        if letter and not n_decimals and (words or column.role == "size"):
            _refuse_column("it may be a method or sizes", column)
        if len(means) > 1 and roles.metric_of(column.name) in (*SHARES, *LOSSES):
            _refuse_column("it is a metric, and others are methods", column)


def about_first_column(column: TableColumn) -> None:
    """Refuse a first column if its numbers rise or fall by equal steps."""
    values = [n.value for cell in column.cells if (n := parse(cell))]
    steps = {round(below - above, 9) for above, below in pairwise(values)}
    if len(values) >= FEWEST and len(steps) == 1 and steps != {0.0}:
        _refuse_column("its numbers have equal steps, and may name the rows", column)


def about_rows(rows: Sequence[tuple[str, list[Text]]], metric: str) -> None:
    """Refuse rows that may not be scores of a data set, by their numbers alone."""
    if len(rows) < FEWEST:
        return
    values = [[*map(value_of, texts)] for _, texts in rows]
    columns, k = [*zip(*values, strict=True)], len(values[0])
    near = (abs(fmean(above) - last) <= 0.0051 * abs(last) for *above, last in columns)
    if k > 1 and all(near) and all(len({*above}) > 2 for *above, _ in columns):
        _refuse_row("may be the mean of the others", rows[-1][0])
    # Mean ranks of all methods add up to the same sum, but for rounding.
    are_ranks = [
        all(1 <= x <= k for x in row) and abs(sum(row) - k * (k + 1) / 2) <= 0.0051 * k
        for row in values
    ]
    if k > 2 and are_ranks[-1] and sum(are_ranks) == 1:
        _refuse_row("may be mean ranks", rows[-1][0])
    large = [title for (title, _), row in zip(rows, values, strict=True) if any(x > 1 for x in row)]
    if metric in SHARES and large and len(rows) - len(large) > 2:
        _refuse_row("has another scale than other rows", large[0])


def about_names(titles: Sequence[str], choices: Choices) -> None:
    """Refuse rows whose names are metrics, or name the metric of a method."""
    parts = [part_of(title) for title in titles]
    if len({metric for base, metric in parts if not base}) > 1:
        names = f"the rows are metrics ({few(titles, 3)})"
        refuse(f"{names}: a table of scores has one metric")
    metrics = {roles.metric_of(metric) for base, metric in parts if base}
    if choices.rows is None and len(parts) > 1 and len(metrics) == 1 and "" not in metrics:
        advice = "state --rows methods, or --rows datasets"
        refuse(f"the rows may be methods, as they name a metric ({few(titles, 3)}): {advice}")


def about_mean(title: str, cells: Sequence[Text], scores: Sequence[Sequence[Text]]) -> None:
    """Refuse a row above others that is called a mean, and cannot be theirs."""
    columns = ([*map(value_of, column)] for column in zip(*scores, strict=True))
    pairs = zip(map(value_of, cells), columns, strict=True)
    if any(x < min(column) or x > max(column) for x, column in pairs):
        _refuse_row("is not the mean of the others", title, OR_A_METHOD)


def about_units(rows: Mapping[str, Sequence[Number]], metric: str) -> None:
    """Refuse fractions among percents."""
    if metric not in (*SHARES, ""):
        return
    values = {row: [n.value for n in numbers if n.text] for row, numbers in rows.items()}
    if any(x > MOST_PERCENT for row in values.values() for x in row):
        return
    usual = median([max(row) for row in values.values() if row] or [0.0])
    for title, row in values.items():
        for i, x in enumerate(row):
            others = median(row[:i] + row[i + 1 :] or [0.0])
            if 0 < x < 1 and others > LEAST_PERCENT and 0.5 < 100 * x / others < 2:
                unit = "may be a fraction among percents: write all numbers in one unit"
                refuse(f"the row {shorten(title)!r}: {x:g} {unit}")
        is_score = metric in SHARES and "error" not in metric
        if row and is_score and max(row) <= 1 and usual > LEAST_PERCENT:
            _refuse_row("may have fractions, and others percents", title)


def about_folds(
    names: Sequence[tuple[str, ...]],
    texts: Mapping[TableColumn, Sequence[str]],
    used: Collection[TableColumn | None],
    has_folds: bool,
) -> None:
    """Refuse columns that differ between the rows of one name, and so may be kinds of them."""
    n_names = len({*names})
    for column, values in texts.items():
        pairs, n = {*zip(names, values, strict=True)}, len({*values})
        crossed = len(pairs) == n_names * n and 1 < n < len(pairs)
        differs = column not in used and len(pairs) > n_names
        blocks = crossed and len(pairs) < len(names)  # such as levels of noise
        if blocks if has_folds else crossed if column.role == "value" else differs:
            advice = "keep one kind of rows, join it with the names, or call the column 'fold'"
            refuse(f"it differs between rows of one name: {advice}", column=column.name)


def about_brackets(scores: Sequence[Number], around: Sequence[str]) -> None:
    """Refuse numbers in brackets that may not be deviations."""
    brackets = [n.bracket for n in scores if n.bracket]
    whole = all("." not in b for b in brackets) and any("." in n.text for n in scores)
    large = [n for n in scores if n.bracket and float(n.bracket) > 0.5 * abs(n.value)]
    about = re.findall(r"\(([^)]*)\)", " ".join(around))  # such as (time in s)
    other = any(not re.search("sd|std|dev|±|err|[%\\d]|percent", text) for text in about)
    if brackets and (whole or other or len(large) > 0.5 * len(brackets)):
        refuse("numbers in brackets may not be deviations: write deviations with ±")


def one_metric(methods: Methods, choices: Choices) -> Methods:
    """Return the methods of one metric, whose name is left out of theirs; refuse several."""
    if len(methods) == 1 or {*methods} <= {*choices.methods}:
        return methods
    if not roles.metric_of(choices.metric) and (own := _with_part(methods, choices.metric)):
        return {base: methods[name] for base, name in own.items()}
    if named := [name for name in methods if choices.has_metric(name)]:
        name = min(named, key=lambda name: name.lower() != choices.metric.lower())
        return {name: methods[name]}
    parts = _parts_of(methods)
    bases = Counter(base for base, _ in parts.values())
    # A statistic of a method has others next to it, unlike RACE-High.
    names = (n for n, (base, part) in parts.items() if part == "statistic" and bases[base] == 1)
    parts |= {name: (name, "") for name in names}
    extras = ("time", "rank")
    others = {base for base, part in parts.values() if part not in extras}
    set_aside = {name for name, (base, part) in parts.items() if part in extras and base in others}
    if not (set_aside & {*choices.methods} or choices.has_metric("time")):
        parts = {name: part for name, part in parts.items() if name not in set_aside}
    bare = {base for base, part in parts.values() if not part}
    measured = [(name, *parts[name]) for name in parts if parts[name][1] not in ("", "time")]
    metrics = [*dict.fromkeys(part if base else name for name, base, part in measured)]
    shared = bare & {base for _, base, _ in measured}
    examples = {part_of(base)[1] for base, part in parts.values() if part}
    if len(examples) > 1 and examples <= {"train", "test", "validation"}:
        advice = "keep one, and leave out the others with --without"
        refuse(f"the columns are of several examples ({few(sorted(examples))}): {advice}")
    if len(metrics) < 2 and not shared and "statistic" not in metrics:
        same = len(metrics) == 1 and all(base and part for base, part in parts.values())
        return {base if same else name: methods[name] for name, (base, _) in parts.items()}
    chosen = {name: base for name, (base, part) in parts.items() if choices.has_metric(part)}
    if not chosen or (len(chosen) > 1 and "" in chosen.values()):
        advice = "choose one with --metric, or leave out the others with --without"
        several = few([*metrics, *sorted(shared)])
        refuse(f"the columns hold several metrics or statistics ({several}): {advice}")
    return {base or name: methods[name] for name, base in chosen.items()}


def _with_part(names: Iterable[str], metric: str) -> dict[str, str]:
    """Return the other words of each name that begins or ends with a metric of the caller."""
    word = re.escape(metric)
    form = rf"{word}\W+(?P<after>.+)|(?P<before>.+)\W+{word}"
    matches = ((name, re.fullmatch(form, name, re.IGNORECASE)) for name in names if metric)
    return {(m["after"] or m["before"]).strip("()"): name for name, m in matches if m}


def _parts_of(names: Iterable[str]) -> dict[str, tuple[str, str]]:
    """Return the method and the metric in each name, see `part_of`.

    Words next to the names of several methods that also have a known metric are another metric.
    """
    parts = {name: (name, "") if summary_kind(name) else part_of(name) for name in names}
    methods = {method for method, metric in parts.values() if method and metric}
    others = {
        name: (method, name.removeprefix(f"{method} ").removesuffix(f" {method}"))
        for name, (_, metric) in parts.items()
        for method in methods
        if not metric and (name.startswith(f"{method} ") or name.endswith(f" {method}"))
    }
    counts = Counter(metric for _, metric in others.values())
    return parts | {name: pair for name, pair in others.items() if counts[pair[1]] > 1}


def direction_of(names: Sequence[str]) -> str:
    """Return the arrow of names, if they have one; refuse arrows of both directions."""
    if len(arrows := roles.arrows_in(names)) > 1:
        several = few([name for name in names if roles.arrows_in([name])], 3)
        refuse(f"↑ and ↓ show several metrics ({several}): leave out one kind with --without")
    return "".join(arrows)


def not_a_number(text: str) -> str:
    """Return the message on a text in place of a number."""
    advice = "for a missing one write - or leave the field empty, or leave out its row or column"
    example = "a number such as 0.035, 3.5% or 0.035 ± 0.004"
    return f"{shorten(text)!r} is not {example}; {advice} with --without"


def shorten(text: str) -> str:
    """Return at most 60 characters of an untrusted text."""
    return text if len(text) <= 60 else f"{text[:57]}..."


def _refuse_column(message: str, column: TableColumn, advice: str = OR_WITHOUT) -> NoReturn:
    name = shorten(column.name)
    refuse(f"{message}: {advice.format(name, name)}", column=column.name)


def _refuse_row(message: str, title: str, advice: str = OR_A_DATA_SET) -> NoReturn:
    name = shorten(title)
    refuse(f"the row {name!r} {message}: {advice.format(name)}")


def _scale(cells: Sequence[Text]) -> int:
    """Return 1 for shares, 2 for percent, 3 for larger numbers, 0 without numbers."""
    numbers = [n.value for cell in cells if (n := parse(cell)) and n.text]
    return 0 if not numbers else 1 if max(numbers) <= 1 else 2 if max(numbers) <= 100 else 3
