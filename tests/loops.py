"""Turning compiled loops on and off, for tests of what must not depend on them."""

from __future__ import annotations

from importlib.util import find_spec

import pytest

from quadrepro.core import compiling


def set_compiled(patch: pytest.MonkeyPatch, wanted: bool) -> None:
    """Let loops be compiled or not until the patch is undone; they cannot be without numba."""
    found = wanted and find_spec("numba") is not None
    patch.setattr(compiling, "enabled", lambda: found)
