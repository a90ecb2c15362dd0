"""How many votes of few voters there are, for bounds that hold for all of them at once.

Votes of s voters out of N, complements not counted because weights have signs. All counts are
returned as natural logarithms.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from quadrepro._typing import FloatArray, IntArray

BITS = 64
"""Bits of a weight as it is computed: a vote is one of finitely many."""


def log_votes(n_voters: int, sizes: ArrayLike, bits: int = BITS) -> FloatArray:
    """Return ln(C(N, s) 2^(bits s)), the votes of at most s voters with weights of some bits.

    Parameters
    ----------
    n_voters : int
        Number of voters N.
    sizes : array-like of int
        Numbers of voters s in a vote; an empty vote counts as one of one voter.
    bits : int, default 64
        Bits of a weight.

    Returns
    -------
    ndarray
        The logarithms, in the shape of `sizes`.

    Raises
    ------
    ValueError
        If a vote has more than N voters, or fewer than none.

    Examples
    --------
    Three voters have three votes of one with a positive weight, and three with a negative one.

    >>> import numpy as np
    >>> float(np.exp(log_votes(3, 1, bits=1)).round(6))
    6.0
    """
    s = _sizes(n_voters, sizes)
    return np.asarray(_log_binomials(n_voters)[s] + s * bits * np.log(2))


def log_dichotomies(n_voters: int, sizes: ArrayLike, m: int) -> FloatArray:
    """Return a bound on the logarithm of the ways in which votes err on m examples.

    A vote of s given voters errs where y F(x) <= 0, on a halfspace through the origin of R^s. These
    have VC dimension s, so that Sauer's lemma allows Σ_{k≤s} C(m, k) ways; there are C(N, s)
    choices of voters.

    Parameters
    ----------
    n_voters : int
        Number of voters N.
    sizes : array-like of int
        Numbers of voters s in a vote; an empty vote counts as one of one voter.
    m : int
        Number of examples.

    Returns
    -------
    ndarray
        The logarithms, in the shape of `sizes`.

    Raises
    ------
    ValueError
        If a vote has more than N voters, or fewer than none.

    Examples
    --------
    One voter errs nowhere or everywhere if its weight is 0, on some of four examples or the others
    if it is not; Sauer's lemma allows 1 + 4.

    >>> import numpy as np
    >>> float(np.exp(log_dichotomies(1, 1, 4)).round(6))
    5.0
    """
    s = _sizes(n_voters, sizes)
    ways = np.logaddexp.accumulate(_log_binomials(m))
    return np.asarray(_log_binomials(n_voters)[s] + ways[np.minimum(s, m)])


def log_cover(n_voters: int, sizes: ArrayLike, radius: float) -> FloatArray:
    """Return a bound on the logarithm of the votes that come near every vote of unit weight.

    To every vote with Σ|w| <= 1 one of them differs by at most the radius at every example, for
    voters with values in [-1, 1]. The unit ball of R^s has a net of (1 + 2/radius)^s points, and
    there are C(N, s) choices of voters.

    Parameters
    ----------
    n_voters : int
        Number of voters N.
    sizes : array-like of int
        Numbers of voters s in a vote; an empty vote counts as one of one voter.
    radius : float
        The radius, above 0.

    Returns
    -------
    ndarray
        The logarithms, in the shape of `sizes`.

    Raises
    ------
    ValueError
        If a vote has more than N voters or fewer than none, or `radius` is not above 0.

    Examples
    --------
    >>> import numpy as np
    >>> float(np.exp(log_cover(1, 1, 0.5)).round(6))
    5.0
    """
    if not radius > 0:
        raise ValueError(f"radius must be above 0, not {radius}")
    s = _sizes(n_voters, sizes)
    return np.asarray(_log_binomials(n_voters)[s] + s * np.log1p(2 / radius))


def log_size_share(sizes: ArrayLike) -> FloatArray:
    """Return ln(s (s + 1)): size s gets the share 1/(s (s + 1)) of δ, and all sizes the whole.

    Parameters
    ----------
    sizes : array-like of int
        Numbers of voters in a vote; an empty vote counts as one of one voter.

    Returns
    -------
    ndarray
        The logarithms, in the shape of `sizes`.

    Examples
    --------
    >>> log_size_share([0, 1, 3]).round(4).tolist()
    [0.6931, 0.6931, 2.4849]
    """
    s = np.maximum(np.asarray(sizes), 1)
    return np.asarray(np.log(s * (s + 1.0)))


def _log_binomials(n: int) -> FloatArray:
    """Return ln C(n, 0), ..., ln C(n, n)."""
    factorials = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1.0, n + 1)))])
    return np.asarray(factorials[-1] - factorials - factorials[::-1])


def _sizes(n_voters: int, sizes: ArrayLike) -> IntArray:
    s = np.asarray(sizes)
    if not ((s >= 0) & (s <= n_voters)).all():
        raise ValueError(f"votes of {n_voters} voters have 0 to {n_voters} of them, not {s}")
    return np.asarray(np.maximum(s, 1))
