"""Compiled rounds and those of numpy give the same bytes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from quadrepro.base.types import FloatArray
from quadrepro.core import compiling
from quadrepro.core.learners.greedy.quadboost import (
    QuadBoost,
    QuadBoostL1,
    QuadBoostL2,
    QuadBoostLInf,
)
from quadrepro.core.learners.grid import Grid
from quadrepro.core.voters.reduction import reduce_problem
from tests.loops import set_compiled

pytestmark = pytest.mark.skipif(not compiling.enabled(), reason="numba is not installed")

LAMS = [0.5, 0.125, 0.01]
ALGORITHMS = {
    "vanilla": (QuadBoost(), {}),
    "l1": (QuadBoostL1(max_rounds=50), {"lam": LAMS}),
    "l2": (QuadBoostL2(), {"lam": LAMS}),
    "linf": (QuadBoostLInf(), {"alpha_max": LAMS[::-1]}),
}
ROUNDS = [1, 2, 7, 8, 40]

signs = st.sampled_from([-1.0, 1.0])
parts = st.sampled_from([-1.0, -0.5, 0.0, 0.25, 1.0])
samples = arrays(np.float64, (2, 9), elements=st.sampled_from([0.0, 1.0, 3.0])).filter(
    lambda counts: bool((counts.sum(axis=1) > 0).all())
)
labels = arrays(np.float64, 9, elements=signs)


def voters(elements: st.SearchStrategy[float]) -> st.SearchStrategy[FloatArray]:
    return st.integers(1, 6).flatmap(lambda n: arrays(np.float64, (9, n), elements=elements))


FORMS = {
    "additive": {},
    "reweighting": {"reweight": True},
    "by correlation": {"selection": "correlation"},
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", ALGORITHMS)
@settings(max_examples=30)
@given(st.one_of(voters(signs), voters(parts)), labels, samples)
def test_paths_have_the_same_bytes(
    name: str, form: str, H: FloatArray, y: FloatArray, counts: FloatArray
) -> None:
    algorithm, values = ALGORITHMS[name]
    algorithm = replace(algorithm, **FORMS[form])
    grid = Grid.of(values if name == "l1" else {**values, "n_rounds": ROUNDS})
    compiled = algorithm.path(H, y, grid, counts)
    with pytest.MonkeyPatch.context() as patch:
        set_compiled(patch, False)
        assert algorithm.path(H, y, grid, counts).tobytes() == compiled.tobytes()


@pytest.mark.parametrize("name", ALGORITHMS)
def test_the_rounds_of_a_long_run_have_the_same_bytes(name: str) -> None:
    rng = np.random.default_rng(0)
    H, y = rng.choice([-1.0, 1.0], (60, 90)), rng.choice([-1.0, 1.0], 60)
    algorithm, values = ALGORITHMS[name]
    grid = Grid.of(values if name == "l1" else {**values, "n_rounds": [900]})
    compiled = algorithm.path(H, y, grid)
    with pytest.MonkeyPatch.context() as patch:
        set_compiled(patch, False)
        assert algorithm.path(H, y, grid).tobytes() == compiled.tobytes()


def test_a_leap_ends_where_the_change_is_within_the_tolerance() -> None:
    H = np.array([[1.0], [1.0], [-1.0]])
    problem = reduce_problem(H, np.array([1.0, 1.0, 1.0]))
    algorithm = QuadBoost()
    state = algorithm.state(problem, np.array([0]))
    leap = algorithm.rule(np.array([np.nan])).leap(state, 1, 10)
    assert leap is not None
    # The first step takes all of the correlation of 1/3, the second finds nothing left.
    assert leap.ended.tolist() == [True]
    assert leap.weights[0, 0] == 1 / 3
    assert leap.taken[0] <= 2
