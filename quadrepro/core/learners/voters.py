"""What the votes of a cell are over: fixed stumps, a transformer's outputs, or drawn stumps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from quadrepro.base.types import FloatArray, IntArray
from quadrepro.core.holdout import Holdout
from quadrepro.core.learners.learner import Part, Rng
from quadrepro.core.voters.drawn import Codes, RandomStumps
from quadrepro.core.voters.thresholds import above_thresholds, even_thresholds, ranges_of

if TYPE_CHECKING:
    from quadrepro.core.voters.voter_set import VoterSet


@dataclass(frozen=True)
class FixedStumps:
    """Evenly spaced stumps; all, or some of those that vary."""

    learn: ClassVar[bool] = False
    """Whether voters depend on labels."""

    per_attribute: int
    n_voters: int | None = None

    def matrices(self, train: Part, X_new: FloatArray, rng: Rng) -> tuple[FloatArray, FloatArray]:
        """Return the voter matrices of training and of new examples."""
        # Not by `Stumps`: scikit-learn takes long to import.
        if not np.isfinite(train.X).all():
            raise ValueError("stumps need attributes without missing and infinite values")
        low, high, _ = ranges_of(train.X)
        thresholds = even_thresholds(low, high, self.per_attribute)
        both = train.X, X_new
        if self.n_voters is None:
            H, H_new = (np.where(above_thresholds(X, thresholds), 1.0, -1.0) for X in both)
            return H, H_new
        varying = np.flatnonzero((low[:, None] <= thresholds) & (thresholds < high[:, None]))
        few = "stumps are not constant on the training part: raise stumps_per_attribute"
        chosen = _drawn(varying, self.n_voters, rng, few)
        attributes, limits = chosen // self.per_attribute, thresholds.ravel()[chosen][:, None]
        H, H_new = (np.where(X.T[attributes] > limits, 1.0, -1.0).T for X in both)
        return H, H_new


@dataclass(frozen=True)
class TransformerVoters:
    """The outputs of a transformer, which may learn from labels."""

    learn: ClassVar[bool] = True
    """Whether voters depend on labels."""

    make: Callable[[], VoterSet]
    n_voters: int | None = None

    def matrices(self, train: Part, X_new: FloatArray, rng: Rng) -> tuple[FloatArray, FloatArray]:
        """Return the voter matrices of training and of new examples."""
        # scikit-learn takes long to import.
        from quadrepro.core.voters.voter_set import voter_matrix

        voters = self.make()
        # Other cells share the examples, and a transformer may change what it is given.
        X, X_new = train.X.copy(), X_new.copy()
        voters.fit(X, train.y)
        H, H_new = voter_matrix(voters, X), voter_matrix(voters, X_new)
        if self.n_voters is None:
            return H, H_new
        varying = np.flatnonzero(H.min(axis=0) < H.max(axis=0))
        chosen = _drawn(varying, self.n_voters, rng, "are not constant on the training part")
        return H[:, chosen], H_new[:, chosen]


@dataclass(frozen=True)
class DrawnStumps:
    """Stumps that are drawn in every round, the same by every call of `make`."""

    make: Callable[[Codes, FloatArray], RandomStumps]
    stopping: Holdout


def _drawn(varying: IntArray, n_voters: int, rng: Rng, few: str) -> IntArray:
    """Return some voters, drawn from those that vary, in their order."""
    if len(varying) < n_voters:
        raise ValueError(f"{n_voters} voters are asked for, but only {len(varying)} {few}")
    return np.sort(rng("voters").permutation(varying)[:n_voters])
