"""Pages of results folders and their index: rendered, and written."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from quadrepro.base.files import is_regular, write_text
from quadrepro.errors import ConfigError, QuadreproError
from quadrepro.papers.paper import Paper, load_paper, paper_names
from quadrepro.results.folder import (
    FAILS,
    HOLDS,
    OPEN,
    Folder,
    fate_of,
    read_folder,
    results_folders,
)
from quadrepro.results.pages.page import PAGE, Page, claims_sentence, finding, score_sentence
from quadrepro.results.scoreboard import PLURALS, PaperBoard, read_boards

INDEX = "index.html"
"""Name of the index in the folder of all results folders."""

GENERATOR = "quadrepro"
"""Names in a page who has written it."""

NO_PAPER = "Without a paper"
"""Title of the experiments that name no paper; they come last."""

CLAIM_MARKS = {HOLDS: "✓", FAILS: "✗", OPEN: "?"}
"""Mark of what becomes of a claim, for those who do not see colours."""


@cache
def _templates() -> Environment:
    templates = Environment(
        loader=PackageLoader("quadrepro.results.pages"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    assert templates.loader is not None
    style, script = (templates.loader.get_source(templates, f"page.{e}")[0] for e in ("css", "js"))
    templates.filters |= {
        "fate": fate_of,
        "sentence": score_sentence,
        "claims_sentence": claims_sentence,
        "finding": finding,
    }
    templates.globals |= {
        "generator": GENERATOR,
        "claim_marks": CLAIM_MARKS,
        "plurals": PLURALS,
        "style": Markup(style),
        "script": Markup(script),
        # A page runs its own script alone, whatever the names in it are.
        "script_hash": base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
    }
    templates.policies["json.dumps_kwargs"] = {"ensure_ascii": False, "separators": (",", ":")}
    return templates


def _render(template: str, **names: Any) -> str:
    return _templates().get_template(template).render(names)


def page_html(folder: Folder, paper: Paper | None = None) -> str:
    """Return the page of a results folder; folders beside it may say what fits print better."""
    return _render("page.html.j2", page=Page(folder, paper), folder=folder, name=PAGE)


def index_html(folders: Sequence[Folder]) -> str:
    """Return the index of some results folders."""
    boards, others = read_boards(folders)
    rest = [PaperBoard("", NO_PAPER, "", tuple(others), 0)] if others else []
    counts = {"n_folders": len(folders), "n_papers": len(boards)}
    return _render("index.html.j2", boards=[*boards, *rest], page=PAGE, **counts)


def write_page(path: Path, beside: Path | None = None) -> Path:
    """Write the page of a results folder."""
    folder = read_folder(path)
    write_text(path / PAGE, page_html(folder, paper_of(folder, beside)))
    return path / PAGE


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
    if index.exists() and not _is_ours(index):
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


def _is_ours(index: Path) -> bool:
    """Return whether quadrepro has written an index."""
    if not is_regular(index):
        return False
    with index.open("rb") as file:
        return f'content="{GENERATOR}"'.encode() in file.read(1000)


def paper_of(folder: Folder, beside: Path | None = None) -> Paper | None:
    """Return the paper of a results folder, or None if it has none or it cannot be found."""
    name = folder.run.paper
    if not name or (beside is None and name not in paper_names()):
        return None
    try:
        return load_paper(name, beside or Path())
    except ConfigError:
        return None
