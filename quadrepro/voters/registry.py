"""The voter sets that a config can name.

An entry gives the module of its voters, which is imported only when it is needed.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from inspect import signature
from typing import TYPE_CHECKING, Any

from quadrepro import extensions

if TYPE_CHECKING:
    from quadrepro.voters.voter_set import VoterSet

SEED = "random_state"
"""The parameter that says where random numbers come from."""


@dataclass(frozen=True)
class VoterSetEntry:
    """One voter set as a config names it.

    Attributes
    ----------
    home : str or type
        Module and class, such as ``"quadrepro.voters.trees:Trees"``, or the class itself.
    label : str
        What captions call the voters.
    """

    home: str | type[Any]
    label: str

    @property
    def maker(self) -> Callable[..., VoterSet]:
        """The class, a transformer with scikit-learn's interface."""
        if isinstance(self.home, type):
            return self.home
        module, _, name = self.home.partition(":")
        found: Callable[..., VoterSet] = getattr(importlib.import_module(module), name)
        return found

    @property
    def module(self) -> str:
        """The module whose code the voters depend on."""
        return self.maker.__module__

    @property
    def parameters(self) -> dict[str, Any]:
        """Names and defaults of its parameters."""
        return {p.name: p.default for p in signature(self.maker).parameters.values()}

    def make(self, parameters: Mapping[str, Any], seed: Callable[[], int]) -> VoterSet:
        """Return the voter set, not fitted.

        Parameters
        ----------
        parameters : mapping of str to Any
            Parameters of the class.
        seed : callable
            Returns the value of ``random_state``, if the class has it and it is not given.
        """
        drawn = SEED in self.parameters and parameters.get(SEED) is None
        return self.maker(**parameters, **({SEED: seed()} if drawn else {}))

    @property
    def needs_labels(self) -> bool:
        """Whether the voters are learned from labels, so that every fold has its own."""
        from sklearn.utils import get_tags

        return bool(get_tags(self.maker()).target_tags.required)


VOTER_SETS: dict[str, VoterSetEntry] = {
    "stumps": VoterSetEntry("quadrepro.voters.stumps:Stumps", "decision stumps"),
    "drawn-stumps": VoterSetEntry("quadrepro.voters.drawn:DrawnStumps", "random decision stumps"),
    "conjunctions": VoterSetEntry(
        "quadrepro.voters.conjunctions:Conjunctions", "decision stumps and conjunctions of them"
    ),
    "trees": VoterSetEntry("quadrepro.voters.trees:Trees", "small decision trees"),
}


def find_voter_set(name: str) -> VoterSetEntry:
    """Return the entry of a voter set.

    Raises
    ------
    KeyError
        If there is none; the message gives the nearest name.
    ConfigError
        If an extension cannot be used.
    """
    return extensions.look_up("voters", name, VOTER_SETS, VoterSetEntry, "voter set")
