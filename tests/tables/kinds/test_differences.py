from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.figure import Figure

from quadrepro.config.config import Experiment
from quadrepro.engine.outcomes import Outcomes
from quadrepro.engine.records import Record
from quadrepro.tables.kinds.sweeps import (
    DIFFERENCES,
    FIRST,
    NEITHER,
    SECOND,
    UNKNOWN,
    Difference,
    difference,
)
from tests.tables.contexts import context_of

CONFIG = """title: Two
protocol: {view: quadboost}
datasets: [monks, titanic]
sweeps: [{over: protocol.noise.deviation, as: noise, values: [0, 0.5]}]
algorithms:
  - {name: quadboost, label: QuadBoost, grid: {n_rounds: 5}}
  - {name: adaboost, label: AdaBoost, grid: {n_rounds: 5}}
tables: {differences: [adaboost, quadboost]}
baseline: false
"""
ERRORS = {
    "monks, noise 0": ((10, 12), (30, 34)),
    "monks, noise 0.5": ((10, 12), (11, 13)),
    "titanic, noise 0": ((30, 32), (10, 14)),
    "titanic, noise 0.5": ((10, None), (10, 10)),
}
"""Errors of AdaBoost and of QuadBoost among 100 on two splits."""


def outcomes(repeats: int = 2) -> Outcomes:
    records = {}
    for row, pair in ERRORS.items():
        for column, counts in zip(("adaboost", "quadboost"), pair, strict=True):
            for split, count in enumerate(counts[:repeats]):
                known = count is not None
                record = Record("k", "ok", count, 100) if known else Record("k", "missing")
                records[row, column, split] = record
    return Outcomes(tuple(ERRORS), ("quadboost", "adaboost"), repeats, records)


def test_entries_are_the_second_risk_less_the_first_and_marked_outside_the_spread(
    experiment: Experiment,
) -> None:
    table = DIFFERENCES.table(context_of(experiment, "differences"), outcomes())
    assert table.title == "Two: risk of QuadBoost less that of AdaBoost"
    assert table.header == ("Data set", "noise 0", "noise 0.5")
    found = [(name, *(e.ours + e.mark for e in entries)) for name, entries in table.rows]
    assert found == [("monks", "+21.0*", "+1.0"), ("titanic", "-19.0*", "–")]
    assert table.data_rows[0][:3] == ("monks", "noise", 0)
    assert table.data_rows[0][3:8] == pytest.approx((11, 2**0.5, 32, 8**0.5, 21))
    assert [row[8] for row in table.data_rows] == ["different", "not told apart", "different", None]


def test_with_one_split_only_equal_risks_are_not_told_apart(experiment: Experiment) -> None:
    table = DIFFERENCES.table(context_of(experiment, "differences"), outcomes(1))
    found = [(name, *(e.ours + e.mark for e in entries)) for name, entries in table.rows]
    assert found == [("monks", "+20.0*", "+1.0*"), ("titanic", "-20.0*", "+0.0")]
    assert "one split has no spread" in table.notes[0]


percent = st.fractions(0, 100, max_denominator=7)


@given(st.tuples(percent, percent), st.tuples(percent, percent))
def test_two_are_not_told_apart_where_their_intervals_meet_whichever_stands_first(
    means: tuple[Fraction, Fraction], sds: tuple[Fraction, Fraction]
) -> None:
    (low, high) = sorted(zip(means, sds, strict=True))
    meet = low[0] + low[1] >= high[0] - high[1]
    variances = sds[0] ** 2, sds[1] ** 2
    of_reader = float(sds[0]), float(sds[1])
    there = Difference(means, variances, of_reader)
    back = Difference(means[::-1], variances[::-1], of_reader[::-1])
    assert there.overlap == back.overlap == meet
    assert there.points == -back.points
    expected = NEITHER if meet else FIRST if means[0] < means[1] else SECOND
    assert there.colour == expected


def test_squares_have_the_colour_of_the_better_and_its_difference(
    experiment: Experiment, tmp_path: Path, figures: list[Figure]
) -> None:
    from matplotlib.colors import to_hex

    DIFFERENCES.draw(context_of(experiment, "differences"), outcomes(), tmp_path)
    [panel] = figures[0].axes
    colours = [to_hex(square.get_facecolor()) for square in panel.patches]
    assert colours == [FIRST, NEITHER, SECOND, UNKNOWN]
    assert [(t.get_text(), *t.get_position()) for t in panel.texts] == [
        ("+21.0", 0, 0),
        ("−19.0", 0, 1),
    ]
    # The first row stands above.
    assert panel.get_ylim() == (1.5, -0.5)
    labels = [text.get_text() for text in figures[0].legends[0].get_texts()]
    assert labels == ["AdaBoost is better", "QuadBoost is better", "not told apart"]


def test_the_same_records_give_the_same_figures(experiment: Experiment, tmp_path: Path) -> None:
    for name, repeats in (("a", 2), ("b", 2), ("other", 1)):
        DIFFERENCES.draw(context_of(experiment, "differences"), outcomes(repeats), tmp_path / name)
    a, b, other = (
        (tmp_path / name / "differences.svg").read_bytes() for name in ("a", "b", "other")
    )
    assert a == b
    assert a != other


@given(
    st.lists(st.integers(0, 100), min_size=2, max_size=8).flatmap(
        lambda xs: st.tuples(st.just(xs), st.permutations(xs))
    )
)
def test_equal_counts_differ_by_nothing_in_whatever_order(
    lists: tuple[list[int], list[int]],
) -> None:
    records = {
        ("x", column, i): Record("k", "ok", count, 100)
        for column, counts in zip("ab", lists, strict=True)
        for i, count in enumerate(counts)
    }
    found = difference(Outcomes(("x",), ("a", "b"), len(lists[0]), records), "x", ("a", "b"))
    assert found is not None
    assert found.points == 0
    assert found.overlap
    assert found.text == "+0.0"


def test_intervals_that_touch_in_one_point_overlap_and_a_hair_apart_do_not() -> None:
    # sqrt(2) + sqrt(8) = sqrt(18)
    variances, of_reader = (Fraction(2), Fraction(8)), (2**0.5, 8**0.5)
    hair = Fraction(1, 10**30)
    third = Fraction(1, 3)
    for gap, meet in ((third, True), (third + hair, False)):
        scaled = (variances[0] / 162, variances[1] / 162)
        assert Difference((Fraction(), gap), scaled, of_reader).overlap is meet
