"""How well voters fit random signs: R_S(H) = E sup_h (1/m) Σ σ_i h(x_i) (QuadBoost, section 2)."""

from __future__ import annotations

from collections.abc import Iterator
from math import log, sqrt
from typing import NamedTuple

import numpy as np

from quadrepro._typing import FloatArray

BATCH = 2**22
"""No array of a batch of sign vectors has more entries, unless one vector has."""


class Complexity(NamedTuple):
    """A Rademacher complexity by Monte Carlo.

    Attributes
    ----------
    mean : float
        Mean over the sign vectors.
    deviation : float
        With probability 1 - δ' over the sign vectors, R_S is at most mean + deviation.
    """

    mean: float
    deviation: float


def sign_correlations(
    H: FloatArray, n_draws: int, rng: np.random.Generator
) -> Iterator[FloatArray]:
    """Yield |σᵀh_j|/m of all voters for sign vectors σ, batch by batch.

    Parameters
    ----------
    H : ndarray of shape (n_examples, n_voters)
        Voter matrix, values in [-1, 1].
    n_draws : int
        Number of sign vectors B.
    rng : numpy.random.Generator
        Draws the signs.

    Yields
    ------
    ndarray of shape (n_in_batch, n_voters)
        The sizes; a voter's complement has the same. B rows in all.

    Raises
    ------
    ValueError
        If there is nothing to draw for.
    """
    m, n_voters = H.shape
    if m < 1 or n_voters < 1:
        raise ValueError(f"the voter matrix needs an example and a voter, not shape {H.shape}")
    if n_draws < 1:
        raise ValueError(f"n_draws must be at least 1, not {n_draws}")
    rows = max(1, BATCH // max(m, n_voters))
    for start in range(0, n_draws, rows):
        signs = 2.0 * rng.integers(0, 2, (min(rows, n_draws - start), m)) - 1.0
        yield np.abs(signs @ H) / m


def empirical_rademacher(
    H: FloatArray, n_draws: int, rng: np.random.Generator, delta: float = 0.05
) -> Complexity:
    """Return R_S of the voters and their complements, by Monte Carlo.

    The mean over B sign vectors depends on m B independent signs, and one of them changes it by
    at most 2/(mB) as voters stay in [-1, 1]. By McDiarmid's inequality it is thus below R_S by
    more than t with a probability of at most exp(-t² m B / 2), which is δ' at
    t = sqrt(2 ln(1/δ') / (mB)).

    Parameters
    ----------
    H : ndarray of shape (n_examples, n_voters)
        Voter matrix, values in [-1, 1].
    n_draws : int
        Number of sign vectors B.
    rng : numpy.random.Generator
        Draws the signs.
    delta : float, default 0.05
        Probability of failure δ', in (0, 1).

    Returns
    -------
    Complexity
        The mean and its deviation.

    Raises
    ------
    ValueError
        If there is nothing to draw for or `delta` is out of range.
    """
    if not 0 < delta < 1:
        raise ValueError(f"delta is a probability in (0, 1), not {delta}")
    largest = sum(float(c.max(axis=1).sum()) for c in sign_correlations(H, n_draws, rng))
    return Complexity(largest / n_draws, sqrt(2 * log(1 / delta) / (len(H) * n_draws)))


def massart(n_voters: int, m: int) -> float:
    """Return sqrt(2 ln(N)/m) >= R_S with N = 2 n_voters (Massart's finite class lemma).

    Parameters
    ----------
    n_voters : int
        Number of voters with values in [-1, 1]; their complements count as well.
    m : int
        Number of examples.

    Returns
    -------
    float
        The bound.

    Raises
    ------
    ValueError
        If a number is below 1.
    """
    if n_voters < 1 or m < 1:
        raise ValueError(f"n_voters and m must be at least 1, not {n_voters} and {m}")
    return sqrt(2 * log(2 * n_voters) / m)
