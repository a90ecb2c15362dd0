"""The protocol of an experiment: how rows are split, examples prepared and candidates chosen."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Mapping
from fractions import Fraction
from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, ConfigDict, Field, model_validator

from quadrepro.base.models import Model, fault, known_by
from quadrepro.core.holdout import Holdout
from quadrepro.core.measures.names import MEASURES, find_metric
from quadrepro.data.schema import View


def _times_and_folds(value: Any) -> str:
    """Return ``10`` as ``1x10``, so that the two are the same rule."""
    match = re.fullmatch(r"(?:([1-9]\d{0,5})x)?([1-9]\d{0,5})", str(value))
    if match is None or match[2] == "1":
        raise ValueError(
            "outer must be a number of folds of at least 2, such as 10, or repeats x folds, such as"
            f" 5x2, not {value!r}"
        )
    return f"{match[1] or 1}x{match[2]}"


def _none_required(schema: dict[str, Any]) -> None:
    """Make all keys of a JSON schema optional, since rows of a config may change any of them."""
    schema.pop("required", None)


def _changed(model: Model) -> set[str]:
    """Return the fields that are neither at their default nor null."""
    return {*model.model_dump(exclude_defaults=True, exclude_none=True)}


def _refuse_pairs(keys: Collection[str], conflicts: Mapping[str, tuple[str, ...]]) -> None:
    """Refuse two fields that cannot be combined."""
    for key, others in conflicts.items():
        for other in others:
            if key in keys and other in keys:
                message = f"{other} cannot be combined with {key}: leave one of them out"
                raise fault(message, *other.split("."))


Train = Literal["half", "all"] | Annotated[int, Field(ge=2)] | Annotated[float, Field(gt=0, lt=1)]
Outer = Annotated[str, BeforeValidator(_times_and_folds, json_schema_input_type=int | str)]
AttributeName = Annotated[str, Field(min_length=1)]


EQUAL = "="
"""Name of the groups of equal rows, for views that do not divide them."""


class SplitRule(Model):
    """Rule that divides rows into a training and a test part.

    By default, a share of the rows is drawn for training. At most one of `time`, `outer`, `column`
    and `openml_task` replaces this.
    """

    train: Train = "half"
    """Training rows: their number or share."""
    at_most: int | None = Field(500, ge=2)
    """Largest number of a share's rows."""
    test: int | None = Field(None, ge=1)
    """Test rows; by default all others."""
    stratify: bool = False
    """Give parts and folds the same share of each class."""
    groups: AttributeName | None = None
    """Attribute of groups that are not divided."""
    time: AttributeName | None = None
    """Attribute of numbers or dates to sort by."""
    outer: Outer | None = None
    """Folds of all rows to test by: 10, or 5x2."""
    column: AttributeName | None = None
    """Attribute that names parts or test repeats."""
    openml_task: int | None = Field(None, gt=0, lt=2**31)
    """OpenML task whose splits are the repeats."""

    @model_validator(mode="after")
    def _all_have_an_effect(self) -> Self:
        kind = "a number for train" if isinstance(self.train, int) else f"train: {self.train}"
        sizes = ("train", "at_most", "test")
        conflicts = {
            "train: all": (
                *("time", "outer", "column", "openml_task"),
                *("stratify", "groups", "at_most", "test"),
            ),
            "a number for train": ("at_most", "groups"),
            "time": ("outer", "column", "openml_task", "stratify", "groups", "test"),
            "outer": ("column", "openml_task", *sizes),
            "column": ("openml_task", *sizes),
            "openml_task": sizes,
            "groups": ("test",),
        }
        _refuse_pairs({*_changed(self), kind}, conflicts)
        return self

    @property
    def columns(self) -> dict[str, str]:
        """The attributes that divide the rows, by the field that names them."""
        named = {"groups": self.groups, "time": self.time, "column": self.column}
        return {key: name for key, name in named.items() if name not in (None, EQUAL)}

    def with_equal_rows(self) -> Self:
        """Return the rule that does not divide equal rows, or raise ValueError."""
        others = {
            "groups": self.groups,
            "time": self.time,
            "test": self.test,
            "train: all": self.train == "all",
            "a number for train": isinstance(self.train, int),
        }
        for key in filter(others.get, others):
            raise ValueError(f"duplicates: one-side of a view cannot be combined with {key}")
        return self.model_copy(update={"groups": EQUAL})

    def without_columns(self, view: View) -> View:
        """Return a view without the attributes that divide the rows."""
        exclude = dict.fromkeys((*view.exclude, *self.columns.values()))
        return view.model_copy(update={"exclude": (*exclude,)})

    @property
    def needs_rows(self) -> bool:
        """Whether splits depend on the values of the rows, and not on their number alone."""
        return self.stratify or self.openml_task is not None or bool(self.groups or self.columns)

    @property
    def draws_share(self) -> bool:
        """Whether a share of the rows is trained on, in the order of time or drawn at random."""
        return self.outer is None and self.column is None and self.openml_task is None

    @property
    def draws_more(self) -> bool:
        """Whether there can be any number of splits, since they are drawn at random."""
        return self.outer is not None or (self.draws_share and self.time is None)

    @property
    def outer_folds(self) -> int:
        """The number of folds that `outer` divides all rows into; 0 without."""
        return int(self.outer.partition("x")[2]) if self.outer else 0

    @property
    def repeats(self) -> int | None:
        """The number of repeats that `outer` makes; None without."""
        return math.prod(map(int, self.outer.split("x"))) if self.outer else None

    @property
    def most(self) -> int | None:
        """The largest number of training rows, or None."""
        return self.at_most if self.train == "half" or isinstance(self.train, float) else None

    @property
    def share(self) -> Fraction:
        """The share of training rows or groups, as the exact fraction in the config."""
        return Fraction("1/2" if self.train == "half" else str(self.train))

    def first_share(self, n_rows: int) -> int:
        """Return the number of training rows or groups, without the limit `at_most`."""
        return self.train if isinstance(self.train, int) else math.ceil(self.share * n_rows)

    def training_size(self, n_rows: int) -> int:
        """Return the number of training rows where a share of them is drawn.

        By default, this is min(500, ⌈N/2⌉), the rule of the QuadBoost paper.
        """
        if self.train == "all":
            return n_rows
        return min(self.first_share(n_rows), self.most or n_rows)


