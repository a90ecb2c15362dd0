from __future__ import annotations

import numpy as np
import pytest

from quadrepro.base.types import FloatArray
from quadrepro.core.learners.adaboost import AdaBoost
from quadrepro.core.learners.adaboost_reg import AdaBoostReg
from quadrepro.core.learners.cbboost import CBBoost
from quadrepro.core.learners.ebboost import EBBoost
from quadrepro.core.learners.grid import Grid
from quadrepro.core.learners.hedge import HedgeBoost
from quadrepro.core.learners.learner import positive_votes
from quadrepro.core.learners.lpboost import LPBoost
from quadrepro.core.learners.quadboost import QuadBoost
from quadrepro.core.learners.rounds import BoostingAlgorithm
from quadrepro.core.preprocessing import Normaliser, encode
from quadrepro.core.voters.reduction import VotingProblem, reduce_problem
from quadrepro.core.voters.stumps import Stumps
from quadrepro.data.store import load_dataset

Problem = tuple[FloatArray, FloatArray]

GRIDS: dict[BoostingAlgorithm, dict[str, list[float]]] = {
    AdaBoost(): {"n_rounds": [1, 100, 3000]},
    AdaBoostReg(): {"C": [10.0], "n_rounds": [1, 100]},
    EBBoost(): {"lam": [1.0, 0.1], "n_rounds": [1, 100]},
    HedgeBoost(): {"eta": [0.1], "n_rounds": [1, 100]},
    CBBoost(): {"n_rounds": [1, 100]},
    QuadBoost(): {"n_rounds": [1, 100, 1000]},
    QuadBoost("l1"): {"lam": [0.1, 0.001]},
    QuadBoost("l2"): {"n_rounds": [10, 1000], "lam": [10.0, 1.0]},
    QuadBoost("linf"): {"n_rounds": [10, 1000], "alpha_max": [0.001, 0.1]},
    QuadBoost("linf", reweight=True): {"n_rounds": [10, 300], "alpha_max": [0.001, 0.1]},
}


def real_problem(name: str) -> tuple[FloatArray, FloatArray]:
    dataset = load_dataset(name)
    examples = encode(dataset, dataset.card.view("quadboost"))
    rows = np.random.default_rng(0).permutation(len(examples.y))[:300]
    X = examples.X[rows]
    X = Normaliser.fit(X).transform(X)
    return Stumps().fit(X).transform(X), examples.y[rows]


@pytest.mark.parametrize("algorithm", GRIDS, ids=repr)
def test_the_reduced_problem_gives_the_weights_of_the_plain_one(
    algorithm: BoostingAlgorithm,
) -> None:
    H, y = real_problem("tictactoe" if algorithm.value_name else "monks")
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


def test_lpboosts_objective_is_the_same_on_the_reduced_problem() -> None:
    # A linear program may have several optimal votes, so the objectives are compared.
    H, y = real_problem("titanic")
    grid = Grid.of({"C": [0.01, 0.1, 1.0]})
    plain = VotingProblem(H, y, np.ones((1, len(y))), np.arange(H.shape[1]), H.shape[1])
    for ours, theirs, C in zip(
        LPBoost().path(H, y, grid), LPBoost()._paths(plain, grid)[0], [0.01, 0.1, 1.0], strict=True
    ):
        a, b = (np.abs(w).sum() + C * np.maximum(0, 1 - y * (H @ w)).sum() for w in (ours, theirs))
        assert a == pytest.approx(b, rel=1e-7)


def test_a_path_is_over_the_plain_voters_whether_equal_ones_are_merged_or_not(
    problem: Problem,
) -> None:
    H, y = problem
    doubled = np.hstack([-H, H])
    for algorithm in (QuadBoost("l2"), QuadBoost("l2", reweight=True)):
        grid = Grid.of({"n_rounds": [40], "lam": [0.5]})
        weights = algorithm.path(doubled, y, grid)[0]
        assert weights.shape == (24,)
        assert weights[12:].any() != algorithm.merges_voters


def test_a_vote_calls_positive_what_has_a_positive_sum(problem: Problem) -> None:
    H, _ = problem
    weights = np.random.default_rng(0).normal(size=(4, 12))
    positive = positive_votes(H, weights)
    assert positive.shape == (60, 4)
    for example, row in zip(H, positive, strict=True):
        for vote, found in zip(weights, row, strict=True):
            assert found == (sum(w * h for w, h in zip(vote, example, strict=True)) > 0)


def test_an_even_vote_is_negative() -> None:
    H = np.array([[1.0, -1.0], [1.0, 1.0]])
    assert positive_votes(H, np.array([[0.3, 0.3]])).tolist() == [[False], [True]]
    # 0.1 + 0.2 - 0.3 is 5.6e-17 in floating point: an even vote all the same.
    assert not positive_votes(np.array([[1.0, 1.0, -1.0]]), np.array([[0.1, 0.2, 0.3]])).any()
