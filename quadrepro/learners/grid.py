"""The hyper-parameter grid of a path: named axes, candidates from simple to complex."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from quadrepro._typing import FloatArray

Value = int | float | str | None
"""A number; scikit-learn's estimators also take words, truth values and None."""


@dataclass(frozen=True)
class Grid:
    """Values of each hyper-parameter; a candidate is one combination.

    Candidates run through the axes with the first named outermost. A search gives ties to the
    first candidate, so each axis should list its values from simple to complex.

    Attributes
    ----------
    axes : tuple of (name, values)
        The hyper-parameters in the order in which they were named.
    """

    axes: tuple[tuple[str, tuple[Value, ...]], ...]

    @classmethod
    def of(cls, values: Mapping[str, Sequence[Value]]) -> Grid:
        """Make a grid from a mapping of names to values.

        Raises
        ------
        ValueError
            If a hyper-parameter has no value.
        """
        for name, axis in values.items():
            if len(axis) == 0:
                raise ValueError(f"hyper-parameter {name!r} has no value")
        return cls(tuple((name, tuple(axis)) for name, axis in values.items()))

    @property
    def candidates(self) -> list[dict[str, Value]]:
        """Every combination, in order."""
        names = [name for name, _ in self.axes]
        combinations = itertools.product(*(values for _, values in self.axes))
        return [dict(zip(names, c, strict=True)) for c in combinations]

    def axis(self, name: str) -> tuple[Any, ...] | None:
        """Return the values of one hyper-parameter, or None where the grid does not name it."""
        return dict(self.axes).get(name)

    def flatten(self, weights: FloatArray, names: Sequence[str]) -> FloatArray:
        """Bring an array with one axis a hyper-parameter into the order of the candidates.

        Parameters
        ----------
        weights : ndarray of shape (n_samples, len(axis of names[0]), ..., n_voters)
            Weights; a hyper-parameter of `names` that the grid lacks has length 1.
        names : sequence of str
            Hyper-parameter of each inner axis.

        Returns
        -------
        ndarray of shape (n_samples, n_candidates, n_voters)
            The path of every sample.
        """
        order = [names.index(name) for name, _ in self.axes]
        spare = [i for i in range(len(names)) if i not in order]
        moved = weights.transpose(0, *(1 + i for i in (*order, *spare)), weights.ndim - 1)
        return moved.reshape(weights.shape[0], -1, weights.shape[-1])
