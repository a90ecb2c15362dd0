from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from quadrepro import Stumps
from quadrepro.core.voters.bits import add_differences, pack, pack_stumps
from tests.loops import set_compiled

matrices = st.integers(1, 140).flatmap(lambda m: arrays(np.bool_, (4, m)))


@pytest.fixture(params=[True, False], ids=["compiled", "numpy"], autouse=True)
def both_ways(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    set_compiled(monkeypatch, request.param)


@given(matrices)
def test_a_bit_is_an_example_and_those_after_the_last_are_zero(positive: np.ndarray) -> None:
    m = positive.shape[1]
    bits = pack(positive)
    assert bits.shape == (4, -(-m // 64))
    for j, row in enumerate(bits):
        whole = sum(int(word) << (64 * w) for w, word in enumerate(row))
        assert [bool(whole >> i & 1) for i in range(m)] == positive[j].tolist()
        assert whole >> m == 0


@pytest.mark.parametrize("m", [1, 63, 64, 65, 200])
def test_stumps_are_packed_as_their_matrix_says(m: int) -> None:
    # Whole numbers lie on thresholds.
    X = np.random.default_rng(m).integers(0, 5, (m, 3)).astype(float)
    stumps = Stumps(3).fit(np.array([[0.0] * 3, [4.0] * 3]))
    expected = pack(stumps.transform(X).T > 0)
    assert pack_stumps(X, stumps.thresholds_).tobytes() == expected.tobytes()


@pytest.mark.parametrize("m", [1, 64, 200])
def test_differences_are_counted_above_the_diagonal_and_added(m: int) -> None:
    positive = np.random.default_rng(m).random((40, m)) > 0.5
    counts = np.ones((40, 40), dtype=np.int64)
    add_differences(pack(positive), counts)
    differ = (positive[:, None] != positive[None]).sum(axis=2)
    np.testing.assert_array_equal(counts, 1 + np.triu(differ, 1))
