"""What everything that can be named must keep to, as functions that raise AssertionError.

`contracts_of` gives the contracts of one kind, each a function of a name. quadrepro runs them for
all that it has itself, ``quadrepro check-extension`` for a package, and an author from pytest::

    import pytest
    from quadrepro.plugins import contracts_of

    @pytest.mark.parametrize("contract", contracts_of("algorithms"))
    def test_my_algorithm(contract):
        contract("my-algorithm")
"""

from __future__ import annotations

import importlib
from collections.abc import Callable

from quadrepro.base.plugins import Kind

Contract = Callable[[str], None]
"""Takes the name of an entry, and raises AssertionError if it breaks the contract."""

__all__ = ["Contract", "contracts_of", "title"]


def contracts_of(kind: Kind) -> tuple[Contract, ...]:
    """Return the contracts of a kind.

    Parameters
    ----------
    kind : {"algorithms", "voters", "measures", "metrics", "claims", "tables", "sources"}
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
    found: tuple[Contract, ...] = importlib.import_module(f"quadrepro.plugins.{kind}").CONTRACTS
    return found


def title(contract: Contract) -> str:
    """Return the first line of a contract's docstring, without its full stop."""
    return (contract.__doc__ or "").partition("\n")[0].rstrip(".")
