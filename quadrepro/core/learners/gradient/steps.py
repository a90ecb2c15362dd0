"""Gradient boosting's state, and seven ways to step (Re-scale boosting, sections IV and VII).

Every trajectory holds real scores F of the training examples and starts from F = 0. A round fits a
tree g by least squares to the negative gradient of the loss at F; a rule says how far F follows g.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from quadrepro.base.types import BoolArray, FloatArray
from quadrepro.core import compiling, elementary
from quadrepro.core.learners.gradient.losses import Loss, mean_of, ratio
from quadrepro.core.learners.gradient.trees import GrownTrees, LeafArray, TreeFitter
from quadrepro.core.learners.gradient.weighted_trees import WeightedTreeFitter
from quadrepro.core.learners.greedy.loop import Rule, State, Step


class ScoreState(State):
    """The scores of the training examples, and the trees of the current round.

    Parameters
    ----------
    fitter : TreeFitter
        Fits trees on the training examples.
    loss : Loss
        The loss to minimise.
    y : ndarray of shape (n_examples,)
        Numbers to predict, or labels -1 or +1.
    n_trajectories : int
        Number of trajectories.
    weights_of_examples : ndarray of shape (n_examples,) or None, default None
        How often each example counts; None for once.

    Attributes
    ----------
    scores : ndarray of shape (n_trajectories, n_examples)
        F.
    trees : GrownTrees
        g of the current round, one tree per trajectory.
    leaves : ndarray of int32, shape (n_trajectories, n_examples)
        The leaves of the training examples in these trees.
    answers : ndarray of shape (n_trajectories, n_examples)
        g on the training examples.
    """

    trees: GrownTrees
    leaves: LeafArray
    answers: FloatArray

    def __init__(
        self,
        fitter: TreeFitter | WeightedTreeFitter,
        loss: Loss,
        y: FloatArray,
        n_trajectories: int,
        weights_of_examples: FloatArray | None = None,
    ) -> None:
        self._fitter, self.loss, self.y = fitter, loss, y
        self.weights_of_examples = weights_of_examples
        self.scores = np.zeros((n_trajectories, len(y)))
        self.weights = np.zeros((n_trajectories, 0))

    def begin(self, t: int) -> None:
        """Fit this round's trees to the negative gradient."""
        super().begin(t)
        self.trees, self.leaves = self._fitter.fit(self.loss.descent(self.scores, self.y))
        self.answers = self.trees.answers(self.leaves)

    def search(self, shrink: FloatArray | None = None) -> FloatArray:
        """Return β = argmin Q((1 - shrink) F + β g) for each trajectory.

        Parameters
        ----------
        shrink : ndarray of shape (n_trajectories,) or None, default None
            Share of F that is taken away first; None to keep F as it is.

        Returns
        -------
        ndarray of shape (n_trajectories,)
            Weights of the trees.
        """
        scores = self.scores if shrink is None else (1.0 - shrink[:, None]) * self.scores
        return self.loss.search(scores, self.answers, self.leaves, self.y, self.weights_of_examples)

    def per_unit(self) -> FloatArray:
        """Return the weights that give g a root mean square of 1; 0 if g is 0."""
        sizes = np.sqrt(mean_of(np.square(self.answers), self.weights_of_examples))
        return ratio(np.ones_like(sizes), sizes)

    def along(self, weights: FloatArray, shrink: FloatArray | None = None) -> Step:
        """Return the step with the given weights; each tree is the only candidate of its round."""
        return Step(np.zeros(len(weights), dtype=np.intp), weights, None, shrink)

    def advance(self, step: Step) -> None:
        """Add the trees to the scores."""
        follow(self.scores, self.trees, self.leaves, step)

    def keep(self, rows: BoolArray) -> None:
        """Keep only the trajectories in `rows`."""
        self.scores, self.weights = self.scores[rows], self.weights[rows]
        self.trees, self.leaves = self.trees.keep(rows), self.leaves[rows]
        self.answers = self.answers[rows]


def follow(scores: FloatArray, trees: GrownTrees, leaves: LeafArray, step: Step) -> None:
    """Update scores in place: F <- (1 - shrink) F + weight * g.

    Parameters
    ----------
    scores : ndarray of shape (n_trajectories, n_examples)
        F.
    trees : GrownTrees
        g, one tree per trajectory.
    leaves : ndarray of int32, shape (n_trajectories, n_examples)
        The leaves of the examples in these trees.
    step : Step
        The weights and the shares to take away.
    """
    moves = step.weights[:, None] * trees.values
    kept = np.ones(len(scores)) if step.shrink is None else 1.0 - step.shrink
    if loops := compiling.beside("quadrepro.core.learners.gradient.trees"):
        loops.follow(leaves, kept, moves, scores)
    else:
        scores *= kept[:, None]
        scores += np.take_along_axis(moves, leaves, axis=1)


