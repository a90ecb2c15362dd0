"""All registries of names, and the contracts of what they have.

A contract is a function of a name that raises AssertionError. quadrepro runs those of all that it
has itself, ``quadrepro check-extension`` those of a package, and an author from pytest::

    import pytest
    from quadrepro.plugins import contracts_of

    @pytest.mark.parametrize("contract", contracts_of("algorithms"))
    def test_my_algorithm(contract):
        contract("my-algorithm")
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from quadrepro.base.plugins import KINDS, Kind, Places

Contract = Callable[[str], None]
"""Takes the name of an entry, and raises AssertionError if it breaks the contract."""

__all__ = ["REGISTRIES", "Contract", "contracts_of", "title"]

REGISTRIES: Places[Places[Any]] = Places(
    "quadrepro",
    Places,
    {
        "algorithms": "core.learners.registry:ALGORITHMS",
        "measures": "core.measures.measure:MEASURES",
        "metrics": "engine.metrics:METRICS",
        "claims": "papers.claims:CLAIMS",
        "tables": "config.tables:KINDS",
        "sources": "data.sources.schema:SOURCES",
    },
)
"""The registry of every kind."""

CONTRACTS: Places[tuple[Contract, ...]] = Places(
    "quadrepro.plugins",
    tuple,
    {kind: f"contracts:OF_{kind.upper()}" for kind in KINDS},
)
"""The contracts of every kind."""


def contracts_of(kind: Kind) -> tuple[Contract, ...]:
    """Return the contracts of a kind.

    Parameters
    ----------
    kind : {"algorithms", "measures", "metrics", "claims", "tables", "sources"}
        What is registered.

    Returns
    -------
    tuple of callable
        Each takes a name, of quadrepro or of an installed package, and raises AssertionError if it
        breaks the contract. Other exceptions break it, too.

    Examples
    --------
    >>> for contract in contracts_of("sources"):
    ...     contract("openml")
    """
    return CONTRACTS[kind]


def title(contract: Contract) -> str:
    """Return the first line of a contract's docstring, without its full stop."""
    return (contract.__doc__ or "").partition("\n")[0].rstrip(".")
