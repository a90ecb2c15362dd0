"""Roles of the rows and columns of a printed table, by their names and their texts."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import yaml

from quadrepro.reader.text_grid import Text, TextGrid, is_gap, is_number, value_of

LONGEST = 200
"""Number of characters of a name that can show its role."""


@cache
def _vocabulary() -> dict[str, Any]:
    return dict(yaml.safe_load(Path(__file__).with_name("vocabulary.yaml").read_text("utf-8")))


def _key(name: str) -> str:
    """Return a name in lower case, with blanks for underscores and without signs at its ends."""
    text = re.sub(r"[_\s]+", " ", name[:LONGEST].lower()).strip(" .:*↑↓'")
    return re.sub(r"\.(?=\s|$)", "", re.sub(r"\s*[(\[](%|percent|in %)[)\]]$", "", text))


@cache
def _first(group: str, text: str) -> str:
    """Return the first key of a group of the vocabulary whose pattern fits a text."""
    patterns = _vocabulary()[group].items()
    return next((name for name, pattern in patterns if re.fullmatch(pattern, text)), "")


def column_role(name: str) -> str:
    """Return the role that the name of a column tells, or an empty text.

    Examples
    --------
    >>> [column_role(x) for x in ("Dataset", "# test", "Time (s)", "fold", "#", "AdaBoost")]
    ['data sets', 'test size', 'time', 'fold', 'id', '']
    """
    name = name[:LONGEST]
    role = _first("columns", _key(name))
    # The corner of a table may name its rows and then its columns, or mark them by arrows.
    arrow = re.search(r"([^/\\|→]*)↓", name)
    corner = _first("columns", _key(arrow[1] if arrow else re.split(r"[/\\|(]", name)[0]))
    return role or corner * (corner in ("data sets", "methods"))


def names_rows(name: str) -> bool:
    """Return whether a column is called like the names of data sets or methods."""
    return column_role(name) in ("data sets", "methods")


def summary_kind(name: str) -> str:
    """Return the kind of a row that sums up others, or an empty text.

    Examples
    --------
    >>> [summary_kind(x) for x in ("Avg. rank", "Mean", "W/T/L", "Wins", "wine")]
    ['rank', 'mean', 'wins–ties–losses', 'wins', '']
    """
    return _first("summaries", _key(name))


def is_summary_row(name: str, is_last: bool = True) -> bool:
    """Return whether a row has other numbers than the scores of a data set, such as p-values.

    Some names, such as Loss, show it only of a row without data sets below it.
    """
    groups = ("summary rows", "last rows")[: 1 + is_last]
    return any(re.fullmatch(_vocabulary()[group], _key(name)) for group in groups)


def arrows_in(names: Iterable[str]) -> set[str]:
    """Return the arrows at the ends of names, which show the better direction."""
    return {match[1] for name in names if (match := re.search(r"([↑↓])[\s)\]]*$", name))}


def metric_of(name: str) -> str:
    """Return the metric that a name is, or an empty text.

    Examples
    --------
    >>> metric_of("metric_error"), metric_of("Test accuracy (%)"), metric_of("ours")
    ('error', 'accuracy', '')
    """
    words = "metric|test|testing|mean|score|classification|validation"
    return _first("metrics", re.sub(rf"^(({words}) )+", "", _key(name)))


def part_of(name: str) -> tuple[str, str]:
    """Return the method and the metric, or ``time``, in the name of a column; both can be empty.

    Examples
    --------
    >>> [part_of(name) for name in ("Accuracy RF", "RF_f1", "AUC", "RF time (s)", "RF")]
    [('RF', 'accuracy'), ('RF', 'f1'), ('', 'auc'), ('RF', 'time'), ('RF', '')]
    >>> part_of("RF balanced accuracy")
    ('RF', 'balanced_accuracy')
    """
    if len(name) > LONGEST:
        return name, ""
    if metric := metric_of(name) or _first("parts", _key(name)):
        return "", metric
    without_unit = re.sub(r"\s*[(\[](s|ms|sec)[)\]]$", "", name)
    times = r"^(time|t)_|^time [(\[]\w+[)\]] |[ _](time|t)$"
    base = re.sub(times, "", without_unit, flags=re.IGNORECASE)
    if base not in ("", name):
        return base, "time"
    if match := re.fullmatch(r"rank ?\((.+)\)", name, re.IGNORECASE):
        return match[1], "rank"
    *rest, before, last = ["", "", *name.split()]
    metric = _first("metrics", _key(f"{before} {last}"))
    if "".join(rest) and metric not in ("", "another"):
        return " ".join(rest).strip(), metric
    words = re.split(r"[\s_/:-]+", name)
    ends = name.removeprefix(words[0]), name.removesuffix(words[-1])
    for word, others in zip((words[0], words[-1]), ends, strict=True):
        word = word.strip("()[]")
        metric, base = metric_of(word) or _first("parts", _key(word)), others.strip(" _/:-")
        if base and metric:
            base = re.sub(r"^\((.*)\)$", r"\1", base)
            return base, word if metric == "other" else metric
    return name, ""


def metric_in(titles: Iterable[str]) -> str:
    """Return the only metric that titles name, or an empty text.

    Examples
    --------
    >>> metric_in(["Table 2: balanced accuracy"]), metric_in(["error and AUC"])
    ('balanced_accuracy', '')
    >>> metric_in(["Mean squared errors"]), metric_in(["Error reduction in percent"])
    ('mse', '')
    """
    text, metrics = _key(" | ".join(titles)), set()
    if re.search(_vocabulary()["denied"], text):
        return ""
    text = text.replace("-", " ")
    for metric, pattern in _vocabulary()["metrics"].items():
        if metric in ("precision", "recall", "specificity"):
            continue  # words of any text
        # Longer names are searched first: "error" in "mean squared error" does not count.
        if re.search(rf"\b({pattern})\b", text):
            metrics.add(metric)
            text = re.sub(rf"\b({pattern})\b", "", text)
    return metrics.pop() if len(metrics) == 1 and metrics != {"another"} else ""


@cache
def split_spread(name: str) -> tuple[str, str]:
    """Return the method in the name of a column, and the kind of its number.

    Examples
    --------
    >>> [split_spread(name) for name in ("ours_sd", "mean_test", "ours", "std")]
    [('ours', 'sd'), ('test', 'mean'), ('ours', ''), ('', 'sd')]
    """
    for kind, pattern in _vocabulary()["spreads"].items() if len(name) < LONGEST else ():
        if re.fullmatch(pattern, _key(name)):
            return "", kind
        between = r"[\s_.:/-]+" if kind in ("sd", "mean") else r"[_.]+"
        after = rf"(?P<base>.*?)({between}|\s*(?=\())\(?({pattern})\)?"
        for form in (after, rf"({pattern})[_ ](?P<base>.+)"):
            if match := re.fullmatch(form, name, re.IGNORECASE):
                return match["base"].strip(), kind
    return name, ""


def is_well_known(name: str, kind: str) -> bool:
    """Return whether a widespread method or data set ("methods", "datasets") has this name."""
    return re.fullmatch(_vocabulary()[kind], _key(name)) is not None


def is_misprint(text: str) -> bool:
    """Return whether a text looks like a misprinted number."""
    return re.match(r"\W*\d|.*[^\w.]\d*\.\d", text) is not None


class TableColumn:
    """A column of a grid, and its role."""

    def __init__(self, name: str, cells: Sequence[Text]) -> None:
        self.name, self.cells = name, cells
        self.named = column_role(name)
        # In a column of metrics, Error is not a gap.
        all_texts = filter(None, (c.text for c in cells))
        self.texts = [x for x in all_texts if self.named == "metric" or not is_gap(x)]
        self.is_words = bool(self.texts) and not any(map(is_number, self.texts))
        # Among folds there may be rows of their means.
        texts = [t for t in self.texts if self.named != "fold" or not summary_kind(t)]
        self.is_whole = bool(texts) and all(re.fullmatch(r"[\d,]+", t) for t in texts)
        if self.named == "unclear" and _key(name) == "p" and any(value_of(c) > 1 for c in cells):
            self.named = ""  # p-values are at most 1
        counts = self.named in ("fold", "id", "size", "test size")
        if counts and not (self.is_whole or self.is_words):
            self.named = "unclear" if "size" in self.named and re.search("[ _]", name) else ""
        self.method, self.kind = split_spread(name)
        self.role = ""
        """One of label, fold, value, size, words and out."""

    @property
    def is_spread(self) -> bool:
        """Whether it has the deviations of another column."""
        return self.kind not in ("", "mean")

    @property
    def fault(self) -> int | None:
        """Place of a misprinted number among words, or None."""
        return next((i for i, c in enumerate(self.cells) if is_misprint(c.text)), None)

    def set_role(self, before: Sequence[TableColumn], chosen: Collection[str]) -> None:
        """Set the role, given the columns to the left and the names of the methods."""
        labels_only = all(c.role in ("label", "fold", "out") for c in before)
        if {self.name, self.method} & {*chosen}:
            self.role = "value"
        elif (not before and (not self.name or self.named in ("id", "data sets", "methods"))) or (
            self.is_words and self.named in ("data sets", "methods", "metric")
        ):
            self.role = "label"
        elif self.is_words:
            first = not before or self.fault is None
            self.role = "label" if labels_only and first else "words"
        elif self.named in ("time", "id") or (before and not self.texts):
            self.role = "out"
        else:
            roles = {"fold": "fold", "size": "size", "test size": "size"}
            self.role = roles.get(self.named, "value")


Columns = Sequence[TableColumn]
"""Some of the columns of a table."""

Methods = dict[str, list[TableColumn]]
"""The column of each method, followed by its column of spreads if there is one."""


def read_header(grid: TextGrid) -> tuple[list[str], int]:
    """Return the name of each column, and the number of lines that hold them.

    A name above all columns is a title and joins the lines around the table. Raises ValueError if
    the first line has numbers.
    """
    rows = grid.rows
    first = [c.text for c in rows[0][1:]]
    decimals = any(is_number(text) and re.search("[.,]", text) for text in first)
    corner = rows[0][0].text == "" or column_role(rows[0][0].text) != ""
    if not grid.n_header and (decimals or (all(map(is_number, first)) and not corner)):
        raise ValueError(f"line {grid.lines[0]}: numbers: put a line of names above it")
    n = grid.n_header or 1
    while not grid.n_header and n < len(rows) and _names_on(rows[n - 1], rows[n]):
        n += 1
    header = [[c.text for c in row] for row in rows[:n]]
    for above, below in [] if grid.n_header else pairwise(header):
        # A name above several columns is repeated where the form tells over which it extends.
        spans = any(name and name == next_name for name, next_name in pairwise(above[1:]))
        for j in range(2, 2 if spans else len(above)):
            above[j] = above[j] or (above[j - 1] if below[j] else "")
        repeated = [j for j, name in enumerate(below) if name and below.count(name) > 1]
        if 0 < sum(above[j] != "" for j in repeated) < len(repeated):
            advice = "write each above the first of its columns"
            raise ValueError(f"line {grid.lines[0]}: names above several columns: {advice}")
    is_unique = len({*header[-1]}) == len(header[-1])
    titles = {t for row in header[:-1] for t in row if {*row[1:]} - {"" * is_unique} == {t}}
    grid.around += sorted(titles)
    names: list[str] = []
    for texts in zip(*header, strict=True):
        above = [text for text in texts[:-1] if text not in titles]
        name = " ".join(filter(None, dict.fromkeys([*above, texts[-1]])))
        if not names and names_rows(texts[-1]) and not any(header[-1][1:]):
            name = texts[-1]  # pandas prints the name of the rows below the name of the columns
        elif not names and names_rows(texts[0]) and not names_rows(texts[-1]):
            name = texts[0]
        base, kind = split_spread(name)
        spread = names and kind == "sd" and not base
        names.append(f"{names[-1]}_{kind}" if spread else name)
    return names, n


def _names_on(above: Sequence[Text], row: Sequence[Text]) -> bool:
    """Return whether a row goes on with names, after one that spans columns or lacks the corner."""
    texts = [c.text for c in row[1:] if c.text]
    # A number with a misprint must not become a part of a name; a word such as None may be one.
    gaps = [text for text in texts if is_gap(text)]
    others = [text for text in texts if not re.fullmatch(r"\d+[- ]?shots?(@\d+)?", text.lower())]
    if len(others) < len(texts) and all(map(is_gap, others)):
        return row[0].text in ("", above[0].text)
    numbers = (re.match(r"[^\w(]*\(?[.,]?\d", text) for text in texts)
    if any(numbers) or (gaps and (gaps == texts or not all(map(str.isalpha, gaps)))):
        return False
    names = [c.text for c in above[1:]]
    if not texts:  # the name of an index, below the names of columns
        return above[0].text == "" or names_rows(row[0].text)
    return row[0].text in ("", above[0].text) or "" in names or len({*names}) < len(names)
