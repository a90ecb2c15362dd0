from __future__ import annotations

import base64
import io
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from quadrepro.results.folder import Folder, read_folder
from quadrepro.results.pages import figures
from quadrepro.results.pages.figures import make_caterpillars, make_figures
from quadrepro.tables.verdicts import Verdict
from tests.results.pages.made import SVG, make_folder, manifest


def decoded(source: str) -> bytes:
    return base64.b64decode(source.partition("base64,")[2])


def png(width: int = 30) -> bytes:
    noise = np.random.default_rng(0).integers(0, 255, (20, width, 3), dtype=np.uint8)
    file = io.BytesIO()
    Image.fromarray(noise).save(file, "PNG")
    return file.getvalue()


def test_an_svg_is_an_image_with_shorter_paths(folder: Folder) -> None:
    (figure,) = make_figures(folder)
    assert figure.source.startswith("data:image/svg+xml;base64,")
    assert decoded(figure.source).decode() == SVG.replace("M 1.2345 2", "M 1.2 2")


def test_numbers_outside_of_paths_keep_their_digits(tmp_path: Path) -> None:
    svg = SVG.replace("<path", '<metadata>\n1.25</metadata><g transform="scale(0.0125)"/><path')
    (figure,) = make_figures(read_folder(make_folder(tmp_path, curves__svg=svg)))
    assert b"scale(0.0125)" in decoded(figure.source)
    assert b"metadata" not in decoded(figure.source)


def test_a_large_svg_gives_way_to_a_small_png(tmp_path: Path) -> None:
    svg = SVG.replace("<path", "<g/>" * 60_000 + "<path")
    made = make_folder(tmp_path, curves__svg=svg)
    (made / "curves.png").write_bytes(png(3000))
    (figure,) = make_figures(read_folder(made))
    assert figure.source.startswith("data:image/png;base64,")
    with Image.open(io.BytesIO(decoded(figure.source))) as image:
        assert image.width == figures.WIDTH


def test_a_thin_line_keeps_its_colour() -> None:
    rng = np.random.default_rng(0)
    pixels = np.repeat(rng.integers(0, 255, (200, 300, 1), dtype=np.uint8), 3, axis=2)
    lines = {20: (0, 158, 115), 21: (213, 94, 0), 22: (0, 114, 178)}
    for row, colour in lines.items():
        pixels[row] = colour
    file = io.BytesIO()
    Image.fromarray(pixels).save(file, "PNG")
    with Image.open(io.BytesIO(figures._smaller_png(file.getvalue()))) as image:
        found = np.asarray(image.convert("RGB"), float)
    for row, colour in lines.items():
        assert np.abs(found[row] - colour).max() < 40


def test_figures_beyond_the_limit_are_left_to_their_files(
    folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(figures, "LARGEST", 100)
    (figure,) = make_figures(folder)
    assert figure.source == ""
    assert figure.files == ("curves.svg", "curves.png")


@pytest.mark.parametrize("content", [b"", b"\x89PNG\r\n\x1a\nno", b"GIF89a"])
def test_a_png_that_is_none_is_left_out(tmp_path: Path, content: bytes) -> None:
    made = make_folder(tmp_path, curves__svg=None)
    (made / "curves.png").write_bytes(content)
    (figure,) = make_figures(read_folder(made))
    assert figure.source == ""


@pytest.mark.parametrize("size", [(1, 40_000_000), (40_000_000, 1)])
def test_a_png_of_an_extreme_shape_is_left_out(size: tuple[int, int]) -> None:
    file = io.BytesIO()
    Image.new("1", size).save(file, "PNG")
    assert figures._smaller_png(file.getvalue()) == b""


@pytest.mark.parametrize("text", ["<metadata>", ' d="', ' d="1.2345', '<metadata> d="" '])
def test_an_svg_that_repeats_an_opening_is_read_in_linear_time(text: str) -> None:
    # A regular expression that looks for the end of each would take minutes.
    svg = text * (600_000 // len(text))
    assert len(figures._smaller_svg(svg)) <= len(svg)


def test_only_so_many_figures_are_shown(tmp_path: Path) -> None:
    listed = {f"f{i}": {"key": "", "files": [f"f{i}.svg"]} for i in range(figures.MOST + 1)}
    made = make_folder(tmp_path, tables__json=manifest(figures=listed))
    for name in listed:
        (made / f"{name}.svg").write_text(SVG)
    *shown, last = make_figures(read_folder(made))
    assert all(figure.source for figure in shown)
    assert last.source == ""
    assert last.files


def verdict(printed: float, p: float | None = 0.5, low: float = -1, high: float = 1) -> Verdict:
    return Verdict("row", "column", "risk", f"{printed}", 0.0, low, high, p)


def test_dots_rise_from_the_lowest_position_to_the_highest() -> None:
    found = [("table1", verdict(x, p)) for x, p in ((0.5, 0.3), (-2, 0.01), (0, 1), (1.5, 0.02))]
    (plot,) = make_caterpillars(found)
    xs, ys = [dot.x for dot in plot.dots], [dot.y for dot in plot.dots]
    assert xs == sorted(xs)
    assert ys == sorted(ys, reverse=True)
    assert [dot.mark for dot in plot.dots] == ["below", "inside", "inside", "above"]
    assert plot.band == (plot.ticks[4][0], plot.ticks[2][0])
    assert "4 printed numbers: 2 inside our intervals, 1 outside below, 1 outside above" in (
        plot.summary
    )


def test_the_expected_line_has_a_position_of_1_at_the_coverage() -> None:
    (plot,) = make_caterpillars([("table1", verdict(0.0))] * 39)
    points = [tuple(map(float, point.split(","))) for point in plot.expected.split()]
    # The quantile 0.975 is that between the last two of 40 numbers: (39 - 0.5) / 39 = 0.987.
    assert points[-1][1] < plot.band[0] < points[-2][1]
    assert abs(points[0][1] + points[-1][1] - 2 * points[19][1]) < 0.3


def test_a_number_far_off_is_drawn_at_the_edge() -> None:
    (plot,) = make_caterpillars([("t", verdict(1e9, 0.0)), ("t", verdict(5, 0.0, 1, 1))])
    assert {dot.y for dot in plot.dots} == {plot.ticks[-1][0]}
    assert "far off" in plot.dots[0].name


def test_each_printed_table_has_a_plot_and_numbers_without_a_verdict_have_none() -> None:
    found = [("table2", verdict(0)), ("table1", verdict(1)), ("table3", verdict(1, None))]
    assert [plot.printed for plot in make_caterpillars(found)] == ["table2", "table1"]
