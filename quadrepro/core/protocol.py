"""The protocol of an experiment: how rows are split, examples prepared and candidates chosen."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from fractions import Fraction
from typing import Annotated, Any, Literal, Self

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    field_validator,
    model_validator,
)

from quadrepro.base.models import Model, fault
from quadrepro.core.measures.registry import MEASURES
from quadrepro.data.schema import View

MOST_REPEATS = 100_000
"""A config has at most as many repeats."""

_OUTER = re.compile(r"(?:(?P<times>[1-9]\d{0,5})x)?(?P<folds>[1-9]\d{0,5})")

# Ways to divide rows that leave no share to choose.
_WHOLE = ("outer", "column", "openml_task")


def _times_and_folds(value: Any) -> Any:
    """Return ``10`` as ``1x10``, so that both are the same rule."""
    found = None if isinstance(value, bool) else _OUTER.fullmatch(str(value))
    if found is None or int(found["folds"]) < 2:
        raise ValueError(
            "outer must be a number of folds of 2 or more, such as 10, or how often rows are"
            f" divided into how many, such as 5x2, not {value!r}"
        )
    times, folds = int(found["times"] or 1), int(found["folds"])
    if times * folds > MOST_REPEATS:
        raise ValueError(f"outer makes {times * folds:,} repeats: at most {MOST_REPEATS:,}")
    return f"{times}x{folds}"


class SplitRule(Model):
    """How rows are divided into a training and a test part.

    By default, a share of the rows is drawn for training. At most one of `time`, `outer`, `column`
    and `openml_task` replaces this.
    """

    train: (
        Literal["half", "all"] | Annotated[int, Field(ge=2)] | Annotated[float, Field(gt=0, lt=1)]
    ) = "half"
    """The rows to train on: their number, or a share of all rows between 0 and 1, rounded up to a
    whole row: 0.55 of 100 rows are 55, and of 101 rows 56; with `groups`, the same of groups. With
    "all", all rows are both training and test rows."""
    at_most: int | None = Field(default=500, ge=2)
    """The largest number of training rows if `train` is a share. With `groups`, training rows are
    then left out at random; with `time`, the earliest ones."""
    test: int | None = Field(default=None, ge=1)
    """The number of test rows, drawn from those that are not trained on; by default all of them."""
    stratify: bool = False
    """Whether every part and every fold has the share of each class that all rows have. Where
    groups are drawn for training, only the folds do. Classes with fewer rows than folds are missing
    in some of them."""
    groups: str | None = Field(default=None, min_length=1)
    """The attribute whose values name the groups: no group is in two parts or in two
    folds."""
    time: str | None = Field(default=None, min_length=1)
    """The attribute with numbers or ISO 8601 dates by which rows are sorted. The first repeat
    trains on the earliest rows, a share of `train`; the others are divided into one test part for
    each repeat, which trains on all rows before it."""
    outer: (
        Annotated[str, BeforeValidator(_times_and_folds, json_schema_input_type=int | str)] | None
    ) = None
    """Folds of all rows, each of which is the test part of one repeat: ``10``, or ``5x2`` to divide
    the rows five times into two."""
    column: str | None = Field(default=None, min_length=1)
    """The attribute with ``train``, ``valid`` or ``test`` for each row, or with the number of the
    repeat whose test part it belongs to; rows with a negative number are always trained on."""
    openml_task: int | None = Field(default=None, gt=0, lt=2**31)
    """The number of the OpenML task of which each split is a repeat, fold by fold."""

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        ways = [way for way in ("time", *_WHOLE) if getattr(self, way) is not None]
        if len(ways) > 1:
            raise fault(f"rows are divided either by {ways[0]} or by {ways[1]}: give one", ways[1])
        [way] = ways or [""]
        if self.train == "all" and (way or self.stratify or self.groups):
            name = way or ("stratify" if self.stratify else "groups")
            raise fault(f"train: all divides no rows, so {name} has nothing to do", name)
        if way in _WHOLE and self.train != "half":
            raise fault(f"{way} determines the training rows: leave train out", "train")
        if way in _WHOLE and self.at_most not in (None, 500):
            raise fault(f"{way} determines the training rows: leave at_most out", "at_most")
        self._check_draw(way)
        if way == "time" and self.stratify:
            raise fault("time alone decides which rows are trained on: leave stratify out", "time")
        if way == "time" and self.groups:
            raise fault("time alone decides which rows are trained on: leave groups out", "time")
        return self

    def _check_draw(self, way: str) -> None:
        """Refuse sizes and ways to draw training rows that do not go together."""
        other = way or ("groups" if self.groups else "")
        if type(self.train) is int and self.at_most not in (None, 500):
            raise fault("train is a number of rows: leave at_most out", "at_most")
        if self.test is not None and (other or self.train == "all"):
            raise fault(f"{other or 'train: all'} determines the test rows: leave test out", "test")

    @property
    def columns(self) -> Iterator[tuple[str, str]]:
        """The attributes that divide the rows, each after the key that names it."""
        named = {"groups": self.groups, "time": self.time, "column": self.column}
        return ((key, name) for key, name in named.items() if name is not None)

    def without_columns(self, view: View) -> View:
        """Return a view without the attributes that divide the rows."""
        named = dict.fromkeys(name for _, name in self.columns)
        left_out = tuple(name for name in named if name not in view.exclude)
        return view.model_copy(update={"exclude": (*view.exclude, *left_out)}) if left_out else view

    @property
    def needs_rows(self) -> bool:
        """Whether splits depend on what the rows hold, and not on their number alone."""
        return self.stratify or self.openml_task is not None or any(self.columns)

    @property
    def draws_share(self) -> bool:
        """Whether a share of the rows is trained on, in the order of time or drawn at random."""
        return all(getattr(self, way) is None for way in _WHOLE)

    @property
    def outer_folds(self) -> int:
        """The number of folds that `outer` divides all rows into; 0 without."""
        return int(self.outer.partition("x")[2]) if self.outer else 0

    @property
    def repeats(self) -> int | None:
        """The number of repeats that `outer` makes; None without."""
        return math.prod(map(int, self.outer.split("x"))) if self.outer else None

    @property
    def giver(self) -> str:
        """What gives the parts: an attribute or an OpenML task; empty if none."""
        if self.column is not None:
            return f"attribute {self.column}"
        return f"OpenML task {self.openml_task}" if self.openml_task is not None else ""

    @property
    def most(self) -> int | None:
        """The largest number of training rows, or None."""
        return self.at_most if self.train == "half" or isinstance(self.train, float) else None

    @property
    def share(self) -> Fraction:
        """The share of the rows or groups to train on, exactly as it is written."""
        return Fraction("1/2" if self.train == "half" else str(self.train))

    def first_share(self, n_rows: int) -> int:
        """Return how many rows or groups `train` means, without regard to `at_most`."""
        return self.train if isinstance(self.train, int) else math.ceil(self.share * n_rows)

    def training_size(self, n_rows: int) -> int:
        """Return the number of training rows where a share of them is drawn.

        By default, this is min(500, ⌈N/2⌉), the rule of the QuadBoost paper.
        """
        if self.train == "all":
            return n_rows
        first = self.first_share(n_rows)
        return first if self.most is None else min(self.most, first)

    def content(self) -> dict[str, Any]:
        """Return the fields that splits depend on, as plain data."""
        # What is not set is left out, so a new field does not change the keys of records.
        fields = self.model_dump(exclude_none=True)
        if not self.stratify:
            del fields["stratify"]
        if self.most is None:
            fields.pop("at_most", None)
        if not self.draws_share:
            del fields["train"]
            fields.pop("at_most", None)
        return fields


def _known_measures(measures: tuple[str, ...]) -> tuple[str, ...]:
    for name in measures:
        try:
            MEASURES.find(name)
        except KeyError as error:
            raise ValueError(error.args[0]) from None
    return measures


Measures = Annotated[tuple[str, ...], AfterValidator(_known_measures)]
"""Names of measures, see `quadrepro.core.measures.measure`."""


class Noise(Model):
    """Normal noise on every attribute, or labels that are changed."""

    deviation: float = Field(default=0.0, ge=0, le=1e9)
    """Standard deviation of the noise, as a share of the attribute's range."""
    contrast: float = Field(default=1.0, gt=0, le=1)
    """The share of its range that an attribute is narrowed to before noise is added."""
    labels: float = Field(default=0.0, ge=0, lt=1)
    """The share of rows, drawn at random, whose label becomes another class; all others are as
    likely."""
    labels_of: Literal["train", "all"] = "train"
    """Whether labels are changed among training and validation rows, or among all rows."""

    @model_validator(mode="after")
    def _names_something(self) -> Self:
        if not self.model_fields_set & {"deviation", "labels"}:
            raise ValueError("noise must name deviation or labels")
        return self

    @property
    def of_attributes(self) -> dict[str, float]:
        """What changes attributes; empty if nothing does."""
        changed = self.deviation or self.contrast < 1
        return {"deviation": self.deviation, "contrast": self.contrast} if changed else {}


