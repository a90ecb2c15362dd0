from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_wine
from sklearn.feature_selection import SelectKBest
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

from quadrepro import AdaBoostClassifier, GradientBoostClassifier
from quadrepro.base.types import FloatArray
from quadrepro.core.learners.adaboost import AdaBoost
from quadrepro.core.learners.ebboost import EBBoost
from quadrepro.core.learners.estimator import EstimatorPredictor
from quadrepro.core.learners.gradient import GradientBoost
from quadrepro.core.learners.grid import Grid, Stopping
from quadrepro.core.learners.learner import Learner, Part, TrainingData
from quadrepro.core.learners.trainers import OneVsRest, first_of_largest, trainer_of
from quadrepro.core.learners.voters import DrawnStumps, FixedStumps, TransformerVoters
from quadrepro.core.voters.drawn import RandomStumps
from quadrepro.core.voters.stumps import Stumps
from tests.core.learners.given import Limited, weights

X, Y = load_wine(return_X_y=True)
ORDER = np.random.default_rng(0).permutation(len(Y))
TRAIN, VALID, TEST = (Part(X[i], Y[i].astype(float)) for i in np.split(ORDER, [80, 130]))
FOLD = np.arange(80) % 4
GRID = Grid.of({"n_rounds": [1, 3, 20]})
FIXED = FixedStumps(4)
DRAWN = DrawnStumps(
    lambda codes, y: RandomStumps(codes, y, np.random.default_rng(5), per_round=30),
    Stopping(patience=10, max_rounds=200),
)


def named(name: str) -> np.random.Generator:
    return np.random.default_rng(list(name.encode()))


def data(voters: Any = FIXED, train: Part = TRAIN) -> TrainingData:
    return TrainingData(train, TEST, VALID, voters, named, "multiclass", 3)


def one_vs_rest(learner: Learner, grid: Grid = GRID, **changes: Any) -> OneVsRest:
    trainer = trainer_of(learner, data(**changes), [grid])
    assert isinstance(trainer, OneVsRest)
    return trainer


def voted(n_rounds: int) -> OneVsRestClassifier:
    return OneVsRestClassifier(AdaBoostClassifier(n_rounds, voters="precomputed"))


@pytest.mark.parametrize("n_rounds", [1, 2, 20])
def test_votes_predict_what_scikit_learns_one_vs_rest_does(n_rounds: int) -> None:
    stumps = Stumps(4).fit(TRAIN.X)
    H, H_test = stumps.transform(TRAIN.X), stumps.transform(TEST.X)
    theirs = voted(n_rounds).fit(H, TRAIN.y)
    trainer = one_vs_rest(AdaBoost(), Grid.of({"n_rounds": [n_rounds]}))
    fitted = trainer.outputs(0)
    scores = theirs.decision_function(H_test)
    np.testing.assert_allclose(fitted.scores, scores, atol=1e-12)
    # Of equal scores scikit-learn takes the last.
    two_best = np.sort(scores, axis=1)[:, -2:]
    clear = two_best[:, 1] > two_best[:, 0] + 1e-9
    assert clear.mean() > 0.5
    np.testing.assert_array_equal(fitted.predicted[clear], theirs.predict(H_test)[clear])
    np.testing.assert_array_equal(fitted.predicted, np.round(scores, 9).argmax(axis=1))
    assert fitted.probabilities is None


def test_the_losses_over_folds_are_the_errors_of_one_vs_rest_without_each_fold() -> None:
    H = Stumps(4).fit(TRAIN.X).transform(TRAIN.X)
    trainer = one_vs_rest(AdaBoost())
    losses = trainer.losses(FOLD)
    expected = np.zeros(3)
    for f in range(4):
        rest, out = f != FOLD, f == FOLD
        for i, n_rounds in enumerate((1, 3, 20)):
            scores = voted(n_rounds).fit(H[rest], TRAIN.y[rest]).decision_function(H[out])
            expected[i] += (np.round(scores, 9).argmax(axis=1) != TRAIN.y[out]).sum()
    assert losses.tolist() == expected.tolist()
    assert len(set(expected)) > 1
    assert trainer.candidates[1] == {"n_rounds": 3}


def boosted(n_rounds: int) -> OneVsRestClassifier:
    return OneVsRestClassifier(GradientBoostClassifier("full", n_rounds=n_rounds))


def test_boosted_trees_have_the_outputs_of_scikit_learns_one_vs_rest() -> None:
    trainer = one_vs_rest(GradientBoost(loss="logistic"))
    losses, expected = trainer.losses(None), []
    for i, n_rounds in enumerate((1, 3, 20)):
        theirs = boosted(n_rounds).fit(*TRAIN)
        expected.append(float((theirs.predict(VALID.X) != VALID.y).sum()))
        fitted = trainer.outputs(i)
        scores = theirs.decision_function(TEST.X)
        np.testing.assert_array_equal(fitted.scores, scores)
        np.testing.assert_array_equal(fitted.predicted, scores.argmax(axis=1))
        of_classes = 1 / (1 + np.exp(-scores))
        of_classes /= of_classes.sum(axis=1, keepdims=True)
        np.testing.assert_allclose(fitted.probabilities, of_classes, rtol=1e-9)
    assert losses.tolist() == expected


