"""What all figures share: their style, their two files, colours, line styles and the legend."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

LINES = (("black", "-"), ("#666666", "--"), ("black", ":"), ("#666666", "-."), ("#999999", "-"))
"""Shade and style of the first, second, ... line: no two are alike in grey."""

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#999999")
"""Colours of the first, second, ... of a kind, told apart by the colour-blind, too."""

STYLES = ("-", "--", ":", "-.", (0, (6, 1.5, 1.5, 1.5, 1.5, 1.5)))
"""Line styles of the first, second, ... of a kind."""

HANDLE, MARKER, LETTER = 0.72, 0.5, 0.07
"""Inches that a legend's line, or its marker alone, and a letter take up with what is around."""

LABELS_ALL, LABELS_FEW = 4, 100
"""Up to these ratios of its ends a logarithmic axis has labels at all ticks, and at 2 and 5."""


@contextmanager
def new_figure(folder: Path, stem: str, width: float, height: float) -> Iterator[Figure]:
    """Yield an empty figure, which is written when the block ends.

    The same drawing gives the same bytes: neither a person's settings nor the day change them.

    Parameters
    ----------
    folder : Path
        Where ``stem.svg`` and ``stem.png`` are written; made if need be.
    stem : str
        Name of the files without ending.
    width, height : float
        In inches.
    """
    import matplotlib
    from matplotlib.figure import Figure

    folder.mkdir(parents=True, exist_ok=True)
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update({"svg.hashsalt": stem, "font.size": 9})
        figure = Figure(figsize=(width, height), layout="constrained")
        yield figure
        figure.savefig(folder / f"{stem}.svg", metadata={"Date": None, "Creator": None})
        figure.savefig(folder / f"{stem}.png", dpi=200, metadata={"Software": None})


def add_legend(figure: Figure, samples: Mapping[str, Line2D]) -> None:
    """Put a legend above all panels, in as many columns as the figure is wide.

    Parameters
    ----------
    figure : Figure
        With a layout that makes room for it.
    samples : mapping of str to Line2D
        Label and line or marker of each entry; without any there is no legend.
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
    """Return a colour for each name; they begin anew where there are more names than colours."""
    return dict(zip(names, cycle(COLOURS), strict=False))


def open_frame(panel: Axes) -> None:
    """Take away the upper and the right edge of a panel."""
    panel.spines[["top", "right"]].set_visible(False)


def plain_labels(axis: Axis) -> None:
    """Label a logarithmic axis with numbers as they are, and enough of them; after all drawing."""
    low, high = axis.get_view_interval()
    digits = "123456789" if high <= LABELS_ALL * low else "25" if high <= LABELS_FEW * low else ""
    axis.set_major_formatter("{x:g}")
    axis.set_minor_formatter(lambda x, _: f"{x:g}" if f"{x:e}"[0] in digits else "")
