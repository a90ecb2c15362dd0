"""Contracts of learners: settings, the examples of a cell, and outputs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self

import numpy as np

from quadrepro.base.types import BoolArray, FloatArray, IntArray, Need, Targets, Task
from quadrepro.core.features import Feature
from quadrepro.core.holdout import Holdout
from quadrepro.core.training.grid import N_ROUNDS, Grid, Hyperparameter, Value
from quadrepro.core.voters.coded import ZERO_VOTE, VoterOutputs
from quadrepro.core.voters.drawn import RandomStumps, StumpCodes, StumpVote, coded
from quadrepro.core.voters.reduction import AnyVoters, VotingProblem, reduce_problem
from quadrepro.errors import nearest

if TYPE_CHECKING:
    from pydantic import TypeAdapter


@dataclass(frozen=True)
class Registered:
    """One algorithm as a config names it."""

    learner: type[Learner]
    """Class of the learner."""
    label: str
    """Name in tables."""
    source: str
    """The paper that describes it."""
    grid: dict[str, Any] = field(default_factory=dict)
    """Default values of the hyper-parameters, as a config writes them: the paper's if they are few,
    else at most 20 candidates and 10,000 rounds, so that a data set of some thousand rows takes
    seconds on a laptop."""
    preset: dict[str, Any] = field(default_factory=dict)
    """Settings that the user cannot change."""

    def make(self, settings: dict[str, Any]) -> Learner:
        """Return the algorithm with the given settings.

        Raises
        ------
        pydantic.ValidationError
            If a setting is unknown, has the wrong type or is out of range; a ValueError.
        """
        return validator(self.learner).validate_python(settings | self.preset, extra="forbid")

    @cached_property
    def settings(self) -> dict[str, Any]:
        """Names and defaults of the settings that the user may change."""
        return {f.name: f.default for f in fields(self.learner) if f.name not in self.preset}

    def names(self, settings: Mapping[str, Any]) -> Collection[str]:
        """Return the names of all settings that the user may change."""
        return self.settings


@cache
def validator(learner: type[Learner]) -> TypeAdapter[Learner]:
    """Return a validating constructor of learners."""
    from pydantic import TypeAdapter

    return TypeAdapter(learner)


@dataclass(frozen=True)
class Learner(ABC):
    """A learner in a config: its settings are fixed, and a grid gives its hyper-parameters."""

    gives_votes: ClassVar[bool]
    """Whether candidates are weights over voters, which some measures need."""
    takes_drawn_stumps: ClassVar[bool] = False
    """Whether the learner can learn from stumps that are drawn in every round."""
    many_classes: ClassVar[bool] = False
    """Whether the learner can separate more than two classes by itself."""
    takes_raw: ClassVar[bool] = False
    """Whether the learner can take categories and missing values unchanged."""
    packages: ClassVar[tuple[str, ...]] = ()
    """Packages other than numpy whose versions results may depend on."""
    categories = False
    """Whether nominal attributes stay codes instead of being normalised."""
    keeps_missing = False
    """Whether missing values stay NaN."""

    @property
    @abstractmethod
    def hyperparameters(self) -> tuple[Hyperparameter, ...]:
        """The hyper-parameters that a grid may name."""

    @property
    def value_name(self) -> str:
        """Name of the first hyper-parameter other than ``n_rounds``; empty if there is none."""
        return next((h.name for h in self.hyperparameters if h != N_ROUNDS), "")

    @property
    def content(self) -> dict[str, Any]:
        """The settings that results depend on."""
        return asdict(self)

    @property
    def modules(self) -> tuple[str, ...]:
        """The modules whose code results depend on, see `quadrepro.base.code.code_hash`."""
        return (type(self).__module__,)

    @property
    def own_code(self) -> tuple[tuple[str, str], ...]:
        """Names and hashes of modules in the config's folder that results depend on."""
        return ()

    @property
    def task(self) -> Task:
        """Task of the learner: two classes, more classes, or a number."""
        return "classification"

    def for_task(self, task: Task) -> Self | None:
        """Return this learner set up for a task, or None if it does not suit the task.

        A learner of two classes suits more classes: it separates each of them from the rest.
        """
        return self if (task == "regression") == (self.task == "regression") else None

    def against_rest(self, task: Task) -> bool:
        """Whether the learner separates only two classes, and so is trained once per class."""
        return task == "multiclass" and not self.many_classes

    def gives(self, need: Need) -> bool:
        """Whether the learner has the outputs that a metric needs; True if only a fit shows it."""
        return need != "probabilities" or not self.gives_votes

    def made(self) -> Learner:
        """Return the learner that is trained: this one, unless a config only names its code."""
        return self

    def try_code(self, candidate: Mapping[str, Value]) -> None:
        """Import and make the learner, if its code is in the config's folder."""
        return None

    def check(self, grid: Grid) -> None:
        """Raise ValueError if a grid does not fit the hyper-parameters."""
        for name, values in grid.axes:
            self._check_axis(name, values)
        needed = [h.name for h in self.hyperparameters if not h.optional]
        if missing := [name for name in needed if grid.axis(name) is None]:
            raise ValueError(f"{type(self).__name__} needs a value of {', '.join(missing)}")

    def check_candidate(self, **candidate: Value) -> None:
        """Raise ValueError if a hyper-parameter is unknown, or its value is invalid."""
        for name, value in candidate.items():
            self._check_axis(name, [value])

    def _check_axis(self, name: str, values: Sequence[Value]) -> None:
        by_name = {h.name: h for h in self.hyperparameters}
        if name not in by_name:
            hint = nearest(name, by_name)
            raise ValueError(f"{type(self).__name__} has no hyper-parameter {name!r}{hint}")
        if fault := by_name[name].fault(values):
            raise ValueError(fault)


