"""A cell: all that a worker gets, and all that its result depends on.

Workers import this module, so it imports no more than they need.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, Protocol

from quadrepro._typing import FloatArray, NumberArray, Task
from quadrepro.config.seeds import Draws
from quadrepro.extensions import distribution_of
from quadrepro.fingerprint import code_hash, own_modules, versions_of
from quadrepro.measures.registry import find_measure
from quadrepro.voters.registry import find_voter_set

if TYPE_CHECKING:
    from quadrepro.config import protocol
    from quadrepro.config.splits import Split
    from quadrepro.learners.base import Learner
    from quadrepro.learners.grid import Grid


def key_of(content: Mapping[str, Any]) -> str:
    """Return the key of a cell with some content."""
    return _key(_items(content))


def made_by(learner: Learner, measures: Sequence[str], voter_set: str = "") -> dict[str, Any]:
    """Return what a key says of the code and the packages that a result depends on.

    Parameters
    ----------
    learner : Learner
        The algorithm.
    measures : sequence of str
        Names of what is measured of every candidate.
    voter_set : str, default ""
        Name of the voter set, if the protocol names one.

    Returns
    -------
    dict
        A hash as ``code``, and versions as ``packages``.
    """
    modules, packages = [*learner.modules], ["numpy", *learner.packages]
    named = [type(learner).__module__, *(find_measure(name).module for name in measures)]
    if measures:
        modules.append("quadrepro.measures.trained")
    if voter_set:
        modules.append("quadrepro.learners.voter_sets")
        packages.append("scikit-learn")
        named.append(find_voter_set(voter_set).module)
    others = [name for name in named if not name.startswith("quadrepro.")]
    added = {name: found for name in others if (found := distribution_of(name))}
    modules += [*named, *own_modules(added)]
    packages += added.values()
    return {"code": code_hash(tuple(modules), learner.own_code), "packages": versions_of(packages)}


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
    classes : tuple of str
        Names of the classes in the order of their codes; empty if numbers are predicted.
    truth : ndarray of shape (n_rows,) or None, default None
        The targets without their noise, if they are known.
    n_codes : tuple of int, default ()
        Of each column of `X` the number of codes whose positions it holds; 0 for numbers.
    """

    X: NumberArray
    y: FloatArray
    missing: Literal["mean", "low"]
    split: Split
    classes: tuple[str, ...]
    truth: FloatArray | None = None
    n_codes: tuple[int, ...] = ()

    @property
    def task(self) -> Task:
        """What is predicted."""
        if not self.classes:
            return "regression"
        return "classification" if len(self.classes) == 2 else "multiclass"


class Source(Protocol):
    """Makes the problems of a row: nothing is read or drawn before it is asked for."""

    @property
    def sizes(self) -> tuple[int, int, int]:
        """The sizes of the training, validation and test part."""

    def problem(self, draws: Draws) -> Problem:
        """Return the problem of one repeat.

        Raises
        ------
        ConfigError
            If the view does not fit the data.
        DataError
            If the data cannot be read or differ from their card.
        """

    def origin(self, draws: Draws) -> dict[str, Any]:
        """Return what the key of a cell says of the examples of one repeat."""

    @property
    def examples(self) -> Examples | None:
        """What its problems share; None if they share nothing."""


class Examples(Protocol):
    """Examples that several problems share."""

    def let_go(self) -> None:
        """Forget the examples; they are read again if they are asked for again."""


@dataclass(frozen=True, eq=False)
class Shared:
    """What the contents of several cells have in common, serialised only once.

    Attributes
    ----------
    fields : dict
        A part of `Cell.content`.
    """

    fields: dict[str, Any]

    @cached_property
    def items(self) -> dict[str, str]:
        """Name and value of each field as JSON, by name."""
        return _items(self.fields)


@dataclass(frozen=True)
class Cell:
    """One data set, one algorithm, one repeat.

    Attributes
    ----------
    experiment : str
        The experiment whose cell it is.
    dataset, algorithm : str
        Row and column of the table.
    repeat : int
        Number of the repeat, from 0.
    source : Source or Problem
        What makes the examples and their split, or these themselves once the cell is ready.
    draws : tuple of (int, str, int)
        Beginning of the names of the split's draws, for `quadrepro.config.seeds.generator`.
    protocol : Protocol
        How the examples are prepared and how a candidate is chosen.
    learner : Learner
        The algorithm with its settings.
    grids : tuple of Grid
        The candidates.
    size : float
        A rough measure of the work, by which cells of one algorithm are compared.
    shared : Shared
        What the result depends on, as far as other repeats share it.
    own : dict
        What else it depends on. That of the examples is added when the cell is made ready.
    """

    experiment: str
    dataset: str
    algorithm: str
    repeat: int
    source: Source | Problem = field(repr=False)
    draws: Draws
    protocol: protocol.Protocol
    learner: Learner
    grids: tuple[Grid, ...]
    size: float
    shared: Shared = field(repr=False)
    own: dict[str, Any] = field(repr=False)

    @property
    def problem(self) -> Problem:
        """The examples and their split, made again every time unless the cell is ready."""
        return self.source if isinstance(self.source, Problem) else self.source.problem(self.draws)

    @property
    def content(self) -> dict[str, Any]:
        """All that the result depends on."""
        return self.shared.fields | self._own

    @cached_property
    def key(self) -> str:
        """Hash of the content, under which the record is kept."""
        return _key(self.shared.items | _items(self._own))

    @property
    def name(self) -> str:
        """What messages call it: data set, algorithm and repeat."""
        return f"{self.dataset}, {self.algorithm}, repeat {self.repeat}"

    def made_by(self) -> dict[str, Any]:
        """Return what the content says of code and packages, according to this process."""
        return made_by(self.learner, self.protocol.measures, self.protocol.named_voters[0])

    @property
    def n_candidates(self) -> int:
        """Number of candidates."""
        return sum(map(len, self.grids))

    def ready(self) -> Cell:
        """Return the cell with its examples, as a worker needs it."""
        return replace(self, source=self.problem, own=self._own)

    @property
    def _own(self) -> dict[str, Any]:
        if isinstance(self.source, Problem):
            return self.own
        return self.own | self.source.origin(self.draws)


def make_ready(cells: Iterable[Cell], among: Iterable[Cell]) -> Iterator[Cell]:
    """Yield cells with their examples, and let go of examples that no later cell has.

    Parameters
    ----------
    cells : iterable of Cell
        The cells in the order in which they are computed.
    among : iterable of Cell
        The same cells in any order.
    """
    left = Counter(_examples(cell) for cell in among)
    for cell in cells:
        yield cell.ready()
        examples = _examples(cell)
        left[examples] -= 1
        if examples is not None and not left[examples]:
            examples.let_go()


def _examples(cell: Cell) -> Examples | None:
    return None if isinstance(cell.source, Problem) else cell.source.examples


def _key(items: Mapping[str, str]) -> str:
    # Joined in the order of their names, items are the JSON of the whole with sorted keys.
    text = "{" + ", ".join(items[name] for name in sorted(items)) + "}"
    return hashlib.sha256(text.encode()).hexdigest()


def _items(fields: Mapping[str, Any]) -> dict[str, str]:
    return {
        name: f'"{name}": {json.dumps(value, sort_keys=True, ensure_ascii=False)}'
        for name, value in fields.items()
    }
