"""The code, packages and machine that a result depends on or was computed with."""

from __future__ import annotations

import platform
import subprocess
from datetime import UTC, datetime
from functools import cache
from typing import Any

import numpy as np

from quadrepro.base.code import PACKAGE, code_hash, versions_of
from quadrepro.core.measures.names import MEASURES
from quadrepro.core.metrics import find_metric
from quadrepro.core.protocol import Protocol
from quadrepro.core.training.contract import Learner

PACKAGES = ("quadrepro", "numpy", "scipy", "scikit-learn", "highspy", "piqp", "numba")
"""Packages whose versions a record keeps."""

PARTS = (PACKAGE.name, "configs", "datasets", "constraints.txt")
"""What decides results, below the folder of a checkout."""


def makers(learner: Learner, protocol: Protocol, voters: Learner | None = None) -> dict[str, Any]:
    """Return the code and the packages that a result depends on, as a key has them."""
    learners = [learner] if voters is None else [learner, voters]
    measures = (MEASURES[name].function.__module__ for name in protocol.measures)
    modules = {type(learner).__module__, *measures}
    if protocol.choose_by != "error":
        modules.add(find_metric.__module__)
    modules |= {name for one in learners for name in one.modules}
    own_code = tuple(pair for one in learners for pair in one.own_code)
    packages = ["numpy", "numba", *(name for one in learners for name in one.packages)]
    return {"code": code_hash(frozenset(modules), own_code), "packages": versions_of(packages)}


@cache
def environment() -> dict[str, Any]:
    """Return the versions and the machine of this process, which every record keeps."""
    extensions = np.show_config(mode="dicts").get("SIMD Extensions", {})
    return {
        "versions": {"python": platform.python_version(), **versions_of(PACKAGES)},
        "system": platform.platform(),
        "processor": {"machine": platform.machine(), "simd": extensions.get("found", [])},
    }


@cache
def commit() -> dict[str, Any]:
    """Return the commit that this package is checked out at; empty if it is not in a checkout."""

    def git(*words: str) -> str:
        command = ["git", "-C", str(PACKAGE.parent), *words]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()

    try:
        git("ls-files", "--error-unmatch", f"{PACKAGE.name}/__init__.py")
        changed = git("status", "--porcelain", "--", *PARTS)
        return {"commit": git("rev-parse", "HEAD"), "dirty": bool(changed)}
    except (OSError, subprocess.CalledProcessError):
        return {}


def utc_now() -> str:
    """Return the present time, as in 2026-01-31T12:00:00.000Z."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"
