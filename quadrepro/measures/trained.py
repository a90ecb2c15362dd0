"""The trained candidates of a path, which measures are taken of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from quadrepro._typing import BoolArray, FloatArray, IntArray
from quadrepro.voters.source import ZERO_VOTE

if TYPE_CHECKING:
    from quadrepro.measures.bounds.rademacher import Complexity


@dataclass(frozen=True, eq=False)
class Trained:
    """The candidates of a path, trained on the training part.

    Attributes
    ----------
    y, y_test : ndarray of shape (n_examples,) and (n_test,)
        Labels -1 and +1, or numbers.
    scores, test_scores : ndarray of shape (n_candidates, n_examples) and (n_candidates, n_test)
        Sums of the vote, or predicted numbers.
    H : ndarray of shape (n_examples, n_voters), optional
        Voter matrix of the training part; None if the learner has no voters.
    weights : ndarray of shape (n_candidates, n_voters), optional
        Voter weights.
    rng : callable
        Takes a name and returns the random generator of that name.
    """

    y: FloatArray
    y_test: FloatArray
    scores: FloatArray
    test_scores: FloatArray
    H: FloatArray | None = None
    weights: FloatArray | None = None
    rng: Callable[[str], np.random.Generator] = lambda name: np.random.default_rng(0)

    @property
    def n_candidates(self) -> int:
        """Number of candidates."""
        return len(self.scores)

    @property
    def rounds(self) -> FloatArray:
        """1, 2, ..., n_candidates: the numbers of rounds if the candidates are consecutive ones."""
        return np.arange(1.0, self.n_candidates + 1)

    @property
    def votes(self) -> FloatArray:
        """The voter weights.

        Raises
        ------
        ValueError
            If the learner has no voters.
        """
        if self.weights is None:
            raise ValueError(_NO_VOTERS)
        return self.weights

    @property
    def voters(self) -> FloatArray:
        """The voter matrix of the training part.

        Raises
        ------
        ValueError
            If the learner has no voters.
        """
        if self.H is None:
            raise ValueError(_NO_VOTERS)
        return self.H

    @property
    def sizes(self) -> IntArray:
        """Number of voters with a weight in each vote, shape (n_candidates,)."""
        return np.asarray(np.count_nonzero(self.votes, axis=1))

    @property
    def wrong(self) -> BoolArray:
        """Which training examples each candidate gets wrong, shape (n_candidates, n_examples)."""
        return self._wrong(self.scores, self.y)

    @property
    def wrong_if_ties_are_positive(self) -> BoolArray:
        """As `wrong`, but a sum of zero is a vote for +1; shape (n_candidates, n_examples)."""
        return np.asarray((self.scores >= -ZERO_VOTE * self._totals) != (self.y > 0))

    @property
    def test_wrong(self) -> BoolArray:
        """Which test examples each candidate gets wrong, shape (n_candidates, n_test)."""
        return self._wrong(self.test_scores, self.y_test)

    @property
    def margins(self) -> FloatArray:
        """Margins of the training examples, with weights that add up to 1 in size.

        Shape (n_examples, n_candidates), as `plain_margins` and `test_margins`.
        """
        return np.asarray((self.scores / self._totals * self.y).T)

    @property
    def test_margins(self) -> FloatArray:
        """Margins of the test examples, shape (n_test, n_candidates)."""
        return np.asarray((self.test_scores / self._totals * self.y_test).T)

    @property
    def plain_margins(self) -> FloatArray:
        """Values y F(x) of the training examples, with weights as the learner gives them."""
        return np.asarray((self.scores * self.y).T)

    @cached_property
    def complexity(self) -> Complexity:
        """Empirical Rademacher complexity of the voters; several measures share one estimate."""
        from quadrepro.measures.bounds.rademacher import SIGN_VECTORS, empirical_rademacher

        return empirical_rademacher(self.voters, SIGN_VECTORS, self.rng("signs"))

    @cached_property
    def least_edge(self) -> float:
        """Edge that some voter has on every weighting; several measures share one program."""
        from quadrepro.measures.bounds.weak_learning import least_edge

        return least_edge(self.voters, self.y)

    def constant(self, value: float) -> FloatArray:
        """Return a number that all candidates share, shape (n_candidates,)."""
        return np.full(self.n_candidates, value)

    @property
    def _totals(self) -> FloatArray:
        """Total weight Σ|w| of each candidate, shape (n_candidates, 1); 1 for an empty vote."""
        if self.weights is None:
            return np.ones((self.n_candidates, 1))
        totals = np.abs(self.weights).sum(axis=1, keepdims=True)
        return np.where(totals > 0, totals, 1.0)

    def _wrong(self, scores: FloatArray, y: FloatArray) -> BoolArray:
        # A sum that is zero but for rounding is negative.
        return np.asarray((scores > ZERO_VOTE * self._totals) != (y > 0))


_NO_VOTERS = "this is measured on a vote over voters, and the learner has none"
