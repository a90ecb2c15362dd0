"""The critical-difference diagram of Demšar (2006)."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from pathlib import Path

from quadrepro.stats import Ranking
from quadrepro.tables.figure import COLOURS, new_figure

AXIS = 4.2
"""Length of the axis of ranks in inches."""

LETTER_OF_NAME = 0.075
"""Inches that a letter of a name takes, with some margin."""

LINE, BAR, TOP, MARGIN = 0.24, 0.13, 0.75, 0.15
"""Inches from name to name, from bar to bar, above the axis, and at the edges."""

TICKS = 12
"""At most this many ranks are labelled."""


def alike(mean_ranks: Sequence[float], critical: float) -> list[tuple[int, int]]:
    """Return the longest groups of neighbours whose ranks differ by less than a critical number.

    Examples
    --------
    >>> alike([1.0, 1.8, 2.5], 1.0)
    [(0, 1), (1, 2)]
    """
    groups: list[tuple[int, int]] = []
    for first, rank in enumerate(mean_ranks):
        last = sum(other - rank < critical for other in mean_ranks) - 1
        if last > first and not (groups and groups[-1][1] >= last):
            groups.append((first, last))
    return groups


def draw_critical_difference(path: Path, ranking: Ranking, titles: Sequence[str]) -> None:
    """Draw the diagram into a file.

    Each method has a line of its own to its name, the better half on the left. Thick bars join
    groups of methods that are the same for Nemenyi's test.
    """
    mean_ranks, critical, n = ranking.mean_ranks, ranking.critical_difference, len(titles)
    names = [
        f"{title}  {rank:.2f}" if i < ceil(n / 2) else f"{rank:.2f}  {title}"
        for i, (title, rank) in enumerate(zip(titles, mean_ranks, strict=True))
    ]
    left = 2 * MARGIN + LETTER_OF_NAME * max(map(len, names[: ceil(n / 2)]))
    right = 2 * MARGIN + LETTER_OF_NAME * max(map(len, names[ceil(n / 2) :]))
    groups = alike(mean_ranks, critical)
    below = BAR * (len(groups) + 1)
    width = left + AXIS + right
    height = TOP + below + LINE * ceil(n / 2) + MARGIN
    with new_figure(path, width, height) as figure:
        # Everything is placed in inches.
        panel = figure.add_axes((0, 0, 1, 1))
        panel.set(xlim=(0, width), ylim=(-(height - TOP), TOP))
        panel.axis("off")

        def at(rank: float) -> float:
            return left + AXIS * (rank - 1) / (n - 1)

        panel.plot((left, left + AXIS), (0, 0), color="black", linewidth=1)
        for tick in range(1, n + 1, ceil(n / TICKS)):
            panel.plot((at(tick),) * 2, (0, 0.07), color="black", linewidth=1)
            panel.text(at(tick), 0.1, str(tick), ha="center", va="bottom")
        if critical < n - 1:
            ends = (at(1), at(1 + critical))
            panel.plot(ends, (0.4, 0.4), color="black", linewidth=1.5)
            for end in ends:
                panel.plot((end, end), (0.36, 0.44), color="black", linewidth=1.5)
            panel.text(sum(ends) / 2, 0.46, f"CD {critical:.2f}", ha="center", va="bottom")
        for i, (first, last) in enumerate(groups, start=1):
            ends = (at(mean_ranks[first]) - 0.04, at(mean_ranks[last]) + 0.04)
            panel.plot(
                ends, (-BAR * i,) * 2, color=COLOURS[0], linewidth=3.5, solid_capstyle="butt"
            )
        for i, (name, rank) in enumerate(zip(names, mean_ranks, strict=True)):
            on_left = i < ceil(n / 2)
            y = -below - LINE * (i if on_left else n - 1 - i)
            end = left - 0.05 if on_left else left + AXIS + 0.05
            panel.plot((at(rank), at(rank), end), (0, y, y), color="black", linewidth=0.8)
            beside = end - 0.05 if on_left else end + 0.05
            panel.text(beside, y, name, ha="right" if on_left else "left", va="center")
