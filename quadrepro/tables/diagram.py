"""The diagram of mean ranks: methods on an axis, joined where no pair differs significantly.

The critical-difference diagram of Demšar (2006) joins by Nemenyi's test; its bar is an option here.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil
from pathlib import Path

from quadrepro.stats import Ranking, critical_difference
from quadrepro.tables.figure import COLOURS, new_figure

AXIS = 4.2
"""Length of the axis of ranks in inches."""

LETTER_OF_NAME = 0.075
"""Width of a letter of a name in inches, with some margin."""

LINE, BAR, TOP, MARGIN = 0.24, 0.13, 0.75, 0.15
"""Inches from name to name, from bar to bar, above the axis, and at the edges."""

TICKS = 12
"""Maximum number of labelled ranks."""


def draw_ranks(
    path: Path, ranking: Ranking, titles: Mapping[str, str], *, nemenyi: bool = False
) -> None:
    """Draw the diagram into a file.

    Each method has a line of its own to its name, the better half on the left. A thick bar with
    dots joins methods within which the deciding test separates no pair. With `nemenyi`, a bar above
    the axis has the length of the critical difference of mean ranks.
    """
    methods, level = ranking.methods, next(iter(ranking.pairs.values())).level
    n, half = len(methods), ceil(len(methods) / 2)
    ranks = [method.mean_rank for method in methods]
    names = [f"{titles[method.name]}  {method.mean_rank:.2f}" for method in methods[:half]]
    names += [f"{method.mean_rank:.2f}  {titles[method.name]}" for method in methods[half:]]
    left = 2 * MARGIN + LETTER_OF_NAME * max(map(len, names[:half]))
    right = 2 * MARGIN + LETTER_OF_NAME * max(map(len, names[half:]))
    groups = ranking.cliques()
    below = BAR * (len(groups) + 1)
    width, height = left + AXIS + right, TOP + below + LINE * half + MARGIN
    with new_figure(path, width, height) as figure:
        # Everything is placed in inches.
        panel = figure.add_axes((0, 0, 1, 1))
        panel.set(xlim=(0, width), ylim=(-(height - TOP), TOP))
        panel.axis("off")

        def x(rank: float) -> float:
            return left + AXIS * (rank - 1) / (n - 1)

        panel.plot((left, left + AXIS), (0, 0), color="black", linewidth=1)
        for tick in range(1, n + 1, ceil(n / TICKS)):
            panel.plot((x(tick),) * 2, (0, 0.07), color="black", linewidth=1)
            panel.text(x(tick), 0.1, str(tick), ha="center", va="bottom")
        critical = critical_difference(n, ranking.n_rows, level) if nemenyi else n
        if critical < n - 1:
            ends = (x(1), x(1 + critical))
            panel.plot(ends, (0.4, 0.4), color="black", linewidth=1.5)
            for end in ends:
                panel.plot((end, end), (0.36, 0.44), color="black", linewidth=1.5)
            text = f"Nemenyi's critical difference {critical:.2f}"
            panel.text(ends[0], 0.46, text, ha="left", va="bottom")
        for i, group in enumerate(groups, start=1):
            places = [x(ranks[member]) for member in group]
            y = -BAR * i
            panel.plot(places, (y,) * len(group), "-o", color=COLOURS[0], linewidth=2, markersize=4)
        for i, (name, rank) in enumerate(zip(names, ranks, strict=True)):
            on_left = i < half
            y = -below - LINE * (i if on_left else n - 1 - i)
            end = left - 0.05 if on_left else left + AXIS + 0.05
            panel.plot((x(rank), x(rank), end), (0, y, y), color="black", linewidth=0.8)
            place = end - 0.05 if on_left else end + 0.05
            panel.text(place, y, name, ha="right" if on_left else "left", va="center")
