"""Random draws that depend on what they are for and on nothing else."""

from __future__ import annotations

import hashlib

import numpy as np


def generator(seed: int, *coordinates: str | int) -> np.random.Generator:
    """Return the generator of one named purpose.

    Parameters
    ----------
    seed : int
        Seed of the experiment.
    *coordinates : str or int
        Name of the draw: data set, repeat, purpose.

    Returns
    -------
    numpy.random.Generator
        The same for the same names, whatever was drawn before and on how many workers.
    """
    name = "\x1f".join(str(c) for c in coordinates)
    words = np.frombuffer(hashlib.sha256(name.encode()).digest(), dtype="<u4")
    return np.random.default_rng(np.random.SeedSequence([seed, *words.tolist()]))
