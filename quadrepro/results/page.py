"""The page of a results folder, and the index of several: rendered, and written."""

from __future__ import annotations

import base64
import hashlib
import json
import math
import os
import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, partial
from pathlib import Path
from typing import Any

import pandas as pd
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from quadrepro.base.files import is_regular, read_bytes, write_text
from quadrepro.base.resources import RECORDS, RESULTS, configs_folder
from quadrepro.base.text import few
from quadrepro.config.checks import MAX_CELLS
from quadrepro.core.learners.registry import BASELINE
from quadrepro.engine.metrics import METRICS
from quadrepro.errors import ConfigError, DataError, QuadreproError
from quadrepro.papers.paper import Paper, load_paper, paper_names
from quadrepro.papers.printed import MEAN
from quadrepro.results import scoreboard
from quadrepro.results.results import CELLS_HEADER, Results, markdown_html, results_folders
from quadrepro.results.run import MANIFEST, NOTES, facts_of, inline
from quadrepro.results.scoreboard import FAILS, HOLDS, OPEN, PLURALS
from quadrepro.stats import LEVEL, p_text
from quadrepro.tables.audit.report import audit
from quadrepro.tables.audit.subject import Finding
from quadrepro.tables.table import MISSING
from quadrepro.tables.verdicts import Verdict

PAGE, INDEX = "report.html", "index.html"
"""Names of the page in a results folder, and of the index beside the folders."""

GENERATOR = '<meta name="generator" content="quadrepro">'
"""Begins every page of ours."""

RISK, PERCENT, RMSE = "risk", "error in percent", "RMSE"
"""Quantities that the main table shows, unless the config has another headline."""

MOST_MARKDOWN = 300_000
"""Characters of a Markdown file above which a page links it."""

CLAIM_MARKS = {HOLDS: "✓", FAILS: "✗", OPEN: "?"}
"""Mark of the outcome of a claim, for those who do not see colours."""

