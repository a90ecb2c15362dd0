"""The voter sets that a config can name.

An entry gives the module of its voters, which is imported only when it is needed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from inspect import signature
from typing import Any

from quadrepro.base.plugins import Places

SEED = "random_state"
"""The parameter for the seed."""


@dataclass(frozen=True)
class VoterSetEntry:
    """One voter set as a config names it."""

    maker: Callable[..., Any]
    """The class, a transformer with scikit-learn's interface."""
    label: str
    """Name of the voters in captions."""

    @property
    def module(self) -> str:
        """The module whose code the voters depend on."""
        return self.maker.__module__

    @property
    def parameters(self) -> dict[str, Any]:
        """Names and defaults of its parameters."""
        return {p.name: p.default for p in signature(self.maker).parameters.values()}

    def make(self, parameters: Mapping[str, Any], seed: Callable[[], int]) -> Any:
        """Return the voter set, not fitted."""
        drawn = SEED in self.parameters and parameters.get(SEED) is None
        return self.maker(**parameters, **({SEED: seed()} if drawn else {}))

    @property
    def needs_labels(self) -> bool:
        """Whether the voters are learned from labels, so that every fold has its own."""
        from sklearn.utils import get_tags

        return bool(get_tags(self.maker()).target_tags.required)


VOTER_SETS: Places[VoterSetEntry] = Places(
    "quadrepro.core.voters",
    VoterSetEntry,
    {
        "stumps": "stumps:STUMPS",
        "drawn-stumps": "stumps:DRAWN_STUMPS",
        "conjunctions": "conjunctions:CONJUNCTIONS",
        "trees": "trees:TREES",
    },
    kind="voters",
    meaning="label",
)
"""The voter sets of quadrepro itself; each declares its entry in its own file."""
