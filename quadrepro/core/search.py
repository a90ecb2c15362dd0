"""Choosing a candidate: k-fold search, hold-out, or the whole path without a choice."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from quadrepro.base.types import FloatArray, IntArray
from quadrepro.core.learners.learner import Fitted, Losses, Path, Trainer


@dataclass(frozen=True, eq=False)
class Choice:
    """The chosen candidate, trained on the whole training part.

    Attributes
    ----------
    fitted : Fitted
        The candidate with its scores on the test examples.
    loss : float, default 0.0
        Its loss in the search: the number of errors, or the sum of squared errors of a regression;
        0 if nothing was chosen.
    losses : ndarray of shape (n_candidates,), default empty
        The losses of all candidates, NaN for a candidate without a solution; empty if nothing was
        chosen.
    path : Path or None, default None
        All candidates; None unless they are to be measured.
    """

    fitted: Fitted
    loss: float = 0.0
    losses: FloatArray = field(default_factory=lambda: np.empty(0))
    path: Path | None = None


class Search(Protocol):
    """A way to choose one of the candidates of a learner."""

    def __call__(self, trainer: Trainer) -> Choice:
        """Choose a candidate.

        Parameters
        ----------
        trainer : Trainer
            A learner bound to the examples of one cell.

        Raises
        ------
        NoSolutionError
            If no candidate has a solution.
        ValueError
            If the learner cannot be searched in this way.
        """


def least(losses: Losses) -> Choice:
    """Return the candidate of least loss as the choice; ties go to the first.

    Parameters
    ----------
    losses : Losses
        The losses of all candidates; at least one is not NaN.
    """
    values = losses.values
    # `nanargmin` would take NaN for as good as an infinite loss.
    solved = np.flatnonzero(~np.isnan(values))
    best = int(solved[values[solved].argmin()])
    return Choice(losses.fit(best), float(values[best]), values)


@dataclass(frozen=True)
class HoldOut:
    """Choose the candidate of least loss on the held-out examples; ties go to the first."""

    def __call__(self, trainer: Trainer) -> Choice:
        """Choose a candidate, as described in `quadrepro.core.search.Search`."""
        return least(trainer.hold_out())


@dataclass(frozen=True, eq=False)
class KFold:
    """Choose the candidate of least loss summed over the folds; ties go to the first.

    Attributes
    ----------
    fold : ndarray of shape (n_train,)
        Fold of each training example, 0 to k - 1; see `quadrepro.core.learners.learner.trained_on`.
    """

    fold: IntArray

    def __call__(self, trainer: Trainer) -> Choice:
        """Choose a candidate, as described in `quadrepro.core.search.Search`."""
        return least(trainer.cross_validate(self.fold))


@dataclass(frozen=True)
class WholePath:
    """Take the last candidate.

    Attributes
    ----------
    measured : bool
        Whether to train all candidates, so that they can be measured.
    """

    measured: bool

    def __call__(self, trainer: Trainer) -> Choice:
        """Take the last candidate, as described in `quadrepro.core.search.Search`."""
        if not self.measured:
            return Choice(trainer.last())
        path = trainer.path()
        return Choice(path.last, path=path)