Score = Mapping[str, Any]
"""A row of `scoreboard.scores_of`."""

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

    def rounded(self, value: float) -> str:
        """Return a number of ours, rounded for reading."""
        if not math.isfinite(value):
            return MISSING if math.isnan(value) else str(value)
        digits = {RISK: 3, PERCENT: 2}.get(self.quantity)
        if digits is None:
            size = math.floor(math.log10(abs(self.mean))) if self.mean else 0
            digits = min(12, max(len(self.printed.partition(".")[2]), 3 - size))
        return f"{value:.{digits}f}"

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
        self.results, self.run, self._beside = results, results.run, beside
        self.paper = paper_of(self.run.asked("paper"), beside)
        self.metric = self.run.asked("headline")
        self.notes = scoreboard.read_notes(results)
        self.claims = results.claims.to_dict("records")
        self.failing = [claim for claim in self.claims if claim["holds"] == FAILS]
        self.refuted = [claim for claim in self.claims if claim["holds in print"] == FAILS]
        sizes = results.cells.groupby(["dataset", "algorithm"]).size()
        self.n_splits = int(sizes.max()) if len(sizes) else 0
        self.rows = [*dict.fromkeys(row for row, _ in self.entries)]
        names = dict.fromkeys(column for _, column in self.entries)
        self.columns = {name: self.run.titles.get(name, name) for name in names}
        self.numbers = {place: i for i, place in enumerate(self.entries)}
        self.judged = any(entry.place for entry in self.entries.values())
        self.quantities = " or ".join(sorted({of.quantity for of in self.entries.values()}))

    @cached_property
    def verdicts(self) -> list[tuple[str, Verdict]]:
        """The verdict on every printed number, with the name of the printed table."""
        frame = self.results.verdicts
        fields = frame[[name for name in frame if name not in ("printed table", "verdict")]]
        rows = fields.astype(object).where(fields.notna(), None).itertuples(index=False)
        return [*zip(frame["printed table"], (Verdict(*row) for row in rows), strict=True)]

    @cached_property
    def impossible(self) -> list[tuple[Verdict, str]]:
        """The printed numbers that arithmetic alone refutes, and why."""
        if self.paper is None:
            return []
        certain = {
            (f.place.table, f.place.row, f.place.column.removesuffix(MEAN), f.printed): f.why
            for f in _failures(self.run.asked("paper"), self._beside)
            if f.place.row and f.p_value is None
        }
        # A row of ours may be printed under another name.
        datasets = self.run.config.get("datasets")
        names: dict[str, list[str]] = {}
        for entry in datasets if isinstance(datasets, list) else []:
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
        frame = frame[of_errors]
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
        titles = self.run.titles
        return f"{titles.get(row, row)}, {titles.get(column, column)}"

    @property
    def statements(self) -> list[str]:
        """The sentences at the top of the page."""
        found = [self.run.conclusion]
        if self.n_splits == 1 and len(self.verdicts):
            found.append(
                f"One split cannot judge a printed number; more can: {self.command} --repeats 30"
            )
        for score in judged_scores(self.results):
            found.append(score_sentence(score) + self._remaining(score))
        if self.impossible:
            names = [f"{self.name(v.row, v.column)} ({v.printed})" for v, _ in self.impossible]
            more = f" and {len(names) - 4} more" * (len(names) > 4)
            texts = "; ".join(names[:4]) + more
            found.append(f"Impossible as printed, by arithmetic alone: {texts}.")
        found += claims_sentences(self.results)
        if self.refuted:
            texts = "; ".join(claim["claim"] for claim in self.refuted)
            found.append(f"The paper's own table contradicts: {texts}.")
        return [*filter(None, found)]

    def _remaining(self, score: Score) -> str:
        """Return which numbers are off for sure, and what the reading that fits best gives."""
        names, text, printed = score["surely off"], "", score["printed table"]
        if score["outside"]:
            which = few([self.name(*place) for place in names]) or "none"
            text = f" Still outside after Holm's correction ({LEVEL:g}): {which}."
        facts = self.paper.file.printed.get(printed) if self.paper else None
        fit = self.results.folder.resolve().parent / (facts.fits if facts else "")
        if is_regular(fit / MANIFEST) and fit.name != self.results.folder.resolve().name:
            for of in judged_scores(Results(fit)):
                if of["printed table"] == printed:
                    text += (
                        f" Under the reading that fits print best ({fit.name}), which contradicts "
                        f"the text, {of['inside']} of {of['judged']} hold."
                    )
        return text

    @property
    def outside(self) -> list[Verdict]:
        """The printed numbers that are outside, the farthest first."""
        found = [v for _, v in self.verdicts if v.word == "outside" and v.position is not None]
        return sorted(found, key=lambda v: (v.p_value or 0.0, -abs(v.position or 0.0)))

    @property
    def tables(self) -> dict[str, tuple[str, Markup]]:
        """Title and content of each table but that of claims, by name."""
        found = {}
        for name, facts in self.results.manifest.tables.items():
            if name != "claims" and is_regular(self.results.folder / f"{name}.md"):
                _, _, text = self.results.table(name).markdown.partition("\n")
                title = facts.title.removeprefix(f"{self.results.title}: ")
                found[name] = title[:1].upper() + title[1:], _html(text, f"{name}.md")
        return found

    @property
    def figures(self) -> dict[str, tuple[str, str]]:
        """Title and data URI of each figure by the name of its file."""
        found = {}
        for name, path in self.results.figures.items():
            facts, source = self.results.manifest.tables.get(name), ""
            if path.suffix == ".svg" and is_regular(path):
                content = base64.b64encode(read_bytes(path)).decode()
                source = f"data:image/svg+xml;base64,{content}"
            found[path.name] = facts.title if facts else f"{self.results.title}: {name}", source
        return found

    @property
    def sections(self) -> tuple[Markup, Markup]:
        """The section of the notes on what does not reproduce, and all others."""
        points = scoreboard.open_points(self.notes)
        rest = re.sub(r"\A# .*", "", self.notes).replace(f"## {scoreboard.OUTSIDE}\n\n{points}", "")
        # They are below a heading of the page.
        rest = re.sub(r"^#", "##", rest.strip(), flags=re.MULTILINE)
        return _html(points, NOTES), _html(rest, NOTES)

    @property
    def command(self) -> str:
        """The command that computes all of it."""
        return shlex.join(["quadrepro", "run", self._config, *self._out])

    @cached_property
    def _config(self) -> str:
        name = self.results.name
        return name if (configs_folder() / f"{name}.yaml").is_file() else f"{name}.yaml"

    @cached_property
    def _out(self) -> list[str]:
        """The option for the folder that has the records, if it is not the default one."""
        out = Path(os.path.normpath(self.results.folder / os.pardir))
        return ["--out", str(out)] if out != Path(RESULTS) and (out / RECORDS).is_dir() else []

    @property
    def opened(self) -> list[dict[str, Any]]:
        """What the script of the page shows of each entry."""
        cells = self.results.cells
        groups = dict(iter(cells.groupby(["dataset", "algorithm"])))
        return [self._opened(at, groups.get(at, cells[:0])) for at in self.entries]

    def _opened(self, place: Place, cells: pd.DataFrame) -> dict[str, Any]:
        entry, verdict = self.entries[place], self.entries[place].verdict
        done, failed = cells[cells["status"] == "ok"], cells[cells["status"] != "ok"]
        column = self.metric if self.metric in [*cells][len(CELLS_HEADER) :] else "value"
        factor = 100 if entry.quantity == PERCENT else 1
        splits = done[["repeat", "errors", "n_test", "chosen"]].itertuples(index=False)
        command = ["quadrepro", "explain", self._config, *place, "--recompute", *self._out]
        return {
            "row": place[0],
            "column": self.columns[place[1]],
            "quantity": entry.quantity,
            "mean": entry.rounded(entry.mean),
            "sd": "" if math.isnan(entry.sd) else entry.rounded(entry.sd),
            "printed": entry.printed,
            "place": entry.place,
            "why": entry.impossible or (verdict.reason if verdict else ""),
            "interval": [_short(verdict.low), _short(verdict.high)]
            if verdict and entry.place
            else [],
            "p": _short(verdict.p_value) if verdict else None,
            "values": [_short(factor * value) for value in done[column]],
            "splits": [
                (n, f"{errors:g} of {n_test:g}" if errors == errors else "", inline(chosen or {}))
                for n, errors, n_test, chosen in splits
            ],
            "seconds": _short(done["seconds"].mean()),
            "failed": [
                *(failed["repeat"].astype(str) + ": " + failed["status"] + " " + failed["reason"])
            ],
            "command": shlex.join(command),
        }


