"""Candidates are trained without what judges them; the first of least loss is chosen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_wine
from sklearn.feature_selection import SelectKBest
from sklearn.metrics import balanced_accuracy_score, log_loss, roc_auc_score
from sklearn.model_selection import (
    GridSearchCV,
    PredefinedSplit,
    TimeSeriesSplit,
    cross_val_predict,
)
from sklearn.multiclass import OneVsRestClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeRegressor

from quadrepro import AdaBoostClassifier, GradientBoostClassifier
from quadrepro.base.types import FloatArray, IntArray, Task
from quadrepro.core.holdout import Holdout, HoldoutStumps
from quadrepro.core.learners.adaboost import AdaBoost
from quadrepro.core.learners.ebboost import EBBoost
from quadrepro.core.learners.gradient import GradientBoost
from quadrepro.core.learners.lpboost import LPBoost
from quadrepro.core.learners.mincq import MinCq
from quadrepro.core.learners.quadboost import QuadBoost
from quadrepro.core.metrics import METRICS
from quadrepro.core.splits import KnownRows, deal
from quadrepro.core.training import fitted as fitting
from quadrepro.core.training.choose import (
    choose_by_folds,
    choose_by_validation,
    choose_rest_by_test,
)
from quadrepro.core.training.contract import (
    Learner,
    Outputs,
    Part,
    Predictor,
    TrainingData,
    positive_votes,
    trained_on,
)
from quadrepro.core.training.estimator import EstimatorPredictor
from quadrepro.core.training.fitted import (
    FittedDrawnVotes,
    FittedOneVsRest,
    FittedPredictions,
    FittedVotes,
    NoSolutionError,
    first_within,
    fit,
    losses_of,
)
from quadrepro.core.training.grid import Grid, Hyperparameter
from quadrepro.core.training.voting import DrawnStumps, FixedStumps, TransformerVoters
from quadrepro.core.voters.coded import ZERO_VOTE, CodedVoters
from quadrepro.core.voters.drawn import RandomStumps, StumpCodes
from quadrepro.core.voters.reduction import VotingProblem
from quadrepro.core.voters.stumps import Stumps
from tests.core.learners.given import (
    FOLD,
    ONE_VOTER,
    Limited,
    make_problem,
    votes,
    weights,
)

NAN = float("nan")


def named(name: str) -> np.random.Generator:
    return np.random.default_rng(list(name.encode()))


def part(seed: int, m: int) -> Part:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(m, 3))
    return Part(X, np.where(X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size=m) > 0, 1.0, -1.0))


DATA = TrainingData(part(0, 70), part(1, 30), part(2, 50), FixedStumps(4), named)
GRIDS = [
    Grid.from_values({"n_rounds": [1, 5], "lam": [2.0]}),
    Grid.from_values({"n_rounds": [30], "lam": [0.5]}),
]


# Choosing


@pytest.mark.parametrize(
    ("losses", "best"),
    [([3.0, 1.0, 2.0], 1), ([2.0, 1.0, 1.0], 1), ([NAN, 5.0, 4.0], 2), ([NAN, np.inf, NAN], 1)],
)
def test_the_first_candidate_of_least_loss_is_chosen(losses: list[float], best: int) -> None:
    known: Any = SimpleNamespace(validation_losses=lambda: np.array(losses))
    found, values = choose_by_validation(known)
    assert found == best
    np.testing.assert_array_equal(values, losses)


@pytest.mark.parametrize("task", ["classification", "regression"])
def test_validation_can_choose_the_rounds_and_test_examples_the_rest(task: str) -> None:
    validation = [3.0, 1.0, 2.0, 0.0, 0.0, np.nan]
    candidates = [{"nu": nu, "n_rounds": t} for nu in (0.1, 0.5, 0.9) for t in (1, 2)]
    wrong = [0, 2, 0, 1, 3, 0]
    y = np.zeros(4)
    data = SimpleNamespace(task=task, test=SimpleNamespace(y=y), codes_of=lambda y: y)
    fitted: Any = SimpleNamespace(
        data=data,
        candidates=candidates,
        outputs=lambda i: SimpleNamespace(predicted=np.arange(4) < wrong[i]),
    )
    # The best rounds by validation are those of places 1, 3 and 4.
    assert choose_rest_by_test(fitted, np.array(validation)) == 3


def test_losses_count_errors_or_add_squares_and_are_nan_without_a_solution() -> None:
    codes, actual = np.array([[1, 0, 1], [0, 0, 1]]), np.array([1, 1, 1])
    each = [Outputs(codes[0]), None, Outputs(codes[1])]
    tasks: tuple[Task, ...] = ("classification", "multiclass", "regression")
    for task in tasks:
        np.testing.assert_array_equal(losses_of(each, actual, task), [1.0, NAN, 2.0])
    numbers = np.array([[2.0, 1.0, 3.0], [NAN, 0.0, 1.0]])
    losses = losses_of([*map(Outputs, numbers)], np.array([2.0, 0.0, 1.0]), "regression")
    assert losses.tolist() == [5.0, np.inf]


def test_a_vote_that_is_zero_up_to_rounding_predicts_the_first_class() -> None:
    sums, zero = np.array([0.5, 1e-13, -1e-13, -1.0]), 1e-12
    outputs = Outputs.by_vote(sums, zero)
    assert outputs.predicted.tolist() == [1, 0, 0, 0]
    assert outputs.scores is not None
    assert outputs.scores.tolist() == [0.5, 0.0, 0.0, -1.0]
    assert Outputs.by_vote(sums, 0.0).predicted.tolist() == [1, 1, 0, 0]


# Votes over fixed voters


@pytest.mark.parametrize("in_time", [False, True])
def test_votes_are_judged_by_folds_that_they_have_not_seen_and_not_by_ranks_in_those_of_one_class(
    in_time: bool,
) -> None:
    H, y = make_problem()
    H_test = np.random.default_rng(1).choice([-1.0, 1.0], (9, 12))
    fold = np.arange(60) // 12 - 1
    if not in_time:
        # The first fold has one class.
        y, fold = np.sort(y), np.concatenate([np.zeros(8), 1 + np.arange(52) % 3]).astype(int)
    trainer, sums, areas = votes(QuadBoost("l2"), H, y, GRIDS, H_test), np.empty((3, 60)), []
    for f in range(4):
        rest, out = fold < f if in_time else fold != f, fold == f
        paths = [QuadBoost("l2").path(H[rest], y[rest], grid) for grid in GRIDS]
        sums[:, out] = np.concatenate(paths) @ H[out].T
        if len({*y[out]}) > 1:
            areas.append([roc_auc_score(y[out], row) for row in sums[:, out]])
    held = fold >= 0
    positive, truly = sums[:, held] > 1e-12, y[held] > 0
    assert choose_by_folds(trainer, fold)[1].tolist() == (positive != truly).sum(axis=1).tolist()
    balanced = [1 - balanced_accuracy_score(truly, row) for row in positive]
    best, losses = choose_by_folds(trainer, fold, METRICS["balanced_error"])
    np.testing.assert_allclose(losses, balanced, atol=1e-15)
    assert best == np.argmin(losses)
    _, losses = choose_by_folds(trainer, fold, METRICS["auc"])
    np.testing.assert_allclose(losses, -np.mean(areas, axis=0))
    whole = np.concatenate([QuadBoost("l2").path(H, y, grid) for grid in GRIDS])
    np.testing.assert_array_equal(trainer.weights, whole)
    for i in range(3):
        outputs = trainer.outputs(i)
        np.testing.assert_allclose(outputs.scores, H_test @ whole[i], atol=1e-15)
        np.testing.assert_array_equal(outputs.predicted, positive_votes(H_test, whole[[i]])[:, 0])
        assert (outputs.probabilities, outputs.margins) == (None, None)
        assert outputs.zero == pytest.approx(ZERO_VOTE * np.abs(whole[i]).sum())


def test_what_is_measured_are_the_votes_of_all_grids() -> None:
    H, y = make_problem()
    grids = [Grid.from_values({"n_rounds": [2, 9]}), Grid.from_values({"n_rounds": [30]})]
    trained = votes(AdaBoost(), H, y, grids, H[:7]).trained()
    expected = AdaBoost().path(H, y, Grid.from_values({"n_rounds": [2, 9, 30]}))
    np.testing.assert_array_equal(trained.votes, expected)
    np.testing.assert_allclose(trained.scores, expected @ H.T)
    np.testing.assert_allclose(trained.test_scores, expected @ H[:7].T)
    assert trained.voters is H


def test_a_candidate_without_a_solution_on_some_sample_is_never_chosen() -> None:
    y = ONE_VOTER[:, 0]
    for impossible in (2.0, 3.0):
        for grids in ([weights(impossible, -1.0)], [weights(impossible), weights(-1.0)]):
            trainer = votes(Limited(), ONE_VOTER, y, grids, ONE_VOTER)
            best, losses = choose_by_folds(trainer, FOLD)
            assert trainer.candidates[best] == {"weight": -1.0}
            assert trainer.weights[best].tolist() == [-1.0]
            np.testing.assert_array_equal(losses, [NAN, 4.0])
    message = "no candidate of Limited has a solution: weight must be at most 1 for {} samples"
    trainer = votes(Limited(), ONE_VOTER, y, [weights(2.0, 3.0)], ONE_VOTER)
    with pytest.raises(NoSolutionError, match=message.format(3)):
        choose_by_folds(trainer, FOLD)
    trainer = votes(Limited(), ONE_VOTER, y, [weights(1.0, 3.0)], ONE_VOTER)
    np.testing.assert_array_equal(trainer.trained().votes, [[1.0], [NAN]])
    with pytest.raises(NoSolutionError, match=message.format(1)):
        trainer.outputs(1)


def test_a_vote_on_held_out_examples_that_is_even_but_for_rounding_is_for_the_first_class() -> None:
    class Even(Limited):
        def _paths(self, problem: VotingProblem, grid: Grid) -> FloatArray:
            return np.tile([0.1, 0.2, -0.3], (len(problem.counts), len(grid), 1))

    assert 0.1 + 0.2 - 0.3 > 0
    H = np.array([[1.0, 1, 1], [1, 1, 1], [1, -1, 1], [-1, 1, 1]])
    trainer = votes(Even(), H, ONE_VOTER[:, 0], [weights(1.0)], H)
    [[even], _] = trainer.fold_outputs(FOLD)
    assert even is not None
    assert even.predicted.tolist() == [0, 0]


def test_a_candidate_without_a_solution_on_all_examples_is_never_chosen() -> None:
    class Whole(Limited):
        def _paths(self, problem: VotingProblem, grid: Grid) -> FloatArray:
            found = np.ones((len(problem.counts), len(grid), problem.n_voters))
            found[-1, 0] = NAN
            return found

    trainer = votes(Whole(), ONE_VOTER, ONE_VOTER[:, 0], [weights(1.0, 2.0)], ONE_VOTER)
    best, losses = choose_by_folds(trainer, FOLD)
    assert best == 1
    np.testing.assert_array_equal(losses, [NAN, 0.0])


# Voters


@pytest.mark.parametrize("learn", [False, True])
def test_voters_are_drawn_from_those_that_vary(learn: bool) -> None:
    def voters(n: int) -> FixedStumps | TransformerVoters:
        return (
            TransformerVoters(lambda: Stumps(4, spacing="even"), n) if learn else FixedStumps(4, n)
        )

    X = DATA.train.X.copy()
    X[:, 1] = 3.0
    stumps = Stumps(4, spacing="even").fit(X)
    for n_voters in (1, 5, 8):
        found = voters(n_voters).outputs(Part(X, DATA.train.y), DATA.test.X, named)
        chosen = np.sort(named("voters").permutation([0, 1, 2, 3, 8, 9, 10, 11])[:n_voters])
        for outputs, rows in zip(found, (X, DATA.test.X), strict=True):
            np.testing.assert_array_equal(outputs.matrix(), stumps.transform(rows)[:, chosen])
    with pytest.raises(ValueError, match="9 voters are asked for, but only 8 "):
        voters(9).outputs(Part(X, DATA.train.y), X, named)


def test_stumps_on_what_is_not_a_number_and_those_drawn_for_a_matrix_are_refused() -> None:
    for value in (np.nan, np.inf):
        X = np.array([[0.0, 1.0], [1.0, value]])
        with pytest.raises(ValueError, match="without missing and infinite values"):
            FixedStumps(4).outputs(Part(X, np.ones(2)), X, named)
    drawn_votes = FittedDrawnVotes(LPBoost(), DRAWN, [Grid.from_values({"C": [1.0]})])
    with pytest.raises(ValueError, match="LPBoost needs a voter matrix, not drawn stumps"):
        drawn_votes.validation_losses()


def best_stumps() -> Any:
    """Return voters that learn from labels: stumps on the attribute that tells most of them."""
    return make_pipeline(SelectKBest(k=1), Stumps(12))


@pytest.mark.parametrize("fold", [np.arange(70) % 5, np.arange(70) // 14 - 1])
def test_voters_that_learn_are_made_again_without_each_fold(fold: IntArray) -> None:
    data = replace(DATA, voters=TransformerVoters(best_stumps))
    trainer, (X, y), expected = FittedVotes(QuadBoost("l2"), data, GRIDS), DATA.train, np.zeros(3)
    for f in range(int(fold.max()) + 1):
        seen, out = trained_on(fold, f), fold == f
        voters = best_stumps().fit(X[seen], y[seen])
        H, H_out = voters.transform(X[seen]), voters.transform(X[out])
        paths = np.concatenate([QuadBoost("l2").path(H, y[seen], grid) for grid in GRIDS])
        expected += ((H_out @ paths.T > 1e-12) != (y[out, None] > 0)).sum(axis=0)
    assert choose_by_folds(trainer, fold)[1].tolist() == expected.tolist()
    H = best_stumps().fit(X, y).transform(X)
    whole = np.concatenate([QuadBoost("l2").path(H, y, grid) for grid in GRIDS])
    np.testing.assert_array_equal(trainer.weights, whole)


def test_a_candidate_without_a_solution_on_one_fold_has_no_loss() -> None:
    class One(Stumps):
        def coded(self, X: FloatArray) -> CodedVoters:
            return CodedVoters((X > 0).T.astype(np.uint8), np.array([0, 1]))

    X = np.array([1.0, 1.0, -1.0, -1.0])[:, None]
    data = replace(DATA, train=Part(X, X[:, 0]), voters=TransformerVoters(One))
    fold = np.array([0, 1, 0, 1])
    losses = choose_by_folds(FittedVotes(Limited(), data, [weights(2.0, 1.0)]), fold)[1]
    assert np.isnan(losses).tolist() == [True, False]
    with pytest.raises(NoSolutionError, match="no candidate of Limited has a solution: weight"):
        choose_by_folds(FittedVotes(Limited(), data, [weights(2.0)]), fold)


# Votes over drawn stumps


def drawn_from(codes: StumpCodes) -> RandomStumps:
    return RandomStumps(codes, np.random.default_rng(4), HoldoutStumps(per_round=15))


STOPPING = Holdout(patience=10, take="last", max_rounds=60)


@pytest.mark.parametrize("label", [-1.0, 1.0])
@pytest.mark.parametrize("folds", ["one", "all"])
def test_examples_of_one_class_give_a_constant_prediction(label: float, folds: str) -> None:
    X, y = DATA.train
    fold = np.arange(70) % 2
    alone = np.full(70, label)
    labels = alone if folds == "all" else np.where(fold == 0, y, label)
    # MinCq and CqBoost have no solution for such a mean margin.
    for algorithm, grid in ((AdaBoost(), {"n_rounds": [5]}), (MinCq(), {"mu": [0.99]})):
        data = replace(DATA, train=Part(X, labels))
        trainer = fit(algorithm, data, [Grid.from_values(grid)])
        [[first], *_] = trainer.fold_outputs(fold)
        # A candidate needs a solution on all training examples, too.
        assert (first is None) == (folds == "one" and isinstance(algorithm, MinCq))
        if first is not None:
            assert first.scores is not None
            assert (np.sign(first.scores) == label).all()
        if folds == "all":
            assert (trainer.outputs(0).predicted == (label > 0)).all()


DRAWN = replace(DATA, voters=DrawnStumps(drawn_from, STOPPING))


def test_held_out_examples_choose_the_rounds_of_drawn_votes() -> None:
    trainer = FittedDrawnVotes(EBBoost(), DRAWN, [Grid.from_values({"lam": [1.0, 0.3]})])
    losses = trainer.validation_losses()
    [each] = trainer.validation_outputs()
    recounted = losses_of(each, DATA.validation.y > 0, "classification")
    assert losses.tolist() == recounted.tolist()
    held = EBBoost().hold_out(trainer.problem, trainer.grids[0])
    assert trainer.candidates == held.candidates
    for i in range(2):
        vote, outputs = held.vote(i), trainer.outputs(i)
        total = np.abs(vote.weights).sum()
        np.testing.assert_array_equal(outputs.scores, vote.sums(trainer.on_test))
        margins = DATA.train.y * vote.sums(trainer.problem.train) / total
        np.testing.assert_array_equal(outputs.margins, margins)
        assert outputs.zero == ZERO_VOTE * total
        assert 0 < np.abs(margins).max() <= 1 + 1e-12


# Predictors


def numbers(
    X: FloatArray, y: FloatArray, X_new: FloatArray, task: Task = "classification"
) -> TrainingData:
    return TrainingData(
        Part(X, y), Part(X_new, np.zeros(len(X_new))), None, FixedStumps(1), named, task
    )


def examples() -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return 120 attributes' rows, noisy numbers to predict, and 50 new rows."""
    draws = np.random.default_rng(2)
    X = draws.normal(size=(120, 3))
    return X, X[:, 0] + X[:, 1] ** 2 - 1 + draws.normal(0, 1, 120), draws.normal(size=(50, 3))


