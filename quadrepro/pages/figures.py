"""Figures of a results folder inside a page: as images, which run no scripts and load nothing."""

from __future__ import annotations

import base64
import io
import re
from dataclasses import dataclass

from quadrepro.pages.folder import Folder

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
    """A figure of a page.

    Attributes
    ----------
    name : str
        Name of its files without ending.
    title : str
        What it shows.
    source : str
        The image as a data URI; empty if it is too large or not there.
    files : tuple of str
        Its files.
    timed : bool
        Whether it shows measured times.
    caption : str, default ""
        What it shows and how that was computed.
    """

    name: str
    title: str
    source: str
    files: tuple[str, ...]
    timed: bool
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
