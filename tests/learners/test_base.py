from __future__ import annotations

import numpy as np
import pytest

from quadrepro._typing import FloatArray
from quadrepro.data.encoding import encode
from quadrepro.data.normalise import Normaliser
from quadrepro.data.store import load_dataset
from quadrepro.learners.algorithm import Algorithm, positive_votes
from quadrepro.learners.greedy.adaboost import AdaBoost
from quadrepro.learners.greedy.quadboost import QuadBoost, QuadBoostL1, QuadBoostL2, QuadBoostLInf
from quadrepro.learners.grid import Grid
from quadrepro.learners.programs.lpboost import LPBoost
from quadrepro.voters.reduction import VotingProblem, reduce_problem
from quadrepro.voters.stumps import Stumps

GRIDS: dict[Algorithm, dict[str, list[float]]] = {
    AdaBoost(): {"n_rounds": [1, 100, 3000]},
    QuadBoost(): {"n_rounds": [1, 100, 1000]},
    QuadBoostL1(): {"lam": [0.1, 0.001]},
    QuadBoostL2(): {"n_rounds": [10, 1000], "lam": [10.0, 1.0]},
    QuadBoostLInf(): {"n_rounds": [10, 1000], "alpha_max": [0.001, 0.1]},
    QuadBoostLInf(reweight=True): {"n_rounds": [10, 300], "alpha_max": [0.001, 0.1]},
}


def real_problem(name: str) -> tuple[FloatArray, FloatArray]:
    dataset = load_dataset(name)
    examples = encode(dataset, dataset.card.view("quadboost"))
    rows = np.random.default_rng(0).permutation(len(examples.y))[:300]
    X = examples.X[rows]
    X = Normaliser.fit(X).transform(X)
    return Stumps().fit(X).transform(X), examples.y[rows]


@pytest.mark.parametrize("name", ["tictactoe", "titanic", "monks"])
@pytest.mark.parametrize("algorithm", GRIDS, ids=repr)
def test_the_reduced_problem_gives_the_weights_of_the_plain_one(
    name: str, algorithm: Algorithm
) -> None:
    H, y = real_problem(name)
    samples = np.vstack([np.arange(len(y)) % 5 != f for f in range(5)]).astype(float)
    grid = Grid.of(GRIDS[algorithm])
    plain = VotingProblem(H, y, samples, np.arange(H.shape[1]), H.shape[1])
    reduced = reduce_problem(H, y, samples)
    assert reduced.H.size < plain.H.size
    weights = algorithm.path(H, y, grid, samples)
    expected = plain.expand(algorithm._paths(plain, grid))
    np.testing.assert_array_equal(weights, expected)
    for ours, theirs in zip(weights, expected, strict=True):
        np.testing.assert_array_equal(positive_votes(H, ours), positive_votes(H, theirs))


@pytest.mark.parametrize("name", ["tictactoe", "titanic", "monks"])
def test_lpboosts_objective_is_the_same_on_the_reduced_problem(name: str) -> None:
    # A linear program may have several optimal votes, so the objectives are compared.
    H, y = real_problem(name)
    grid = Grid.of({"C": [0.01, 0.1, 1.0]})
    plain = VotingProblem(H, y, np.ones((1, len(y))), np.arange(H.shape[1]), H.shape[1])
    for ours, theirs, C in zip(
        LPBoost().path(H, y, grid), LPBoost()._paths(plain, grid)[0], [0.01, 0.1, 1.0], strict=True
    ):
        a, b = (np.abs(w).sum() + C * np.maximum(0, 1 - y * (H @ w)).sum() for w in (ours, theirs))
        assert a == pytest.approx(b, rel=1e-7)
