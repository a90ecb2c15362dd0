"""Measures of every candidate of a path, by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeVar

import numpy as np

from quadrepro.base.types import BoolArray, FloatArray, IntArray
from quadrepro.core.voters.reduction import reduce_problem
from quadrepro.core.voters.source import ZERO_VOTE

Estimate = TypeVar("Estimate")


@dataclass(frozen=True)
class Measure:
    """A number that is kept of every candidate of a path."""

    title: str
    """Its name in tables and figures."""
    function: Callable[[Trained], FloatArray]
    """Takes a `Trained` and returns an array of shape (n_candidates,)."""
    needs: Literal["scores", "voters"] = "scores"
    """What it is measured on: the scores of any learner, or the voters and weights of a vote."""
    of_numbers: bool = False
    """Whether predicted numbers can also be measured by it, not only classes."""
    direction: Literal["lower", "higher"] | None = "lower"
    """The better values; None if neither are."""
    every_round: bool = False
    """Whether it is only right if the candidates are 1, 2, 3, ... rounds."""
    version: int = 1
    """Raised when its values change, so that cells with it are computed again."""

    @property
    def module(self) -> str:
        """Name of the module of its function."""
        return self.function.__module__

    @property
    def needs_votes(self) -> bool:
        """Whether only a vote over voters can be measured by it."""
        return self.needs == "voters"

    def __call__(self, trained: Trained) -> FloatArray:
        """Return the measure of every candidate, shape (n_candidates,)."""
        return self.function(trained)


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
    _estimates: dict[Callable[[Trained], Any], Any] = field(
        default_factory=dict, init=False, repr=False
    )

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
        """The voter weights."""
        if self.weights is None:
            raise ValueError(_NO_VOTERS)
        return self.weights

    @property
    def voters(self) -> FloatArray:
        """The voter matrix of the training part."""
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

    def once(self, estimate: Callable[[Trained], Estimate]) -> Estimate:
        """Return an estimate that several measures share."""
        if estimate not in self._estimates:
            self._estimates[estimate] = estimate(self)
        found: Estimate = self._estimates[estimate]
        return found

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


def measure(measures: Mapping[str, Measure], trained: Trained) -> dict[str, list[float]]:
    """Measure every candidate of a path; NaN for one without a solution."""
    solved = np.asarray(~np.isnan(trained.scores).any(axis=1))
    of_solved = replace(
        trained,
        scores=trained.scores[solved],
        test_scores=trained.test_scores[solved],
        weights=None if trained.weights is None else trained.weights[solved],
    )
    found = {}
    for name, function in measures.items():
        values = np.full(len(solved), np.nan)
        values[solved] = function(of_solved)
        found[name] = values.tolist()
    return found


def train_error(trained: Trained) -> FloatArray:
    """Return the share of training examples that each candidate gets wrong."""
    return np.asarray(trained.wrong.mean(axis=1))


def train_error_with_positive_ties(trained: Trained) -> FloatArray:
    """Return the share of training examples that are wrong if a sum of zero counts as positive."""
    return np.asarray(trained.wrong_if_ties_are_positive.mean(axis=1))


def test_error(trained: Trained) -> FloatArray:
    """Return the share of test examples that each candidate gets wrong."""
    return np.asarray(trained.test_wrong.mean(axis=1))


def train_mse(trained: Trained) -> FloatArray:
    """Return the mean squared error on the training examples."""
    return np.asarray(((trained.scores - trained.y) ** 2).mean(axis=1))


def test_mse(trained: Trained) -> FloatArray:
    """Return the mean squared error on the test examples."""
    return np.asarray(((trained.test_scores - trained.y_test) ** 2).mean(axis=1))


def quadratic_risk(trained: Trained) -> FloatArray:
    """Return the mean of (1 - y F)² on the training examples."""
    return np.asarray(((1 - trained.plain_margins) ** 2).mean(axis=0))


def voters(trained: Trained) -> FloatArray:
    """Return the number of voters with a weight."""
    return trained.sizes.astype(np.float64)


EQUAL = 1e-9
"""Voters whose mean product is within this of 1 or -1 are equal or complements."""


ROUNDING = 1e-12
"""A residual correlation within this of 0 is one of rounding errors."""


def distinct_voters(trained: Trained) -> FloatArray:
    """Return the number of voters that differ, up to sign, on the training examples."""
    return trained.constant(reduce_problem(trained.voters, trained.y).n_voters)


def correlation_in_vote(trained: Trained) -> FloatArray:
    """Return the largest residual correlation, in size, of a voter in the vote; 0 without one."""
    return _largest(trained, within=True)


def correlation_of_others(trained: Trained) -> FloatArray:
    """Return the largest residual correlation, in size, of a voter unlike those in the vote."""
    return _largest(trained, within=False)


def _largest(trained: Trained, *, within: bool) -> FloatArray:
    H, residuals = trained.voters, trained.y - trained.scores
    sizes = np.abs(residuals @ H) / len(trained.y)
    chosen = np.stack([_like(H, weights) == within for weights in trained.votes])
    return np.asarray(np.where(chosen & (sizes > ROUNDING), sizes, 0.0).max(axis=1))


def _like(H: FloatArray, weights: FloatArray) -> BoolArray:
    """Return which voters are equal to one with a weight, up to sign."""
    products = H[:, weights != 0].T @ H / len(H)
    return np.asarray((np.abs(products) >= 1 - EQUAL).any(axis=0))


TRAIN_ERROR = Measure("training error", train_error)
TRAIN_ERROR_POSITIVE_TIES = Measure("training error, ties positive", train_error_with_positive_ties)
TEST_ERROR = Measure("test error", test_error)
TRAIN_MSE = Measure("training MSE", train_mse, of_numbers=True)
TEST_MSE = Measure("test MSE", test_mse, of_numbers=True)
QUADRATIC_RISK = Measure("quadratic risk", quadratic_risk)
VOTERS = Measure("voters", voters, needs="voters", direction=None)
DISTINCT_VOTERS = Measure("distinct voters", distinct_voters, needs="voters", direction=None)
CORRELATION_IN_VOTE = Measure(
    "residual correlation of the vote's voters",
    correlation_in_vote,
    needs="voters",
    direction=None,
    version=2,
)
CORRELATION_OF_OTHERS = Measure(
    "of the best other voter", correlation_of_others, needs="voters", direction=None, version=2
)
