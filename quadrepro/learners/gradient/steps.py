"""Gradient boosting's state, and five ways to step (Re-scale boosting, section IV).

Every trajectory holds real scores F of the training examples, from F = 0. A round fits a tree g to
the negative gradient of the loss at F by least squares; a rule says how far F follows it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from quadrepro._typing import BoolArray, FloatArray
from quadrepro.learners.gradient.losses import Loss, ratio
from quadrepro.learners.gradient.trees import TreeFitter, Trees
from quadrepro.learners.greedy.loop import Rule, State, Step


class Scores(State):
    """The scores of the training examples, and the trees of the round under way.

    Parameters
    ----------
    fitter : TreeFitter
        Fits trees on the training examples.
    loss : Loss
        What is to be small.
    y : ndarray of shape (n_examples,)
        Numbers to be predicted, or labels -1 or +1.
    n_trajectories : int

    Attributes
    ----------
    scores : ndarray of shape (n_trajectories, n_examples)
        F.
    trees : Trees
        g of the round, one a trajectory.
    answers : ndarray of shape (n_trajectories, n_examples)
        g on the training examples.
    """

    trees: Trees
    answers: FloatArray

    def __init__(self, fitter: TreeFitter, loss: Loss, y: FloatArray, n_trajectories: int) -> None:
        self._fitter, self.loss, self.y = fitter, loss, y
        self.scores = np.zeros((n_trajectories, len(y)))
        self.weights = np.zeros((n_trajectories, 0))

    def begin(self, t: int) -> None:
        """Fit this round's trees to the negative gradient."""
        super().begin(t)
        self.trees, self.answers = self._fitter.fit(self.loss.descent(self.scores, self.y))

    def search(self, shrink: FloatArray | None = None) -> FloatArray:
        """Return β = argmin Q((1 - shrink) F + β g) of each trajectory."""
        scores = self.scores if shrink is None else (1.0 - shrink[:, None]) * self.scores
        return self.loss.search(scores, self.answers, self.y)

    def per_unit(self) -> FloatArray:
        """Return the weight of g that has a root mean square of 1; 0 where g is 0."""
        sizes = np.sqrt(np.square(self.answers).mean(axis=1))
        return ratio(np.ones_like(sizes), sizes)

    def along(self, weights: FloatArray, shrink: FloatArray | None = None) -> Step:
        """Return the step of a rule: the trees are the only candidates of their round."""
        return Step(np.zeros(len(weights), dtype=np.intp), weights, None, shrink)

    def advance(self, step: Step) -> None:
        """Follow the trees."""
        follow(self.scores, self.answers, step)

    def keep(self, rows: BoolArray) -> None:
        """Drop every trajectory but those in `rows`."""
        self.scores, self.weights = self.scores[rows], self.weights[rows]
        self.trees, self.answers = self.trees.keep(rows), self.answers[rows]


def follow(scores: FloatArray, answers: FloatArray, step: Step) -> None:
    """Bring scores up to date with a step: F <- (1 - shrink) F + weight * g, in place."""
    if step.shrink is not None:
        scores *= 1.0 - step.shrink[:, None]
    scores += step.weights[:, None] * answers


@dataclass(frozen=True)
class Full(Rule[Scores]):
    """Boosting: F <- F + β* g, β* = argmin Q(F + β g) (algorithm 1)."""

    def step(self, state: Scores) -> Step:
        """Follow the tree to the end of the line search."""
        return state.along(state.search())


@dataclass(frozen=True)
class Shrink(Rule[Scores]):
    """RSboosting: F <- F + ν β* g."""

    nu: FloatArray

    def step(self, state: Scores) -> Step:
        """Follow the tree for a share of the line search."""
        return state.along(self.nu * state.search())


@dataclass(frozen=True)
class Truncate(Rule[Scores]):
    """RTboosting: F <- F + clip(β*, ±k^(-2/3)) g; for the logistic loss g has unit RMS."""

    def step(self, state: Scores) -> Step:
        """Follow the tree to the end of the line search, but not beyond the bound."""
        bound = state.round ** (-2 / 3)
        bounds = bound * state.per_unit() if state.loss.truncates_unit else bound
        return state.along(np.clip(state.search(), -bounds, bounds))


@dataclass(frozen=True)
class Rescale(Rule[Scores]):
    """RBoosting: F <- (1 - α_k) F + β g, β = argmin Q((1 - α_k) F + β g) (algorithm 2).

    α_k = min(1, 2 / (k + u)); g was fitted before F shrinks.
    """

    u: FloatArray

    def step(self, state: Scores) -> Step:
        """Shrink the scores, then follow the tree to the end of the line search."""
        shrink = self.alpha(state.round)
        return state.along(state.search(shrink), shrink)

    def alpha(self, k: int) -> FloatArray:
        """Return the share of the scores that round `k` takes away."""
        return np.minimum(1.0, 2.0 / (k + self.u))


@dataclass(frozen=True)
class RescaleInTheory(Rescale):
    """RBoosting with the α_k = 3 / (k + 3) of its theorems, whatever u."""

    def alpha(self, k: int) -> FloatArray:
        """Return the share of the scores that round `k` takes away."""
        return np.full(len(self.u), 3.0 / (k + 3.0))


@dataclass(frozen=True)
class Epsilon(Rule[Scores]):
    """ε-boosting: F <- F + ε g, g of unit RMS and no line search.

    The sign of ε is that of <-∇Q(F), g>, which no least-squares fit makes negative.
    """

    eps: FloatArray

    def step(self, state: Scores) -> Step:
        """Follow the tree for a fixed length."""
        return state.along(self.eps * state.per_unit())
