"""Additive models F whose weak learner is fitted to the current weights in every round.

For two classes F has one row, above 0 for the second class; for more it has one row per class. It
starts from 0. The weights and targets of a round follow from F, so a rule keeps nothing else.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Self, cast

import numpy as np

from quadrepro.base.types import BoolArray, FloatArray, IntArray, Task
from quadrepro.core import elementary_old as elementary
from quadrepro.core.learners.greedy.loop import Rule, State, Step, Watcher, boost
from quadrepro.core.learners.grid import N_ROUNDS, Grid, Hyperparameter, Value
from quadrepro.core.learners.learner import Outputs, TrainingData
from quadrepro.core.learners.old_gradient.trees import check_size
from quadrepro.core.learners.one_vs_rest import first_of_largest
from quadrepro.core.learners.predictor import Predictor
from quadrepro.core.learners.stagewise.weak import (
    Asked,
    Weak,
    WeakEstimators,
    WeakFit,
    WeakName,
    check_weak,
    contestant,
    weak_trees,
)

ROUNDING = 1e-10
"""Scores, and means in a leaf, that differ by no more are equal, and the first class is taken."""

ROUNDS = {"n_rounds": [1, 2, 5, 10, 20, 50, 100, 200, 500]}
"""The default grid."""


class Stage(State):
    """F on the training examples, and what was fitted in the current round.

    Attributes
    ----------
    is_class : ndarray of shape (n_classes, n_examples)
        1 for the class of an example, else 0.
    coded : ndarray of shape (1, n_examples) or (n_classes, n_examples)
        For two classes -1 and +1, else `is_class`.
    scores, answers : ndarray of the shape of `coded`
        F, and what this round adds to it for a weight of 1.
    total : float
        Sum of the weights of all rounds so far.
    example_weights : ndarray of shape (n_fits, n_examples)
        The weights of this round.
    """

    fitted: WeakFit
    answers: FloatArray
    example_weights: FloatArray

    def __init__(
        self,
        rule: StageRule,
        weak: Weak,
        codes: IntArray,
        n_classes: int,
        counts: FloatArray,
    ) -> None:
        self.rule, self._weak, self.n_classes = rule, weak, n_classes
        self.counts = counts / counts.mean()
        self.is_class = (codes == np.arange(n_classes)[:, None]).astype(np.float64)
        self.coded = np.where(codes == 1, 1.0, -1.0)[None] if n_classes == 2 else self.is_class
        self.scores, self.total = np.zeros(self.coded.shape), 0.0
        self.weights = np.zeros((1, 0))

    def begin(self, t: int) -> None:
        """Fit the weak learner of this round."""
        super().begin(t)
        targets, self.example_weights = self.rule.fitting(self)
        self.fitted, means = self._weak(targets, self.example_weights)
        self.answers = self.rule.answers(means)

    def falling(self) -> FloatArray:
        """Return the weights exp(-F_y), or for two classes exp(-y F), with a mean of 1."""
        own = (self.coded * self.scores).sum(axis=0)
        weights = self.counts * elementary.exp(own.min() - own)
        return np.asarray(weights / weights.mean())

    def advance(self, step: Step) -> None:
        """Add the answers to F."""
        self.scores += step.weights[0] * self.answers
        self.total += float(step.weights[0])

    def keep(self, rows: BoolArray) -> None:
        """Do nothing: there is one trajectory, and a run ends with it."""


@dataclass(frozen=True)
class StageRule(Rule[Stage]):
    """How an algorithm uses its weak learner; by default all that it answers is added to F."""

    asks: ClassVar[Asked]
    """What it asks of an estimator; trees give the means of its targets."""
    gives_probabilities: ClassVar[bool] = True
    """Whether F tells them, see `probabilities_of`."""

    @abstractmethod
    def fitting(self, state: Stage) -> tuple[FloatArray, FloatArray]:
        """Return targets, (n_fits, n_targets, n_examples), and weights, (n_fits, n_examples)."""

    @abstractmethod
    def answers(self, means: FloatArray) -> FloatArray:
        """Return what is added to F for some examples, given the means of the targets there."""

    def step(self, state: Stage) -> Step:
        """Add the answers."""
        return step_of(1.0)

    def ends_with(self, state: Stage) -> bool:
        """Return whether the run ends with this round, which has been added."""
        return False


def step_of(weight: float, last: bool = False) -> Step:
    """Return the step of the only trajectory."""
    return Step(np.zeros(1, np.intp), np.array([weight]), np.array([True]) if last else None)


def probabilities_of(scores: FloatArray) -> FloatArray:
    """Return exp(F_k) / Σ exp(F_j), for two classes 1 / (1 + exp(-2 F)), one column per class."""
    rows = of_classes(scores)
    shares = elementary.exp(rows - rows.max(axis=0))
    return np.ascontiguousarray((shares / shares.sum(axis=0)).T)


def of_classes(scores: FloatArray) -> FloatArray:
    """Return F with one row per class."""
    return scores if len(scores) > 1 else np.concatenate([-scores, scores])


def rounded(scores: FloatArray) -> FloatArray:
    """Return F with 0 for what differs from it by rounding alone."""
    return np.where(np.abs(scores) <= ROUNDING, 0.0, scores)


def classes_of(scores: FloatArray) -> IntArray:
    """Return the predicted class of each example, given F."""
    if len(scores) > 1:
        return first_of_largest(scores, ROUNDING)
    return np.asarray(scores[0] > ROUNDING, dtype=np.intp)


@dataclass(frozen=True, eq=False)
class Addition:
    """What a round adds to F."""

    rule: StageRule
    fitted: WeakFit
    weight: float

    def to(self, X: FloatArray) -> FloatArray:
        """Return what is added for some examples."""
        return self.weight * self.rule.answers(self.fitted.means(X))


class Additions(Watcher[Stage]):
    """Keeps what every round adds, and ends the run where its rule says so."""

    def __init__(self) -> None:
        self.rounds: list[Addition] = []

    def after(self, t: int, live: IntArray, step: Step, state: Stage) -> BoolArray | None:
        """Keep round `t`."""
        self.rounds.append(Addition(state.rule, state.fitted, float(step.weights[0])))
        return np.array([True]) if state.rule.ends_with(state) else None


def scores_after(
    rounds: Sequence[int], additions: Sequence[Addition], X: FloatArray, n_classes: int
) -> Iterator[FloatArray]:
    """Yield F for some examples after increasing numbers of rounds; a run may have ended before."""
    X, done = np.asfortranarray(X), 0
    scores = np.zeros((n_classes if n_classes > 2 else 1, len(X)))
    for t in rounds:
        for addition in additions[done:t]:
            scores = scores + addition.to(X)
        done = t
        yield scores


@dataclass(frozen=True)
class StagewiseBoost(Predictor):
    """Boosting of weak learners that are fitted in every round; the number of rounds is nested.

    Raises
    ------
    ValueError
        If a setting is out of range, or the estimator cannot be a weak learner.
    """

    kernels: ClassVar[tuple[str, ...]] = (
        "elementary_old_compiled",
        "learners.old_gradient.trees_compiled",
        "learners.old_gradient.weighted_trees_compiled",
    )

    cuts: int = 1
    """Number of cuts of a tree, the best first; 1 gives a stump."""
    depth: int | None = None
    """Depth of the trees, instead of a number of cuts."""
    weak: WeakName | None = None
    """An estimator that takes weights, instead of trees: a class of scikit-learn, an import path,
    or one of them mapped to its parameters."""
    predicts: Task = "classification"

    def __post_init__(self) -> None:
        check_size(self.cuts, self.depth)
        if self.weak is not None:
            if self.cuts != 1 or self.depth is not None:
                raise ValueError("weak replaces trees: leave out cuts and depth")
            check_weak(self.weak, self.rule.asks)

    @property
    @abstractmethod
    def rule(self) -> StageRule:
        """The step rule."""

    @property
    def hyperparameters(self) -> tuple[Hyperparameter, ...]:
        """What a grid may name."""
        return (N_ROUNDS,)

    @property
    def modules(self) -> tuple[str, ...]:
        """The modules whose code results depend on."""
        named = contestant(self.weak)
        return (*super().modules, *(named.modules if named else ()))

    @property
    def packages(self) -> tuple[str, ...]:  # type: ignore[override]
        """The packages that the weak learner comes from."""
        named = contestant(self.weak)
        return named.packages if named else ()

    def for_task(self, task: Task) -> Self | None:
        """Return the learner for a task, or None if it predicts numbers."""
        if task == "regression":
            return None
        return replace(self, predicts=task) if self.many_classes else self

    def fitted(
        self,
        X: FloatArray,
        codes: IntArray,
        n_classes: int,
        n_rounds: int,
        rng: np.random.Generator,
        counts: FloatArray | None = None,
    ) -> list[Addition]:
        """Run the loop and return what each round adds; examples count once without `counts`."""
        n_classes, rule = max(n_classes, 2), self.rule
        if self.weak is None:
            weak = weak_trees(X, self.cuts, self.depth)
        else:
            weak = WeakEstimators(self.weak, rule.asks, X, codes, n_classes, rng).fit
        counts, kept = np.ones(len(X)) if counts is None else counts, Additions()
        boost(rule, Stage(rule, weak, codes, n_classes, counts), n_rounds, [kept])
        return kept.rounds

    def predictions(
        self,
        X: FloatArray,
        y: FloatArray,
        grids: Sequence[Grid],
        X_new: FloatArray,
        rng: np.random.Generator,
    ) -> FloatArray:
        """Train once for all numbers of rounds; see `Predictor.predictions`."""
        return np.concatenate([self._predictions(X, y, grid, X_new, rng) for grid in grids])

    def _predictions(
        self, X: FloatArray, y: FloatArray, grid: Grid, X_new: FloatArray, rng: np.random.Generator
    ) -> FloatArray:
        self.check(grid)
        labels, codes = self._classes(y)
        rounds = [int(t) for t in grid.axis(N_ROUNDS.name) or ()]
        additions = self.fitted(X, codes, len(labels), rounds[-1], rng)
        stages = scores_after(rounds, additions, X_new, len(labels))
        if self.predicts == "classification":
            return np.array([rounded(scores[0]) for scores in stages])
        return np.array([labels[classes_of(scores)] for scores in stages])

    def outputs(
        self, data: TrainingData, candidate: dict[str, Value], X_new: FloatArray
    ) -> Outputs:
        """Train one candidate and return its outputs on new examples; see `Predictor.outputs`."""
        labels, codes = self._classes(data.train.y)
        n_rounds = int(cast(int, candidate[N_ROUNDS.name]))
        additions = self.fitted(data.train.X, codes, len(labels), n_rounds, data.rng("all"))
        [scores] = scores_after([n_rounds], additions, X_new, len(labels))
        found = probabilities_of(scores) if self.rule.gives_probabilities else None
        if self.predicts == "classification":
            return Outputs.by_score(rounded(scores[0]), found)
        seen, shape = labels.astype(np.intp), (len(X_new), data.n_classes)
        full, probabilities = np.full(shape, -np.inf), np.zeros(shape)
        full[:, seen] = of_classes(scores)[: len(seen)].T
        if found is not None:
            shares = found[:, : len(seen)]
            probabilities[:, seen] = shares / shares.sum(axis=1, keepdims=True)
        return Outputs(seen[classes_of(scores)], full, None if found is None else probabilities)

    def outputs_of(self, predictions: FloatArray) -> Outputs | None:
        """Return None: predictions do not tell the scores of more classes."""
        return None

    def _classes(self, y: FloatArray) -> tuple[FloatArray, IntArray]:
        """Return the labels that F tells apart, and the code of each example."""
        if self.predicts == "classification":
            return np.array([-1.0, 1.0]), (y > 0).astype(np.intp)
        labels, codes = np.unique(y, return_inverse=True)
        return labels, codes