def test_drawn_stumps_give_each_class_its_own_rounds() -> None:
    grid = Grid.of({"lam": [3.0, 0.3]})
    trainer = one_vs_rest(EBBoost(), grid, voters=DRAWN)
    losses = trainer.losses(None)
    alone = [trainer_of(EBBoost(), data(DRAWN).against_rest(c), [grid]) for c in range(3)]
    for of_class in alone:
        of_class.losses(None)
    for i in range(2):
        rounds = ", ".join(str(of_class.candidates[i]["n_rounds"]) for of_class in alone)
        assert trainer.candidates[i] == {"lam": (3.0, 0.3)[i], "n_rounds": rounds}
        scores = np.column_stack([of_class.outputs(i).scores for of_class in alone])
        fitted = trainer.outputs(i)
        np.testing.assert_array_equal(fitted.scores, scores)
        np.testing.assert_array_equal(fitted.predicted, scores.argmax(axis=1))
    assert 0 < losses.min() <= losses.max() < len(VALID.y) / 2


def test_held_out_examples_of_drawn_stumps_are_predicted_as_test_examples() -> None:
    as_test = TrainingData(TRAIN, VALID, VALID, DRAWN, named, "multiclass", 3)
    trainer = trainer_of(AdaBoost(), as_test, [Grid.of({})])
    assert trainer.losses(None).tolist() == [(trainer.outputs(0).predicted != VALID.y).sum()]


def test_of_more_classes_each_has_voters_that_learn_it_from_the_rest() -> None:
    best = make_pipeline(SelectKBest(k=1), Stumps(12))
    learned = data(TransformerVoters(lambda: clone(best)))
    found = trainer_of(AdaBoost(), learned, [Grid.of({"n_rounds": [20]})]).outputs(0)
    assert found.scores is not None
    for code in range(3):
        signs = np.where(TRAIN.y == code, 1.0, -1.0)
        voters = clone(best).fit(TRAIN.X, signs)
        [vote] = AdaBoost().path(voters.transform(TRAIN.X), signs, Grid.of({"n_rounds": [20]}))
        expected = voters.transform(TEST.X) @ vote
        np.testing.assert_allclose(found.scores[:, code], expected, atol=1e-12)


def test_one_class_becomes_positive_and_all_others_negative() -> None:
    found = data().against_rest(2)
    assert found.valid is not None
    for of, whole in ((found.train, TRAIN), (found.test, TEST), (found.valid, VALID)):
        assert of.y.tolist() == np.where(whole.y == 2, 1.0, -1.0).tolist()
        assert of.X is whole.X
    assert (found.task, found.n_classes) == ("classification", 2)
    assert replace(data(), valid=None).against_rest(0).valid is None


def test_a_class_that_the_training_part_lacks_is_never_predicted() -> None:
    rows = TRAIN.y != 1
    part = Part(TRAIN.X[rows], TRAIN.y[rows])
    for learner in (AdaBoost(), GradientBoost(loss="logistic")):
        trainer = one_vs_rest(learner, train=part)
        fitted = trainer.outputs(2)
        assert set(fitted.predicted.tolist()) == {0, 2}
        assert fitted.scores is not None
        assert (fitted.scores[:, 1] == -np.inf).all()
        if fitted.probabilities is not None:
            assert not fitted.probabilities[:, 1].any()
            np.testing.assert_allclose(fitted.probabilities.sum(axis=1), 1.0)
    # All held-out examples of the class are errors.
    errors = trainer.losses(None)
    assert (errors >= (VALID.y == 1).sum()).all()


def test_what_tells_many_classes_apart_is_trained_once() -> None:
    trainer = trainer_of(EstimatorPredictor("SVC"), data(), [Grid.of({"C": [1.0, 10.0]})])
    assert not isinstance(trainer, OneVsRest)
    fitted = trainer.outputs(1)
    theirs = SVC(C=10.0).fit(*TRAIN)
    np.testing.assert_array_equal(fitted.predicted, theirs.predict(TEST.X))
    np.testing.assert_array_equal(fitted.scores, theirs.decision_function(TEST.X))


def test_a_candidate_needs_a_solution_for_every_class() -> None:
    losses = one_vs_rest(Limited(), weights(1.0, 2.0)).losses(FOLD)
    assert np.isnan(losses).tolist() == [False, True]


NAN = float("nan")


@pytest.mark.parametrize(
    ("scores", "zero", "first"),
    [
        ([0.1, 0.3, 0.3], 0.0, 1),
        ([0.3, 0.3 + 1e-15, 0.0], 1e-12, 0),
        ([0.3, 0.3 + 1e-9, 0.0], 1e-12, 1),
        ([NAN, -5.0, NAN], 0.0, 1),
        ([NAN, NAN, NAN], 0.0, 0),
        ([-1.0, np.inf, np.inf], 0.0, 1),
    ],
)
def test_the_first_of_equal_scores_counts(scores: list[float], zero: float, first: int) -> None:
    column: FloatArray = np.array(scores)[:, None]
    assert first_of_largest(column, zero).tolist() == [first]
