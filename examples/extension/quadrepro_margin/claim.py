"""A claim that two algorithms are never far apart."""

from __future__ import annotations

from pydantic import Field

from quadrepro.papers.claims.claim import AlgorithmName, Claim, Judgement, everywhere
from quadrepro.papers.claims.evidence import Evidence


class Within(Claim, names=("within",)):
    """An algorithm's mean error is at most `points` above another's on every row."""

    of: AlgorithmName
    """The two algorithms."""
    than: AlgorithmName
    """The two algorithms."""
    points: float = Field(ge=0)
    """The largest difference, in percent."""

    def judge(self, evidence: Evidence) -> Judgement:
        """Return the differences, and whether all of them are small enough."""
        found = {}
        for row in evidence.rows:
            # Errors are in percent, ours and the printed ones.
            points = float(evidence.value(row, self.of) - evidence.value(row, self.than))
            found[row] = (f"{points:+.1f} points", points <= self.points)
        return everywhere(found)
