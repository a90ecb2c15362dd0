"""What all learners share: hyper-parameters, settings, and the trainer that a search sees.

A learner is a frozen dataclass of its settings. Class attributes (`gives_votes`,
`takes_drawn_stumps`, `many_classes`, `draws`) say what it can do, so that no other room has to know
its class.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from math import inf
from typing import Any, ClassVar, Literal, Self

from quadrepro._typing import Task
from quadrepro.learners.grid import Grid, Value
from quadrepro.learners.training import Trainer, TrainingData


@dataclass(frozen=True)
class Hyperparameter:
    """One axis that the grid of a learner may have.

    Attributes
    ----------
    name : str
        Name in configs and estimators.
    kind : {"integer", "number", "any"}
        Type of its values. If it is "any", nothing is checked and the order is free.
    simple : {"small", "large"}
        Which end of the range gives the simpler model; a grid starts there.
    meaning : str
        One line for the user.
    zero : bool, default False
        Whether 0 is a valid value.
    optional : bool, default False
        Whether a grid may leave it out.
    smallest, largest : float, default 1e-100 and 1e100
        The smallest valid value other than 0, and the largest one. Beyond the default ends,
        squares and products of values leave the range of float64.
    """

    name: str
    kind: Literal["integer", "number", "any"]
    simple: Literal["small", "large"]
    meaning: str
    zero: bool = False
    optional: bool = False
    smallest: float = 1e-100
    largest: float = 1e100

    def fault(self, values: Sequence[Value]) -> str | None:
        """Return what is wrong with the values of an axis, or None if they are valid."""
        if self.kind == "any":
            return None
        numbers: list[float] = []
        for value in values:
            if isinstance(value, (str, bool, type(None))):
                return f"{self.name} takes numbers, not {value!r}"
            if not 0 <= value < inf or (value == 0 and not self.zero):
                low = "at least 0" if self.zero else "positive"
                return f"{self.name} must be {low} and finite, not {_shown(value)}"
            if value > self.largest:
                return f"{self.name} must be at most {self.largest:g}, not {_shown(value)}"
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


def _shown(value: float) -> str:
    """Return a number in words; an integer can be beyond the range of float64."""
    return f"{value:g}" if abs(value) < 1e300 or isinstance(value, float) else "a larger number"


N_ROUNDS = Hyperparameter("n_rounds", "integer", "small", "number of rounds T", largest=1e9)


@dataclass(frozen=True)
class Learner(ABC):
    """What a config names: its settings are fixed, and a grid gives its hyper-parameters.

    Attributes
    ----------
    version : int
        Raised whenever results change, so that an old record is never mistaken for a new one.
    gives_votes : bool
        Whether candidates are weights over voters, which some measures need.
    takes_drawn_stumps : bool
        Whether the learner can learn from stumps that are drawn in every round.
    many_classes : bool
        Whether the learner can tell more than two classes apart by itself.
    draws : bool
        Whether training may draw random numbers.
    takes_raw : bool
        Whether the learner can be asked to take categories and missing values as they are.
    uses_gram : bool
        Whether training needs the Gram matrix of the voters.
    former : mapping of str to str
        Settings that have been renamed: the former name and the present one.
    kernels : tuple of str
        Modules of `quadrepro.kernels` whose compiled loops training runs.
    packages : tuple of str
        Packages besides numpy whose versions results may depend on.
    """

    version: ClassVar[int] = 1
    gives_votes: ClassVar[bool]
    takes_drawn_stumps: ClassVar[bool] = False
    many_classes: ClassVar[bool] = False
    draws: ClassVar[bool] = False
    takes_raw: ClassVar[bool] = False
    uses_gram: ClassVar[bool] = False
    former: ClassVar[Mapping[str, str]] = {}
    kernels: ClassVar[tuple[str, ...]] = ()
    packages: ClassVar[tuple[str, ...]] = ()

    @property
    @abstractmethod
    def hyperparameters(self) -> tuple[Hyperparameter, ...]:
        """The hyper-parameters that a grid may name."""

    @abstractmethod
    def trainer(self, data: TrainingData, grids: Sequence[Grid]) -> Trainer:
        """Return the trainer of all candidates on the examples of one cell.

        Parameters
        ----------
        data : TrainingData
            Prepared examples, and the source of voters.
        grids : sequence of Grid
            The candidates, from simple to complex.

        Raises
        ------
        ValueError
            If the data cannot give the required voters.
        """

    @property
    def content(self) -> dict[str, Any]:
        """The settings that results depend on."""
        return asdict(self)

    @property
    def modules(self) -> tuple[str, ...]:
        """The modules whose code results depend on, see `quadrepro.fingerprint.code_hash`."""
        return (type(self).__module__, *(f"quadrepro.kernels.{name}" for name in self.kernels))

    @property
    def own_code(self) -> tuple[tuple[str, str], ...]:
        """Names and hashes of modules beside the config that results depend on."""
        return ()

    @property
    def categories(self) -> bool:
        """Whether nominal attributes stay codes, as they are before they are normalised."""
        return False

    @property
    def keeps_missing(self) -> bool:
        """Whether missing values stay NaN."""
        return False

    @property
    def task(self) -> Task:
        """What the learner predicts: one of two or more classes, or a number."""
        return "classification"

    def for_task(self, task: Task) -> Self | None:
        """Return this learner set up for a task, or None if it cannot do it.

        What tells two classes apart is set up for more: each of them is told from the rest.
        """
        return self if (task == "regression") == (self.task == "regression") else None

    def against_rest(self, task: Task) -> bool:
        """Whether the learner is trained once for every class, as it tells only two apart."""
        return task == "multiclass" and not self.many_classes

    def check(self, grid: Grid) -> None:
        """Raise ValueError if a grid does not fit the hyper-parameters."""
        known = {h.name: h for h in self.hyperparameters}
        for name, values in grid.axes:
            if name not in known:
                raise ValueError(f"{type(self).__name__} has no hyper-parameter {name!r}")
            if fault := known[name].fault(values):
                raise ValueError(fault)
        needed = [h.name for h in known.values() if not h.optional]
        if missing := [name for name in needed if grid.axis(name) is None]:
            raise ValueError(f"{type(self).__name__} needs a value of {', '.join(missing)}")

    def check_candidate(self, **candidate: Value) -> None:
        """Raise ValueError if a value of a hyper-parameter is invalid."""
        known = {h.name: h for h in self.hyperparameters}
        for name, value in candidate.items():
            if fault := known[name].fault([value]):
                raise ValueError(fault)
