"""The page of a results folder, and the index of several: rendered, and written."""

from __future__ import annotations

import base64
import hashlib
import json
import math
import os
import re
import shlex
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property, partial
from pathlib import Path
from typing import Any

import pandas as pd
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from quadrepro.base import files
from quadrepro.base.files import is_regular, read_text, write_text
from quadrepro.base.text import few
from quadrepro.core.metrics import METRICS
from quadrepro.core.training.algorithms import BASELINE
from quadrepro.errors import ConfigError, QuadreproError
from quadrepro.papers.paper import load_paper, paper_names
from quadrepro.papers.printed import MEAN
from quadrepro.results import scoreboard
from quadrepro.results.results import CELLS_HEADER, HOLM, Results, markdown_html, results_folders
from quadrepro.results.run import INDEX, NOTES, PAGE, facts_of, inline
from quadrepro.stats import p_text
from quadrepro.tables.audit import Audit, audit
from quadrepro.tables.conclusion import counts_text
from quadrepro.tables.judge import Verdict, Verdicts, name_of, score_sentence, texts_of
from quadrepro.tables.render import MISSING, decimals, number_text, printed_text, significant

GENERATOR = '<meta name="generator" content="quadrepro">'
"""Marks a page of ours; an index without it is not overwritten."""

RISK, RMSE = "risk", "RMSE"
"""Quantities of the main table, unless the config has another headline."""

MOST_MARKDOWN = 300_000
"""Characters of a Markdown file above which a page links it."""

MOST_DOTS = 200
"""Maximum number of results of a method that the picture shows."""

REACH = 2.0
"""Ends of the picture of printed numbers, in half widths of our intervals."""

PagePlace = tuple[str, str]
"""Data set and algorithm of an entry."""


@dataclass(frozen=True)
class PageEntry:
    """An entry of the main table."""

    mean: float
    """NaN without a result of every split."""
    sd: float
    quantity: str
    printed: str
    """The printed number; empty without one."""
    rank: int
    """1 for the best mean of the row; 0 for the baseline and without a mean."""
    verdict: Verdict | None
    impossible: str
    """Why the printed number is impossible; empty if it is not."""
    percent: bool
    """Whether numbers are shown in percent."""

    @property
    def unit(self) -> str:
        """The quantity with its unit."""
        return self.quantity + " in percent" * self.percent

    @property
    def texts(self) -> list[str]:
        """Mean and, if there is one, standard deviation, rounded for reading."""
        if not math.isfinite(self.mean):
            return [MISSING if math.isnan(self.mean) else "∞"]
        digits = 2 if self.percent else 3
        if self.quantity != RISK and not self.percent:
            digits = max(len(self.printed.partition(".")[2]), decimals([self.mean]))
        numbers = [x for x in (self.mean, self.sd) if not math.isnan(x)]
        return [number_text(x, digits, percent=self.percent) for x in numbers]

    @property
    def printed_text(self) -> str:
        """The printed number as in the paper, with its deviation if that is judged."""
        text = printed_text(self.printed, self.percent)
        if self.verdict is None or self.verdict.deviation is None:
            return text
        return f"{text} ± {printed_text(self.verdict.deviation.printed, self.percent)}"

    @property
    def place(self) -> str:
        """Place of the printed number in our interval; empty if it is not judged."""
        if self.verdict is None or self.verdict.p_value is None or self.verdict.position is None:
            return ""
        position = self.verdict.position
        if self.verdict.word == "outside":
            return "above" if position > 0 else "below"
        return "middle" if abs(position) <= 0.5 else "high" if position > 0 else "low"

    @property
    def deviation_outside(self) -> bool:
        """Whether the printed standard deviation is outside."""
        deviation = self.verdict.deviation if self.verdict else None
        return deviation is not None and deviation.word == "outside"

    def number(self, value: float) -> str:
        """Return a number of the entry with four significant digits."""
        return significant(value, percent=self.percent)


