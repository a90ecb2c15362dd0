"""Figures: how one is drawn and written, and the diagram of critical differences."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, Any

from quadrepro.base.files import write_bytes
from quadrepro.base.text import visible

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

METADATA = {"Date": None, "Creator": None}
"""Keeps day and version out of the files."""

DPI = 200
"""The resolution at which panels are placed; small letters are a little wider at few dots an inch.
"""

COLOURS = ("#0072b2", "#e69f00", "#d55e00", "#56b4e9", "#000000", "#009e73", "#666666", "#cc79a7")
"""Colours that colour-blind readers can tell apart; neighbours differ in lightness as well."""

MARKERS = ("o", "s", "^", "D", "v")
"""Their number has no common divisor with that of the colours: no pair comes twice in 40."""

STYLES = (
    *("-", "--", ":", "-."),
    *((0, dashes) for dashes in ((6, 1.5, 1.5, 1.5, 1.5, 1.5), (11, 3), (9, 2, 3, 2), (3, 1.2))),
    (0, (1, 4)),
)
"""Line styles; no pair of colour and style comes twice in 72."""

HANDLE, SYMBOL, LETTER = 0.72, 0.5, 0.07
"""Inches taken up by a line, a marker alone and a letter of the legend, with their margins."""

LABELS_ALL, LABELS_FEW = 4, 100
"""Largest ratio of a logarithmic axis's ends for labels at all ticks, and for labels at 2 and 5."""


@dataclass(frozen=True)
class Look:
    """Style of the lines and dots of one algorithm or data set."""

    colour: str
    marker: str
    style: Any

    def line(self, width: float) -> dict[str, Any]:
        """Return the options of a line."""
        return {"color": self.colour, "linestyle": self.style, "linewidth": width}

    def dot(self) -> dict[str, Any]:
        """Return the options of a dot."""
        return {"color": self.colour, "marker": self.marker, "linestyle": ""}


def looks_of(names: Iterable[str]) -> dict[str, Look]:
    """Return a look for each name; neighbours differ in lightness, marker and line style."""
    return {
        name: Look(COLOURS[i % len(COLOURS)], MARKERS[i % len(MARKERS)], STYLES[i % len(STYLES)])
        for i, name in enumerate(names)
    }


@contextmanager
def new_figure(folder: Path, stem: str, width: float, height: float) -> Iterator[Figure]:
    """Yield an empty figure, which is written when the block ends.

    The same drawing gives the same bytes: neither the user's matplotlib settings nor the date
    change them.
    """
    import matplotlib
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import ConstrainedLayoutEngine
    from matplotlib.text import Text

    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        # Titles that need not make way for ticks above a panel save a fifth of the time.
        matplotlib.rcParams.update({"svg.hashsalt": stem, "font.size": 9, "axes.titley": 1.0})
        figure = Figure(figsize=(width, height), dpi=DPI)
        yield figure
        # The names of others: without controls, which no SVG can hold, and not as formulas. Ticks,
        # which may have some of ours, get their texts when they are drawn.
        for text in figure.findobj(Text):
            if text.get_text():
                text.set(text=visible(text.get_text()), parse_math=False)
        # A figure with a layout of its own would place its panels and draw twice.
        if any(panel.get_subplotspec() for panel in figure.axes):
            ConstrainedLayoutEngine().execute(figure)
        content = io.BytesIO()
        figure.savefig(content, format="svg", metadata=METADATA)
        write_bytes(folder / f"{stem}.svg", content.getvalue())


def add_legend(figure: Figure, samples: Mapping[str, Mapping[str, Any]]) -> None:
    """Put a legend above all panels, in as many columns as fit into the width of the figure.

    A sample is given as the options of its line, or of its dot.
    """
    from matplotlib.lines import Line2D

    if not samples:
        return
    lines = any(sample["linestyle"] for sample in samples.values())
    widest = (HANDLE if lines else SYMBOL) + LETTER * max(map(len, samples))
    n_rows = ceil(len(samples) / max(1, int(figure.get_figwidth() / widest)))
    figure.legend(
        [Line2D([], [], **sample) for sample in samples.values()],
        samples.keys(),
        loc="outside upper center",
        ncols=ceil(len(samples) / n_rows),
        frameon=False,
        handlelength=3.0 if lines else 1.0,
    )


