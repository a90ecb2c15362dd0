from __future__ import annotations

import numpy as np
import pytest

from quadrepro.core import compiling
from quadrepro.core.learners.greedy.loop import TIE, first_of_largest
from quadrepro.core.learners.greedy.quadboost import QuadBoost, QuadBoostL2
from quadrepro.core.voters.reduction import reduce_problem
from tests.loops import set_compiled


def test_ties_go_to_the_lowest_index_of_each_row() -> None:
    scores = np.array([[0.0, 1.0 - TIE / 2, 1.0], [0.0, 1.0 - 2 * TIE, 1.0], [0.0, 0.0, 0.0]])
    assert first_of_largest(scores).tolist() == [1, 2, 0]


def test_scores_below_zero_have_a_largest_as_well() -> None:
    assert first_of_largest(np.array([[-2.0, -1e-17, -1.0], [-3.0, -2.0, -1.0]])).tolist() == [1, 2]


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("algorithm", [QuadBoost(), QuadBoost(reweight=True), QuadBoostL2()])
@pytest.mark.parametrize(("shift", "pick"), [(0.0, 0), (1e-13, 0), (1e-6, 1)])
def test_quadboost_takes_the_first_of_voters_that_only_rounding_tells_apart(
    algorithm: QuadBoost, compiled: bool, shift: float, pick: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_compiled(monkeypatch, compiled)
    H = np.array([[1.0, -1.0], [1.0, 1.0], [-1.0, 1.0], [-1.0, -1.0]])
    state = algorithm.state(reduce_problem(H, np.array([1.0, 1.0, 1.0, -1.0])), np.array([0]))
    assert state.c.tolist() == [[0.5, 0.5]]
    state.c[0, 1] *= 1 + shift
    rule = algorithm.rule(np.array([1.0]))
    leap = rule.leap(state, 1, 1)
    assert (leap is not None) == (compiled and compiling.enabled())
    picks = rule.step(state).picks if leap is None else leap.picks[:, 0]
    assert picks.tolist() == [pick]
