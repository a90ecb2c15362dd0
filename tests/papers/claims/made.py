"""Evidence that several modules judge claims on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from quadrepro.papers.claims.evidence import Ours
from tests.papers.measured import changed, errors_of

AB = {"of": "a", "than": "b"}
BA = {"of": "b", "than": "a"}


def rows(*counts: int) -> list[list[int]]:
    """Return errors on one split of several rows."""
    return [[count] for count in counts]


def splits(*counts: int, n_rows: int = 1) -> list[list[int]]:
    """Return errors on several splits, the same on every row."""
    return [[*counts]] * n_rows


LESS, MORE = splits(10, 11, 12, n_rows=6), splits(20, 22, 21, n_rows=6)
NEAR = splits(14, 10, 12, n_rows=6)
"""Errors of 100 on three splits of six rows: the first are significantly lower than the second, and
the third are higher than the first without significance."""

NINE, TEN = rows(*[9] * 6), rows(*[10] * 6)
ONE_MORE = rows(9, 9, 9, 9, 9, 21)
"""Lower than 10 on five of six rows, which is not significant."""


def timed(seconds: Mapping[str, Sequence[Sequence[float]]]) -> Ours:
    """Return evidence of seconds by algorithm, row and split."""
    evidence = errors_of({c: [[1] * len(row) for row in rows] for c, rows in seconds.items()})
    return changed(
        evidence,
        lambda record, row, column, split: replace(
            record, seconds=seconds[column][int(row[1:]) - 1][split]
        ),
    )
