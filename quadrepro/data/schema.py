"""The parts of a card that describe a data set: attributes, target and views."""

from __future__ import annotations

import re
from collections import Counter
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BeforeValidator, Field, PositiveInt, model_validator

from quadrepro.base.models import Model, fault
from quadrepro.base.types import BoolArray, FloatArray

# Few digits, so that no series fills the memory.
_SERIES = re.compile(r"(?P<stem>.{0,99}?)(?P<first>\d{1,5})\.\.(?P=stem)(?P<last>\d{1,5})")


def series(name: str) -> list[str]:
    """Return the names in a series of a card.

    Examples
    --------
    >>> series("a08..a10"), series("size")
    (['a08', 'a09', 'a10'], ['size'])
    """
    match = _SERIES.fullmatch(name)
    if match is None:
        return [name]
    stem, first, last = match.groups()
    numbers = range(int(first), int(last) + 1)
    return [f"{stem}{number:0{len(first)}}" for number in numbers] or [name]


def refuse_repeats(names: tuple[str, ...]) -> tuple[str, ...]:
    """Return names that differ, or refuse one that occurs twice."""
    for name, times in Counter(names).items():
        if times > 1:
            raise ValueError(f"{name!r} occurs {times} times")
    return names


Names = Annotated[tuple[str, ...], AfterValidator(refuse_repeats)]


class Attribute(Model):
    """A column of a data set."""

    name: str = Field(min_length=1)
    """Name; `p1..p9` means nine attributes."""
    kind: Literal["numeric", "nominal"]
    """Numbers, or codes without arithmetic."""
    codes: Names | None = None
    """Codes in their natural order."""
    range: tuple[float, float] | None = None
    """Lowest and highest number."""
    date: str | None = None
    """Format of dates, such as %d.%m.%Y; `ISO8601` for any such date."""

    @model_validator(mode="after")
    def _kind_fits(self) -> Self:
        for key in ("codes", "date") if self.kind == "numeric" else ("range",):
            if getattr(self, key) is not None:
                raise fault(f"{self.name} is {self.kind}, so it cannot have {key}", key)
        return self


class Target(Model):
    """The column to be predicted: ``target`` in a canonical CSV."""

    name: Literal["target"] = "target"
    """Name in a canonical CSV."""
    original: str
    """Name in the source."""
    labels: dict[str, PositiveInt] = Field({})
    """Number of rows with each label."""
    range: tuple[float, float] | None = None
    """Lowest and highest number."""


class Threshold(Model):
    """Which numbers are positive: those that are at most, or at least, a bound."""

    at_most: float | None = None
    """Largest positive number."""
    at_least: float | None = None
    """Smallest positive number."""

    @model_validator(mode="after")
    def _one_side(self) -> Self:
        if (self.at_most is None) == (self.at_least is None):
            raise ValueError("give either at_most or at_least")
        return self

    def holds(self, values: FloatArray) -> BoolArray:
        """Return whether each value is positive."""
        if self.at_most is not None:
            return values <= self.at_most
        assert self.at_least is not None
        return values >= self.at_least


def _listed(value: Any) -> Any:
    return value if isinstance(value, (list, tuple)) else (value,)


WrittenValues = Annotated[
    tuple[str, ...],
    Field(min_length=1),
    BeforeValidator(_listed, json_schema_input_type=str | tuple[str, ...]),
]
"""A value or a list of some."""


# Labels are text, but a config may write them as numbers.
class View(Model, coerce_numbers_to_str=True):
    """How one paper turns a data set into a problem with numeric columns."""

    positive: Names | Threshold | None = None
    """Labels or numbers that become +1; by default the target is kept."""
    negative: Names = ()
    """Labels that become -1; by default all others."""
    labels: Names = ()
    """Labels that stay classes; by default all."""
    part: str = ""
    """Part of the card's `parts` to use; by default all rows."""
    where: dict[str, WrittenValues] = Field({})
    """Rows to use, by the values of attributes, such as `{colour: white}`."""
    sample_rows: int | None = Field(None, ge=4)
    """Number of rows to use, drawn again for every repeat."""
    exclude: Names = ()
    """Attributes to leave out."""
    target_as: str = ""
    """Name of a column that repeats the target."""
    nominal: Literal["ordinal", "one-hot"] = "ordinal"
    """Columns of codes: their positions, or zeros and ones for each."""
    missing: Literal["mean", "low", "drop"] = "mean"
    """Missing values: filled by the mean, a value of their own, or no row."""
    duplicates: Literal["keep", "drop", "one-side"] = "keep"
    """Whether rows that repeat another are used, dropped, or never divided."""
    order: dict[str, Names] = Field({})
    """Codes of attributes in another order."""
    bayes_error: float | None = Field(None, ge=0)
    """Lowest possible risk, if known."""
    status: Literal["settled", "open"] = "settled"
    """Whether the paper or its printed numbers settle the choice."""
    evidence: str = ""
    """Reason for the choice."""

    @model_validator(mode="after")
    def _labels_fit(self) -> Self:
        positive = self.positive if isinstance(self.positive, tuple) else ()
        if self.positive == ():
            raise fault("positive must list at least one label", "positive")
        if self.negative and not positive:
            raise fault("negative lists labels, so positive must also list labels", "negative")
        for label in self.negative:
            if label in positive:
                raise fault(f"label {label!r} is both positive and negative", "negative")
        if self.labels and self.positive is not None:
            raise fault("labels stay classes only if the view has no positive", "labels")
        if len(self.labels) == 1:
            raise fault("labels must list at least two labels", "labels")
        return self

    @property
    def kept_labels(self) -> tuple[str, ...]:
        """The labels of the rows that are used; empty for all labels."""
        if self.negative and isinstance(self.positive, tuple):
            return (*self.positive, *self.negative)
        return self.labels

    def class_sizes(self, target: Target) -> list[int]:
        """Return the number of rows of each class if only rows of other labels are left out.

        There are none if numbers are predicted.
        """
        kept = self.kept_labels or target.labels
        sizes = {label: target.labels.get(label, 0) for label in kept}
        if not isinstance(self.positive, tuple):
            return [*sizes.values()]
        n_positive = sum(sizes.get(label, 0) for label in self.positive)
        return [n_positive, sum(sizes.values()) - n_positive]

    def content(self) -> dict[str, Any]:
        """Return the fields that the resulting rows depend on, as plain data."""
        # Defaults are left out, so a new field does not change the keys of existing records.
        not_of_rows = {"bayes_error", "status", "evidence"}
        return self.model_dump(mode="json", exclude=not_of_rows, exclude_defaults=True)
