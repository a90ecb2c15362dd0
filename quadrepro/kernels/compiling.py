"""How loops are compiled, and whether they are.

A module of compiled loops is imported only where `enabled` is true. Its signatures are given, so
that the import compiles them, or reads them from numba's cache on disk.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable, Iterable
from functools import cache
from importlib.util import find_spec
from typing import Any, TypeVar, cast

SWITCH = "QUADREPRO_JIT"
"""Environment variable that turns compilation off if it is 0."""

F = TypeVar("F", bound=Callable[..., Any])


@cache
def enabled() -> bool:
    """Return whether this process compiles loops: numba is installed, and `SWITCH` is not 0."""
    return os.environ.get(SWITCH) != "0" and find_spec("numba") is not None


def compiled(signature: str) -> Callable[[F], F]:
    """Return a decorator that compiles a function for one signature.

    The result of every operation is rounded as in numpy: nothing is reordered or fused.

    Parameters
    ----------
    signature : str
        Types of the result and of the arguments, as numba writes them.
    """
    import numba

    def decorate(function: F) -> F:
        try:
            made = numba.njit(signature, cache=True, error_model="numpy")(function)
        except RuntimeError:  # no folder can be written to
            made = numba.njit(signature, error_model="numpy")(function)
        return cast(F, made)

    return decorate


def warm(modules: Iterable[str]) -> None:
    """Compile modules of this package now, so that workers find them in the cache on disk.

    Parameters
    ----------
    modules : iterable of str
        Their names, such as ``"quadboost"``.
    """
    if enabled():
        for name in sorted(set(modules)):
            importlib.import_module(f"quadrepro.kernels.{name}")
