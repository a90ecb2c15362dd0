"""The voter sets that a config can name.

An entry gives the module of its voters, which is imported only when it is needed.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from inspect import signature
from pathlib import Path
from typing import Any, ClassVar

from quadrepro.base.registry import Registry
from quadrepro.core.voters.imported import ImportedVoters, needs_labels

SEED = "random_state"
"""The parameter for the seed."""


@dataclass(frozen=True)
class VoterSetEntry:
    """One voter set as a config names it."""

    maker: Callable[..., Any]
    """The class, a transformer with scikit-learn's interface."""
    label: str
    """Name of the voters in captions."""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    """Its parameters in a config."""

    packages = ("scikit-learn",)
    own_code: ClassVar[tuple[tuple[str, str], ...]] = ()
    files: ClassVar[tuple[Path, ...]] = ()

    @property
    def modules(self) -> tuple[str, ...]:
        """The modules whose code the voters depend on."""
        return (self.maker.__module__,)

    @property
    def names(self) -> Collection[str]:
        """Names of its parameters."""
        return signature(self.maker).parameters

    def make(self, seed: Callable[[], int]) -> Any:
        """Return the voter set, not fitted."""
        drawn = SEED in self.names and self.parameters.get(SEED) is None
        return self.maker(**self.parameters, **({SEED: seed()} if drawn else {}))

    @property
    def needs_labels(self) -> bool:
        """Whether the voters are learned from labels, so that every fold has its own."""
        return needs_labels(self.maker())


VOTER_SETS: Registry[VoterSetEntry] = Registry(
    "voter set",
    {
        "stumps": "stumps:STUMPS",
        "drawn-stumps": "stumps:DRAWN_STUMPS",
        "conjunctions": "conjunctions:CONJUNCTIONS",
        "trees": "trees:TREES",
    },
    "quadrepro.core.voters",
)
"""The voter sets; each declares its entry in its own file."""


def find_voters(
    name: str, parameters: Mapping[str, Any], folder: str = ""
) -> VoterSetEntry | ImportedVoters:
    """Return the entry of a voter set, or of a transformer by its import path."""
    if ":" in name:
        return ImportedVoters(name, parameters, folder)
    return replace(VOTER_SETS.find(name), parameters=parameters)
