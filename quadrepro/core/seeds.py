"""Named random draws: each depends on its name and the seed, and on nothing else."""

from __future__ import annotations

import hashlib

import numpy as np

Draws = tuple[int, str, int]
"""Seed, data set and repeat: the names of a split's draws begin with these."""


def generator(seed: int, *coordinates: str | int) -> np.random.Generator:
    """Return the random generator for one purpose.

    Parameters
    ----------
    seed : int
        Seed of the experiment, from 0 to 2**32 - 1.
    *coordinates : str or int
        The name of the draw: data set, repeat, purpose.

    Returns
    -------
    numpy.random.Generator
        The same names always give the same draws, whatever was drawn before and on any number of
        workers.

    Examples
    --------
    >>> int(generator(0, "monks", 0, "split").integers(100))
    54
    """
    name = "\x1f".join(str(c) for c in coordinates)
    words = np.frombuffer(hashlib.sha256(name.encode()).digest(), dtype="<u4")
    return np.random.default_rng(np.random.SeedSequence([seed, *words.tolist()]))