@dataclass(frozen=True)
class Full(Rule[ScoreState]):
    """Boosting: F <- F + β* g, β* = argmin Q(F + β g) (algorithm 1)."""

    def step(self, state: ScoreState) -> Step:
        """Follow the tree to the end of the line search."""
        return state.along(state.search())


@dataclass(frozen=True)
class Shrink(Rule[ScoreState]):
    """RSboosting: F <- F + ν β* g."""

    nu: FloatArray

    def step(self, state: ScoreState) -> Step:
        """Follow the tree for a share of the way to the end of the line search."""
        return state.along(self.nu * state.search())


@dataclass(frozen=True)
class Truncate(Rule[ScoreState]):
    """RTboosting: F <- F + clip(β*, ±k^(-2/3)) g in round k."""

    unit: bool
    """Whether the bound holds for g with a root mean square of 1, and not for g as it is."""

    def step(self, state: ScoreState) -> Step:
        """Follow the tree to the end of the line search, but not further than the bound."""
        return state.along(truncated(state.search(), state, self.unit))


def truncated(weights: FloatArray, state: ScoreState, unit: bool) -> FloatArray:
    """Return clip(β, ±k^(-2/3)) in round k, for g as it is or with a root mean square of 1."""
    bound = float(elementary.exp(-2 / 3 * elementary.log(np.array(float(state.round)))))
    bounds = bound * state.per_unit() if unit else bound
    return np.clip(weights, -bounds, bounds)


@dataclass(frozen=True)
class Rescale(Rule[ScoreState]):
    """RBoosting: F <- (1 - α_k) F + β g, β = argmin Q((1 - α_k) F + β g) (algorithm 2).

    α_k = min(1, 2 / (k + u)); g is fitted to the gradient before F shrinks.
    """

    u: FloatArray

    def step(self, state: ScoreState) -> Step:
        """Shrink the scores, then follow the tree to the end of the line search."""
        shrink = self.alpha(state.round)
        return state.along(state.search(shrink), shrink)

    def alpha(self, k: int) -> FloatArray:
        """Return the share of the scores that round `k`, counted from 1, takes away."""
        return np.minimum(1.0, 2.0 / (k + self.u))


@dataclass(frozen=True)
class RescaleInTheory(Rescale):
    """RBoosting with the α_k = 3 / (k + 3) of its theorems, whatever the values of u."""

    def alpha(self, k: int) -> FloatArray:
        """Return the share of the scores that round `k`, counted from 1, takes away."""
        return np.full(len(self.u), 3.0 / (k + 3.0))


@dataclass(frozen=True)
class RescaleTruncate(Rescale):
    """Re-scale RTboosting: F <- (1 - α_k) F + clip(β, ±k^(-2/3)) g (Remark 1).

    α_k and β are RBoosting's.
    """

    unit: bool
    """See `Truncate`."""

    def step(self, state: ScoreState) -> Step:
        """Shrink the scores, then follow the tree, but not further than the bound."""
        shrink = self.alpha(state.round)
        return state.along(truncated(state.search(shrink), state, self.unit), shrink)


@dataclass(frozen=True)
class Epsilon(Rule[ScoreState]):
    """ε-boosting: F <- F + ε g, where g has a root mean square of 1; there is no line search.

    The sign of ε should be that of <-∇Q(F), g>, which a least-squares fit never makes negative.
    """

    eps: FloatArray

    def step(self, state: ScoreState) -> Step:
        """Follow the tree for a fixed length."""
        return state.along(self.eps * state.per_unit())


@dataclass(frozen=True)
class RescaleEpsilon(Rule[ScoreState]):
    """Re-scale ε-boosting: F <- (1 - α_k) F + ε g, g with a root mean square of 1 (Remark 1).

    α_k = 3 / (k + 3), that of the theorems, so that ε is the only number to choose.
    """

    eps: FloatArray

    def step(self, state: ScoreState) -> Step:
        """Shrink the scores, then follow the tree for a fixed length."""
        shrink = RescaleInTheory(self.eps).alpha(state.round)
        return state.along(self.eps * state.per_unit(), shrink)