Rng = Callable[[str], np.random.Generator]
"""Function from the name of draws to their generator."""


def trained_on(fold: IntArray, f: int) -> BoolArray:
    """Return a mask of the examples from which fold `f` is predicted, shape (n_train,).

    They are the examples of all other folds or, if folds are windows of time, the earlier examples.
    Examples before the first window have the fold -1.
    """
    return fold < f if fold.min() < 0 else fold != f


class Part(NamedTuple):
    """Prepared examples: X of shape (n_examples, n_attributes), and y of shape (n_examples,)."""

    X: FloatArray
    y: FloatArray


@dataclass(frozen=True, eq=False)
class TrainingData:
    """The examples of one cell.

    Labels are -1 and +1 for two classes, codes 0 to K - 1 for K classes, and numbers for a
    regression. X holds positions of the words of `features` only if the learner takes
    `categories`. For `voters`, see `quadrepro.core.training.voting`.
    """

    train: Part
    test: Part
    valid: Part | None
    voters: Any
    rng: Rng
    task: Task = "classification"
    n_classes: int = 2
    features: tuple[Feature, ...] = ()

    @cached_property
    def voter_outputs(self) -> tuple[VoterOutputs, VoterOutputs]:
        """Outputs of fixed voters on training and on test examples."""
        train, test = self.voters.outputs(self.train, self.test.X, self.rng)
        return train, test

    @cached_property
    def coded(self) -> tuple[StumpCodes, StumpCodes, StumpCodes]:
        """Coded training, held-out and test examples, for drawn stumps."""
        parts = self.train, self.validation, self.test
        train, valid, test = (coded(part.X, self.train.X) for part in parts)
        return train, valid, test

    @property
    def validation(self) -> Part:
        """The validation part, which exists only with a hold-out."""
        assert self.valid is not None
        return self.valid

    def codes_of(self, y: FloatArray) -> Targets:
        """Return the class codes of labels, or numbers unchanged, shape (n_examples,)."""
        if self.task == "regression":
            return y
        return np.asarray(y > 0 if self.task == "classification" else y, dtype=np.intp)

    def against_rest(self, code: int) -> TrainingData:
        """Return the same examples with one class as +1 and all others as -1."""

        def relabelled(part: Part) -> Part:
            return Part(part.X, np.where(part.y == code, 1.0, -1.0))

        return replace(
            self,
            train=relabelled(self.train),
            test=relabelled(self.test),
            valid=self.valid and relabelled(self.valid),
            task="classification",
            n_classes=2,
        )


