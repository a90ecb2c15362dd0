"""Claims on how many rows something is true."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from quadrepro.papers.claims.claim import AlgorithmName, Claim, Judgement
from quadrepro.papers.claims.evidence import Evidence
from quadrepro.papers.claims.signs import compare

PLACES = ("best", "second", "third", "fourth", "fifth")


class Counted(Claim):
    """A claim on so many rows out of so many.

    Attributes
    ----------
    at_least : int
        On how many rows it must be true.
    out_of : int, optional
        How many rows the paper has. If some of them are missing here and decide, the claim is
        not comparable.
    """

    at_least: int = Field(ge=1)
    out_of: int | None = Field(default=None, ge=1)

    def counted(self, text: str, count: int, n_rows: int) -> Judgement:
        """Return the judgement of a count over the rows here."""
        missing = max(0, (self.out_of or n_rows) - n_rows)
        if count < self.at_least <= count + missing:
            return Judgement(f"{text}; what is missing of {self.out_of} decides", None)
        return Judgement(text, count >= self.at_least)


class WinsOrTies(Counted):
    """One algorithm has a lower or the same error as another on so many rows.

    Attributes
    ----------
    of, than : str
        The two algorithms.
    """

    of: AlgorithmName
    than: AlgorithmName

    def judge(self, evidence: Evidence) -> Judgement:
        """Return the numbers of wins and ties, and whether they are enough."""
        test = compare(evidence.values(self.of), evidence.values(self.than))
        count, n = test.wins + test.ties, len(evidence.rows)
        return self.counted(f"{count} of {n} ({test.wins} wins, {test.ties} ties)", count, n)


class LowestMean(Counted):
    """An algorithm has the lowest mean error, alone or with others, on so many rows.

    Attributes
    ----------
    of : str
        The algorithm.
    among : tuple of str
        All that are compared; by default all of the paper's names.
    """

    of: AlgorithmName
    among: tuple[AlgorithmName, ...] = ()

    def judge(self, evidence: Evidence) -> Judgement:
        """Return on how many rows it is the lowest, and whether they are enough."""
        mine = evidence.values(self.of)
        others = [evidence.values(name) for name in self.among or evidence.names]
        count = sum(x <= min(ys) for x, ys in zip(mine, zip(*others, strict=True), strict=True))
        n = len(evidence.rows)
        return self.counted(f"lowest mean on {count} of {n}", count, n)


class Competitive(Counted):
    """An algorithm is as good as each of some others on so many rows.

    It is as good if its mean error is no higher, or if the intervals of one standard deviation
    about the two means overlap.

    Attributes
    ----------
    of : str
        The algorithm.
    than : tuple of str
        The others.
    """

    of: AlgorithmName
    than: tuple[AlgorithmName, ...] = Field(min_length=1)

    def judge(self, evidence: Evidence) -> Judgement:
        """Return on how many rows it is as good, and whether they are enough."""
        worse = [
            row
            for row in evidence.rows
            if not all(competitive(evidence, self.of, other, row) for other in self.than)
        ]
        n = len(evidence.rows)
        count = n - len(worse)
        text = f"{count} of {n}" + (f"; not on {', '.join(worse)}" if worse else "")
        return self.counted(text, count, n)


def competitive(evidence: Evidence, a: str, b: str, row: str) -> bool:
    """Return whether A is no worse than B on a row, within one deviation of each."""
    spread = sum(evidence.deviation(row, algorithm) for algorithm in (a, b))
    return evidence.value(row, a) - evidence.value(row, b) <= spread


class Rank(Claim):
    """An algorithm is among the best few on every row.

    Attributes
    ----------
    of : str
        The algorithm.
    at_most : {1, 2, 3, 4, 5}
        The last rank that counts; equal errors share the better rank.
    among : tuple of str
        All that are compared; by default all of the paper's names.
    """

    of: AlgorithmName
    at_most: Literal[1, 2, 3, 4, 5]
    among: tuple[AlgorithmName, ...] = ()

    def judge(self, evidence: Evidence) -> Judgement:
        """Return how often it has each rank, and whether none is worse."""
        mine = evidence.values(self.of)
        others = [evidence.values(name) for name in self.among or evidence.names]
        of_rows = zip(mine, zip(*others, strict=True), strict=True)
        ranks = [1 + sum(y < x for y in ys) for x, ys in of_rows]
        shown = enumerate(PLACES[: self.at_most], start=1)
        counts = ", ".join(f"{place} in {ranks.count(rank)}" for rank, place in shown)
        ranked = zip(evidence.rows, ranks, strict=True)
        worse = [f"{row} ({rank}.)" for row, rank in ranked if rank > self.at_most]
        text = f"{counts} of {len(ranks)} rows" + (f"; not in {', '.join(worse)}" if worse else "")
        return Judgement(text, not worse)
