"""What a config can say of how data are split and prepared, and of what is chosen by."""

from __future__ import annotations

import math
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, Field, field_validator, model_validator

from quadrepro.documents.model import Model
from quadrepro.measures.registry import find_measure


def _known_measures(measures: tuple[str, ...]) -> tuple[str, ...]:
    for name in measures:
        try:
            find_measure(name)
        except KeyError as error:
            raise ValueError(error.args[0]) from None
    return measures


Measures = Annotated[tuple[str, ...], AfterValidator(_known_measures)]
"""Names of measures, see `quadrepro.measures.registry`."""


class SplitRule(Model):
    """How examples are divided.

    Attributes
    ----------
    train : "half", "all" or float
        Share of the rows to train on, rounded up to a whole row. All: the training rows are tested
        on as well.
    at_most : int or None
        Cap on the training part, unless that is all.
    """

    train: Literal["half", "all"] | Annotated[float, Field(gt=0, lt=1)] = "half"
    at_most: int | None = Field(default=500, ge=2)

    def training_size(self, n_rows: int) -> int:
        """Return the number of training rows: for half, QuadBoost's rule min(500, ceil(N/2))."""
        if self.train == "all":
            return n_rows
        share = 0.5 if self.train == "half" else self.train
        return min(self.at_most or n_rows, math.ceil(share * n_rows))


class Noise(Model):
    """Normal noise on every attribute, clipped to the range that it had (CB-Boost, section 5.4).

    Attributes
    ----------
    deviation : float
        Standard deviation, as a share of the attribute's range.
    contrast : float, default 1.0
        The attribute's range is first narrowed to this share of itself, about its middle.
    """

    deviation: float = Field(ge=0, allow_inf_nan=False)
    contrast: float = Field(default=1.0, gt=0, le=1)


class Sample(Model):
    """How many rows of a sample drawn by rule are drawn anew for every split.

    Attributes
    ----------
    train, valid, test : int
        Rows of each part; even numbers where half of them are in each class.
    """

    train: int = Field(ge=2, le=1_000_000)
    valid: int = Field(default=0, ge=0, le=1_000_000)
    test: int = Field(ge=2, le=1_000_000)

    @property
    def sizes(self) -> tuple[int, int, int]:
        """Rows of the three parts."""
        return self.train, self.valid, self.test


class DrawnStumps(Model):
    """Random stumps, see `quadrepro.voters.random_stumps.RandomStumps`."""

    per_round: int = Field(default=500, ge=1, le=100_000)
    redraw: bool = True
    thresholds: Literal["uniform", "data", "deviation"] = "uniform"
    deviations: float = Field(default=1.0, gt=0, allow_inf_nan=False)
    polarity: Literal["both", "random"] = "both"


class Holdout(Model):
    """Half of what is not trained on chooses the rounds and the hyper-parameter.

    All but the choice of rows is for algorithms that boost drawn stumps; the others choose from
    their grids.

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
    sample : Sample, optional
        Draw all parts anew for every split, instead of splitting the card's sample.
    normalise : {"tanh", "none"}
        tanh((x - mean)/std), mean and std of the training part; or missing values are filled and
        no more.
    stumps_per_attribute : int
        Thresholds an attribute.
    voters : int, optional
        Take so many of the stumps, at random among those that are not constant on the training
        part; by default all of them.
    folds : int
        Folds of the cross-validation; 0 to choose nothing, and take the last candidate.
    holdout : Holdout, optional
        Choose on held-out examples instead of by cross-validation, with random stumps where voters
        are needed.
    noise : Noise, optional
        What is added to the attributes before all else.
    measures : tuple of str
        What is kept of every candidate where nothing is chosen; see `quadrepro.measures.registry`.
    """

    view: str
    split: SplitRule = SplitRule()
    sample: Sample | None = None
    normalise: Literal["tanh", "none"] = "tanh"
    stumps_per_attribute: int = Field(default=10, ge=1, le=1000)
    voters: int | None = Field(default=None, ge=1)
    folds: Annotated[int, Field(ge=0)] = 5
    holdout: Holdout | None = None
    noise: Noise | None = None
    measures: Measures = ()

    @field_validator("folds")
    @classmethod
    def _enough_folds(cls, folds: int) -> int:
        if folds == 1:
            raise ValueError("one fold leaves nothing to train on: give 2 or more, or 0")
        return folds

    @model_validator(mode="after")
    def _measures_or_choice(self) -> Self:
        if self.measures and (self.folds or self.holdout):
            raise ValueError("measures are kept where nothing is chosen: set folds to 0")
        return self

    @model_validator(mode="after")
    def _parts_of_a_sample(self) -> Self:
        if self.sample is not None and (self.sample.valid > 0) != (self.holdout is not None):
            raise ValueError("sample needs valid rows with holdout, and has none without")
        if self.sample is not None and self.split != SplitRule():
            raise ValueError("a sample has parts of its own: leave split out")
        if self.sample is not None and self.holdout is None and self.sample.train < 2 * self.folds:
            few = f"sample has {self.sample.train} rows to train on"
            raise ValueError(f"{few}: too few for {self.folds} folds")
        return self

    @model_validator(mode="after")
    def _rows_to_choose_by(self) -> Self:
        if self.split.train == "all" and (self.folds or self.holdout):
            raise ValueError("where all rows are trained on nothing can be chosen: set folds to 0")
        return self

    @property
    def draws_more(self) -> bool:
        """Whether a cell draws more than its split and stumps."""
        return any(part is not None for part in (self.sample, self.noise, self.voters))

    def content(self) -> dict[str, Any]:
        """Return what results depend on beside the view, as plain data."""
        # What is not set is left out, so that a new field changes no record's key.
        fields = self.model_dump(exclude={"view"}, exclude_none=True, mode="json")
        if not self.measures:
            del fields["measures"]
        return fields
