from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from quadrepro._typing import BoolArray, FloatArray
from quadrepro.learners.greedy.loop import Checkpoints, Rule, State, Step, Trace, boost, some


class Counting(State):
    """A state that only counts how often each of its trajectories advanced."""

    def __init__(self, n: int) -> None:
        self.weights = np.zeros((n, 2))
        self.advanced = np.zeros(n)

    def advance(self, step: Step) -> None:
        self.advanced += 1

    def keep(self, rows: BoolArray) -> None:
        self.weights, self.advanced = self.weights[rows], self.advanced[rows]


@dataclass(frozen=True)
class Until(Rule):
    """Adds 1 to voter 0 each round; a trajectory's last round is when its vote reaches `end`."""

    end: FloatArray

    def step(self, state: State) -> Step:
        n = len(self.end)
        last = state.weights[:, 0] + 1 >= self.end
        return Step(np.zeros(n, dtype=np.intp), np.ones(n), some(last))


def test_a_trajectory_that_stopped_keeps_its_vote_at_later_checkpoints() -> None:
    checkpoints = Checkpoints([1, 3, 6], 3, 2)
    boost(Until(np.array([2.0, 9.0, 4.0])), Counting(3), 6, [checkpoints])
    assert checkpoints.path[:, :, 0].tolist() == [[1, 2, 2], [1, 3, 6], [1, 3, 4]]


def test_the_loop_ends_when_every_trajectory_has_stopped() -> None:
    seen: list[int] = []

    class Watch(Trace):
        def after(self, t: int, live: np.ndarray, step: Step, state: State) -> None:
            seen.append(t)

    boost(Until(np.array([3.0, 2.0])), Counting(2), 100, [Watch()])
    assert seen == [1, 2]


@pytest.mark.parametrize("rounds", [3, 10])
def test_trace_holds_the_first_trajectorys_rounds_including_its_last(rounds: int) -> None:
    trace = Trace()
    boost(Until(np.array([5.0, 2.0])), Counting(2), rounds, [trace])
    assert trace.weights == [1.0] * min(rounds, 5)


def test_a_step_that_shrinks_takes_away_its_share_of_the_vote_before_it_adds() -> None:
    @dataclass(frozen=True)
    class Halve(Rule):
        def step(self, state: State) -> Step:
            n = len(state.weights)
            return Step(np.zeros(n, dtype=np.intp), np.ones(n), None, np.full(n, 0.5))

    checkpoints = Checkpoints([1, 2, 3], 2, 2)
    boost(Halve(), Counting(2), 3, [checkpoints])
    assert checkpoints.path[:, :, 0].tolist() == [[1.0, 1.5, 1.75]] * 2
    step = Halve().step(Counting(3)).keep(np.array([True, False, True]))
    assert step.shrink is not None
    assert step.shrink.tolist() == [0.5, 0.5]
