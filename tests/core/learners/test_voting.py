from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.feature_selection import SelectKBest
from sklearn.pipeline import make_pipeline

from quadrepro.base.types import FloatArray
from quadrepro.core.learners.greedy.adaboost import AdaBoost
from quadrepro.core.learners.greedy.ebboost import EBBoost
from quadrepro.core.learners.greedy.quadboost import QuadBoostL2
from quadrepro.core.learners.grid import Grid, Stopping
from quadrepro.core.learners.learner import (
    DrawnProblem,
    NoSolutionError,
    Part,
    StoppedRuns,
    TrainingData,
    positive_votes,
)
from quadrepro.core.learners.lpboost import LPBoost
from quadrepro.core.learners.one_vs_rest import trainer_of
from quadrepro.core.learners.voting import FixedStumps, MatrixVotes, NamedVoters, PerRoundStumps
from quadrepro.core.voters.random_stumps import Codes, RandomStumps, StumpCoding, StumpVote
from quadrepro.core.voters.source import ZERO_VOTE
from quadrepro.core.voters.stumps import Stumps
from tests.core.limited import Limited, weights

Problem = tuple[FloatArray, FloatArray]


def part(seed: int, m: int) -> Part:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(m, 3))
    return Part(X, np.where(X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size=m) > 0, 1.0, -1.0))


def named(name: str) -> np.random.Generator:
    return np.random.default_rng(list(name.encode()))


FIXED = FixedStumps(per_attribute=4)
DATA = TrainingData(part(0, 70), part(1, 30), part(2, 50), FIXED, named)
GRID = Grid.of({"n_rounds": [2, 9]})
matrices = arrays(np.float64, (7, 3), elements=st.floats(-1e6, 1e6))


def test_fixed_stumps_are_placed_on_the_training_part() -> None:
    votes = FIXED.trainer(AdaBoost(), DATA, [GRID])
    stumps = Stumps(4).fit(DATA.train.X)
    np.testing.assert_array_equal(votes.H, stumps.transform(DATA.train.X))
    np.testing.assert_array_equal(votes.H_test, stumps.transform(DATA.test.X))
    assert votes.y is DATA.train.y
    assert (votes.algorithm, votes.grids) == (AdaBoost(), [GRID])
    assert AdaBoost().trainer(DATA, [GRID]).H.shape == votes.H.shape


@pytest.mark.parametrize("n_voters", [1, 5, 8])
def test_so_many_voters_are_drawn_from_those_that_vary(n_voters: int) -> None:
    X = DATA.train.X.copy()
    X[:, 1] = 3.0
    data = replace(DATA, train=Part(X, DATA.train.y))
    votes = FixedStumps(4, n_voters).trainer(AdaBoost(), data, [GRID])
    varying = [0, 1, 2, 3, 8, 9, 10, 11]
    chosen = np.sort(named("voters").permutation(varying)[:n_voters])
    stumps = Stumps(4).fit(X)
    np.testing.assert_array_equal(votes.H, stumps.transform(X)[:, chosen])
    np.testing.assert_array_equal(votes.H_test, stumps.transform(DATA.test.X)[:, chosen])
    assert votes.H.flags.f_contiguous
    assert votes.H_test.flags.f_contiguous
    with pytest.raises(ValueError, match="9 voters are asked for, but only 8 stumps are not"):
        FixedStumps(4, 9).trainer(AdaBoost(), data, [GRID])


@given(matrices, matrices)
def test_all_stumps_are_those_of_the_voter_set(X: np.ndarray, X_new: np.ndarray) -> None:
    stumps = Stumps(4).fit(X)
    found = FIXED.matrices(Part(X, np.ones(len(X))), X_new, named)
    for H, examples in zip(found, (X, X_new), strict=True):
        np.testing.assert_array_equal(H, stumps.transform(examples))


@given(matrices, matrices)
def test_drawn_stumps_are_columns_of_all_that_vary(X: np.ndarray, X_new: np.ndarray) -> None:
    H, H_new = FIXED.matrices(Part(X, np.ones(len(X))), X_new, named)
    varying = np.flatnonzero((H[0] != H).any(axis=0))
    drawn = FixedStumps(4, len(varying)).matrices(Part(X, np.ones(len(X))), X_new, named)
    for found, every in zip(drawn, (H, H_new), strict=True):
        np.testing.assert_array_equal(found, every[:, varying])


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_stumps_on_what_is_not_a_number_are_refused(value: float) -> None:
    X = np.array([[0.0, 1.0], [1.0, value]])
    with pytest.raises(ValueError, match="without missing and infinite values"):
        FIXED.matrices(Part(X, np.ones(2)), X, named)