SCORERS = {
    "error": "accuracy",
    "auc": "roc_auc",
    "average_precision": "average_precision",
    "log_loss": "neg_log_loss",
    "brier": "neg_brier_score",
}


@pytest.mark.parametrize("name", SCORERS)
def test_folds_choose_by_any_metric_as_scikit_learns_search_does(name: str) -> None:
    X, y, X_new = examples()
    labels, fold, values = np.where(y > 0, 1.0, -1.0), np.arange(120) % 5, [1, 3, 7, 15, 31]
    knn = EstimatorPredictor("KNeighborsClassifier", {"weights": "distance"})
    data = numbers(X, labels, X_new)
    trainer = FittedPredictions(knn, data, [Grid.from_values({"n_neighbors": values})])
    model, metric = KNeighborsClassifier(weights="distance"), METRICS[name]
    search = GridSearchCV(
        model, {"n_neighbors": values}, cv=PredefinedSplit(fold), scoring=SCORERS[name]
    ).fit(X, labels)
    expected = search.cv_results_["mean_test_score"]
    if name == "error":
        best, losses = choose_by_folds(trainer, fold)
        np.testing.assert_allclose(losses, 120 * (1 - expected))
    else:
        best, losses = choose_by_folds(trainer, fold, metric)
        sign = 1 if metric.greater_is_better else -1
        np.testing.assert_allclose(metric.sign * losses, sign * expected)
    assert trainer.candidates[best] == search.best_params_
    outputs = trainer.outputs(best)
    np.testing.assert_array_equal(outputs.predicted, search.predict(X_new) > 0)
    np.testing.assert_array_equal(outputs.probabilities, search.predict_proba(X_new))


