"""A fixed set of stumps drawn at random."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from quadrepro.base.types import BoolArray, FloatArray, IntArray
from quadrepro.core.voters.bits import Bits, pack
from quadrepro.core.voters.groups import column_blocks
from quadrepro.core.voters.registry import VoterSetEntry
from quadrepro.core.voters.stumps import Missing, Stumps


class DrawnStumps(Stumps):
    """Decision stumps on random attributes with random thresholds, drawn once.

    Each stump is on an attribute drawn with equal probabilities, and its threshold is uniform
    between the training minimum and maximum. The stumps are in the order of their attributes and
    thresholds. The set stays the same in all rounds, while EBBoost's paper draws another one in
    each. Use them where there are too many attributes for ten stumps on each.

    Parameters
    ----------
    n_stumps : int, default 500
        Number of stumps.
    min_weight_fraction_leaf : float, default 0.0
        As for `Stumps`.
    missing : {"error", "branch"}, default "error"
        What to do with missing values, as for `Stumps`.
    random_state : int, RandomState instance or None, default None
        Where the draws come from. Pass an int for the same stumps in every call.

    Attributes
    ----------
    attributes_ : ndarray of int, shape (n_stumps,)
        Attribute of each stump.
    thresholds_ : ndarray of shape (n_stumps,)
        Its threshold.
    gaps_ : ndarray of int, shape (n_gaps,)
        Attributes with a voter for missing values.

    Examples
    --------
    >>> import numpy as np
    >>> from quadrepro import DrawnStumps
    >>> X = np.array([[0.0, 10.0], [1.0, 20.0]])
    >>> stumps = DrawnStumps(n_stumps=3, random_state=0).fit(X)
    >>> stumps.get_feature_names_out().tolist()
    ['x0 > 0.844266', 'x1 > 18.4725', 'x1 > 18.5795']
    >>> stumps.transform([[0.9, 18.5]]).tolist()
    [[1.0, 1.0, -1.0]]
    """

    def __init__(
        self,
        n_stumps: int = 500,
        min_weight_fraction_leaf: float = 0.0,
        *,
        missing: Missing = "error",
        random_state: Any = None,
    ) -> None:
        self.n_stumps = n_stumps
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.missing = missing
        self.random_state = random_state

    @property
    def are_chains(self) -> bool:
        """Whether the voters are the thresholds of each attribute in turn: not the same number."""
        return False

    def attributes(self) -> IntArray:
        """Return the attribute of each stump."""
        return np.asarray(self.attributes_)

    def stumps_above(self, X: FloatArray) -> BoolArray:
        """Return whether the attribute of each stump is above its threshold."""
        above = np.empty((X.shape[0], len(self.thresholds_)), dtype=np.bool_)
        for columns, block in column_blocks(X):
            first, last = np.searchsorted(self.attributes_, [columns.start, columns.stop])
            values = block[:, self.attributes_[first:last] - columns.start]
            np.greater(values, self.thresholds_[first:last], out=above[:, first:last])
        return above

    def pack_stumps(self, X: FloatArray) -> Bits:
        """Return the stumps on some examples as bits."""
        return pack(self.stumps_above(X).T)

    def _number(self) -> tuple[str, int]:
        return "n_stumps", self.n_stumps

    def _place(self, low: FloatArray, high: FloatArray) -> None:
        rng = check_random_state(self.random_state)
        attributes = rng.randint(len(low), size=self.n_stumps)
        shares = rng.uniform(size=self.n_stumps)
        # The range itself may be beyond 1.8e308.
        thresholds = low[attributes] * (1 - shares) + high[attributes] * shares
        order = np.lexsort((thresholds, attributes))
        self.attributes_, self.thresholds_ = attributes[order], thresholds[order]


DRAWN_STUMPS = VoterSetEntry(DrawnStumps, "random decision stumps")
