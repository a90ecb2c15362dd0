"""The page of a results folder, and the index of several: rendered, and written."""

from __future__ import annotations

import base64
import hashlib
import json
import math
import os
import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property, partial
from pathlib import Path
from typing import Any

import pandas as pd
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from quadrepro.base.files import is_regular, read_bytes, read_text, write_text
from quadrepro.base.resources import RECORDS, RESULTS, configs_folder
from quadrepro.base.text import few
from quadrepro.config.checks import MAX_CELLS
from quadrepro.core.learners.registry import BASELINE
from quadrepro.engine.metrics import METRICS
from quadrepro.errors import ConfigError, DataError, QuadreproError
from quadrepro.papers.paper import load_paper, paper_names
from quadrepro.papers.printed import MEAN
from quadrepro.results import scoreboard
from quadrepro.results.results import CELLS_HEADER, Results, markdown_html, results_folders
from quadrepro.results.run import INDEX, NOTES, PAGE, facts_of, inline
from quadrepro.results.scoreboard import FAILS, Score
from quadrepro.stats import LEVEL, p_text, rounded_p
from quadrepro.tables.audit.report import Audit, audit
from quadrepro.tables.table import MISSING
from quadrepro.tables.verdicts import DATA_HEADER, Verdict, name_of

GENERATOR = '<meta name="generator" content="quadrepro">'
"""Marks a page of ours; an index without it is not overwritten."""

RISK, PERCENT, RMSE = "risk", "error in percent", "RMSE"
"""Quantities that the main table shows, unless the config has another headline."""

MOST_MARKDOWN = 300_000
"""Characters of a Markdown file above which a page links it."""

Place = tuple[str, str]
"""Data set and algorithm of an entry."""


@dataclass(frozen=True)
class Entry:
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

    @property
    def texts(self) -> list[str]:
        """Mean and, if there is one, standard deviation, rounded for reading."""
        if not math.isfinite(self.mean):
            return [MISSING if math.isnan(self.mean) else "inf"]
        digits = {RISK: 3, PERCENT: 2}.get(self.quantity)
        if digits is None:
            size = math.floor(math.log10(abs(self.mean))) if self.mean else 0
            digits = min(12, max(len(self.printed.partition(".")[2]), 3 - size))
        return [f"{value:.{digits}f}" for value in (self.mean, self.sd) if not math.isnan(value)]

    @property
    def place(self) -> str:
        """Where the printed number is in our interval; empty if it is not judged."""
        if self.verdict is None or self.verdict.p_value is None or self.verdict.position is None:
            return ""
        position = self.verdict.position
        if self.verdict.word == "outside":
            return "above" if position > 0 else "below"
        return "middle" if abs(position) <= 0.5 else "high" if position > 0 else "low"


