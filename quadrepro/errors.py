"""Errors that users can correct, and the exit code of each.

The message of such an error is shown as it is. It states the mistake, its place, and the valid
form. The command line prints it on standard error.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable
from typing import TypeVar

T = TypeVar("T")

EXIT_CELLS_MISSING = 1
"""Exit code if some cells have failed or are missing."""

MANY = 15
"""Maximum number of valid names that a hint lists in full."""


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


def closest(name: str, names: Iterable[str]) -> str | None:
    """Return the valid name that is closest to an unknown one, or None if none is close."""
    return next(iter(difflib.get_close_matches(name, sorted(set(names)))), None)


def nearest(name: str, names: Iterable[str], listing: str = "") -> str:
    """Return a hint at the valid name for an unknown one, to be appended to a message.

    Parameters
    ----------
    name : str
        The unknown name.
    names : iterable of str
        The valid names.
    listing : str, default ""
        A command that lists them, which is named if there are many.

    Returns
    -------
    str
        The closest name as a question. If none is close, all valid names, or the nearest three
        of more than fifteen, with their number; ``""`` if there are none.

    Examples
    --------
    >>> nearest("pimo", ["pima", "wine"])
    "; did you mean 'pima'?"
    >>> nearest("spam", ["pima", "wine"])
    '; known are pima, wine'
    """
    valid = sorted(set(names))
    if (near := closest(name, valid)) is not None:
        return f"; did you mean {near!r}?"
    if len(valid) <= MANY:
        return f"; known are {', '.join(valid)}" if valid else ""
    three = difflib.get_close_matches(name, valid, cutoff=0.0)
    see = f" (see {listing})" if listing else ""
    return f"; the nearest of {len(valid)} are {', '.join(three)}{see}"


def together(tries: Iterable[Callable[[], T]]) -> list[T]:
    """Return the results of several calls, or raise one ConfigError with the faults of all."""
    results: list[T] = []
    faults: list[str] = []
    for attempt in tries:
        try:
            results.append(attempt())
        except ConfigError as error:
            faults += str(error).splitlines()
    if faults:
        raise ConfigError("\n".join(dict.fromkeys(faults)))
    return results
