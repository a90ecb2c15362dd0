"""Claims on measured running times."""

from __future__ import annotations

from statistics import median
from typing import ClassVar

from pydantic import Field

from quadrepro.papers.claims.claim import AlgorithmName, Claim, Judgement
from quadrepro.papers.claims.evidence import Evidence, Lacking


class TimesFaster(Claim):
    """One algorithm takes so many times less time than another, by mean running times.

    Attributes
    ----------
    of, than : str
        The faster and the slower algorithm.
    times : float
        Least ratio of their times.
    """

    timed: ClassVar[bool] = True

    of: AlgorithmName
    than: AlgorithmName
    times: float = Field(gt=0)

    def judge(self, evidence: Evidence) -> Judgement:
        """Return the ratio, and whether it is large enough."""
        ratio = _ratio(evidence, evidence.seconds(self.than), evidence.seconds(self.of))
        return Judgement(f"{ratio:.3g} times as fast", ratio >= self.times)


class FasterEverywhere(Claim):
    """Each of some algorithms takes less time than each of some others on every row.

    Attributes
    ----------
    of, than : tuple of str
        The faster and the slower algorithms.
    """

    timed: ClassVar[bool] = True

    of: tuple[AlgorithmName, ...] = Field(min_length=1)
    than: tuple[AlgorithmName, ...] = Field(min_length=1)

    def judge(self, evidence: Evidence) -> Judgement:
        """Return the ratios of the fastest slow to the slowest fast, and whether all exceed 1."""
        ratios = [
            _ratio(
                evidence,
                min(evidence.seconds_on(row, name) for name in self.than),
                max(evidence.seconds_on(row, name) for name in self.of),
            )
            for row in evidence.rows
        ]
        count = sum(ratio > 1 for ratio in ratios)
        text = (
            f"faster at {count} of {len(ratios)} points; {min(ratios):.3g} to {max(ratios):.3g} "
            f"times as fast, median {median(ratios):.3g}"
        )
        return Judgement(text, count == len(ratios))


def _ratio(evidence: Evidence, slow: float, fast: float) -> float:
    if fast <= 0:
        raise Lacking(evidence.lacking)
    return slow / fast
