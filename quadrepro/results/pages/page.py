"""The page of a results folder: its tables, its figures as images, and its plot of intervals."""

from __future__ import annotations

import base64
import json
import os
import re
import shlex
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from statistics import NormalDist
from typing import Any

from markupsafe import Markup
from pydantic import ValidationError

from quadrepro.base.files import is_regular
from quadrepro.base.resources import RECORDS, RESULTS, configs_folder
from quadrepro.core.protocol import SplitRule
from quadrepro.papers.paper import Paper
from quadrepro.results.folder import (
    FAILS,
    HOLDS,
    MANIFEST,
    NOTES,
    OPEN,
    ClaimRow,
    Environment,
    Folder,
    Place,
    Score,
    read_folder,
)
from quadrepro.results.markdown import notes_html, table_html
from quadrepro.results.pages.entries import (
    BUCKETS,
    MARKS,
    PERCENT,
    RATE,
    RMSE,
    ResultGrid,
    dialogs,
    make_grid,
)
from quadrepro.stats import COVERAGE, LEVEL
from quadrepro.tables.notes import listed, splits_word
from quadrepro.tables.verdicts import Verdict

PAGE = "report.html"
"""Name of the page in the results folder."""

COPIED = 60_000
"""Bytes up to which a table's CSV can be copied; larger ones are linked."""

MOST_MARKDOWN = 300_000
"""Characters of all tables of a page together, and of its notes; those beyond are linked."""


def score_sentence(score: Score) -> str:
    """Return in a sentence how the printed numbers of a table compare with ours."""
    name = re.sub(r"^(table|figure)(?=\d)", lambda word: f"{word[0].title()} ", score.printed)
    of = f"of {score.judged} printed numbers of {name}"
    are = f"{'is' if score.outside == 1 else 'are'} outside"
    more, fewer = score.p_more, score.p_fewer
    if more is not None and more <= LEVEL:
        return f"{score.outside} {of} {are}, more than chance explains (p {_compared(more)})."
    text = f"{score.inside} {of} hold"
    if fewer is not None and fewer <= LEVEL:
        return f"{text}, more than chance would leave inside (p {_compared(fewer)})."
    if not score.outside or more is None:
        return f"{text}."
    return f"{text}; {score.outside} {are}, which chance explains (p {_compared(more)})."


def _compared(p: float) -> str:
    return "< 0.001" if p < 0.001 else f"= {p:.3f}"


def claims_sentence(fates: Mapping[str, int]) -> str:
    """Return in a sentence what becomes of the claims."""
    n = sum(fates.values())
    parts = [f"{fates[HOLDS]} of {n} claim{'s' * (n != 1)} hold{'s' * (n == 1)}"]
    if k := fates[FAILS]:
        parts.append(f"{k} do{'es' * (k == 1)} not")
    if k := fates[OPEN]:
        parts.append(f"{k} {'is' if k == 1 else 'are'} not decided")
    return ", ".join(parts) + "."


def finding(folder: Folder) -> str:
    """Return in a sentence or two what was found, for lists of experiments."""
    if folder.run.conclusion:
        return re.split(r"(?<=\.) (?=Not told|Worse|By |Without)", folder.run.conclusion)[0]
    found = [score_sentence(score) for score in folder.scores if score.judged]
    if folder.fates:
        found.append(claims_sentence(folder.fates))
    return " ".join(found) or _lowest(make_grid(folder))


def _lowest(grid: ResultGrid) -> str:
    """Return in a sentence which algorithm is lowest in most rows; empty without results."""
    first = Counter(e.column for e in grid.entries.values() if e.rank == 1)
    if not first or len(grid.columns) < 2:
        return ""
    most = max(first.values())
    best = [title for name, title in grid.columns.items() if first[name] == most]
    n, verb = len(grid.rows), "has" if len(best) == 1 else "each have"
    return f"{listed(best)} {verb} the lowest mean in {most} of {n} row{'s' * (n != 1)}."


@dataclass(frozen=True)
class TableSection:
    """A table of a page with its files, and those of them whose text can be copied."""

    name: str
    title: str
    """Without that of the experiment."""
    table: Markup
    notes: Markup
    files: tuple[str, ...]
    copied: tuple[str, ...]


