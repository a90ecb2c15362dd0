"""Every judgement is made as often as is stated, in a small version of ``make calibration``."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from threadpoolctl import threadpool_limits

from calibration.page import GROUPS
from calibration.worlds import World, measure

ERRORS = 3.5
"""Standard errors by which a rate may leave its band: one of 2000 would by chance."""

WORLDS = {world.name: world for worlds in GROUPS.values() for world in worlds}


@pytest.fixture(autouse=True, scope="module")
def one_blas_thread() -> Iterator[None]:
    with threadpool_limits(1):
        yield


@pytest.mark.parametrize("world", [w for w in WORLDS.values() if w.quick], ids=lambda w: w.name)
def test_every_rate_is_in_its_band(world: World) -> None:
    found = {
        f"{rate.judgement.name}: {rate.setting}": f"{rate.actual:.3f} ± {rate.error:.3f}"
        for rate in measure(world, quick=True)
        if rate.leaves(ERRORS)
    }
    assert not found


def test_every_judgement_is_in_the_quick_version() -> None:
    judged = {j.name for world in WORLDS.values() for j in world.judgements}
    quick = {j.name for world in WORLDS.values() if world.quick for j in world.judgements}
    assert quick == judged


def test_no_two_worlds_share_a_name() -> None:
    assert len(WORLDS) == sum(map(len, GROUPS.values()))
