"""Additive models F whose weak learner is fitted to the current weights in every round.

For two classes F has one row, above 0 for the second class; for more it has one row per class. It
starts from 0. The weights and targets of a round follow from F, so a rule keeps nothing else.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Self, cast

import numpy as np

from quadrepro.base.types import BoolArray, FloatArray, IntArray, Task
from quadrepro.core import elementary
from quadrepro.core.learners.gradient.trees import check_size
from quadrepro.core.learners.greedy.loop import NEVER, Rule, State, Step, Watcher, boost
from quadrepro.core.learners.grid import N_ROUNDS, Grid, Hyperparameter, Value
from quadrepro.core.learners.learner import Outputs, TrainingData
from quadrepro.core.learners.one_vs_rest import first_of_largest
from quadrepro.core.learners.predictor import Predictor
from quadrepro.core.learners.stagewise.weak import (
    Asked,
    WeakEstimators,
    WeakFit,
    WeakLearner,
    WeakName,
    WeakTrees,
    fault_of_weak,
    modules_of_weak,
    packages_of_weak,
)

ROUNDING = 1e-10
"""Scores, and means in a leaf, that differ by no more are equal, and the first class is taken."""


class Stage(State):
    """F on the training examples, and what was fitted in the current round.

    Parameters
    ----------
    rule : StageRule
        The algorithm.
    weak : WeakLearner
        Fits the rounds.
    codes : ndarray of int, shape (n_examples,)
        Classes, 0 to K - 1.
    n_classes : int
        K, at least 2.
    counts : ndarray of shape (n_examples,)
        How often each example counts.

    Attributes
    ----------
    is_class : ndarray of shape (n_classes, n_examples)
        1 for the class of an example, else 0.
    coded : ndarray of shape (1, n_examples) or (n_classes, n_examples)
        For two classes -1 and +1, else `is_class`.
    scores : ndarray of the shape of `coded`
        F.
    total : float
        Sum of the weights of all rounds so far.
    fitted : WeakFit
        What was fitted in this round.
    example_weights : ndarray of shape (n_fits, n_examples)
        The weights it was fitted to.
    answers : ndarray of the shape of `coded`
        Its answers on the training examples.
    """

    fitted: WeakFit
    example_weights: FloatArray
    answers: FloatArray

    def __init__(
        self,
        rule: StageRule,
        weak: WeakLearner,
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
        self.fitted, means = self._weak.fit(targets, self.example_weights)
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
    """Whether F tells them: 1 / (1 + exp(-2 F)) for two classes, else exp(F_k) / Σ exp(F_j)."""

    @abstractmethod
    def fitting(self, state: Stage) -> tuple[FloatArray, FloatArray]:
        """Return the targets and the weights of a round, see `WeakLearner.fit`."""

    @abstractmethod
    def answers(self, means: FloatArray) -> FloatArray:
        """Return what is added to F for the means that a weak learner gives for some examples."""

    def step(self, state: Stage) -> Step:
        """Add the answers."""
        return step_of(1.0)

    def ends_with(self, state: Stage) -> bool:
        """Return whether the run ends with this round, which has been added."""
        return False


def step_of(weight: float, last: bool = False) -> Step:
    """Return the step of the only trajectory."""
    return Step(np.zeros(1, np.intp), np.array([weight]), np.array([True]) if last else None)


def softmax(scores: FloatArray) -> FloatArray:
    """Return exp(F_k) / Σ exp(F_j), of the shape of `scores`."""
    shares = elementary.exp(scores - scores.max(axis=0))
    return np.asarray(shares / shares.sum(axis=0))


def probabilities_of(scores: FloatArray) -> FloatArray:
    """Return the probabilities of the classes, shape (n_examples, n_classes), given F."""
    rows = scores if len(scores) > 1 else np.concatenate([-scores, scores])
    return np.ascontiguousarray(softmax(rows).T)


def rounded(scores: FloatArray) -> FloatArray:
    """Return F with 0 for what differs from it by rounding alone."""
    return np.where(np.abs(scores) <= ROUNDING, 0.0, scores)


def classes_of(scores: FloatArray) -> IntArray:
    """Return the predicted class of each example, given F."""
    if len(scores) > 1:
        return first_of_largest(scores, ROUNDING)
    return (scores[0] > ROUNDING).astype(np.intp)


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


class Stages(Watcher[Stage]):
    """Keeps what F tells of new examples after given numbers of rounds, in `found`."""

    def __init__(
        self,
        rounds: Sequence[int],
        X_new: FloatArray,
        n_classes: int,
        read: Callable[[FloatArray], FloatArray],
    ) -> None:
        self.found: list[FloatArray] = []
        self._rounds, self._read = [*rounds, NEVER], read
        self._X = np.asfortranarray(X_new)
        self._scores = np.zeros((n_classes if n_classes > 2 else 1, len(X_new)))

    def after(self, t: int, live: IntArray, step: Step, state: Stage) -> BoolArray | None:
        """Add the answers for the new examples."""
        addition = Addition(state.rule, state.fitted, float(step.weights[0]))
        # A new array: the former one may be kept.
        self._scores = self._scores + addition.to(self._X)
        if t == self._rounds[len(self.found)]:
            self.found.append(self._read(self._scores))
        return np.array([True]) if state.rule.ends_with(state) else None

    def retire(self, rows: IntArray, step: Step, votes: FloatArray) -> None:
        """Keep the final F at all later checkpoints; the last round adds nothing."""
        self.dismiss(rows, votes)

    def dismiss(self, rows: IntArray, votes: FloatArray) -> None:
        """Keep the final F at all later checkpoints."""
        left = len(self._rounds) - 1 - len(self.found)
        self.found += [self._read(self._scores)] * left


@dataclass(frozen=True)
class StagewiseBoost(Predictor):
    """Boosting of weak learners that are fitted in every round; the number of rounds is nested.

    Raises
    ------
    ValueError
        If a setting is out of range, or the estimator cannot be a weak learner.
    """

    kernels: ClassVar[tuple[str, ...]] = (
        "elementary_compiled",
        "learners.gradient.trees_compiled",
        "learners.gradient.weighted_trees_compiled",
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
        if self.weak is None:
            return
        if self.cuts != 1 or self.depth is not None:
            raise ValueError("weak replaces trees: leave out cuts and depth")
        if wrong := fault_of_weak(self.weak, self.rule.asks):
            raise ValueError(wrong)

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
        return (*super().modules, *modules_of_weak(self.weak))

    @property
    def packages(self) -> tuple[str, ...]:  # type: ignore[override]
        """The packages that the weak learner comes from."""
        return packages_of_weak(self.weak)

    def for_task(self, task: Task) -> Self | None:
        """Return the learner for a task, or None if it predicts numbers."""
        return None if task == "regression" else replace(self, predicts=task)

    def run(
        self,
        X: FloatArray,
        codes: IntArray,
        n_classes: int,
        n_rounds: int,
        watchers: Sequence[Watcher[Stage]],
        *,
        rng: np.random.Generator,
        counts: FloatArray | None = None,
    ) -> None:
        """Run the loop.

        Parameters
        ----------
        X : ndarray of shape (n_examples, n_features)
            Training examples.
        codes : ndarray of int, shape (n_examples,)
            Their classes, 0 to n_classes - 1.
        n_classes : int
            Number of classes; of one, two are made.
        n_rounds : int
            Number of rounds.
        watchers : sequence of Watcher
            They see every round; one of them must end the run where the rule says so.
        rng : numpy.random.Generator
            Draws the seeds of estimators.
        counts : ndarray of shape (n_examples,) or None, default None
            How often each example counts; None for once.
        """
        n_classes, rule = max(n_classes, 2), self.rule
        weak: WeakLearner
        if self.weak is None:
            weak = WeakTrees(X, self.cuts, self.depth)
        else:
            weak = WeakEstimators(self.weak, rule.asks, X, codes, n_classes, rng)
        counts = np.ones(len(X)) if counts is None else counts
        boost(rule, Stage(rule, weak, codes, n_classes, counts), n_rounds, watchers)

    def predictions(
        self, X: FloatArray, y: FloatArray, grid: Grid, X_new: FloatArray, rng: np.random.Generator
    ) -> FloatArray:
        """Train once for all numbers of rounds; see `Predictor.predictions`."""
        self.check(grid)
        labels, codes = self._classes(y)
        rounds = [int(t) for t in grid.axis(N_ROUNDS.name) or ()]

        def read(scores: FloatArray) -> FloatArray:
            if self.predicts == "classification":
                return rounded(scores[0])
            return np.asarray(labels[classes_of(scores)])

        stages = Stages(rounds, X_new, len(labels), read)
        self.run(X, codes, len(labels), rounds[-1], [stages], rng=rng)
        return np.array(stages.found)

    def outputs(
        self, data: TrainingData, candidate: dict[str, Value], X_new: FloatArray
    ) -> Outputs:
        """Train one candidate and return its outputs on new examples; see `Predictor.outputs`."""
        labels, codes = self._classes(data.train.y)
        n_rounds = int(cast(int, candidate[N_ROUNDS.name]))
        stages = Stages([n_rounds], X_new, len(labels), lambda scores: scores)
        self.run(data.train.X, codes, len(labels), n_rounds, [stages], rng=data.rng("all"))
        [scores] = stages.found
        if self.predicts == "classification":
            told = probabilities_of(scores) if self.rule.gives_probabilities else None
            return Outputs.by_score(rounded(scores[0]), told)
        seen, shape = labels.astype(np.intp), (len(X_new), data.n_classes)
        columns = scores if len(scores) > 1 else np.concatenate([-scores, scores])
        full, probabilities = np.full(shape, -np.inf), np.zeros(shape)
        full[:, seen] = columns[: len(seen)].T
        probabilities[:, seen] = probabilities_of(scores)[:, : len(seen)]
        told = probabilities if self.rule.gives_probabilities else None
        return Outputs(seen[classes_of(scores)], full, told)

    def outputs_of(self, predictions: FloatArray) -> Outputs | None:
        """Return None: predictions do not tell the scores of more classes."""
        return None

    def _classes(self, y: FloatArray) -> tuple[FloatArray, IntArray]:
        """Return the labels that F tells apart, and the code of each example."""
        if self.predicts == "classification":
            return np.array([-1.0, 1.0]), (y > 0).astype(np.intp)
        labels, codes = np.unique(y, return_inverse=True)
        return labels, codes
