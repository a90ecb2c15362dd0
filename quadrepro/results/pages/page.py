"""The page of a results folder."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from markupsafe import Markup

from quadrepro.base.resources import configs_folder
from quadrepro.papers.paper import Paper
from quadrepro.results.pages.claims import LedgerClaim, count_claims, make_ledger, render
from quadrepro.results.pages.entries import (
    BUCKETS,
    MARKS,
    PERCENT,
    RATE,
    RMSE,
    Grid,
    dialogs,
    make_grid,
)
from quadrepro.results.pages.figures import Caterpillar, Figure, make_caterpillars, make_figures
from quadrepro.results.pages.folder import Folder
from quadrepro.results.pages.prose import notes_html, table_html
from quadrepro.results.scoreboard import FAILS
from quadrepro.tables.verdicts import Verdict


@dataclass(frozen=True)
class Made:
    """Cells that were computed alike.

    Attributes
    ----------
    version : str
        Of quadrepro; empty if it is not known.
    facts : tuple of (str, str)
        Name and text of each fact.
    """

    version: str
    facts: tuple[tuple[str, str], ...]


def made_with(run: dict[str, Any]) -> list[Made]:
    """Return with what the cells were computed; what is not as quadrepro writes it is left out."""
    found = run.get("computed")
    return [_made(e) for e in found if isinstance(e, dict)] if isinstance(found, list) else []


def _made(entry: dict[str, Any]) -> Made:
    versions, git = _mapping(entry.get("versions")), _mapping(entry.get("git"))
    processor = _mapping(entry.get("processor"))
    simd = processor.get("simd")
    words = [processor.get("machine", ""), *(simd if isinstance(simd, list) else [])]
    dirty = ", with changes that were not committed" if git.get("dirty") else ""
    loops = "compiled" if entry.get("compiled") else "not compiled"
    facts = {
        "Cells": entry.get("cells", ""),
        "Computed": " to ".join(_time(entry[k]) for k in ("first", "last") if k in entry),
        "Commit": f"{git['commit']}{dirty}" if git.get("commit") else "",
        "Versions": ", ".join(f"{name} {version}" for name, version in versions.items()),
        "System": entry.get("system", ""),
        "Processor": ", ".join(str(word) for word in words if word),
        "Loops": loops if "compiled" in entry else "",
    }
    known = tuple((name, str(text)) for name, text in facts.items() if str(text))
    return Made(str(versions.get("quadrepro", "")), known)


def _mapping(data: Any) -> dict[str, Any]:
    return data if isinstance(data, dict) else {}


def _time(date: Any) -> str:
    """Return a date to the minute."""
    return f"{str(date)[:16].replace('T', ' ')} UTC"


PAGE = "report.html"
"""Name of the page in the results folder."""

COPIED = 60_000
"""Bytes up to which a table's CSV or LaTeX can be copied; larger ones are linked."""

MOST_MARKDOWN = 300_000
"""Characters of all tables of a page together, and of its notes; those beyond are linked."""

FIRST = ("risks", "means")
"""Tables that the main table shows already, with more about each entry."""


@dataclass(frozen=True)
class TableSection:
    """A table as its file has it, with its notes and what can be copied."""

    name: str
    title: str
    table: Markup
    notes: Markup
    files: tuple[str, ...]
    copied: tuple[str, ...]


