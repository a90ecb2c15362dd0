"""Paths of the learners that solve programs, by the definitions of these in `tests.oracles`."""

from __future__ import annotations

from quadrepro.base.types import FloatArray

Problem = tuple[FloatArray, FloatArray]