@pytest.mark.parametrize("in_time", [False, True])
def test_losses_over_folds_are_the_errors_of_paths_without_each_fold(
    problem: Problem, in_time: bool
) -> None:
    H, y = problem
    H_test = np.random.default_rng(1).choice([-1.0, 1.0], (9, 12))
    fold = np.arange(60) // 12 - 1 if in_time else np.arange(60) % 4
    grids = [Grid.of({"n_rounds": [1, 5], "lam": [2.0]}), Grid.of({"n_rounds": [30], "lam": [0.5]})]
    losses = MatrixVotes(grids, QuadBoostL2(), H, y, H_test).losses(fold)
    whole = np.concatenate([QuadBoostL2().path(H, y, grid) for grid in grids])
    expected = np.zeros(3)
    for f in range(4):
        rest, out = fold < f if in_time else fold != f, fold == f
        for i, w in enumerate(
            np.concatenate([QuadBoostL2().path(H[rest], y[rest], grid) for grid in grids])
        ):
            expected[i] += ((H[out] @ w > 1e-12) != (y[out] > 0)).sum()
    assert losses.values.tolist() == expected.tolist()
    for i, candidate in enumerate(c for grid in grids for c in grid.candidates):
        fitted = losses.fit(i)
        assert fitted.candidate == candidate
        np.testing.assert_array_equal(fitted.weights, whole[i])
        np.testing.assert_allclose(fitted.scores, H_test @ whole[i], atol=1e-15)
        positive = positive_votes(H_test, whole[[i]])[:, 0]
        np.testing.assert_array_equal(fitted.predicted, positive)
        assert fitted.margins is None


def test_an_even_vote_is_negative_although_its_sum_is_rounded() -> None:
    H = np.array([[1.0, 1.0, -1.0]])
    votes = MatrixVotes([GRID], AdaBoost(), H, np.ones(1), H)
    fitted = votes._fitted(0, np.array([0.1, 0.2, 0.3]))
    assert (H @ [0.1, 0.2, 0.3])[0] > 0
    assert fitted.zero == pytest.approx(0.6 * ZERO_VOTE)
    assert fitted.scores is not None
    assert fitted.scores.tolist() == [0.0]
    assert fitted.predicted.tolist() == [0]
    assert fitted.probabilities is None


def test_a_path_has_the_votes_of_all_grids_and_ends_with_the_last(problem: Problem) -> None:
    H, y = problem
    grids = [GRID, Grid.of({"n_rounds": [30]})]
    path = MatrixVotes(grids, AdaBoost(), H, y, H[:7]).path()
    expected = AdaBoost().path(H, y, Grid.of({"n_rounds": [2, 9, 30]}))
    np.testing.assert_array_equal(path.weights, expected)
    assert path.H is H
    assert path.last.candidate == {"n_rounds": 30}
    np.testing.assert_array_equal(path.last.weights, expected[-1])
    train, test = path.scores()
    np.testing.assert_allclose(train, expected @ H.T)
    np.testing.assert_allclose(test, expected @ H[:7].T)


def test_a_matrix_has_nothing_to_hold_out(problem: Problem) -> None:
    H, y = problem
    with pytest.raises(ValueError, match="a hold-out chooses among votes over drawn stumps"):
        MatrixVotes([GRID], AdaBoost(), H, y, H).losses(None)


def stumps_of(codes: Codes, y: FloatArray) -> RandomStumps:
    return RandomStumps(codes, y, np.random.default_rng(4), per_round=15)


DRAWN = PerRoundStumps(stumps_of, Stopping(10, take="last", max_rounds=60))


