"""The scoreboard: how many printed numbers and claims hold, over several results folders."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pandas as pd
from tabulate import tabulate

from quadrepro.base.files import is_regular, read_text, write_text
from quadrepro.base.text import markdown
from quadrepro.errors import ConfigError
from quadrepro.papers.paper import PaperFile, load_paper, paper_names
from quadrepro.papers.printed import Facts
from quadrepro.results.results import Results, results_folders
from quadrepro.results.run import NOTES
from quadrepro.stats import rounded_p
from quadrepro.tables.kinds.claims import WORDS
from quadrepro.tables.made import VERDICTS

FILE = "README.md"
"""Name of the file."""

OUTSIDE = "What does not reproduce"
"""Heading of the section of the notes that the scoreboard repeats."""

NO_PAPER = "Without a paper"
"""Heading of the experiments without one."""

HOLDS, FAILS, OPEN = WORDS.values()
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
neither show nor refute it. Claims on running times depend on the machine and are counted apart.
"""

Score = dict[str, Any]
"""A row of `Results.scores`, with the number of judged numbers and the name of the folder."""


def scores_of(results: Results) -> list[Score]:
    """Return the score of each printed table."""
    return [
        {**score, "judged": score["inside"] + score["outside"], "folder": results.folder.name}
        for score in results.scores.to_dict("records")
    ]


def tally(scores: Iterable[Score]) -> tuple[int, int, float]:
    """Return how many numbers are judged, inside, and outside by chance on average."""
    judged = [score for score in scores if score["judged"]]
    n, inside = (sum(score[key] for score in judged) for key in ("judged", "inside"))
    return n, inside, sum(score["expected outside"] for score in judged)


def fate_of(holds: str) -> str:
    """Return the outcome of a claim from the column ``holds`` of ``claims.csv``."""
    return holds if holds in (HOLDS, FAILS) else OPEN


def fates_of(claims: Iterable[pd.DataFrame], timed: bool = False) -> Counter[str]:
    """Return the number of claims by outcome: of those on measured times, or of all others."""
    return Counter(fate_of(holds) for of in claims for holds in of["holds"][of["timed"] == timed])


def fates_text(fates: Counter[str]) -> str:
    """Return the number of claims by outcome, such as ``1 holds, 2 not decided``."""
    parts = [f"{n} {fate if n == 1 else PLURALS[fate]}" for fate in PLURALS if (n := fates[fate])]
    return ", ".join(parts)


def read_notes(results: Results) -> tuple[str, str]:
    """Return what was written by hand: on what does not reproduce and why, and the rest."""
    path = results.folder / NOTES
    text = read_text(path) if is_regular(path) else ""
    before, _, after = text.partition(f"\n## {OUTSIDE}\n")
    points, heading, rest = after.partition("\n## ")
    return points.strip(), f"{before}{heading}{rest}"


@dataclass(frozen=True)
class PaperBoard:
    """Counts of a paper, or of the experiments without one."""

    name: str
    """Name of the paper; empty without one."""
    paper: PaperFile
    folders: Sequence[Results]
    """Its experiments; those that count come first, in the order of its ``paper.yaml``."""
    scores: dict[str, Score]
    """The score that counts of each printed table."""
    fitting: dict[str, Score]
    """The same under the readings that fit print best, where these contradict the text."""
    groups: dict[str, Results]
    """The experiment whose claims count of each group."""

    @property
    def best(self) -> dict[str, Score]:
        """The score of each printed table under the reading that fits it best."""
        return self.scores | self.fitting

    @property
    def claims(self) -> list[pd.DataFrame]:
        """The claims that count."""
        return [of.claims for of in self.groups.values()]

    def means(self, scores: dict[str, Score]) -> list[Score]:
        """Return the scores of printed errors."""
        facts = self.paper.printed
        return [of for table, of in scores.items() if facts.get(table, Facts()).holds == "errors"]


def read_boards(found: Collection[Results]) -> list[PaperBoard]:
    """Return how each paper fares; experiments without a paper are the last board."""
    of_paper: dict[str, list[Results]] = {}
    for results in found:
        of_paper.setdefault(results.run.asked("paper"), []).append(results)
    return [_board(name, of_paper[name]) for name in sorted(of_paper, key=lambda name: not name)]


