"""Writing pages: that of a results folder, and the index of all folders beside it."""

from __future__ import annotations

from pathlib import Path

from quadrepro._files import write_text
from quadrepro.errors import ConfigError, QuadreproError
from quadrepro.pages.folder import Folder, read_folder
from quadrepro.pages.index import index_html
from quadrepro.pages.page import page_html, page_of
from quadrepro.pages.rendering import GENERATOR
from quadrepro.papers.paper import Paper, load_paper, paper_names
from quadrepro.report.manifest import MANIFEST

INDEX = "index.html"
"""Name of the index in the folder of all results folders."""


def write_page(path: Path, beside: Path | None = None) -> Path:
    """Write the page of a results folder.

    Parameters
    ----------
    path : Path
        The results folder.
    beside : Path, optional
        The folder of its config, from which the path of the user's own paper starts; without it,
        only papers that ship are read.

    Returns
    -------
    Path
        The page.

    Raises
    ------
    ConfigError
        If it is no results folder.
    DataError
        If a file of it is damaged.
    """
    folder = read_folder(path)
    write_text(page_of(path), page_html(folder, paper_of(folder, beside)))
    return page_of(path)


def write_index(out: Path) -> tuple[Path | None, list[str]]:
    """Write the index of all results folders below a folder.

    Parameters
    ----------
    out : Path
        The folder of all results.

    Returns
    -------
    tuple of (Path or None, list of str)
        The index; None if there is a file of that name which quadrepro has not written and which
        stays. Why some folders are not listed.
    """
    index = out / INDEX
    if index.exists() and f'content="{GENERATOR}"' not in _beginning(index):
        return None, [f"{index} was not written by quadrepro and stays as it is"]
    folders, faults = [], []
    for path in results_folders(out):
        try:
            folder = read_folder(path)
            folders.append((folder, paper_of(folder)))
        except QuadreproError as error:
            faults.append(str(error))
    write_text(index, index_html(folders))
    return index, faults


def results_folders(out: Path) -> list[Path]:
    """Return the results folders below a folder, by name."""
    if not out.is_dir():
        return []
    return sorted(path for path in out.iterdir() if (path / MANIFEST).is_file())


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
