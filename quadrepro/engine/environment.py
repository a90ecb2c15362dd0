"""What a process computes with: code, packages, processor."""

from __future__ import annotations

import platform
import subprocess
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from threadpoolctl import threadpool_info

import quadrepro
from quadrepro.base.code import versions
from quadrepro.core import compiling


@cache
def environment() -> dict[str, Any]:
    """Return what every record of this process says of how it was computed.

    Returns
    -------
    dict
        ``versions`` of packages; ``git``, see `commit_of`; ``system``; ``processor`` with its
        ``machine``, the wide vectors ``simd`` that numpy uses, and the cores for which the BLAS
        libraries in use were written; ``compiled``, whether loops were compiled.
    """
    extensions = np.show_config(mode="dicts").get("SIMD Extensions", {})
    libraries = {info.get("architecture", "") for info in threadpool_info()} - {""}
    return {
        "versions": versions(),
        "git": commit_of(Path(quadrepro.__file__).resolve().parent),
        "system": platform.platform(),
        "processor": {
            "machine": platform.machine(),
            "simd": extensions.get("found", []),
            "blas": sorted(libraries),
        },
        "compiled": compiling.enabled(),
    }


def utc_now() -> str:
    """Return the present time, as in 2026-01-31T12:00:00.000Z."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"


def commit_of(package: Path) -> dict[str, Any]:
    """Return the commit that a package is checked out at.

    Parameters
    ----------
    package : Path
        Folder of the package, below the root of the checkout.

    Returns
    -------
    dict
        The hash as ``commit``, and whether code, configs, cards or constraints differ from it as
        ``dirty``; results do not count. Empty outside a checkout.
    """
    parts = [package.name, "configs", "datasets", "constraints.txt"]

    def ask(*words: str) -> str:
        command = ["git", "-C", str(package.parent), *words]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()

    try:
        ask("ls-files", "--error-unmatch", f"{package.name}/__init__.py")
        commit = ask("rev-parse", "HEAD")
        return {"commit": commit, "dirty": bool(ask("status", "--porcelain", "--", *parts))}
    except (OSError, subprocess.CalledProcessError):
        return {}
