"""numba's `njit` for the loops of this package, with a cache on disk that sees all of its code.

numba looks at the file of a function alone, but loops call loops of other files: the folder of the
cache is named by the hash of all files here. The result of every operation is rounded as in numpy,
and nothing is reordered or fused. With ``NUMBA_DISABLE_JIT=1`` the same code runs as Python.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
from numba.core import event

from quadrepro.base.code import PACKAGE, hash_of

F = TypeVar("F", bound=Callable[..., Any])

UNUSED = 30 * 24 * 3600
"""Age in seconds from which a folder of former code is deleted."""


def _cache_folder() -> Path:
    core = PACKAGE / "core"
    place = Path(os.environ.get("NUMBA_CACHE_DIR") or core / "__pycache__")
    folder = place / f"loops-{hash_of(core.rglob('*.py'))[:16]}"
    for other in place.glob("loops-*"):
        if other != folder and other.stat().st_mtime < time.time() - UNUSED:
            shutil.rmtree(other, ignore_errors=True)
    return folder


numba.config.CACHE_DIR = str(_cache_folder())  # type: ignore[attr-defined]

njit = cast(Callable[[F], F], numba.njit(cache=True, error_model="numpy"))

_compiling = event.TimingListener()  # type: ignore[no-untyped-call]
event.register("numba:compile", _compiling)  # type: ignore[no-untyped-call]


def clock() -> float:
    """Return the seconds of a clock that stops while loops are compiled."""
    return time.perf_counter() - (_compiling.duration if _compiling.done else 0.0)