PageDot = tuple[float, str, str]
"""Place from 0 to 100, class and title of a dot of the picture."""


class Page:
    """The content of a page: a results folder, and its paper if it is known."""

    def __init__(self, results: Results, start: Path | None) -> None:
        self.results, self.run = results, results.run
        self.audit = audit_of(self.run.config_text("paper"), start)
        self.metric = self.run.config_text("headline")
        self.claims = results.claims.to_dict("records")
        self.n_splits = results.cells["repeat"].nunique()
        self.rows = [*dict.fromkeys(row for row, _ in self.entries)]
        names = dict.fromkeys(column for _, column in self.entries)
        self.columns = {name: self.run.titles.get(name, name) for name in names}
        self.judged = any(entry.place for entry in self.entries.values())

    @cached_property
    def verdicts(self) -> list[Verdicts]:
        """The verdicts on each printed table.

        A verdict on a deviation belongs to the verdict on its number.
        """
        frame, entries = self.results.verdicts.astype(object), defaultdict[str, list[Verdict]](list)
        for row in frame.where(frame.notna(), None).to_dict("records"):
            keys = ("printed", "ours", "low", "high", "p", "reason")
            place = row["dataset"], row["algorithm"], row["quantity"]
            verdict, before = Verdict(*map(row.get, keys)).at(*place), entries[row["printed table"]]
            if verdict.quantity.startswith("deviation of ") and before:
                before[-1] = replace(before[-1], deviation=verdict)
            else:
                before.append(verdict)
        in_percent = self.results.manifest.percent
        return [Verdicts(name, (*e,), percent=name in in_percent) for name, e in entries.items()]

    @cached_property
    def impossible(self) -> list[tuple[Verdict, bool, str]]:
        """The printed numbers that arithmetic alone refutes, whether in percent, and why."""
        if self.audit is None:
            return []
        certain = {}
        for _, failure in self.audit.failures:
            table, row, column = failure.place
            # Verdicts are on accuracies as errors.
            printed, name = self.audit.paper.printed(table).as_errors(), column.removesuffix(MEAN)
            text = printed.text(row, printed.mean_column(name))
            certain[table, row, name, text] = failure.why
        # A row of ours may be printed under another name.
        datasets = self.run.config.get("datasets")
        names: dict[str, list[str]] = {}
        for entry in datasets if isinstance(datasets, list) else []:
            if isinstance(entry, dict):
                own, *others = [str(entry[k]) for k in ("as", "printed", "name") if entry.get(k)]
                names[own] = others
        return [
            (v, table.percent, certain[place])
            for table in self.verdicts
            for v in table.entries
            for name in dict.fromkeys([v.row, *names.get(v.row, [])])
            if (place := (table.printed, name, v.column, v.printed)) in certain
        ]

    @cached_property
    def entries(self) -> dict[PagePlace, PageEntry]:
        """The entries of the main table: errors, or the headline of the config."""
        metric, frame = METRICS.get(self.metric), self.results.errors
        quantities = [RISK, RMSE]
        if self.metric:
            quantities = [metric.label if metric else self.metric]
        # The RMSE can be asked for as a metric as well.
        kept = frame["quantity"].isin(quantities)
        frame = frame[kept].drop_duplicates(["dataset", "algorithm"])
        # Scorers of scikit-learn are best when highest.
        highest_is_best = metric.greater_is_better if metric else bool(self.metric)
        ranked = frame["mean"].where(frame["algorithm"] != BASELINE).groupby(frame["dataset"])
        ranks = ranked.rank(method="min", ascending=not highest_is_best).fillna(0).astype(int)
        verdicts = {
            (v.row, v.column, v.quantity): (v, table.percent)
            for table in reversed(self.verdicts)
            for v in reversed(table.entries)
        }
        impossible = {(v.row, v.column, v.quantity): why for v, _, why in self.impossible}
        percent = bool(self.results.manifest.percent) and not self.metric
        entries = {}
        for row, rank in zip(frame.to_dict("records"), ranks, strict=True):
            place = row["dataset"], row["algorithm"], row["quantity"]
            numbers = row["mean"], row["sd"], row["quantity"], row["printed"]
            verdict, in_percent = verdicts.get(place, (None, False))
            in_percent |= percent and row["quantity"] == RISK
            # An RMSE has the unit of its target.
            in_percent &= RMSE not in row["quantity"]
            why = impossible.get(place, "")
            entries[place[:2]] = PageEntry(*numbers, rank, verdict, why, in_percent)
        return entries

    def name(self, row: str, column: str) -> str:
        """Return row and column of a printed number, algorithms by their titles."""
        return name_of(row, column, self.run.titles)

    @cached_property
    def picture(self) -> list[tuple[str, list[PageDot]]]:
        """Name and dots of each line: printed numbers by row, or the results of each method."""
        dots: dict[str, list[PageDot]] = {}
        if self.judged:
            for (row, column), entry in self.entries.items():
                if entry.place and entry.verdict is not None:
                    position = min(max(entry.verdict.position or 0.0, -REACH), REACH)
                    place, word = 50 * (1 + position / REACH), entry.verdict.word
                    texts = f"printed {entry.printed_text}, {entry.texts[0]}"
                    dot = place, word, f"{self.columns[column]}: {texts}"
                    dots.setdefault(row, []).append(dot)
            return [*dots.items()]
        if max(map(len, self._points.values()), default=0) < 2:
            return []
        low, high = self._ends
        scale = 100 / (high - low) if high > low else 0.0
        for column, points in self._points.items():
            dots[column] = [(scale * (x - low), "split", text) for x, text in points[:MOST_DOTS]]
        return [(self.columns[column], line) for column, line in dots.items()]

    @cached_property
    def _points(self) -> dict[str, list[tuple[float, str]]]:
        """Number and title of each result by method: ranks of data sets, or splits of one."""
        points: dict[str, list[tuple[float, str]]] = {}
        for (row, column), entry in self.entries.items():
            numbers = {f"{row}: rank {entry.rank}": entry.rank or math.nan}
            if len(self.rows) == 1:
                cells = [(cell["repeat"], cell["shown"]) for cell in self.cells[row, column]]
                numbers = {f"split {i}: {entry.number(x)}": x for i, x in cells}
            finite = [(x, text) for text, x in numbers.items() if math.isfinite(x)]
            if finite:
                points.setdefault(column, []).extend(finite)
        return points

    @property
    def _ends(self) -> tuple[float, float]:
        numbers = [x for points in self._points.values() for x, _ in points]
        return min(numbers), max(numbers)

    @property
    def scale(self) -> list[str]:
        """The labels below the picture of methods: its ends and their unit."""
        low, high = self._ends
        if len(self.rows) > 1:
            return [f"{low:g}", "rank of each data set", f"{high:g}"]
        entry = next(iter(self.entries.values()))
        return [entry.number(low), f"{entry.unit} of each split", entry.number(high)]

    @cached_property
    def times(self) -> list[tuple[str, float, float, float]]:
        """Title, place of the mean time and the error, and how far the title is below it.

        Only for methods on a single data set, in percent of the picture.
        """
        if len(self.rows) != 1 or self.judged or self.run.config_text("paper"):
            return []
        numbers = {}
        for (_, column), entry in self.entries.items():
            seconds = [c["seconds"] for c in self.cells[self.rows[0], column] if c["seconds"] > 0]
            # The baseline is so fast and so bad that all others would be in a corner.
            if seconds and math.isfinite(entry.mean) and column != BASELINE:
                mean = math.log(sum(seconds) / len(seconds))
                numbers[self.columns[column]] = mean, entry.mean
        if len(numbers) < 2:
            return []
        (left, right), (low, high) = ((min(x), max(x)) for x in zip(*numbers.values(), strict=True))
        places, line, last = [], min(8.0, 100 / len(numbers)), -100.0
        for name, (x, y) in sorted(numbers.items(), key=lambda item: -item[1][1]):
            top = 100 - _share(y, low, high)
            last = max(top, last + line)
            places.append((name, _share(x, left, right), top, last - top))
        return places

    @property
    def lines(self) -> list[str]:
        """The sentences at the top of the page, without p-values."""
        lines = []
        if self.n_splits == 1 and self.verdicts:
            command = self.command("run", "--repeats", "30")
            lines.append(f"One split cannot judge a printed number; more can: {command}")
        for score in scoreboard.scores_of(self.results):
            if score["judged"]:
                line, _, _ = score_sentence(score).rpartition(" (p")
                names = [self.name(*place) for place in score[HOLM]] or ["none"]
                outside = few(names, between="; ")
                lines.append(f"{line}. Outside after Holm's correction: {outside}.")
        if self.impossible:
            texts = [
                f"{self.name(v.row, v.column)} ({printed_text(v.printed, percent)})"
                for v, percent, _ in self.impossible
            ]
            lines.append(f"Impossible as printed: {few(texts, between='; ')}.")
        if self.claims:
            lines += claims_sentences([self.results.claims])[:1]
        frame, best = self.results.comparisons, self.run.best
        if self.run.conclusion and not self.run.config_text("paper"):
            first = self.run.conclusion.partition(". ")[0].removesuffix(".")
            lines.append(f"Best: {self.columns.get(best, best)}." if best else f"{first}.")
            pairs = frame[(frame["algorithm"] == best) & (frame["p adjusted"] != "")]
            for text, is_worse in (("Not significantly different", False), ("Worse", True)):
                others = pairs[(pairs["winner"] == best) == is_worse]["against"]
                if len(others):
                    lines.append(f"{text}: {few([self.columns.get(o, o) for o in others], 8)}.")
        return lines[:4]

    @property
    def outside(self) -> list[tuple[Verdict, bool]]:
        """The numbers and deviations outside, and whether in percent, lowest p-value first."""
        outside = [(v, table.percent) for table in self.verdicts for v in table.outside_numbers]
        outside = [pair for pair in outside if None not in (pair[0].ours, pair[0].low)]
        return sorted(outside, key=lambda pair: pair[0].p_value or 0.0)

    def table(self, name: str) -> Markup:
        """Return a table with its notes, without its title; empty if its file is missing."""
        path = self.results.folder / f"{name}.md"
        _, _, text = (read_text(path) if is_regular(path) else "").partition("\n")
        return _html(text, path.name)

    @cached_property
    def sections(self) -> tuple[Markup, Markup]:
        """The notes on numbers that differ, and all others below a heading of the page."""
        points, others = scoreboard.read_notes(self.results)
        rest = re.sub(r"\A# .*", "", others).strip()
        return _html(points, NOTES), _html(re.sub("^#", "##", rest, flags=re.M), NOTES)

    def command(self, verb: str, *arguments: str) -> str:
        """Return a command with the config of the folder."""
        name, out = self.results.name, Path(os.path.normpath(self.results.folder / os.pardir))
        config = name if (files.configs_folder() / f"{name}.yaml").is_file() else f"{name}.yaml"
        # The folder that has the records, if it is not the default one.
        has_records = (out / files.RECORDS).is_dir()
        option = ["--out", str(out)] if has_records and out != Path(files.RESULTS) else []
        return shlex.join(["quadrepro", verb, config, *arguments, *option])

    @cached_property
    def cells(self) -> dict[PagePlace, list[dict[str, Any]]]:
        """The splits behind each entry, with the value whose mean the main table has."""
        frame = self.results.cells
        metrics = [*frame][len(CELLS_HEADER) :]
        values = frame[self.metric if self.metric in metrics else "value"]
        cells: dict[PagePlace, list[dict[str, Any]]] = {place: [] for place in self.entries}
        for cell in frame.assign(shown=values).to_dict("records"):
            place = cell["dataset"], cell["algorithm"]
            if place in cells:
                cells[place].append(cell)
        return cells


