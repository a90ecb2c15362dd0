"""What is measured of every candidate of a path: errors, margins and what theorems bound them by.

A measure is a function of the scores on training and test examples, and where it needs them of the
voters and their weights. A config names it under ``measures``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from quadrepro.voters.reduction import FloatArray
from quadrepro.voters.source import ZERO_VOTE


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
        """Total weight Σ|w| of every candidate, shape (n_candidates, 1); 1 without voters."""
        if self.weights is None:
            return np.ones((len(self.scores), 1))
        return np.asarray(np.abs(self.weights).sum(axis=1, keepdims=True))


def errors(scores: FloatArray, y: FloatArray, totals: FloatArray) -> FloatArray:
    """Return the share of examples that each vote gets wrong; a zero sum is negative."""
    return np.asarray(((scores > ZERO_VOTE * totals) != (y > 0)).mean(axis=1))


MEASURES: dict[str, Callable[[Trained], FloatArray]] = {
    "train_error": lambda t: errors(t.scores, t.y, t.totals),
    "test_error": lambda t: errors(t.test_scores, t.y_test, t.totals),
}
