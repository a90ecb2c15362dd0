"""Named random draws: each depends on its name and the seed, and on nothing else."""

from __future__ import annotations

import hashlib

import numpy as np

Draws = tuple[int, str, int]
"""Seed, data set and repeat: the names of a split's draws begin with these."""


def generator(seed: int, *coordinates: str | int) -> np.random.Generator:
    """Return the random generator for one purpose.

    Examples
    --------
    >>> int(generator(0, "monks", 0, "split").integers(100))
    54
    """
    name = "\x1f".join(str(c) for c in coordinates)
    words = np.frombuffer(hashlib.sha256(name.encode()).digest(), dtype="<u4")
    return np.random.default_rng(np.random.SeedSequence([seed, *words.tolist()]))
