"""What is measured of every candidate of a path: errors, margins and what theorems bound them by.

A measure is a function of the scores on training and test examples, and where it needs them of the
voters and their weights. A config names it under ``measures``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from quadrepro.stats.cbound import c_bound, pac_bayes_bound, rademacher_bound
from quadrepro.voters.reduction import FloatArray
from quadrepro.voters.source import ZERO_VOTE

RHOS = (0.02, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1.0)
"""Margins ρ of which the Rademacher bound takes the best."""


@dataclass(frozen=True, eq=False)
class Trained:
    """The candidates of a path, trained on the training part.

    Attributes
    ----------
    y, y_test : ndarray of shape (n_examples,) and (n_test,)
        Labels -1 and +1, or numbers.
    scores, test_scores : ndarray of shape (n_candidates, n_examples) and (n_candidates, n_test)
        Sums of the vote, or predicted numbers.
    H : ndarray of shape (n_examples, n_voters) or None
        Voter matrix of the training part; None for a learner without one.
    weights : ndarray of shape (n_candidates, n_voters) or None
        Voter weights.
    """

    y: FloatArray
    y_test: FloatArray
    scores: FloatArray
    test_scores: FloatArray
    H: FloatArray | None = None
    weights: FloatArray | None = None

    @property
    def totals(self) -> FloatArray:
        """Total weight Σ|w| of every candidate, shape (n_candidates, 1); 1 for an empty vote."""
        if self.weights is None:
            return np.ones((len(self.scores), 1))
        totals = np.abs(self.weights).sum(axis=1, keepdims=True)
        return np.where(totals > 0, totals, 1.0)

    @property
    def margins(self) -> FloatArray:
        """Margins of the training examples, shape (n_examples, n_candidates)."""
        return np.asarray((self.scores / self.totals * self.y).T)

    @property
    def test_margins(self) -> FloatArray:
        """Margins of the test examples, shape (n_test, n_candidates)."""
        return np.asarray((self.test_scores / self.totals * self.y_test).T)

    @property
    def votes(self) -> FloatArray:
        """The voter weights; only a vote has them."""
        if self.weights is None:
            raise ValueError("this is measured on a vote over voters, and here is none")
        return self.weights


def _errors(scores: FloatArray, y: FloatArray, totals: FloatArray) -> FloatArray:
    """Return the share of examples that each vote gets wrong; a zero sum is negative."""
    return np.asarray(((scores > ZERO_VOTE * totals) != (y > 0)).mean(axis=1))


MEASURES: dict[str, Callable[[Trained], FloatArray]] = {
    "train_error": lambda t: _errors(t.scores, t.y, t.totals),
    "test_error": lambda t: _errors(t.test_scores, t.y_test, t.totals),
    "voters": lambda t: np.count_nonzero(t.votes, axis=1),
    "c_bound": lambda t: c_bound(t.margins),
    "test_c_bound": lambda t: c_bound(t.test_margins),
    "pac_bayes": lambda t: pac_bayes_bound(t.margins, t.votes),
    "rademacher": lambda t: rademacher_bound(t.margins, t.votes.shape[1], RHOS),
}


def measure(names: Sequence[str], trained: Trained) -> dict[str, list[float]]:
    """Return measures of every candidate.

    Parameters
    ----------
    names : sequence of str
        Keys of `MEASURES`.
    trained : Trained
        The candidates; NaN weights where one has no solution.

    Returns
    -------
    dict of str to list of float
        One number a candidate, NaN where it has no solution.
    """
    solved = np.asarray(~np.isnan(trained.scores).any(axis=1))
    of_solved = replace(
        trained,
        scores=trained.scores[solved],
        test_scores=trained.test_scores[solved],
        weights=None if trained.weights is None else trained.weights[solved],
    )
    found = {}
    for name in names:
        values = np.full(len(solved), np.nan)
        values[solved] = MEASURES[name](of_solved)
        found[name] = values.tolist()
    return found
