"""Many tests at once: Holm's method, and what chance finds in a whole table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import isnan
from typing import SupportsFloat

import numpy as np

from quadrepro.stats.result import LEVEL, SEED
from quadrepro.stats.signs import p_of_wins
from quadrepro.stats.ties import ranks_of


def holm(p_values: Iterable[float]) -> list[float]:
    """Adjust p-values for their number by Holm's step-down method.

    Where an adjusted p-value is at most α, its hypothesis can be rejected, and the probability that
    some true hypothesis is rejected is at most α, however the tests depend on each other (Holm,
    Scandinavian Journal of Statistics 6, 1979). A NaN is a test that could not be made: it stays
    NaN and is not counted.

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    adjusted, least = list(p_values), 0.0
    known = sorted((p, i) for i, p in enumerate(adjusted) if not isnan(p))
    for place, (p, i) in enumerate(known):
        least = max(least, min(1.0, (len(known) - place) * p))
        adjusted[i] = least
    return adjusted


N_TABLES = 20_000
"""Tables that `chance_of_a_star` draws: its standard error is at most 0.0036."""


def chance_of_a_star(risks: Sequence[Sequence[SupportsFloat]]) -> float:
    """Return how probable it is that the sign test tells some pair apart if all methods are equal.

    The risks, of shape (n_datasets, n_methods), are exchanged at random within each data set. That
    leaves the ties and the dependence between pairs as they are, and the sign test of every pair is
    made again. The share of such tables with a p-value of at most `LEVEL` is returned.

    Examples
    --------
    >>> round(chance_of_a_star([[1, 2]] * 6), 2)  # six wins or six losses: 2 / 2**6
    0.03
    """
    # Mid-ranks are whole numbers when doubled.
    ranks = np.rint(2 * ranks_of(risks)).astype(np.int16)
    rng = np.random.default_rng(SEED)
    tables = np.stack([rng.permuted(np.tile(r, (N_TABLES, 1)), axis=1) for r in ranks])
    starred = np.zeros(N_TABLES, dtype=np.bool_)
    for i in range(ranks.shape[1]):
        for j in range(i):
            a, b = tables[:, :, i], tables[:, :, j]
            starred |= p_of_wins((a < b).sum(axis=0), (a > b).sum(axis=0)) <= LEVEL
    return float(starred.mean())
