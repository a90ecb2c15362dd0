"""Figures: how one is drawn and written."""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import chain, cycle
from math import ceil
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Any

from quadrepro.base.files import write_bytes
from quadrepro.base.text import visible

if TYPE_CHECKING:
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

METADATA = {
    "svg": {"Date": None, "Creator": None},
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
}
"""Keeps day and version out of the files."""

EXCESS = re.compile(rb'([ "]-?\d+\.\d\d)\d+(?=[ "])|(?<=\n) +| \n(?=[CLMQz])')
"""Digits below a hundredth of a point, indentation, and lines in paths: a fifth of an SVG."""

DPI = 200
"""The resolution at which panels are placed; small letters are a little wider at few dots an inch.
"""

COLOURS = ("#0072b2", "#e69f00", "#d55e00", "#56b4e9", "#000000", "#009e73", "#666666", "#cc79a7")
"""Colours that colour-blind readers can distinguish; neighbours differ in lightness as well."""

MARKERS = ("o", "s", "^", "D", "v")
"""Their number and the number of colours have no common divisor: no pair comes twice in 40."""

STYLES = (
    *("-", "--", ":", "-."),
    *((0, dashes) for dashes in ((6, 1.5, 1.5, 1.5, 1.5, 1.5), (11, 3), (9, 2, 3, 2), (3, 1.2))),
    (0, (1, 4)),
)
"""Line styles; no pair of colour and style comes twice in 72."""

SIZES = {"linewidth": 1.3, "markersize": 3.5}
"""The sizes of lines and markers."""

LETTERS = 14
"""Letters that fit into an inch, in a size of 9 points."""

HANDLE, SYMBOL = 0.8, 0.5
"""Inches taken up by a line and by a marker alone in the legend, with their margins."""

LABELS_ALL, LABELS_FEW = 4, 100
"""Largest ratio of a logarithmic axis's ends for labels at all ticks, and for labels at 2 and 5."""


def looks_of(names: Iterable[str]) -> dict[str, dict[str, Any]]:
    """Return the options of the marked line of each name, in styles that neighbours differ in."""
    looks = zip(cycle(COLOURS), cycle(MARKERS), cycle(STYLES))
    return {
        name: {"color": colour, "marker": marker, "linestyle": style, **SIZES}
        for name, (colour, marker, style) in zip(names, looks, strict=False)
    }


@contextmanager
def new_figure(path: Path, width: float, height: float) -> Iterator[Figure]:
    """Yield an empty figure, written when the block ends, in the format that its ending names.

    A legend of all labels is put above the panels, and logarithmic axes have plain numbers. The
    same drawing gives the same bytes: neither the user's matplotlib settings nor the date change
    them.
    """
    import matplotlib
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import ConstrainedLayoutEngine
    from matplotlib.text import Text

    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        # Titles that need not make way for ticks above a panel save a fifth of the time.
        matplotlib.rcParams.update({"font.size": 9, "axes.titlesize": 9, "axes.titley": 1.0})
        matplotlib.rcParams.update({"axes.spines.top": False, "axes.spines.right": False})
        matplotlib.rcParams.update({"svg.hashsalt": path.stem})
        figure = Figure(figsize=(width, height), dpi=DPI)
        yield figure
        _add_legend(figure)
        for axis in chain.from_iterable((panel.xaxis, panel.yaxis) for panel in figure.axes):
            if axis.get_scale() == "log":
                _label_plainly(axis)
        # Names may hold control characters, which no SVG can hold, and formulas. Ticks get their
        # texts when they are drawn.
        for text in figure.findobj(Text):
            if text.get_text():
                text.set(text=visible(text.get_text()), parse_math=False)
        # A figure with a layout of its own would place its panels and draw twice.
        if any(panel.get_subplotspec() for panel in figure.axes):
            ConstrainedLayoutEngine().execute(figure)
        file, form = io.BytesIO(), path.suffix.removeprefix(".")
        figure.savefig(file, format=form, metadata=METADATA.get(form))
        content = file.getvalue()
        write_bytes(path, EXCESS.sub(rb"\1", content) if form == "svg" else content)


def fitted(text: str, inches: float) -> str:
    """Break a text into lines of at most some inches."""
    return fill(text, max(1, int(LETTERS * inches)))


def _add_legend(figure: Figure) -> None:
    """Put a legend of all labels above the panels, in as many columns as fit into the width."""
    handles: dict[str, Any] = {}
    for panel in figure.axes:
        for handle, label in zip(*panel.get_legend_handles_labels(), strict=True):
            handles.setdefault(fitted(label, figure.get_figwidth() - HANDLE), handle)
    if not handles:
        return
    lines = any(line.get_linestyle() != "None" for line in handles.values())
    widest = (HANDLE if lines else SYMBOL) + max(map(len, handles)) / LETTERS
    n_rows = ceil(len(handles) / max(1, int(figure.get_figwidth() / widest)))
    form: Any = {"loc": "outside upper center", "frameon": False, "handlelength": 3 if lines else 1}
    figure.legend(handles.values(), handles.keys(), ncols=ceil(len(handles) / n_rows), **form)


def _label_plainly(axis: Axis) -> None:
    """Label a logarithmic axis with plain numbers at enough ticks."""
    low, high = axis.get_view_interval()
    digits = "123456789" if high <= LABELS_ALL * low else "25" if high <= LABELS_FEW * low else ""
    axis.set_major_formatter("{x:g}")
    axis.set_minor_formatter(lambda x, _: f"{x:g}" if f"{x:e}"[0] in digits else "")
