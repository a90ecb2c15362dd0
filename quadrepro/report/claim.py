"""A sentence of a paper and how it is judged."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from quadrepro.config.loading import Experiment
from quadrepro.report.outcomes import Outcomes
from quadrepro.report.table import Entry, Table

Judgement = tuple[str, bool | None]
"""Numbers for a person, and whether the claim holds; None where it cannot be judged."""

UNKNOWN: Judgement = ("cells missing", None)

NOT_COMPARABLE = "not comparable"

HEADER = ("claim", "ours", "holds", "printed table", "holds in print")

Evidence = TypeVar("Evidence")


@dataclass(frozen=True)
class Claim(Generic[Evidence]):
    """A sentence of a paper and how to judge it.

    Attributes
    ----------
    text : str
        What is claimed.
    needs : tuple of str
        Algorithms without which it cannot be judged, unless `judge` sees to that itself.
    judge : callable
        From our numbers or the printed ones to a judgement.
    timed : bool
        Whether it is judged on measured times.
    measures : tuple of str
        Measures that those algorithms' records must have.
    rows : tuple of str
        The rows it speaks of; empty where it speaks of all.
    """

    text: str
    needs: tuple[str, ...]
    judge: Callable[[Evidence], Judgement]
    timed: bool = False
    measures: tuple[str, ...] = ()
    rows: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        """What the claims table calls it."""
        return f"{self.text} (measured time)" if self.timed else self.text


def in_words(judgement: Judgement) -> tuple[str, str]:
    """Return the numbers and what the claims table says of them."""
    text, holds = judgement
    return text, {True: "holds", False: "does not hold", None: NOT_COMPARABLE}[holds]


def not_comparable(of_paper: int, here: int) -> str:
    """Return the note below claims that speak of other data sets than those here."""
    return f"The claims speak of {of_paper} data sets; here are {here}, so nothing is judged."


def own_table(
    experiment: Experiment,
    claims: tuple[Claim[Any], ...],
    outcomes: Outcomes,
    notes: tuple[str, ...],
) -> Table:
    """Return the claims judged on our cells alone.

    Parameters
    ----------
    experiment : Experiment
        Its title stands above the table.
    claims : tuple of Claim
        Each is judged on `outcomes`, where these have what it needs.
    outcomes : Outcomes
        The records.
    notes : tuple of str
        What stands below the table.

    Returns
    -------
    Table
        Of each claim our numbers and the judgement.
    """
    rows = []
    for claim in claims:
        text, word = in_words(claim.judge(outcomes) if _known(claim, outcomes) else UNKNOWN)
        rows.append((claim.label, (Entry(text), Entry(word))))
    return Table(
        f"{experiment.config.title}: claims",
        ("claim", "ours", "holds"),
        tuple(rows),
        notes,
        align="left",
    )


def _known(claim: Claim[Any], outcomes: Outcomes) -> bool:
    rows = claim.rows or outcomes.rows
    if not (set(claim.needs) <= set(outcomes.columns) and set(rows) <= set(outcomes.rows)):
        return False
    records = [record for row in rows for c in claim.needs for record in outcomes.cell(row, c)]
    return all(record.ok and set(claim.measures) <= set(record.measures) for record in records)
