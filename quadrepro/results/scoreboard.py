"""The scoreboard: how many printed numbers and claims hold, over several results folders."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from tabulate import tabulate

from quadrepro.base.files import is_regular, read_text, write_text
from quadrepro.base.text import markdown
from quadrepro.errors import ConfigError, DataError
from quadrepro.papers.paper import load_paper, paper_names
from quadrepro.papers.printed import Facts
from quadrepro.results.results import Results, results_folders
from quadrepro.results.run import MANIFEST, NOTES, RUN
from quadrepro.stats import rounded_p
from quadrepro.tables.made import VERDICTS

FILE = "README.md"
"""Name of the file."""

OUTSIDE = "What does not reproduce"
"""Heading of the section of the notes that the scoreboard repeats."""

HOLDS, FAILS, OPEN = "holds", "does not hold", "not decided"
"""Outcomes of a claim."""

PLURALS = {HOLDS: "hold", FAILS: "do not hold", OPEN: OPEN}
"""Outcomes of several claims, in the order of the scoreboard."""

HEADER = "# Results\n\nMade by `quadrepro table --all` from the results in this folder.\n\n"

EXPLANATION = """
A printed number is inside if it lies where one further split of ours, or the mean of as many
splits as the paper's, falls with probability 0.95; "by chance" is how many would be outside on
average if all stemmed from splits like ours, and "p" the two-sided p-value of that: twice the
probability of as many outside or more, or of as many or fewer, whichever is smaller. Each claim
counts once: it does not hold if a test on our numbers refutes it, and is not decided if they
neither show nor refute it. Claims on running times are measured here.
"""

Score = Mapping[str, Any]
"""A row of `Results.scores`, see `scores_of`."""


def scores_of(results: Results) -> list[Score]:
    """Return how each printed table fares: its row, the number of judged numbers, its results."""
    frame = results.scores
    rows = frame.assign(judged=frame["inside"] + frame["outside"]).to_dict("records")
    return [{**row, "results": results} for row in rows]


def tally(scores: Iterable[Score]) -> tuple[int, int, float]:
    """Return how many numbers are judged, inside, and outside by chance on average."""
    judged = [score for score in scores if score["judged"]]
    n, inside, expected = (
        sum(score[key] for score in judged) for key in ("judged", "inside", "expected outside")
    )
    return n, inside, expected


def fate_of(holds: str) -> str:
    """Return the outcome of a claim from the column ``holds`` of ``claims.csv``."""
    return holds if holds in (HOLDS, FAILS) else OPEN


def fates_of(results: Results) -> Counter[str]:
    """Return the number of claims that hold, that do not, and that are not decided."""
    return Counter(map(fate_of, results.claims["holds"]))


def read_notes(results: Results) -> str:
    """Return what was written by hand."""
    path = results.folder / NOTES
    return read_text(path) if is_regular(path) else ""


def open_points(notes: str) -> str:
    """Return the section of notes on what does not reproduce, and why."""
    _, _, rest = notes.partition(f"\n## {OUTSIDE}\n")
    return rest.partition("\n## ")[0].strip()


@dataclass(frozen=True)
class PaperBoard:
    """Counts of a paper."""

    title: str
    reference: str
    folders: tuple[Results, ...]
    """Its experiments; those that count come first, in the order of its ``paper.yaml``."""
    counting: int = 0
    """How many of them count."""
    facts: Mapping[str, Facts] = field(default_factory=dict)
    """Facts of the printed tables."""

    @cached_property
    def scores(self) -> dict[str, Score]:
        """The score that counts of each printed table."""
        found: dict[str, Score] = {}
        for score in (score for of in self.folders[: self.counting] for score in scores_of(of)):
            before = found.setdefault(score["printed table"], score)
            # One without comparable numbers gives way to one with some.
            if score["judged"] and not before["judged"]:
                found[score["printed table"]] = score
        return found

    @cached_property
    def fitting(self) -> dict[str, Score]:
        """The same under the readings that fit print best, where these contradict the text."""
        return {
            score["printed table"]: score
            for results in self.folders
            for score in scores_of(results)
            if self.facts.get(score["printed table"], Facts()).fits == results.folder.name
        }

    def best(self, printed: str) -> Score:
        """Return the score of a printed table under the reading that fits it best."""
        return self.fitting.get(printed, self.scores[printed])

    @cached_property
    def claims(self) -> dict[str, tuple[Results, Counter[str]]]:
        """The claims that count of each group, with their experiment: each claim once."""
        found: dict[str, tuple[Results, Counter[str]]] = {}
        for results in self.folders[: self.counting]:
            if results.run.claims and (fates := fates_of(results)):
                found.setdefault(results.run.claims, (results, fates))
        return found

    @property
    def fates(self) -> Counter[str]:
        """Outcomes of all claims together."""
        return sum((fates for _, fates in self.claims.values()), Counter())

    @property
    def tally(self) -> tuple[int, int, float]:
        """Counts of all printed numbers together; see `tally`."""
        return tally(self.scores.values())


def read_results(out: Path) -> list[Results]:
    """Return the results folders in a folder, by name."""
    found = [*map(Results, results_folders(out))]
    if not found:
        raise ConfigError(f"{out} holds no results: no folder in it has a {MANIFEST}")
    for results in found:
        if not results.run.asked("title"):
            path = results.folder / RUN
            raise DataError(f"{path} is damaged or missing: no config with a title")
        if VERDICTS in results.tables and results.scores.empty:
            raise DataError(f"{results.folder} has verdicts, but no scores of printed tables")
    return found


def read_boards(found: Collection[Results]) -> tuple[list[PaperBoard], tuple[Results, ...]]:
    """Return how each paper fares, and the experiments that belong to none."""
    of_paper: dict[str, list[Results]] = {}
    for results in found:
        of_paper.setdefault(results.run.asked("paper"), []).append(results)
    others = tuple(of_paper.pop("", ()))
    return [_board(name, folders) for name, folders in of_paper.items()], others


def _board(name: str, folders: Sequence[Results]) -> PaperBoard:
    if name not in paper_names():
        # The folder of a user's own paper lies beside a config that need not be at hand.
        return PaperBoard(name, "", tuple(folders), len(folders))
    paper = load_paper(name).file
    by_name = {results.folder.name: results for results in folders}
    first = [by_name.pop(e) for e in paper.experiments if e in by_name]
    ordered = (*first, *by_name.values())
    counting = len(first) or len(ordered)
    return PaperBoard(paper.title, paper.reference, ordered, counting, paper.printed)


def write_scoreboard(out: Path) -> Path:
    """Write the scoreboard of a folder of results."""
    path = out / FILE
    write_text(path, scoreboard_text(read_results(out)))
    return path


def scoreboard_text(found: Collection[Results]) -> str:
    """Return the scoreboard as Markdown."""
    boards, others = read_boards(found)
    parts = [HEADER + (_papers_table(boards) + EXPLANATION if boards else "")]
    if any(board.fitting for board in boards):
        parts.append(_two_counts(boards) + "\n")
    parts += [_section(board) for board in boards]
    if others:
        parts.append("## Experiments of no paper\n\n" + "\n".join(map(_links, others)) + "\n")
    return markdown("\n".join(parts))


def _papers_table(boards: Iterable[PaperBoard]) -> str:
    claims = [f"claims: {plural}" for plural in PLURALS.values()]
    rows = []
    for board in boards:
        judged, inside, expected = board.tally
        numbers = [f"{inside} of {judged}", str(judged - inside), f"{expected:.1f}"]
        if board.fitting:
            best = sum(board.best(printed)["inside"] for printed in board.scores)
            numbers[0] += f" ({best} as they fit best)"
        counts = [str(board.fates[fate]) for fate in PLURALS]
        rows.append([board.title, *(numbers if judged else ["–"] * 3), *counts])
    return _table(["", "printed numbers inside", "outside", "by chance", *claims], rows)


def _two_counts(boards: Iterable[PaperBoard]) -> str:
    """Return how many printed means are inside as the texts say, and under the best readings."""
    pairs = [
        (score, board.best(printed))
        for board in boards
        for printed, score in board.scores.items()
        if board.facts.get(printed, Facts()).holds == "errors"
    ]
    judged = sum(score["judged"] for score, _ in pairs)
    text, best = (sum(score["inside"] for score in of) for of in zip(*pairs, strict=True))
    return (
        f"Of the {judged} printed means, {text} are inside as the texts say, and {best} under the"
        " readings that fit print best, some of which contradict the texts."
    )


def _section(board: PaperBoard) -> str:
    reference = f"{board.reference.rstrip('.')}.\n\n" if board.reference else ""
    parts = [f"## {board.title}\n\n{reference}".rstrip() + "\n"]
    if board.scores:
        header = ["printed table", "inside", "outside", "by chance", "p", "off after Holm", "from"]
        rows = []
        for printed, score in board.scores.items():
            rows.append([printed, *_scored(score)])
            if printed in board.fitting:
                rows.append([f"{printed}, as it fits best", *_scored(board.fitting[printed])])
        parts.append(_table(header, rows, "left"))
    if board.claims:
        rows = [
            [group, *(str(fates[fate]) for fate in PLURALS), _link(results, "claims.md")]
            for group, (results, fates) in board.claims.items()
        ]
        parts.append(_table(["claims", *PLURALS.values(), "from"], rows, "left"))
    if points := [*filter(None, (open_points(read_notes(of)) for of in board.folders))]:
        text = "\n".join(points).replace("](../", "](")  # notes are one folder below
        parts.append(f"What does not reproduce, and why:\n\n{text}\n")
    parts.append("\n".join(map(_links, board.folders)) + "\n")
    return "\n".join(parts)


def _scored(score: Score) -> list[str]:
    link = _link(score["results"], f"{VERDICTS}.md")
    if not score["judged"]:
        return [f"none of {score['numbers']} comparable", *["–"] * 4, link]
    chance = f"{score['expected outside']:.1f} ({score['low']:g} to {score['high']:g})"
    inside, off = f"{score['inside']} of {score['judged']}", str(len(score["surely off"]))
    p = min(1.0, 2 * min(score["p more"], score["p fewer"]))
    return [inside, str(score["outside"]), chance, rounded_p(p), off, link]


def _links(results: Results) -> str:
    """Return the line of an experiment: its tables, figures and notes."""
    tables = [_link(results, f"{name}.md", name) for name in results.tables]
    figures = [_link(results, path.name, name) for name, path in results.figures.items()]
    parts = [f"tables {', '.join(tables)}"] if tables else []
    parts += [f"figures {', '.join(figures)}"] if figures else []
    parts += [_link(results, NOTES, "notes")] if read_notes(results) else []
    return f"- `{results.folder.name}`, {results.title}: {'; '.join(parts)}"


def _link(results: Results, file: str, text: str = "") -> str:
    return f"[{text or results.folder.name}]({results.folder.name}/{file})"


def _table(header: Sequence[str], rows: Sequence[Sequence[str]], last: str = "right") -> str:
    align = ("left", *["right"] * (len(header) - 2), last)
    return tabulate(rows, header, "pipe", colalign=align, disable_numparse=True) + "\n"