def test_drawn_stumps_are_coded_by_the_training_part() -> None:
    votes = DRAWN.trainer(AdaBoost(), DATA, [Grid.of({})])
    coding = StumpCoding.fit(DATA.train.X)
    problem = votes.problem
    np.testing.assert_array_equal(problem.train, coding.transform(DATA.train.X))
    np.testing.assert_array_equal(problem.valid, coding.transform(DATA.valid.X))
    np.testing.assert_array_equal(votes.test, coding.transform(DATA.test.X))
    assert (problem.y_train is DATA.train.y, problem.y_valid is DATA.valid.y) == (True, True)
    assert problem.stopping is DRAWN.stopping
    assert (votes.algorithm, votes.grids) == (AdaBoost(), [Grid.of({})])
    first, second = problem.source(), problem.source()
    assert first is not second
    for source in (first, second):
        source.begin(1)
    np.testing.assert_array_equal(first.cuts, second.cuts)
    np.testing.assert_array_equal(first.attributes, second.attributes)


def test_drawn_stumps_are_not_trained_on_without_held_out_examples() -> None:
    message = "drawn stumps need held-out examples to choose the number of rounds"
    with pytest.raises(ValueError, match=message):
        DRAWN.trainer(AdaBoost(), replace(DATA, valid=None), [Grid.of({})])
    votes = DRAWN.trainer(AdaBoost(), DATA, [Grid.of({})])
    with pytest.raises(ValueError, match=message):
        votes.losses(np.arange(70) % 5)
    for untrained in (votes.path, votes.last):
        with pytest.raises(ValueError, match=message):
            untrained()


def test_several_grids_are_held_out_like_one() -> None:
    values = [1.0, 0.3, 0.0]
    one = DRAWN.trainer(EBBoost(), DATA, [Grid.of({"lam": values})])
    together = one.losses(None)
    apart = replace(one, grids=[Grid.of({"lam": values[:2]}), Grid.of({"lam": values[2:]})])
    several = apart.losses(None)
    assert several.values.tolist() == together.values.tolist()
    assert several.values.dtype == np.float64
    for i, lam in enumerate(values):
        ours, theirs = several.fit(i), together.fit(i)
        assert ours.candidate == theirs.candidate
        assert ours.candidate["lam"] == lam
        np.testing.assert_array_equal(ours.scores, theirs.scores)
        np.testing.assert_array_equal(ours.margins, theirs.margins)


def test_a_drawn_vote_has_its_scores_and_margins() -> None:
    votes = DRAWN.trainer(EBBoost(), DATA, [Grid.of({"lam": [1.0, 0.3]})])
    losses = votes.losses(None)
    held = EBBoost().hold_out(votes.problem, votes.grids[0])
    for i in range(2):
        vote, fitted = held.vote(i), losses.fit(i)
        total = np.abs(vote.weights).sum()
        assert losses.values[i] == held.errors[i]
        assert fitted.candidate == held.candidates[i]
        assert fitted.zero == ZERO_VOTE * total
        np.testing.assert_array_equal(fitted.scores, vote.sums(votes.test))
        margins = DATA.train.y * vote.sums(votes.problem.train) / total
        np.testing.assert_array_equal(fitted.margins, margins)
        assert 0 < np.abs(margins).max() <= 1 + 1e-12
        assert fitted.weights is None


def test_an_empty_vote_has_no_margins_and_nothing_is_nan() -> None:
    @dataclass(frozen=True)
    class Empty(AdaBoost):
        def hold_out(self, problem: DrawnProblem, grid: Grid) -> StoppedRuns:
            none = np.zeros(0)
            vote = StumpVote(none.astype(np.intp), none.astype(np.uint16), none)
            return StoppedRuns(np.array([3]), [{"n_rounds": 0}], lambda i: vote)

    fitted = DRAWN.trainer(Empty(), DATA, [Grid.of({})]).losses(None).fit(0)
    assert fitted.scores.tolist() == [0.0] * 30
    assert not fitted.margins.any()
    assert not fitted.predicted.any()


def best_stumps() -> Any:
    """Return voters that learn from labels: stumps on the attribute that tells most of them."""
    return make_pipeline(SelectKBest(k=1), Stumps(12))


BEST = NamedVoters(best_stumps)
STUMPS = NamedVoters(lambda: Stumps(4))
LABELLED = TrainingData(part(0, 70), part(1, 30), None, BEST, named)
GRIDS = [Grid.of({"n_rounds": [1, 5], "lam": [2.0]}), Grid.of({"n_rounds": [30], "lam": [0.5]})]
FOLD = np.arange(70) % 5


