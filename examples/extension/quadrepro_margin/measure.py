"""The least margin of the training examples."""

from __future__ import annotations

from quadrepro.base.types import FloatArray
from quadrepro.core.measures.measure import Measure, Trained


def least_margin(trained: Trained) -> FloatArray:
    """Return min y Σ α h / Σ |α| of every candidate."""
    least: FloatArray = trained.margins.min(axis=0)
    return least


LEAST_MARGIN = Measure("least margin", least_margin, needs="voters", direction="higher")
