"""Figures of a page as images, and its plot of intervals."""

from __future__ import annotations

import base64
import io
import re
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

from quadrepro.results.folder import Folder
from quadrepro.stats import COVERAGE
from quadrepro.tables.verdicts import Verdict

LARGEST = 400_000
"""Bytes of all figures of a page together; those beyond are linked instead."""

MOST = 20
"""Number of figures of a page; those beyond are linked."""

LARGEST_SVG = 180_000
"""Bytes of an SVG, above which the PNG of the figure is taken if it is smaller."""

WIDTH = 1400
"""Pixels of the width to which a PNG is reduced."""

LARGEST_PIXELS, LONGEST = 50_000_000, 20_000
"""Pixels of a PNG that is unpacked, and of its longer side."""

COLOURS = 64
"""Of a reduced PNG."""

_PATH = re.compile(r'(?<= d=")[^"]*')
_DIGITS = re.compile(r"(\.\d)\d+")


@dataclass(frozen=True)
class Figure:
    """A figure of a page."""

    name: str
    """Name of its files without ending."""
    title: str
    source: str
    """The image as a data URI; empty if it is too large or not there."""
    files: tuple[str, ...]
    timed: bool
    """Whether it shows measured times."""
    caption: str = ""

    @property
    def alternative(self) -> str:
        """What is said to those who do not see it: the first sentence of the caption."""
        first = re.split(r"(?<=[.:]) ", self.caption, maxsplit=1)[0]
        return first or f"{self.title}; its numbers are in the table of the same name"


def make_figures(folder: Folder) -> list[Figure]:
    """Return the figures of a results folder, as far as they fit into a page."""
    left, found = LARGEST, []
    tables = folder.manifest.tables
    for i, (name, files) in enumerate(folder.manifest.figures.items()):
        source = _source(folder, files.files) if i < MOST else ""
        if len(source) > left:
            source = ""
        left -= len(source)
        title = tables[name].title if name in tables else f"{folder.title}: {name}"
        caption = " ".join((folder.text(files.caption) if files.caption else "").split())
        found.append(Figure(name, title, source, files.files, files.timed, caption))
    return found


def _source(folder: Folder, names: tuple[str, ...]) -> str:
    """Return the smaller of SVG and PNG as a data URI, or the SVG if it is small."""
    found = {}
    for name in names:
        # A larger one would not fit with one decimal either.
        if name.endswith(".svg") and 0 < len(text := folder.text(name)) <= 4 * LARGEST:
            found["svg"] = _uri("svg+xml", _smaller_svg(text).encode())
    if len(found.get("svg", "")) > LARGEST_SVG or not found:
        for name in names:
            if name.endswith(".png") and (content := _smaller_png(folder.content(name))):
                found["png"] = _uri("png", content)
    return min(found.values(), key=len, default="")


def _uri(kind: str, content: bytes) -> str:
    return f"data:image/{kind};base64,{base64.b64encode(content).decode()}"


def _smaller_svg(text: str) -> str:
    """Return an SVG of matplotlib with one decimal in paths, which is a tenth of a point."""

    def round_off(path: re.Match[str]) -> str:
        return _DIGITS.sub(r"\1", " ".join(path[0].split()))

    before, _, rest = text.partition("<metadata>")
    _, closed, after = rest.partition("</metadata>")
    return _PATH.sub(round_off, before + after if closed else text)


def _smaller_png(content: bytes) -> bytes:
    """Return a PNG with fewer pixels and colours; nothing if it is none, or a huge one."""
    from PIL import Image, UnidentifiedImageError

    try:
        opened = Image.open(io.BytesIO(content), formats=["PNG"])
        if opened.width * opened.height > LARGEST_PIXELS or max(opened.size) > LONGEST:
            return b""
        image = opened.convert("RGB")
    except (UnidentifiedImageError, OSError, ValueError, Image.DecompressionBombError):
        return b""
    if image.width > WIDTH:
        size = WIDTH, max(1, round(image.height * WIDTH / image.width))
        image = image.resize(size, Image.Resampling.LANCZOS)
    small = io.BytesIO()
    # Other methods take the colour of a thin line for that of its surroundings.
    colours = image.quantize(COLOURS, method=Image.Quantize.MAXCOVERAGE)
    colours.save(small, "PNG", optimize=True)
    return small.getvalue()


PLOT_WIDTH, HEIGHT = 760.0, 280.0
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
    """A plot with its geometry."""

    printed: str
    """Name of the printed table."""
    dots: tuple[Dot, ...]
    """One per judged number, from the lowest position to the highest."""
    expected: str
    """Points of the line on which the dots are on average if print and we share a distribution."""
    ticks: tuple[tuple[float, str], ...]
    """Vertical place and text of each."""
    band: tuple[float, float]
    """Vertical ends of the interval."""
    summary: str
    """What it shows, in words."""

    width, height = PLOT_WIDTH, HEIGHT
    left, right, bottom = LEFT, PLOT_WIDTH - RIGHT, HEIGHT - BOTTOM


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
    step = (PLOT_WIDTH - LEFT - RIGHT) / len(ordered)
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
