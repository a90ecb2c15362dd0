"""Estimates of time: mean seconds of a learner and grid, scaled by the size of the problem."""

from __future__ import annotations

import contextlib
import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from itertools import groupby
from pathlib import Path
from statistics import median
from typing import Annotated, Any

from pydantic import Field, TypeAdapter

from quadrepro.base.files import read_bytes, write_bytes
from quadrepro.core import compiling
from quadrepro.core.cell import Cell, Shared
from quadrepro.errors import DataError

NAME = "times.json"
"""File of the times measured with one --out, in its folder of records."""

SHIPPED = Path(__file__).with_name(NAME)
"""Times of the committed results; `python -m tests.replay` writes them."""

MOST_CELLS = 100
"""Number of earlier cells of a kind that count at most, so that later ones change the mean."""

FACTORS = (10.0, 5.0, 3.0, 1.25)
"""Factor that an estimate may be off, by what was measured: anything, its learner, grid, row."""

FIRST = 2.5
"""Factor of a row's first cell, for which its worker may have read packages or compiled."""

START_SECONDS = 5.0
"""Time until workers have begun."""

COMPILE_SECONDS = 3.0
"""Time to compile the loops of a module that cells need."""

LEAST_SECONDS = 1e-4
"""Least time that is learned, as shown in tables of cells."""


@dataclass
class Mean:
    """Mean logarithm of seconds by root of size: one wild time hardly moves it."""

    count: Annotated[int, Field(gt=0)] = 0
    log: Annotated[float, Field(ge=-100, le=100)] = 0.0

    def add(self, log: float, count: int = 1) -> None:
        """Add the mean of some cells."""
        self.count += count
        self.log += (log - self.log) * count / self.count


_FILE = TypeAdapter(dict[str, Mean])


def names(cell: Cell) -> tuple[str, str, str, str]:
    """Return what the time of a cell tells of: any cell, its learner, its grid, its row."""
    learner = _learner(cell.shared)
    grid = f"{learner}, {cell.n_candidates} candidates, {cell.protocol.folds} folds"
    return "", learner, grid, Estimates.row(cell)


@lru_cache(maxsize=4096)
def _learner(shared: Shared) -> str:
    return " ".join((shared.fields["algorithm"], *_words(shared.fields["settings"])))


