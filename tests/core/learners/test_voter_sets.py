from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from quadrepro.base.types import FloatArray
from quadrepro.core.learners.greedy.adaboost import AdaBoost
from quadrepro.core.learners.greedy.quadboost import QuadBoostL2
from quadrepro.core.learners.grid import Grid
from quadrepro.core.learners.learner import NoSolutionError, Part, TrainingData
from quadrepro.core.learners.one_vs_rest import trainer_of
from quadrepro.core.learners.programs.lpboost import LPBoost
from quadrepro.core.learners.voting import FixedStumps, NamedVoters
from quadrepro.core.voters.conjunctions import Conjunctions
from quadrepro.core.voters.stumps import Stumps
from quadrepro.core.voters.trees import Trees
from tests.core.learners.test_voting import named, part
from tests.core.limited import Limited, weights

TREES = NamedVoters(lambda: Trees(2, 12, random_state=3), needs_labels=True)
STUMPS = NamedVoters(lambda: Stumps(4), needs_labels=False)
DATA = TrainingData(part(0, 70), part(1, 30), None, TREES, named)
GRIDS = [Grid.of({"n_rounds": [1, 5], "lam": [2.0]}), Grid.of({"n_rounds": [30], "lam": [0.5]})]
FOLD = np.arange(70) % 5


def errors_by_refitting(fold: np.ndarray) -> list[int]:
    X, y = DATA.train
    errors = np.zeros(3, dtype=int)
    for f in range(int(fold.max()) + 1):
        seen, out = (fold < f if fold.min() < 0 else fold != f), fold == f
        trees = Trees(2, 12, random_state=3).fit(X[seen], y[seen])
        H, H_out = trees.transform(X[seen]), trees.transform(X[out])
        votes = np.concatenate([QuadBoostL2().path(H, y[seen], grid) for grid in GRIDS])
        errors += ((H_out @ votes.T > 1e-12) != (y[out, None] > 0)).sum(axis=0)
    return errors.tolist()


@pytest.mark.parametrize("fold", [FOLD, np.arange(70) // 14 - 1], ids=["folds", "windows"])
def test_voters_that_learn_from_labels_are_fitted_again_without_each_fold(
    fold: np.ndarray,
) -> None:
    losses = TREES.trainer(QuadBoostL2(), DATA, GRIDS).losses(fold)
    assert losses.values.tolist() == errors_by_refitting(fold)


def test_the_choice_votes_with_the_voters_of_the_whole_training_part() -> None:
    trainer = TREES.trainer(QuadBoostL2(), DATA, GRIDS)
    trees = Trees(2, 12, random_state=3).fit(*DATA.train)
    np.testing.assert_array_equal(trainer.H, trees.transform(DATA.train.X))
    np.testing.assert_array_equal(trainer.H_test, trees.transform(DATA.test.X))
    path, losses = trainer.path(), trainer.losses(FOLD)
    assert path.weights is not None
    for i, expected in enumerate(path.weights):
        np.testing.assert_array_equal(losses.fit(i).weights, expected)


def test_voters_without_labels_are_those_of_the_whole_training_part_as_stumps_are() -> None:
    found = STUMPS.trainer(QuadBoostL2(), DATA, GRIDS)
    expected = FixedStumps(4).trainer(QuadBoostL2(), DATA, GRIDS)
    np.testing.assert_array_equal(found.H_test, expected.H_test)
    np.testing.assert_array_equal(found.losses(FOLD).values, expected.losses(FOLD).values)


def test_so_many_voters_are_drawn_as_of_stumps() -> None:
    X = DATA.train.X.copy()
    X[:, 1] = 3.0
    data = replace(DATA, train=Part(X, DATA.train.y))
    found = replace(STUMPS, n_voters=5).matrices(data.train, DATA.test.X, named)
    expected = FixedStumps(4, 5).matrices(data.train, DATA.test.X, named)
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(one, other)
    with pytest.raises(ValueError, match="9 voters are asked for, but only 8 are not constant"):
        replace(STUMPS, n_voters=9).matrices(data.train, DATA.test.X, named)


def test_of_more_classes_each_has_voters_that_learn_it_from_the_rest() -> None:
    rng = np.random.default_rng(5)
    X = rng.normal(size=(60, 2))
    y = (X[:, 0] > 0).astype(float) + (X[:, 1] > 0)
    voters = NamedVoters(lambda: Conjunctions(3, 2), needs_labels=True)
    train = Part(X, y)
    data = TrainingData(train, train, None, voters, named, "multiclass", 3)
    found = trainer_of(AdaBoost(), data, [Grid.of({"n_rounds": [20]})]).last()
    for code in range(3):
        signs = np.where(y == code, 1.0, -1.0)
        H = Conjunctions(3, 2).fit(X, signs).transform(X)
        [vote] = AdaBoost().path(H, signs, Grid.of({"n_rounds": [20]}))
        assert found.scores is not None
        np.testing.assert_allclose(found.scores[:, code], H @ vote, atol=1e-12)


def test_a_candidate_without_a_solution_on_one_fold_has_no_loss() -> None:
    class One(Stumps):
        def matrix(self, X: FloatArray) -> FloatArray:
            return np.where(X > 0, 1.0, -1.0)

    X = np.array([1.0, 1.0, -1.0, -1.0])[:, None]
    data = replace(DATA, train=Part(X, X[:, 0]), test=Part(X, X[:, 0]))
    trainer = NamedVoters(One, needs_labels=True).trainer(Limited(), data, [weights(2.0, 1.0)])
    fold = np.array([0, 1, 0, 1])
    with_both = trainer.losses(fold).values
    alone = replace(trainer, grids=[weights(2.0)])
    assert np.isnan(with_both).tolist() == [True, False]
    with pytest.raises(NoSolutionError, match="no candidate of Limited has a solution: weight"):
        alone.losses(fold)


def test_voters_that_learn_from_labels_have_nothing_to_hold_out() -> None:
    with pytest.raises(ValueError, match="a hold-out chooses among votes over drawn stumps"):
        TREES.trainer(LPBoost(), DATA, GRIDS).losses(None)
