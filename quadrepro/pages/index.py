"""The index of results folders: a card per paper, with what reproduces and what does not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from quadrepro.pages.claims import count_claims, verdict_of
from quadrepro.pages.folder import Folder
from quadrepro.pages.page import PAGE
from quadrepro.pages.rendering import render
from quadrepro.papers.paper import Paper

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
        return count_claims(verdict_of(row["holds"]) for row in self.folder.claims)

    @property
    def tries_readings(self) -> bool:
        """Whether the same printed numbers are compared with several readings of a protocol."""
        return bool(self.folder.settings.get("readings"))


@dataclass(frozen=True)
class Shelf:
    """The experiments on a paper.

    Attributes
    ----------
    title, reference : str
        Of the paper.
    experiments : tuple of Experiment
        Those on it.
    """

    title: str
    reference: str
    experiments: tuple[Experiment, ...]

    @cached_property
    def scores(self) -> list[dict[str, str]]:
        """Of each printed table the row of the experiment that compares most of its numbers."""
        found: dict[str, dict[str, str]] = {}
        for experiment in self.experiments:
            for row in () if experiment.tries_readings else experiment.folder.score:
                best = found.get(row["printed table"])
                if _judged(row) > (_judged(best) if best else 0):
                    found[row["printed table"]] = row
        return [*found.values()]

    @property
    def judged(self) -> int:
        """The number of printed numbers that are compared."""
        return sum(map(_judged, self.scores))

    @property
    def inside(self) -> int:
        """The number of those inside our intervals."""
        return sum(int(row["inside"]) for row in self.scores)

    @property
    def expected(self) -> float:
        """How many of them are outside by chance."""
        return sum(float(row["expected outside"] or 0) for row in self.scores)

    @property
    def claims(self) -> dict[str, int]:
        """The verdicts on its claims, each by the experiment with most cells that judges it."""
        found: dict[str, tuple[bool, int, str]] = {}
        for experiment in self.experiments:
            for row in experiment.folder.claims:
                verdict = verdict_of(row["holds"])
                here = (verdict != verdict_of(""), experiment.n_cells, verdict)
                found[row["claim"]] = max(found.get(row["claim"], here), here)
        return count_claims(verdict for *_, verdict in found.values())


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


def index_html(folders: Sequence[tuple[Folder, Paper | None]]) -> str:
    """Return the index of some results folders.

    Parameters
    ----------
    folders : sequence of (Folder, Paper or None)
        Each with the paper that it reproduces, if it is known.
    """
    shelves: dict[tuple[str, str], list[Experiment]] = {}
    for folder, paper in folders:
        title = paper.file.title if paper else folder.paper or NO_PAPER
        place = title, paper.file.reference if paper else ""
        shelves.setdefault(place, []).append(Experiment(folder))
    ordered = sorted(shelves.items(), key=lambda shelf: shelf[0][0] == NO_PAPER)
    index = Index(tuple(Shelf(*place, tuple(found)) for place, found in ordered))
    return render("index.html.j2", index=index)


def _judged(row: dict[str, str]) -> int:
    return int(row["inside"]) + int(row["outside"])
