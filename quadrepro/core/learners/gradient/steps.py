"""Gradient boosting's state, and seven ways to step (Re-scale boosting, sections IV and VII).

Every trajectory holds real scores F of the training examples and starts from F = 0. A round fits a
tree g by least squares to the negative gradient of the loss at F; a rule says how far F follows g.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from quadrepro.base.types import BoolArray, FloatArray
from quadrepro.core import compiling
from quadrepro.core import elementary_old as elementary
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

    def bound(self) -> float:
        """Return k^(-2/3) in round k, the largest weight of a truncated step."""
        return float(elementary.exp(-2 / 3 * elementary.log(np.array(float(self.round)))))

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


Weigh = Callable[[ScoreState, FloatArray, FloatArray | None], FloatArray]
"""Returns the weights of the trees, given the state, the hyper-parameter's values and α_k."""

Alpha = Callable[[int, FloatArray], FloatArray]
"""Returns α_k, the share of the scores that round k takes away, given the values."""


@dataclass(frozen=True)
class Follow(Rule[ScoreState]):
    """F <- (1 - α_k) F + w g in round k; g is fitted to the gradient before F shrinks."""

    value: FloatArray
    """The hyper-parameter, one value per trajectory; NaN if there is none."""
    weigh: Weigh
    alpha: Alpha | None = None
    """None for 0."""

    def step(self, state: ScoreState) -> Step:
        """Shrink the scores and follow the tree; it is the only candidate of its round."""
        shrink = None if self.alpha is None else self.alpha(state.round, self.value)
        weights = self.weigh(state, self.value, shrink)
        return Step(np.zeros(len(weights), dtype=np.intp), weights, None, shrink)


def searched(state: ScoreState, value: FloatArray, shrink: FloatArray | None) -> FloatArray:
    """Return β* = argmin Q((1 - α_k) F + β g)."""
    return state.search(shrink)


def shared(state: ScoreState, nu: FloatArray, shrink: FloatArray | None) -> FloatArray:
    """Return ν β*."""
    return nu * state.search(shrink)


def truncated(
    state: ScoreState,
    value: FloatArray,
    shrink: FloatArray | None,
    *,
    unit: bool = False,
    tuned: bool = False,
) -> FloatArray:
    """Return clip(β*, ±c k^(-2/3)), a bound for g as it is, or for g of root mean square 1.

    If tuned, c is the value, unless that is NaN; otherwise it is 1.
    """
    bounds = state.bound() * (state.per_unit() if unit else np.ones(len(value)))
    if tuned:
        bounds *= np.where(np.isnan(value), 1.0, value)
    return np.clip(state.search(shrink), -bounds, bounds)


def of_length(state: ScoreState, eps: FloatArray, shrink: FloatArray | None) -> FloatArray:
    """Return ε for g with a root mean square of 1; there is no line search.

    The sign of ε should be that of <-∇Q(F), g>, which a least-squares fit never makes negative.
    """
    return eps * state.per_unit()


def rescaling(k: int, u: FloatArray) -> FloatArray:
    """Return α_k = min(1, 2 / (k + u))."""
    return np.minimum(1.0, 2.0 / (k + u))


def rescaling_in_theory(k: int, value: FloatArray) -> FloatArray:
    """Return the α_k = 3 / (k + 3) of RBoosting's theorems, whatever the values are."""
    return np.full(len(value), 3.0 / (k + 3.0))
