"""``README.md`` of a folder of results: the scoreboard, with links to all tables and figures."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tabulate import tabulate

from quadrepro.base.files import write_text
from quadrepro.base.text import markdown
from quadrepro.results.compare import WRITTEN_BY_HAND
from quadrepro.results.scoreboard import (
    PLURALS,
    PaperBoard,
    ResultsFolder,
    Score,
    papers_table,
    read_boards,
    read_results,
)
from quadrepro.stats.result import rounded_p

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
    """Write the scoreboard of a folder of results.

    Parameters
    ----------
    out : Path
        Folder in which each experiment has a folder of its name.

    Returns
    -------
    Path
        The file.

    Raises
    ------
    ConfigError
        If there are no results.
    DataError
        If files are damaged.
    """
    path = out / FILE
    write_text(path, overview_text(read_results(out)))
    return path


def overview_text(folders: Sequence[ResultsFolder]) -> str:
    """Return the scoreboard as Markdown.

    Parameters
    ----------
    folders : sequence of ResultsFolder
        The results.
    """
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
