"""A grid of hyper-parameter values: named axes, with candidates from simple to complex."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import cast

from quadrepro._typing import FloatArray

Value = int | float | str | None
"""A number; parameters of scikit-learn's estimators may also be strings, booleans or None."""


@dataclass(frozen=True)
class Grid:
    """Values of each hyper-parameter; a candidate is one combination of them.

    The first axis is the outermost one. A search gives ties to the first candidate, so every axis
    should list its values from simple to complex.

    Attributes
    ----------
    axes : tuple of (name, values)
        The hyper-parameters, outermost first.
    """

    axes: tuple[tuple[str, tuple[Value, ...]], ...]

    @classmethod
    def of(cls, values: Mapping[str, Sequence[Value]]) -> Grid:
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
        """Return the values of a numeric hyper-parameter, or None if the grid does not name it."""
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
