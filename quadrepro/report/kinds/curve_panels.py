"""One panel of a figure of curves."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from quadrepro._typing import FloatArray
from quadrepro.measures.registry import title_of
from quadrepro.report.figure import open_frame, plain_labels

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from quadrepro.report.kinds.curves import Curves, Panel
    from quadrepro.report.outcomes import Outcomes


def draw_panel(
    panel: Axes,
    what: Panel,
    curves: Curves,
    outcomes: Outcomes,
    row: str,
    colours: dict[str, str],
    styles: dict[str, Any],
) -> None:
    """Draw the curves and marks of one row of the experiment into one panel."""
    panel.set_xscale(curves.scale)
    if what.scale == "log":
        panel.set_yscale("log", nonpositive="mask")
    bands = []
    for measure in what.measures:
        for column in what.algorithms or colours:
            colour = colours[column]
            curve = outcomes.curve(row, column, measure)
            values = outcomes.values_along(row, column, curves.along)
            if curve is None or values is None:
                continue
            x = values or (0, 1)
            across: Any = {} if values else {"transform": panel.get_yaxis_transform()}
            low, line, high = (
                np.broadcast_to(_on_scale(curve.mean + n_sd * curve.sd, what.scale), len(x))
                for n_sd in (-1, 0, 1)
            )
            panel.plot(x, line, color=colour, linestyle=styles[measure], linewidth=1.3, **across)
            if outcomes.repeats > 1:
                bands.append((x, low, high, colour, across))
    for mark, column in product(what.marks, what.algorithms or colours):
        marked = outcomes.curve(row, column, mark)
        if marked is not None and np.isfinite(marked.mean[-1]):
            _draw_mark(panel, float(marked.mean[-1]), title_of(mark), colours[column])
    edges = np.array([y for _, low, high, *_ in bands for y in (*low, *high)])
    shown = np.isfinite(edges) & ((edges > 0) | (what.scale != "log"))
    panel.dataLim.update_from_data_y(edges[shown], ignore=False)
    panel.autoscale_view(scalex=False)
    ends = panel.get_ylim()
    for x, low, high, colour, across in bands:
        # A band without an end on this scale reaches to the edge of the panel.
        low, high = np.clip(low, *ends), np.clip(high, *ends)
        panel.fill_between(x, low, high, color=colour, alpha=0.15, linewidth=0, **across)
    panel.set_ylim(ends)
    if what.scale == "log":
        plain_labels(panel.yaxis)
    # The legend names the measures if there are several.
    words = title_of(what.measures[0]) if len(what.measures) == 1 else ""
    panel.set_ylabel(f"−log({words})" if what.scale == "-log" else words)
    panel.set_title(": ".join(word for word in (row, what.title) if word))
    open_frame(panel)


def _draw_mark(panel: Axes, at: float, title: str, colour: str) -> None:
    """Draw a vertical line with its title beside its upper end."""
    panel.axvline(at, color=colour, linestyle=(0, (1, 2)), linewidth=1)
    panel.text(
        at,
        0.98,
        f"{title} ",
        transform=panel.get_xaxis_transform(),
        rotation=90,
        ha="right",
        va="top",
        fontsize="x-small",
        color=colour,
    )


def _on_scale(values: FloatArray, scale: str) -> FloatArray:
    """Return what is drawn; the negative logarithm of 0 is infinite, which leaves a gap."""
    if scale != "-log":
        return values
    with np.errstate(divide="ignore"):
        return np.asarray(-np.log(np.maximum(values, 0)))
