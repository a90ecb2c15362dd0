"""Errors that users can correct, and the exit code of each.

The message of such an error is shown as it is. It says what is wrong, where, and what would be
right. The command line prints it on standard error.
"""

from __future__ import annotations

import difflib
import heapq
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

EXIT_CELLS_MISSING = 1
"""Exit code if some cells have failed or are missing."""

EXIT_INTERRUPTED = 130
"""Exit code after an interruption by the user."""


MANY = 15
"""Number of valid names up to which a hint gives all of them."""

SHOWN = 3
"""Number of names that a hint gives of more."""

COMPARED = 500_000
"""Number of letters that a name, or all of one document, are compared with for a hint."""

LONG = 60
"""Number of letters of a name that are compared."""

_left: ContextVar[list[int] | None] = ContextVar("left", default=None)


class QuadreproError(Exception):
    """Base class of all errors that users can correct; shown without a traceback."""

    exit_code = 1


class ConfigError(QuadreproError):
    """A config, an option or a name that cannot be used as written."""

    exit_code = 2


class DataError(QuadreproError):
    """Data that are missing, unreadable or different from their card, or an invalid card."""

    exit_code = 3


class NoConnectionError(DataError):
    """A server that cannot be reached; others are unlikely to be reachable either."""


class ToleranceError(QuadreproError):
    """Two sets of tables that should agree but differ."""

    exit_code = 4


@contextmanager
def few_hints() -> Iterator[None]:
    """Let all hints inside share `COMPARED`; without a hint, a mistake is told all the same."""
    token = _left.set([COMPARED])
    try:
        yield
    finally:
        _left.reset(token)


def affordable(names: Iterable[str]) -> bool:
    """Return whether one more name can be compared with some, and count their letters."""
    left = _left.get() or [COMPARED]
    left[0] -= sum(map(len, names)) if left[0] >= 0 else 0
    return left[0] >= 0


def nearest(name: str, known: Iterable[str], listing: str = "") -> str:
    """Return a hint at what an unknown name may mean, to be appended to a message.

    Parameters
    ----------
    name : str
        The unknown name.
    known : iterable of str
        The valid names.
    listing : str, default ""
        A command that lists them, to be named if they are many.

    Returns
    -------
    str
        The closest name as a question. If none is close, all valid names, or the nearest three
        of more than fifteen, with their number; ``""`` if there are none, or too many to compare.

    Examples
    --------
    >>> nearest("pimo", ["pima", "wine"])
    "; did you mean 'pima'?"
    >>> nearest("spam", ["pima", "wine"])
    '; known are pima, wine'
    """
    full = {str(k)[:LONG]: str(k) for k in known} if affordable(()) else {}
    if not affordable(full):
        return ""
    name, names = name[:LONG], sorted(full)
    close = difflib.get_close_matches(name, names, n=1, cutoff=0.6)
    if close:
        return f"; did you mean {full[close[0]]!r}?"
    if len(names) <= MANY:
        return f"; known are {', '.join(names)}" if names else ""
    # Of very many names, the exact ratio of each would take seconds.
    matcher = difflib.SequenceMatcher(b=name)

    def likeness(known: str) -> float:
        matcher.set_seq1(known)
        return matcher.quick_ratio()

    shown = heapq.nlargest(SHOWN, names, key=likeness)
    see = f" (see {listing})" if listing else ""
    return f"; the nearest of {len(names)} are {', '.join(shown)}{see}"
