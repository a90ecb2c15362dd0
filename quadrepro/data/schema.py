"""The parts of a card: attributes, target, views and sources."""

from __future__ import annotations

from collections import Counter
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator


class Frozen(BaseModel):
    """A model whose fields cannot be set anew, and which refuses fields it does not know."""

    # Labels and codes are texts; a config may write them as numbers.
    model_config = ConfigDict(extra="forbid", frozen=True, coerce_numbers_to_str=True)


class Attribute(Frozen):
    """One column of a data set.

    Attributes
    ----------
    name : str
        The column's name in the header of a canonical CSV.
    kind : {"numeric", "nominal"}
        Numbers, or codes without arithmetic.
    order : tuple of str or None, default None
        The codes of a nominal attribute in their natural order; None: the codes that occur,
        sorted as numbers where all of them are numbers, else alphabetically.
    """

    name: str = Field(min_length=1)
    kind: Literal["numeric", "nominal"]
    order: tuple[str, ...] | None = None

    @model_validator(mode="after")
    def _order_fits(self) -> Self:
        if self.order is not None:
            if self.kind == "numeric":
                raise ValueError(f"{self.name} is numeric, so its values need no order")
            refuse_repeats(f"the order of {self.name}", self.order)
        return self


class View(Frozen):
    """How one paper turns a data set into a binary problem with numeric columns.

    Attributes
    ----------
    positive : tuple of str
        The labels that become +1; all others become -1.
    exclude : tuple of str, default ()
        Attributes left out.
    missing : {"mean", "low"}, default "mean"
        What stands for a missing value, see `quadrepro.data.normalise.Normaliser`.
    order : dict of str to tuple of str, default {}
        Orders of codes that replace those of the card's attributes.
    status : {"settled", "open"}, default "settled"
        Whether the paper, or the numbers it prints, leave a choice.
    evidence : str, default ""
        Why this choice.
    """

    positive: tuple[str, ...] = Field(min_length=1)
    exclude: tuple[str, ...] = ()
    missing: Literal["mean", "low"] = "mean"
    order: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    status: Literal["settled", "open"] = "settled"
    evidence: str = ""

    @model_validator(mode="after")
    def _lists_fit(self) -> Self:
        refuse_repeats("positive", self.positive)
        refuse_repeats("exclude", self.exclude)
        for name, codes in self.order.items():
            refuse_repeats(f"the order of {name}", codes)
        return self


class GeneratedSource(Frozen):
    """A function of `quadrepro.data.generated.GENERATORS` that makes the rows by rule."""

    kind: Literal["generated"]
    generator: str


class SklearnSource(Frozen):
    """A function of `quadrepro.data.bundled.LOADERS` that takes the rows from scikit-learn."""

    kind: Literal["sklearn"]
    loader: str


class OpenMLSource(Frozen):
    """A data set of OpenML by its number, and how it differs from the card where it does."""

    kind: Literal["openml"]
    id: int = Field(gt=0)
    note: str = ""


class UCISource(Frozen):
    """Files of the UCI Machine Learning Repository, to be taken together."""

    kind: Literal["uci"]
    files: tuple[str, ...] = Field(min_length=1)
    note: str = ""


Source = Annotated[
    GeneratedSource | SklearnSource | OpenMLSource | UCISource, Field(discriminator="kind")
]


class Target(Frozen):
    """The column to be predicted: ``target`` in a canonical CSV.

    Attributes
    ----------
    name : str, default "target"
        The column's name in a canonical CSV.
    original : str
        What the source calls it.
    labels : dict of str to int
        How many rows carry each label.
    """

    name: Literal["target"] = "target"
    original: str
    labels: dict[str, Annotated[int, Field(gt=0)]] = Field(min_length=2)


def refuse_repeats(what: str, names: tuple[str, ...]) -> None:
    """Raise ValueError, naming `what`, if a name occurs twice."""
    name, times = Counter(names).most_common(1)[0] if names else ("", 0)
    if times > 1:
        raise ValueError(f"{what}: {name!r} occurs {times} times")
