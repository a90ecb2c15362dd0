"""The caterpillar plot: all printed numbers of a table in our intervals, sorted by position."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

from quadrepro.report.verdicts import Verdict
from quadrepro.stats import COVERAGE

WIDTH, HEIGHT = 760.0, 280.0
"""Of the plot, in its own units."""

LEFT, RIGHT, TOP, BOTTOM = 44.0, 12.0, 14.0, 34.0
"""Of its margins."""

FARTHEST = 3.0
"""Positions beyond are drawn at the edge."""


@dataclass(frozen=True)
class Dot:
    """A printed number: where it is drawn, its kind of mark and what it is called."""

    x: float
    y: float
    mark: str
    name: str


@dataclass(frozen=True)
class Caterpillar:
    """A plot with its geometry.

    Attributes
    ----------
    printed : str
        Name of the printed table.
    dots : tuple of Dot
        One per judged number, from the lowest position to the highest.
    expected : str
        Points of the line on which the dots lie on average if print and we share a distribution.
    ticks : tuple of (float, str)
        Vertical place and text of the ticks.
    band : tuple of (float, float)
        Vertical ends of the interval.
    summary : str
        What it shows, in words.
    """

    printed: str
    dots: tuple[Dot, ...]
    expected: str
    ticks: tuple[tuple[float, str], ...]
    band: tuple[float, float]
    summary: str

    width, height = WIDTH, HEIGHT
    left, right, bottom = LEFT, WIDTH - RIGHT, HEIGHT - BOTTOM


def make_caterpillars(verdicts: Sequence[tuple[str, Verdict]]) -> list[Caterpillar]:
    """Return one plot per printed table that has judged numbers."""
    found: dict[str, list[Verdict]] = {}
    for printed, verdict in verdicts:
        if verdict.p_value is not None and verdict.position is not None:
            found.setdefault(printed, []).append(verdict)
    return [_caterpillar(printed, judged) for printed, judged in found.items()]


def _caterpillar(printed: str, verdicts: list[Verdict]) -> Caterpillar:
    ordered = sorted(verdicts, key=lambda v: (v.position or 0.0, v.row, v.column, v.quantity))
    several = len({v.quantity for v in ordered}) > 1
    step = (WIDTH - LEFT - RIGHT) / len(ordered)
    xs = [round(LEFT + (i + 0.5) * step, 1) for i in range(len(ordered))]
    # A distance of 1 is half the interval, which a normal distribution leaves in 1 - COVERAGE.
    normal = NormalDist(sigma=1 / NormalDist().inv_cdf((1 + COVERAGE) / 2))
    average = (normal.inv_cdf((i + 0.5) / len(xs)) for i in range(len(xs)))
    return Caterpillar(
        printed,
        tuple(_dot(x, verdict, several) for x, verdict in zip(xs, ordered, strict=True)),
        " ".join(f"{x:g},{_y(value):g}" for x, value in zip(xs, average, strict=True)),
        tuple((_y(tick), f"{tick:+d}" if tick else "0") for tick in range(-3, 4)),
        (_y(1), _y(-1)),
        _summary(ordered),
    )


def _dot(x: float, verdict: Verdict, several: bool) -> Dot:
    position = verdict.position or 0.0
    mark = "inside" if verdict.word == "inside" else "above" if position > 0 else "below"
    quantity = f", {verdict.quantity}" if several else ""
    text = f"{position:+.2f}" if abs(position) < 100 else "far off"
    name = f"{verdict.row}, {verdict.column}{quantity}: printed {verdict.printed}, position {text}"
    return Dot(x, _y(position), mark, name)


def _summary(ordered: list[Verdict]) -> str:
    outside = [v for v in ordered if v.word == "outside"]
    above = sum((v.position or 0.0) > 0 for v in outside)
    return (
        f"{len(ordered)} printed numbers: {len(ordered) - len(outside)} inside our intervals, "
        f"{len(outside) - above} outside below, {above} outside above."
    )


def _y(position: float) -> float:
    shown = max(-FARTHEST, min(FARTHEST, position))
    return round(TOP + (FARTHEST - shown) / (2 * FARTHEST) * (HEIGHT - TOP - BOTTOM), 1)
