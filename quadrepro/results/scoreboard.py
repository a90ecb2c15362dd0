"""The scoreboard: how many printed numbers and claims hold, over several results folders."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
from tabulate import tabulate

from quadrepro.base.files import is_regular, read_text, write_text
from quadrepro.base.text import markdown
from quadrepro.errors import ConfigError, DataError
from quadrepro.papers.paper import PaperFile, load_paper, paper_names
from quadrepro.papers.printed import Facts
from quadrepro.results.results import Results, results_folders
from quadrepro.results.run import MANIFEST, NOTES, RUN
from quadrepro.stats import rounded_p
from quadrepro.tables.made import VERDICTS

FILE = "README.md"
"""Name of the file."""

OUTSIDE = "What does not reproduce"
"""Heading of the section of the notes that the scoreboard repeats."""

NO_PAPER = "Without a paper"
"""Heading of the experiments without one."""

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


def scores_of(*results: Results) -> pd.DataFrame:
    """Return `Results.scores` with the number of judged numbers and the name of the folder."""
    frames = [of.scores.assign(folder=of.folder.name) for of in results]
    filled = [frame for frame in frames if len(frame)] or frames[:1]
    found = pd.concat(filled, ignore_index=True)
    return found.assign(judged=found["inside"] + found["outside"])


def tally(scores: pd.DataFrame) -> tuple[int, int, float]:
    """Return how many numbers are judged, inside, and outside by chance on average."""
    judged = scores[scores["judged"] > 0]
    n, inside = (int(judged[name].sum()) for name in ("judged", "inside"))
    return n, inside, judged["expected outside"].sum()


def fate_of(holds: str) -> str:
    """Return the outcome of a claim from the column ``holds`` of ``claims.csv``."""
    return holds if holds in (HOLDS, FAILS) else OPEN


def fates_of(claims: pd.DataFrame) -> Counter[str]:
    """Return the number of claims that hold, that do not, and that are not decided."""
    return Counter(map(fate_of, claims["holds"]))


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
    """Counts of a paper, or of the experiments without one."""

    name: str
    """Name of the paper; empty without one."""
    title: str
    reference: str
    folders: Sequence[Results]
    """Its experiments; those that count come first, in the order of its ``paper.yaml``."""
    scores: pd.DataFrame
    """The score that counts of each printed table; see `scores_of`."""
    fitting: pd.DataFrame
    """The same under the readings that fit print best, where these contradict the text."""
    claims: pd.DataFrame
    """The claims that count, each once, with their group and folder."""

    @property
    def best(self) -> pd.DataFrame:
        """The score of each printed table under the reading that fits it best."""
        return pd.concat([self.fitting, self.scores]).drop_duplicates("printed table")


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


def read_boards(found: Collection[Results]) -> list[PaperBoard]:
    """Return how each paper fares; experiments without a paper are the last board."""
    of_paper: dict[str, list[Results]] = {}
    for results in found:
        of_paper.setdefault(results.run.asked("paper"), []).append(results)
    return [_board(name, of_paper[name]) for name in sorted(of_paper, key=lambda name: not name)]


def _board(name: str, folders: list[Results]) -> PaperBoard:
    # The folder of a user's own paper lies beside a config that need not be at hand.
    paper = load_paper(name).file if name in paper_names() else PaperFile(title=name or NO_PAPER)
    places = {experiment: i for i, experiment in enumerate(paper.experiments)}
    folders = sorted(folders, key=lambda of: places.get(of.folder.name, len(places)))
    counting = [of for of in folders if of.folder.name in places] or folders

    every = scores_of(*folders)
    facts = [paper.printed.get(table, Facts()) for table in every["printed table"]]
    every = every.assign(holds=[of.holds for of in facts], fits=[of.fits for of in facts])
    scores = every[every["folder"].isin([of.folder.name for of in counting])]
    # One without comparable numbers gives way to one with some.
    first = (scores["judged"] > 0).groupby(scores["printed table"], sort=False).idxmax()
    fitting = every[every["folder"] == every["fits"]]
    fitting = fitting[fitting["printed table"].isin(first.index)]

    asked = [of.claims.assign(group=of.run.claims, folder=of.folder.name) for of in counting]
    claims = pd.concat(asked, ignore_index=True)
    first_of_group = claims.groupby("group")["folder"].transform("first")
    claims = claims[claims["folder"] == first_of_group]
    title, reference = paper.title, paper.reference
    return PaperBoard(name, title, reference, folders, scores.loc[first], fitting, claims)


def write_scoreboard(out: Path) -> Path:
    """Write the scoreboard of a folder of results."""
    path = out / FILE
    write_text(path, scoreboard_text(read_results(out)))
    return path


def scoreboard_text(found: Collection[Results]) -> str:
    """Return the scoreboard as Markdown."""
    boards = read_boards(found)
    papers = [board for board in boards if board.name]
    parts = [HEADER + (_papers_table(papers) + EXPLANATION if papers else "")]
    if any(len(board.fitting) for board in papers):
        parts.append(_two_counts(papers) + "\n")
    return markdown("\n".join([*parts, *map(_section, boards)]))


def _papers_table(boards: Iterable[PaperBoard]) -> str:
    rows = []
    for board in boards:
        judged, inside, expected = tally(board.scores)
        numbers = [f"{inside} of {judged}", judged - inside, f"{expected:.1f}"]
        if len(board.fitting):
            numbers[0] = f"{numbers[0]} ({board.best['inside'].sum()} as they fit best)"
        fates = fates_of(board.claims)
        rows.append([board.title, *(numbers if judged else "–––"), *map(fates.get, PLURALS)])
    claims = [f"claims: {plural}" for plural in PLURALS.values()]
    return _table(["", "printed numbers inside", "outside", "by chance", *claims], rows)


def _two_counts(boards: Iterable[PaperBoard]) -> str:
    """Return how many printed means are inside as the texts say, and under the best readings."""
    judged = inside = best = 0
    for board in boards:
        text, fitting = (of[of["holds"] == "errors"] for of in (board.scores, board.best))
        judged += tally(text)[0]
        inside += tally(text)[1]
        best += tally(fitting)[1]
    return (
        f"Of the {judged} printed means, {inside} are inside as the texts say, and {best} under the"
        " readings that fit print best, some of which contradict the texts."
    )


def _section(board: PaperBoard) -> str:
    parts = [f"## {board.title}\n"]
    if board.reference:
        parts.append(f"{board.reference.rstrip('.')}.\n")
    rows, fitting = [], {of["printed table"]: of for of in board.fitting.to_dict("records")}
    for score in board.scores.to_dict("records"):
        table = score["printed table"]
        rows.append([table, *_scored(score)])
        if table in fitting:
            rows.append([f"{table}, as it fits best", *_scored(fitting[table])])
    if rows:
        header = ["printed table", "inside", "outside", "by chance", "p", "off after Holm", "from"]
        parts.append(_table(header, rows, "left"))
    rows = [
        [group, *map(fates_of(of).get, PLURALS), _link(of["folder"].iloc[0], "claims.md")]
        for group, of in board.claims.groupby("group", sort=False)
    ]
    if rows:
        parts.append(_table(["claims", *PLURALS.values(), "from"], rows, "left"))
    if points := [*filter(None, (open_points(read_notes(of)) for of in board.folders))]:
        text = "\n".join(points).replace("](../", "](")  # notes are one folder below
        parts.append(f"What does not reproduce, and why:\n\n{text}\n")
    return "\n".join([*parts, *map(_links, board.folders), ""])


def _scored(score: Mapping[Hashable, Any]) -> list[Any]:
    link = _link(score["folder"], f"{VERDICTS}.md")
    if not score["judged"]:
        return [f"none of {score['numbers']} comparable", *"––––", link]
    inside = f"{score['inside']} of {score['judged']}"
    chance = f"{score['expected outside']:.1f} ({score['low']:g} to {score['high']:g})"
    p = rounded_p(min(1.0, 2 * min(score["p more"], score["p fewer"])))
    return [inside, score["outside"], chance, p, len(score["surely off"]), link]


def _links(results: Results) -> str:
    """Return the line of an experiment: its tables, figures and notes."""
    name = results.folder.name
    tables = [_link(name, f"{table}.md", table) for table in results.tables]
    figures = [_link(name, path.name, figure) for figure, path in results.figures.items()]
    parts = [f"tables {', '.join(tables)}"] if tables else []
    parts += [f"figures {', '.join(figures)}"] if figures else []
    parts += [_link(name, NOTES, "notes")] if read_notes(results) else []
    return f"- `{name}`, {results.title}: {'; '.join(parts)}"


def _link(folder: str, file: str, text: str = "") -> str:
    return f"[{text or folder}]({folder}/{file})"


def _table(header: Sequence[str], rows: Iterable[Sequence[Any]], last: str = "right") -> str:
    align = ("left", *["right"] * (len(header) - 2), last)
    shown = tabulate(rows, header, "pipe", colalign=align, disable_numparse=True, missingval="0")
    return shown + "\n"
