"""Voters as a config names them: by the import path of a transformer."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from quadrepro.core.learners.contestants.building import build, names, parts, paths_in, settle
from quadrepro.core.learners.contestants.paths import (
    check_path,
    distributions_of,
    find_maker,
    hashes_of,
    modules_of,
    own_code,
    own_file,
)


def needs_labels(voters: Any) -> bool:
    """Return whether voters are learned from labels, so that every fold has its own."""
    from sklearn.utils import get_tags

    return hasattr(voters, "__sklearn_tags__") and bool(get_tags(voters).target_tags.required)


@dataclass(frozen=True)
class ImportedVoters:
    """A transformer with values in [-1, 1]; code of the config's folder is imported in cells."""

    path: str
    parameters: Mapping[str, Any]
    """Its parameters, which may name further estimators."""
    folder: str = ""

    def __post_init__(self) -> None:
        check_path(self.path, self.folder)
        installed = own_file(self.path, self.folder) is None
        if installed and not hasattr(find_maker(self.path), "transform"):
            raise KeyError(f"{self.path} is not a transformer")

    @property
    def label(self) -> str:
        """Name of the voters in captions."""
        return self.path.partition(":")[2]

    @property
    def names(self) -> Collection[str]:
        """Names of its parameters; those given may be more than its text declares."""
        return names(self.path, self.parameters, self.folder)

    def make(self, seed: Callable[[], int]) -> Any:
        """Return the voter set, not fitted."""
        made = build(self.path, self.parameters, self.folder)
        for part in parts(made):
            settle(part, seed())
        return made

    @property
    def modules(self) -> tuple[str, ...]:
        """The installed modules whose code the voters depend on."""
        return tuple(name for path in self._paths for name in modules_of(path, self.folder))

    @property
    def own_code(self) -> tuple[tuple[str, str], ...]:
        """The modules of the config's folder that they depend on."""
        return hashes_of(self._paths, self.folder)

    @property
    def files(self) -> tuple[Path, ...]:
        """The files of these modules."""
        return (*own_code(self._paths, self.folder).values(),)

    @property
    def packages(self) -> tuple[str, ...]:
        """The packages whose versions they depend on."""
        found = (name for path in self._paths for name in distributions_of(path, self.folder))
        return ("scikit-learn", *found)

    @property
    def _paths(self) -> tuple[str, ...]:
        return paths_in(self.path, self.parameters)
