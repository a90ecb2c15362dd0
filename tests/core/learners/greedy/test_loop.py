from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from quadrepro.core.learners.greedy.loop import (
    Checkpoints,
    Rule,
    State,
    Step,
    Trace,
    boost,
    some,
)

from quadrepro.base.types import BoolArray, FloatArray, IntArray
from quadrepro.core.learners.registry import ALGORITHMS
from tests.core.learners.greedy.runs import RUNS, Examples, StopAt

N_ROUNDS = 7
M = 9

signs = st.sampled_from([-1.0, 1.0])
parts = st.sampled_from([-1.0, -0.5, 0.25, 1.0])
examples = st.builds(
    Examples,
    arrays(np.float64, (M, 5), elements=signs),
    arrays(np.float64, (M, 5), elements=parts),
    arrays(np.float64, (M, 3), elements=st.integers(-9, 9).map(float)),
    arrays(np.float64, M, elements=signs),
    arrays(np.float64, (2, M), elements=st.sampled_from([0.0, 1.0, 3.0])).filter(
        lambda counts: bool((counts.sum(axis=1) > 0).all())
    ),
)
stops = arrays(np.intp, 6, elements=st.integers(1, N_ROUNDS + 1))


@pytest.mark.parametrize("name", RUNS)
@settings(max_examples=15)
@given(examples, stops)
def test_a_trajectory_takes_the_rounds_of_its_own_run_whatever_ends_the_others(
    name: str, examples: Examples, stops: IntArray
) -> None:
    run = RUNS[name]
    stops = stops[: run.n_trajectories]
    together = StopAt(stops)
    run.start(examples, np.arange(len(stops)), N_ROUNDS, [together])
    for row, stop in enumerate(stops):
        alone = StopAt(stops[[row]])
        run.start(examples, np.array([row]), N_ROUNDS, [alone])
        assert together.seen[row] == alone.seen[0]
        assert len(together.seen[row]) <= stop + 1


@pytest.mark.parametrize("name", RUNS)
@settings(max_examples=15)
@given(examples, stops)
def test_a_state_that_keeps_some_trajectories_is_the_state_of_a_run_of_these(
    name: str, examples: Examples, stops: IntArray
) -> None:
    run = RUNS[name]
    stops = np.where(stops > N_ROUNDS - 2, N_ROUNDS + 1, stops)[: run.n_trajectories]
    together = StopAt(stops)
    run.start(examples, np.arange(len(stops)), N_ROUNDS, [together])
    rest = together.going
    if not rest.size:
        return
    apart = StopAt(stops[rest])
    run.start(examples, rest, N_ROUNDS, [apart])
    assert apart.going.size == rest.size
    assert_equal_states(together.state, apart.state)


def assert_equal_states(one: State, other: State) -> None:
    """Compare all arrays and lists; of arrays that a round overwrites, the shapes only."""
    ours, theirs = dict(vars(one)), vars(other)
    assert ours.keys() == theirs.keys()
    getattr(one, "_allocate", lambda: None)()
    for name, value in ours.items():
        expected = theirs[name]
        if isinstance(value, np.ndarray):
            if expected is None:
                # Counts of which none is above 1 are left out.
                assert (value <= 1).all()
                continue
            assert (value.shape, value.dtype) == (expected.shape, expected.dtype), name
            if vars(one)[name] is value:
                np.testing.assert_array_equal(value, expected, err_msg=name)
        elif value is None or isinstance(value, (int, float, list)):
            assert value == expected, name


def kinds(of: type[State]) -> set[type[State]]:
    return {of}.union(*map(kinds, of.__subclasses__()))


def test_no_kind_of_state_is_left_out() -> None:
    for entry in ALGORITHMS.values():
        assert entry.learner
    rng = np.random.default_rng(0)
    H = rng.choice([-1.0, 1.0], (M, 5))
    some_examples = Examples(
        H, H / 2, rng.normal(size=(M, 3)), rng.choice([-1.0, 1.0], M), np.ones((2, M))
    )
    seen = set()
    for run in RUNS.values():
        watcher = StopAt(np.full(run.n_trajectories, 2))
        run.start(some_examples, np.arange(run.n_trajectories), 2, [watcher])
        seen.add(type(watcher.state))
    ours = {kind for kind in kinds(State) if kind.__module__.startswith("quadrepro.")}
    assert ours - {State} == seen


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


