"""The versions that a record keeps."""

from __future__ import annotations

import platform
from functools import cache
from importlib.metadata import version

RECORDED_PACKAGES = ("quadrepro", "numpy", "scipy", "scikit-learn", "highspy", "piqp", "daqp")


@cache
def _versions() -> dict[str, str]:
    return {"python": platform.python_version(), **{p: version(p) for p in RECORDED_PACKAGES}}


def versions() -> dict[str, str]:
    """Return the versions of Python and of the packages that results depend on."""
    return dict(_versions())
