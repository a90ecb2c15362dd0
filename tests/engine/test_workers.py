from __future__ import annotations

import copy
import sys
import time

import pytest
from joblib.externals.loky.backend.context import LokyContext

from quadrepro.engine.workers import _Lock

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="has no pipe that does not block")


def test_a_lock_is_free_for_others_once_it_was_released_as_often_as_taken() -> None:
    ours = _Lock(LokyContext())
    theirs = copy.copy(ours)
    assert ours.acquire()
    assert ours.acquire(block=False)
    for _ in range(2):
        assert not theirs.acquire(block=False)
        ours.release()
    assert theirs.acquire(block=False)
    assert not ours.acquire(block=False)
    theirs.release()
    assert ours.acquire(timeout=0)


def test_a_lock_that_others_keep_is_waited_for_no_longer_than_asked() -> None:
    ours = _Lock(LokyContext())
    theirs = copy.copy(ours)
    assert theirs.acquire()
    began = time.monotonic()
    assert not ours.acquire(timeout=0.05)
    assert time.monotonic() - began >= 0.05
