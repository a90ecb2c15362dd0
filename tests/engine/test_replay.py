"""Estimates against the recorded times of all committed results, see docs/estimates.md."""

from __future__ import annotations

from statistics import median

import pytest

from tests.replay import Replayed, replay_all

LEAST_CELLS = 100
"""With fewer, a twentieth of the time is a handful of cells."""


@pytest.fixture(scope="module")
def replays() -> list[Replayed]:
    return replay_all()


def test_most_experiments_are_replayed(replays: list[Replayed]) -> None:
    assert len(replays) > 25
    assert sum(one.n_cells for one in replays) > 25_000


@pytest.mark.parametrize(("i", "most"), [(0, 2.0), (1, 1.5), (2, 1.3)])
def test_totals_expected_on_the_way_are_near_the_true_ones(
    replays: list[Replayed], i: int, most: float
) -> None:
    assert median(off(one.totals[i] / one.seconds) for one in replays) < most


def test_most_large_experiments_are_known_well_half_way(replays: list[Replayed]) -> None:
    found = [off(one.totals[2] / one.seconds) for one in replays if one.n_cells > LEAST_CELLS]
    assert sorted(found)[int(0.9 * len(found))] < 1.3


def test_before_the_start_ranges_hold_the_truth_in_most_experiments_of_known_algorithms(
    replays: list[Replayed],
) -> None:
    known = [one for one in replays if not one.unknown]
    assert sum(one.low <= one.seconds <= one.high for one in known) > len(known) / 2


def off(ratio: float) -> float:
    """Return the factor between two numbers with some ratio."""
    return max(ratio, 1 / ratio)
