"""What candidates make of examples that they were not trained on, and their losses there."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from quadrepro._typing import BoolArray, FloatArray, Task
from quadrepro.learners.training import Fitted, Losses


class Scored(NamedTuple):
    """Held-out examples and the scores of all candidates.

    Attributes
    ----------
    y : ndarray of shape (n_examples,)
        Labels -1 or +1, class codes, or numbers.
    scores : ndarray of shape (n_candidates, n_examples)
        Scores that are above zero for +1, predicted codes, or predicted numbers.
    zero : ndarray of shape (n_candidates,) or float, default 0.0
        The size of a score that rounding cannot tell from zero.
    """

    y: FloatArray
    scores: FloatArray
    zero: FloatArray | float = 0.0


@dataclass(frozen=True, eq=False)
class Validation:
    """All candidates on held-out examples.

    Attributes
    ----------
    parts : iterable of Scored
        The parts of the held-out examples, such as folds, each scored when it is asked for; none
        if there is nothing to choose.
    solved : ndarray of bool of shape (n_candidates,)
        Which candidates have a solution.
    fit : callable
        Returns the candidate with a given index, trained on the whole training part.
    """

    parts: Iterable[Scored]
    solved: BoolArray
    fit: Callable[[int], Fitted]

    def losses(self, task: Task) -> Losses:
        """Return the losses summed over all parts."""
        values = np.zeros(len(self.solved))
        for part in self.parts:
            values += summed_loss(task, *part)
        values[~self.solved] = np.nan
        return Losses(values, self.fit)


def summed_loss(
    task: Task, y: FloatArray, scores: FloatArray, zero: FloatArray | float = 0.0
) -> FloatArray:
    """Return the number of errors, or the sum of squared errors, of each row of scores.

    Parameters
    ----------
    task : {"classification", "multiclass", "regression"}
        What the scores predict.
    y, scores, zero
        As in `Scored`.

    Returns
    -------
    ndarray of shape (n_candidates,)
        The losses; infinite for a regression whose predictions overflowed.
    """
    if task == "classification":
        positive = scores > np.reshape(zero, (-1, 1))
        return np.asarray((positive != (y > 0)).sum(axis=1), dtype=np.float64)
    if task == "multiclass":
        return np.asarray((scores != y).sum(axis=1), dtype=np.float64)
    errors = scores - y
    losses = np.square(errors, out=errors).sum(axis=1)
    return np.where(np.isnan(losses), np.inf, losses)
