"""CB-Boost: the paper's claim on the fall of the C-bound (Property 1)."""

from __future__ import annotations

import numpy as np

from quadrepro.papers.claims.claim import Evidence, Judgement, checked_claim
from quadrepro.papers.claims.trends import ROUNDING


def property_1(evidence: Evidence, algorithms: list[str]) -> Judgement:
    """Judge whether each round lowers the C-bound by what Property 1 says, on every split."""
    n_rounds, n_higher, largest = 0, 0, 0.0
    for algorithm in algorithms:
        for row in evidence.rows:
            measures = ("c_bound", "cbboost_corollary2")
            curves = (evidence.curve(row, algorithm, measure) for measure in measures)
            bounds, sums = (curve.splits for curve in curves)
            steps = np.diff(bounds, axis=1)
            n_rounds += steps.size
            n_higher += int((steps > ROUNDING).sum())
            largest = max(largest, float(np.abs(bounds - sums).max()))
    exact = largest <= ROUNDING
    text = f"not higher after {n_rounds - n_higher} of {n_rounds} rounds; the falls add up to it"
    text += f" within {ROUNDING:g}" if exact else f" but for {largest:.2g}"
    return checked_claim(text, n_higher == 0 and exact)
