from __future__ import annotations

import sys

import numpy as np
import pytest

from quadrepro.engine.limits import at_most

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux keeps to the limit")


def test_memory_beyond_the_limit_is_refused_and_the_limit_is_lifted() -> None:
    with pytest.raises(MemoryError), at_most(10_000_000):
        np.ones(10_000_000)
    assert np.ones(10_000_000).sum() == 10_000_000


def test_memory_within_the_limit_is_given() -> None:
    with at_most(100_000_000):
        assert np.ones(1_000_000).sum() == 1_000_000


def test_without_a_limit_nothing_is_refused() -> None:
    with at_most(None):
        assert np.ones(10_000_000).size == 10_000_000
