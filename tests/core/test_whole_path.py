from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

from quadrepro.base.types import FloatArray
from quadrepro.core.cell import take_last
from quadrepro.core.learners.estimator import EstimatorPredictor
from quadrepro.core.learners.greedy.adaboost import AdaBoost
from quadrepro.core.learners.grid import Grid
from quadrepro.core.learners.learner import NoSolutionError, Part, TrainingData
from quadrepro.core.learners.predictor import Predictions
from quadrepro.core.learners.voting import FixedStumps, MatrixVotes
from tests.core.limited import ONE_VOTER, Limited, weights

Problem = tuple[FloatArray, FloatArray]


def test_a_path_keeps_candidates_without_a_solution_but_must_end_in_one() -> None:
    y = ONE_VOTER[:, 0]

    def votes(*grids: Grid) -> MatrixVotes:
        return MatrixVotes(grids, Limited(), ONE_VOTER, y, ONE_VOTER)

    choice = take_last(votes(weights(3.0), weights(1.0, -1.0)), measured=True)
    assert choice.path is not None
    np.testing.assert_array_equal(choice.path.weights, [[np.nan], [1.0], [-1.0]])
    with pytest.raises(NoSolutionError, match="weight must be at most 1 for 1 samples"):
        take_last(votes(weights(1.0, 3.0)), measured=True)


@pytest.mark.parametrize("measured", [True, False])
def test_the_last_candidate_is_taken(make_problem: Callable[..., Problem], measured: bool) -> None:
    H, y = make_problem()
    grids = [Grid.of({"n_rounds": [1, 5]}), Grid.of({"n_rounds": [9]})]
    choice = take_last(MatrixVotes(grids, AdaBoost(), H, y, H), measured=measured)
    assert (choice.fitted.candidate, choice.loss) == ({"n_rounds": 9}, 0.0)
    expected = AdaBoost().path(H, y, grids[1])[0]
    np.testing.assert_array_equal(choice.fitted.weights, expected)
    assert (choice.path is not None) == measured


@pytest.mark.parametrize("measured", [True, False])
def test_the_last_candidate_of_a_predictor_is_trained_alone_for_its_probabilities(
    monkeypatch: pytest.MonkeyPatch, measured: bool
) -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30, 2)), np.where(rng.normal(size=30) > 0, 1.0, -1.0)
    fits: list[int] = []
    fit = DecisionTreeClassifier.fit

    def counted(self: DecisionTreeClassifier, *args: object) -> DecisionTreeClassifier:
        fits.append(self.max_depth)
        return fit(self, *args)

    monkeypatch.setattr(DecisionTreeClassifier, "fit", counted)
    data = TrainingData(
        Part(X, y), Part(X[:5], y[:5]), None, FixedStumps(1), lambda name: np.random.default_rng(1)
    )
    tree = EstimatorPredictor("DecisionTreeClassifier")
    choice = take_last(
        Predictions([Grid.of({"max_depth": [1, 2, 4]})], tree, data), measured=measured
    )
    assert fits == ([1, 2, 4, 4] if measured else [4])
    assert choice.fitted.probabilities is not None
    assert choice.fitted.candidate == {"max_depth": 4}
    if choice.path is not None:
        scores, test_scores = choice.path.scores()
        assert (scores.shape, test_scores.shape) == ((3, 30), (3, 5))
        np.testing.assert_array_equal(scores[:, :5], test_scores)
        np.testing.assert_array_equal(choice.fitted.predicted, test_scores[-1] > 0)
