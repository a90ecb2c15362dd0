"""The parts of a card that say what a data set is: attributes, target and views."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Annotated, Any, Literal, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Discriminator, Field, Tag, model_validator

_SERIES = re.compile(r"(?P<stem>.*?)(?P<first>\d+)\.\.(?P=stem)(?P<last>\d+)")


class Frozen(BaseModel):
    """A model whose fields cannot be set anew, and which refuses fields it does not know."""

    # Labels and codes are texts; a config may write them as numbers.
    model_config = ConfigDict(extra="forbid", frozen=True, coerce_numbers_to_str=True)


class Attribute(Frozen):
    """One column of a data set.

    Attributes
    ----------
    name : str
        The column's name in the header of a canonical CSV. In a card ``p1..p784`` stands for 784
        attributes of which the same is said; ``a01..a34`` counts with two digits.
    kind : {"numeric", "nominal"}
        Numbers, or codes without arithmetic.
    codes : tuple of str or None, default None
        The codes of a nominal attribute in their natural order; None: those that occur, sorted as
        numbers where all of them are numbers, else alphabetically.
    range : tuple of float or None, default None
        The lowest and the highest value of a numeric attribute; None: not stated.
    """

    name: str = Field(min_length=1)
    kind: Literal["numeric", "nominal"]
    codes: tuple[str, ...] | None = None
    range: tuple[float, float] | None = None

    @model_validator(mode="after")
    def _kind_fits(self) -> Self:
        if self.codes is not None:
            if self.kind == "numeric":
                raise ValueError(f"{self.name} is numeric, so it has no codes")
            refuse_repeats(f"the codes of {self.name}", self.codes)
        if self.range is not None and self.kind == "nominal":
            raise ValueError(f"{self.name} is nominal, so it has no range")
        return self


class Target(Frozen):
    """The column to be predicted: ``target`` in a canonical CSV.

    Attributes
    ----------
    name : str, default "target"
        The column's name in a canonical CSV.
    original : str
        What the source calls it.
    labels : dict of str to int, default {}
        Classification: how many rows carry each label.
    range : tuple of float or None, default None
        Regression: the lowest and the highest value.
    """

    name: Literal["target"] = "target"
    original: str
    labels: dict[str, Annotated[int, Field(gt=0)]] = Field(default_factory=dict)
    range: tuple[float, float] | None = None


class Threshold(Frozen):
    """Which numbers are positive: those at most, or those at least, a bound."""

    at_most: float | None = None
    at_least: float | None = None

    @model_validator(mode="before")
    @classmethod
    def _known_side(cls, data: Any) -> Any:
        if isinstance(data, dict) and not data.keys() <= cls.model_fields.keys():
            raise ValueError("give one of at_most and at_least")
        return data

    @model_validator(mode="after")
    def _one_side(self) -> Self:
        if (self.at_most is None) == (self.at_least is None):
            raise ValueError("give one of at_most and at_least")
        return self

    def holds(self, values: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Return which values are positive."""
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
        custom_error_message="positive lists labels, such as [yes], or bounds a number, such as"
        " {at_most: 9}",
    ),
]
"""What becomes +1: a list of labels, or a threshold."""


class View(Frozen):
    """How one paper turns a data set into a problem with numeric columns.

    Attributes
    ----------
    positive : tuple of str or Threshold or None, default None
        The labels, or the numbers, that become +1. None: the target stays a number, to be
        predicted as such.
    negative : tuple of str, default ()
        The labels that become -1; rows with any other label are left out. Empty: all labels that
        are not positive.
    part : str, default ""
        The part of the rows that is taken, one of the card's `parts`; empty: all of them.
    exclude : tuple of str, default ()
        Attributes left out.
    nominal : {"ordinal", "one-hot"}, default "ordinal"
        A nominal attribute becomes one column with the position of its code, or one column of
        zeros and ones for each code.
    missing : {"mean", "low", "drop"}, default "mean"
        What becomes of a missing value: the mean of the training rows; a value of its own (below
        all others, or for one-hot codes a column of its own); or the row is left out. See
        `quadrepro.data.encoding.encode` and `quadrepro.data.normalise.Normaliser`.
    order : dict of str to tuple of str, default {}
        Orders of codes that replace those of the card's attributes.
    bayes_error : float or None, default None
        The lowest risk that any rule can have on this problem, or for a number the lowest mean
        squared error, where what the rows were drawn from is known.
    status : {"settled", "open"}, default "settled"
        Whether the paper, or the numbers it prints, leave a choice.
    evidence : str, default ""
        Why this choice.
    """

    positive: Positive | None = None
    negative: tuple[str, ...] = ()
    part: str = ""
    exclude: tuple[str, ...] = ()
    nominal: Literal["ordinal", "one-hot"] = "ordinal"
    missing: Literal["mean", "low", "drop"] = "mean"
    order: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    bayes_error: float | None = Field(default=None, ge=0)
    status: Literal["settled", "open"] = "settled"
    evidence: str = ""

    @model_validator(mode="after")
    def _lists_fit(self) -> Self:
        if isinstance(self.positive, tuple):
            if not self.positive:
                raise ValueError("positive names no label")
            refuse_repeats("positive", self.positive)
            for label in self.negative:
                if label in self.positive:
                    raise ValueError(f"label {label!r} is both positive and negative")
        elif self.negative:
            raise ValueError("negative lists labels, so positive must do so as well")
        refuse_repeats("negative", self.negative)
        refuse_repeats("exclude", self.exclude)
        for name, codes in self.order.items():
            refuse_repeats(f"the order of {name}", codes)
        return self

    @property
    def task(self) -> Literal["classification", "regression"]:
        """What an algorithm is asked to do: tell two classes apart, or predict a number."""
        return "regression" if self.positive is None else "classification"

    def content(self) -> dict[str, Any]:
        """Return what the rows that come out depend on, and nothing else, as plain data."""
        # A field at its default is left out, so that a new field changes no record's key.
        return self.model_dump(
            exclude={"bayes_error", "status", "evidence"},
            exclude_defaults=True,
            exclude_none=True,
            mode="json",
        )


def series(name: str) -> Iterator[str]:
    """Return the names that `name` stands for: many for ``p1..p784``, else itself."""
    match = _SERIES.fullmatch(name)
    if match is None:
        yield name
        return
    width = len(match["first"])
    for number in range(int(match["first"]), int(match["last"]) + 1):
        yield f"{match['stem']}{number:0{width}}"


def refuse_repeats(what: str, names: tuple[str, ...]) -> None:
    """Raise ValueError, naming `what`, if a name occurs twice."""
    name, times = Counter(names).most_common(1)[0] if names else ("", 0)
    if times > 1:
        raise ValueError(f"{what}: {name!r} occurs {times} times")
