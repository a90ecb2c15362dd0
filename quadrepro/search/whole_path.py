"""Choosing nothing: the last candidate is taken, and all candidates can be measured."""

from __future__ import annotations

from dataclasses import dataclass

from quadrepro.learners.training import Trainer
from quadrepro.search.choice import Choice


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
        """Take the last candidate, as described in `quadrepro.search.choice.Search`."""
        if not self.measured:
            return Choice(trainer.last())
        path = trainer.path()
        return Choice(path.last, path=path)