def errors_by_refitting(fold: np.ndarray) -> list[int]:
    X, y = LABELLED.train
    errors = np.zeros(3, dtype=int)
    for f in range(int(fold.max()) + 1):
        seen, out = (fold < f if fold.min() < 0 else fold != f), fold == f
        voters = best_stumps().fit(X[seen], y[seen])
        H, H_out = voters.transform(X[seen]), voters.transform(X[out])
        votes = np.concatenate([QuadBoostL2().path(H, y[seen], grid) for grid in GRIDS])
        errors += ((H_out @ votes.T > 1e-12) != (y[out, None] > 0)).sum(axis=0)
    return errors.tolist()


@pytest.mark.parametrize("fold", [FOLD, np.arange(70) // 14 - 1], ids=["folds", "windows"])
def test_a_transformer_is_fitted_again_without_each_fold(
    fold: np.ndarray,
) -> None:
    losses = BEST.trainer(QuadBoostL2(), LABELLED, GRIDS).losses(fold)
    assert losses.values.tolist() == errors_by_refitting(fold)


def test_the_choice_votes_with_the_voters_of_the_whole_training_part() -> None:
    trainer = BEST.trainer(QuadBoostL2(), LABELLED, GRIDS)
    voters = best_stumps().fit(*LABELLED.train)
    np.testing.assert_array_equal(trainer.H, voters.transform(LABELLED.train.X))
    np.testing.assert_array_equal(trainer.H_test, voters.transform(LABELLED.test.X))
    path, losses = trainer.path(), trainer.losses(FOLD)
    assert path.weights is not None
    for i, expected in enumerate(path.weights):
        np.testing.assert_array_equal(losses.fit(i).weights, expected)


def test_so_many_voters_are_drawn_as_of_stumps() -> None:
    X = LABELLED.train.X.copy()
    X[:, 1] = 3.0
    data = replace(LABELLED, train=Part(X, LABELLED.train.y))
    found = replace(STUMPS, n_voters=5).matrices(data.train, LABELLED.test.X, named)
    expected = FixedStumps(4, 5).matrices(data.train, LABELLED.test.X, named)
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(one, other)
    with pytest.raises(ValueError, match="9 voters are asked for, but only 8 are not constant"):
        replace(STUMPS, n_voters=9).matrices(data.train, LABELLED.test.X, named)


def test_of_more_classes_each_has_voters_that_learn_it_from_the_rest() -> None:
    rng = np.random.default_rng(5)
    X = rng.normal(size=(60, 2))
    y = (X[:, 0] > 0).astype(float) + (X[:, 1] > 0)
    train = Part(X, y)
    data = TrainingData(train, train, None, BEST, named, "multiclass", 3)
    found = trainer_of(AdaBoost(), data, [Grid.of({"n_rounds": [20]})]).last()
    for code in range(3):
        signs = np.where(y == code, 1.0, -1.0)
        H = best_stumps().fit(X, signs).transform(X)
        [vote] = AdaBoost().path(H, signs, Grid.of({"n_rounds": [20]}))
        assert found.scores is not None
        np.testing.assert_allclose(found.scores[:, code], H @ vote, atol=1e-12)


def test_a_candidate_without_a_solution_on_one_fold_has_no_loss() -> None:
    class One(Stumps):
        def matrix(self, X: FloatArray) -> FloatArray:
            return np.where(X > 0, 1.0, -1.0)

    X = np.array([1.0, 1.0, -1.0, -1.0])[:, None]
    data = replace(LABELLED, train=Part(X, X[:, 0]), test=Part(X, X[:, 0]))
    trainer = NamedVoters(One).trainer(Limited(), data, [weights(2.0, 1.0)])
    fold = np.array([0, 1, 0, 1])
    with_both = trainer.losses(fold).values
    alone = replace(trainer, grids=[weights(2.0)])
    assert np.isnan(with_both).tolist() == [True, False]
    with pytest.raises(NoSolutionError, match="no candidate of Limited has a solution: weight"):
        alone.losses(fold)


def test_a_transformer_has_nothing_to_hold_out() -> None:
    with pytest.raises(ValueError, match="a hold-out chooses among votes over drawn stumps"):
        BEST.trainer(LPBoost(), LABELLED, GRIDS).losses(None)
