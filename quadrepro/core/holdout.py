"""Rule of a hold-out: how random stumps are drawn, and when a run ends."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from quadrepro.base.models import Model


class HoldoutStumps(Model):
    """Random decision stumps, see `quadrepro.core.voters.drawn.RandomStumps`.

    A threshold is uniform between the training minimum and maximum of its attribute, or a random
    training example's value, or uniform within `deviations` standard deviations of the mean. With
    both directions, a round may also pick the complement of a stump; otherwise one of the two
    is drawn. Without `redraw`, all rounds have the stumps of the first.
    """

    per_round: int = Field(500, ge=1, le=100_000)
    """Stumps to choose from in a round."""
    redraw: bool = True
    """Whether stumps are drawn again in each round."""
    thresholds: Literal["uniform", "data", "deviation"] = "uniform"
    """Uniform in the range, an example's value, or near the mean."""
    deviations: float = Field(1.0, gt=0)
    """Standard deviations around the mean."""
    polarity: Literal["both", "random"] = "both"
    """Directions of a stump."""


class Holdout(Model):
    """A choice by the validation error on half of the rows outside the training part.

    Except for `by`, the fields apply only to algorithms that boost random stumps, for which the
    validation error also chooses the number of rounds. Other algorithms choose from their grids.
    """

    patience: int = Field(50, ge=1)
    """Rounds without fewer errors that end a run."""
    lag: int | None = Field(None, ge=1)
    """Instead, end with as many errors as this number of rounds before."""
    take: Literal["best", "last"] = "best"
    """Round of fewest errors, or last."""
    max_rounds: int = Field(10_000, ge=1)
    """Largest number of rounds."""
    by: Literal["validation", "test", "both"] = "validation"
    """Examples whose errors choose; with both, validation chooses the number of rounds and test the
    rest. With test or both, no estimate is left."""
    stumps: HoldoutStumps = HoldoutStumps()
    """Random stumps."""
