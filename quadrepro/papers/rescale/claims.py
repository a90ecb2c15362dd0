"""The claim of Figure 1: a line search goes on where another weak learner has become steeper."""

from __future__ import annotations

from quadrepro.papers.claims.claim import Judgement, everywhere
from quadrepro.papers.claims.evidence import Evidence

STEP, ALONG = "quadboost-linf", "alpha_max"


def walks_too_far(evidence: Evidence) -> Judgement:
    """Judge whether another weak learner becomes as steep before the end of the line search."""
    parts = {}
    for row in evidence.rows:
        own, others = (
            evidence.curve(row, STEP, measure, ALONG)
            for measure in ("correlation_in_vote", "correlation_of_others")
        )
        as_steep = others.mean >= own.mean
        turn, end = int(as_steep.argmax()), int(own.mean.argmin())
        text = f"θ0 = {own.x[turn]:.2f} of θ1 = {own.x[end]:.2f}"
        parts[row] = text, bool(as_steep[turn] and turn < end)
    return everywhere(parts)