def _words(value: Any) -> Iterator[str]:
    """Yield the texts in nested settings, such as the import path of an estimator."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        yield from _words(list(value.values()))
    elif isinstance(value, Sequence):
        for part in value:
            yield from _words(part)


def root_of_size(cell: Cell) -> float:
    """Return what the time of a cell is in proportion to."""
    # Fixed costs, and candidates that share work, let times grow slower than sizes.
    return math.sqrt(max(cell.size, 1.0))


class Estimates:
    """Estimates times from those measured here, and from shipped ones scaled to this machine."""

    def __init__(
        self, shipped: Mapping[str, Mean] | None = None, here: Mapping[str, Mean] | None = None
    ) -> None:
        self._shipped = shipped or {}
        self._here: dict[str, Mean] = dict(here or {})
        self._pace: float | None = None

    @staticmethod
    def row(cell: Cell) -> str:
        """Return the name that the repeats of a cell share; no other name has several lines."""
        return f"{cell.experiment}\n{cell.dataset}\n{cell.algorithm}"

    def learn(self, cell: Cell, seconds: float) -> None:
        """Add a measured cell."""
        log = math.log(max(seconds, LEAST_SECONDS) / root_of_size(cell))
        for name in names(cell):
            self._here.setdefault(name, Mean()).add(log)
        self._pace = None

    def _log_pace(self) -> float:
        """Return the logarithm of times here by shipped ones, nearer to 0 where few are known."""
        if (pace := self._pace) is None:
            both = [name for name in self._shipped if name in self._here]
            logs = [self._here[name].log - self._shipped[name].log for name in both]
            pace = self._pace = median(logs or [0.0]) * len(logs) / (len(logs) + 1)
        return pace

    def knows(self, cell: Cell) -> bool:
        """Return whether there is a time of the learner of a cell."""
        learner = names(cell)[1]
        return learner in self._here or learner in self._shipped

    def seconds(self, cell: Cell) -> tuple[float, float] | None:
        """Return the estimated time and the factor that it may be off, None if nothing is known.

        Each mean, from that of all cells to that of the row, has the one before as one more cell.
        """
        found, factor, pace = Mean(), 0.0, self._log_pace()
        for name, off in zip(names(cell), FACTORS, strict=True):
            found.count = min(found.count, 1)
            if (shipped := self._shipped.get(name)) is not None:
                found.add(shipped.log + pace, min(shipped.count, MOST_CELLS))
                factor = off
            if (here := self._here.get(name)) is not None:
                found.add(here.log, here.count)
                factor = max(off, FIRST / here.count)
        return (math.exp(found.log) * root_of_size(cell), factor) if found.count else None

    def keep(self, folder: Path) -> None:
        """Add what was measured to the file in a folder, unless that cannot be written."""
        known = read_times(folder / NAME)
        for name, mean in self._here.items():
            if "\n" not in name:
                known.setdefault(name, Mean()).add(mean.log, mean.count)
        if self._here:
            with contextlib.suppress(OSError):
                write_times(folder / NAME, known)


def recall(folder: Path) -> Estimates:
    """Return estimates from the shipped times and those kept in a folder."""
    return Estimates(read_times(SHIPPED), read_times(folder / NAME))


def read_times(path: Path) -> dict[str, Mean]:
    """Return the means in a file; a missing or damaged one, or one of another form, has none."""
    try:
        found = _FILE.validate_json(read_bytes(path))
    except (DataError, ValueError):
        return {}
    return {name: replace(mean, count=min(mean.count, MOST_CELLS)) for name, mean in found.items()}


def write_times(path: Path, times: Mapping[str, Mean]) -> None:
    """Write means by name to a file."""
    lines = (f"{json.dumps(name)}: {json.dumps(asdict(times[name]))}" for name in sorted(times))
    write_bytes(path, ("{\n" + ",\n".join(lines) + "\n}\n").encode())


def longest_first(cells: Iterable[Cell], estimates: Estimates) -> Iterator[Cell]:
    """Yield one cell of every algorithm, one of every other row, then all, long rows first.

    So estimates are good early, and so is the news of an algorithm that fails, and workers compile
    different loops. Experiments keep their order, so that the tables of the first are there early
    and few data are in memory.
    """

    def rank(some: list[Cell]) -> float:
        found = estimates.seconds(some[-1])
        return math.inf if found is None else found[0]

    for _, of_experiment in groupby(cells, key=lambda cell: cell.experiment):
        rows: dict[str, list[Cell]] = {}
        for cell in of_experiment:
            rows.setdefault(estimates.row(cell), []).append(cell)
        ranked = sorted(rows.values(), key=rank, reverse=True)
        longest = {some[-1].algorithm: some for some in reversed(ranked)}
        for some in sorted(ranked, key=lambda some: longest[some[-1].algorithm] is not some):
            yield some.pop()
        for some in sorted(filter(None, rows.values()), key=rank, reverse=True):
            yield from some


@dataclass(frozen=True)
class Forecast:
    """Estimated time of cells, the factor by which it may be off, and algorithms left out."""

    seconds: float
    factor: float
    unknown: tuple[str, ...]


def start_seconds(cells: Iterable[Cell]) -> float:
    """Return the time until workers have begun and compiled the loops without machine code."""
    if not compiling.enabled():
        return START_SECONDS
    modules = {f"quadrepro.core.{name}" for cell in cells for name in cell.learner.kernels}
    return START_SECONDS + COMPILE_SECONDS * sum(not compiling.is_known(name) for name in modules)


def forecast(
    cells: Sequence[Cell], estimates: Estimates, jobs: int, start: float | None = None
) -> Forecast:
    """Return how long cells will take on the clock, by default with the time to start workers."""
    total = longest = weighted = 0.0
    unknown: dict[str, None] = {}
    for cell in cells:
        found = estimates.seconds(cell)
        if found is None or not estimates.knows(cell):
            unknown[cell.algorithm] = None
            continue
        seconds, factor = found
        total, weighted = total + seconds, weighted + seconds * factor
        longest = max(longest, seconds)
    if not total:
        return Forecast(0.0, 1.0, tuple(unknown))
    seconds = max(total / max(1, jobs), longest)
    start = start_seconds(cells) if start is None else start
    factor = (seconds * weighted / total + start * FACTORS[1]) / (seconds + start)
    return Forecast(seconds + start, factor, tuple(unknown))