def paper_of(name: str, beside: Path | None) -> Paper | None:
    """Return a paper that ships or is `beside` a config, or None if it cannot be found."""
    if not name or (beside is None and name not in paper_names()):
        return None
    try:
        return load_paper(name, beside or Path())
    except ConfigError:
        return None


@cache
def _failures(paper: str, beside: Path | None) -> tuple[Finding, ...]:
    """Return what a paper's own numbers refute."""
    return tuple(finding for _, finding in audit(load_paper(paper, beside or Path())).failures)


def judged_scores(results: Results) -> list[Score]:
    """Return the score of each printed table that has comparable numbers."""
    scores = scoreboard.scores_of(results)
    return [*scores[scores["judged"] > 0].to_dict("records")]


def score_sentence(score: Score) -> str:
    """Return in a sentence how the printed numbers of a table compare with ours."""
    table = str(score["printed table"])
    name = re.sub(r"^(table|figure)(?=\d)", lambda word: f"{word[0].title()} ", table)
    outside, more, fewer = score["outside"], score["p more"], score["p fewer"]
    of, are = f"of {score['judged']} printed numbers of {name}", "is" if outside == 1 else "are"
    if more <= LEVEL:
        return f"{outside} {of} {are} outside, more than chance explains ({p_text(more)})."
    text = f"{score['inside']} {of} hold"
    if fewer <= LEVEL:
        return f"{text}, more than chance would leave inside ({p_text(fewer)})."
    rest = f"; {outside} {are} outside, which chance explains ({p_text(more)})" if outside else ""
    return f"{text}{rest}."


def claims_sentences(results: Results) -> list[str]:
    """Return in a sentence what becomes of the claims, and in another of those on times."""
    found = []
    for timed, what in ((False, "claims"), (True, "claims on measured times")):
        fates = scoreboard.fates_of(results.claims[results.claims["timed"] == timed])
        parts = [
            f"{n} {fate if n == 1 else PLURALS[fate]}" for fate in PLURALS if (n := fates[fate])
        ]
        if parts:
            found.append(f"Of {fates.total()} {what}, {', '.join(parts)}.")
    return found


def finding(results: Results) -> str:
    """Return in a sentence or two what was found, for lists of experiments."""
    if results.run.conclusion:
        return re.split(r"(?<=\.) (?=Not told|Worse|By )", results.run.conclusion)[0]
    return " ".join([*map(score_sentence, judged_scores(results)), *claims_sentences(results)])


def _html(text: str, file: str) -> Markup:
    """Return Markdown of a file as HTML; a link to the file if it is too large."""
    large = f"[{file}]({file}) is too large to be shown here."
    return Markup(markdown_html(text if len(text) <= MOST_MARKDOWN else large))


def _short(value: float | None) -> float | None:
    """Return a number with few digits; None if it is not finite, which JSON cannot hold."""
    return float(f"{value:.5g}") if value is not None and math.isfinite(value) else None


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
        "marks": CLAIM_MARKS,
        **{of.__name__: of for of in (p_text, facts_of, finding)},
        "scoreboard": scoreboard,
    }
    return templates


def page_html(results: Results, beside: Path | None = None) -> str:
    """Return the page of a results folder; a paper of the user's own is `beside` its config."""
    return _templates().get_template("page.html.j2").render(page=Page(results, beside))


def index_html(found: Sequence[Results]) -> str:
    """Return the index of some results folders."""
    boards = scoreboard.read_boards(found)
    return _templates().get_template("index.html.j2").render(boards=boards, page=PAGE)


def write_report(path: Path, beside: Path | None = None) -> tuple[Path, list[str]]:
    """Write the page of a results folder and the index; return why folders are not in it."""
    write_text(path / PAGE, page_html(Results(path), beside))
    return path / PAGE, _write_index(path.resolve().parent)


def write_all(out: Path) -> tuple[Path, list[QuadreproError]]:
    """Write the pages of all results folders below a folder, and their index."""
    faults = []
    for path in results_folders(out):
        try:
            write_text(path / PAGE, page_html(Results(path)))
        except QuadreproError as error:
            faults.append(error)
    _write_index(out)
    return out / INDEX, faults


def _write_index(out: Path) -> list[str]:
    """Write the index, and return why folders are not in it."""
    index = out / INDEX
    if index.exists() and not (is_regular(index) and GENERATOR.encode() in index.read_bytes()):
        return [f"{index} was not written by quadrepro and stays as it is"]
    found, faults = [], []
    for results in map(Results, results_folders(out)):
        try:
            _ = results.manifest, results.run, results.cells, results.scores, results.claims
            found.append(results)
        except QuadreproError as error:
            faults.append(f"not in the index: {error}")
    write_text(index, index_html(found))
    return faults
