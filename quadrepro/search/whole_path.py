"""No choice: the last candidate is taken, and all of them can be measured."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from quadrepro.learners.training import Trainer
from quadrepro.search.choice import Choice


@dataclass(frozen=True)
class WholePath:
    """Take the last candidate.

    Attributes
    ----------
    measured : bool
        Whether all candidates are needed, to be measured.
    """

    measured: bool

    def __call__(self, trainer: Trainer) -> Choice:
        """Take the last candidate, as described in `quadrepro.search.choice.Search`."""
        if not self.measured:
            return Choice(trainer.last(), 0.0, np.empty(0))
        path = trainer.path()
        return Choice(path.last, 0.0, np.empty(0), path)
