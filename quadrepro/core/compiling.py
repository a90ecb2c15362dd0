"""Compilation of loops.

A module of compiled loops is imported only where `enabled` is true. Its signatures are given, so
that the import compiles them, or reads them from the cache on disk. numba only notices changes of
the file of the function itself, so the folder of the cache is named by the hash of all code that a
module imports.
"""

from __future__ import annotations

import hashlib
import importlib
import os
import shutil
import sys
import time
from collections.abc import Callable, Iterable
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeVar, cast

from quadrepro.base.code import TWIN, hash_of_code, modules_of

UNUSED = 30 * 24 * 3600
"""Seconds without use after which a folder of the cache is deleted."""

SWITCH = "QUADREPRO_JIT"
"""Environment variable that turns compilation off if it is 0."""

F = TypeVar("F", bound=Callable[..., Any])


@cache
def enabled() -> bool:
    """Return whether this process compiles loops: numba is installed, and `SWITCH` is not 0."""
    return os.environ.get(SWITCH) != "0" and find_spec("numba") is not None


def beside(module: str) -> Any:
    """Return the compiled loops of a module, or None where loops are not compiled."""
    if not enabled():
        return None
    return sys.modules.get(module + TWIN) or importlib.import_module(module + TWIN)


def compiled(signature: str) -> Callable[[F], F]:
    """Return a decorator that compiles a function for one signature.

    The result of every operation is rounded as in numpy: nothing is reordered or fused.
    """
    import numba

    config: Any = numba.config

    def decorate(function: F) -> F:
        folder = cache_folder(function.__module__)
        before, config.CACHE_DIR = config.CACHE_DIR, str(folder or "")
        try:
            decorator = numba.njit(signature, cache=folder is not None, error_model="numpy")
            return cast(F, decorator(function))
        finally:
            config.CACHE_DIR = before

    return decorate


@cache
def cache_folder(module: str) -> Path | None:
    """Return the folder for the machine code of a module, or None if no folder can be written."""
    switches = sorted(item for item in os.environ.items() if item[0].startswith("NUMBA_"))
    parts = (hash_of_code(modules_of([module])), version("numba"), switches)
    made_of = hashlib.sha256(repr(parts).encode()).hexdigest()[:16]
    named = os.environ.get("NUMBA_CACHE_DIR")
    places = [named] if named else [Path(__file__).parent / "__pycache__", Path.home() / ".cache"]
    name = f"quadrepro-{module.rpartition('.')[2]}"
    for place in places:
        folder = Path(place, f"{name}-{made_of}")
        try:
            folder.mkdir(parents=True, exist_ok=True)
            os.utime(folder)
        except OSError:
            continue
        if os.access(folder, os.W_OK):
            _clean(folder.parent, name)
            return folder
    return None


def _clean(place: Path, name: str) -> None:
    """Delete the folders of former code that no process has used for long."""
    for folder in place.glob(f"{name}-{'[0-9a-f]' * 16}"):
        if folder.stat().st_mtime < time.time() - UNUSED:
            shutil.rmtree(folder, ignore_errors=True)


def warm(modules: Iterable[str]) -> None:
    """Compile modules of this package now, so that workers find them in the cache on disk."""
    if enabled():
        for name in sorted(set(modules)):
            importlib.import_module(f"quadrepro.core.{name}")
