"""The values of hyper-parameters in a config: the axes of a grid, and random draws."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, Literal, Self, cast

import numpy as np
from pydantic import ConfigDict, Field, model_validator

from quadrepro.base.models import Model
from quadrepro.core.training.grid import Hyperparameter, Value

DIGITS = 12
"""Significant digits of values on a logarithmic scale, on which all processors agree."""


def _rounded(value: float) -> float:
    return float(f"{value:.{DIGITS}g}")


Scalar = int | float | bool | str | None
_SCALARS = ("number", "string", "boolean", "null")


class Axis(Model):
    """The values of one hyper-parameter: a list, or evenly spaced on a scale.

    In YAML, a list or a single value can replace the whole mapping.

    Examples
    --------
    >>> Axis.model_validate({"from": 1, "to": 100, "points": 3}).resolve("integer")
    [1, 10, 100]
    """

    model_config = ConfigDict(json_schema_extra={"type": ["object", "array", *_SCALARS]})

    values: tuple[Scalar, ...] | None = Field(None, description="The values themselves.")
    start: float | None = Field(None, alias="from", description="First value.")
    end: float | None = Field(None, alias="to", description="Last value.")
    points: int | None = Field(None, ge=1, le=10_000, description="Number of values.")
    scale: Literal["log", "linear"] = Field("log", description="Even steps of logarithms or not.")

    @model_validator(mode="before")
    @classmethod
    def _listed(cls, data: Any) -> Any:
        if isinstance(data, list):
            return {"values": data}
        return data if isinstance(data, dict) else {"values": [data]}

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        ends = (self.start, self.end)
        n_parts = sum(part is not None for part in (*ends, self.points))
        if n_parts != (3 if self.values is None else 0):
            raise ValueError("give either a list of values, or all of from, to and points")
        if self.values == ():
            raise ValueError("the list of values is empty: give at least one")
        if self.scale == "log" and any(end is not None and end <= 0 for end in ends):
            raise ValueError("from and to must be greater than 0 on a logarithmic scale")
        return self

    def fault(self, hyperparameter: Hyperparameter) -> str | None:
        """Return the reason why a hyper-parameter cannot have the values, or None if it can."""
        return hyperparameter.fault(self.resolve(hyperparameter.kind))

    def resolve(self, kind: str) -> list[Value]:
        """Return the values of a hyper-parameter of a kind."""
        if self.values is None:
            values = self._spaced()
            return list(dict.fromkeys(map(round, values))) if kind == "integer" else values
        if kind == "any":
            return list(self.values)
        whole = all(isinstance(v, int | float) and float(v).is_integer() for v in self.values)
        to_number = int if kind == "integer" and whole else float
        return [
            to_number(v) if isinstance(v, int | float) and not isinstance(v, bool) else v
            for v in self.values
        ]

    def _spaced(self) -> list[Any]:
        start, end, points = cast(tuple[float, float, int], (self.start, self.end, self.points))
        if self.scale == "linear":
            return list(np.linspace(start, end, points).tolist())
        inner = np.geomspace(start, end, points)[1:-1].tolist()
        return [start, *map(_rounded, inner), end][:points]


class Distribution(Model):
    """The distribution that the values of a hyper-parameter are drawn from.

    Exactly one attribute is set. In YAML, a list can replace ``choice``.
    """

    short = "choice"
    model_config = ConfigDict(json_schema_extra={"type": ["object", "array"]})

    choice: tuple[Scalar, ...] | None = Field(
        None, min_length=1, description="Values of equal probability."
    )
    integers: tuple[int, int] | None = Field(None, description="First and last of whole numbers.")
    uniform: tuple[float, float] | None = Field(None, description="Ends of a uniform distribution.")
    log: tuple[float, float] | None = Field(None, description="Ends; the logarithm is uniform.")

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        if sum(values is not None for _, values in self) != 1:
            raise ValueError("give either a list of values, or one of integers, uniform and log")
        low, high = self.integers or self.uniform or self.log or (0, 0)
        if low > high:
            raise ValueError(f"the first end, {low:g}, must not be above the second, {high:g}")
        if self.log is not None and self.log[0] <= 0:
            raise ValueError("a logarithmic scale needs positive ends")
        return self

    def fault(self, hyperparameter: Hyperparameter) -> str | None:
        """Return the reason why a hyper-parameter cannot have the values, or None if it can."""
        if hyperparameter.kind == "integer" and (self.uniform or self.log):
            return f"{hyperparameter.name} takes whole numbers: draw integers, or of a list"
        ends = self.choice or self.integers or self.uniform or self.log or ()
        return next(filter(None, (hyperparameter.fault([value]) for value in ends)), None)

    def draw(self, rng: np.random.Generator, size: int) -> list[Value]:
        """Draw values."""
        if self.choice is not None:
            return [self.choice[i] for i in rng.integers(len(self.choice), size=size)]
        if self.integers is not None:
            return list(rng.integers(*self.integers, size=size, endpoint=True).tolist())
        if self.uniform is not None:
            return list(rng.uniform(*self.uniform, size=size).tolist())
        assert self.log is not None
        low, high = map(math.log, self.log)
        return [_rounded(math.exp(low + u * (high - low))) for u in rng.random(size).tolist()]


def from_simple(
    points: list[dict[str, Value]], hyperparameters: Iterable[Hyperparameter]
) -> list[dict[str, Value]]:
    """Return distinct points, sorted from simple to complex."""

    def rank(point: dict[str, Any]) -> list[float]:
        return [
            point[h.name] if h.simple == "small" else -point[h.name]
            for h in hyperparameters
            if h.name in point and h.kind != "any"
        ]

    # In scikit-learn, 1 can be a count, 1.0 a share and True a switch.
    return sorted({repr(point): point for point in points}.values(), key=rank)
