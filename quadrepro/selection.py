"""Choosing a candidate by k-fold cross-validation over paths."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from quadrepro.boosting.base import Algorithm, positive_votes
from quadrepro.boosting.grid import Grid, Value
from quadrepro.voters.reduction import FloatArray, IntArray


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
        Cross-validation errors of every candidate, summed over the folds.
    """

    candidate: dict[str, Value]
    weights: FloatArray
    errors: IntArray


def k_fold_search(
    algorithm: Algorithm, H: FloatArray, y: FloatArray, fold: IntArray, grid: Grid
) -> Choice:
    """Search a grid by k-fold cross-validation.

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
    grid : Grid
        The candidates, from simple to complex.

    Returns
    -------
    Choice
        The candidate of fewest errors.
    """
    k = int(fold.max()) + 1
    samples = np.vstack([fold != f for f in range(k)] + [np.ones_like(fold)]).astype(np.float64)
    paths = algorithm.path(H, y, grid, samples)
    errors = np.zeros(paths.shape[1], dtype=np.intp)
    for f in range(k):
        held_out = fold == f
        wrong = positive_votes(H[held_out], paths[f]) != (y[held_out] > 0)[:, None]
        errors += wrong.sum(axis=0)
    best = int(errors.argmin())
    return Choice(grid.candidates[best], paths[k, best], errors)
