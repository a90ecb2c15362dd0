"""Choosing by the loss on held-out examples."""

from __future__ import annotations

from dataclasses import dataclass

from quadrepro.learners.training import Trainer
from quadrepro.search.choice import Choice, least


@dataclass(frozen=True)
class HoldOut:
    """Choose the candidate of least loss on the held-out examples; ties go to the first."""

    def __call__(self, trainer: Trainer) -> Choice:
        """Choose a candidate, as described in `quadrepro.search.choice.Search`."""
        return least(trainer.hold_out())