def test_boosted_trees_choose_by_the_probabilities_that_their_scores_have() -> None:
    X, y, X_new = examples()
    data, fold = numbers(X, np.where(y > 0, 1.0, -1.0), X_new), np.arange(120) % 3
    grid = Grid.from_values({"nu": [0.1, 1.0], "n_rounds": [5, 50]})
    trainer = fit(GradientBoost(step="shrink", loss="logistic"), data, [grid])
    best, losses = choose_by_folds(trainer, fold, METRICS["log_loss"])
    for i, candidate in enumerate(trainer.candidates):
        model = GradientBoostClassifier("shrink", **candidate)
        p = cross_val_predict(
            model, X, data.train.y, cv=PredefinedSplit(fold), method="predict_proba"
        )
        assert losses[i] == pytest.approx(log_loss(data.train.y, p))
    assert best == losses.argmin()


def test_a_class_that_is_trained_on_alone_is_predicted_in_its_fold() -> None:
    X, _, X_new = examples()
    labels, fold = np.where(np.arange(120) == 7, 1.0, -1.0), np.arange(120) % 3
    logistic = EstimatorPredictor("LogisticRegression")
    data = numbers(X, labels, X_new)
    trainer = FittedPredictions(logistic, data, [Grid.from_values({"C": [0.1, 1.0]})])
    folds = [*trainer.fold_outputs(fold, "probabilities")]
    alone = folds[1][0]
    assert alone is not None
    assert not alone.predicted.any()
    assert alone.scores is not None
    assert alone.probabilities is not None
    np.testing.assert_array_equal(alone.scores, np.full(40, -1.0))
    np.testing.assert_array_equal(alone.probabilities, np.tile([1.0, 0.0], (40, 1)))
    # The only fold with both classes ranks them at random, as its model has seen one.
    assert choose_by_folds(trainer, fold, METRICS["auc"])[1].tolist() == [-0.5, -0.5]