class Page:
    """What the template of a page shows of a folder, and of its paper if that is known."""

    def __init__(self, folder: Folder, paper: Paper | None) -> None:
        self.folder = folder
        self.paper = paper
        self.buckets, self.marks = BUCKETS, MARKS
        self.grid = make_grid(folder)
        self.cell_numbers = {place: i for i, place in enumerate(self.grid.entries)}
        self.figures = make_figures(folder)
        self.caterpillars = make_caterpillars(folder.verdicts)
        self.scores = [score for score in folder.scores if score.judged]

    def mentioned(self, claim: ClaimRow) -> dict[str, str]:
        """Return the columns and rows of the main table that a claim is about, by their ids."""
        words = self._declared.get(claim.text, set())
        columns = enumerate(self.grid.columns.items(), 1)
        found = {f"column-{i}": title for i, (name, title) in columns if name in words}
        rows = enumerate(self.grid.rows, 1)
        return found | {f"row-{i}": name for i, name in rows if name in words}

    @cached_property
    def _declared(self) -> dict[str, set[str]]:
        """The words of each claim that ``paper.yaml`` declares, by its text."""
        group = self.paper.groups.get(self.folder.run.claims) if self.paper else None
        claims = group.claims if group else ()
        return {claim.text: _words(claim.model_dump(exclude_unset=True)) for claim in claims}

    @cached_property
    def surely_off(self) -> dict[str, list[str]]:
        """Entries that are off even if all are counted, by printed table."""
        return {
            score.printed: [self.place(*place) for place in score.surely_off]
            for score in self.scores
        }

    def fitted(self, score: Score) -> tuple[str, Score] | None:
        """Return the reading that fits a printed table best, if its folder is beside this one."""
        facts = self.paper.file.printed.get(score.printed) if self.paper else None
        path = self.folder.path.parent / facts.fits if facts and facts.fits else self.folder.path
        if path == self.folder.path or not is_regular(path / MANIFEST):
            return None
        found = [own for own in read_folder(path).scores if own.printed == score.printed]
        return (path.name, found[0]) if found else None

    def is_surely_off(self, verdict: Verdict) -> bool:
        """Return whether an entry is off even if all are counted."""
        place = self.place(verdict.row, verdict.column)
        return any(place in names for names in self.surely_off.values())

    def place(self, row: str, column: str) -> str:
        """Return row and column of an entry, algorithms by their titles."""
        titles = self.grid.columns
        return f"{titles.get(row, row)}, {titles.get(column, column)}"

    @property
    def outside(self) -> list[Verdict]:
        """The printed numbers that are outside, the farthest first."""
        found = [verdict for _, verdict in self.folder.verdicts if verdict.word == "outside"]
        return sorted(found, key=lambda v: (v.p_value or 0.0, -abs(v.position or 0.0)))

    @property
    def failing(self) -> list[ClaimRow]:
        """The claims that do not hold."""
        return [claim for claim in self.folder.claims if claim.fate == FAILS]

    @cached_property
    def notes(self) -> tuple[Markup, Markup]:
        """What does not reproduce, and all other notes."""
        text = self.folder.text(NOTES)
        if len(text) > MOST_MARKDOWN:
            text = f"[{NOTES}]({NOTES}) is too large to be shown here."
        return notes_html(text, {t.name for t in self.tables})

    @cached_property
    def tables(self) -> list[TableSection]:
        """The tables of the folder but for that of claims, which the ledger shows."""
        left, found = MOST_MARKDOWN, []
        for name, files in self.folder.manifest.tables.items():
            markdown = next((n for n in files.files if n.endswith(".md")), "")
            text = self.folder.text(markdown)
            if not text or (name == "claims" and self.folder.claims):
                continue
            if len(text) > left:
                text = "This table is too large to be shown here."
            left -= len(text)
            others = tuple(n for n in files.files if n != markdown and self.folder.content(n))
            copied = tuple(n for n in others if len(self.folder.content(n)) <= COPIED)
            title = files.title.removeprefix(f"{self.folder.title}: ")
            title = title[:1].upper() + title[1:]
            names = (markdown, *others)
            shown = table_html(text, files.title)
            found.append(TableSection(name, title, *shown, names, copied))
        return found

    @property
    def rows_are_datasets(self) -> bool:
        """Whether there is one row per data set."""
        datasets = self.folder.run.config.get("datasets")
        return isinstance(datasets, list) and len(datasets) == len(self.grid.rows)

    @property
    def splits(self) -> str:
        """The number of splits and what they are, as far as this version knows the config."""
        protocol, n = self.folder.run.config.get("protocol"), self.grid.n_splits
        try:
            split = protocol.get("split", {}) if isinstance(protocol, dict) else {}
            word = splits_word(SplitRule.model_validate(split))
        except ValidationError:
            word = "splits"
        if n == 1:
            return f"1 {word.removesuffix('s')}"
        return f"{n} {word}" + ", each tested once" * (word == "folds")

    @property
    def quantities(self) -> str:
        """What the main table shows."""
        words = {RATE: "test risks", PERCENT: "test errors in percent", RMSE: "test RMSE"}
        text = ", or ".join(words[unit] for unit in words if unit in self.grid.units)
        return text[:1].upper() + text[1:]

    @property
    def facts(self) -> list[dict[str, str]]:
        """With what the cells were computed: text of each fact by its name."""
        return [facts_of(environment) for environment in self.folder.run.computed]

    @property
    def config_text(self) -> str:
        """The config as the folder keeps it."""
        config = self.folder.run.config
        return json.dumps(config, indent=2, ensure_ascii=False) if config else ""

    @property
    def command(self) -> str:
        """The command that computes all of it."""
        return shlex.join(["quadrepro", "run", self._config, *self._out])

    def entry_command(self, place: Place) -> str:
        """Return the command that computes an entry again."""
        row, column = place
        words = ["quadrepro", "explain", self._config, row, column, "--recompute"]
        return shlex.join([*words, *self._out])

    @property
    def _config(self) -> str:
        name = self.folder.name
        return name if (configs_folder() / f"{name}.yaml").is_file() else f"{name}.yaml"

    @property
    def _out(self) -> list[str]:
        """The option for the folder that has the records, if it is not the default one."""
        out = Path(os.path.normpath(self.folder.path / os.pardir))
        return ["--out", str(out)] if out != Path(RESULTS) and (out / RECORDS).is_dir() else []

    @property
    def embedded(self) -> Mapping[str, Any]:
        """What the script of the page reads."""
        commands = {place: self.entry_command(place) for place in self.grid.entries}
        files = {name: self.folder.text(name) for table in self.tables for name in table.copied}
        return {**dialogs(self.grid, commands), "data": self.folder.run.data, "files": files}

    @property
    def bibtex(self) -> str:
        """How to cite these results."""
        computed = self.folder.run.computed
        known = computed[0].versions.get("quadrepro") if computed else ""
        version = f",\n  version = {{{known}}}" if known else ""
        return (
            f"@software{{quadrepro,\n  title = {{quadrepro: reproduced tables of boosting papers}}"
            f"{version},\n  note = {{Experiment {self.folder.name}}}\n}}"
        )


