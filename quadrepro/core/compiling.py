"""Compilation of loops.

A module of compiled loops is imported only where `enabled` is true. A loop is compiled for the
signature that is given, or read from the cache on disk, when it is first called. numba only notices
changes of the file of the function itself, so the folder of the cache is named by the hash of all
code that a module imports.
"""

from __future__ import annotations

import hashlib
import importlib
import os
import shutil
import sys
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from threading import RLock
from typing import Any, TypeVar, cast

from quadrepro.base.code import TWIN, files_of, hash_of

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


class Loop:
    """A function that is compiled when it is first called."""

    def __init__(self, function: Callable[..., Any], signature: str) -> None:
        self._function, self._signature = function, signature
        self._machine_code: Any = None

    def __call__(self, *arguments: Any) -> Any:
        """Call the machine code."""
        return (self._machine_code or self.compile())(*arguments)

    def compile(self) -> Any:
        """Return the machine code, from the cache on disk if it is there."""
        with _ONE_AT_A_TIME:
            if self._machine_code is None:
                before, start = _seconds[0], time.perf_counter()
                try:
                    self._machine_code = self._compile()
                finally:
                    # Also those of the loops that it calls.
                    _seconds[0] = before + time.perf_counter() - start
        return self._machine_code

    def _compile(self) -> Any:
        import numba

        function, config = self._function, cast(Any, numba.config)
        for name in function.__code__.co_names:
            called = function.__globals__.get(name)
            if isinstance(called, Loop):
                # numba can call nothing else.
                function.__globals__[name] = called.compile()
        folder = cache_folder(function.__module__)
        before, config.CACHE_DIR = config.CACHE_DIR, str(folder or "")
        try:
            decorator: Any = numba.njit(
                self._signature, cache=folder is not None, error_model="numpy"
            )
            return decorator(function)
        finally:
            config.CACHE_DIR = before


_ONE_AT_A_TIME = RLock()

_seconds = [0.0]
"""Time that this process has spent on machine code."""


def clock() -> float:
    """Return the seconds of a clock that stops while loops are compiled or read from disk."""
    return time.perf_counter() - _seconds[0]


def compiled(signature: str) -> Callable[[F], F]:
    """Return a decorator that compiles a function for one signature.

    The result of every operation is rounded as in numpy: nothing is reordered or fused.
    """

    def decorate(function: F) -> F:
        return cast(F, Loop(function, signature))

    return decorate


@cache
def cache_folder(module: str) -> Path | None:
    """Return the folder for the machine code of a module, or None if no folder can be written."""
    for folder in _folders(module):
        try:
            folder.mkdir(parents=True, exist_ok=True)
            os.utime(folder)
        except OSError:
            continue
        if os.access(folder, os.W_OK):
            _clean(folder.parent, folder.name.rpartition("-")[0])
            return folder
    return None


def _folders(module: str) -> list[Path]:
    """Return where the machine code of a module may be, the best place first."""
    switches = sorted(item for item in os.environ.items() if item[0].startswith("NUMBA_"))
    parts = (hash_of(files_of([module])), version("numba"), switches)
    made_of = hashlib.sha256(repr(parts).encode()).hexdigest()[:16]
    named = os.environ.get("NUMBA_CACHE_DIR")
    places = [named] if named else [Path(__file__).parent / "__pycache__", Path.home() / ".cache"]
    return [Path(place, f"quadrepro-{module.rpartition('.')[2]}-{made_of}") for place in places]


def _clean(place: Path, name: str) -> None:
    """Delete the folders of former code that no process has used for long."""
    for folder in place.glob(f"{name}-{'[0-9a-f]' * 16}"):
        # Another process may be deleting it.
        with suppress(FileNotFoundError):
            if folder.stat().st_mtime < time.time() - UNUSED:
                shutil.rmtree(folder, ignore_errors=True)


def warm(modules: Iterable[str]) -> None:
    """Compile all loops of modules of this package now, so that no limit of a cell counts it."""
    if enabled():
        for name in sorted(set(modules)):
            for loop in vars(importlib.import_module(f"quadrepro.core.{name}")).values():
                if isinstance(loop, Loop):
                    loop.compile()
