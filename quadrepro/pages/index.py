"""The index of results folders: a card per paper, with what reproduces and what does not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from quadrepro.pages.claims import count_claims
from quadrepro.pages.folder import Folder
from quadrepro.pages.page import PAGE
from quadrepro.pages.rendering import render
from quadrepro.report.scoreboard import PaperBoard, ResultsFolder, fate_of, read_boards

NO_PAPER = "Without a paper"
"""Title of the experiments that name no paper; they come last."""


@dataclass(frozen=True)
class Experiment:
    """A results folder as the index lists it."""

    folder: Folder

    @property
    def name(self) -> str:
        """Name of the experiment."""
        return self.folder.name

    @property
    def title(self) -> str:
        """Its title."""
        return self.folder.title

    @property
    def link(self) -> str:
        """Its page."""
        return f"{self.folder.path.name}/{PAGE}"

    @cached_property
    def statuses(self) -> list[bool]:
        """Whether each cell has a result."""
        return [s.value is not None for splits in self.folder.cells.values() for s in splits]

    @property
    def n_cells(self) -> int:
        """The number of its cells."""
        return len(self.statuses)

    @property
    def n_lacking(self) -> int:
        """The number of those without a result."""
        return self.statuses.count(False)

    @property
    def judged(self) -> int:
        """The number of printed numbers that are compared."""
        return sum(map(_judged, self.folder.score))

    @property
    def inside(self) -> int:
        """The number of those inside our intervals."""
        return sum(int(row["inside"]) for row in self.folder.score)

    @property
    def expected(self) -> float:
        """How many of them are outside by chance."""
        return sum(float(row["expected outside"] or 0) for row in self.folder.score)

    @property
    def claims(self) -> dict[str, int]:
        """How many claims hold, do not and cannot be judged."""
        return count_claims(fate_of(row["holds"]) for row in self.folder.claims)


@dataclass(frozen=True)
class Shelf:
    """The experiments on a paper.

    Attributes
    ----------
    title, reference : str
        Of the paper.
    experiments : tuple of Experiment
        Those on it, the ones that the scoreboard counts first.
    board : PaperBoard or None
        Its scoreboard; None for experiments without a paper.
    """

    title: str
    reference: str
    experiments: tuple[Experiment, ...]
    board: PaperBoard | None = None

    @property
    def judged(self) -> int:
        """The number of printed numbers that are compared."""
        return self.board.inside[1] if self.board else 0

    @property
    def inside(self) -> int:
        """The number of those inside our intervals."""
        return self.board.inside[0] if self.board else 0

    @property
    def expected(self) -> float:
        """How many of them are outside by chance."""
        return self.board.expected if self.board else 0.0

    @property
    def claims(self) -> dict[str, int]:
        """The verdicts on its claims."""
        return count_claims(self.board.all_claims.elements()) if self.board else {}


@dataclass(frozen=True)
class Index:
    """What the template of the index shows."""

    shelves: tuple[Shelf, ...]

    @property
    def n_experiments(self) -> int:
        """The number of experiments."""
        return sum(len(shelf.experiments) for shelf in self.shelves)

    @property
    def n_papers(self) -> int:
        """The number of papers."""
        return sum(shelf.title != NO_PAPER for shelf in self.shelves)


def index_html(folders: Sequence[Folder]) -> str:
    """Return the index of some results folders.

    Parameters
    ----------
    folders : sequence of Folder
        What it lists.
    """
    by_path = {folder.path: Experiment(folder) for folder in folders}
    boards, others = read_boards([ResultsFolder.read(path) for path in by_path])
    shelves = [
        Shelf(b.title, b.reference, tuple(by_path[f.path] for f in b.folders), b) for b in boards
    ]
    if others:
        shelves.append(Shelf(NO_PAPER, "", tuple(by_path[folder.path] for folder in others)))
    return render("index.html.j2", index=Index(tuple(shelves)))


def _judged(row: dict[str, str]) -> int:
    return int(row["inside"]) + int(row["outside"])