def _board(name: str, folders: list[Results]) -> PaperBoard:
    # The folder of a user's own paper is next to a config that need not be at hand.
    paper = load_paper(name).file if name in paper_names() else PaperFile(title=name or NO_PAPER)
    places = {experiment: i for i, experiment in enumerate(paper.experiments)}
    folders = sorted(folders, key=lambda of: places.get(of.folder.name, len(places)))
    counting = [of for of in folders if of.folder.name in places] or folders
    scores: dict[str, Score] = {}
    groups: dict[str, Results] = {}
    for of in counting:
        for score in scores_of(of):
            known = scores.setdefault(score["printed table"], score)
            # One without comparable numbers gives way to one with some.
            if score["judged"] and not known["judged"]:
                scores[score["printed table"]] = score
        if len(of.claims):
            groups.setdefault(of.run.claims, of)
    fits = {table: facts.fits for table, facts in paper.printed.items() if table in scores}
    every = (score for of in folders for score in scores_of(of))
    fitting = {
        score["printed table"]: score
        for score in every
        if score["folder"] == fits.get(score["printed table"])
    }
    return PaperBoard(name, paper, folders, scores, fitting, groups)


def write_scoreboard(out: Path) -> Path:
    """Write the scoreboard of a folder of results."""
    path = out / FILE
    if is_regular(path) and not read_text(path).startswith(HEADER):
        raise ConfigError(f"{path} was not written by quadrepro and stays as it is")
    write_text(path, scoreboard_text([*map(Results, results_folders(out))]))
    return path


def scoreboard_text(found: Collection[Results]) -> str:
    """Return the scoreboard as Markdown."""
    boards = read_boards(found)
    papers = [board for board in boards if board.name]
    parts = [HEADER + (_papers_table(papers) + EXPLANATION if papers else "")]
    if any(board.fitting for board in papers):
        parts.append(_two_counts(papers) + "\n")
    return markdown("\n".join([*parts, *map(_section, boards)]))


def _papers_table(boards: Iterable[PaperBoard]) -> str:
    rows = []
    for board in boards:
        judged, inside, expected = tally(board.scores.values())
        numbers = [f"{inside} of {judged}", judged - inside, f"{expected:.1f}"]
        if board.fitting:
            numbers[0] = f"{numbers[0]} ({tally(board.best.values())[1]} as they fit best)"
        rows.append([board.paper.title, *(numbers if judged else "–––"), *_fates(board.claims)])
    claims = [f"claims: {plural}" for plural in PLURALS.values()]
    header = ["", "printed numbers inside", "outside", "by chance", *claims, "claims on times"]
    return _table(header, rows)


def _fates(claims: Sequence[pd.DataFrame]) -> list[Any]:
    """Return the number of claims by outcome, and those on times in words."""
    fates = fates_of(claims)
    return [*(fates[fate] for fate in PLURALS), fates_text(fates_of(claims, timed=True)) or "–"]


def _two_counts(boards: Sequence[PaperBoard]) -> str:
    """Return how many printed means are inside as the texts say, and under the best readings."""
    judged, inside, _ = tally(of for board in boards for of in board.means(board.scores))
    _, best, _ = tally(of for board in boards for of in board.means(board.best))
    return (
        f"Of the {judged} printed means, {inside} are inside as the texts say, and {best} under the"
        " readings that fit print best, some of which contradict the texts."
    )


def _section(board: PaperBoard) -> str:
    parts = [f"## {board.paper.title}\n"]
    if board.paper.reference:
        parts.append(f"{board.paper.reference.rstrip('.')}.\n")
    rows = []
    for table, score in board.scores.items():
        rows.append([table, *_scored(score)])
        if table in board.fitting:
            rows.append([f"{table}, as it fits best", *_scored(board.fitting[table])])
    if rows:
        header = ["printed table", "inside", "outside", "by chance", "p", "off after Holm", "from"]
        parts.append(_table(header, rows, "left"))
    rows = [
        [group, *_fates([of.claims]), _link(of.folder.name, "claims.md")]
        for group, of in board.groups.items()
    ]
    if rows:
        parts.append(_table(["claims", *PLURALS.values(), "on times", "from"], rows, "left"))
    if points := [*filter(None, (read_notes(of)[0] for of in board.folders))]:
        text = "\n".join(points).replace("](../", "](")  # notes are one folder below
        parts.append(f"What does not reproduce, and why:\n\n{text}\n")
    return "\n".join([*parts, *map(_links, board.folders), ""])


def _scored(score: Score) -> list[Any]:
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
    parts += [_link(name, NOTES, "notes")] if is_regular(results.folder / NOTES) else []
    return f"- `{name}`, {results.title}: {'; '.join(parts)}"


def _link(folder: str, file: str, text: str = "") -> str:
    return f"[{text or folder}]({quote(f'{folder}/{file}')})"


def _table(header: Sequence[str], rows: Iterable[Sequence[Any]], last: str = "right") -> str:
    align = ("left", *["right"] * (len(header) - 2), last)
    return tabulate(rows, header, "pipe", colalign=align, disable_numparse=True) + "\n"
