"""Replays of committed results: the recorded seconds of all cells, in simulated time.

``python -m tests.replay`` writes the table of docs/estimates.md and the shipped times again.
"""

from __future__ import annotations

import csv
import heapq
import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from statistics import median
from unittest.mock import patch

import numpy as np

from quadrepro.base.resources import configs_folder
from quadrepro.base.types import FloatArray
from quadrepro.config import plan as planning
from quadrepro.config.config import load_experiment
from quadrepro.core import problems
from quadrepro.core.cell import Cell
from quadrepro.core.preprocessing import count_rows
from quadrepro.data.card import load_card
from quadrepro.data.schema import View
from quadrepro.data.store import Dataset, Found
from quadrepro.engine.estimates import (
    LEAST_SECONDS,
    SHIPPED,
    Estimates,
    Mean,
    forecast,
    longest_first,
    names,
    read_times,
    root_of_size,
    write_times,
)
from quadrepro.engine.progress import Remaining
from quadrepro.errors import DataError
from tests.first_runs import PROPOSED

RESULTS = Path(__file__).resolve().parents[1] / "results"

PAGE = Path(__file__).resolve().parents[1] / "docs" / "estimates.md"

BEGIN, END = "<!-- replays -->", "<!-- end of replays -->"

SHARES = (0.3, 0.6)

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
    start, factor : float
        The time that was expected before it began, without algorithms that only this experiment
        has, and the factor that this may be off.
    unknown : tuple of str
        These algorithms.
    left : tuple of float
        At the shares of the time in `SHARES`, the shown time left by the true one.
    """

    name: str
    n_cells: int
    seconds: float
    start: float
    factor: float
    unknown: tuple[str, ...]
    left: tuple[float, ...]


class _Unread(Found):
    def load(self, only: object = None) -> Dataset:
        raise DataError("a replay reads no data")


def _find(
    names: Iterable[str], folder: Path | None = None, *, lenient: bool = False
) -> dict[str, Found]:
    return {name: _Unread(load_card(name), Path("nowhere")) for name in names}


def _count(found: Found, view: View) -> int:
    try:
        return count_rows(found, view)
    except DataError:
        return found.card.rows


@cache
def recorded(name: str) -> tuple[tuple[Cell, float, str], ...]:
    """Return the cells of an experiment with the seconds that workers had them, and their keys."""
    with (
        patch.object(planning, "find_datasets", _find),
        patch.object(problems, "count_rows", _count),
    ):
        cells = planning.make_plan(load_experiment(configs_folder() / f"{name}.yaml")).cells
    with (RESULTS / name / "cells.csv").open(newline="") as file:
        rows = {(r["dataset"], r["algorithm"], r["repeat"]): r for r in csv.DictReader(file)}
    found = [(c, rows.get((c.dataset, c.algorithm, str(c.repeat)))) for c in cells]
    return tuple((c, float(r["busy"]), r["key"]) for c, r in found if r and r["busy"])


def experiments() -> list[str]:
    """Return the experiments with committed times."""
    return sorted(path.parent.name for path in RESULTS.glob("*/cells.csv"))


@cache
def all_cells() -> dict[str, tuple[Cell, float]]:
    """Return the cells of all experiments by key, each once."""
    return {key: (cell, s) for name in experiments() for cell, s, key in recorded(name)}


@cache
def sums(name: str = "") -> dict[str, FloatArray]:
    """Return number, seconds and roots of size by learner and grid, of one experiment or all."""
    of = {key for *_, key in recorded(name)} if name else None
    found = defaultdict[str, FloatArray](lambda: np.zeros(3))
    for key, (cell, seconds) in all_cells().items():
        if of is None or key in of:
            for named in names(cell)[:-1]:
                found[named] += 1, seconds, root_of_size(cell)
    return dict(found)


def times(but: str = "") -> dict[str, Mean]:
    """Return the times of learners and grids as they are shipped: here no time is wild.

    Cells of one experiment can be left out.
    """
    own = sums(but) if but else {}
    rest = {name: of_all - own.get(name, 0) for name, of_all in sums().items()}
    return {
        name: Mean(int(n), math.log(max(seconds, LEAST_SECONDS) / roots))
        for name, (n, seconds, roots) in rest.items()
        if n
    }


def replay(
    name: str, cells: Sequence[tuple[Cell, float]], known: dict[str, Mean], jobs: int = 2
) -> Replayed:
    """Run cells in simulated time, with the shipped times that are known before."""
    seconds_of = {id(cell): seconds for cell, seconds in cells}
    every = [cell for cell, _ in cells]
    estimates = Estimates(known)
    expected = forecast(every, estimates, jobs, start=0.0)
    left = Remaining(every, jobs, estimates, 0.0)
    shown: list[tuple[float, float]] = []
    now = 0.0
    look = -(-len(cells) // LOOKS)
    for i, now in enumerate(_simulated(every, seconds_of, jobs, estimates, left)):
        if i % look == 0:
            shown.append((now, (left.shown(now) or (0.0, 0.0))[0]))
    rests = [next(((t, rest) for t, rest in shown if t >= p * now), shown[-1]) for p in SHARES]
    ratios = tuple(rest / max(now - t, 1e-9) for t, rest in rests)
    start = expected.seconds, expected.factor
    return Replayed(name, len(cells), now, *start, expected.unknown, ratios)


def replay_all() -> list[Replayed]:
    """Replay every experiment, each with what all others tell."""
    return [replay(name, [c[:2] for c in recorded(name)], times(name)) for name in experiments()]


def replay_together() -> Replayed:
    """Replay ``make reproduce-all`` in a fresh home, with the times that are shipped."""
    return replay("all", list(all_cells().values()), read_times(SHIPPED))


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


def off(ratio: float) -> float:
    """Return the factor between two numbers with some ratio."""
    return max(ratio, 1 / ratio) if ratio > 0 else math.inf


def table() -> str:
    """Return what replays show, as a table in Markdown."""
    lines = [
        "| experiment | cells | seconds | at start | range | left at 30% | left at 60% |",
        "|---|--:|--:|--:|:-:|--:|--:|",
    ]
    replays = replay_all()
    for one in replays:
        start = one.start / one.seconds
        ends = f"{start / one.factor:.2f}–{start * one.factor:.2f}"
        known = ("–", "–") if one.unknown else (f"{start:.2f}", ends)
        rests = (f"{ratio:.2f}" for ratio in one.left)
        cells = (one.name, one.n_cells, f"{one.seconds:.1f}", *known, *rests)
        lines.append(f"| {' | '.join(map(str, cells))} |")
    known_ = [one for one in replays if not one.unknown]
    at = [
        [one.start / one.seconds for one in known_],
        *zip(*(r.left for r in replays), strict=True),
    ]
    factors = [f"×{median(map(off, ratios)):.2f}" for ratios in at]
    told = sum(off(r) <= one.factor for r, one in zip(at[0], known_, strict=True))
    lines.append(
        f"| median | | | {factors[0]} | {told} of {len(known_)} | {' | '.join(factors[1:])} |"
    )
    together = replay_together()
    rests = (f"{ratio:.2f}" for ratio in together.left)
    first = together.start / together.seconds
    ends = f"{first / together.factor:.2f}–{first * together.factor:.2f}"
    text = (together.n_cells, f"{together.seconds:.1f}", f"{first:.2f}", ends, *rests)
    lines.append(f"| all, shipped times | {' | '.join(map(str, text))} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    write_times(SHIPPED, read_times(PROPOSED) | times())
    text = PAGE.read_text(encoding="utf-8")
    before, after = text[: text.index(BEGIN) + len(BEGIN)], text[text.index(END) :]
    PAGE.write_text(f"{before}\n{table()}{after}", encoding="utf-8")
