"""Pages of several results folders, and their index."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from quadrepro.base.files import is_regular, write_text
from quadrepro.errors import ConfigError, QuadreproError
from quadrepro.papers.paper import Paper, load_paper, paper_names
from quadrepro.results.manifest import results_folders
from quadrepro.results.pages.claims import GENERATOR, count_claims, render
from quadrepro.results.pages.folder import Folder, read_folder
from quadrepro.results.pages.page import PAGE, page_html, page_of
from quadrepro.results.scoreboard import PaperBoard, ResultsFolder, fate_of, read_boards

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
    """Return the index of some results folders."""
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


INDEX = "index.html"
"""Name of the index in the folder of all results folders."""


def write_page(path: Path, beside: Path | None = None) -> Path:
    """Write the page of a results folder."""
    folder = read_folder(path)
    write_text(page_of(path), page_html(folder, paper_of(folder, beside)))
    return page_of(path)


def write_report(path: Path, beside: Path | None = None) -> tuple[Path, list[str]]:
    """Write the page of a results folder, and the index of all folders beside it."""
    page = write_page(path, beside)
    return page, _write_index(path.resolve().parent)


def write_all(out: Path) -> tuple[Path, list[QuadreproError]]:
    """Write the pages of all results folders below a folder, and their index."""
    faults = []
    for path in results_folders(out):
        try:
            write_page(path)
        except QuadreproError as error:
            faults.append(error)
    _write_index(out)
    return out / INDEX, faults


def _write_index(out: Path) -> list[str]:
    """Write the index, and return why folders are not in it."""
    index = out / INDEX
    ours = is_regular(index) and f'content="{GENERATOR}"' in _beginning(index)
    if index.exists() and not ours:
        return [f"{index} was not written by quadrepro and stays as it is"]
    folders, faults = [], []
    for path in results_folders(out):
        try:
            folder = read_folder(path)
            folder.check()
            folders.append(folder)
        except QuadreproError as error:
            faults.append(f"not in the index: {error}")
    write_text(index, index_html(folders))
    return faults


def paper_of(folder: Folder, beside: Path | None = None) -> Paper | None:
    """Return the paper of a results folder, or None if it has none or it cannot be found."""
    if not folder.paper or (beside is None and folder.paper not in paper_names()):
        return None
    try:
        return load_paper(folder.paper, beside or Path())
    except ConfigError:
        return None


def _beginning(path: Path) -> str:
    with path.open("rb") as file:
        return file.read(1000).decode("utf-8", errors="replace")
