from __future__ import annotations

from quadrepro.results.pages.figures import make_caterpillars
from quadrepro.tables.verdicts import Verdict


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