def facts_of(environment: Environment) -> dict[str, str]:
    """Return what is known of how cells were computed, text by name."""
    git, processor = environment.git, environment.processor
    dirty = ", with changes that were not committed" if git.dirty else ""
    dates = [date for date in (environment.first, environment.last) if date]
    facts = {
        "Cells": "" if environment.cells is None else str(environment.cells),
        "Computed": " to ".join(f"{date[:16].replace('T', ' ')} UTC" for date in dates),
        "Commit": f"{git.commit}{dirty}" if git.commit else "",
        "Versions": ", ".join(f"{name} {of}" for name, of in environment.versions.items()),
        "System": environment.system,
        "Processor": ", ".join(word for word in (processor.machine, *processor.simd) if word),
        "Loops": {None: "", True: "compiled", False: "not compiled"}[environment.compiled],
    }
    return {name: text for name, text in facts.items() if text}


def _words(data: Any) -> set[str]:
    """Return all texts within a declared claim."""
    if isinstance(data, dict):
        data = list(data.values())
    if isinstance(data, list | tuple):
        return set().union(*map(_words, data))
    return {data} if isinstance(data, str) else set()


LARGEST = 1_200_000
"""Bytes of all figures of a page together; those beyond are linked instead."""

MOST = 20
"""Number of figures of a page; those beyond are linked."""

_PATH = re.compile(r'(?<= d=")[^"]*')
_DIGITS = re.compile(r"(\.\d)\d+")


@dataclass(frozen=True)
class Figure:
    """A figure of a page."""

    name: str
    """Name of its files without ending."""
    title: str
    """Title of the table of that name, or of the folder; also the alternative text."""
    source: str
    """The image as a data URI; empty if it is too large or not there."""
    files: tuple[str, ...]
    timed: bool
    """Whether it shows measured times."""


def make_figures(folder: Folder) -> list[Figure]:
    """Return the figures of a results folder, as far as they fit into a page."""
    left, found = LARGEST, []
    tables = folder.manifest.tables
    for i, (name, files) in enumerate(folder.manifest.figures.items()):
        source = _source(folder.text(f"{name}.svg")) if i < MOST else ""
        if len(source) > left:
            source = ""
        left -= len(source)
        title = tables[name].title if name in tables else f"{folder.title}: {name}"
        found.append(Figure(name, title, source, files.files, files.timed))
    return found


