"""Replays of committed results: the recorded seconds of all cells, in simulated time.

``python -m tests.replay`` writes the table of docs/estimates.md again.
"""

from __future__ import annotations

import csv
import heapq
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from statistics import median
from typing import cast
from unittest.mock import patch

from quadrepro.base.resources import configs_folder
from quadrepro.config import plan as planning
from quadrepro.config.config import load_experiment
from quadrepro.core import problems
from quadrepro.core.cell import Cell
from quadrepro.core.encoding import count_rows
from quadrepro.data.card import load_card
from quadrepro.data.schema import View
from quadrepro.data.store import Found, Location
from quadrepro.engine.estimates import (
    Around,
    Estimates,
    Kind,
    Kinds,
    Remaining,
    Seen,
    forecast,
    longest_first,
)
from quadrepro.errors import DataError

RESULTS = Path(__file__).resolve().parents[1] / "results"

PAGE = Path(__file__).resolve().parents[1] / "docs" / "estimates.md"

BEGIN, END = "<!-- replays -->", "<!-- end of replays -->"

SHARES = (0.05, 0.25, 0.5)


LOOKS = 200
"""How often a replay looks at the time left."""


@dataclass(frozen=True)
class Replayed:
    """One experiment, replayed.

    Attributes
    ----------
    name : str
        The experiment.
    n_cells : int
        Number of its cells.
    seconds : float
        How long it took on the simulated clock.
    start, low, high : float
        The total that was expected before it began, without algorithms that only this experiment
        has, and its range.
    unknown : tuple of str
        These algorithms.
    totals : tuple of float
        The total that was expected at the shares of the time in `SHARES`.
    """

    name: str
    n_cells: int
    seconds: float
    start: float
    low: float
    high: float
    unknown: tuple[str, ...]
    totals: tuple[float, ...]


@dataclass(frozen=True)
class _Nowhere:
    origin: str = "nowhere"

    def read(self, *_: object) -> None:
        raise DataError("a replay reads no data")


def _find(names: Iterable[str], folder: Path | None = None) -> dict[str, Found]:
    return {name: Found(load_card(name), cast(Location, _Nowhere())) for name in names}


def _count(found: Found, view: View) -> int:
    try:
        return count_rows(found, view)
    except DataError:
        return found.card.rows


@cache
def recorded(name: str) -> tuple[tuple[Cell, float, str], ...]:
    """Return the cells of an experiment with their recorded seconds and keys."""
    with (
        patch.object(planning, "find_datasets", _find),
        patch.object(problems, "count_rows", _count),
    ):
        cells = planning.make_plan(load_experiment(configs_folder() / f"{name}.yaml")).cells
    with (RESULTS / name / "cells.csv").open(newline="") as file:
        rows = {(r["dataset"], r["algorithm"], r["repeat"]): r for r in csv.DictReader(file)}
    found = [(c, rows.get((c.dataset, c.algorithm, str(c.repeat)))) for c in cells]
    return tuple((c, float(r["seconds"]), r["key"]) for c, r in found if r and r["seconds"])


def experiments() -> list[str]:
    """Return the experiments with committed times."""
    return sorted(path.parent.name for path in RESULTS.glob("*/cells.csv"))


@cache
def _told() -> dict[str, tuple[Kind, float]]:
    """Return kind and seconds of all cells, by key: some are of several experiments."""
    kind_of = Kinds()
    every = (cell for name in experiments() for cell in recorded(name))
    return {key: (kind_of(cell), seconds) for cell, seconds, key in every}


@cache
def _known() -> dict[Kind, Seen]:
    known: dict[Kind, Seen] = defaultdict(Seen)
    for kind, seconds in _told().values():
        known[kind].add(seconds)
    return dict(known)


