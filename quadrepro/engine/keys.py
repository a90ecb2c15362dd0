"""The code, packages and machine that a result depends on or was computed with."""

from __future__ import annotations

import platform
import subprocess
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from threadpoolctl import threadpool_info

from quadrepro.base.code import code_hash, versions, versions_of
from quadrepro.core import compiling
from quadrepro.core.cell import Cell
from quadrepro.core.learners.learner import Learner
from quadrepro.core.measures.measure import MEASURES


@cache
def environment() -> dict[str, Any]:
    """Return the environment of this process, which every record keeps."""
    extensions = np.show_config(mode="dicts").get("SIMD Extensions", {})
    libraries = {info.get("architecture", "") for info in threadpool_info()} - {""}
    return {
        "versions": versions(),
        "git": commit_of(Path(__file__).resolve().parents[1]),
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
    """Return the commit that a package is checked out at."""
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


def made_by(cell: Cell) -> dict[str, Any]:
    """Return the hash of the code and the versions that a cell depends on, in this process."""
    return makers(cell.learner, cell.protocol.measures, cell.voters)


def makers(
    learner: Learner, measures: Sequence[str], voters: Learner | None = None
) -> dict[str, Any]:
    """Return the code and the packages that a result depends on, as a key has them."""
    both = [learner] if voters is None else [learner, voters]
    modules = [name for of in both for name in of.modules]
    packages = ["numpy", *(name for of in both for name in of.packages)]
    own_code = tuple(pair for of in both for pair in of.own_code)
    modules += [type(learner).__module__, *(MEASURES.find(name).module for name in measures)]
    return {"code": code_hash(tuple(modules), own_code), "packages": versions_of(packages)}
