"""The values of hyper-parameters in a config: the axes of a grid, and random draws."""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Context, Decimal, localcontext
from functools import cache
from types import MappingProxyType
from typing import Annotated, Any, Literal, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import (
    BeforeValidator,
    Field,
    FiniteFloat,
    StrictBool,
    StrictFloat,
    StrictInt,
    StrictStr,
    model_validator,
)

from quadrepro.base.models import Model
from quadrepro.core.learners.grid import Hyperparameter, Value

WORKING = Context(prec=34)
"""Enough digits for the rounding to `KEPT` not to depend on the error."""

KEPT = Context(prec=12)


def log_value(low: float, high: float, share: float) -> float:
    """Return the value at a share of the way from `low` to `high`, rounded to 12 digits.

    Examples
    --------
    >>> log_value(1.0, 1e-4, 0.25)
    0.1
    """
    return float(_between(low, high, Decimal(share)))


@cache
def log_values(low: float, high: float, points: int, *, integer: bool) -> tuple[int | float, ...]:
    """Return values evenly spaced on a logarithmic scale, with exact ends.

    Examples
    --------
    >>> log_values(1, 1000, 4, integer=True)
    (1, 10, 100, 1000)
    """
    if low <= 0 or high <= 0:
        raise ValueError("a logarithmic scale needs positive ends")
    if points < 1:
        raise ValueError("a scale needs at least one point")
    with localcontext(WORKING):
        shares = [Decimal(i) / (points - 1) for i in range(1, points - 1)]
    inner = [_between(low, high, share) for share in shares]
    values = [float(low), *map(float, inner), float(high)][:points]
    return tuple(dict.fromkeys(round(v) for v in values)) if integer else tuple(values)


def _between(low: float, high: float, share: Decimal) -> Decimal:
    with localcontext(WORKING):
        value = (_ln(low) + share * (_ln(high) - _ln(low))).exp()
    return KEPT.plus(value)


@cache
def _ln(value: float) -> Decimal:
    return WORKING.ln(Decimal(value))


LARGEST = 1e150
"""The squares of larger values, and figures of them, would leave the range of float64."""


def _plain(value: Any) -> Any:
    if isinstance(value, (list, dict)):
        raise ValueError(f"a value must be a number, a word, true, false or null, not {value!r}")
    if isinstance(value, int | float) and abs(value) > LARGEST:
        raise ValueError(f"a value must be at most {LARGEST:g} in size")
    return value


Scalar = Annotated[StrictInt | StrictFloat | StrictBool | StrictStr | None, BeforeValidator(_plain)]


# Integers that float64 holds exactly.
_Exact = Annotated[int, Field(ge=-(2**53), le=2**53)]


class Axis(Model):
    """The values of one hyper-parameter: a list, or evenly spaced on a scale.

    In YAML, a list or a single value can stand for the whole mapping.

    Examples
    --------
    >>> Axis.model_validate({"from": 1, "to": 100, "points": 3}).resolve("integer")
    [1, 10, 100]
    """

    forms = (tuple[Scalar, ...], Scalar)
    meant = MappingProxyType(
        dict.fromkeys(("log_from", "start", "low"), "from: 0.01, to: 1, points: 5")
        | dict.fromkeys(("log_to", "stop", "end", "high"), "from: 0.01, to: 1, points: 5")
        | dict.fromkeys(("n", "num", "steps"), "points: 5")
    )

    values: tuple[Scalar, ...] | None = None
    """The values themselves."""
    start: float | None = Field(default=None, alias="from", allow_inf_nan=False)
    """The first and the last value."""
    end: float | None = Field(default=None, alias="to", allow_inf_nan=False)
    """The first and the last value."""
    points: int | None = Field(default=None, ge=1, le=10_000)
    """The number of values."""
    scale: Literal["log", "linear"] = "log"
    """Whether the logarithms of the values are evenly spaced, or the values themselves."""

    @model_validator(mode="before")
    @classmethod
    def _listed(cls, data: Any) -> Any:
        if isinstance(data, list):
            return {"values": data}
        return data if isinstance(data, dict) else {"values": [data]}

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        given = [part is not None for part in (self.start, self.end, self.points)]
        if not all(given) if self.values is None else any(given):
            raise ValueError("give either a list of values, or all of from, to and points")
        if self.values == ():
            raise ValueError("the list of values is empty: give at least one")
        if self.scale == "log":
            for end, value in (("from", self.start), ("to", self.end)):
                if value is not None and value <= 0:
                    raise ValueError(f"{end} must be greater than 0 on a logarithmic scale")
        return self

    def __len__(self) -> int:
        """Return the number of values, before those that round to the same number become one."""
        return len(self.values) if self.values is not None else self.points or 0

    def resolve(self, kind: str) -> list[Value]:
        """Return the values."""
        if self.values is None:
            assert self.start is not None
            assert self.end is not None
            assert self.points is not None
            if self.scale == "linear":
                # Halves, since the difference of the ends can be beyond the range of numbers.
                halves = np.linspace(self.start / 2, self.end / 2, self.points)
                values = (2 * halves).tolist()
                return list(dict.fromkeys(map(round, values))) if kind == "integer" else values
            return list(log_values(self.start, self.end, self.points, integer=kind == "integer"))
        if kind == "any":
            return list(self.values)
        whole = all(isinstance(v, (int, float)) and float(v).is_integer() for v in self.values)
        to_number = int if kind == "integer" and whole else float
        numeric = (int, float)
        return [
            to_number(v) if isinstance(v, numeric) and not isinstance(v, bool) else v
            for v in self.values
        ]


