"""Gradient boosting over regression trees, with seven ways to step (Re-scale boosting).

The scores of the examples start from F = 0. Round k fits a tree g by least squares to the negative
gradient of Q(F) = mean φ(F(x), y) at the training examples, and takes a step

    F <- (1 - α_k) F + w g,

where β* = argmin_β Q((1 - α_k) F + β g) is the line search's weight and

    Boosting                α_k = 0                    w = β*                       algorithm 1
    RSboosting              α_k = 0                    w = ν β*                     section IV
    RTboosting              α_k = 0                    w = clip(β*, ±c k^(-2/3))    section IV
    ε-boosting              α_k = 0                    w = ε / rms(g)               section IV
    RBoosting               α_k = min(1, 2 / (k + u))  w = β*                       algorithm 2
    Re-scale RTboosting     α_k = min(1, 2 / (k + u))  w = clip(β*, ±k^(-2/3))      remark 1
    Re-scale ε-boosting     α_k = 3 / (k + 3)          w = ε / rms(g)               remark 1

The theorems have α_k = 3 / (k + 3). All values of ν, c, ε or u run side by side, and each run gives
the candidates for all numbers of rounds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated, Any, Literal, NamedTuple, Self

import numpy as np
from pydantic import Field

from quadrepro.base.types import FloatArray, Task
from quadrepro.core.arguments import check_leaf
from quadrepro.core.elementary import exp, log
from quadrepro.core.jit import njit
from quadrepro.core.learners.cuts import LeafArray
from quadrepro.core.learners.losses import LOSSES, Loss, LossName, SquaredLoss, ratio, weighted_mean
from quadrepro.core.learners.trees import LARGEST_TREE, TreeFitter, Trees
from quadrepro.core.training.contract import Outputs, Part, Predictor, Registered
from quadrepro.core.training.grid import N_ROUNDS, Grid, Hyperparameter

NU = Hyperparameter("nu", "number", "small", "share ν of the line search's step", largest=2.0)
U = Hyperparameter("u", "number", "small", "u of α_k = min(1, 2 / (k + u))")
EPS = Hyperparameter("eps", "number", "small", "length ε of a step")
TRUNCATION = Hyperparameter(
    "truncation", "number", "small", "c of the bound c k^(-2/3)", optional=True
)

StepName = Literal[
    "full", "shrink", "truncate", "rescale", "epsilon", "rescale-truncate", "rescale-epsilon"
]
STEPS: dict[StepName, Hyperparameter | None] = {
    "full": None,
    "shrink": NU,
    "truncate": TRUNCATION,
    "rescale": U,
    "epsilon": EPS,
    "rescale-truncate": U,
    "rescale-epsilon": EPS,
}
"""Ways to step, each with its hyper-parameter, if any."""

TRUNCATED = ("truncate", "rescale-truncate")

Later = Callable[[], FloatArray]
"""Returns numbers when it is called."""

Bound = Literal["tree", "unit"]
Init = Literal["mean", "zero"]
CutCount = Annotated[int, Field(ge=1, le=LARGEST_TREE)]


def unit_of(g: FloatArray, weights: FloatArray) -> FloatArray:
    """Return 1 / rms(g), or 0 if g is 0, shape (n_runs,), with g of (n_runs, n_examples)."""
    return ratio(np.ones(len(g)), np.sqrt(weighted_mean(np.square(g), weights)))


class TreeRound(NamedTuple):
    """Step of every run in a round: F <- kept F + weights g.

    Attributes
    ----------
    trees : Trees
        g, one tree for each run.
    weights, kept : ndarray of shape (n_runs,)
        w and 1 - α_k.
    """

    trees: Trees
    weights: FloatArray
    kept: FloatArray

    def follow(self, scores: FloatArray, leaves: LeafArray) -> None:
        """Update the scores of examples in place; scores and leaves are (n_runs, n_examples)."""
        _follow(leaves, self.kept, self.weights[:, None] * self.trees.values, scores)


@njit
def _follow(leaves: LeafArray, kept: FloatArray, moves: FloatArray, scores: FloatArray) -> None:
    """Update scores, (n_runs, n_examples), by kept shares, (n_runs,), and moves of leaves."""
    for t in range(len(leaves)):
        for i in range(leaves.shape[1]):
            scores[t, i] = kept[t] * scores[t, i] + moves[t, leaves[t, i]]


@dataclass(frozen=True)
class GradientBoost(Predictor):
    """Boosting along the gradient of a loss, with regression trees as base learners.

    All values of the step's hyper-parameter run side by side, for all numbers of rounds.

    Raises
    ------
    ValueError
        If a setting is out of range or the settings contradict each other.
    """

    step: StepName = "full"
    """Boosting, RSboosting (its hyper-parameter is ``nu``), RTboosting (``truncation``, which is 1
    if a grid does not name it), RBoosting (``u``), ε-boosting (``eps``), re-scale RTboosting
    (``u``) or re-scale ε-boosting (``eps``), the last with the α_k = 3 / (k + 3) of RBoosting's
    theorems."""
    loss: LossName | None = None
    """The squared loss for numbers, or the logistic or exponential loss for classes; None for the
    squared or the logistic loss, by the task. RBoosting with the exponential loss is re-scale
    AdaBoost."""
    cuts: CutCount = 1
    """Number of cuts J of a tree; 1 gives a stump."""
    depth: CutCount | None = None
    """Depth of the trees, instead of a number of cuts."""
    theory: bool = False
    """Whether RBoosting uses the α_k = 3 / (k + 3) of its theorems; it then has no hyper-parameter.
    """
    alpha: float | None = None
    """Constant α_k of RBoosting, which then has no hyper-parameter."""
    bound: Bound | None = None
    """Whether the truncated steps bound the weight of a tree as it was fitted, or of the tree
    scaled to a root mean square of 1 on the training examples; None for "tree" with the squared
    loss and "unit" with the others."""
    min_weight_fraction_leaf: float = 0.0
    """Least share of the weight of all training examples in a leaf."""
    init: Init = "zero"
    """Prediction of numbers to which the trees add: 0, as in the paper, or the mean of the training
    part, so that adding a constant to all numbers adds it to all predictions."""

    def __post_init__(self) -> None:
        if self.depth is not None and self.cuts != 1:
            sizes = f"depth {self.depth} or cuts {self.cuts}"
            raise ValueError(f"depth replaces cuts: give {sizes}, not both")
        check_leaf(self.min_weight_fraction_leaf)
        if (self.theory or self.alpha is not None) and self.step != "rescale":
            name = "theory" if self.theory else "alpha"
            raise ValueError(f"{name} is for step 'rescale', not {self.step!r}")
        if self.alpha is not None and (self.theory or not 0 <= self.alpha <= 1):
            raise ValueError("alpha is from 0 to 1, and replaces theory")
        if self.bound is not None and self.step not in TRUNCATED:
            names = " and ".join(map(repr, TRUNCATED))
            raise ValueError(f"bound is for steps {names}, not {self.step!r}")
        if self.init != "zero" and self.loss not in (None, "l2"):
            raise ValueError(f"init={self.init!r} is for the squared loss, not {self.loss!r}")

    @property
    def task(self) -> Task:
        """The task of the loss; regression if no loss is set."""
        return "regression" if self.loss in (None, "l2") else "classification"

    def for_task(self, task: Task) -> Self | None:
        """Return the algorithm with the loss of a task, or None if it has another loss."""
        if self.loss is None:
            return replace(self, loss="l2" if task == "regression" else "logistic")
        return super().for_task(task)

    @property
    def hyperparameters(self) -> tuple[Hyperparameter, ...]:
        """Hyper-parameters of a grid."""
        fixed = self.theory or self.alpha is not None
        own = None if fixed else STEPS[self.step]
        return (N_ROUNDS,) if own is None else (own, N_ROUNDS)

    @property
    def training_loss(self) -> type[Loss]:
        """The loss that is minimised."""
        return LOSSES[self.loss or "l2"]

    def start(self, y: FloatArray, weights: FloatArray) -> float:
        """Return the initial prediction, for y and weights of shape (n_examples,)."""
        return float(weighted_mean(y[None], weights)[0]) if self.init == "mean" else 0.0

    def _alphas(self, k: int, values: FloatArray) -> FloatArray:
        """Return α_k for each value of the hyper-parameter, shape (n_runs,)."""
        if self.alpha is not None:
            return np.full(len(values), self.alpha)
        if self.theory or self.step == "rescale-epsilon":
            return np.full(len(values), 3.0 / (k + 3.0))
        if self.step in ("rescale", "rescale-truncate"):
            return np.minimum(1.0, 2.0 / (k + values))
        return np.zeros(len(values))

    def _weights(
        self, k: int, values: FloatArray, g: FloatArray, counts: FloatArray, search: Later
    ) -> FloatArray:
        """Return w for each value of the hyper-parameter, (n_runs,); `search` returns β*."""
        if self.step in ("epsilon", "rescale-epsilon"):
            # The sign should be the sign of <-∇Q(F), g>, never negative for a least-squares fit.
            return values * unit_of(g, counts)
        beta = search()
        if self.step == "shrink":
            return values * beta
        if self.step not in TRUNCATED:
            return beta
        bound = self.bound or ("tree" if self.task == "regression" else "unit")
        unit = 1.0 if bound == "tree" else unit_of(g, counts)
        bounds = exp(-2 / 3 * log(float(k))) * unit
        bounds = bounds * values if self.step == "truncate" else bounds
        return np.clip(beta, -bounds, bounds)

    def rounds(
        self, train: Part, values: FloatArray, n_rounds: int, weights: FloatArray | None = None
    ) -> Iterator[tuple[TreeRound, Later]]:
        """Run for every value of the step's hyper-parameter.

        Parameters
        ----------
        train : Part
            Training examples, with numbers, or labels -1 or +1.
        values : ndarray of shape (n_runs,)
            Values of the hyper-parameter; a single 1 if there is none.
        n_rounds : int
            Number of rounds.
        weights : ndarray of shape (n_examples,) or None, default None
            How often each example counts, with a mean of 1; None for once.

        Yields
        ------
        TreeRound
            The tree and the weight of a round.
        function
            Returns the mean loss on the training examples, shape (n_runs,); valid until the next
            round.
        """
        X, y = train
        fitter = TreeFitter(X, self.cuts, self.depth, self.min_weight_fraction_leaf)
        w = np.ones(len(y)) if weights is None else weights
        loss, scores = self.training_loss(y, w), np.zeros((len(values), len(y)))
        terms = loss.terms(scores)
        for k in range(1, n_rounds + 1):
            trees, leaves = fitter.fit(loss.descent(terms), weights)
            g, alphas = trees.answers(leaves), self._alphas(k, values)
            if alphas.any():
                scores *= 1.0 - alphas[:, None]
                terms = loss.terms(scores)
            weight = self._weights(k, values, g, w, partial(loss.search, terms, g, leaves))
            scores += weight[:, None] * g
            terms = loss.terms(scores)
            yield TreeRound(trees, weight, 1.0 - alphas), partial(loss.mean, terms, scores)

    def predictions(
        self, train: Part, grids: Sequence[Grid], X_new: FloatArray, rng: np.random.Generator
    ) -> FloatArray:
        """Train every candidate and return its predictions; nothing is drawn.

        See `Predictor.predictions`.
        """
        by_grid = [self._predictions(train, grid, X_new) for grid in grids]
        # Most learners have one grid, and copying its scores may take as long as the rounds.
        return by_grid[0] if len(by_grid) == 1 else np.concatenate(by_grid)

    def _predictions(self, train: Part, grid: Grid, X_new: FloatArray) -> FloatArray:
        self.check(grid)
        X, y = train
        values = np.asarray(grid.axis(self.value_name) or (1.0,), dtype=np.float64)
        place = {int(t): i for i, t in enumerate(grid.axis(N_ROUNDS.name) or ())}
        columns = np.ascontiguousarray(X_new.T)
        scores = np.zeros((len(values), len(X_new)))
        path = np.empty((len(values), len(place), len(X_new)))
        start = self.start(y, np.ones(len(y)))
        for k, (added, _) in enumerate(
            self.rounds(Part(X, y - start), values, max(place)), start=1
        ):
            added.follow(scores, added.trees.leaves(columns))
            if k in place:
                path[:, place[k]] = scores + start
        return np.asarray(grid.flatten(path[None], (self.value_name, N_ROUNDS.name))[0])

    def outputs_of(self, predictions: FloatArray) -> Outputs:
        """Return scores, (n_new,), and the probabilities for which they minimise expected loss."""
        loss = self.training_loss
        if issubclass(loss, SquaredLoss):
            return Outputs(predictions)
        positive = loss.probability(predictions)
        return Outputs.by_score(predictions, np.column_stack([1.0 - positive, positive]))


_TREES = {"n_rounds": [1, 2, 5, 10, 20, 50, 100, 200, 500]}
_FEW = {"n_rounds": [5, 20, 100, 500]}
_STEPS = [0.01, 0.03, 0.1, 0.3, 1]
_SCALES = {"u": [1, 10, 100, 1000], **_FEW}


def _way(label: str, place: str, step: StepName, grid: dict[str, Any], *own: str) -> Registered:
    """Register a way to step; `own` are the settings of it that the user may change."""
    preset = {"step": step, "bound": None, "theory": False, "alpha": None}
    preset = {name: value for name, value in preset.items() if name not in own}
    return Registered(GradientBoost, label, f"Re-scale boosting, {place}", grid, preset)


BOOSTING = _way("Boosting", "algorithm 1", "full", _TREES)
RSBOOSTING = _way("RSboosting", "section IV", "shrink", {"nu": _STEPS, **_FEW})
RTBOOSTING = _way("RTboosting", "section IV", "truncate", _TREES, "bound")
RBOOSTING = _way("RBoosting", "algorithm 2", "rescale", _SCALES, "theory", "alpha")
EPSILON_BOOSTING = _way("ε-boosting", "section IV", "epsilon", {"eps": _STEPS, **_FEW})
RESCALE_RTBOOSTING = _way("Re-scale RTboosting", "remark 1", "rescale-truncate", _SCALES, "bound")
RESCALE_EPSILON_BOOSTING = _way(
    "Re-scale ε-boosting", "remark 1", "rescale-epsilon", {"eps": _STEPS, **_FEW}
)
