"""A sentence of a paper and how it is judged."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

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
    """

    text: str
    needs: tuple[str, ...]
    judge: Callable[[Evidence], Judgement]
    timed: bool = False


def in_words(judgement: Judgement) -> tuple[str, str]:
    """Return the numbers and what the claims table says of them."""
    text, holds = judgement
    return text, {True: "holds", False: "does not hold", None: NOT_COMPARABLE}[holds]


def not_comparable(of_paper: int, here: int) -> str:
    """Return the note below claims that speak of other data sets than those here."""
    return f"The claims speak of {of_paper} data sets; here are {here}, so nothing is judged."
