"""Voters of an estimator: stumps, or another transformer with values in [-1, 1].

A voter set has ``fit(X, y)`` and ``transform(X)``, which returns the voter matrix. Values of stumps
are in [-1, 1] by construction; values of other transformers are checked.
"""

from __future__ import annotations

from typing import Any, Literal, Protocol

import numpy as np
from scipy import sparse

from quadrepro.base.types import FloatArray
from quadrepro.core.voters.coded import VoterMatrix, VoterOutputs
from quadrepro.core.voters.stumps import Stumps


class VoterSet(Protocol):
    """A transformer whose output is the voter matrix."""

    def fit(self, X: Any, y: Any, **options: Any) -> Any:
        """Learn the voters from training examples and their labels."""

    def transform(self, X: Any) -> Any:
        """Return the voter matrix, with values in [-1, 1]."""


Voters = VoterSet | Literal["precomputed"] | None
"""Type of the parameter `voters`."""


def voter_set(voters: Voters) -> VoterSet | None:
    """Return the voter set of a parameter `voters`; None if X is the voter matrix itself."""
    if voters is None:
        return Stumps()
    if isinstance(voters, str) and voters == "precomputed":
        return None
    if isinstance(voters, (str, type)) or not (
        hasattr(voters, "fit") and hasattr(voters, "transform")
    ):
        raise ValueError(
            f"voters must be Stumps(...), another transformer or 'precomputed', not {voters!r}"
        )
    return voters


def outputs_of(voters: VoterSet, X: FloatArray) -> VoterOutputs:
    """Return the voters on checked examples.

    Parameters
    ----------
    voters : VoterSet
        Fitted voters.
    X : ndarray or sparse matrix of shape (n_examples, n_attributes)
        Examples.
    """
    if isinstance(voters, Stumps):
        return voters.coded(X)
    values, name = voters.transform(X), type(voters).__name__
    H = np.asarray(values.toarray() if sparse.issparse(values) else values, dtype=np.float64)
    if H.ndim != 2 or len(H) != X.shape[0] or not H.shape[1]:
        raise ValueError(
            f"{name}.transform must return a voter matrix of {X.shape[0]} rows and at least one "
            f"column, not an array of shape {H.shape}"
        )
    sizes = np.abs(H)
    if not (sizes <= 1.0).all():
        row, voter = np.unravel_index(np.argmax(np.nan_to_num(sizes, nan=np.inf)), H.shape)
        raise ValueError(
            f"{name}.transform must return values in [-1, 1], but voter {voter} has the value "
            f"{H[row, voter]:g}: put MinMaxScaler((-1, 1), clip=True) after it"
        )
    return VoterMatrix(H)
