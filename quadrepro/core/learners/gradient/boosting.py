"""Gradient boosting over trees: one loop, seven ways to step, three losses (Re-scale boosting).

The estimators are in modules of their own, so that the command line does not import scikit-learn.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar, Literal, NamedTuple, Self

import numpy as np

from quadrepro.base.types import FloatArray, IntArray, Task
from quadrepro.core.learners.gradient.losses import ExponentialLoss, LogisticLoss, Loss, SquaredLoss
from quadrepro.core.learners.gradient.steps import (
    Alpha,
    Follow,
    ScoreState,
    Weigh,
    follow,
    of_length,
    rescaling,
    rescaling_in_theory,
    searched,
    shared,
    truncated,
)
from quadrepro.core.learners.gradient.trees import GrownTrees, TreeFitter, check_size
from quadrepro.core.learners.gradient.weighted_trees import WeightedTreeFitter
from quadrepro.core.learners.greedy.loop import Step, Watcher, boost
from quadrepro.core.learners.grid import N_ROUNDS, Grid, Hyperparameter
from quadrepro.core.learners.learner import Entry, Outputs, Predictor


class StagedScores(Watcher[ScoreState]):
    """Keeps the scores of new examples after given numbers of rounds."""

    def __init__(self, rounds: Sequence[int], n_trajectories: int, X_new: FloatArray) -> None:
        self._place = {t: i for i, t in enumerate(rounds)}
        self._columns = np.ascontiguousarray(X_new.T)
        self._scores = np.zeros((n_trajectories, len(X_new)))
        self.path = np.zeros((n_trajectories, len(rounds), len(X_new)))

    def after(self, t: int, live: IntArray, step: Step, state: ScoreState) -> None:
        """Take the step on the new examples."""
        follow(self._scores, state.trees, state.trees.leaves(self._columns), step)
        if t in self._place:
            self.path[:, self._place[t]] = self._scores


class TrainingLoss(Watcher[ScoreState]):
    """Keeps the mean training loss of every trajectory after every round."""

    def __init__(self, n_rounds: int, n_trajectories: int) -> None:
        self.path = np.zeros((n_trajectories, n_rounds))

    def after(self, t: int, live: IntArray, step: Step, state: ScoreState) -> None:
        """Keep the losses of round `t`."""
        self.path[:, t - 1] = state.loss.mean(state.scores, state.y, state.weights_of_examples)


class Gains(Watcher[ScoreState]):
    """Adds up by how much the cuts by each feature lower the squared errors of the trees.

    It sees the first trajectory.
    """

    def __init__(self, n_features: int) -> None:
        self.of_features = np.zeros(n_features)

    def after(self, t: int, live: IntArray, step: Step, state: ScoreState) -> None:
        """Undo the cuts of the tree, the last one first: two leaves become one."""
        trees, leaves = state.trees, state.leaves[0]
        means = trees.values[0].copy()
        sizes = np.bincount(leaves, state.weights_of_examples, len(means)).astype(np.float64)
        for cut in range(trees.parents.shape[1] - 1, -1, -1):
            if not np.isfinite(trees.thresholds[0, cut]):
                continue
            left, right = trees.parents[0, cut], cut + 1
            total = sizes[left] + sizes[right]
            share = sizes[right] / total
            change = means[right] - means[left]
            self.of_features[trees.features[0, cut]] += sizes[left] * share * change**2
            means[left] += share * change
            sizes[left] = total


class Ensemble(Watcher[ScoreState]):
    """Keeps the trees and the step of every round, for later predictions."""

    def __init__(self) -> None:
        self.rounds: list[tuple[GrownTrees, Step]] = []

    def after(self, t: int, live: IntArray, step: Step, state: ScoreState) -> None:
        """Keep round `t`."""
        self.rounds.append((state.trees, step))


StepName = Literal[
    "full", "shrink", "truncate", "rescale", "epsilon", "rescale-truncate", "rescale-epsilon"
]
LossName = Literal["l2", "logistic", "exponential"]
Bound = Literal["tree", "unit"]

LOSSES: dict[LossName, Loss] = {
    "l2": SquaredLoss(),
    "logistic": LogisticLoss(),
    "exponential": ExponentialLoss(),
}


SMALLEST_TARGET = 1e-50
"""Targets are at least as large, and at most its inverse, since their fourth powers are needed."""

LONGEST_STEP = 1e6
"""A longer step ε, in units of the largest target, loses the targets in rounding."""


class StepKind(NamedTuple):
    """A way to step: how trees are weighed, how scores shrink, and the hyper-parameter."""

    weigh: Weigh
    alpha: Alpha | None = None
    value: Hyperparameter | None = None

    def rule(self, values: FloatArray) -> Follow:
        """Return the rule for one value of the hyper-parameter per trajectory."""
        return Follow(values, self.weigh, self.alpha)


NU = Hyperparameter("nu", "number", "small", "share ν of the line search's step", largest=2.0)
U = Hyperparameter("u", "number", "small", "u of α_k = min(1, 2 / (k + u))")
EPS = Hyperparameter("eps", "number", "small", "length ε of a step")
TRUNCATION = Hyperparameter(
    "truncation", "number", "small", "c of the bound c k^(-2/3)", optional=True
)

STEPS: dict[StepName, StepKind] = {
    "full": StepKind(searched),
    "shrink": StepKind(shared, value=NU),
    "truncate": StepKind(partial(truncated, tuned=True), value=TRUNCATION),
    "rescale": StepKind(searched, rescaling, U),
    "epsilon": StepKind(of_length, value=EPS),
    "rescale-truncate": StepKind(truncated, rescaling, U),
    "rescale-epsilon": StepKind(of_length, rescaling_in_theory, EPS),
}

RESCALE_IN_THEORY = StepKind(searched, rescaling_in_theory)

UNIT: dict[StepName, StepKind] = {
    "truncate": StepKind(partial(truncated, unit=True, tuned=True), value=TRUNCATION),
    "rescale-truncate": StepKind(partial(truncated, unit=True), rescaling, U),
}
"""The truncated steps, with the bound on trees of unit root mean square."""


@dataclass(frozen=True)
class GradientBoost(Predictor):
    """Boosting along the gradient of a loss, with regression trees as base learners.

    The number of rounds is nested; all values of the step's hyper-parameter advance side by side.

    Raises
    ------
    ValueError
        If a setting is out of range or the settings contradict each other.
    """

    version: ClassVar[int] = 2
    kernels: ClassVar[tuple[str, ...]] = (
        "elementary_old_compiled",
        "learners.gradient.losses_compiled",
        "learners.gradient.trees_compiled",
        "learners.gradient.weighted_trees_compiled",
    )

    step: StepName = "full"
    """Boosting, RSboosting (its hyper-parameter is ``nu``), RTboosting (``truncation``, which is 1
    if a grid does not name it), RBoosting (``u``), ε-boosting (``eps``), re-scale RTboosting
    (``u``) or re-scale ε-boosting (``eps``), the last with the α_k = 3 / (k + 3) of RBoosting's
    theorems."""
    loss: LossName | None = None
    """The squared loss of a number, or the logistic or exponential loss of a class; None for the
    squared or the logistic loss, by the task. RBoosting with the exponential loss is re-scale
    AdaBoost."""
    cuts: int = 1
    """Number of cuts J of a tree; 1 gives a stump."""
    depth: int | None = None
    """Depth of the trees, instead of a number of cuts."""
    theory: bool = False
    """Whether RBoosting uses the α_k = 3 / (k + 3) of its theorems; it then has no hyper-parameter.
    """
    bound: Bound | None = None
    """Whether the truncated steps bound the weight of a tree as it was fitted, or of the tree
    scaled to a root mean square of 1 on the training examples; None for "tree" with the squared
    loss and "unit" with the others."""
    min_weight_fraction_leaf: float = 0.0
    """Least share of the weight of all training examples in a leaf."""

    def __post_init__(self) -> None:
        choices = (
            ("step", tuple(STEPS)),
            ("loss", (None, *LOSSES)),
            ("bound", (None, "tree", "unit")),
        )
        for name, known in choices:
            if (given := getattr(self, name)) not in known:
                raise ValueError(f"{name} must be {', '.join(map(repr, known))}, not {given!r}")
        check_size(self.cuts, self.depth)
        if not 0 <= self.min_weight_fraction_leaf <= 0.5:
            raise ValueError(
                "min_weight_fraction_leaf must be between 0 and 0.5, not"
                f" {self.min_weight_fraction_leaf}"
            )
        if self.theory and self.step != "rescale":
            raise ValueError(f"theory is for step 'rescale', not {self.step!r}")
        if self.bound is not None and self.step not in UNIT:
            names = " and ".join(map(repr, UNIT))
            raise ValueError(f"bound is for steps {names}, not {self.step!r}")

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
    def kind(self) -> StepKind:
        """The way to step."""
        if self.theory:
            return RESCALE_IN_THEORY
        unit = "tree" if self.task == "regression" else "unit"
        kinds = STEPS | UNIT if (self.bound or unit) == "unit" else STEPS
        return kinds[self.step]

    @property
    def value_name(self) -> str:
        """Name of the hyper-parameter other than ``n_rounds``; empty if there is none."""
        return "" if self.kind.value is None else self.kind.value.name

    @property
    def hyperparameters(self) -> tuple[Hyperparameter, ...]:
        """What a grid may name."""
        return (N_ROUNDS,) if self.kind.value is None else (self.kind.value, N_ROUNDS)

    def run(
        self,
        X: FloatArray,
        y: FloatArray,
        values: FloatArray,
        n_rounds: int,
        watchers: Sequence[Watcher[ScoreState]],
        *,
        weights: FloatArray | None = None,
    ) -> None:
        """Run the loop for every value of the step's hyper-parameter.

        Parameters
        ----------
        X : ndarray of shape (n_examples, n_features)
            Training examples.
        y : ndarray of shape (n_examples,)
            Numbers, or labels -1 or +1.
        values : ndarray of shape (n_trajectories,)
            Values of the hyper-parameter; a single NaN if there is none.
        n_rounds : int
            Number of rounds.
        watchers : sequence of Watcher
            They see every round.
        weights : ndarray of shape (n_examples,) or None, default None
            How often each example counts; None for once.
        """
        if self.task == "regression":
            self._check_targets(float(np.abs(y).max()), values)
        fitter: TreeFitter | WeightedTreeFitter
        size = self.cuts, self.depth, self.min_weight_fraction_leaf
        if weights is None:
            fitter = TreeFitter(X, *size)
        else:
            # The mean loss does not depend on the scale, but the limits of a line search do.
            weights = weights / weights.mean()
            fitter = WeightedTreeFitter(X, weights, *size)
        state = ScoreState(fitter, LOSSES[self.loss or "l2"], y, len(values), weights)
        boost(self.kind.rule(values), state, n_rounds, watchers)

    def _check_targets(self, largest: float, values: FloatArray) -> None:
        if largest and not SMALLEST_TARGET <= largest <= 1 / SMALLEST_TARGET:
            raise ValueError(
                f"the largest target, {largest:g}, must be between {SMALLEST_TARGET:g} and"
                f" {1 / SMALLEST_TARGET:g}: scale the targets"
            )
        if self.kind.value is EPS and largest and values.max() > LONGEST_STEP * largest:
            raise ValueError(
                f"eps is in units of the targets, so it must be at most {LONGEST_STEP:g} times the"
                f" largest of them, {largest:g}, not {values.max():g}"
            )

    def predictions(
        self,
        X: FloatArray,
        y: FloatArray,
        grids: Sequence[Grid],
        X_new: FloatArray,
        rng: np.random.Generator,
    ) -> FloatArray:
        """Train every candidate and return its predictions; nothing is drawn.

        See `Predictor.predictions`.
        """
        found = [self._predictions(X, y, grid, X_new) for grid in grids]
        # Most learners have one grid, whose scores may take as long to copy as rounds to run.
        return found[0] if len(found) == 1 else np.concatenate(found)

    def outputs_of(self, predictions: FloatArray) -> Outputs:
        """Return the scores of classes with the probabilities that minimise the expected loss."""
        if self.task == "regression":
            return Outputs(predictions)
        positive = LOSSES[self.loss or "l2"].probability(predictions)
        return Outputs.by_score(predictions, np.column_stack([1.0 - positive, positive]))

    def _predictions(
        self, X: FloatArray, y: FloatArray, grid: Grid, X_new: FloatArray
    ) -> FloatArray:
        self.check(grid)
        values = np.asarray(grid.axis(self.value_name) or (np.nan,), dtype=np.float64)
        rounds = [int(t) for t in grid.axis(N_ROUNDS.name) or ()]
        staged = StagedScores(rounds, len(values), X_new)
        self.run(X, y, values, rounds[-1], [staged])
        return np.asarray(grid.flatten(staged.path[None], (self.value_name, N_ROUNDS.name))[0])


def _preset(step: str, own: str = "") -> dict[str, Any]:
    """Return the settings of a way to step; `own` is the one that the user may change."""
    fixed = {"bound": None, "theory": False}
    return {"step": step} | {name: value for name, value in fixed.items() if name != own}


_TREES = {"n_rounds": [1, 2, 5, 10, 20, 50, 100, 200, 500]}
_FEW = {"n_rounds": [5, 20, 100, 500]}
_STEPS = [0.01, 0.03, 0.1, 0.3, 1]
_SCALES = {"u": [1, 10, 100, 1000], **_FEW}

BOOSTING = Entry(
    GradientBoost, "Boosting", "Re-scale boosting, algorithm 1", _TREES, _preset("full")
)
RSBOOSTING = Entry(
    GradientBoost,
    "RSboosting",
    "Re-scale boosting, section IV",
    {"nu": _STEPS, **_FEW},
    _preset("shrink"),
)
RTBOOSTING = Entry(
    GradientBoost,
    "RTboosting",
    "Re-scale boosting, section IV",
    _TREES,
    _preset("truncate", "bound"),
)
RBOOSTING = Entry(
    GradientBoost,
    "RBoosting",
    "Re-scale boosting, algorithm 2",
    _SCALES,
    _preset("rescale", "theory"),
)
EPSILON_BOOSTING = Entry(
    GradientBoost,
    "ε-boosting",
    "Re-scale boosting, section IV",
    {"eps": _STEPS, **_FEW},
    _preset("epsilon"),
)
RESCALE_RTBOOSTING = Entry(
    GradientBoost,
    "Re-scale RTboosting",
    "Re-scale boosting, remark 1",
    _SCALES,
    _preset("rescale-truncate", "bound"),
)
RESCALE_EPSILON_BOOSTING = Entry(
    GradientBoost,
    "Re-scale ε-boosting",
    "Re-scale boosting, remark 1",
    {"eps": _STEPS, **_FEW},
    _preset("rescale-epsilon"),
)