class Outputs(NamedTuple):
    """Outputs of a trained candidate for new examples.

    Attributes
    ----------
    predicted : ndarray of shape (n_new,)
        Class codes, 0 or 1 for two classes, or numbers.
    scores : ndarray of shape (n_new,) or (n_new, n_classes), or None, default None
        For two classes, a score above zero for the second class; for more, a score per class. None
        if the learner has no scores.
    probabilities : ndarray of shape (n_new, n_classes) or None, default None
        Probabilities of the classes; None if the learner has none.
    zero : float, default 0.0
        Scores that differ by at most this are equal up to rounding.
    margins : ndarray of shape (n_train,) or None, default None
        Margins of the training examples, where they are kept.
    """

    predicted: Targets
    scores: FloatArray | None = None
    probabilities: FloatArray | None = None
    zero: float = 0.0
    margins: FloatArray | None = None

    @classmethod
    def by_score(cls, scores: FloatArray, probabilities: FloatArray | None = None) -> Outputs:
        """Return outputs that predict the second class for scores > 0, shape (n_new,)."""
        return cls((scores > 0).astype(np.intp), scores, probabilities)

    @classmethod
    def by_vote(cls, sums: FloatArray, zero: float, margins: FloatArray | None = None) -> Outputs:
        """Return the outputs of a vote with sums of shape (n_new,); an even vote is 0."""
        scores = np.where(np.abs(sums) <= zero, 0.0, sums)
        return cls((scores > 0).astype(np.intp), scores, None, zero, margins)


class Judged(NamedTuple):
    """Targets and outputs of examples, from a record of a cell or from the held-out folds.

    Attributes
    ----------
    n_classes : int
        Number of classes; 0 if numbers are predicted.
    actual, predicted : ndarray of shape (n_examples,), or None
        Class codes or numbers.
    scores : ndarray of shape (n_examples,) or (n_examples, n_classes), or None, default None
        Scores of the second class, or of each of several.
    probabilities : ndarray of shape (n_examples, n_classes) or None, default None
        Probabilities of the classes.
    """

    n_classes: int
    actual: Targets | None
    predicted: Targets | None
    scores: FloatArray | None = None
    probabilities: FloatArray | None = None


@dataclass(frozen=True, eq=False)
class DrawnProblem:
    """Coded training and held-out examples, for algorithms that learn from drawn stumps.

    Attributes
    ----------
    source : callable
        Returns a new source of stumps over the training examples. All sources draw the same
        stumps.
    train, valid : ndarray of uint16, shape (n_attributes, n_examples)
        Coded examples.
    y_train, y_valid : ndarray of shape (n_examples,)
        Labels, -1 or +1.
    stopping : Holdout
        When a run ends, and which of its rounds is taken.
    """

    source: Callable[[], RandomStumps]
    train: StumpCodes
    y_train: FloatArray
    valid: StumpCodes
    y_valid: FloatArray
    stopping: Holdout


@dataclass(frozen=True, eq=False)
class StoppedRuns:
    """Candidates over drawn stumps, each with its chosen number of rounds.

    `errors` on held-out examples have shape (n_candidates,), NaN without a solution.
    """

    errors: FloatArray | IntArray
    candidates: list[dict[str, Value]]
    vote: Callable[[int], StumpVote]


@dataclass(frozen=True)
class Predictor(Learner):
    """A learner on attributes, whose candidates are described by their predictions."""

    gives_votes = False

    def for_columns(self, data: TrainingData) -> Self:
        """Return this predictor with the columns of a cell, if it uses them."""
        return self

    @abstractmethod
    def predictions(
        self, train: Part, grids: Sequence[Grid], X_new: FloatArray, rng: np.random.Generator
    ) -> FloatArray:
        """Train all candidates of some grids and return their predictions, in order.

        Parameters
        ----------
        train : Part
            Training examples, with labels -1 or +1, class codes where the predictor takes them, or
            the numbers to predict.
        grids : sequence of Grid
            Values of the hyper-parameters.
        X_new : ndarray of shape (n_new, n_attributes)
            Examples to predict.
        rng : numpy.random.Generator
            Generator of all random draws.

        Returns
        -------
        ndarray of shape (n_candidates, n_new)
            Predicted numbers or class codes, or for two classes scores that are above zero for +1.
        """

    def outputs_of(self, predictions: FloatArray) -> Outputs | None:
        """Return the outputs that follow from a candidate's predictions; None if none do.

        Parameters
        ----------
        predictions : ndarray of shape (n_new,)
            Predictions of one candidate.
        """
        return Outputs(predictions) if self.task == "regression" else Outputs.by_score(predictions)

    def outputs(
        self, data: TrainingData, candidate: dict[str, Value], X_new: FloatArray, draws: str = "all"
    ) -> Outputs:
        """Train one candidate on the training part and return its outputs for new examples.

        Parameters
        ----------
        data : TrainingData
            Examples of the cell.
        candidate : dict
            Value of each hyper-parameter.
        X_new : ndarray of shape (n_new, n_attributes)
            New examples.
        draws : str, default "all"
            Name of the generator of all random draws.
        """
        grid = Grid.single(candidate)
        [predictions] = self.predictions(data.train, [grid], X_new, data.rng(draws))
        outputs = self.outputs_of(predictions)
        assert outputs is not None
        return outputs


