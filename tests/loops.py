"""Turning compiled loops on and off, and numbers to compare them on."""

from __future__ import annotations

from importlib.util import find_spec

import numpy as np
import pytest

from quadrepro.base.types import FloatArray
from quadrepro.core import compiling

SIZES = [1, 2, 7, 8, 9, 64, 131]
"""Lengths of arrays below, at and above those of vector registers."""


def set_compiled(patch: pytest.MonkeyPatch, wanted: bool) -> None:
    """Let loops be compiled or not until the patch is undone; they cannot be without numba."""
    found = wanted and find_spec("numba") is not None
    patch.setattr(compiling, "enabled", lambda: found)


def drawn(seed: int, *shape: int) -> FloatArray:
    """Return numbers of all sizes, zeros of both signs among them."""
    rng = np.random.default_rng(seed)
    numbers = rng.normal(size=shape) * 10.0 ** rng.integers(-6, 6, shape)
    return np.where(rng.random(shape) < 0.1, np.copysign(0.0, numbers), numbers)