class Distribution(Model):
    """The distribution that the values of a hyper-parameter are drawn from.

    Exactly one attribute is given. In YAML, a list can stand for ``choice``.
    """

    forms = (tuple[Scalar, ...],)
    meant = MappingProxyType(
        dict.fromkeys(("log_uniform", "loguniform", "reciprocal"), "log: [0.01, 1]")
        | dict.fromkeys(("randint", "int"), "integers: [1, 100]")
        | dict.fromkeys(("values", "categorical"), "choice: [1, 10]")
    )

    choice: tuple[Scalar, ...] | None = Field(default=None, min_length=1)
    """Values of equal probability."""
    integers: tuple[_Exact, _Exact] | None = None
    """The first and the last of a range of integers of equal probability."""
    uniform: tuple[FiniteFloat, FiniteFloat] | None = None
    """The ends of a uniform distribution."""
    log: tuple[FiniteFloat, FiniteFloat] | None = None
    """The ends of a distribution whose logarithm is uniform."""

    @model_validator(mode="before")
    @classmethod
    def _listed(cls, data: Any) -> Any:
        return {"choice": data} if isinstance(data, list) else data

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        given = [pair for pair in (self.integers, self.uniform, self.log) if pair is not None]
        if len(given) + (self.choice is not None) != 1:
            raise ValueError("give either a list of values, or one of integers, uniform and log")
        for low, high in given:
            if not low <= high:
                raise ValueError(f"the first end, {low:g}, must not be above the second, {high:g}")
            if math.isinf(high - low):
                raise ValueError("the distance of the ends is beyond the range of numbers")
        if self.log is not None and self.log[0] <= 0:
            raise ValueError("a logarithmic scale needs positive ends")
        return self

    def ends(self) -> list[Value]:
        """Return the smallest and the largest value that can be drawn, or all listed values."""
        if self.choice is not None:
            return list(self.choice)
        pair = self.integers or self.uniform or self.log
        assert pair is not None
        return list(pair)

    def draw(self, rng: np.random.Generator, size: int) -> list[Value]:
        """Draw values."""
        if self.choice is not None:
            return [self.choice[i] for i in rng.integers(len(self.choice), size=size)]
        values: NDArray[np.integer | np.floating]
        if self.integers is not None:
            values = rng.integers(*self.integers, size=size, endpoint=True)
        elif self.uniform is not None:
            values = rng.uniform(*self.uniform, size=size)
        else:
            assert self.log is not None
            low, high = self.log
            return [log_value(low, high, share) for share in rng.random(size).tolist()]
        drawn: list[Value] = values.tolist()
        return drawn


def from_simple(
    points: list[dict[str, Value]], hyperparameters: Sequence[Hyperparameter]
) -> list[dict[str, Value]]:
    """Return distinct points, sorted from simple to complex."""
    of_any_kind = {h.name for h in hyperparameters if h.kind == "any"}

    def identity(point: dict[str, Value]) -> tuple[Any, ...]:
        # In scikit-learn, 1 can be a count, 1.0 a share and True a switch.
        return tuple((key, v, type(v) if key in of_any_kind else None) for key, v in point.items())

    def rank(point: dict[str, Any]) -> list[float]:
        return [
            point[h.name] if h.simple == "small" else -point[h.name]
            for h in hyperparameters
            if h.name in point and h.kind != "any"
        ]

    distinct = {identity(point): point for point in points}
    return sorted(distinct.values(), key=rank)