def known_without(name: str) -> dict[Kind, Seen]:
    """Return what all cells tell but those of an experiment."""
    known = {kind: Seen(seen.count, seen.seconds) for kind, seen in _known().items()}
    for key in {key for *_, key in recorded(name)}:
        kind, seconds = _told()[key]
        known[kind].add(-seconds, -1)
    return {kind: seen for kind, seen in known.items() if seen.count}


def replay(name: str, known: dict[Kind, Seen], jobs: int = 2) -> Replayed:
    """Run an experiment in simulated time, with what is known before."""
    seconds_of = {id(cell): seconds for cell, seconds, _ in recorded(name)}
    cells = [cell for cell, *_ in recorded(name)]
    estimates = Estimates()
    estimates.recall(known)
    expected = forecast(cells, estimates, jobs, Around())
    left = Remaining(cells, jobs, estimates, 0.0)
    totals: list[tuple[float, float]] = []
    now = 0.0
    look = -(-len(cells) // LOOKS)
    for i, now in enumerate(_simulated(cells, seconds_of, jobs, estimates, left)):
        if i % look == 0 or i == len(cells) - 1:
            rest = left.shown(now)
            totals.append((now, now + (0.0 if rest is None else rest)))
    at = [next(total for time, total in totals if time >= share * now) for share in SHARES]
    start = expected.seconds, expected.low, expected.high
    return Replayed(name, len(cells), now, *start, expected.unknown, tuple(at))


def replay_all() -> list[Replayed]:
    """Replay every experiment, each with what all others tell."""
    return [replay(name, known_without(name)) for name in experiments()]


def _simulated(
    cells: list[Cell],
    seconds_of: dict[int, float],
    jobs: int,
    estimates: Estimates,
    left: Remaining,
) -> Iterator[float]:
    """Yield the time after every cell; workers take the next cell as soon as one ends."""
    rest = longest_first(cells, estimates)
    running: list[tuple[float, int, float, Cell]] = []
    now = 0.0
    for i, cell in enumerate(rest):
        seconds = seconds_of[id(cell)]
        left.sent(cell, now)
        heapq.heappush(running, (now + seconds, i, seconds, cell))
        if len(running) == jobs:
            now = _end(running, estimates, left)
            yield now
    while running:
        now = _end(running, estimates, left)
        yield now


def _end(
    running: list[tuple[float, int, float, Cell]], estimates: Estimates, left: Remaining
) -> float:
    now, _, seconds, cell = heapq.heappop(running)
    estimates.learn(cell, seconds)
    left.done(cell, seconds, now)
    return now


def table() -> str:
    """Return what replays show, as a table in Markdown."""
    lines = [
        "| experiment | cells | seconds | at start | range | at 5% | at 25% | at 50% |",
        "|---|--:|--:|--:|:-:|--:|--:|--:|",
    ]
    replays = replay_all()
    for one in replays:
        ends = f"{one.low / one.seconds:.2f}–{one.high / one.seconds:.2f}"
        start = f"{one.start / one.seconds:.2f}"
        known = ("–", "–") if one.unknown else (start, ends)
        totals = (f"{total / one.seconds:.2f}" for total in one.totals)
        cells = (one.name, one.n_cells, f"{one.seconds:.1f}", *known, *totals)
        lines.append(f"| {' | '.join(map(str, cells))} |")
    at = [[one.totals[i] / one.seconds for one in replays] for i in range(len(SHARES))]
    start_ = [one.start / one.seconds for one in replays if not one.unknown]
    factors = [f"×{median(max(r, 1 / r) for r in ratios):.2f}" for ratios in (start_, *at)]
    told = [one.low <= one.seconds <= one.high for one in replays if not one.unknown]
    ends = f"{sum(told)} of {len(told)}"
    lines.append(f"| median | | | {factors[0]} | {ends} | {' | '.join(factors[1:])} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    text = PAGE.read_text(encoding="utf-8")
    before, after = text[: text.index(BEGIN) + len(BEGIN)], text[text.index(END) :]
    PAGE.write_text(f"{before}\n{table()}{after}", encoding="utf-8")
