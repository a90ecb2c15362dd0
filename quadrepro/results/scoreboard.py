"""The scoreboard: how many printed numbers and claims hold, over several results folders."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from tabulate import tabulate

from quadrepro.base.files import read_bytes, write_text
from quadrepro.base.text import markdown
from quadrepro.errors import ConfigError, DataError
from quadrepro.papers.paper import load_paper, paper_names
from quadrepro.papers.printed import Facts
from quadrepro.results.folder import (
    FAILS,
    HOLDS,
    MANIFEST,
    NOTES,
    OPEN,
    RUN,
    Folder,
    Score,
    Tally,
    read_folder,
    results_folders,
)
from quadrepro.stats import rounded_p

FILE = "README.md"
"""Name of the file."""


FROM = "from"
"""The column of links to the experiments."""


HEADER = """# Results

Made by `quadrepro table --all` from the results in this folder.

"""


EXPLANATION = """
A printed number is inside if it lies where one further split of ours, or the mean of as many
splits as the paper's, falls with probability 0.95; "by chance" is how many would be outside on
average if all stemmed from splits like ours, and "p" the two-sided p-value of that: twice the
probability of as many outside or more, or of as many or fewer, whichever is smaller. Each claim
counts once: it does not hold if a test on our numbers refutes it, and is not decided if they
neither show nor refute it. Claims on running times are measured here.
"""


def write_scoreboard(out: Path) -> Path:
    """Write the scoreboard of a folder of results."""
    path = out / FILE
    write_text(path, scoreboard_text(read_results(out)))
    return path


def scoreboard_text(folders: Sequence[Folder]) -> str:
    """Return the scoreboard as Markdown."""
    boards, others = read_boards(folders)
    parts = [HEADER + _table(*papers_table(boards)) + EXPLANATION] if boards else [HEADER]
    if any(board.fitting for board in boards):
        parts.append(two_counts(boards) + "\n")
    parts += [_of_paper(board) for board in boards]
    if others:
        links = "\n".join(f"- {_links(folder)}" for folder in others)
        parts.append(f"## Experiments of no paper\n\n{links}\n")
    return markdown("\n".join(parts))


def _of_paper(board: PaperBoard) -> str:
    reference = f"{board.reference.rstrip('.')}.\n\n" if board.reference else ""
    parts = [f"## {board.title}\n\n{reference}".rstrip() + "\n"]
    if board.scores:
        header = ("printed table", "inside", "outside", "by chance", "p", "off after Holm", FROM)
        rows = []
        for printed, place in board.scores.items():
            rows.append(_scored(*place))
            if printed in board.fitting:
                _, *numbers = _scored(*board.fitting[printed])
                rows.append([f"{printed}, as it fits best", *numbers])
        parts.append(_table(header, rows))
    if board.claims:
        columns = ("claims", *PLURALS.values(), FROM)
        rows = []
        for group, (folder, claims) in board.claims.items():
            link = _link(folder, "claims.md", folder.path.name)
            rows.append([group, *(str(claims[fate]) for fate in PLURALS), link])
        parts.append(_table(columns, rows))
    opens = [folder.open_points for folder in board.folders if folder.open_points]
    if opens:
        parts.append("What does not reproduce, and why:\n\n" + "\n".join(opens) + "\n")
    parts.append("\n".join(f"- {_links(folder)}" for folder in board.folders) + "\n")
    return "\n".join(parts)


def _scored(folder: Folder, score: Score) -> list[str]:
    link = _link(folder, _verdicts_of(folder), folder.path.name)
    if not score.judged:
        return [score.printed, f"none of {score.numbers} comparable", *["–"] * 4, link]
    chance = f"{score.expected:.1f} ({score.low:g} to {score.high:g})"
    inside, off = f"{score.inside} of {score.judged}", str(len(score.surely_off))
    p = rounded_p(score.p_value)
    return [score.printed, inside, str(score.outside), chance, p, off, link]


def two_counts(boards: Iterable[PaperBoard]) -> str:
    """Return how many printed means are inside as the texts say, and under the best readings."""
    pairs = [
        (score, board.best(printed))
        for board in boards
        for printed, (_, score) in board.scores.items()
        if board.facts.get(printed, Facts()).holds == "errors"
    ]
    judged = sum(score.judged for score, _ in pairs)
    text, best = (sum(score.inside for score in scores) for scores in zip(*pairs, strict=True))
    return (
        f"Of the {judged} printed means, {text} are inside as the texts say, and {best} under the"
        " readings that fit print best, some of which contradict the texts."
    )


def _verdicts_of(folder: Folder) -> str:
    tables = folder.manifest.tables
    name = "verdicts" if "verdicts" in tables else next(iter(tables), "")
    return f"{name}.md"


def _links(folder: Folder) -> str:
    """Return the line of an experiment: its tables, figures and notes."""
    tables = [_link(folder, f"{name}.md", name) for name in folder.manifest.tables]
    figures = [_link(folder, f"{name}.svg", name) for name in folder.manifest.figures]
    parts = [f"tables {', '.join(tables)}"] if tables else []
    parts += [f"figures {', '.join(figures)}"] if figures else []
    if (folder.path / NOTES).is_file():
        parts.append(_link(folder, NOTES, "notes"))
    return f"`{folder.path.name}`, {folder.title}: {'; '.join(parts)}"


def _link(folder: Folder, file: str, text: str) -> str:
    return f"[{text}]({folder.path.name}/{file})"


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    last = "left" if header[-1] == FROM else "right"
    align = ("left", *["right"] * (len(header) - 2), last)
    return tabulate(rows, header, "pipe", colalign=align, disable_numparse=True) + "\n"


PLURALS = {HOLDS: "hold", FAILS: "do not hold", OPEN: OPEN}
"""Outcomes of a claim, in words for several, in the order of the scoreboard."""


@dataclass(frozen=True)
class PaperBoard:
    """Counts of a paper."""

    name: str
    title: str
    reference: str
    folders: tuple[Folder, ...]
    """Its experiments; those that count come first, in the order of its ``paper.yaml``."""
    counting: int
    """How many of them count."""
    facts: Mapping[str, Facts] = field(default_factory=dict)
    """Facts of the printed tables."""

    @cached_property
    def scores(self) -> dict[str, tuple[Folder, Score]]:
        """The score that counts of each printed table, with its experiment."""
        found: dict[str, tuple[Folder, Score]] = {}
        for folder in self.folders[: self.counting]:
            for score in folder.scores:
                before = found.get(score.printed)
                if before is None or (score.judged and not before[1].judged):
                    found[score.printed] = folder, score
        return found

    @cached_property
    def fitting(self) -> dict[str, tuple[Folder, Score]]:
        """The same under the readings that fit print best, where these contradict the text."""
        return {
            score.printed: (folder, score)
            for folder in self.folders
            for score in folder.scores
            if self.facts.get(score.printed, Facts()).fits == folder.path.name
        }

    def best(self, printed: str) -> Score:
        """Return the score of a printed table under the reading that fits it best."""
        return self.fitting.get(printed, self.scores[printed])[1]

    @cached_property
    def claims(self) -> dict[str, tuple[Folder, Counter[str]]]:
        """The claims that count of each group, with their experiment: each claim once."""
        found: dict[str, tuple[Folder, Counter[str]]] = {}
        for folder in self.folders[: self.counting]:
            group, fates = folder.run.claims, folder.fates
            if group and fates:
                found.setdefault(group, (folder, fates))
        return found

    @property
    def fates(self) -> Counter[str]:
        """Outcomes of all claims together."""
        return sum((fates for _, fates in self.claims.values()), Counter())

    @property
    def tally(self) -> Tally:
        """Counts of all printed numbers together."""
        return Tally.of(score for _, score in self.scores.values())


def read_results(out: Path) -> list[Folder]:
    """Return the results folders in a folder, by name."""
    found = [read_folder(path) for path in results_folders(out)]
    if not found:
        raise ConfigError(f"{out} holds no results: no folder in it has a {MANIFEST}")
    for folder in found:
        if not folder.run.title:
            raise DataError(f"{folder.path / RUN} is damaged or missing: no config with a title")
        if folder.manifest.score:
            # Without its scores, it would count as one without print.
            read_bytes(folder.path / folder.manifest.score)
    return found


def read_boards(folders: Sequence[Folder]) -> tuple[list[PaperBoard], list[Folder]]:
    """Return how each paper fares, and the experiments that belong to none."""
    boards = []
    for name in dict.fromkeys(folder.run.paper for folder in folders):
        if name:
            boards.append(_board(name, [f for f in folders if f.run.paper == name]))
    return boards, [folder for folder in folders if not folder.run.paper]


def _board(name: str, folders: list[Folder]) -> PaperBoard:
    if name not in paper_names():
        # The folder of a user's own paper lies beside a config that need not be at hand.
        return PaperBoard(name, name, "", tuple(folders), len(folders))
    paper = load_paper(name).file
    by_name = {folder.path.name: folder for folder in folders}
    first = [by_name.pop(e) for e in paper.experiments if e in by_name]
    ordered = (*first, *by_name.values())
    counting = len(first) or len(ordered)
    return PaperBoard(name, paper.title, paper.reference, ordered, counting, paper.printed)


def papers_table(boards: Iterable[PaperBoard]) -> tuple[tuple[str, ...], list[list[str]]]:
    """Return header and rows of the table with one row per paper."""
    header = (
        "",
        "printed numbers inside",
        "outside",
        "by chance",
        *(f"claims: {plural}" for plural in PLURALS.values()),
    )
    rows = []
    for board in boards:
        judged, inside, expected = board.tally
        numbers = [f"{inside} of {judged}", str(judged - inside), f"{expected:.1f}"]
        if board.fitting:
            best = sum(board.best(printed).inside for printed in board.scores)
            numbers[0] += f" ({best} as they fit best)"
        counts = [str(board.fates[fate]) for fate in PLURALS]
        rows.append([board.title, *(numbers if judged else ["–"] * 3), *counts])
    return header, rows
