"""What a config can say of how data are split and prepared, and of what is chosen by."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from quadrepro.experiment.model import Model


class SplitRule(Model):
    """How examples are divided: half to train, rounded up, but no more than `at_most`."""

    train: Literal["half"] = "half"
    at_most: int = Field(default=500, ge=2)


class DrawnStumps(Model):
    """Random stumps, see `quadrepro.voters.random_stumps.RandomStumps`."""

    per_round: int = Field(default=500, ge=1, le=100_000)
    redraw: bool = True
    thresholds: Literal["uniform", "data", "deviation"] = "uniform"
    deviations: float = Field(default=1.0, gt=0, allow_inf_nan=False)
    polarity: Literal["both", "random"] = "both"


class Holdout(Model):
    """Half of what is not trained on chooses the rounds and the hyper-parameter.

    Attributes
    ----------
    patience : int
        A run ends where its validation error has not dropped for as many rounds.
    take : {"best", "last"}
        The first round of the fewest validation errors, or the round in which the run ended.
    max_rounds : int
        A run ends here at the latest.
    stumps : DrawnStumps
        The weak learners.
    """

    patience: int = Field(default=50, ge=1)
    take: Literal["best", "last"] = "best"
    max_rounds: int = Field(default=10_000, ge=1)
    stumps: DrawnStumps = DrawnStumps()


class Protocol(Model):
    """What is done to every data set before an algorithm sees it.

    Attributes
    ----------
    view : str
        View of the cards.
    split : SplitRule
        Training and test part.
    normalise : {"tanh", "none"}
        tanh((x - mean)/std), mean and std of the training part; or missing values are filled and
        no more.
    stumps_per_attribute : int
        Thresholds an attribute.
    folds : int
        Folds of the cross-validation.
    holdout : Holdout, optional
        Choose on held-out examples, with random stumps, instead of by cross-validation.
    """

    view: str
    split: SplitRule = SplitRule()
    normalise: Literal["tanh", "none"] = "tanh"
    stumps_per_attribute: int = Field(default=10, ge=1, le=1000)
    folds: int = Field(default=5, ge=2)
    holdout: Holdout | None = None