@dataclass(frozen=True)
class Algorithm(Learner):
    """A learner that finds a vote over given voters."""

    hyperparameters: ClassVar[tuple[Hyperparameter, ...]]
    """The hyper-parameters that a grid may name."""
    gives_votes = True

    @property
    def merges_voters(self) -> bool:
        """Whether equal voters may be merged; False if each weight is restricted by itself."""
        return True

    def path(
        self, voters: AnyVoters, y: FloatArray, grid: Grid, samples: FloatArray | None = None
    ) -> FloatArray:
        """Return the weights of every candidate of a grid.

        Parameters
        ----------
        voters : VoterOutputs, or ndarray of shape (n_examples, n_voters)
            Voters on the examples, or their matrix, with values in [-1, 1].
        y : ndarray of shape (n_examples,)
            Labels, -1 or +1.
        grid : Grid
            Values of the hyper-parameters.
        samples : ndarray of shape (n_samples, n_examples) or None, default None
            How often each sample, such as the training part of a fold, contains each example;
            None for a single sample that contains every example once.

        Returns
        -------
        ndarray of shape (n_candidates, n_voters), or (n_samples, n_candidates, n_voters)
            Signed voter weights; NaN if a candidate has no solution. The first shape is for
            `samples` of None.

        Raises
        ------
        ValueError
            If the problem or the grid does not suit the algorithm.
        """
        weights = self.paths(self.reduced(voters, y, samples), [grid])
        return weights[0] if samples is None else weights

    def reduced(
        self, voters: AnyVoters, y: FloatArray, samples: FloatArray | None = None
    ) -> VotingProblem:
        """Return the problem with merged examples and, if allowed, voters; see `path`."""
        return reduce_problem(voters, y, samples, merge_voters=self.merges_voters)

    def paths(self, problem: VotingProblem, grids: Sequence[Grid]) -> FloatArray:
        """Return the weights of all candidates of some grids, in order.

        Parameters
        ----------
        problem : VotingProblem
            Voters, labels and samples, from `reduced`. Gram matrices are computed once for all
            grids.
        grids : sequence of Grid
            Values of the hyper-parameters.

        Returns
        -------
        ndarray of shape (n_samples, n_candidates, n_voters)
            Signed weights of the plain voters; NaN if a candidate has no solution.

        Raises
        ------
        ValueError
            If the problem or a grid does not suit the algorithm.
        """
        for grid in grids:
            self.check(grid)
        weights = [self._paths(problem, grid) for grid in grids]
        return problem.expand(np.concatenate(weights, axis=1))

    def hold_out(self, problem: DrawnProblem, grid: Grid) -> StoppedRuns:
        """Train all candidates over drawn stumps; held-out examples choose the number of rounds.

        Parameters
        ----------
        problem : DrawnProblem
            Training and held-out examples, and the source of stumps.
        grid : Grid
            Values of the hyper-parameters other than the number of rounds.

        Raises
        ------
        ValueError
            If the algorithm needs a voter matrix.
        """
        raise ValueError(f"{type(self).__name__} needs a voter matrix, not drawn stumps")

    def limit(self, problem: VotingProblem) -> str:
        """Return a sentence on the candidates that have a solution, or "" if all have one."""
        return ""

    @abstractmethod
    def _paths(self, problem: VotingProblem, grid: Grid) -> FloatArray:
        """Return weights of shape (n_samples, n_candidates, n_voters) on the reduced problem."""


def positive_votes(H: FloatArray, weights: FloatArray) -> BoolArray:
    """Return a mask of the examples that each vote classifies as positive, by a sum above zero.

    A zero sum is negative (QuadBoost, section 2). A sum of at most `ZERO_VOTE` times the total
    weight counts as zero, so that an even vote does not depend on the rounding of a matrix product.

    Parameters
    ----------
    H : ndarray of shape (n_examples, n_voters)
        Voter matrix.
    weights : ndarray of shape (n_candidates, n_voters)
        One vote per row.

    Returns
    -------
    ndarray of bool of shape (n_examples, n_candidates)
        True for +1.
    """
    return np.asarray(ZERO_VOTE * np.abs(weights).sum(axis=1) < H @ weights.T)