def labels_in(panels: Iterable[Axes]) -> list[str]:
    """Return the labels of all lines of some panels, in the order in which they were drawn."""
    return list(dict.fromkeys(str(line.get_label()) for of in panels for line in of.get_lines()))


def open_frame(panel: Axes) -> None:
    """Remove the upper and the right edge of a panel."""
    panel.spines[["top", "right"]].set_visible(False)


def write_beside(
    panel: Axes, text: str, at: tuple[float, float], points: tuple[float, float], **form: Any
) -> None:
    """Write a text some points away from a place."""
    panel.annotate(text, at, xytext=points, textcoords="offset points", **form)


def plain_labels(axis: Axis) -> None:
    """Label a logarithmic axis with plain numbers at enough ticks; call it after all drawing."""
    low, high = axis.get_view_interval()
    digits = "123456789" if high <= LABELS_ALL * low else "25" if high <= LABELS_FEW * low else ""
    axis.set_major_formatter("{x:g}")
    axis.set_minor_formatter(lambda x, _: f"{x:g}" if f"{x:e}"[0] in digits else "")


AXIS = 4.2
"""Length of the axis of ranks in inches."""

LETTER_OF_NAME = 0.075
"""Inches that a letter of a name takes, with some margin."""

LINE, BAR, TOP, MARGIN = 0.24, 0.13, 0.75, 0.15
"""Inches from name to name, from bar to bar, above the axis, and at the edges."""

TICKS = 12
"""At most this many ranks are labelled."""


def alike(n: int, same: Callable[[int, int], bool]) -> list[tuple[int, int]]:
    """Return the longest groups of neighbours in which every two methods are the same.

    Examples
    --------
    >>> alike(4, lambda i, j: (i, j) in {(0, 1), (1, 2)})
    [(0, 1), (1, 2)]
    """
    groups: list[tuple[int, int]] = []
    for first in range(n):
        last = first
        while last + 1 < n and all(same(i, last + 1) for i in range(first, last + 1)):
            last += 1
        if last > first and not (groups and groups[-1][1] >= last):
            groups.append((first, last))
    return groups


def draw_critical_difference(
    folder: Path,
    stem: str,
    titles: Sequence[str],
    mean_ranks: Sequence[float],
    critical: float,
    same: Callable[[int, int], bool] | None = None,
) -> None:
    """Draw the diagram to ``stem.svg``.

    Each method has a line of its own to its name, the better half on the left. Thick bars join
    groups of methods that are the same, by default for Nemenyi's test.
    """
    n = len(titles)
    same = same or (lambda i, j: mean_ranks[j] - mean_ranks[i] < critical)
    names = [
        f"{title}  {rank:.2f}" if i < ceil(n / 2) else f"{rank:.2f}  {title}"
        for i, (title, rank) in enumerate(zip(titles, mean_ranks, strict=True))
    ]
    left = 2 * MARGIN + LETTER_OF_NAME * max(map(len, names[: ceil(n / 2)]), default=0)
    right = 2 * MARGIN + LETTER_OF_NAME * max(map(len, names[ceil(n / 2) :]), default=0)
    groups = alike(n, same)
    below = BAR * (len(groups) + 1)
    width = left + AXIS + right
    height = TOP + below + LINE * ceil(n / 2) + MARGIN
    with new_figure(folder, stem, width, height) as figure:
        # Everything is placed in inches.
        figure.set_layout_engine("none")
        panel = figure.add_axes((0, 0, 1, 1))
        panel.set(xlim=(0, width), ylim=(-(height - TOP), TOP))
        panel.axis("off")

        def at(rank: float) -> float:
            return left + AXIS * (rank - 1) / max(1, n - 1)

        panel.plot((left, left + AXIS), (0, 0), color="black", linewidth=1)
        for tick in range(1, n + 1, ceil(n / TICKS) or 1):
            panel.plot((at(tick),) * 2, (0, 0.07), color="black", linewidth=1)
            panel.text(at(tick), 0.1, str(tick), ha="center", va="bottom")
        if n and critical < n - 1:
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
