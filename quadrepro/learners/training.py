"""What a learner is trained on, and what a search asks of it.

`Learner.trainer` binds a learner to the examples of one cell. A search sees only the `Trainer`. It
asks for the losses of all candidates and for the one that it chooses, and does not know whether
candidates are votes over voters or predictors on attributes.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from quadrepro._typing import BoolArray, FloatArray, IntArray, Targets, Task
from quadrepro.learners.grid import Grid, Value

if TYPE_CHECKING:
    from quadrepro.learners.algorithm import Algorithm
    from quadrepro.learners.held_out import Validation

Rng = Callable[[str], np.random.Generator]
"""Returns the generator of the draws with a given name."""


class NoSolutionError(ValueError):
    """No candidate has a solution on every fold."""


def trained_on(fold: IntArray, f: int) -> BoolArray:
    """Return which examples a fold is predicted from, shape (n_train,).

    These are those of all other folds, or of the earlier ones if folds are windows of time, before
    which there are examples of none (-1).
    """
    return fold < f if fold.min() < 0 else fold != f


class Part(NamedTuple):
    """Prepared examples: attributes of shape (n_examples, n_attributes) and labels or numbers."""

    X: FloatArray
    y: FloatArray


class Voters(ABC):
    """Where the voters of an algorithm come from."""

    @abstractmethod
    def trainer(self, algorithm: Algorithm, data: TrainingData, grids: Sequence[Grid]) -> Trainer:
        """Return the trainer of an algorithm over these voters.

        Parameters
        ----------
        algorithm : Algorithm
            Finds the votes.
        data : TrainingData
            Prepared examples.
        grids : sequence of Grid
            The candidates, from simple to complex.

        Raises
        ------
        ValueError
            If the data cannot give these voters.
        """

    def matrices(self, train: Part, X_new: FloatArray, rng: Rng) -> tuple[FloatArray, FloatArray]:
        """Return the voter matrices of training and of new examples, if voters are fixed.

        Parameters
        ----------
        train : Part
            Training examples.
        X_new : ndarray of shape (n_new, n_attributes)
            New examples.
        rng : callable
            Returns the generator of the draws with a given name.

        Raises
        ------
        ValueError
            If the data cannot give these voters, or there is no voter matrix.
        """
        raise ValueError(f"{type(self).__name__} are not the same in every round")


@dataclass(frozen=True, eq=False)
class TrainingData:
    """The examples of one cell.

    Attributes
    ----------
    train, test : Part
        Training and test examples.
    valid : Part or None
        Held-out examples to choose a candidate by; None if there are none.
    voters : Voters
        Where an algorithm that needs voters gets them from.
    rng : callable
        Returns the generator of the draws with a given name.
    task : {"classification", "multiclass", "regression"}, default "classification"
        What is predicted: labels -1 and +1, class codes 0 to K - 1, or numbers.
    n_classes : int, default 2
        Number of classes; 0 if numbers are predicted.
    n_codes : tuple of int, default ()
        Of each column the number of codes whose positions it holds, as long as the learner asks for
        `categories`; 0 for numbers.
    """

    train: Part
    test: Part
    valid: Part | None
    voters: Voters
    rng: Rng
    task: Task = "classification"
    n_classes: int = 2
    n_codes: tuple[int, ...] = ()

    def against_rest(self, code: int) -> TrainingData:
        """Return the same examples with one class as +1 and all others as -1."""

        def part(of: Part) -> Part:
            return Part(of.X, np.where(of.y == code, 1.0, -1.0))

        return replace(
            self,
            train=part(self.train),
            test=part(self.test),
            valid=None if self.valid is None else part(self.valid),
            task="classification",
            n_classes=2,
        )


class Outputs(NamedTuple):
    """What a trained candidate says of new examples.

    Attributes
    ----------
    predicted : ndarray of shape (n_new,)
        Class codes, 0 or 1 for two classes, or numbers.
    scores : ndarray of shape (n_new,) or (n_new, n_classes), or None, default None
        Scores: of two classes one, above zero for the second class, of more one a class. None if
        the learner has none.
    probabilities : ndarray of shape (n_new, n_classes) or None, default None
        Probabilities of the classes; None if the learner has none.
    """

    predicted: Targets
    scores: FloatArray | None = None
    probabilities: FloatArray | None = None

    @classmethod
    def by_score(cls, scores: FloatArray, probabilities: FloatArray | None = None) -> Outputs:
        """Return the outputs of a learner that predicts the second class where its score is > 0."""
        return cls((scores > 0).astype(np.intp), scores, probabilities)


@dataclass(frozen=True, eq=False)
class Fitted:
    """A trained candidate and what it says of the test examples.

    Attributes
    ----------
    candidate : dict
        Value of each hyper-parameter.
    outputs : Outputs
        Its outputs on the test examples.
    zero : float, default 0.0
        The size of a score that rounding cannot tell from zero; such scores are 0.
    weights : ndarray of shape (n_voters,) or None, default None
        Voter weights; None if there is no voter matrix.
    margins : ndarray of shape (n_train,) or None, default None
        Margins of the training examples; None if they are not kept.
    """

    candidate: dict[str, Value]
    outputs: Outputs
    zero: float = 0.0
    weights: FloatArray | None = None
    margins: FloatArray | None = None

    @property
    def predicted(self) -> Targets:
        """What is predicted of the test examples, shape (n_test,)."""
        return self.outputs.predicted

    @property
    def scores(self) -> FloatArray | None:
        """Their scores, see `Outputs`."""
        return self.outputs.scores

    @property
    def probabilities(self) -> FloatArray | None:
        """Probabilities of their classes, see `Outputs`."""
        return self.outputs.probabilities


@dataclass(frozen=True, eq=False)
class Losses:
    """The losses of all candidates, and how to train one of them.

    Attributes
    ----------
    values : ndarray of shape (n_candidates,)
        Number of errors, or sum of squared errors; NaN if a candidate has no solution.
    fit : callable
        Returns the candidate with a given index, trained on the whole training part.
    """

    values: FloatArray
    fit: Callable[[int], Fitted]


@dataclass(frozen=True, eq=False)
class Path:
    """All candidates trained on the whole training part.

    Attributes
    ----------
    last : Fitted
        The last candidate.
    scores : callable
        Returns the scores of all candidates on the training and on the test examples, of shapes
        (n_candidates, n_train) and (n_candidates, n_test); NaN if a candidate has no solution.
    H : ndarray of shape (n_train, n_voters) or None, default None
        Voter matrix of the training part; None for a learner without voters.
    weights : ndarray of shape (n_candidates, n_voters) or None, default None
        Voter weights; None for a learner without voters.
    """

    last: Fitted
    scores: Callable[[], tuple[FloatArray, FloatArray]]
    H: FloatArray | None = None
    weights: FloatArray | None = None


@dataclass(frozen=True, eq=False)
class Trainer(ABC):
    """A learner bound to the examples of one cell and to the candidates of its grids.

    Attributes
    ----------
    grids : sequence of Grid
        The candidates, from simple to complex.
    """

    grids: Sequence[Grid]

    @property
    def candidates(self) -> list[dict[str, Value]]:
        """All candidates in order."""
        return [candidate for grid in self.grids for candidate in grid.candidates]

    @property
    @abstractmethod
    def task(self) -> Task:
        """What is predicted."""

    @abstractmethod
    def validate(self, fold: IntArray | None) -> Validation:
        """Train all candidates and score held-out examples.

        Parameters
        ----------
        fold : ndarray of int of shape (n_train,), or None
            Fold of each training example, 0 to k - 1, of which each is held out in turn, see
            `trained_on`; None for the examples that are held out beside the training part.

        Raises
        ------
        NoSolutionError
            If no candidate has a solution on every fold.
        ValueError
            If the learner cannot be validated in this way.
        """

    def cross_validate(self, fold: IntArray) -> Losses:
        """Return the losses of all candidates, summed over the held-out folds; see `validate`."""
        return self.validate(fold).losses(self.task)

    def hold_out(self) -> Losses:
        """Return the losses of all candidates on the held-out examples; see `validate`."""
        return self.validate(None).losses(self.task)

    @abstractmethod
    def path(self) -> Path:
        """Train all candidates on the whole training part.

        Raises
        ------
        NoSolutionError
            If the last candidate has no solution.
        ValueError
            If the learner has no path over its voters.
        """

    def last(self) -> Fitted:
        """Train the last candidate on the whole training part, as `path` does."""
        return self.path().last

    @abstractmethod
    def for_labels(self, data: TrainingData) -> Trainer:
        """Return the trainer on the same examples with other labels."""
