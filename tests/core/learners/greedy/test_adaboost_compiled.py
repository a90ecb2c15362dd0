"""Compiled rounds and those of numpy give the same bytes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from quadrepro.core.learners.greedy.loop import boost

from quadrepro.base.types import FloatArray
from quadrepro.core import compiling
from quadrepro.core.learners.adaboost import UNITS, AdaBoost, AdaBoostRule, ExampleWeights
from quadrepro.core.learners.grid import Grid
from quadrepro.core.voters.chains import VoterGroups
from quadrepro.core.voters.source import FixedVoters
from quadrepro.core.voters.stumps import Stumps
from tests.loops import set_compiled

pytestmark = pytest.mark.skipif(not compiling.enabled(), reason="numba is not installed")

M = 10
signs = st.sampled_from([-1.0, 1.0])
any_voters = st.integers(1, 20).flatmap(lambda n: arrays(np.float64, (M, n), elements=signs))
stumps = arrays(np.float64, (M, 3), elements=st.integers(-5, 5).map(float)).map(
    lambda X: Stumps().fit(X).transform(X)
)
labels = arrays(np.float64, M, elements=signs)
samples = arrays(np.float64, (3, M), elements=st.sampled_from([0.0, 1.0, 3.0])).filter(
    lambda counts: bool((counts.sum(axis=1) > 0).all())
)


def both(H: FloatArray, y: FloatArray, rounds: list[int], counts: FloatArray) -> list[bytes]:
    grid = Grid.of({"n_rounds": rounds})
    compiled = AdaBoost().path(H, y, grid, counts)
    with pytest.MonkeyPatch.context() as patch:
        set_compiled(patch, False)
        return [compiled.tobytes(), AdaBoost().path(H, y, grid, counts).tobytes()]


@settings(max_examples=60)
@given(st.one_of(any_voters, stumps), labels, samples)
def test_paths_have_the_same_bytes(H: FloatArray, y: FloatArray, counts: FloatArray) -> None:
    compiled, plain = both(H, y, [1, 2, 9, 10, 60], counts)
    assert compiled == plain


@pytest.mark.parametrize("stumps", [False, True])
def test_the_rounds_of_long_runs_have_the_same_bytes(stumps: bool) -> None:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(40, 4))
    H = Stumps().fit(X).transform(X) if stumps else rng.choice([-1.0, 1.0], (40, 21))
    # Separable labels, so that most weights vanish; the first sample has noise.
    y = np.sign(H[:, ::3].sum(axis=1) + 0.5)
    counts = np.ones((2, 40))
    counts[1, ::2] = 2.0
    compiled, plain = both(H, y, [3000], counts)
    assert compiled == plain


@pytest.mark.parametrize("bits", [1.0, 4.0, 12.0])
def test_examples_wake_up_when_their_weights_have_grown(bits: float) -> None:
    rng = np.random.default_rng(5)
    H, y = rng.choice([-1.0, 1.0], (60, 7)), rng.choice([-1.0, 1.0], 60)

    def votes() -> FloatArray:
        state = ExampleWeights(FixedVoters(H, y), np.ones((1, 60)))
        state.example_weights = UNITS / 4 * 2.0 ** -(bits * np.arange(60.0)[None])
        boost(AdaBoostRule(), state, 4000)
        return state.weights

    compiled = votes()
    with pytest.MonkeyPatch.context() as patch:
        set_compiled(patch, False)
        assert compiled.tobytes() == votes().tobytes()


def test_many_examples_with_many_codes_have_the_same_bytes() -> None:
    rng = np.random.default_rng(5)
    H = Stumps(2).fit_transform(rng.normal(size=(3100, 9)))
    y = np.where(H[:, ::2].sum(axis=1) + rng.normal(size=3100) > 0, 1.0, -1.0)
    groups = VoterGroups.of(H, y)
    assert np.diff(groups.chains).max() == 6  # 3^6 codes
    compiled, plain = both(H, y, [1, 40], np.ones((1, 3100)))
    assert compiled == plain