class Page:
    """What the template of a page shows of a results folder, and of its paper if it is known."""

    def __init__(self, results: Results, beside: Path | None) -> None:
        self.results, self.run = results, results.run
        self.audit = audit_of(self.run.asked("paper"), beside)
        self.metric = self.run.asked("headline")
        self.points, self.notes = scoreboard.read_notes(results)
        self.claims = results.claims.to_dict("records")
        self.failing = [claim for claim in self.claims if claim["holds"] == FAILS]
        self.refuted = [claim for claim in self.claims if claim["holds in print"] == FAILS]
        self.n_splits = results.cells["repeat"].nunique()
        self.rows = [*dict.fromkeys(row for row, _ in self.entries)]
        names = dict.fromkeys(column for _, column in self.entries)
        self.columns = {name: self.run.titles.get(name, name) for name in names}
        self.judged = any(entry.place for entry in self.entries.values())

    @cached_property
    def verdicts(self) -> list[tuple[str, Verdict]]:
        """The verdict on every printed number, with the name of the printed table."""
        frame = self.results.verdicts[[*DATA_HEADER]].drop(columns="verdict").astype(object)
        rows = frame.where(frame.notna(), None).itertuples(index=False)
        return [(table, Verdict(*row)) for table, *row in rows]

    @cached_property
    def impossible(self) -> list[tuple[Verdict, str]]:
        """The printed numbers that arithmetic alone refutes, and why."""
        if self.audit is None:
            return []
        certain = {}
        for _, failure in self.audit.failures:
            table, row, column = failure.place
            printed = self.audit.paper.printed(table)
            # Verdicts are on accuracies as errors.
            printed = printed.in_unit(printed.facts.unit or "percent")
            name = column.removesuffix(MEAN)
            text = printed.text(row, printed.mean_column(name))
            certain[table, row, name, text] = failure.why
        # A row of ours may be printed under another name.
        datasets = self.run.config.get("datasets")
        names: dict[str, list[str]] = {}
        for entry in datasets if certain and isinstance(datasets, list) else []:
            if isinstance(entry, dict):
                of = [str(entry[key]) for key in ("as", "printed", "name") if entry.get(key)]
                names[of[0] if of else ""] = of[1:]
        return [
            (v, certain[place])
            for table, v in self.verdicts
            for name in dict.fromkeys([v.row, *names.get(v.row, [])])
            if (place := (table, name, v.column, v.printed)) in certain
        ]

    @cached_property
    def entries(self) -> dict[Place, Entry]:
        """The entries of the main table: errors, or the headline of the config."""
        metric, frame = METRICS.get(self.metric), self.results.errors
        of_errors = frame["quantity"].isin([RISK, PERCENT, RMSE])
        if self.metric:
            of_errors = frame["quantity"] == (metric.label if metric else self.metric)
        # The RMSE can be asked for as a metric as well.
        frame = frame[of_errors].drop_duplicates(["dataset", "algorithm"])
        if frame["dataset"].nunique() * frame["algorithm"].nunique() > MAX_CELLS:
            raise DataError(f"{self.results.folder}: the table of errors is too large for a page")
        # Scorers of scikit-learn are best when highest.
        sign = -1 if self.metric and (metric is None or metric.greater_is_better) else 1
        ranked = (sign * frame["mean"]).where(frame["algorithm"] != BASELINE)
        ranks = ranked.groupby(frame["dataset"]).rank(method="min").fillna(0).astype(int)
        verdicts = {(v.row, v.column, v.quantity): v for _, v in reversed(self.verdicts)}
        impossible = {(v.row, v.column, v.quantity): why for v, why in self.impossible}
        found = {}
        for of, rank in zip(frame.to_dict("records"), ranks, strict=True):
            place = of["dataset"], of["algorithm"], of["quantity"]
            numbers = of["mean"], of["sd"], of["quantity"], of["printed"]
            judged = verdicts.get(place), impossible.get(place, "")
            found[place[:2]] = Entry(*numbers, rank, *judged)
        return found

    def name(self, row: str, column: str) -> str:
        """Return row and column of a printed number, algorithms by their titles."""
        return name_of(row, column, self.run.titles)

    @property
    def statements(self) -> list[str]:
        """The sentences at the top of the page."""
        found = [self.run.conclusion] if self.run.conclusion else []
        if self.n_splits == 1 and self.verdicts:
            found.append(f"One split cannot judge a printed number; more can: {self.command(30)}")
        for score in scoreboard.scores_of(self.results):
            if score["judged"]:
                found.append(score_sentence(score))
            if score["outside"]:
                names = [self.name(*place) for place in score["surely off"]] or ["none"]
                off = few(names, between="; ")
                found[-1] += f" Still outside after Holm's correction ({LEVEL:g}): {off}."
        if self.impossible:
            texts = [f"{self.name(v.row, v.column)} ({v.printed})" for v, _ in self.impossible]
            found.append(f"Impossible as printed, by arithmetic alone: {few(texts, between='; ')}.")
        found += claims_sentences([self.results.claims])
        if self.refuted:
            texts = [claim["claim"] for claim in self.refuted]
            found.append(f"The paper's own table contradicts: {few(texts, between='; ')}.")
        return found

    @property
    def outside(self) -> list[Verdict]:
        """The printed numbers that are outside, those with the lowest p-value first."""
        found = [
            v for _, v in self.verdicts if v.word == "outside" and None not in (v.ours, v.position)
        ]
        return sorted(found, key=lambda v: v.p_value or 0.0)

    def table(self, name: str) -> Markup:
        """Return a table with its notes, without its title; empty if its file is missing."""
        path = self.results.folder / f"{name}.md"
        _, _, text = (read_text(path) if is_regular(path) else "").partition("\n")
        return _html(text, path.name)

    @cached_property
    def sections(self) -> tuple[Markup, Markup]:
        """The notes on what does not reproduce, and all others below a heading of the page."""
        rest = re.sub(r"\A# .*", "", self.notes).strip()
        return _html(self.points, NOTES), _html(re.sub("^#", "##", rest, flags=re.M), NOTES)

    def command(self, repeats: int) -> str:
        """Return the command that computes all of it, for a number of splits."""
        return shlex.join(["quadrepro", "run", self._config, "--repeats", str(repeats), *self._out])

    @cached_property
    def _config(self) -> str:
        name = self.results.name
        return name if (configs_folder() / f"{name}.yaml").is_file() else f"{name}.yaml"

    @cached_property
    def _out(self) -> list[str]:
        """The option for the folder that has the records, if it is not the default one."""
        out = Path(os.path.normpath(self.results.folder / os.pardir))
        return ["--out", str(out)] if out != Path(RESULTS) and (out / RECORDS).is_dir() else []

    def explain(self, place: Place) -> str:
        """Return the command that computes an entry again."""
        command = ["quadrepro", "explain", self._config, *place, "--recompute", *self._out]
        return shlex.join(command)

    @property
    def cells(self) -> dict[Place, list[dict[str, Any]]]:
        """The splits behind each entry, with the value that the main table shows the mean of."""
        frame = self.results.cells
        metrics = [*frame][len(CELLS_HEADER) :]
        shown = frame[self.metric if self.metric in metrics else "value"]
        found: dict[Place, list[dict[str, Any]]] = {place: [] for place in self.entries}
        for cell in frame.assign(shown=shown).to_dict("records"):
            place = cell["dataset"], cell["algorithm"]
            if place in found:
                in_percent = self.entries[place].quantity == PERCENT
                found[place].append({**cell, "shown": cell["shown"] * (100 if in_percent else 1)})
        return found


