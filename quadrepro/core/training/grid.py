"""Grids of hyper-parameters, and the rules for their values."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import inf
from typing import Literal, cast

from quadrepro.base.types import FloatArray

Value = int | float | str | None
"""A number; parameters of scikit-learn's estimators may also be strings, booleans or None."""


@dataclass(frozen=True)
class Grid:
    """Values of each hyper-parameter; a candidate is one combination of them.

    The first axis is the outermost one. A search gives ties to the first candidate, so every axis
    should list its values from simple to complex.
    """

    axes: tuple[tuple[str, tuple[Value, ...]], ...]
    """The hyper-parameters, outermost first."""

    @classmethod
    def from_values(cls, values: Mapping[str, Sequence[Value]]) -> Grid:
        """Return the grid of a mapping of names to values.

        Raises
        ------
        ValueError
            If a hyper-parameter has no value.
        """
        for name, axis in values.items():
            if len(axis) == 0:
                raise ValueError(f"hyper-parameter {name!r} has no value")
        return cls(tuple((name, tuple(axis)) for name, axis in values.items()))

    @classmethod
    def single(cls, candidate: Mapping[str, Value]) -> Grid:
        """Return the grid of a single candidate."""
        return cls.from_values({name: [value] for name, value in candidate.items()})

    def __len__(self) -> int:
        """Return the number of candidates."""
        return math.prod(len(values) for _, values in self.axes)

    @cached_property
    def candidates(self) -> list[dict[str, Value]]:
        """Every combination, in order."""
        names = [name for name, _ in self.axes]
        combinations = itertools.product(*(values for _, values in self.axes))
        return [dict(zip(names, c, strict=True)) for c in combinations]

    def axis(self, name: str) -> tuple[float, ...] | None:
        """Return the values of a numeric hyper-parameter; None if the grid does not name it."""
        return cast("tuple[float, ...] | None", dict(self.axes).get(name))

    def flatten(self, weights: FloatArray, names: Sequence[str]) -> FloatArray:
        """Put an array with one axis per hyper-parameter into the order of the candidates.

        Parameters
        ----------
        weights : ndarray of shape (n_samples, len(axis of names[0]), ..., n_voters)
            Weights. The axis of a hyper-parameter that the grid does not name has length 1.
        names : sequence of str
            The hyper-parameter of each inner axis.

        Returns
        -------
        ndarray of shape (n_samples, n_candidates, n_voters)
            The path of every sample.
        """
        order = [names.index(name) for name, _ in self.axes]
        spare = [i for i in range(len(names)) if i not in order]
        moved = weights.transpose(0, *(1 + i for i in (*order, *spare)), weights.ndim - 1)
        return moved.reshape(weights.shape[0], -1, weights.shape[-1])


@dataclass(frozen=True)
class Hyperparameter:
    """A hyper-parameter of a learner, which may be an axis of its grid."""

    name: str
    """Name in configs and estimators."""
    kind: Literal["integer", "number", "any"]
    """Type of its values. If it is "any", nothing is checked and the order is free."""
    simple: Literal["small", "large"]
    """End of the range with the simpler model, where a grid starts."""
    meaning: str
    """Description, in one line."""
    zero: bool = False
    """Whether 0 is a valid value."""
    optional: bool = False
    """Whether a grid may leave it out."""
    smallest: float = 1e-100
    """The smallest valid value other than 0. Beyond the default limits, squares and products of
    values leave the range of float64."""
    largest: float = 1e100
    """The largest valid value."""

    def fault(self, values: Sequence[Value]) -> str | None:
        """Return a message about invalid values of an axis, or None if they are valid."""
        if self.kind == "any":
            return None
        numbers: list[float] = []
        for value in values:
            if isinstance(value, (str, bool, type(None))):
                return f"{self.name} takes numbers, not {value!r}"
            if not 0 <= value < inf or (value == 0 and not self.zero):
                low = "at least 0" if self.zero else "positive"
                return f"{self.name} must be {low} and finite, not {_number_text(value)}"
            if value > self.largest:
                return f"{self.name} must be at most {self.largest:g}, not {_number_text(value)}"
            if 0 < value < self.smallest:
                low = "0 or " if self.zero else ""
                return f"{self.name} must be {low}at least {self.smallest:g}, not {value:g}"
            if self.kind == "integer" and value != int(value):
                return f"{self.name} takes whole numbers, not {value:g}"
            numbers.append(value)
        if len(set(numbers)) < len(numbers):
            return f"{self.name} lists a value twice"
        if numbers != sorted(numbers, reverse=self.simple == "large"):
            order = "increase" if self.simple == "small" else "decrease"
            return (
                f"the values of {self.name} must {order}: ties go to the first, simplest candidate"
            )
        return None


def _number_text(value: float) -> str:
    """Return a number as text; an integer can be beyond the range of float64."""
    return f"{value:g}" if abs(value) < 1e300 or isinstance(value, float) else "a larger number"


N_ROUNDS = Hyperparameter("n_rounds", "integer", "small", "number of rounds T", largest=1e9)
