"""Voters of a cell: fixed stumps, a transformer's outputs, or drawn stumps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from quadrepro.base.types import FloatArray
from quadrepro.core.holdout import Holdout
from quadrepro.core.training.contract import Part, Rng
from quadrepro.core.voters.coded import VoterOutputs
from quadrepro.core.voters.drawn import RandomStumps, StumpCodes
from quadrepro.core.voters.thresholds import even_thresholds, ranges_of, stumps_on

if TYPE_CHECKING:
    from quadrepro.core.voters.voter_set import VoterSet

OnBoth = tuple[VoterOutputs, VoterOutputs]
"""The voters on training and on new examples."""


@dataclass(frozen=True)
class FixedStumps:
    """Evenly spaced stumps: all, or a sample of those that vary."""

    learn: ClassVar[bool] = False
    """Whether voters depend on labels."""

    per_attribute: int
    n_voters: int | None = None

    def outputs(self, train: Part, X_new: FloatArray, rng: Rng) -> OnBoth:
        """Return the voters on training and on new examples."""
        # `Stumps` would import scikit-learn, which takes long.
        if not np.isfinite(train.X).all():
            raise ValueError("stumps need attributes without missing and infinite values")
        low, high, _ = ranges_of(train.X)
        thresholds = even_thresholds(low, high, self.per_attribute)
        outputs = stumps_on(train.X, thresholds), stumps_on(X_new, thresholds)
        shortage = "stumps are not constant on the training part: raise stumps_per_attribute"
        return _drawn(outputs, self.n_voters, rng, shortage)


@dataclass(frozen=True)
class TransformerVoters:
    """The outputs of a transformer, which may learn from labels."""

    learn: ClassVar[bool] = True
    """Whether voters depend on labels."""

    make: Callable[[], VoterSet]
    n_voters: int | None = None

    def outputs(self, train: Part, X_new: FloatArray, rng: Rng) -> OnBoth:
        """Return the voters on training and on new examples."""
        # scikit-learn takes long to import.
        from quadrepro.core.voters.voter_set import outputs_of

        voters = self.make()
        # Other cells share the examples, and a transformer may change its arguments.
        X, X_new = train.X.copy(), X_new.copy()
        voters.fit(X, train.y)
        outputs = outputs_of(voters, X), outputs_of(voters, X_new)
        shortage = "are not constant on the training part"
        return _drawn(outputs, self.n_voters, rng, shortage)


@dataclass(frozen=True)
class DrawnStumps:
    """Stumps that are drawn in every round; all calls of `make` draw the same stumps."""

    make: Callable[[StumpCodes], RandomStumps]
    stopping: Holdout


def _drawn(outputs: OnBoth, n_voters: int | None, rng: Rng, shortage: str) -> OnBoth:
    """Return a random sample of the voters that vary on the training part, in their order."""
    if n_voters is None:
        return outputs
    on_train, on_new = outputs
    H = on_train.matrix()
    varying = np.flatnonzero(H.min(axis=0) < H.max(axis=0))
    if len(varying) < n_voters:
        raise ValueError(f"{n_voters} voters are asked for, but only {len(varying)} {shortage}")
    chosen = np.sort(rng("voters").permutation(varying)[:n_voters])
    return on_train.keep(chosen), on_new.keep(chosen)
