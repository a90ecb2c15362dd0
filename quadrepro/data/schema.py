"""The parts of a card that describe a data set: attributes, target and views."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, ConfigDict, Discriminator, Field, Tag, model_validator

from quadrepro.base.models import Model, fault
from quadrepro.base.types import BoolArray, FloatArray

MAX_ROWS = 2**31
"""Maximum number of rows of a card."""

# Of few digits, so that no series fills the memory.
_SERIES = re.compile(r"(?P<stem>.{0,99}?)(?P<first>\d{1,5})\.\.(?P=stem)(?P<last>\d{1,5})")


class Attribute(Model):
    """A column of a data set."""

    name: str = Field(
        min_length=1,
        description="The name of the column in the header of a canonical CSV. In a card,"
        " `p1..p784` stands for 784 attributes with the same description, and"
        " `a01..a34` counts with two digits.",
    )
    kind: Literal["numeric", "nominal"] = Field(
        description="Whether the values are numbers, or codes without arithmetic."
    )
    codes: tuple[str, ...] | None = Field(
        default=None,
        description="The codes of a nominal attribute in their natural order. If None, the codes"
        " that occur, sorted as numbers if all of them are numbers, otherwise"
        " alphabetically.",
    )
    range: tuple[float, float] | None = Field(
        default=None,
        description="The lowest and the highest value of a numeric attribute, or None if they are"
        " not stated.",
    )

    @model_validator(mode="after")
    def _kind_fits(self) -> Self:
        if self.codes is not None:
            if self.kind == "numeric":
                raise ValueError(f"{self.name} is numeric, so it cannot have codes")
            refuse_repeats(f"the codes of {self.name}", self.codes, "codes")
        if self.range is not None and self.kind == "nominal":
            raise ValueError(f"{self.name} is nominal, so it cannot have a range")
        return self


class Target(Model):
    """The column to be predicted: ``target`` in a canonical CSV."""

    name: Literal["target"] = Field(
        default="target", description="The name of the column in a canonical CSV."
    )
    original: str = Field(description="Its name in the source.")
    labels: dict[str, Annotated[int, Field(gt=0, lt=MAX_ROWS)]] = Field(
        default_factory=dict, description="For classification: the number of rows with each label."
    )
    range: tuple[float, float] | None = Field(
        default=None, description="For regression: the lowest and the highest value."
    )


class Threshold(Model):
    """Which numbers are positive: those that are at most, or at least, a bound."""

    at_most: float | None = Field(default=None, description="The largest positive number.")
    at_least: float | None = Field(
        default=None, description="The smallest positive number; give one of the two."
    )

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


def _kind_of_positive(data: Any) -> str | None:
    if isinstance(data, (list, tuple)):
        return "labels"
    return "threshold" if isinstance(data, (dict, Threshold)) else None


Positive = Annotated[
    Annotated[tuple[str, ...], Tag("labels")] | Annotated[Threshold, Tag("threshold")],
    Discriminator(
        _kind_of_positive,
        custom_error_type="positive",
        custom_error_message="positive must be a list of labels, such as [yes], or a bound, such"
        " as {at_most: 9}",
    ),
]
"""What becomes +1: the labels of a list, or the numbers on one side of a threshold."""


def _listed(value: Any) -> Any:
    return value if isinstance(value, (list, tuple)) else (value,)


class View(Model):
    """How one paper turns a data set into a problem with numeric columns."""

    # Labels are text, but a config may write them as numbers.
    model_config = ConfigDict(coerce_numbers_to_str=True)

    positive: Positive | None = Field(
        default=None,
        description="The labels, or the numbers, that become +1. If None, the target stays as it"
        " is: its labels are the classes, or its numbers are predicted as such.",
    )
    negative: tuple[str, ...] = Field(
        default=(),
        description="The labels that become -1; rows with any other label are left out. By"
        " default, all labels that are not positive.",
    )
    labels: tuple[str, ...] = Field(
        default=(),
        description="The labels that stay classes; rows with any other label are left out. By"
        " default, all of them. Not together with `positive`.",
    )
    part: str = Field(
        default="",
        description="The part of the rows to use, one of the card's `parts`. By default, all of"
        " them.",
    )
    where: dict[
        str,
        Annotated[
            tuple[str, ...],
            BeforeValidator(_listed, json_schema_input_type=str | tuple[str, ...]),
        ],
    ] = Field(
        default_factory=dict,
        description="By attribute: the values of the rows to use, such as `{colour: white}`. The"
        " attribute may be excluded as well.",
    )
    sample_rows: int | None = Field(
        default=None,
        ge=4,
        description="The number of rows to use, drawn at random again for every repeat. By"
        " default, all of them.",
    )
    exclude: tuple[str, ...] = Field(default=(), description="Attributes to leave out.")
    target_as: str = Field(
        default="",
        description="The name under which the target is also a column, for a paper that seems to"
        " have left it there. By default, it is not.",
    )
    nominal: Literal["ordinal", "one-hot"] = Field(
        default="ordinal",
        description="Whether a nominal attribute becomes one column with the positions of its"
        " codes, or one column of zeros and ones per code.",
    )
    missing: Literal["mean", "low", "drop"] = Field(
        default="mean",
        description="How to treat missing values: replace them by the mean of the training rows;"
        " give them a value of their own (below all others; with one-hot codes, a"
        " column of its own); or leave the row out. See"
        " `quadrepro.core.preprocessing.encode` and"
        " `quadrepro.core.preprocessing.Normaliser`.",
    )
    order: dict[str, tuple[str, ...]] = Field(
        default_factory=dict,
        description="By attribute: an order of codes that replaces the one in the card.",
    )
    bayes_error: float | None = Field(
        default=None,
        ge=0,
        description="The lowest possible risk on this problem (for regression, the lowest mean"
        " squared error) if the distribution of the rows is known.",
    )
    status: Literal["settled", "open"] = Field(
        default="settled",
        description="`open` if neither the paper nor its printed numbers settle the choice.",
    )
    evidence: str = Field(default="", description="The reason for this choice.")

    @model_validator(mode="after")
    def _lists_fit(self) -> Self:
        if isinstance(self.positive, tuple):
            if not self.positive:
                raise ValueError("positive must list at least one label")
            refuse_repeats("positive", self.positive, "positive")
            positive = set(self.positive)
            for label in self.negative:
                if label in positive:
                    raise ValueError(f"label {label!r} is both positive and negative")
        elif self.negative:
            raise ValueError("negative lists labels, so positive must also list labels")
        if self.labels and self.positive is not None:
            raise fault("labels stay classes only if the view has no positive", "labels")
        if len(self.labels) == 1:
            raise fault("labels must list at least two labels", "labels")
        refuse_repeats("labels", self.labels, "labels")
        refuse_repeats("negative", self.negative, "negative")
        refuse_repeats("exclude", self.exclude, "exclude")
        for name, values in self.where.items():
            if not values:
                raise fault(f"where names no value of {name}", "where", name)
        for name, codes in self.order.items():
            refuse_repeats(f"the order of {name}", codes, "order", name)
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
        labels = target.labels
        if not isinstance(self.positive, tuple):
            return [labels.get(label, 0) for label in self.labels or labels]
        n_positive = sum(labels.get(label, 0) for label in self.positive)
        kept = self.kept_labels or tuple(labels)
        return [n_positive, sum(labels.get(label, 0) for label in kept) - n_positive]

    @property
    def rows_in_words(self) -> str:
        """What it leaves out or draws of the rows; empty if nothing."""
        words = [f"part {self.part}"] if self.part else []
        words += [f"{name} {', '.join(values)}" for name, values in self.where.items()]
        words += [f"labels {', '.join(self.kept_labels)}"] if self.kept_labels else []
        words += ["without missing values"] if self.missing == "drop" else []
        words += [f"{self.sample_rows} drawn for every repeat"] if self.sample_rows else []
        return "; ".join(words)

    def content(self) -> dict[str, Any]:
        """Return the fields that the resulting rows depend on, as plain data."""
        # Defaults are left out, so a new field does not change the keys of existing records.
        return self.model_dump(
            exclude={"bayes_error", "status", "evidence"},
            exclude_defaults=True,
            exclude_none=True,
            mode="json",
        )


def series(name: str) -> Iterator[str]:
    """Yield the names that a name in a card stands for.

    Examples
    --------
    >>> list(series("a08..a10")), list(series("size"))
    (['a08', 'a09', 'a10'], ['size'])
    """
    match = _SERIES.fullmatch(name)
    if match is None:
        yield name
        return
    width = len(match["first"])
    for number in range(int(match["first"]), int(match["last"]) + 1):
        yield f"{match['stem']}{number:0{width}}"


def every_name(names: Iterable[str]) -> Iterator[tuple[int, str]]:
    """Yield all names that a list of names and series stands for, each with its index in the list.

    Examples
    --------
    >>> list(every_name(["size", "a1..a2"]))
    [(0, 'size'), (1, 'a1'), (1, 'a2')]
    """
    return ((i, one) for i, name in enumerate(names) for one in series(name))


def refuse_repeats(what: str, names: tuple[str, ...], *place: str | int) -> None:
    """Refuse a list with a name that occurs more than once."""
    name, times = Counter(names).most_common(1)[0] if names else ("", 0)
    if times > 1:
        raise fault(f"{what}: {name!r} occurs {times} times", *place)