def test_a_metric_that_no_fold_defines_does_not_choose() -> None:
    X, y, X_new = examples()
    data = numbers(X, np.where(y > 0, 1.0, -1.0), X_new)
    svm = EstimatorPredictor("LinearSVC")
    trainer = FittedPredictions(svm, data, [Grid.from_values({"C": [0.1, 1.0]})])
    with pytest.raises(NoSolutionError, match="log_loss cannot choose: the learner gives no prob"):
        choose_by_folds(trainer, np.arange(120) % 3, METRICS["log_loss"])


def test_windows_of_time_are_predicted_from_earlier_ones_as_in_scikit_learn() -> None:
    X, y, X_new = examples()
    values = {"max_depth": [1, 2, 4, 8]}
    tree = EstimatorPredictor("DecisionTreeRegressor", {"random_state": 0})
    data = numbers(X, y, X_new, "regression")
    trainer = FittedPredictions(tree, data, [Grid.from_values(values)])
    rng = np.random.default_rng(0)
    best, losses = choose_by_folds(trainer, deal(120, 5, rng, KnownRows(times=np.arange(120.0))))
    search = GridSearchCV(
        DecisionTreeRegressor(random_state=0),
        values,
        cv=TimeSeriesSplit(5),
        scoring="neg_mean_squared_error",
    ).fit(X, y)
    assert trainer.candidates[best] == search.best_params_
    assert losses[best] == pytest.approx(-100 * search.best_score_)
    np.testing.assert_array_equal(trainer.outputs(best).predicted, search.predict(X_new))