class Page:
    """What the template of a page shows.

    Parameters
    ----------
    folder : Folder
        The results.
    paper : Paper or None
        The paper that they reproduce, if it is known.
    """

    def __init__(self, folder: Folder, paper: Paper | None) -> None:
        self.folder = folder
        self.paper = paper
        self.buckets, self.marks = BUCKETS, MARKS

    @cached_property
    def grid(self) -> Grid:
        """The main table."""
        return make_grid(self.folder)

    @cached_property
    def cell_numbers(self) -> dict[tuple[str, str], int]:
        """Number of each entry in what the script reads."""
        return {place: i for i, place in enumerate(self.grid.entries)}

    @cached_property
    def row_numbers(self) -> dict[str, int]:
        """Number of each row, from 1."""
        return {name: i for i, name in enumerate(self.grid.rows, 1)}

    @cached_property
    def column_numbers(self) -> dict[str, int]:
        """Number of each column, from 1."""
        return {name: i for i, name in enumerate(self.grid.columns, 1)}

    @cached_property
    def claims(self) -> list[LedgerClaim]:
        """The claims of the paper."""
        return make_ledger(self.folder, self.paper, self.grid.rows, self.grid.columns)

    @property
    def claim_counts(self) -> dict[str, int]:
        """How many of them hold, do not and cannot be judged."""
        return count_claims(claim.ours.verdict for claim in self.claims)

    @cached_property
    def figures(self) -> list[Figure]:
        """The figures of the folder."""
        return make_figures(self.folder)

    @property
    def figures_first(self) -> bool:
        """Whether the results are a figure before all."""
        return next(iter(self.folder.manifest.tables), "") in self.folder.manifest.figures

    @cached_property
    def caterpillars(self) -> list[Caterpillar]:
        """A plot of the printed numbers per printed table."""
        return make_caterpillars(self.folder.verdicts)

    @cached_property
    def scores(self) -> list[dict[str, str]]:
        """The printed tables that are judged, each as a whole."""
        return [row for row in self.folder.score if int(row["inside"]) + int(row["outside"])]

    @cached_property
    def surely_off(self) -> dict[str, list[str]]:
        """Entries that are off even if all are counted, by printed table."""
        found = {}
        # Under the titles of the columns, which score.csv does not know.
        names = {f"{v.row}, {v.column}": self.place(v) for _, v in self.folder.verdicts}
        for row in self.scores:
            off = row["surely off"].split("; ") if row["surely off"] else []
            found[row["printed table"]] = [names.get(name, name) for name in off]
        return found

    def is_surely_off(self, verdict: Verdict) -> bool:
        """Return whether an entry is off even if all are counted."""
        return self.place(verdict) in self._off

    @cached_property
    def _off(self) -> frozenset[str]:
        return frozenset().union(*self.surely_off.values())

    def place(self, verdict: Verdict) -> str:
        """Return data set and algorithm of a verdict."""
        return f"{verdict.row}, {self.grid.columns.get(verdict.column, verdict.column)}"

    @property
    def outside(self) -> list[Verdict]:
        """The printed numbers that are outside, the farthest first."""
        found = [verdict for _, verdict in self.folder.verdicts if verdict.word == "outside"]
        return sorted(found, key=lambda v: (v.p_value or 0.0, -abs(v.position or 0.0)))

    @property
    def failing(self) -> list[LedgerClaim]:
        """The claims that do not hold."""
        return [claim for claim in self.claims if claim.ours.verdict == FAILS]

    @cached_property
    def notes(self) -> tuple[Markup, Markup]:
        """What does not reproduce, and all other notes."""
        text = self.folder.text("notes.md")
        if len(text) > MOST_MARKDOWN:
            text = "[notes.md](notes.md) is too large to be shown here."
        return notes_html(text, {t.name for t in self.tables})

    @cached_property
    def tables(self) -> list[TableSection]:
        """The tables of the folder but for that of claims, which the ledger shows."""
        left, found = MOST_MARKDOWN, []
        for name, files in self.folder.manifest.tables.items():
            markdown = next((n for n in files.files if n.endswith(".md")), "")
            if (name == "claims" and self.claims) or not (text := self.folder.text(markdown)):
                continue
            if len(text) > left:
                text = "This table is too large to be shown here."
            left -= len(text)
            table, notes = table_html(text, files.title)
            others = tuple(n for n in files.files if n != markdown and self.folder.content(n))
            copied = tuple(n for n in others if len(self.folder.content(n)) <= COPIED)
            title = files.title.removeprefix(f"{self.folder.title}: ")
            title = title[:1].upper() + title[1:]
            found.append(TableSection(name, title, table, notes, (markdown, *others), copied))
        return found

    @property
    def rows_are_datasets(self) -> bool:
        """Whether there is one row per data set."""
        datasets = self.folder.settings.get("datasets")
        return isinstance(datasets, list) and len(datasets) == len(self.grid.rows)

    @property
    def quantities(self) -> str:
        """What the main table shows."""
        words = {RATE: "test risks", PERCENT: "test errors in percent", RMSE: "test RMSE"}
        text = ", or ".join(words[unit] for unit in words if unit in self.grid.units)
        return text[:1].upper() + text[1:]

    @property
    def counts(self) -> tuple[int, int]:
        """The number of cells, and of those without a result."""
        splits = [split for of_entry in self.folder.cells.values() for split in of_entry]
        return len(splits), sum(split.value is None for split in splits)

    @property
    def made(self) -> list[Made]:
        """With what the cells were computed."""
        return made_with(self.folder.run)

    @property
    def config_text(self) -> str:
        """The config as the folder keeps it."""
        settings = self.folder.settings
        return json.dumps(settings, indent=2, ensure_ascii=False) if settings else ""

    @property
    def command(self) -> str:
        """The command that computes all of it."""
        return shlex.join(["quadrepro", "run", self._config])

    def entry_command(self, place: tuple[str, str]) -> str:
        """Return the command that computes an entry again."""
        row, column = place
        return shlex.join(["quadrepro", "explain", self._config, row, column, "--recompute"])

    @property
    def _config(self) -> str:
        name = self.folder.name
        return name if (configs_folder() / f"{name}.yaml").is_file() else f"{name}.yaml"

    @property
    def data(self) -> dict[str, str]:
        """Hash of the data of each row."""
        found = self.folder.run.get("data")
        return {str(k): str(v) for k, v in found.items()} if isinstance(found, dict) else {}

    @property
    def embedded(self) -> Mapping[str, Any]:
        """What the script of the page reads."""
        commands = {place: self.entry_command(place) for place in self.grid.entries}
        files = {name: self.folder.text(name) for table in self.tables for name in table.copied}
        return {**dialogs(self.grid, commands), "data": self.data, "files": files}

    @property
    def bibtex(self) -> str:
        """How to cite these results."""
        known = self.made[0].version if self.made else ""
        version = f",\n  version = {{{known}}}" if known else ""
        return (
            f"@software{{quadrepro,\n  title = {{quadrepro: reproduced tables of boosting papers}}"
            f"{version},\n  note = {{Experiment {self.folder.name}}}\n}}"
        )


def page_html(folder: Folder, paper: Paper | None = None) -> str:
    """Return the page of a results folder; the same folder gives the same text."""
    return render("page.html.j2", page=Page(folder, paper))


def page_of(folder: Path) -> Path:
    """Return where the page of a results folder is written."""
    return folder / PAGE
