"""What every search is, and what it returns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from quadrepro._typing import FloatArray
from quadrepro.learners.training import Fitted, Losses, Path, Trainer


@dataclass(frozen=True, eq=False)
class Choice:
    """The chosen candidate, trained on the whole training part.

    Attributes
    ----------
    fitted : Fitted
        The candidate with its scores on the test examples.
    loss : float
        The loss it was chosen by: errors, or the sum of squared errors of a regression; 0 if
        nothing was chosen.
    losses : ndarray of shape (n_candidates,)
        The losses of all candidates, NaN if one has no solution; empty if nothing was chosen.
    path : Path or None, default None
        All candidates, if they are to be measured.
    """

    fitted: Fitted
    loss: float
    losses: FloatArray
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
    """Return the choice of the candidate of least loss; ties go to the first.

    Parameters
    ----------
    losses : Losses
        The losses of all candidates; at least one is not NaN.
    """
    best = int(np.nanargmin(losses.values))
    return Choice(losses.fit(best), float(losses.values[best]), losses.values)
