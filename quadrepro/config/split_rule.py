"""The rule of a config by which rows are divided into a training and a test part."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, Field, model_validator

from quadrepro.data.schema import View
from quadrepro.documents.model import Model, fault

MOST_REPEATS = 100_000
"""A config has at most as many repeats."""

_OUTER = re.compile(r"(?:(?P<times>[1-9]\d{0,5})x)?(?P<folds>[1-9]\d{0,5})")

# Ways to divide rows that leave no share to choose.
_WHOLE = ("outer", "leave_out", "column", "openml_task")


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

    By default, a share of the rows is drawn for training. At most one of `time`, `outer`,
    `leave_out`, `column` and `openml_task` replaces this.

    Attributes
    ----------
    train : "half", "all" or float, default "half"
        The share of the rows to train on, between 0 and 1, rounded up to a whole row; with
        `groups`, the share of the groups. With "all", all rows are both training and test rows.
    at_most : int or None, default 500
        The largest number of training rows, unless `train` is "all". With `groups`, training rows
        are then left out at random; with `time`, the earliest ones.
    stratify : bool, default False
        Whether every part and every fold has the share of each class that all rows have. Where
        groups are drawn for training, only the folds do.
    groups : str or None, default None
        The attribute whose values say which rows belong together: no group is in two parts or in
        two folds.
    time : str or None, default None
        The attribute with numbers or ISO 8601 dates by which rows are sorted. The first repeat
        trains on the earliest rows, a share of `train`; the others are divided into one test part
        for each repeat, which trains on all rows before it.
    outer : str or None, default None
        Folds of all rows, each of which is the test part of one repeat: ``10``, or ``5x2`` to
        divide the rows five times into two.
    leave_out : {"rows", "groups"} or None, default None
        The test part of each repeat is a single row, or one of the `groups`.
    column : str or None, default None
        The attribute that says for each row ``train``, ``valid`` or ``test``, or numbers the repeat
        whose test part it belongs to; rows with a negative number are always trained on.
    openml_task : int or None, default None
        The number of the OpenML task of which each split is a repeat, fold by fold.
    as_attributes : bool, default False
        Whether the attributes that `groups`, `time` and `column` name are also learned from.
    """

    train: Literal["half", "all"] | Annotated[float, Field(gt=0, lt=1)] = "half"
    at_most: int | None = Field(default=500, ge=2)
    stratify: bool = False
    groups: str | None = Field(default=None, min_length=1)
    time: str | None = Field(default=None, min_length=1)
    outer: (
        Annotated[str, BeforeValidator(_times_and_folds, json_schema_input_type=int | str)] | None
    ) = None
    leave_out: Literal["rows", "groups"] | None = None
    column: str | None = Field(default=None, min_length=1)
    openml_task: int | None = Field(default=None, gt=0, lt=2**31)
    as_attributes: bool = False

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
            raise fault(f"{way} says which rows are trained on: leave train out", "train")
        if way in _WHOLE and self.at_most not in (None, 500):
            raise fault(f"{way} says which rows are trained on: leave at_most out", "at_most")
        if way == "time" and self.stratify:
            raise fault("time alone decides which rows are trained on: leave stratify out", "time")
        if way == "time" and self.groups:
            raise fault("time alone decides which rows are trained on: leave groups out", "time")
        if self.leave_out == "groups" and not self.groups:
            raise fault("to leave out groups, name their column: set groups", "leave_out")
        if self.leave_out == "rows" and self.groups:
            raise fault("a row that is left out has its group on both sides", "leave_out")
        if self.as_attributes and not [*self.columns]:
            raise fault("no attribute divides the rows, so there is none to keep", "as_attributes")
        return self

    @property
    def columns(self) -> Iterator[tuple[str, str]]:
        """The attributes that divide the rows, each after the key that names it."""
        named = {"groups": self.groups, "time": self.time, "column": self.column}
        return ((key, name) for key, name in named.items() if name is not None)

    def without_columns(self, view: View) -> View:
        """Return a view without the attributes that divide the rows, unless they are kept."""
        named = dict.fromkeys(name for _, name in self.columns)
        left_out = () if self.as_attributes else tuple(n for n in named if n not in view.exclude)
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

    def first_share(self, n_rows: int) -> int:
        """Return the share of `train` in whole rows or groups, without regard to `at_most`."""
        return math.ceil((0.5 if self.train == "half" else float(self.train)) * n_rows)

    def training_size(self, n_rows: int) -> int:
        """Return the number of training rows where a share of them is drawn.

        By default, this is min(500, ⌈N/2⌉), the rule of the QuadBoost paper.

        Parameters
        ----------
        n_rows : int
            The number N of all rows.
        """
        if self.train == "all":
            return n_rows
        return min(self.at_most or n_rows, self.first_share(n_rows))

    def content(self) -> dict[str, Any]:
        """Return the fields that splits depend on, as plain data."""
        # What is not set is left out, so a new field does not change the keys of records. The
        # view says which attributes are learned from.
        fields = self.model_dump(exclude_none=True, exclude={"as_attributes"})
        if not self.stratify:
            del fields["stratify"]
        if not self.draws_share:
            del fields["train"]
            fields.pop("at_most", None)
        return fields
