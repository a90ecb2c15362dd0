"""Choosing by k-fold cross-validation."""

from __future__ import annotations

from dataclasses import dataclass

from quadrepro._typing import IntArray
from quadrepro.learners.training import Trainer
from quadrepro.search.choice import Choice, least


@dataclass(frozen=True, eq=False)
class KFold:
    """Choose the candidate of least loss summed over the folds; ties go to the first.

    Attributes
    ----------
    fold : ndarray of shape (n_train,)
        Fold of each training example, 0 to k - 1; see `quadrepro.learners.training.trained_on`.
    """

    fold: IntArray

    def __call__(self, trainer: Trainer) -> Choice:
        """Choose a candidate, as described in `quadrepro.search.choice.Search`."""
        return least(trainer.cross_validate(self.fold))
