"""One measure: what it is called, what it needs, and where its function is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from quadrepro._typing import FloatArray
    from quadrepro.measures.trained import Trained


@dataclass(frozen=True)
class Measure:
    """A number that is kept of every candidate of a path.

    Attributes
    ----------
    title : str
        What tables and figures call it.
    function : str or callable
        A function that takes a `Trained` and returns an array of shape (n_candidates,), or its
        ``"module:name"`` below `quadrepro.measures`, which is imported when the measure is first
        taken, so that a config loads only what it measures.
    needs : {"scores", "voters"}, default "scores"
        What it is measured on: the scores of any learner, or the voters and weights of a vote.
    direction : {"lower", "higher"} or None, default "lower"
        Which values are better; None if neither are.
    every_round : bool, default False
        Whether it is only right if the candidates are 1, 2, 3, ... rounds.
    version : int, default 1
        Raised when its values change, so that cells with it are computed again.
    """

    title: str
    function: str | Callable[[Trained], FloatArray]
    needs: Literal["scores", "voters"] = "scores"
    direction: Literal["lower", "higher"] | None = "lower"
    every_round: bool = False
    version: int = 1

    @property
    def module(self) -> str:
        """Name of the module of its function."""
        if isinstance(self.function, str):
            return f"quadrepro.measures.{self.function.split(':')[0]}"
        return self.function.__module__

    @property
    def needs_votes(self) -> bool:
        """Whether only a vote over voters can be measured by it."""
        return self.needs == "voters"

    def __call__(self, trained: Trained) -> FloatArray:
        """Return the measure of every candidate, shape (n_candidates,).

        Raises
        ------
        ValueError
            If it needs votes and the learner has none.
        """
        named = self.function
        function = resolve_name(f"quadrepro.measures.{named}") if isinstance(named, str) else named
        values: FloatArray = function(trained)
        return values
