"""Claims of the paper that are about its own implementations."""

from __future__ import annotations

from quadrepro.papers.claims.claim import Judgement
from quadrepro.papers.claims.evidence import Evidence


def not_judged(evidence: Evidence, why: str) -> Judgement:
    """Leave a claim about the paper's implementations undecided, and state why."""
    return Judgement(f"not judged: our implementations are not the paper's. {why}", "undecided")