class Sample(Model):
    """The sizes of a fresh sample, which the rule of a data set draws for every split."""

    train: int = Field(ge=2, le=1_000_000)
    """Number of rows in the training and the test part."""
    valid: int = Field(default=0, ge=0, le=1_000_000)
    """Number of rows in the validation part."""
    test: int = Field(ge=2, le=1_000_000)
    """Number of rows in the training and the test part."""
    for_each: Literal["data set", "row"] = "data set"
    """Whether rows of the table with the same data set share the random numbers of their samples,
    so that they can be compared, or every row has its own, so that no luck is common to them."""

    @property
    def sizes(self) -> tuple[int, int, int]:
        """The sizes of the training, validation and test part."""
        return self.train, self.valid, self.test


class HoldoutStumps(Model):
    """Random decision stumps, see `quadrepro.core.voters.random_stumps.RandomStumps`."""

    per_round: int = Field(default=500, ge=1, le=100_000)
    """The number of stumps to choose from in each round."""
    redraw: bool = True
    """Whether stumps are drawn again for each round. A round whose stumps have no edge then adds
    nothing; otherwise it ends the run."""
    thresholds: Literal["uniform", "data", "deviation"] = "uniform"
    """Whether a threshold is uniform between the minimum and the maximum of the attribute, the
    value of a random training example, or uniform within `deviations` standard deviations of the
    mean of the attribute."""
    deviations: float = Field(default=1.0, gt=0, allow_inf_nan=False)
    """The largest distance from the mean, in standard deviations."""
    polarity: Literal["both", "random"] = "both"
    """Whether both directions of a stump are candidates, or one of them at random."""