def _share(value: float, low: float, high: float) -> float:
    """Return the place of a value between two others, from 5 to 95."""
    return 5 + 90 * (value - low) / (high - low) if high > low else 50.0


def audit_of(paper: str, start: Path | None) -> Audit | None:
    """Return the audit of a paper that ships or is next to a config, or None if it is unknown."""
    if not paper or not (start or paper in paper_names()):
        return None
    try:
        return audit(load_paper(paper, start or Path()))
    except ConfigError:
        return None


def claims_sentences(claims: Sequence[pd.DataFrame]) -> list[str]:
    """Return the number of claims by judgement, those on measured times apart."""
    counts = (scoreboard.words_of(claims, timed) for timed in (False, True))
    starts = zip(("Claims", "Claims on measured times"), counts, strict=True)
    return [f"{start}: {counts_text(words)}." for start, words in starts if words]


def _html(text: str, file: str) -> Markup:
    """Return Markdown of a file as HTML; a link to the file if it is too large."""
    large = f"[{file}]({file}) is too large for this page."
    return Markup(markdown_html(text if len(text) <= MOST_MARKDOWN else large))


def _data_uri(path: Path) -> str:
    """Return the address of a figure that is part of a page; empty if it is not an SVG file."""
    if path.suffix != ".svg" or not is_regular(path):
        return ""
    return f"data:image/svg+xml;base64,{base64.b64encode(files.read_bytes(path)).decode()}"