Measures = tuple[Annotated[str, known_by(MEASURES.find)], ...]
"""Names of measures, see `quadrepro.core.measures.measure`."""


class Noise(Model):
    """Normal noise on every attribute, or labels that are changed."""

    deviation: float = Field(0.0, ge=0, le=1e9)
    """Standard deviation, as a share of the attribute's range."""
    contrast: float = Field(1.0, gt=0, le=1)
    """Share of the range to narrow it to first."""
    labels: float = Field(0.0, ge=0, lt=1)
    """Share of rows with another class."""

    @property
    def attribute_changes(self) -> dict[str, float]:
        """Arguments of `add_noise`; empty if attributes do not change."""
        changed = self.deviation or self.contrast < 1
        return {"deviation": self.deviation, "contrast": self.contrast} if changed else {}


class Sample(Model):
    """The sizes of a fresh sample, which the rule of a data set draws for every split."""

    model_config = ConfigDict(json_schema_extra=_none_required)

    train: int = Field(ge=2, le=1_000_000)
    """Number of training rows."""
    valid: int = Field(0, ge=0, le=1_000_000)
    """Number of validation rows."""
    test: int = Field(ge=2, le=1_000_000)
    """Number of test rows."""
    for_each: Literal["data set", "row"] = "data set"
    """Whether rows of one data set share their random numbers."""


class Protocol(Model):
    """How every data set is prepared, and how candidates are chosen."""

    model_config = ConfigDict(json_schema_extra=_none_required)

    view: str
    """View of the cards."""
    split: SplitRule = SplitRule()
    """Training and test rows."""
    sample: Sample | None = None
    """Fresh samples in place of the card's rows."""
    normalise: Literal["tanh", "none"] = "tanh"
    """Turn attributes into tanh((x - mean) / std) of the training part."""
    stumps_per_attribute: int = Field(10, ge=1, le=1000)
    """Thresholds per attribute."""
    voter_set: str | dict[str, dict[str, Any]] | None = None
    """Transformer to vote over instead of stumps, or {its path: parameters}."""
    inputs: Literal["attributes", "voters"] = "attributes"
    """Inputs of learners without voters."""
    voters: int | None = Field(None, ge=1)
    """Voters to draw; by default all are taken."""
    folds: Annotated[int, Field(ge=0)] = 5
    """Folds of the cross-validation that chooses; 0 takes the last candidate."""
    choose_by: Annotated[str, known_by(find_metric)] = "error"
    """Metric that folds choose by; by default the errors."""
    holdout: Holdout | None = None
    """Choose by held-out examples instead."""
    noise: Noise | None = None
    """Noise that is added before anything else."""
    measures: Measures = ()
    """Measures of every candidate, with folds: 0."""

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        conflicts = {
            "voter_set": ("holdout", "stumps_per_attribute", "inputs"),
            "inputs": ("holdout", "voters"),
            "measures": ("holdout",),
            "choose_by": ("holdout",),
            "sample": ("split",),
            "holdout": (
                *("voters", "stumps_per_attribute"),
                *("split.outer", "split.openml_task", "split.groups", "split.time"),
            ),
        }
        _refuse_pairs(_changed(self) | {f"split.{key}" for key in _changed(self.split)}, conflicts)
        if self.folds == 1:
            raise fault("one fold leaves nothing to train on: give 2 or more, or 0", "folds")
        if self.measures and self.folds:
            raise ValueError("measures are kept only if nothing is chosen: set folds to 0")
        if self.choose_by != "error" and not self.folds:
            raise fault("nothing is chosen with folds: 0", "choose_by")
        if self.split.train == "all" and (self.folds or self.holdout is not None):
            raise ValueError("nothing can be chosen if all rows are trained on: set folds to 0")
        if self.sample is not None and bool(self.sample.valid) != (self.holdout is not None):
            raise ValueError("sample needs valid rows if there is a holdout, and only then")
        if self.sample is not None and self.sample.train < self.inner_folds:
            raise ValueError(
                f"{self.sample.train} training rows are too few for {self.folds} folds"
            )
        return self

    def without_voters(self) -> Self:
        """Return the protocol for a learner on attributes, which no voters change."""
        fields = ("stumps_per_attribute", "voter_set", "voters")
        defaults = {name: Protocol.model_fields[name].default for name in fields}
        return self.model_copy(update=defaults)

    @property
    def inner_folds(self) -> int:
        """The number of folds of the training part; 0 with a hold-out."""
        return 0 if self.holdout is not None else self.folds

    def content(self) -> dict[str, Any]:
        """Return the fields that results depend on, other than the view, as plain data."""
        # `for_each` changes the names of the draws, which the keys hold.
        left_out: dict[str, Any] = {"view": True, "sample": {"for_each"}}
        return self.model_dump(mode="json", exclude=left_out, exclude_defaults=True)
