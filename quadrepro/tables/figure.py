"""Figures: how one is drawn and written."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Mapping
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

METADATA = {
    "svg": {"Date": None, "Creator": None},
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
}
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
def new_figure(path: Path, width: float, height: float) -> Iterator[Figure]:
    """Yield an empty figure, which is written when the block ends, as SVG or PDF by its ending.

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
        matplotlib.rcParams.update({"svg.hashsalt": path.stem, "font.size": 9, "axes.titley": 1.0})
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
        form = path.suffix.removeprefix(".")
        figure.savefig(content, format=form, metadata=METADATA[form])
        write_bytes(path, content.getvalue())


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
