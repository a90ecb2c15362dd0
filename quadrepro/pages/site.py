"""Writing pages: that of a results folder, and the index of all folders beside it."""

from __future__ import annotations

from pathlib import Path

from quadrepro._files import is_regular, write_text
from quadrepro.errors import ConfigError, QuadreproError
from quadrepro.pages.folder import Folder, read_folder
from quadrepro.pages.index import index_html
from quadrepro.pages.page import page_html, page_of
from quadrepro.pages.rendering import GENERATOR
from quadrepro.papers.paper import Paper, load_paper, paper_names
from quadrepro.report.locating import results_folders

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


def write_report(path: Path, beside: Path | None = None) -> tuple[Path, list[str]]:
    """Write the page of a results folder, and the index of all folders beside it.

    Parameters
    ----------
    path, beside
        As in `write_page`, which raises the same errors.

    Returns
    -------
    tuple of (Path, list of str)
        The page, and why folders are not in the index.
    """
    page = write_page(path, beside)
    return page, _write_index(path.resolve().parent)


def write_all(out: Path) -> tuple[Path, list[QuadreproError]]:
    """Write the pages of all results folders below a folder, and their index.

    Parameters
    ----------
    out : Path
        The folder of all results.

    Returns
    -------
    tuple of (Path, list of QuadreproError)
        The index, and why folders have no page.
    """
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
