"""Compiled loops over bits and numpy give the same bytes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from quadrepro.core import compiling
from quadrepro.core.voters.bits import add_differences, pack_stumps
from tests.loops import set_compiled

pytestmark = pytest.mark.skipif(not compiling.enabled(), reason="numba is not installed")

# Few values, so that many examples lie on a threshold.
values = st.sampled_from([-1.0, -0.0, 0.0, 0.5, 1.0, 1e300])
sizes = st.sampled_from([1, 63, 64, 65, 130])


@given(sizes.flatmap(lambda m: arrays(np.float64, (m, 2), elements=values)), st.integers(1, 3))
def test_packed_stumps_have_the_same_bytes(X: np.ndarray, n: int) -> None:
    thresholds = np.linspace(0.0, 1.0, 2 * n).reshape(2, n)
    compiled = pack_stumps(X, thresholds)
    with pytest.MonkeyPatch.context() as patch:
        set_compiled(patch, False)
        assert pack_stumps(X, thresholds).tobytes() == compiled.tobytes()


@pytest.mark.parametrize(("n_voters", "n_words"), [(1, 1), (2, 3), (33, 5), (70, 300)])
def test_counted_differences_have_the_same_bytes(n_voters: int, n_words: int) -> None:
    rng = np.random.default_rng(n_voters)
    bits = rng.integers(0, 2**64, (n_voters, n_words), dtype=np.uint64)
    bits[-1] = ~bits[0]
    compiled, plain = np.full((2, n_voters, n_voters), 7, dtype=np.int64)
    add_differences(bits, compiled)
    with pytest.MonkeyPatch.context() as patch:
        set_compiled(patch, False)
        add_differences(bits, plain)
    assert plain.tobytes() == compiled.tobytes()
    assert compiled[0, -1] == 7 + (64 * n_words if n_voters > 1 else 0)


def test_numbers_that_cannot_be_written_to_are_packed() -> None:
    X = np.asfortranarray(np.random.default_rng(0).normal(size=(70, 3)))
    thresholds = np.zeros((3, 1))
    expected = pack_stumps(X.copy(order="C"), thresholds)
    X.flags.writeable = thresholds.flags.writeable = False
    assert pack_stumps(X, thresholds).tobytes() == expected.tobytes()
