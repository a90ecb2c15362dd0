"""What is measured of every candidate of a path: errors, margins and what theorems bound them by.

A measure is a function of the scores on training and test examples, and where it needs them of the
voters and their weights. A config names it under ``measures``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from quadrepro._typing import FloatArray
from quadrepro.measures.bounds.adaboost import (
    correlations,
    edges,
    exponential_bound,
    product_bound,
    quadratic_bound,
)
from quadrepro.measures.bounds.cbound import c_bound, pac_bayes_bound, rademacher_bound
from quadrepro.measures.bounds.quadboost import combination_complexity, norm_complexity, risk_bound
from quadrepro.measures.bounds.rademacher import Complexity, empirical_rademacher, massart
from quadrepro.measures.bounds.weak_learning import least_edge
from quadrepro.voters.source import ZERO_VOTE

SIGN_VECTORS = 1000
"""Random sign vectors behind an empirical Rademacher complexity."""

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
    rng : callable
        Returns the generator of the draws with a given name.
    """

    y: FloatArray
    y_test: FloatArray
    scores: FloatArray
    test_scores: FloatArray
    H: FloatArray | None = None
    weights: FloatArray | None = None
    rng: Callable[[str], np.random.Generator] = lambda name: np.random.default_rng(0)

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

    @property
    def plain_margins(self) -> FloatArray:
        """Values y F(x) of the training examples, weights as they are, shaped as `margins`."""
        return np.asarray((self.scores * self.y).T)

    @cached_property
    def complexity(self) -> Complexity:
        """Empirical Rademacher complexity of the voters, which several measures need."""
        assert self.H is not None
        return empirical_rademacher(self.H, SIGN_VECTORS, self.rng("signs"))

    @property
    def rounds(self) -> FloatArray:
        """1, 2, ...: the numbers of rounds, for measures of consecutive ones."""
        return np.arange(1.0, len(self.scores) + 1)


def _errors(scores: FloatArray, y: FloatArray, totals: FloatArray) -> FloatArray:
    """Return the share of examples that each vote gets wrong; a zero sum is negative."""
    return np.asarray(((scores > ZERO_VOTE * totals) != (y > 0)).mean(axis=1))


def _exponential_bound(t: Trained) -> FloatArray:
    """Return exp(-2γ²T) for the least edge γ of the first T rounds."""
    return exponential_bound(np.minimum.accumulate(edges(t.plain_margins)), t.rounds)


def _quadratic_bound(t: Trained) -> FloatArray:
    """Return 1 - Tγ² for the least correlation γ of the first T rounds."""
    return quadratic_bound(np.minimum.accumulate(correlations(t.plain_margins)), t.rounds)


def _weak_edge(t: Trained) -> float:
    """Return the edge that some voter has on every weighting of the training examples."""
    assert t.H is not None
    return least_edge(t.H, t.y)


def _theorem_1(p: float) -> Callable[[Trained], FloatArray]:
    def bound(t: Trained) -> FloatArray:
        loss = ((1 - t.plain_margins) ** 2).mean(axis=0)
        n = np.count_nonzero(t.votes, axis=1)
        norm = np.linalg.norm(t.votes, ord=p, axis=1)
        complexity = sum(t.complexity)
        found = risk_bound(loss, n, norm, p=p, m=len(t.y), complexity=complexity, empirical=True)
        return found.total

    return bound


def _lemma_1(p: float) -> Callable[[Trained], FloatArray]:
    """Return R_S(C_p^n) over n^(1-1/p) R_S(H), which Lemma 1 says is 1, on the same signs."""

    def ratio(t: Trained) -> FloatArray:
        H, n = t.H, np.count_nonzero(t.votes, axis=1)
        assert H is not None
        plain = t.complexity.mean
        sides = {
            size: combination_complexity(H, size, p, SIGN_VECTORS, t.rng("signs"), distinct=False)
            / (float(norm_complexity(size, p)) * plain)
            for size in set(n[n > 0].tolist())
        }
        return np.array([sides.get(size, np.nan) for size in n.tolist()])

    return ratio


def _constant(value: Callable[[Trained], float]) -> Callable[[Trained], FloatArray]:
    return lambda t: np.full(len(t.scores), value(t))


ON_SCORES: dict[str, Callable[[Trained], FloatArray]] = {
    "train_error": lambda t: _errors(t.scores, t.y, t.totals),
    "test_error": lambda t: _errors(t.test_scores, t.y_test, t.totals),
    "train_mse": lambda t: ((t.scores - t.y) ** 2).mean(axis=1),
    "test_mse": lambda t: ((t.test_scores - t.y_test) ** 2).mean(axis=1),
    "c_bound": lambda t: c_bound(t.margins),
    "test_c_bound": lambda t: c_bound(t.test_margins),
    "product_bound": lambda t: product_bound(t.plain_margins),
    "exponential_bound": _exponential_bound,
    "quadratic_risk": lambda t: ((1 - t.plain_margins) ** 2).mean(axis=0),
    "quadratic_bound": _quadratic_bound,
}
"""What any learner can be measured by."""

ON_VOTERS: dict[str, Callable[[Trained], FloatArray]] = {
    "voters": lambda t: np.count_nonzero(t.votes, axis=1),
    "pac_bayes": lambda t: pac_bayes_bound(t.margins, t.votes),
    "rademacher": lambda t: rademacher_bound(t.margins, t.votes.shape[1], RHOS),
    "weak_edge": _constant(_weak_edge),
    "theorem1_p1": _theorem_1(1),
    "theorem1_p2": _theorem_1(2),
    "theorem1_pinf": _theorem_1(np.inf),
    "lemma1_p2": _lemma_1(2),
    "lemma1_pinf": _lemma_1(np.inf),
    "complexity": _constant(lambda t: t.complexity.mean),
    "complexity_upper": _constant(lambda t: sum(t.complexity)),
    "massart": _constant(lambda t: massart(t.votes.shape[1], len(t.y))),
}
"""What only a vote over voters can be measured by."""

OF_EVERY_ROUND = ("exponential_bound", "quadratic_bound")
"""What is only right where the candidates are 1, 2, 3 and so on rounds."""

MEASURES = ON_SCORES | ON_VOTERS
"""All measures by the names that a config gives them."""


TITLES = {
    "train_error": "training error",
    "train_mse": "training MSE",
    "test_mse": "test MSE",
    "c_bound": "C-bound",
    "test_c_bound": "C-bound on test examples",
    "pac_bayes": "PAC-Bayesian bound",
    "rademacher": "margin bound",
    "product_bound": "Π 2 sqrt(ε(1-ε))",
    "exponential_bound": "exp(-2γ²T)",
    "weak_edge": "γ",
    "quadratic_bound": "1 - Tγ²",
    "theorem1_p1": "Theorem 1, p = 1",
    "theorem1_p2": "Theorem 1, p = 2",
    "theorem1_pinf": "Theorem 1, p = ∞",
    "lemma1_p2": "Lemma 1, p = 2",
    "lemma1_pinf": "Lemma 1, p = ∞",
    "complexity": "Rademacher complexity",
    "complexity_upper": "with its confidence",
    "massart": "Massart's bound",
}
"""What tables and figures call a measure whose name does not say enough."""


def title_of(name: str) -> str:
    """Return what tables and figures call a measure."""
    return TITLES.get(name, name.replace("_", " "))


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
