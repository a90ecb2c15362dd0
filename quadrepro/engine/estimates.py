"""Estimates of running times, learned from cells that are done.

Cells of one kind take about the same time in every repeat. The time of another kind follows from
those of the same learner by a line through the logarithms of sizes and times. What was learned
before this run is scaled by how much slower or faster this run is.
"""

from __future__ import annotations

import math
import threading
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import groupby

import numpy as np

from quadrepro.config.cell import Cell
from quadrepro.engine.kinds import Kind, Kinds

MOST_POINTS = 200
"""A line goes through no more points, evenly taken from all."""

ENOUGH_POINTS, ENOUGH_SPAN = 4, math.log(4)
"""How many sizes, and how far apart, tell the slope of a line; it is 1 otherwise."""

STEEPEST = 2.0
"""Of lines."""

SPREAD_OF_KIND, SPREAD_OF_LINE, SPREAD_OF_LEARNER = 0.15, 0.5, 0.8
"""Least deviation of the logarithm of a time that is known so well."""

SPREAD_BEYOND = 0.3
"""What the deviation grows by for each unit that the logarithm of a size leaves the known ones."""

WIDEST = 1.0
"""Of a deviation whose mean is used: beyond, a few large cells would be all that counts."""


@dataclass
class Seen:
    """Number and total time of some cells."""

    count: int = 0
    seconds: float = 0.0

    def add(self, seconds: float, count: int = 1) -> None:
        """Add the total time of cells."""
        self.count += count
        self.seconds += seconds

    @property
    def mean(self) -> float:
        """Mean time, above zero."""
        return max(self.seconds / self.count, 1e-6)


@dataclass(frozen=True)
class Line:
    """A line through the logarithms of sizes and times."""

    slope: float
    intercept: float
    spread: float
    first: float
    last: float

    @classmethod
    def through(cls, points: Mapping[float, float]) -> Line:
        """Return the line of Theil and Sen through times by size."""
        x, y = np.log(np.array(sorted((max(s, 1.0), t) for s, t in points.items()))).T
        if len(x) > MOST_POINTS:
            taken = np.linspace(0, len(x) - 1, MOST_POINTS).astype(int)
            x, y = x[taken], y[taken]
        slope = 1.0
        i, j = np.triu_indices(len(x), 1)
        apart = x[j] - x[i] > 1e-9
        if len(x) >= ENOUGH_POINTS and x[-1] - x[0] >= ENOUGH_SPAN:
            slopes = (y[j] - y[i])[apart] / (x[j] - x[i])[apart]
            slope = float(np.clip(np.median(slopes), 0.0, STEEPEST))
        rest = y - slope * x
        intercept = float(np.median(rest))
        spread = 1.4826 * float(np.median(np.abs(rest - intercept)))
        return cls(slope, intercept, spread, float(x[0]), float(x[-1]))

    def at(self, size: float) -> tuple[float, float]:
        """Return the logarithm of the time at a size, and its deviation."""
        x = math.log(max(size, 1.0))
        beyond = max(self.first - x, x - self.last, 0.0)
        return self.intercept + self.slope * x, self.spread + SPREAD_BEYOND * beyond


@dataclass
class _Group:
    """The kinds of one learner, or of one learner in one setting."""

    kinds: dict[Kind, None] = field(default_factory=dict)
    line: Line | None = None


