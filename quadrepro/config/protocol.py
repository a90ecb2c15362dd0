"""The protocol of a config: how data are split and prepared, and how candidates are chosen."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, Field, field_validator, model_validator

from quadrepro.config.split_rule import SplitRule
from quadrepro.documents.model import Model, fault
from quadrepro.errors import nearest
from quadrepro.measures.registry import find_measure
from quadrepro.voters.registry import find_voter_set


def _known_measures(measures: tuple[str, ...]) -> tuple[str, ...]:
    for name in measures:
        try:
            find_measure(name)
        except KeyError as error:
            raise ValueError(error.args[0]) from None
    return measures


Measures = Annotated[tuple[str, ...], AfterValidator(_known_measures)]
"""Names of measures, see `quadrepro.measures.registry`."""


STUMPS = "stumps"
"""The voter set of the papers, whose size is `stumps_per_attribute`."""


class Noise(Model):
    """Normal noise on every attribute, see `quadrepro.data.noise.add_noise`.

    Attributes
    ----------
    deviation : float
        Standard deviation of the noise, as a share of the attribute's range.
    contrast : float, default 1.0
        The share of its range that an attribute is narrowed to before noise is added.
    """

    deviation: float = Field(ge=0, le=1e9)
    contrast: float = Field(default=1.0, gt=0, le=1)


class Sample(Model):
    """The sizes of a fresh sample, which the rule of a data set draws for every split.

    Attributes
    ----------
    train, test : int
        Number of rows in the training and the test part.
    valid : int, default 0
        Number of rows in the validation part.
    for_each : {"data set", "row"}, default "data set"
        Whether rows of the table with the same data set share the random numbers of their samples,
        so that they can be compared, or every row has its own, so that no luck is common to them.
    """

    train: int = Field(ge=2, le=1_000_000)
    valid: int = Field(default=0, ge=0, le=1_000_000)
    test: int = Field(ge=2, le=1_000_000)
    for_each: Literal["data set", "row"] = "data set"

    @property
    def sizes(self) -> tuple[int, int, int]:
        """The sizes of the training, validation and test part."""
        return self.train, self.valid, self.test


class DrawnStumps(Model):
    """Random decision stumps, see `quadrepro.voters.random_stumps.RandomStumps`.

    Attributes
    ----------
    per_round : int, default 500
        The number of stumps to choose from in each round.
    redraw : bool, default True
        Whether stumps are drawn again for each round.
    thresholds : {"uniform", "data", "deviation"}, default "uniform"
        Whether a threshold is uniform between the minimum and the maximum of the attribute, the
        value of a random training example, or uniform within `deviations` standard deviations of
        the mean of the attribute.
    deviations : float, default 1.0
        The largest distance from the mean, in standard deviations.
    polarity : {"both", "random"}, default "both"
        Whether both directions of a stump are candidates, or one of them at random.
    """

    per_round: int = Field(default=500, ge=1, le=100_000)
    redraw: bool = True
    thresholds: Literal["uniform", "data", "deviation"] = "uniform"
    deviations: float = Field(default=1.0, gt=0, allow_inf_nan=False)
    polarity: Literal["both", "random"] = "both"


class Holdout(Model):
    """A choice by validation error on half of the rows that are not trained on.

    The attributes apply to algorithms that boost random stumps, for which the validation error
    also chooses the number of rounds. Other algorithms choose from their grids.

    Attributes
    ----------
    patience : int, default 50
        A run stops after this number of rounds without fewer validation errors.
    lag : int or None, default None
        If given, it replaces `patience`: a run stops when it has at least as many validation errors
        as `lag` rounds before.
    take : {"best", "last"}, default "best"
        Whether to take the first round with the fewest validation errors, or the last round.
    max_rounds : int, default 10 000
        The largest number of rounds.
    by : {"validation", "test"}, default "validation"
        The examples whose errors choose. With "test" the errors that a table shows are those that
        were made least: what a choice could reach at best, never an estimate. Tables say so.
    stumps : DrawnStumps
        The weak learners.
    """

    patience: int = Field(default=50, ge=1)
    lag: int | None = Field(default=None, ge=1)
    take: Literal["best", "last"] = "best"
    max_rounds: int = Field(default=10_000, ge=1)
    by: Literal["validation", "test"] = "validation"
    stumps: DrawnStumps = DrawnStumps()


class Protocol(Model):
    """How every data set is prepared, and how candidates are chosen.

    Attributes
    ----------
    view : str
        The view of the cards.
    split : SplitRule
        How rows are divided into a training and a test part.
    sample : Sample or None, default None
        The sizes of a fresh sample to draw for every split. If None, the rows of the card are
        split.
    normalise : {"tanh", "none"}, default "tanh"
        Whether attributes become tanh((x - mean)/std), with mean and std of the training part, or
        stay as they are once missing values are filled.
    stumps_per_attribute : int, default 10
        The number of thresholds per attribute.
    voter_set : str or dict, default "stumps"
        What algorithms vote with: the name of a voter set, or a mapping of the name to parameters
        of its class, such as ``trees: {depth: 3}``. A voter set that learns from labels is fitted
        again for every fold.
    inputs : {"attributes", "voters"}, default "attributes"
        What learners that make their own base learners are given: the attributes, or the outputs of
        the voters that the others vote with.
    voters : int or None, default None
        The number of voters to take, at random among those that are not constant on the training
        part. If None, all are taken.
    folds : int, default 5
        The number of folds for cross-validation. With 0, nothing is chosen, and the last candidate
        is taken.
    holdout : Holdout or None, default None
        Choose by validation error instead of cross-validation, with random stumps for algorithms
        that need voters.
    noise : Noise or None, default None
        Noise to add to the attributes before anything else.
    measures : tuple of str, default ()
        What is measured of every candidate if nothing is chosen, see
        `quadrepro.measures.registry`.
    """

    view: str
    split: SplitRule = SplitRule()
    sample: Sample | None = None
    normalise: Literal["tanh", "none"] = "tanh"
    stumps_per_attribute: int = Field(default=10, ge=1, le=1000)
    voter_set: str | dict[str, dict[str, Any]] = STUMPS
    inputs: Literal["attributes", "voters"] = "attributes"
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

    @field_validator("voter_set")
    @classmethod
    def _known_voters(
        cls, chosen: str | dict[str, dict[str, Any]]
    ) -> str | dict[str, dict[str, Any]]:
        if isinstance(chosen, dict) and len(chosen) != 1:
            raise ValueError("give one voter set, as NAME or NAME: {PARAMETER: VALUE}")
        name, parameters = _named(chosen)
        try:
            entry = find_voter_set(name)
        except KeyError as error:
            raise fault(error.args[0], *([name] if isinstance(chosen, dict) else [])) from None
        known = entry.parameters if parameters else {}
        for key in parameters:
            if key not in known:
                hint = nearest(key, known)
                raise fault(f"voter set {name} has no parameter {key!r}{hint}", name, key)
        return chosen if parameters else name

    @model_validator(mode="after")
    def _room_for_voters(self) -> Self:
        name = self.named_voters[0]
        if not name:
            return self
        if self.holdout is not None:
            raise fault("a hold-out draws its own stumps: leave voter_set out", "voter_set")
        if "stumps_per_attribute" in self.model_fields_set:
            message = f"voter set {name} has its own number of voters: leave it out"
            raise fault(message, "stumps_per_attribute")
        if self.inputs == "voters" and find_voter_set(name).needs_labels:
            message = f"{name} learn from labels, of which inputs must know nothing: give others"
            raise fault(message, "voter_set")
        return self

    @model_validator(mode="after")
    def _measures_or_choice(self) -> Self:
        if self.measures and (self.folds or self.holdout):
            raise ValueError("measures are kept only if nothing is chosen: set folds to 0")
        return self

    @model_validator(mode="after")
    def _parts_of_a_sample(self) -> Self:
        if self.sample is not None and (self.sample.valid > 0) != (self.holdout is not None):
            raise ValueError("sample needs valid rows if there is a holdout, and only then")
        if self.sample is not None and self.split != SplitRule():
            raise ValueError("a sample has its own parts: leave split out")
        if self.sample is not None and self.holdout is None and self.sample.train < 2 * self.folds:
            n_train = self.sample.train
            raise ValueError(f"sample has {n_train} training rows: too few for {self.folds} folds")
        return self

    @model_validator(mode="after")
    def _voters_to_give(self) -> Self:
        if self.inputs == "voters" and (self.holdout is not None or self.voters is not None):
            raise ValueError("inputs can be voters only if all stumps are fixed before training")
        return self

    @model_validator(mode="after")
    def _rows_to_choose_by(self) -> Self:
        if self.split.train == "all" and (self.folds or self.holdout):
            raise ValueError("nothing can be chosen if all rows are trained on: set folds to 0")
        return self

    @model_validator(mode="after")
    def _rows_to_hold_out(self) -> Self:
        ways = [w for w in ("outer", "leave_out", "openml_task") if getattr(self.split, w)]
        if self.holdout is not None and ways:
            [way] = ways
            raise fault(f"{way} tests every row, so none can be held out: use folds", "holdout")
        return self

    @property
    def named_voters(self) -> tuple[str, dict[str, Any]]:
        """Name and parameters of the voter set; no name for as many stumps as the protocol says."""
        return ("", {}) if self.voter_set == STUMPS else _named(self.voter_set)

    @property
    def draws_more(self) -> bool:
        """Whether a cell may have random draws besides its split."""
        drawn = any(part is not None for part in (self.sample, self.noise, self.voters))
        return drawn or self.voter_set != STUMPS

    def content(self) -> dict[str, Any]:
        """Return the fields that results depend on, other than the view, as plain data."""
        # Fields that are not set are left out, so a new field does not change the keys of records.
        # `for_each` changes the names of the draws, which the keys hold.
        fields = self.model_dump(
            exclude={"view": True, "sample": {"for_each"}}, exclude_none=True, mode="json"
        )
        fields["split"] = self.split.content()
        if not self.measures:
            del fields["measures"]
        if self.voter_set == STUMPS:
            del fields["voter_set"]
        else:
            del fields["stumps_per_attribute"]
        if self.inputs == "attributes":
            del fields["inputs"]
        if self.holdout is not None:
            if self.holdout.by == "validation":
                del fields["holdout"]["by"]
            if self.holdout.lag is not None:
                del fields["holdout"]["patience"]
        return fields


def _named(chosen: str | dict[str, dict[str, Any]]) -> tuple[str, dict[str, Any]]:
    """Return name and parameters of a voter set."""
    return (chosen, {}) if isinstance(chosen, str) else next(iter(chosen.items()))
