"""What all figures share: style, file formats, colours, line styles and legend."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING, Any

from quadrepro._files import write_bytes

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

FORMATS: dict[str, dict[str, Any]] = {
    "svg": {"metadata": {"Date": None, "Creator": None}},
    "png": {"dpi": 200, "metadata": {"Software": None}},
}
"""The formats a figure is written in, with options that keep day and version out of the files."""

LINES = (("black", "-"), ("#666666", "--"), ("black", ":"), ("#666666", "-."), ("#999999", "-"))
"""Shade and style of the first, second, ... line, which differ in grey as well."""

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#999999")
"""Colours of the first, second, ... of a kind; colour-blind readers can tell them apart."""

STYLES = ("-", "--", ":", "-.", (0, (6, 1.5, 1.5, 1.5, 1.5, 1.5)))
"""Line styles of the first, second, ... of a kind."""

HANDLE, MARKER, LETTER = 0.72, 0.5, 0.07
"""Inches taken up by a line, a marker alone and a letter of the legend, with their margins."""

LABELS_ALL, LABELS_FEW = 4, 100
"""Largest ratio of a logarithmic axis's ends for labels at all ticks, and for labels at 2 and 5."""


@contextmanager
def new_figure(folder: Path, stem: str, width: float, height: float) -> Iterator[Figure]:
    """Yield an empty figure, which is written when the block ends.

    The same drawing gives the same bytes: neither the user's matplotlib settings nor the date
    change them.

    Parameters
    ----------
    folder : Path
        Where ``stem.svg`` and ``stem.png`` are written. It is created if needed.
    stem : str
        Name of the files without ending.
    width, height : float
        In inches.
    """
    import matplotlib
    from matplotlib.figure import Figure

    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update({"svg.hashsalt": stem, "font.size": 9})
        figure = Figure(figsize=(width, height), layout="constrained")
        yield figure
        for name, options in FORMATS.items():
            content = io.BytesIO()
            figure.savefig(content, format=name, **options)
            write_bytes(folder / f"{stem}.{name}", content.getvalue())


def add_legend(figure: Figure, samples: Mapping[str, Line2D]) -> None:
    """Put a legend above all panels, in as many columns as fit into the width of the figure.

    Parameters
    ----------
    figure : Figure
        Its layout must make room for the legend.
    samples : mapping of str to Line2D
        Line or marker of each entry by its label. If it is empty, there is no legend.
    """
    if not samples:
        return
    lines = any(sample.get_linestyle() != "None" for sample in samples.values())
    widest = (HANDLE if lines else MARKER) + LETTER * max(map(len, samples))
    figure.legend(
        samples.values(),
        samples.keys(),
        loc="outside upper center",
        ncols=max(1, min(len(samples), int(figure.get_figwidth() / widest))),
        frameon=False,
        handlelength=3.0 if lines else 1.0,
    )


def colours_of(names: Iterable[str]) -> dict[str, str]:
    """Return a colour for each name; they start again if there are more names than colours."""
    return dict(zip(names, cycle(COLOURS), strict=False))


def open_frame(panel: Axes) -> None:
    """Remove the upper and the right edge of a panel."""
    panel.spines[["top", "right"]].set_visible(False)


def plain_labels(axis: Axis) -> None:
    """Label a logarithmic axis with plain numbers at enough ticks; call it after all drawing."""
    low, high = axis.get_view_interval()
    digits = "123456789" if high <= LABELS_ALL * low else "25" if high <= LABELS_FEW * low else ""
    axis.set_major_formatter("{x:g}")
    axis.set_minor_formatter(lambda x, _: f"{x:g}" if f"{x:e}"[0] in digits else "")
