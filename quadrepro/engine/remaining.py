"""How long cells will take on the clock: before a run, and while it goes on."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from quadrepro.config.cell import Cell
from quadrepro.engine.estimates import Estimates
from quadrepro.engine.kinds import Kind
from quadrepro.engine.times import Around

PROBABLE = 1.28
"""Four of five normal variables lie within so many deviations."""

SECONDS_TO_TRUST = 5.0
"""After how long what workers got done counts as much as their number."""

OVERDUE = 0.1
"""Share of its time so far that a cell takes still, if it takes longer than it should."""

SMOOTH = 0.05
"""Share of the time left within which a shown end follows a new estimate."""


@dataclass(frozen=True)
class Forecast:
    """How long some cells will take.

    Attributes
    ----------
    seconds, low, high : float
        What is expected, and what four of five such runs take.
    unknown : tuple of str
        Algorithms without an estimate, whose cells are not counted.
    known : bool
        Whether all counted cells are of kinds that were done before.
    """

    seconds: float
    low: float
    high: float
    unknown: tuple[str, ...]
    known: bool


def forecast(cells: Iterable[Cell], estimates: Estimates, jobs: int, around: Around) -> Forecast:
    """Return how long cells will take on the clock.

    Parameters
    ----------
    cells : iterable of Cell
        What is left to compute.
    estimates : Estimates
        What is known.
    jobs : int
        Number of workers.
    around : Around
        What runs take beside their cells.
    """
    jobs = max(1, jobs)
    beside = around.beside.mean if around.beside.count else 0.0
    total, longest = [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]
    unknown: dict[str, None] = {}
    known = True
    for cell in cells:
        found = estimates.of_kind(kind := estimates.kind_of(cell))
        if found is None:
            unknown[cell.algorithm] = None
            continue
        known &= estimates.knows(kind)
        seconds, spread = found
        # Cells of a learner are misjudged together, so deviations do not cancel out.
        for i, deviations in enumerate((0.0, -PROBABLE, PROBABLE)):
            one = seconds * math.exp(deviations * spread) + beside
            total[i] += one
            longest[i] = max(longest[i], one)
    start = around.start.mean if around.start.count and total[0] else 0.0
    expected, low, high = (start + max(total[i] / jobs, longest[i]) for i in range(3))
    return Forecast(expected, low, high, tuple(unknown), known)


class Remaining:
    """How long a run goes on.

    The end follows from what is left and how fast workers have been. A cell that runs longer than
    it should takes a share of its time still, and the longest one is the least that is left. What
    is shown follows a new estimate little by little, so that it counts down.

    Parameters
    ----------
    cells : iterable of Cell
        What will be computed.
    jobs : int
        Number of workers.
    estimates : Estimates
        Running times known so far; learns those of the cells that are done.
    now : float
        When the run begins.
    """

    def __init__(self, cells: Iterable[Cell], jobs: int, estimates: Estimates, now: float) -> None:
        self._estimates = estimates
        self._jobs = max(1, jobs)
        self._kinds = Counter(map(estimates.kind_of, cells))
        self._sent: dict[str, Cell] = {}
        self._since: dict[str, float] = {}
        self._began = now
        self._done_seconds = 0.0
        self._shown: tuple[float, float] | None = None

    def sent(self, cell: Cell, now: float) -> None:
        """Note that a cell waits for a worker or runs."""
        self._sent[cell.key] = cell
        self._start_next(now)

    def done(self, cell: Cell, seconds: float, now: float) -> None:
        """Note that a cell ended, which a worker had for some seconds."""
        self._kinds[self._estimates.kind_of(cell)] -= 1
        if self._sent.pop(cell.key, None) is not None:
            # Others may share the folder and compute some of the cells.
            self._done_seconds += seconds
        self._since.pop(cell.key, None)
        self._start_next(now)

    @property
    def running(self) -> list[Cell]:
        """The cells that workers have: they take them in the order in which these are sent."""
        return [self._sent[key] for key in self._since]

    def _start_next(self, now: float) -> None:
        for key in self._sent:
            if len(self._since) >= self._jobs:
                break
            self._since.setdefault(key, now)

    def estimate(self, now: float) -> float | None:
        """Return the estimated time until the last cell ends, or None if nothing is known."""
        rate = self._estimates.rate
        if rate is None:
            return None
        times = {kind: self._seconds(kind, rate, now) for kind, n in self._kinds.items() if n > 0}
        ran: dict[Kind, float] = {}
        for key, since in self._since.items():
            kind = self._estimates.kind_of(self._sent[key])
            ran[kind] = max(ran.get(kind, 0.0), now - since)
        # One that takes longer than its kind should shows that others may.
        times |= {kind: max(times[kind], time) for kind, time in ran.items() if kind in times}
        total = sum(times[kind] * n for kind, n in self._kinds.items() if n > 0)
        longest = progress = 0.0
        waiting = Counter(self._kinds)
        for key, since in self._since.items():
            kind = self._estimates.kind_of(self._sent[key])
            took, waiting[kind] = now - since, waiting[kind] - 1
            left = max(times[kind] - took, OVERDUE * took)
            progress += times[kind] - left
            longest = max(longest, left)
        longest = max([longest, *(times[kind] for kind, n in waiting.items() if n > 0)])
        return max((total - progress) / self._workers(progress, now), longest)

    def shown(self, now: float) -> float | None:
        """Return the estimate as it is shown: it counts down, and follows changes smoothly."""
        target = self.estimate(now)
        if target is None:
            return None
        if self._shown is None:
            self._shown = now, target
            return target
        then, before = self._shown
        passed = now - then
        end = max(before - passed, 0.0)
        weight = -math.expm1(-passed / max(2.0, SMOOTH * target))
        self._shown = now, end + weight * (target - end)
        return self._shown[1]

    def _workers(self, progress: float, now: float) -> float:
        """Return how many seconds of cells get done in a second."""
        elapsed = now - self._began
        done = self._done_seconds + max(progress, 0.0)
        if not self._done_seconds:
            return self._jobs
        return (done + SECONDS_TO_TRUST * self._jobs) / (elapsed + SECONDS_TO_TRUST)

    def _seconds(self, kind: Kind, rate: float, now: float) -> float:
        found = self._estimates.of_kind(kind)
        return rate * max(kind.size, 1.0) if found is None else found[0]
