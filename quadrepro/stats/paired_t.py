"""Two-tailed paired t-test."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import ttest_rel

from quadrepro.stats.sign_test import LEVEL


@dataclass(frozen=True)
class PairedT:
    """Mean difference of A and B over pairs, and the p-value.

    Attributes
    ----------
    difference : float
        Mean of A minus mean of B.
    p_value : float
        Of no difference.
    """

    difference: float
    p_value: float

    @property
    def significant(self) -> bool:
        """Whether the p-value is at most `LEVEL`."""
        return self.p_value <= LEVEL


def paired_t(a: Sequence[float], b: Sequence[float]) -> PairedT:
    """Compare A and B pair by pair.

    Parameters
    ----------
    a, b : sequence of float
        One value a pair, in the same order; two pairs or more.

    Returns
    -------
    PairedT
        Difference and p-value: 1 where all pairs are equal, 0 where all differ by the same amount.

    Raises
    ------
    ValueError
        If the lengths differ or there are fewer than two pairs.
    """
    x, y = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    if len(x) != len(y):
        raise ValueError(f"{len(x)} values cannot be paired with {len(y)}")
    if len(x) < 2:
        raise ValueError("a paired t-test needs at least two pairs")
    differences = x - y
    mean = float(differences.mean())
    # Differences that are equal but for rounding have no spread, where scipy divides by nothing.
    if np.ptp(differences) <= 1e-12:
        return PairedT(mean, float(abs(mean) <= 1e-12))
    return PairedT(mean, float(ttest_rel(x, y).pvalue))
