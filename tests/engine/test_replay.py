"""Estimates against the recorded times of all committed results, see docs/estimates.md."""

from __future__ import annotations

from statistics import median

import pytest

from tests.replay import Replayed, off, replay_all, replay_together

pytestmark = pytest.mark.slow

LEAST_CELLS = 100
"""With fewer, a share of the time is a handful of cells."""


@pytest.fixture(scope="module")
def replays() -> list[Replayed]:
    return replay_all()


def test_most_experiments_are_replayed(replays: list[Replayed]) -> None:
    assert len(replays) > 25
    assert sum(one.n_cells for one in replays) > 25_000


@pytest.mark.parametrize("i", [0, 1])
def test_the_time_left_is_near_the_true_one(replays: list[Replayed], i: int) -> None:
    large = sorted(off(one.left[i]) for one in replays if one.n_cells > LEAST_CELLS)
    assert median(large) < 1.25
    assert large[int(0.9 * len(large))] < 1.75


def test_before_the_start_most_ranges_hold_the_truth(replays: list[Replayed]) -> None:
    known = [one for one in replays if not one.unknown]
    told = [off(one.start / one.seconds) <= one.factor for one in known]
    assert sum(told) > 0.7 * len(known)
    assert median(off(one.start / one.seconds) for one in known) < 2


def test_all_experiments_in_a_fresh_home_are_known_from_the_start() -> None:
    together = replay_together()
    assert together.unknown == ()
    assert off(together.start / together.seconds) < 1.2
    assert max(map(off, together.left)) < 1.25
