"""One class against the rest: a learner of two classes is trained once for every class."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from quadrepro.base.types import FloatArray, IntArray, Need
from quadrepro.core.training.contract import (
    Algorithm,
    Learner,
    Outputs,
    Predictor,
    TrainingData,
)
from quadrepro.core.training.fitted import (
    Fitted,
    FittedDrawnVotes,
    FittedPredictions,
    FittedVotes,
    NoSolutionError,
    Scores,
)
from quadrepro.core.training.grid import Grid
from quadrepro.core.training.voting import DrawnStumps


def fit(learner: Learner, data: TrainingData, grids: Sequence[Grid]) -> Fitted:
    """Train a learner, once for every class if it separates only two."""
    learner = learner.made()
    if learner.against_rest(data.task):
        codes = [int(code) for code in np.unique(data.train.y)]
        each = {code: fit(learner, data.against_rest(code), grids) for code in codes}
        return FittedOneVsRest(data, grids, each)
    if isinstance(learner, Predictor):
        return FittedPredictions(learner, data, grids)
    assert isinstance(learner, Algorithm)
    drawn = isinstance(data.voters, DrawnStumps)
    return (FittedDrawnVotes if drawn else FittedVotes)(learner, data, grids)


class FittedOneVsRest(Fitted):
    """The same candidates, trained once for every class, as +1 against all others.

    The class with the largest score is predicted. If scores tie, up to rounding, the first class
    is predicted. A class without training examples is never predicted.
    """

    def __init__(
        self, data: TrainingData, grids: Sequence[Grid], each: Mapping[int, Fitted]
    ) -> None:
        self.data, self.each = data, [*each.values()]
        self.candidates = [c for grid in grids for c in grid.candidates]
        self._codes = np.array([*each], dtype=np.intp)

    def fold_scores(self, fold: IntArray) -> Iterator[Scores]:
        """Yield the predicted codes of each fold."""
        each = (fitted.fold_scores(fold) for fitted in self.each)
        for parts in zip(*each, strict=True):
            yield self._codes_of(parts)

    def validation_scores(self) -> Iterator[Scores]:
        """Yield the predicted codes of the validation part."""
        each = (fitted.validation_scores() for fitted in self.each)
        for parts in zip(*each, strict=True):
            yield self._codes_of(parts)

    def _codes_of(self, parts: Sequence[Scores]) -> Scores:
        """Return the predicted codes, given the scores of each class against the rest."""
        values = np.array([part.values for part in parts])
        zero = np.max([np.broadcast_to(part.zero, len(values[0])) for part in parts], axis=0)
        is_class = np.array([part.y > 0 for part in parts])
        # A class without training examples gets a code that is never predicted.
        y = np.where(is_class.any(axis=0), self._codes[is_class.argmax(axis=0)], -1)
        predicted = self._codes[first_within(values, zero[:, None])]
        solved = np.ones(len(predicted), dtype=np.bool_)
        for part in parts:
            solved &= part.solved
        return Scores(y.astype(np.float64), predicted.astype(np.float64), solved=solved)

    def outputs(self, i: int) -> Outputs:
        """Return the scores of all classes, and the class of the largest."""
        return self._joined([fitted.outputs(i) for fitted in self.each])

    def fold_outputs(self, fold: IntArray, need: Need) -> Iterator[list[Outputs | None]]:
        """Yield the outputs for each fold, with every class against the rest."""
        each = (fitted.fold_outputs(fold, need) for fitted in self.each)
        for parts in zip(*each, strict=True):
            candidates = zip(*parts, strict=True)
            solved = ([outputs for outputs in one if outputs is not None] for one in candidates)
            yield [self._joined(o) if len(o) == len(parts) else None for o in solved]

    def _joined(self, binary: Sequence[Outputs]) -> Outputs:
        """Return the outputs for all classes, given outputs of each class against the rest."""
        columns = np.array([outputs.scores for outputs in binary])
        predicted = first_within(columns, max(outputs.zero for outputs in binary))
        scores = np.full((columns.shape[1], self.data.n_classes), -np.inf)
        scores[:, self._codes] = columns.T
        return Outputs(self._codes[predicted], scores, self._probabilities(binary))

    def unsolved(self) -> NoSolutionError:
        """Return the error of the first class."""
        return self.each[0].unsolved()

    def _probabilities(self, binary: Sequence[Outputs]) -> FloatArray | None:
        """Return normalised probabilities of each class against the rest, (n_new, n_classes)."""
        columns = [o.probabilities[:, 1] for o in binary if o.probabilities is not None]
        if len(columns) < len(binary):
            return None
        sums = np.zeros((len(columns[0]), self.data.n_classes))
        sums[:, self._codes] = np.column_stack(columns)
        total = sums.sum(axis=1, keepdims=True)
        equal = np.isin(np.arange(self.data.n_classes), self._codes) / len(columns)
        return np.where(total > 0, sums / np.where(total > 0, total, 1.0), equal)


def first_within(scores: FloatArray, zero: FloatArray | float) -> IntArray:
    """Return the index of the first largest score along the first axis, shape (...).

    Parameters
    ----------
    scores : ndarray of shape (n_classes, ...)
        Scores; NaN, the result of an overflow, is below all others.
    zero : ndarray or float
        Scores that differ by at most this are equal.
    """
    ordered = np.where(np.isnan(scores), -np.inf, scores)
    return np.asarray((ordered >= ordered.max(axis=0) - zero).argmax(axis=0))