@dataclass(frozen=True)
class Spy(Predictor):
    """Predicts the mean of its training targets, and keeps what it is given."""

    seen: list[tuple[int, int, float]] = field(default_factory=list)

    @property
    def hyperparameters(self) -> tuple[Hyperparameter, ...]:
        return (Hyperparameter("value", "any", "small", "nothing"),)

    def predictions(
        self, train: Part, grids: Sequence[Grid], X_new: FloatArray, rng: np.random.Generator
    ) -> FloatArray:
        self.seen.append((len(train.X), len(X_new), float(rng.random())))
        return np.full((sum(map(len, grids)), len(X_new)), train.y.mean())


ROWS = np.arange(20.0).reshape(10, 2)
VALUES = [Grid.from_values({"value": [1, 2]}), Grid.from_values({"value": [3]})]


def drawn(name: str) -> float:
    return float(named(name).random())


def spying(grids: Sequence[Grid] = VALUES, **changes: Any) -> tuple[Spy, FittedPredictions]:
    spy = Spy()
    data = replace(numbers(ROWS, np.ones(10), ROWS[:4]), **changes)
    return spy, FittedPredictions(spy, data, grids)


def test_each_fold_has_draws_of_its_own_and_the_chosen_candidate_those_of_all_rows() -> None:
    spy, trainer = spying()
    fold = np.array([0, 0, 0, 1, 1, 1, 1, 2, 2, 2])
    assert choose_by_folds(trainer, fold)[1].tolist() == [0.0] * 3
    trainer.outputs(2)
    folds = [(10 - out, out, drawn(f"fold {f}")) for f, out in enumerate((3, 4, 3))]
    assert spy.seen == [*folds, (10, 4, drawn("all"))]
    # A single candidate is not trained to be chosen.
    for some_fold in (fold, None):
        spy, trainer = spying(VALUES[1:], valid=Part(ROWS[:5], np.ones(5)))
        assert choose_by_folds(trainer, some_fold) == (0, [0.0])
        assert choose_by_folds(trainer, some_fold, METRICS["auc"]) == (0, [0.0])
        assert spy.seen == []


