"""The scoreboard: how many printed numbers and claims hold, over several results folders."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import BeforeValidator, Field, TypeAdapter, ValidationError, model_validator
from tabulate import tabulate

from quadrepro.base.files import is_regular, read_text, write_text
from quadrepro.base.models import Model
from quadrepro.base.text import markdown
from quadrepro.errors import ConfigError, DataError
from quadrepro.results.compare import WRITTEN_BY_HAND
from quadrepro.results.manifest import MANIFEST, Manifest, read_manifest, results_folders
from quadrepro.stats.result import rounded_p
from quadrepro.tables.table import read_rows

FILE = "README.md"
"""Name of the file."""


FROM = "from"
"""The column of links to the experiments."""


HEADER = """# Results

Made by `quadrepro overview` from the results in this folder.

"""


EXPLANATION = """
A printed number is inside if it lies where one further split of ours, or the mean of as many
splits as the paper's, falls with probability 0.95; "by chance" is how many would be outside on
average if all stemmed from splits like ours. Each claim counts once; "on some splits" are claims
judged split by split. Claims on running times are measured here.
"""


def write_overview(out: Path) -> Path:
    """Write the scoreboard of a folder of results."""
    path = out / FILE
    write_text(path, overview_text(read_results(out)))
    return path


def overview_text(folders: Sequence[ResultsFolder]) -> str:
    """Return the scoreboard as Markdown."""
    boards, others = read_boards(folders)
    parts = [HEADER + _table(*papers_table(boards)) + EXPLANATION] if boards else [HEADER]
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
        parts.append(_table(header, [_scored(*place) for place in board.scores.values()]))
    if board.claims:
        columns = ("claims", *PLURALS.values(), FROM)
        rows = []
        for group, (folder, claims) in board.claims.items():
            link = _link(folder, "claims.md", folder.name)
            rows.append([group, *(str(claims[fate]) for fate in PLURALS), link])
        parts.append(_table(columns, rows))
    opens = [folder.open_points for folder in board.folders if folder.open_points]
    if opens:
        parts.append("What does not reproduce, and why:\n\n" + "\n".join(opens) + "\n")
    parts.append("\n".join(f"- {_links(folder)}" for folder in board.folders) + "\n")
    return "\n".join(parts)


def _scored(folder: ResultsFolder, score: Score) -> list[str]:
    link = _link(folder, _verdicts_of(folder), folder.name)
    if not score.judged:
        return [score.printed, f"none of {score.numbers} comparable", *["–"] * 4, link]
    p = min(score.p_more or 0.0, score.p_fewer or 0.0)
    off = len(score.surely_off.split("; ")) if score.surely_off else 0
    chance = f"{score.expected:.1f} ({score.low:g} to {score.high:g})"
    inside = f"{score.inside} of {score.judged}"
    return [score.printed, inside, str(score.outside), chance, rounded_p(p), str(off), link]


def _verdicts_of(folder: ResultsFolder) -> str:
    tables = folder.manifest.tables
    name = "verdicts" if "verdicts" in tables else next(iter(tables), "")
    return f"{name}.md"


def _links(folder: ResultsFolder) -> str:
    """Return the line of an experiment: its tables, figures and notes."""
    tables = [_link(folder, f"{name}.md", name) for name in folder.manifest.tables]
    figures = [_link(folder, f"{name}.svg", name) for name in folder.manifest.figures]
    parts = [f"tables {', '.join(tables)}"] if tables else []
    parts += [f"figures {', '.join(figures)}"] if figures else []
    if (folder.path / WRITTEN_BY_HAND).is_file():
        parts.append(_link(folder, WRITTEN_BY_HAND, "notes"))
    return f"`{folder.name}`, {folder.title}: {'; '.join(parts)}"


def _link(folder: ResultsFolder, file: str, text: str) -> str:
    return f"[{text}]({folder.name}/{file})"


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    last = "left" if header[-1] == FROM else "right"
    align = ("left", *["right"] * (len(header) - 2), last)
    return tabulate(rows, header, "pipe", colalign=align, disable_numparse=True) + "\n"


Known = Annotated[float | None, BeforeValidator(lambda text: text or None)]


class Score(Model):
    """The verdicts on a printed table as a whole, as `quadrepro.results.files` writes them.

    Attributes
    ----------
    printed : str
        Name of the printed table.
    numbers, inside, outside, not_comparable : int
        How many numbers are printed, and how many of them have each verdict.
    expected, low, high, p_more, p_fewer : float or None
        What chance brings, see `quadrepro.stats.Misses`; None if nothing is comparable.
    surely_off : str
        The entries that are off after Holm's correction.
    """

    printed: str = Field(alias="printed table")
    numbers: int
    inside: int
    outside: int
    not_comparable: int = Field(alias="not comparable")
    expected: Known = Field(alias="expected outside")
    low: Known
    high: Known
    p_more: Known = Field(alias="p more")
    p_fewer: Known = Field(alias="p fewer")
    surely_off: str = Field(alias="surely off")

    @model_validator(mode="after")
    def _knows_chance(self) -> Self:
        if self.judged and None in (self.expected, self.low, self.high):
            raise ValueError("numbers are judged, but what chance brings is missing")
        return self

    @property
    def judged(self) -> int:
        """How many numbers are inside or outside."""
        return self.inside + self.outside

    @property
    def text(self) -> str:
        """One line for a terminal."""
        if not self.judged:
            return f"{self.printed}: none of {self.numbers} printed numbers can be compared"
        return (
            f"{self.printed}: {self.inside} of {self.judged} printed numbers inside, "
            f"{self.outside} outside, {self.expected:.1f} expected by chance "
            f"({self.low:g} to {self.high:g} in 95% of tables)"
        )


def read_scores(folder: Path) -> list[Score]:
    """Return the scores of a results folder, one per printed table."""
    manifest = read_manifest(folder)
    if manifest is None or not manifest.score:
        raise ConfigError(f"{folder} has no printed numbers to compare with")
    path = folder / manifest.score
    rows = [row for _, row in read_rows(path)]
    try:
        return TypeAdapter(list[Score]).validate_python(rows)
    except ValidationError as error:
        raise DataError(f"{path} is damaged: {str(error).splitlines()[0]}") from None


SECTION = "## What does not reproduce"
"""Heading of the section of ``notes.md`` that the scoreboard repeats."""

HOLDS, SOME, FAILS, OPEN = "holds", "on some splits", "does not hold", "cannot be judged"
"""What becomes of a claim."""

PLURALS = {HOLDS: "hold", SOME: SOME, FAILS: "do not hold", OPEN: OPEN}
"""The same of several, in the order of the scoreboard."""


@dataclass(frozen=True)
class ResultsFolder:
    """What the scoreboard takes from a results folder.

    Attributes
    ----------
    path : Path
        The folder.
    manifest : Manifest
        Its ``tables.json``.
    run : dict
        Its ``run.json``.
    """

    path: Path
    manifest: Manifest
    run: dict[str, Any]

    @property
    def name(self) -> str:
        """Name of the experiment."""
        return self.path.name

    @property
    def title(self) -> str:
        """Title of the config."""
        return str(self.run["config"]["title"])

    @property
    def paper(self) -> str:
        """The paper that the config names; empty if there is none."""
        return str(self.run["config"].get("paper") or "")

    @property
    def group(self) -> str:
        """The group of claims that the config names; empty if there is none."""
        return str((self.run["config"].get("tables") or {}).get("claims") or "")

    @classmethod
    def read(cls, path: Path) -> ResultsFolder:
        """Read a results folder."""
        manifest = read_manifest(path)
        file = path / "run.json"
        try:
            if manifest is None:
                raise FileNotFoundError(MANIFEST)
            folder = cls(path, manifest, json.loads(read_text(file)))
            _ = folder.title, folder.paper, folder.group
        except (
            OSError,
            ValueError,
            LookupError,
            TypeError,
            AttributeError,
            RecursionError,
        ) as error:
            raise DataError(f"{file} is damaged or missing: {error}") from None
        return folder

    @cached_property
    def scores(self) -> list[Score]:
        """How the printed tables fare; empty if there are none."""
        return read_scores(self.path) if self.manifest.score else []

    @cached_property
    def claims(self) -> Counter[str]:
        """How many claims hold, hold on some splits, do not hold, cannot be judged."""
        path = self.path / "claims.csv"
        if not self.group or not is_regular(path):
            return Counter()
        return Counter(fate_of(row["holds"]) for _, row in read_rows(path, ("holds",)))

    @cached_property
    def open_points(self) -> str:
        """What does not reproduce and why: the section of ``notes.md``; empty if there is none."""
        path = self.path / WRITTEN_BY_HAND
        text = read_text(path) if is_regular(path) else ""
        _, _, rest = text.partition(f"\n{SECTION}\n")
        return rest.partition("\n## ")[0].strip()


def fate_of(holds: str) -> str:
    """Return what becomes of a claim from the column ``holds`` of ``claims.csv``."""
    if found := re.fullmatch(r"(\d{1,9}) of (\d{1,9})", holds):
        held, splits = map(int, found.groups())
        return HOLDS if held == splits else SOME if held else FAILS
    return holds if holds in (HOLDS, FAILS) else OPEN


@dataclass(frozen=True)
class PaperBoard:
    """How a paper fares.

    Attributes
    ----------
    name, title, reference : str
        Of the paper.
    folders : tuple of ResultsFolder
        Its experiments; those that count come first, in the order of its ``paper.yaml``.
    counting : int
        How many of them count.
    """

    name: str
    title: str
    reference: str
    folders: tuple[ResultsFolder, ...]
    counting: int

    @cached_property
    def scores(self) -> dict[str, tuple[ResultsFolder, Score]]:
        """The score that counts of each printed table, with its experiment."""
        found: dict[str, tuple[ResultsFolder, Score]] = {}
        for folder in self.folders[: self.counting]:
            for score in folder.scores:
                before = found.get(score.printed)
                if before is None or (score.judged and not before[1].judged):
                    found[score.printed] = folder, score
        return found

    @cached_property
    def claims(self) -> dict[str, tuple[ResultsFolder, Counter[str]]]:
        """The claims that count of each group, with their experiment: each claim once."""
        found: dict[str, tuple[ResultsFolder, Counter[str]]] = {}
        for folder in self.folders[: self.counting]:
            if folder.claims:
                before = found.get(folder.group)
                if before is None or (before[1].keys() == {OPEN} != folder.claims.keys()):
                    found[folder.group] = folder, folder.claims
        return found

    @property
    def all_claims(self) -> Counter[str]:
        """All claims together."""
        return sum((claims for _, claims in self.claims.values()), Counter())

    @property
    def inside(self) -> tuple[int, int]:
        """How many printed numbers are inside, of how many that can be compared."""
        scores = [score for _, score in self.scores.values()]
        return sum(s.inside for s in scores), sum(s.judged for s in scores)

    @property
    def expected(self) -> float:
        """How many printed numbers chance alone would put outside."""
        return sum(score.expected or 0.0 for _, score in self.scores.values())


def read_results(out: Path) -> list[ResultsFolder]:
    """Return the results folders in a folder, by name."""
    found = [ResultsFolder.read(folder) for folder in results_folders(out)]
    if not found:
        raise ConfigError(f"{out} holds no results: no folder in it has a {MANIFEST}")
    return found


def read_boards(folders: Sequence[ResultsFolder]) -> tuple[list[PaperBoard], list[ResultsFolder]]:
    """Return how each paper fares, and the experiments that belong to none."""
    boards = []
    for name in dict.fromkeys(folder.paper for folder in folders):
        if name:
            of_paper = [folder for folder in folders if folder.paper == name]
            boards.append(_board(name, of_paper))
    return boards, [folder for folder in folders if not folder.paper]


def _board(name: str, folders: list[ResultsFolder]) -> PaperBoard:
    from quadrepro.papers.paper import load_paper, paper_names

    if name not in paper_names():
        # The folder of a user's own paper lies beside a config that need not be at hand.
        return PaperBoard(name, name, "", tuple(folders), len(folders))
    paper = load_paper(name).file
    by_name = {folder.name: folder for folder in folders}
    first = [by_name.pop(e) for e in paper.experiments if e in by_name]
    ordered = (*first, *by_name.values())
    return PaperBoard(name, paper.title, paper.reference, ordered, len(first) or len(ordered))


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
        inside, judged = board.inside
        claims = board.all_claims
        numbers = [f"{inside} of {judged}", str(judged - inside), f"{board.expected:.1f}"]
        counts = [str(claims[fate]) for fate in PLURALS]
        rows.append([board.title, *(numbers if judged else ["–"] * 3), *counts])
    return header, rows
