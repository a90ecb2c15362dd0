"""What a config names by import path: learners, and algorithms among them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from quadrepro.core.learners.contestants.paths import (
    distributions_of,
    find_maker,
    hashes_of,
    modules_of,
)
from quadrepro.core.learners.grid import Hyperparameter, Value
from quadrepro.core.learners.learner import Algorithm, Entry, Learner


class Imported(Learner):
    """A learner whose code a config names by import paths."""

    folder: str
    paths: tuple[str, ...]

    @property
    def modules(self) -> tuple[str, ...]:
        """The modules of quadrepro whose code results depend on."""
        return (*super().modules, *modules_of(self.paths, self.folder))

    @property
    def own_code(self) -> tuple[tuple[str, str], ...]:
        """Names and hashes of the files in the config's folder that are run."""
        return hashes_of(self.paths, self.folder)

    @property
    def packages(self) -> tuple[str, ...]:  # type: ignore[override]
        """The packages that the code comes from."""
        return distributions_of(self.paths, self.folder)


@dataclass(frozen=True)
class ImportedAlgorithm(Imported):
    """A subclass of `Algorithm` that is imported only where cells are computed."""

    gives_votes = True
    takes_drawn_stumps = True

    path: str
    """The import path."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """Fields of the class."""
    folder: str = ""
    """The folder of the config."""
    searched: tuple[str, ...] = ()
    """The hyper-parameters that the config gives values of; the class checks them."""

    @property
    def paths(self) -> tuple[str, ...]:  # type: ignore[override]
        """The import path."""
        return (self.path,)

    @property
    def content(self) -> dict[str, Any]:
        """What results depend on: not the folder, but the code in it."""
        return {"path": self.path, "settings": self.settings}

    @property
    def hyperparameters(self) -> tuple[Hyperparameter, ...]:
        """Those that the config gives values of."""
        meaning = f"hyper-parameter of {self.path}"
        return tuple(Hyperparameter(name, "any", "small", meaning) for name in self.searched)

    def made(self) -> Learner:
        """Return the imported algorithm."""
        found = cast(type[Algorithm], find_maker(self.path, self.folder))
        return Entry(found, "", self.path).make(dict(self.settings))

    def try_code(self, candidate: Mapping[str, Value]) -> None:
        """Import and make the algorithm, and check a candidate."""
        self.made().check_candidate(**candidate)
