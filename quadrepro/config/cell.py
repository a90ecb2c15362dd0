"""A cell: all that a worker gets, and all that its result depends on.

Workers import this module, so it imports no more than they need.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from quadrepro._typing import FloatArray, NumberArray
from quadrepro.fingerprint import code_hash, versions
from quadrepro.measures.registry import find_measure

if TYPE_CHECKING:
    from quadrepro.config.protocol import Protocol
    from quadrepro.config.splits import Split
    from quadrepro.learners.base import Learner
    from quadrepro.learners.grid import Grid

Draws = tuple[int, str, int]
"""Seed, data set and repeat: the names of a split's draws begin with these."""


def key_of(content: Mapping[str, Any]) -> str:
    """Return the key of a cell with some content."""
    text = json.dumps(content, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


def made_by(learner: Learner, measures: Sequence[str]) -> dict[str, Any]:
    """Return what a key says of the code and the packages that a result depends on.

    Parameters
    ----------
    learner : Learner
        The algorithm.
    measures : sequence of str
        Names of what is measured of every candidate.

    Returns
    -------
    dict
        A hash as ``code``, and versions as ``packages``.
    """
    modules = [type(learner).__module__, *(f"quadrepro.kernels.{name}" for name in learner.kernels)]
    if measures:
        modules += ["quadrepro.measures.trained", *(find_measure(name).module for name in measures)]
    used = versions()
    packages = {name: used[name] for name in ("numpy", *learner.packages) if name in used}
    return {"code": code_hash(tuple(modules)), "packages": packages}


@dataclass(frozen=True, eq=False)
class Problem:
    """Examples and how they are divided.

    Attributes
    ----------
    X : ndarray of shape (n_rows, n_attributes)
        Attributes of the data set in its view, or of a fresh sample, as float64 or in a smaller
        type that holds the same numbers; NaN if a value is missing.
    y : ndarray of shape (n_rows,)
        Labels -1 and +1, or numbers.
    missing : {"mean", "low"}
        How missing values are filled; see `quadrepro.data.normalise.Normaliser`.
    split : Split
        Training rows with their folds, validation rows, test rows.
    origin : dict
        What the key of a cell says of the examples.
    truth : ndarray of shape (n_rows,) or None, default None
        The targets without their noise, if they are known.
    """

    X: NumberArray
    y: FloatArray
    missing: Literal["mean", "low"]
    split: Split
    origin: dict[str, Any]
    truth: FloatArray | None = None


@dataclass(frozen=True)
class Cell:
    """One data set, one algorithm, one repeat.

    Attributes
    ----------
    dataset, algorithm : str
        Row and column of the table.
    repeat : int
        Number of the repeat, from 0.
    problem : Problem
        The examples and their split.
    draws : tuple of (int, str, int)
        Beginning of the names of the split's draws, for `quadrepro.config.seeds.generator`.
    protocol : Protocol
        How the examples are prepared and how a candidate is chosen.
    learner : Learner
        The algorithm with its settings.
    grids : tuple of Grid
        The candidates.
    content : dict
        All that the result depends on.
    """

    dataset: str
    algorithm: str
    repeat: int
    problem: Problem = field(repr=False)
    draws: Draws
    protocol: Protocol
    learner: Learner
    grids: tuple[Grid, ...]
    content: dict[str, Any] = field(repr=False)

    @cached_property
    def key(self) -> str:
        """Hash of the content, under which the record is kept."""
        return key_of(self.content)

    def made_by(self) -> dict[str, Any]:
        """Return what the content says of code and packages, according to this process."""
        return made_by(self.learner, self.protocol.measures)

    @property
    def n_candidates(self) -> int:
        """Number of candidates."""
        return sum(map(len, self.grids))

    @cached_property
    def size(self) -> float:
        """A rough measure of the work, by which cells of one algorithm are compared."""
        return float(len(self.problem.split.train) * self.problem.X.shape[1] * self.n_candidates)
