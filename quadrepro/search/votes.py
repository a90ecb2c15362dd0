"""Choosing a candidate of a path: by k-fold cross-validation, or on held-out examples."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from quadrepro._typing import FloatArray, IntArray
from quadrepro.learners.base import N_ROUNDS, Algorithm, positive_votes
from quadrepro.learners.greedy.adaboost import AdaBoost, WeightBoosting
from quadrepro.learners.greedy.loop import boost
from quadrepro.learners.greedy.validation import Validation
from quadrepro.learners.grid import Grid, Value
from quadrepro.learners.programs.soft_margin import Reweighting
from quadrepro.voters.random_stumps import Codes, RandomStumps, StumpVote
from quadrepro.voters.reduction import reduce_problem


class NoSolutionError(ValueError):
    """No candidate has a solution on every fold."""


@dataclass(frozen=True)
class Choice:
    """The chosen candidate, trained on the whole training set.

    Attributes
    ----------
    candidate : dict
        Value of each hyper-parameter.
    weights : ndarray of shape (n_voters,)
        Its voter weights.
    errors : ndarray of int of shape (n_candidates,)
        Cross-validation errors of every candidate, summed over the folds; all examples where one
        has no solution on some fold.
    """

    candidate: dict[str, Value]
    weights: FloatArray
    errors: IntArray


def k_fold_search(
    algorithm: Algorithm, H: FloatArray, y: FloatArray, fold: IntArray, grids: Sequence[Grid]
) -> Choice:
    """Search a grid, or several, by k-fold cross-validation.

    All folds and the whole training set are samples of one call of the algorithm's path. Voters
    are those of the whole training set. Ties go to the first candidate.

    Parameters
    ----------
    algorithm : Algorithm
        Gives the paths.
    H : ndarray of shape (n_examples, n_voters)
        Voter matrix of the training set.
    y : ndarray of shape (n_examples,)
        Labels, -1 or +1.
    fold : ndarray of shape (n_examples,)
        Fold of each example, 0 to k - 1.
    grids : sequence of Grid
        The candidates, from simple to complex.

    Returns
    -------
    Choice
        The candidate of fewest errors.

    Raises
    ------
    NoSolutionError
        If no candidate has a solution on every fold.
    """
    k = int(fold.max()) + 1
    samples = np.vstack([fold != f for f in range(k)] + [np.ones_like(fold)]).astype(np.float64)
    paths = np.concatenate([algorithm.path(H, y, grid, samples) for grid in grids], axis=1)
    solved = ~np.isnan(paths).any(axis=(0, 2))
    if not solved.any():
        raise NoSolutionError(_no_solution(algorithm, H, y, samples))
    errors = np.zeros(paths.shape[1], dtype=np.intp)
    for f in range(k):
        held_out = fold == f
        wrong = positive_votes(H[held_out], paths[f]) != (y[held_out] > 0)[:, None]
        errors += wrong.sum(axis=0)
    errors[~solved] = len(y)
    best = int(np.flatnonzero(solved)[errors[solved].argmin()])
    return Choice(_candidates(grids)[best], paths[k, best], errors)


def whole_path(
    algorithm: Algorithm, H: FloatArray, y: FloatArray, grids: Sequence[Grid]
) -> FloatArray:
    """Return the weights of every candidate on the whole training set, where nothing is chosen.

    Parameters
    ----------
    algorithm : Algorithm
        Gives the paths.
    H : ndarray of shape (n_examples, n_voters)
        Voter matrix of the training set.
    y : ndarray of shape (n_examples,)
        Labels, -1 or +1.
    grids : sequence of Grid
        The candidates.

    Returns
    -------
    ndarray of shape (n_candidates, n_voters)
        NaN where a candidate has no solution.

    Raises
    ------
    NoSolutionError
        If the last candidate has none.
    """
    path = np.concatenate([algorithm.path(H, y, grid) for grid in grids])
    if np.isnan(path[-1]).any():
        raise NoSolutionError(_no_solution(algorithm, H, y, np.ones((1, len(y)))))
    return path


def _candidates(grids: Sequence[Grid]) -> list[dict[str, Value]]:
    return [candidate for grid in grids for candidate in grid.candidates]


def _no_solution(algorithm: Algorithm, H: FloatArray, y: FloatArray, samples: FloatArray) -> str:
    limit = algorithm.limit(reduce_problem(H, y, samples, merge_voters=algorithm.merges_voters))
    return f"no candidate of {type(algorithm).__name__} has a solution: {limit}"


@dataclass(frozen=True, eq=False)
class HoldoutData:
    """Training and validation examples, coded on one grid.

    Attributes
    ----------
    train, valid : ndarray of uint16, shape (n_attributes, n_examples)
    y_train, y_valid : ndarray of shape (n_examples,)
        Labels, -1 or +1.
    """

    train: Codes
    y_train: FloatArray
    valid: Codes
    y_valid: FloatArray


@dataclass(frozen=True, eq=False)
class HoldoutChoice:
    """The candidate and the round of fewest validation errors.

    Attributes
    ----------
    candidate : dict
        Value of each hyper-parameter, the number of rounds among them.
    vote : StumpVote
        Its vote.
    errors : ndarray of int of shape (n_candidates,)
        Fewest validation errors of every candidate.
    """

    candidate: dict[str, Value]
    vote: StumpVote
    errors: IntArray


@dataclass(frozen=True)
class HoldoutSearch:
    """A search on held-out examples, with stumps that are drawn.

    Every algorithm and value of a split asks `stumps` for a source of its own, which draws the
    same stumps. Ties go to the first candidate and the first round.

    Attributes
    ----------
    stumps : callable
        Returns a new source over the training examples.
    patience : int
        Rounds without fewer errors after which a run ends.
    max_rounds : int
        Rounds after which it ends at the latest.
    take : {"best", "last"}
        The round of fewest errors, or the one in which the run ended.
    """

    stumps: Callable[[], RandomStumps]
    patience: int
    max_rounds: int
    take: Literal["best", "last"]

    def __call__(self, algorithm: Algorithm, data: HoldoutData, grid: Grid) -> HoldoutChoice:
        """Search a grid.

        Parameters
        ----------
        algorithm : WeightBoosting or Reweighting
            The number of rounds is left to the search.
        data : HoldoutData
            What is trained on, and what is chosen by.
        grid : Grid
            The candidates, from simple to complex; without ``n_rounds``.

        Returns
        -------
        HoldoutChoice
            The candidate of fewest errors.
        """
        if isinstance(algorithm, Reweighting):
            return self._reweigh(algorithm, data, grid)
        assert isinstance(algorithm, WeightBoosting)
        values = np.asarray(grid.axis(algorithm.value_name) or (np.nan,), dtype=np.float64)
        source = self.stumps()
        watcher = Validation(source, data.valid, data.y_valid, len(values), self.patience)
        state = algorithm.weights(source, np.ones((len(values), len(data.y_train))))
        boost(algorithm.rule(values), state, self.max_rounds, [watcher])
        best = int(watcher.errors.argmin())
        rounds = watcher.best_round if self.take == "best" else watcher.last_round
        n_rounds = int(rounds[best])
        candidate = grid.candidates[best] | {N_ROUNDS.name: n_rounds}
        return HoldoutChoice(candidate, watcher.vote(best, n_rounds), watcher.errors)

    def _reweigh(self, algorithm: Reweighting, data: HoldoutData, grid: Grid) -> HoldoutChoice:
        """Search new weights for the stumps that AdaBoost found."""
        found = self(AdaBoost(), data, Grid.of({}))
        signs = np.sign(found.vote.weights)
        values = grid.axis(algorithm.value_name) or ()
        oriented = found.vote.outputs(data.train) * signs
        weights = algorithm.reweigh(oriented, data.y_train, [float(v) for v in values]) * signs
        positive = positive_votes(found.vote.outputs(data.valid), weights)
        errors = (positive != (data.y_valid > 0)[:, None]).sum(axis=0)
        best = int(errors.argmin())
        vote = StumpVote(found.vote.attributes, found.vote.cuts, weights[best])
        rounds = {N_ROUNDS.name: found.candidate[N_ROUNDS.name]}
        return HoldoutChoice(grid.candidates[best] | rounds, vote, errors)
