from __future__ import annotations

import numpy as np
import pytest
from quadrepro.core.learners.greedy.loop import GreedyAlgorithm

from quadrepro.base.types import FloatArray
from quadrepro.core.learners.adaboost import AdaBoost
from quadrepro.core.learners.adaboost_reg import AdaBoostReg
from quadrepro.core.learners.ebboost import EBBoost
from quadrepro.core.learners.grid import Grid
from quadrepro.core.learners.hedge import HedgeBoost
from quadrepro.core.voters.reduction import reduce_problem

Problem = tuple[FloatArray, FloatArray]

ROUNDS = [1, 4, 15]
VALUES: dict[GreedyAlgorithm, tuple[str, list[float]]] = {
    AdaBoost(): ("", []),
    AdaBoostReg(): ("C", [100.0, 10.0]),
    EBBoost(): ("lam", [1.0, 0.1, 0.0]),
    HedgeBoost(): ("eta", [0.05, 0.4]),
}


@pytest.mark.parametrize("algorithm", VALUES, ids=repr)
@pytest.mark.parametrize("rounds_first", [False, True])
def test_a_path_is_each_candidate_alone_on_each_sample(
    problem: Problem, algorithm: GreedyAlgorithm, rounds_first: bool
) -> None:
    H, y = problem
    name, values = VALUES[algorithm]
    axes = {name: values} if name else {}
    axes = {"n_rounds": ROUNDS, **axes} if rounds_first else {**axes, "n_rounds": ROUNDS}
    grid = Grid.of(axes)
    samples = np.vstack([np.ones(60), np.arange(60) % 3])
    path = algorithm.path(H, y, grid, samples)
    assert path.shape == (2, len(grid.candidates), 12)
    for sample, weights in zip(samples, path, strict=True):
        for candidate, found in zip(grid.candidates, weights, strict=True):
            one = Grid.of({key: [value] for key, value in candidate.items()})
            alone = algorithm.path(H, y, one, sample[None])[0, 0]
            np.testing.assert_array_equal(found, alone)
            assert found.any()


@pytest.mark.parametrize(
    ("algorithm", "value"),
    [
        (AdaBoost(), {}),
        (AdaBoostReg(1), {"C": [10.0, 0.0]}),
        (AdaBoostReg(2), {"C": [10.0, 0.0]}),
        (EBBoost(), {"lam": [30.0, 1.0, 0.01]}),
    ],
    ids=repr,
)
def test_a_perfect_voter_is_the_whole_vote(
    problem: Problem, algorithm: GreedyAlgorithm, value: dict[str, list[float]]
) -> None:
    H, y = problem
    weights = algorithm.path(np.column_stack([H, -y]), y, Grid.of({**value, "n_rounds": [1, 50]}))
    assert not weights[:, :-1].any()
    assert (weights[:, -1] == -1).all()


@pytest.mark.parametrize("algorithm", VALUES, ids=repr)
def test_without_an_edge_the_vote_is_empty(algorithm: GreedyAlgorithm) -> None:
    H = np.array([[1.0], [1.0], [-1.0], [-1.0]])
    y = np.array([1.0, -1.0, 1.0, -1.0])
    name, values = VALUES[algorithm]
    grid = Grid.of({"n_rounds": [10]} | ({name: values} if name else {}))
    assert not algorithm.path(H, y, grid).any()


@pytest.mark.parametrize("algorithm", VALUES, ids=repr)
def test_the_hyperparameter_beside_the_rounds_has_one_value_per_trajectory(
    algorithm: GreedyAlgorithm,
) -> None:
    name, values = VALUES[algorithm]
    assert algorithm.value_name == name
    found = algorithm.values(Grid.of({name: values} if name else {"n_rounds": [3]}))
    np.testing.assert_array_equal(found, values or [np.nan])
    assert found.dtype == np.float64


def test_numbers_of_rounds_are_whole() -> None:
    rounds = AdaBoost().rounds(Grid.of({"n_rounds": [2.0, 5]}))
    assert rounds == [2, 5]
    assert {type(t) for t in rounds} == {int}


def test_trajectories_are_numbered_sample_by_sample(problem: Problem) -> None:
    H, y = problem
    samples = np.vstack([np.ones(60), np.arange(60) % 2])
    reduced = reduce_problem(H, y, samples)
    seen: list[FloatArray] = []

    class Spy(EBBoost):
        def rule(self, values: FloatArray):  # type: ignore[no-untyped-def]
            seen.append(values)
            return super().rule(values)

        def state(self, problem, sample_of):  # type: ignore[no-untyped-def]
            seen.append(sample_of)
            return super().state(problem, sample_of)

    Spy().run(reduced, np.array([1.0, 0.5, 0.1]), 2, [])
    assert [found.tolist() for found in seen] == [
        [1.0, 0.5, 0.1, 1.0, 0.5, 0.1],
        [0, 0, 0, 1, 1, 1],
    ]
