"""Measures: numbers that are kept of every candidate of a path."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from quadrepro.base.types import BoolArray, FloatArray, IntArray
from quadrepro.core.voters.coded import ZERO_VOTE, first_of_equal_rows, leading_signs
from quadrepro.core.voters.reduction import reduce_problem

DELTA = 0.05
"""Probability with which a bound may fail."""

ROUNDING = 1e-9
"""Differences up to this are rounding errors."""

NO_CORRELATION = 1e-12
"""A residual correlation up to this is zero."""


@dataclass(frozen=True)
class Measure:
    """A number that is kept of every candidate of a path."""

    title: str
    """Its name in tables and figures."""
    function: Callable[[Trained], FloatArray]
    """Takes a `Trained` and returns an array of shape (n_candidates,)."""
    needs: Literal["scores", "voters"] = "scores"
    """What it is measured on: the scores of any learner, or the voters and weights of a vote."""
    takes_numbers: bool = False
    """Whether it can also measure predicted numbers, not only classes."""
    every_round: bool = False
    """Whether it is only right if the candidates are 1, 2, 3, ... rounds."""

    def __call__(self, trained: Trained) -> FloatArray:
        """Return the measure of every candidate, shape (n_candidates,)."""
        return self.function(trained)


def measure(title: str, **options: Any) -> Callable[[Callable[[Trained], FloatArray]], Measure]:
    """Return a decorator that turns a function into a measure of the same name.

    Parameters
    ----------
    title : str
        Its name in tables and figures.
    **options
        The other fields of `Measure`.
    """
    return lambda function: Measure(title, function, **options)


@dataclass(frozen=True, eq=False)
class Trained:
    """The candidates of a path, trained on the training part.

    Attributes
    ----------
    y, y_test : ndarray of shape (n_examples,) and (n_test,)
        Labels -1 and +1, or numbers.
    scores, test_scores : ndarray of shape (n_candidates, n_examples) and (n_candidates, n_test)
        Sums of the vote, or predicted numbers.
    voters : ndarray of shape (n_examples, n_voters), optional
        Voter matrix of the training part; None if the learner has no voters.
    votes : ndarray of shape (n_candidates, n_voters), optional
        Voter weights.
    rng : callable
        Takes a name and returns the random generator of that name.
    """

    y: FloatArray
    y_test: FloatArray
    scores: FloatArray
    test_scores: FloatArray
    voters: Any = None
    votes: Any = None
    rng: Callable[[str], np.random.Generator] = lambda name: np.random.default_rng(0)

    @property
    def rounds(self) -> FloatArray:
        """1, 2, ..., n_candidates: the numbers of rounds if the candidates are consecutive ones."""
        return np.arange(1.0, len(self.scores) + 1)

    @property
    def sizes(self) -> IntArray:
        """Number of voters with a weight in each vote, shape (n_candidates,)."""
        return np.asarray(np.count_nonzero(self.votes, axis=1))

    @property
    def totals(self) -> FloatArray:
        """Total weight Σ|w| of each candidate, shape (n_candidates, 1); 1 for an empty vote."""
        if self.votes is None:
            return np.ones((len(self.scores), 1))
        totals = np.abs(self.votes).sum(axis=1, keepdims=True)
        return np.where(totals > 0, totals, 1.0)

    @property
    def test_wrong(self) -> BoolArray:
        """Which test examples each candidate gets wrong, shape (n_candidates, n_test).

        A sum that is zero but for rounding is a vote for -1.
        """
        return np.asarray((self.test_scores > ZERO_VOTE * self.totals) != (self.y_test > 0))

    @property
    def margins(self) -> FloatArray:
        """Margins of the training examples, with weights that add up to 1 in size.

        Shape (n_examples, n_candidates), as `plain_margins`.
        """
        return np.asarray((self.scores / self.totals * self.y).T)

    @property
    def plain_margins(self) -> FloatArray:
        """Values y F(x) of the training examples, with weights as the learner gives them."""
        return np.asarray((self.scores * self.y).T)

    def constant(self, value: float) -> FloatArray:
        """Return a number that all candidates share, shape (n_candidates,)."""
        return np.full(len(self.scores), value)


def evaluate(measures: Mapping[str, Measure], trained: Trained) -> dict[str, list[float]]:
    """Measure every candidate of a path; NaN for one without a solution."""
    solved = np.asarray(~np.isnan(trained.scores).any(axis=1))
    scores, test_scores = trained.scores[solved], trained.test_scores[solved]
    votes = None if trained.votes is None else trained.votes[solved]
    solved_trained = replace(trained, scores=scores, test_scores=test_scores, votes=votes)
    by_name = {}
    for name, function in measures.items():
        values = np.full(len(solved), np.nan)
        values[solved] = function(solved_trained)
        by_name[name] = values.tolist()
    return by_name


def mean(values: NDArray[Any], axis: int = 0) -> FloatArray:
    """Return the means over the examples, which are rows unless `axis` is 1."""
    return np.asarray(values.mean(axis=axis))


def falls(losses: FloatArray, before: float, loss: str, algorithm: str) -> FloatArray:
    """Return by how much a loss falls in every round, and refuse one that rises.

    `before` is the loss before the first round. It rises only in rounds of another algorithm.
    """
    decreases = -np.diff(losses, prepend=before)
    if (decreases < -ROUNDING).any():
        t = int(np.argmax(decreases < -ROUNDING)) + 1
        raise ValueError(
            f"the {loss} loss rises in round {t}: these are not the margins of {algorithm}"
        )
    return np.maximum(decreases, 0.0)


@measure("training error")
def train_error(t: Trained) -> FloatArray:
    """Return the share of training examples that are wrong."""
    return mean((t.scores > ZERO_VOTE * t.totals) != (t.y > 0), 1)


@measure("training error, ties positive")
def train_error_positive_ties(t: Trained) -> FloatArray:
    """Return the share of training examples that are wrong if a sum of zero is a vote for +1."""
    return mean((t.scores >= -ZERO_VOTE * t.totals) != (t.y > 0), 1)


@measure("test error")
def test_error(t: Trained) -> FloatArray:
    """Return the share of test examples that are wrong."""
    return mean(t.test_wrong, 1)


@measure("training MSE", takes_numbers=True)
def train_mse(t: Trained) -> FloatArray:
    """Return the mean squared error on the training examples."""
    return mean((t.scores - t.y) ** 2, 1)


@measure("test MSE", takes_numbers=True)
def test_mse(t: Trained) -> FloatArray:
    """Return the mean squared error on the test examples."""
    return mean((t.test_scores - t.y_test) ** 2, 1)


@measure("quadratic risk")
def quadratic_risk(t: Trained) -> FloatArray:
    """Return the mean of (1 - y F)² on the training examples."""
    return mean((1 - t.plain_margins) ** 2)


@measure("voters", needs="voters")
def voters(t: Trained) -> FloatArray:
    """Return the number of voters with a weight."""
    return t.sizes.astype(np.float64)


@measure("distinct voters in the vote", needs="voters")
def distinct_voters_in_vote(t: Trained) -> FloatArray:
    """Return the number of voters with a weight; those equal up to sign have one together."""
    H = t.voters
    signs = leading_signs(H)
    firsts, places = first_of_equal_rows((H * signs).T)
    together = np.zeros((len(firsts), len(t.votes)))
    np.add.at(together, places, (t.votes * signs).T)
    counts = np.count_nonzero(np.abs(together) > ROUNDING * t.totals.T, axis=0)
    return np.asarray(counts, dtype=np.float64)


@measure("distinct voters", needs="voters")
def distinct_voters(t: Trained) -> FloatArray:
    """Return the number of voters that differ, up to sign, on the training examples."""
    return t.constant(reduce_problem(t.voters, t.y).n_voters)


@measure("residual correlation of the vote's voters", needs="voters")
def correlation_in_vote(t: Trained) -> FloatArray:
    """Return the largest residual correlation, in size, of a voter in the vote; 0 without one."""
    return _largest_correlation(t, in_vote=True)


@measure("of the best other voter", needs="voters")
def correlation_of_others(t: Trained) -> FloatArray:
    """Return the largest residual correlation, in size, of a voter unlike those in the vote."""
    return _largest_correlation(t, in_vote=False)


def _largest_correlation(t: Trained, *, in_vote: bool) -> FloatArray:
    """Return max |(y - F)ᵀh|/m over the voters that are equal, up to sign, to one in the vote."""
    H, m = t.voters, len(t.y)
    sizes = np.abs((t.y - t.scores) @ H) / m
    products = (np.abs(H[:, weights != 0].T @ H / m) for weights in t.votes)
    like = np.stack([(p >= 1 - ROUNDING).any(axis=0) for p in products])
    counted = (like == in_vote) & (sizes > NO_CORRELATION)
    return np.asarray(np.where(counted, sizes, 0.0).max(axis=1))


@measure("test logistic loss")
def test_logistic_loss(t: Trained) -> FloatArray:
    """Return the mean of ln(1 + exp(-y F)) on the test examples."""
    return _logistic(t.test_scores, t.y_test)


@measure("test logistic loss, truncated")
def truncated_logistic_loss(t: Trained) -> FloatArray:
    """Return the mean of ln(1 + exp(-y π_1 F)) on the test examples."""
    return _logistic(np.clip(t.test_scores, -1, 1), t.y_test)


@measure("test exponential loss")
def test_exponential_loss(t: Trained) -> FloatArray:
    """Return the mean of exp(-y F) on the test examples."""
    return mean(np.exp(-t.y_test * t.test_scores), 1)


@measure("test exponential loss, truncated")
def truncated_exponential_loss(t: Trained) -> FloatArray:
    """Return the mean of exp(-y π_1 F) on the test examples."""
    return mean(np.exp(-t.y_test * np.clip(t.test_scores, -1, 1)), 1)


def _logistic(scores: FloatArray, y: FloatArray) -> FloatArray:
    return mean(np.logaddexp(0.0, -y * scores), 1)