class Holdout(Model):
    """A choice by validation error on half of the rows that are not trained on.

    The attributes apply to algorithms that boost random stumps, for which the validation error
    also chooses the number of rounds. Other algorithms choose from their grids.
    """

    patience: int = Field(default=50, ge=1)
    """A run stops after this number of rounds without fewer validation errors."""
    lag: int | None = Field(default=None, ge=1)
    """If given, it replaces `patience`: a run stops when it has at least as many validation errors
    as `lag` rounds before."""
    take: Literal["best", "last"] = "best"
    """Whether to take the first round with the fewest validation errors, or the last round."""
    max_rounds: int = Field(default=10_000, ge=1)
    """The largest number of rounds."""
    by: Literal["validation", "test"] = "validation"
    """The examples whose errors choose. With "test" the errors that a table shows are those that
    were made least: what a choice could reach at best, never an estimate. Tables say so."""
    stumps: HoldoutStumps = HoldoutStumps()
    """The weak learners."""


class Protocol(Model):
    """How every data set is prepared, and how candidates are chosen."""

    view: str
    """The view of the cards."""
    split: SplitRule = SplitRule()
    """How rows are divided into a training and a test part."""
    sample: Sample | None = None
    """The sizes of a fresh sample to draw for every split. If None, the rows of the card are split.
    """
    normalise: Literal["tanh", "none"] = "tanh"
    """Whether attributes become tanh((x - mean)/std) with the numbers of the training part, or stay
    as they are once missing values are filled."""
    stumps_per_attribute: int = Field(default=10, ge=1, le=1000)
    """The number of thresholds per attribute."""
    voter_set: str | dict[str, dict[str, Any]] | None = None
    """What algorithms vote with instead of stumps: the outputs, between -1 and 1, of a transformer.
    It is given by its import path, such as ``my_module:Mine``, or by a mapping of that to
    parameters, and fitted again for every fold."""
    inputs: Literal["attributes", "voters"] = "attributes"
    """What learners that make their own base learners are given: the attributes, or the outputs of
    the voters that the others vote with."""
    voters: int | None = Field(default=None, ge=1)
    """The number of voters to take, at random among those that are not constant on the training
    part. If None, all are taken."""
    folds: Annotated[int, Field(ge=0)] = 5
    """The number of folds for cross-validation. With 0, nothing is chosen, and the last candidate
    is taken."""
    holdout: Holdout | None = None
    """Choose by validation error instead of cross-validation, with random stumps for algorithms
    that need voters."""
    noise: Noise | None = None
    """Noise to add to the attributes before anything else."""
    measures: Measures = ()
    """What is measured of every candidate if nothing is chosen, see
    `quadrepro.core.measures.measure`."""

    @field_validator("folds")
    @classmethod
    def _enough_folds(cls, folds: int) -> int:
        if folds == 1:
            raise ValueError("one fold leaves nothing to train on: give 2 or more, or 0")
        return folds

    @model_validator(mode="after")
    def _room_for_voters(self) -> Self:
        if self.voter_set is None:
            return self
        if self.holdout is not None:
            raise fault("a hold-out draws its own stumps: leave voter_set out", "voter_set")
        if "stumps_per_attribute" in self.model_fields_set:
            raise fault("voter_set replaces stumps: leave it out", "stumps_per_attribute")
        if self.inputs == "voters":
            message = "inputs are the values of stumps: give those of a transformer by a pipeline"
            raise fault(message, "inputs")
        return self

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        chooses = self.folds or self.holdout
        if self.measures and chooses:
            raise ValueError("measures are kept only if nothing is chosen: set folds to 0")
        if self.sample is not None:
            self._check_sample(self.sample)
        if self.inputs == "voters" and (self.holdout is not None or self.voters is not None):
            raise ValueError("inputs can be voters only if all stumps are fixed before training")
        if self.split.train == "all" and chooses:
            raise ValueError("nothing can be chosen if all rows are trained on: set folds to 0")
        ways = [w for w in ("outer", "openml_task", "groups", "time") if getattr(self.split, w)]
        if self.holdout is not None and ways:
            raise fault(f"{ways[0]} does not go with a hold-out: use folds", "holdout")
        return self

    def _check_sample(self, sample: Sample) -> None:
        if (sample.valid > 0) != (self.holdout is not None):
            raise ValueError("sample needs valid rows if there is a holdout, and only then")
        if self.split != SplitRule():
            raise ValueError("a sample has its own parts: leave split out")
        if sample.train < 2 * self.inner_folds:
            message = f"sample has {sample.train} training rows: too few for {self.folds} folds"
            raise ValueError(message)

    @property
    def inner_folds(self) -> int:
        """The number of folds of the training part; 0 with a hold-out."""
        return 0 if self.holdout is not None else self.folds

    @property
    def draws_more(self) -> bool:
        """Whether a cell may have random draws besides its split."""
        drawn = (self.sample, self.noise, self.voters, self.voter_set)
        return any(part is not None for part in drawn)

    def content(self) -> dict[str, Any]:
        """Return the fields that results depend on, other than the view, as plain data."""
        # Fields that are not set are left out, so a new field does not change the keys of records.
        # `for_each` changes the names of the draws, which the keys hold.
        fields = self.model_dump(
            exclude={"view": True, "sample": {"for_each"}}, exclude_none=True, mode="json"
        )
        fields["split"] = self.split.content()
        if self.noise is not None and not self.noise.labels:
            del fields["noise"]["labels"], fields["noise"]["labels_of"]
        if not self.measures:
            del fields["measures"]
        if self.voter_set is not None:
            del fields["stumps_per_attribute"]
        if self.inputs == "attributes":
            del fields["inputs"]
        if self.holdout is not None:
            if self.holdout.by == "validation":
                del fields["holdout"]["by"]
            if self.holdout.lag is not None:
                del fields["holdout"]["patience"]
        return fields