def _source(text: str) -> str:
    """Return an SVG as a data URI, unless it is too large."""
    # A larger one would not fit with one decimal either.
    if not 0 < len(text) <= 4 * LARGEST:
        return ""
    return f"data:image/svg+xml;base64,{base64.b64encode(_smaller_svg(text).encode()).decode()}"


def _smaller_svg(text: str) -> str:
    """Return an SVG of matplotlib with one decimal in paths, which is a tenth of a point."""

    def round_off(path: re.Match[str]) -> str:
        return _DIGITS.sub(r"\1", " ".join(path[0].split()))

    before, _, rest = text.partition("<metadata>")
    _, closed, after = rest.partition("</metadata>")
    return _PATH.sub(round_off, before + after if closed else text)


PLOT_WIDTH, HEIGHT = 760.0, 280.0
"""Of the plot, in its own units."""

LEFT, RIGHT, TOP, BOTTOM = 44.0, 12.0, 14.0, 34.0
"""Of its margins."""

FARTHEST = 3.0
"""Positions beyond are drawn at the edge."""


@dataclass(frozen=True)
class Dot:
    """A printed number: where it is drawn, its kind of mark and what it is called."""

    x: float
    y: float
    mark: str
    name: str


@dataclass(frozen=True)
class Caterpillar:
    """A plot with its geometry."""

    printed: str
    """Name of the printed table."""
    dots: tuple[Dot, ...]
    """One per judged number, from the lowest position to the highest."""
    expected: str
    """Points of the line on which the dots are on average if print and we share a distribution."""
    ticks: tuple[tuple[float, str], ...]
    """Vertical place and text of each."""
    band: tuple[float, float]
    """Vertical ends of the interval."""
    summary: str
    """What it shows, in words."""

    width, height = PLOT_WIDTH, HEIGHT
    left, right, bottom = LEFT, PLOT_WIDTH - RIGHT, HEIGHT - BOTTOM


def make_caterpillars(verdicts: Sequence[tuple[str, Verdict]]) -> list[Caterpillar]:
    """Return one plot per printed table that has judged numbers."""
    found: dict[str, list[Verdict]] = {}
    for printed, verdict in verdicts:
        if verdict.p_value is not None and verdict.position is not None:
            found.setdefault(printed, []).append(verdict)
    return [_caterpillar(printed, judged) for printed, judged in found.items()]


def _caterpillar(printed: str, verdicts: list[Verdict]) -> Caterpillar:
    ordered = sorted(verdicts, key=lambda v: (v.position or 0.0, v.row, v.column, v.quantity))
    several = len({v.quantity for v in ordered}) > 1
    step = (PLOT_WIDTH - LEFT - RIGHT) / len(ordered)
    xs = [round(LEFT + (i + 0.5) * step, 1) for i in range(len(ordered))]
    # A distance of 1 is half the interval, which a normal distribution leaves in 1 - COVERAGE.
    normal = NormalDist(sigma=1 / NormalDist().inv_cdf((1 + COVERAGE) / 2))
    average = (normal.inv_cdf((i + 0.5) / len(xs)) for i in range(len(xs)))
    return Caterpillar(
        printed,
        tuple(_dot(x, verdict, several) for x, verdict in zip(xs, ordered, strict=True)),
        " ".join(f"{x:g},{_y(value):g}" for x, value in zip(xs, average, strict=True)),
        tuple((_y(tick), f"{tick:+d}" if tick else "0") for tick in range(-3, 4)),
        (_y(1), _y(-1)),
        _summary(ordered),
    )


def _dot(x: float, verdict: Verdict, several: bool) -> Dot:
    position = verdict.position or 0.0
    mark = "inside" if verdict.word == "inside" else "above" if position > 0 else "below"
    quantity = f", {verdict.quantity}" if several else ""
    place = f"{verdict.row}, {verdict.column}{quantity}"
    name = f"{place}: printed {verdict.printed}, position {verdict.position_text}"
    return Dot(x, _y(position), mark, name)


def _summary(ordered: list[Verdict]) -> str:
    outside = [v for v in ordered if v.word == "outside"]
    above = sum((v.position or 0.0) > 0 for v in outside)
    return (
        f"{len(ordered)} printed numbers: {len(ordered) - len(outside)} inside our intervals, "
        f"{len(outside) - above} outside below, {above} outside above."
    )


def _y(position: float) -> float:
    shown = max(-FARTHEST, min(FARTHEST, position))
    return round(TOP + (FARTHEST - shown) / (2 * FARTHEST) * (HEIGHT - TOP - BOTTOM), 1)
