"""The scoreboard: printed numbers inside and judgements on claims, over results folders."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pandas as pd
from tabulate import tabulate

from quadrepro.base.files import is_regular, read_text, write_text
from quadrepro.base.text import markdown
from quadrepro.errors import ConfigError
from quadrepro.papers.claims.claim import WORDS
from quadrepro.papers.paper import PaperFile, load_paper, paper_names
from quadrepro.papers.printed import Facts
from quadrepro.results.results import HOLM, Results, results_folders
from quadrepro.results.run import NOTES
from quadrepro.stats import rounded_p
from quadrepro.tables.conclusion import counts_text
from quadrepro.tables.kinds import VERDICTS
from quadrepro.tables.render import escaped

FILE = "README.md"
"""Name of the file."""

OUTSIDE = "What does not reproduce"
"""Heading of the section of the notes that the scoreboard repeats."""

NO_PAPER = "Without a paper"
"""Heading of the experiments without one."""

HEADER = "# Results\n\nMade by `quadrepro table --all` from the results in this folder.\n\n"

EXPLANATION = """
A printed number is inside if it lies where one further split of ours, or the mean of further
splits, lies with probability 0.95; "by chance" is the number expected outside if all were drawn
like ours, and "p" its two-sided p-value. Each claim counts once: it is supported or refuted if a
test finds it or its contrary, or if it is about these very numbers; it agrees or disagrees if the
numbers say so but no test finds it. Claims on running times depend on the machine and are counted
separately.
"""

SCORES_HEADER = (
    *("printed table", "inside", "outside", "by chance", "p", "outside after Holm"),
    *("deviations inside", "from"),
)

Score = dict[str, Any]
"""A row of `Results.scores`, with the number of judged numbers and the name of the folder."""


def scores_of(results: Results) -> list[Score]:
    """Return the score of each printed table."""
    return [
        {**score, "judged": score["inside"] + score["outside"], "folder": results.folder.name}
        for score in results.scores.to_dict("records")
    ]


def tally(scores: Iterable[Score]) -> tuple[int, int, float]:
    """Return the numbers of judged numbers, inside, and expected outside by chance."""
    judged = [score for score in scores if score["judged"]]
    keys = ("judged", "inside", "expected outside")
    n, inside, expected = (sum(score[key] for score in judged) for key in keys)
    return n, inside, expected


def word_of(judgement: str) -> str:
    """Return a judgement of ``claims.csv``; other texts are undecided."""
    return judgement if judgement in WORDS else "undecided"


def words_of(claims: Iterable[pd.DataFrame], timed: bool = False) -> Counter[str]:
    """Return the number of claims by judgement: on measured times, or all others."""
    every = (frame["judgement"][frame["timed"] == timed] for frame in claims)
    return Counter(map(word_of, chain.from_iterable(every)))


def read_notes(results: Results) -> tuple[str, str]:
    """Return the notes by hand: on numbers that do not reproduce, and the rest."""
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
    """Its experiments; first those that count, in the order of its ``paper.yaml``."""
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
        return [results.claims for results in self.groups.values()]

    def means(self, scores: dict[str, Score]) -> list[Score]:
        """Return the scores of printed errors."""
        facts = self.paper.printed
        return [s for table, s in scores.items() if facts.get(table, Facts()).holds == "errors"]


def read_boards(every: Collection[Results]) -> list[PaperBoard]:
    """Return the counts of each paper; experiments without a paper are the last board."""
    by_paper: dict[str, list[Results]] = {}
    for results in every:
        by_paper.setdefault(results.run.config_text("paper"), []).append(results)
    return [_board(name, by_paper[name]) for name in sorted(by_paper, key=lambda name: not name)]


def _board(name: str, folders: list[Results]) -> PaperBoard:
    # The folder of a user's own paper is next to a config that need not be at hand.
    paper = load_paper(name).file if name in paper_names() else PaperFile(title=name or NO_PAPER)
    places = {experiment: i for i, experiment in enumerate(paper.experiments)}
    folders = sorted(folders, key=lambda r: places.get(r.folder.name, len(places)))
    scores: dict[str, Score] = {}
    groups: dict[str, Results] = {}
    for results in [r for r in folders if r.folder.name in places] or folders:
        for score in scores_of(results):
            first = scores.setdefault(score["printed table"], score)
            # One without comparable numbers gives way to one with some.
            if score["judged"] and not first["judged"]:
                scores[score["printed table"]] = score
        if len(results.claims):
            groups.setdefault(results.run.claims, results)
    fits = {(table, facts.fits) for table, facts in paper.printed.items() if table in scores}
    every = chain.from_iterable(map(scores_of, folders))
    fitting = {s["printed table"]: s for s in every if (s["printed table"], s["folder"]) in fits}
    return PaperBoard(name, paper, folders, scores, fitting, groups)


def write_scoreboard(out: Path) -> Path:
    """Write the scoreboard of a folder of results."""
    path = out / FILE
    if is_regular(path) and not read_text(path).startswith(HEADER):
        raise ConfigError(f"{path} was not written by quadrepro and stays as it is")
    write_text(path, scoreboard_text([*map(Results, results_folders(out))]))
    return path


def scoreboard_text(every: Collection[Results]) -> str:
    """Return the scoreboard as Markdown."""
    boards = read_boards(every)
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
        title = escaped(board.paper.title)
        rows.append([title, *(numbers if judged else "–––"), *_words(board.claims)])
    header = ["", "printed numbers inside", "outside", "by chance", *WORDS, "claims on times"]
    return _table(header, rows)


def _words(claims: Sequence[pd.DataFrame]) -> list[Any]:
    """Return the number of claims by judgement, and those on times in words."""
    counts = words_of(claims)
    return [*(counts[word] for word in WORDS), counts_text(words_of(claims, timed=True)) or "–"]


def _two_counts(boards: Sequence[PaperBoard]) -> str:
    """Return the number of printed means inside as the texts say, and under the best readings."""
    judged, inside, _ = tally(score for board in boards for score in board.means(board.scores))
    _, best, _ = tally(score for board in boards for score in board.means(board.best))
    return (
        f"{inside} of the {judged} printed means are inside as the texts say, and {best} under the "
        "readings that fit them best; some of these contradict the texts."
    )


def _section(board: PaperBoard) -> str:
    parts = [f"## {escaped(board.paper.title)}\n"]
    if board.paper.reference:
        parts.append(f"{escaped(board.paper.reference.rstrip('.'))}.\n")
    rows = []
    for table, score in board.scores.items():
        rows.append([escaped(table), *_scored(score)])
        if table in board.fitting:
            rows.append([f"{escaped(table)}, as it fits best", *_scored(board.fitting[table])])
    if rows:
        parts.append(_table(SCORES_HEADER, rows, "left"))
    rows = [
        [escaped(group), *_words([results.claims]), _link(results.folder.name, "claims.md")]
        for group, results in board.groups.items()
    ]
    if rows:
        parts.append(_table(["claims", *WORDS, "on times", "from"], rows, "left"))
    if points := [*filter(None, (read_notes(results)[0] for results in board.folders))]:
        text = "\n".join(points).replace("](../", "](")  # notes are one folder below
        parts.append(f"What does not reproduce, and why:\n\n{text}\n")
    return "\n".join([*parts, *map(_links, board.folders), ""])


def _scored(score: Score) -> list[Any]:
    link = _link(score["folder"], f"{VERDICTS}.md")
    if not score["judged"]:
        return [f"none of {score['numbers']} comparable", *"–––––", link]
    chance = f"{score['expected outside']:.1f} ({score['low']:g} to {score['high']:g})"
    counts = [f"{score['inside']} of {score['judged']}", score["outside"], chance]
    n = score["deviations inside"] + score["deviations outside"]
    deviations = f"{score['deviations inside']} of {n}" if n else "–"
    return [*counts, rounded_p(score["p"]), len(score[HOLM]), deviations, link]


def _links(results: Results) -> str:
    """Return the line of an experiment: its tables, figures and notes."""
    name = results.folder.name
    tables = [_link(name, f"{table}.md", table) for table in results.tables]
    figures = [_link(name, path.name, figure) for figure, path in results.figures.items()]
    parts = [f"tables {', '.join(tables)}"] if tables else []
    parts += [f"figures {', '.join(figures)}"] if figures else []
    parts += [_link(name, NOTES, "notes")] if is_regular(results.folder / NOTES) else []
    return f"- `{name}`, {escaped(results.title)}: {'; '.join(parts)}"


def _link(folder: str, file: str, text: str = "") -> str:
    return f"[{escaped(text or folder)}]({quote(f'{folder}/{file}')})"


def _table(header: Sequence[str], rows: Iterable[Sequence[Any]], last: str = "right") -> str:
    align = ("left", *["right"] * (len(header) - 2), last)
    return tabulate(rows, header, "pipe", colalign=align, disable_numparse=True) + "\n"