def audit_of(paper: str, beside: Path | None) -> Audit | None:
    """Return the audit of a paper that ships or is `beside` a config, or None if it is unknown."""
    if not paper or not (beside or paper in paper_names()):
        return None
    try:
        return audit(load_paper(paper, beside or Path()))
    except ConfigError:
        return None


def score_sentence(score: Score) -> str:
    """Return in a sentence how the printed numbers of a table compare with ours."""
    table = str(score["printed table"])
    name = re.sub(r"^(table|figure)(?=\d)", lambda word: f"{word[0].title()} ", table)
    than, p = "about as many as", score["p more"]
    if p <= LEVEL:
        than = "fewer than"
    elif score["p fewer"] <= LEVEL:
        than, p = "more than", score["p fewer"]
    inside = f"{score['inside']} of {score['judged']} printed numbers of {name}"
    return f"{inside} are inside our intervals, {than} chance would leave there ({p_text(p)})."


def claims_sentences(claims: Sequence[pd.DataFrame]) -> list[str]:
    """Return what becomes of the claims, and of those on times."""
    texts = {
        "Claims": scoreboard.fates_text(scoreboard.fates_of(claims)),
        "Claims on measured times": scoreboard.fates_text(scoreboard.fates_of(claims, timed=True)),
    }
    return [f"{what}: {text}." for what, text in texts.items() if text]


def _html(text: str, file: str) -> Markup:
    """Return Markdown of a file as HTML; a link to the file if it is too large."""
    large = f"[{file}]({file}) is too large to be shown here."
    return Markup(markdown_html(text if len(text) <= MOST_MARKDOWN else large))


def _data_uri(path: Path) -> str:
    """Return a figure as it can stand in a page; empty if it is not an SVG file."""
    if path.suffix != ".svg" or not is_regular(path):
        return ""
    return f"data:image/svg+xml;base64,{base64.b64encode(read_bytes(path)).decode()}"


@cache
def _templates() -> Environment:
    templates = Environment(
        loader=PackageLoader("quadrepro.results"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    assert templates.loader is not None
    style, script = (templates.loader.get_source(templates, f"page.{e}")[0] for e in ("css", "js"))
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
        **{of.__name__: of for of in (p_text, rounded_p, facts_of, inline, claims_sentences)},
    }
    return templates


def page_html(results: Results, beside: Path | None = None) -> str:
    """Return the page of a results folder; a paper of the user's own is `beside` its config."""
    return _templates().get_template("page.html.j2").render(page=Page(results, beside))


def index_html(found: Sequence[Results]) -> str:
    """Return the index of some results folders."""
    return _templates().get_template("index.html.j2").render(boards=scoreboard.read_boards(found))


def write_report(path: Path, beside: Path | None = None) -> tuple[Path, list[QuadreproError]]:
    """Write the page of a results folder and the index; return what is wrong with the index."""
    write_text(path / PAGE, page_html(Results(path), beside))
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
    """Write the index, and return why folders are not in it, or why it is not written."""
    index = out / INDEX
    if index.is_file() and GENERATOR.encode() not in index.read_bytes():
        return [ConfigError(f"{index} was not written by quadrepro and stays as it is")]
    found, faults = list[Results](), list[QuadreproError]()
    for results in map(Results, results_folders(out)):
        try:
            _ = results.manifest, results.run, results.cells, results.scores, results.claims
            found.append(results)
        except QuadreproError as error:
            faults.append(error)
    write_text(index, index_html(found))
    return faults