def test_each_fold_has_draws_of_its_own_where_candidates_are_fitted_for_their_scores() -> None:
    X, y, X_new = examples()
    asked: list[str] = []
    data = numbers(X, np.where(y > 0, 1.0, -1.0), X_new)
    data = replace(data, rng=lambda name: asked.append(name) or named(name))  # type: ignore[func-returns-value]
    knn = EstimatorPredictor("KNeighborsClassifier")
    trainer = FittedPredictions(knn, data, [Grid.from_values({"n_neighbors": [1, 3]})])
    choose_by_folds(trainer, np.arange(120) % 2, METRICS["auc"])
    assert asked == ["fold 0", "fold 0", "fold 1", "fold 1"]


def test_training_and_test_examples_are_measured_after_one_training() -> None:
    spy, trainer = spying()
    trained, outputs = trainer.trained(), trainer.outputs(2)
    assert (trained.scores.shape, trained.test_scores.shape) == ((3, 10), (3, 4))
    assert (trained.voters, trained.votes) == (None, None)
    np.testing.assert_array_equal(outputs.scores, trained.test_scores[2])
    assert spy.seen == [(10, 14, drawn("all"))]


@pytest.mark.parametrize(
    ("most", "trained"), [(12, [(10, 9)]), (11, [(10, 5), (10, 4)])], ids=["few", "many"]
)
def test_a_hold_out_predicts_few_test_examples_by_all_candidates_and_many_by_the_chosen_one(
    most: int, trained: list[tuple[int, int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fitting, "MOST_KEPT", most)
    valid = Part(ROWS[:5], np.array([1.0, 1.0, -1.0, 1.0, 1.0]))
    # A score of zero is the first class.
    _, even = spying(train=Part(ROWS, np.tile([1.0, -1.0], 5)), valid=valid)
    assert even.validation_losses().tolist() == [4.0] * 3
    spy, trainer = spying(valid=valid)
    assert trainer.validation_losses().tolist() == [1.0] * 3
    scores = trainer.outputs(1).scores
    assert scores.tolist() == [1.0] * 4
    assert spy.seen == [(*sizes, drawn("all")) for sizes in trained]


# More than two classes


X, Y = load_wine(return_X_y=True)
ORDER = np.random.default_rng(0).permutation(len(Y))
TRAIN, VALID, TEST = (Part(X[i], Y[i].astype(float)) for i in np.split(ORDER, [80, 130]))
FOLDS = np.arange(80) % 4
GRID = Grid.from_values({"n_rounds": [1, 3, 20]})
FIXED = FixedStumps(4)
OF_CLASSES = DrawnStumps(
    lambda codes: RandomStumps(codes, np.random.default_rng(5), HoldoutStumps(per_round=30)),
    Holdout(patience=10, max_rounds=200),
)


def data(voters: Any = FIXED, train: Part = TRAIN) -> TrainingData:
    return TrainingData(train, TEST, VALID, voters, named, "multiclass", 3)


def one_vs_rest(learner: Learner, grid: Grid = GRID, **changes: Any) -> FittedOneVsRest:
    trainer = fit(learner, data(**changes), [grid])
    assert isinstance(trainer, FittedOneVsRest)
    return trainer


def voted(n_rounds: int) -> OneVsRestClassifier:
    return OneVsRestClassifier(AdaBoostClassifier(n_rounds, voters="precomputed"))


def test_votes_predict_what_scikit_learns_one_vs_rest_does() -> None:
    stumps = Stumps(4, spacing="even").fit(TRAIN.X)
    H, H_test = stumps.transform(TRAIN.X), stumps.transform(TEST.X)
    trainer = one_vs_rest(AdaBoost(), Grid.from_values({"n_rounds": [1, 2, 20]}))
    for i, n_rounds in enumerate((1, 2, 20)):
        theirs, fitted = voted(n_rounds).fit(H, TRAIN.y), trainer.outputs(i)
        scores = theirs.decision_function(H_test)
        np.testing.assert_allclose(fitted.scores, scores, atol=1e-12)
        # Of equal scores scikit-learn takes the last.
        two_best = np.sort(scores, axis=1)[:, -2:]
        clear = two_best[:, 1] > two_best[:, 0] + 1e-9
        assert clear.mean() > 0.5
        np.testing.assert_array_equal(fitted.predicted[clear], theirs.predict(H_test)[clear])
        np.testing.assert_array_equal(fitted.predicted, np.round(scores, 9).argmax(axis=1))
        assert fitted.probabilities is None


def test_the_losses_over_folds_are_those_of_one_vs_rest_without_each_fold() -> None:
    H = Stumps(4, spacing="even").fit(TRAIN.X).transform(TRAIN.X)
    trainer = one_vs_rest(AdaBoost())
    wrong, areas = np.zeros(3), np.zeros((4, 3))
    for f, (i, n_rounds) in product(range(4), enumerate((1, 3, 20))):
        rest, out = f != FOLDS, f == FOLDS
        scores = voted(n_rounds).fit(H[rest], TRAIN.y[rest]).decision_function(H[out])
        wrong[i] += (np.round(scores, 9).argmax(axis=1) != TRAIN.y[out]).sum()
        of_classes = [roc_auc_score(TRAIN.y[out] == k, scores[:, k]) for k in range(3)]
        areas[f, i] = np.mean(of_classes)
    assert choose_by_folds(trainer, FOLDS)[1].tolist() == wrong.tolist()
    assert len(set(wrong)) > 1
    assert trainer.candidates[1] == {"n_rounds": 3}
    _, losses = choose_by_folds(trainer, FOLDS, METRICS["auc"])
    np.testing.assert_allclose(losses, -areas.mean(axis=0))


def boosted(n_rounds: int) -> OneVsRestClassifier:
    return OneVsRestClassifier(GradientBoostClassifier("full", n_rounds=n_rounds))


def test_boosted_trees_have_the_outputs_of_scikit_learns_one_vs_rest() -> None:
    trainer = one_vs_rest(GradientBoost(loss="logistic"))
    losses, expected = trainer.validation_losses(), []
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
    grid = Grid.from_values({"lam": [3.0, 0.3]})
    trainer = one_vs_rest(EBBoost(), grid, voters=OF_CLASSES)
    losses = trainer.validation_losses()
    alone = [fit(EBBoost(), data(OF_CLASSES).against_rest(c), [grid]) for c in range(3)]
    for of_class in alone:
        of_class.validation_losses()
    for i in range(2):
        assert trainer.candidates[i] == {"lam": (3.0, 0.3)[i]}
        assert len({of_class.candidates[i]["n_rounds"] for of_class in alone}) > 1
        scores = np.column_stack([of_class.outputs(i).scores for of_class in alone])
        fitted = trainer.outputs(i)
        np.testing.assert_array_equal(fitted.scores, scores)
        np.testing.assert_array_equal(fitted.predicted, scores.argmax(axis=1))
    assert 0 < losses.min() <= losses.max() < len(VALID.y) / 2
    # Held-out examples are predicted as test examples are.
    as_test = TrainingData(TRAIN, VALID, VALID, OF_CLASSES, named, "multiclass", 3)
    trainer = fit(AdaBoost(), as_test, [Grid.from_values({})])
    assert trainer.validation_losses().tolist() == [(trainer.outputs(0).predicted != VALID.y).sum()]


def test_of_more_classes_each_has_voters_that_learn_it_from_the_rest() -> None:
    best = make_pipeline(SelectKBest(k=1), Stumps(12))
    learned = data(TransformerVoters(lambda: clone(best)))
    found = fit(AdaBoost(), learned, [Grid.from_values({"n_rounds": [20]})]).outputs(0)
    for code in range(3):
        signs = np.where(TRAIN.y == code, 1.0, -1.0)
        voters = clone(best).fit(TRAIN.X, signs)
        [vote] = AdaBoost().path(
            voters.transform(TRAIN.X), signs, Grid.from_values({"n_rounds": [20]})
        )
        expected = voters.transform(TEST.X) @ vote
        np.testing.assert_allclose(found.scores[:, code], expected, atol=1e-12)


def test_a_class_that_is_in_one_fold_alone_is_never_predicted_there() -> None:
    y = np.where(FOLDS == 0, 1.0, np.where(TRAIN.y > 0, 2.0, 0.0))
    trainer = one_vs_rest(AdaBoost(), train=Part(TRAIN.X, y))
    first, *_ = trainer.fold_outputs(FOLDS, "scores")
    for outputs in first:
        assert outputs is not None
        assert outputs.scores is not None
        assert (outputs.scores[:, 1] == -np.inf).all()


def test_a_class_that_the_training_part_lacks_is_never_predicted() -> None:
    rows = TRAIN.y != 1
    part = Part(TRAIN.X[rows], TRAIN.y[rows])
    for learner in (AdaBoost(), GradientBoost(loss="logistic")):
        trainer = one_vs_rest(learner, train=part)
        fitted = trainer.outputs(2)
        assert set(fitted.predicted.tolist()) == {0, 2}
        assert (fitted.scores[:, 1] == -np.inf).all()
        if fitted.probabilities is not None:
            assert not fitted.probabilities[:, 1].any()
            np.testing.assert_allclose(fitted.probabilities.sum(axis=1), 1.0)
    # All held-out examples of the class are errors.
    errors = trainer.validation_losses()
    assert (errors >= (VALID.y == 1).sum()).all()


def test_a_candidate_needs_a_solution_for_every_class() -> None:
    trainer = one_vs_rest(Limited(), weights(1.0, 2.0))
    for metric in ((), (METRICS["f1"],), (METRICS["auc"],)):
        _, losses = choose_by_folds(trainer, FOLDS, *metric)
        assert np.isnan(losses).tolist() == [False, True]


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
    assert first_within(column, zero).tolist() == [first]