@cache
def _templates() -> Environment:
    loader = PackageLoader("quadrepro.results")
    options: Any = {"autoescape": True, "trim_blocks": True, "lstrip_blocks": True}
    templates = Environment(loader=loader, undefined=StrictUndefined, **options)
    style, script = (loader.get_source(templates, f"page.{e}")[0] for e in ("css", "js"))
    templates.globals |= {
        "generator": Markup(GENERATOR),
        "style": Markup(style),
        "script": Markup(script),
        # A page runs its own script alone, whatever the names in it are.
        "script_hash": base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
        "config_text": partial(json.dumps, indent=2, ensure_ascii=False),
        "data_uri": _data_uri,
        "page_name": PAGE,
        "scoreboard": scoreboard,
        **{f.__name__: f for f in (p_text, texts_of, facts_of, inline, claims_sentences)},
    }
    return templates


def page_html(results: Results, start: Path | None = None) -> str:
    """Return the page of a results folder; a paper of the user's own is next to its config."""
    return _templates().get_template("page.html.j2").render(page=Page(results, start))


def index_html(every: Sequence[Results]) -> str:
    """Return the index of some results folders."""
    return _templates().get_template("index.html.j2").render(boards=scoreboard.read_boards(every))


def write_report(path: Path, start: Path | None = None) -> tuple[Path, list[QuadreproError]]:
    """Write the page of a results folder and the index; return the faults of the index."""
    write_text(path / PAGE, page_html(Results(path), start))
    return path / PAGE, _write_index(path.resolve().parent)


def write_all(out: Path) -> tuple[Path, list[QuadreproError]]:
    """Write the pages of all results folders below a folder, and their index."""
    faults = list[QuadreproError]()
    for path in results_folders(out):
        try:
            write_text(path / PAGE, page_html(Results(path)))
        except QuadreproError as error:
            faults.append(error)
    return out / INDEX, faults + _write_index(out)


def _write_index(out: Path) -> list[QuadreproError]:
    """Write the index, and return the faults of folders that it leaves out, or its own."""
    index = out / INDEX
    if index.is_file() and GENERATOR.encode() not in index.read_bytes():
        return [ConfigError(f"{index} was not written by quadrepro and stays as it is")]
    every, faults = list[Results](), list[QuadreproError]()
    for results in map(Results, results_folders(out)):
        try:
            _ = results.manifest, results.run, results.cells, results.scores, results.claims
            every.append(results)
        except QuadreproError as error:
            faults.append(error)
    write_text(index, index_html(every))
    return faults