ends = st.lists(st.integers(1, 9), min_size=4, max_size=4)


@settings(max_examples=200)
@given(ends, ends, st.sets(st.integers(1, 8), min_size=1), st.integers(1, 9))
def test_watchers_see_every_round_up_to_the_first_end(
    by_rule: list[int], by_watcher: list[int], rounds: set[int], n_rounds: int
) -> None:
    checkpoints, trace, stop = (
        Checkpoints(sorted(rounds), 4, 2),
        Trace(),
        StopAt(np.array(by_watcher)),
    )
    state = Counting(4)
    boost(Until(np.array(by_rule, dtype=float)), state, n_rounds, [checkpoints, stop, trace])
    taken = np.minimum(np.minimum(by_rule, by_watcher), n_rounds)
    # A checkpoint that the run does not reach is not kept, unless the trajectory has ended.
    for row, kept in enumerate(checkpoints.path[:, :, 0]):
        ended = min(by_rule[row], by_watcher[row]) <= n_rounds
        expected = [
            min(t, taken[row]) if ended or t <= n_rounds else np.nan for t in sorted(rounds)
        ]
        np.testing.assert_array_equal(kept, expected)
    assert trace.weights == [1.0] * taken[0]
    for row, seen in enumerate(stop.seen):
        last = "retired" if by_rule[row] <= by_watcher[row] else "dismissed"
        numbers = [r for r, *_ in seen if isinstance(r, int)]
        if taken[row] in (by_rule[row], by_watcher[row]):
            assert seen[-1][0] == last
        assert numbers == list(range(1, len(numbers) + 1))
        assert len(numbers) == taken[row] - (taken[row] == by_rule[row])
    alive = np.minimum(by_rule, by_watcher) > n_rounds
    if alive.any():
        assert state.advanced.tolist() == [n_rounds] * alive.sum()


def test_a_last_round_that_adds_nothing_is_not_traced() -> None:
    @dataclass(frozen=True)
    class Idle(Until):
        def step(self, state: State) -> Step:
            n = len(self.end)
            return Step(np.ones(n, dtype=np.intp), np.zeros(n), some(state.round >= self.end))

    trace = Trace()
    boost(Idle(np.array([3.0, 9.0])), Counting(2), 10, [trace])
    assert (trace.picks, trace.weights) == ([1, 1], [0.0, 0.0])


def test_a_step_that_shrinks_takes_away_its_share_of_the_vote_before_it_adds() -> None:
    @dataclass(frozen=True)
    class Shrink(Rule):
        def step(self, state: State) -> Step:
            n = len(state.weights)
            return Step(np.zeros(n, dtype=np.intp), np.ones(n), None, np.full(n, 0.25))

    checkpoints = Checkpoints([1, 2, 3], 2, 2)
    boost(Shrink(), Counting(2), 3, [checkpoints])
    assert checkpoints.path[:, :, 0].tolist() == [[1.0, 1.75, 2.3125]] * 2
    step = Shrink().step(Counting(3)).keep(np.array([True, False, True]))
    assert step.shrink is not None
    assert step.shrink.tolist() == [0.25, 0.25]


def test_a_step_keeps_what_belongs_to_the_trajectories_that_stay() -> None:
    step = Step(np.arange(3), np.array([0.5, 1.5, 2.5]), np.array([True, False, False]))
    picks, weights, last, shrink = step.keep(np.array([False, True, True]))
    assert (picks.tolist(), weights.tolist(), last, shrink) == ([1, 2], [1.5, 2.5], None, None)


def test_a_rule_keeps_its_arrays_for_the_trajectories_that_stay_and_all_else_as_it_is() -> None:
    @dataclass(frozen=True)
    class Settings(Until):
        start: FloatArray
        name: str
        size: int

    rule = Settings(np.arange(3.0), np.arange(3.0) + 5, "rule", 3)
    kept = rule.keep(np.array([True, False, True]))
    assert isinstance(kept, Settings)
    values = [getattr(kept, f.name) for f in fields(kept)]
    assert [v.tolist() if isinstance(v, np.ndarray) else v for v in values] == [
        [0.0, 2.0],
        [5.0, 7.0],
        "rule",
        3,
    ]


def test_some_is_none_if_no_trajectory_ends() -> None:
    assert some(np.zeros(3, dtype=bool)) is None
    last = np.array([False, True])
    assert some(last) is last
