"""numba's `njit` for the loops of this package, which are compiled when they are first called.

numba is slow to import, and is only imported then. Its cache depends on the file of a function
alone, but loops call loops of other files; the folder of the cache on disk is therefore named by
the hash of all files in `quadrepro.core`. The result of every operation is rounded as in numpy, and
nothing is reordered or fused. With ``NUMBA_DISABLE_JIT=1`` the same code runs as Python.
"""

from __future__ import annotations

import functools
import os
import shutil
import stat
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

from quadrepro.base.code import PACKAGE, hash_of_files

F = TypeVar("F", bound=Callable[..., Any])

UNUSED = 30 * 24 * 3600
"""Age in seconds after which a folder of former code is deleted."""


class _Loop:
    """A function that is compiled by its first call, from Python or from a compiled function."""

    def __init__(self, function: Callable[..., Any], inline: str = "never") -> None:
        functools.update_wrapper(self, function)
        # numba reads these names to inline the function.
        self.py_func, self.targetoptions = function, {"inline": inline}

    def __call__(self, *args: Any) -> Any:
        return self._compiled(*args)

    @functools.cached_property
    def _compiled(self) -> Any:
        import numba

        # numba reads the folder when it makes the function. It is set for this function alone, and
        # not for functions of the user.
        before, folder = numba.config.CACHE_DIR, _cache_folder()  # type: ignore[attr-defined]
        numba.config.CACHE_DIR = folder  # type: ignore[attr-defined]
        try:
            options: Any = {"cache": bool(folder), "error_model": "numpy"} | self.targetoptions
            return numba.njit(**options)(self.py_func)
        finally:
            numba.config.CACHE_DIR = before  # type: ignore[attr-defined]

    def __reduce__(self) -> str:
        return self.py_func.__qualname__

    @property
    def _numba_type_(self) -> Any:
        """The type by which numba calls the function from a compiled one."""
        return self._compiled._numba_type_


def njit(function: F) -> F:
    """Compile a function when it is first called."""
    return cast("F", _Loop(function))


def inlined(function: F) -> F:
    """Compile a function as `njit` does, as a part of each compiled function that calls it.

    It saves the references that numba counts when arrays are passed in a tuple.
    """
    return cast("F", _Loop(function, "always"))


@functools.cache
def _cache_folder() -> str:
    """Return the folder of compiled loops, or an empty text if none is writable.

    It is in ``NUMBA_CACHE_DIR``, or next to the code. If these are read-only, it is a temporary
    folder to which only this user can write, as its content is executed.
    """
    core = PACKAGE / "core"
    name = f"loops-{hash_of_files(core.rglob('*.py'))[:16]}"
    place = Path(os.environ.get("NUMBA_CACHE_DIR") or core / "__pycache__")
    if not _is_writable(place / name):
        place = Path(tempfile.gettempdir(), f"quadrepro-{os.getuid()}")
        if not (_is_ours(place) and _is_writable(place / name)):
            return ""
    for other in place.glob("loops-*"):
        if other.name != name and other.stat().st_mtime < time.time() - UNUSED:
            shutil.rmtree(other, ignore_errors=True)
    return str(place / name)


def _is_ours(folder: Path) -> bool:
    """Make a folder, and return whether no other user can write to it."""
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
    except OSError:
        return False
    state = folder.lstat()
    is_folder = stat.S_ISDIR(state.st_mode)
    return is_folder and state.st_uid == os.getuid() and not state.st_mode & 0o022


def _is_writable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
    except OSError:
        return False
    return True


@functools.cache
def _compiling() -> Any:
    """Return numba's listener that adds up the time of compiling since the first call."""
    from numba.core import event

    listener = event.TimingListener()  # type: ignore[no-untyped-call]
    event.register("numba:compile", listener)  # type: ignore[no-untyped-call]
    return listener


def clock() -> float:
    """Return the seconds of a clock that stops while loops are compiled."""
    compiling = _compiling()
    return time.perf_counter() - (compiling.duration if compiling.done else 0.0)
