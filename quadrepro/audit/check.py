"""What all checks of printed numbers have in common."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from quadrepro.audit.subject import Subject


class Place(NamedTuple):
    """Where something is printed.

    Attributes
    ----------
    table, row, column : str
        Names; empty for what is about a whole table, row or column.
    """

    table: str
    row: str = ""
    column: str = ""


@dataclass(frozen=True)
class Finding:
    """One printed number, or one sentence, that was checked.

    Attributes
    ----------
    place : Place
        Where it stands.
    printed : str
        What is printed.
    holds : bool or None
        None if it cannot be judged.
    why : str
        The numbers that decide, or why it cannot be judged.
    p_value : float or None
        Of a statistical test, whose level is then that of all tests of the audit together; None
        if the finding is certain.
    """

    place: Place
    printed: str
    holds: bool | None
    why: str
    p_value: float | None = None


class Found(NamedTuple):
    """What a check finds.

    Attributes
    ----------
    findings : tuple of Finding
        One for each number or sentence.
    notes : tuple of str
        What is to be said of the check as a whole.
    """

    findings: tuple[Finding, ...]
    notes: tuple[str, ...] = ()


class Check(NamedTuple):
    """One kind of check.

    Attributes
    ----------
    key : str
        What tables and the CSV call it.
    question : str
        What it answers.
    judge : callable
        Returns what it finds in a paper; without findings the check does not apply.
    """

    key: str
    question: str
    judge: Callable[[Subject], Found]