@dataclass
class Estimates:
    """Estimates the running times of cells from those of finished ones.

    Attributes
    ----------
    version : int
        Raised by the first finished cell of a kind in this run.
    kind_of : callable
        Returns the kind of a cell.
    """

    version: int = 0
    kind_of: Kinds = field(default_factory=Kinds)
    _here: dict[Kind, Seen] = field(default_factory=dict)
    _before: dict[Kind, Seen] = field(default_factory=dict)
    _groups: dict[str, _Group] = field(default_factory=lambda: defaultdict(_Group))
    _cache: dict[Kind, tuple[float, float] | None] = field(default_factory=dict)
    _remembered: set[Kind] = field(default_factory=set)
    _lock: threading.RLock = field(default_factory=threading.RLock)

    def recall(self, known: Mapping[Kind, Seen]) -> None:
        """Take over what was learned before this run."""
        with self._lock:
            for kind, seen in known.items():
                self._before[kind] = seen
                self._note(kind)
            self.version += 1

    def remember(self, cell: Cell, seconds: float) -> None:
        """Add a cell that was done before this run, unless its kind was taken over."""
        kind = self.kind_of(cell)
        with self._lock:
            if kind not in self._before:
                self._before[kind] = Seen()
                self._remembered.add(kind)
                self.version += 1
            if kind in self._remembered:
                self._before[kind].add(seconds)
                self._note(kind)

    def recalled(self, kind: Kind) -> bool:
        """Whether a kind was taken over from what was learned before."""
        return kind in self._before and kind not in self._remembered

    @property
    def remembered(self) -> dict[Kind, Seen]:
        """The kinds that were remembered and not taken over."""
        return {kind: self._before[kind] for kind in self._remembered}

    def learn(self, cell: Cell, seconds: float) -> None:
        """Add the running time of a finished cell."""
        kind = self.kind_of(cell)
        with self._lock:
            if kind not in self._here:
                self._here[kind] = Seen()
                self.__dict__.pop("_pace", None)
                self.version += 1
            self._here[kind].add(seconds)
            self._note(kind)

    def knows(self, kind: Kind) -> bool:
        """Whether a cell of a kind was done."""
        return kind in self._here or kind in self._before

    def seconds(self, cell: Cell) -> float | None:
        """Return the estimated time of a cell in seconds, None if its learner is unknown."""
        found = self.of_kind(self.kind_of(cell))
        return None if found is None else found[0]

    def of_kind(self, kind: Kind) -> tuple[float, float] | None:
        """Return the estimated time of a kind of cells, and the deviation of its logarithm."""
        with self._lock:
            if kind not in self._cache:
                self._cache[kind] = self._estimated(kind)
            return self._cache[kind]

    @property
    def rate(self) -> float | None:
        """Time by size of all cells together, None if nothing is known."""
        with self._lock:
            seen = self._here or self._before
            size = sum(max(kind.size, 1.0) * one.count for kind, one in seen.items())
            return sum(one.seconds for one in seen.values()) / size if size else None

    def _note(self, kind: Kind) -> None:
        for name in (kind.how, kind.learner):
            group = self._groups[name]
            group.kinds[kind] = None
            group.line = None
        self._cache.clear()

    def _estimated(self, kind: Kind) -> tuple[float, float] | None:
        for known, pace in ((self._here, 1.0), (self._before, self._pace)):
            if kind in known:
                return known[kind].mean * pace, SPREAD_OF_KIND
        for name, least in ((kind.how, SPREAD_OF_LINE), (kind.learner, SPREAD_OF_LEARNER)):
            if name in self._groups:
                log, spread = self._line(self._groups[name]).at(kind.size)
                spread = max(spread, least)
                # The mean of what is lognormal is above its median.
                return math.exp(log + min(spread, WIDEST) ** 2 / 2), spread
        return None

    def _line(self, group: _Group) -> Line:
        if group.line is None:
            here = {kind.size: self._here[kind].mean for kind in group.kinds if kind in self._here}
            before = {
                kind.size: self._before[kind].mean * self._pace
                for kind in group.kinds
                if kind in self._before
            }
            group.line = line = Line.through(before | here)
            if here and len(here) < len(before | here):
                # This run's own settings count: the line keeps its slope and goes through them.
                rests = [math.log(t) - line.slope * math.log(max(s, 1.0)) for s, t in here.items()]
                shift = float(np.median(rests)) - line.intercept
                shift *= len(rests) / (len(rests) + 1)
                first, last = line.first, line.last
                group.line = Line(line.slope, line.intercept + shift, line.spread, first, last)
        return group.line

    @cached_property
    def _pace(self) -> float:
        """How many times longer kinds take in this run than before."""
        both = [kind for kind in self._here if kind in self._before]
        if not both:
            return 1.0
        logs = [math.log(self._here[kind].mean / self._before[kind].mean) for kind in both]
        return math.exp(float(np.median(logs)) * len(logs) / (len(logs) + 1))


def longest_first(cells: Iterable[Cell], estimates: Estimates) -> Iterator[Cell]:
    """Yield every cell once, each time the longest one left by the current estimates.

    One cell of every kind that was never done comes before the others, those of unknown time first:
    so estimates are good early, and so is the news of an algorithm that fails. Experiments keep
    their order, so that the tables of the first are there early and few data are in memory.
    """

    def rank(kind: Kind) -> tuple[bool, float, float]:
        found = estimates.of_kind(kind)
        return kind in untried, math.inf if found is None else found[0], kind.size

    for _, some in groupby(cells, key=lambda cell: cell.experiment):
        rest: dict[Kind, list[Cell]] = {}
        for cell in some:
            rest.setdefault(estimates.kind_of(cell), []).append(cell)
        untried = {kind for kind in rest if not estimates.knows(kind)}
        again, order = 0, list[Kind]()
        while rest:
            if estimates.version >= again or not order:
                order = sorted(rest, key=rank)
                # Of many kinds one more tells little of the others.
                again = estimates.version + 1 + len(order) // 20
            kind = order[-1]
            yield rest[kind].pop()
            first = kind in untried
            untried.discard(kind)
            if not rest[kind]:
                del rest[kind]
            if first or kind not in rest:
                order.pop()
            if first and not untried:
                again = 0
