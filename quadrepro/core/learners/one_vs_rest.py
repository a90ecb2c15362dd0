"""One class against the rest: more classes for learners that separate two."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from quadrepro.base.types import FloatArray, IntArray, Task
from quadrepro.core.learners.grid import Grid, Value
from quadrepro.core.learners.learner import (
    Fitted,
    Learner,
    Outputs,
    Path,
    Scored,
    Trainer,
    TrainingData,
    Validation,
)


def trainer_of(learner: Learner, data: TrainingData, grids: Sequence[Grid]) -> Trainer:
    """Return the trainer that a search sees: the learner's own, or one of a learner per class."""
    own = learner.trainer(data, grids)
    if not learner.against_rest(data.task):
        return own
    seen = [int(code) for code in np.unique(data.train.y)]
    trainers = {code: own.for_labels(data.against_rest(code)) for code in seen}
    return OneVsRest(grids, trainers, data.n_classes)


@dataclass(frozen=True, eq=False)
class OneVsRest(Trainer):
    """Trains the same candidate once for every class, as +1 against all others.

    The class with the largest score is predicted. Scores that differ only by rounding are equal,
    and the first of equal ones counts. A class that the training part lacks is never predicted.
    """

    trainers: Mapping[int, Trainer]
    n_classes: int

    @property
    def task(self) -> Task:
        """More than two classes."""
        return "multiclass"

    def validate(self, fold: IntArray | None) -> Validation:
        """Train all candidates for every class and predict held-out examples."""
        found = [trainer.validate(fold) for trainer in self.trainers.values()]
        solved = np.all([of_class.solved for of_class in found], axis=0)
        return Validation(
            self._parts(found), solved, lambda i: self._fitted([v.fit(i) for v in found])
        )

    def path(self) -> Path:
        """Raise ValueError: what is measured of all candidates is of two classes."""
        raise ValueError("only learners of two classes can be measured")

    def last(self) -> Fitted:
        """Train the last candidate for every class."""
        return self._fitted([trainer.last() for trainer in self.trainers.values()])

    def for_labels(self, data: TrainingData) -> Trainer:
        """Return one trainer per class for other codes of the same examples."""
        trainers = {c: t.for_labels(data.against_rest(c)) for c, t in self.trainers.items()}
        return OneVsRest(self.grids, trainers, self.n_classes)

    @property
    def _codes(self) -> IntArray:
        return np.array([*self.trainers], dtype=np.intp)

    def _parts(self, found: Sequence[Validation]) -> Iterator[Scored]:
        for parts in zip(*(of_class.parts for of_class in found), strict=True):
            scores = np.array([part.scores for part in parts])
            zero = np.max([np.broadcast_to(p.zero, len(scores[0])) for p in parts], axis=0)
            is_class = np.array([part.y > 0 for part in parts])
            # A class that the training part lacks is another one than any that is predicted.
            y = np.where(is_class.any(axis=0), self._codes[is_class.argmax(axis=0)], -1)
            predicted = self._codes[first_of_largest(scores, zero[:, None])]
            yield Scored(y.astype(np.float64), predicted.astype(np.float64))

    def _fitted(self, of_classes: Sequence[Fitted]) -> Fitted:
        columns = np.array([fitted.scores for fitted in of_classes])
        predicted = first_of_largest(columns, max(fitted.zero for fitted in of_classes))
        scores = np.full((columns.shape[1], self.n_classes), -np.inf)
        scores[:, self._codes] = columns.T
        outputs = Outputs(self._codes[predicted], scores, self._probabilities(of_classes))
        return Fitted(common_candidate([fitted.candidate for fitted in of_classes]), outputs)

    def _probabilities(self, of_classes: Sequence[Fitted]) -> FloatArray | None:
        """Return the probability of each class against the rest, divided by their sum."""
        columns = [f.probabilities[:, 1] for f in of_classes if f.probabilities is not None]
        if len(columns) < len(of_classes):
            return None
        found = np.zeros((len(columns[0]), self.n_classes))
        found[:, self._codes] = np.column_stack(columns)
        total = found.sum(axis=1, keepdims=True)
        equal = np.isin(np.arange(self.n_classes), self._codes) / len(columns)
        return np.where(total > 0, found / np.where(total > 0, total, 1.0), equal)


def first_of_largest(scores: FloatArray, zero: FloatArray | float) -> IntArray:
    """Return the place of the first score along the first axis that is as large as any.

    Parameters
    ----------
    scores : ndarray of shape (n_classes, ...)
        Scores; NaN, which an overflow leaves, is below all others.
    zero : ndarray or float
        Scores that differ by no more are equal.
    """
    known = np.where(np.isnan(scores), -np.inf, scores)
    return np.asarray((known >= known.max(axis=0) - zero).argmax(axis=0))


def common_candidate(of_classes: Sequence[dict[str, Value]]) -> dict[str, Value]:
    """Return the candidate of all classes; values that differ, such as rounds, as a list in text.

    Examples
    --------
    >>> common_candidate([{"lam": 0.1, "n_rounds": 5}, {"lam": 0.1, "n_rounds": 9}])
    {'lam': 0.1, 'n_rounds': '5, 9'}
    """
    found: dict[str, Value] = {}
    for name, value in of_classes[0].items():
        values = [candidate[name] for candidate in of_classes]
        same = all(other == value for other in values)
        found[name] = value if same else ", ".join(map(str, values))
    return found
