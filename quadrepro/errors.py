"""What a person can do wrong, and the exit code each kind of mistake ends with.

Raise these with a message that can be shown as it is: what is wrong, where, and what would be
right. The command line prints it on standard error; nothing else catches it.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable

EXIT_CELLS_MISSING = 1
EXIT_INTERRUPTED = 130


class QuadreproError(Exception):
    """Base of every error that is a person's to mend; never shown with a traceback."""

    exit_code = 1


class ConfigError(QuadreproError):
    """A config, an option or a name that cannot be used as written."""

    exit_code = 2


class DataError(QuadreproError):
    """Data that are missing, unreadable or not what their card says."""

    exit_code = 3


class NoConnectionError(DataError):
    """A server that could not be reached: the next one will hardly be, either."""


class ToleranceError(QuadreproError):
    """Two sets of tables that should agree and do not."""

    exit_code = 4


def nearest(name: str, known: Iterable[str]) -> str:
    """Return a hint that names what `name` may have been meant to be.

    Parameters
    ----------
    name : str
        What was written.
    known : iterable of str
        What could have been written.

    Returns
    -------
    str
        ``"; did you mean 'pima'?"``, or the whole list where nothing is close, or ``""`` where
        nothing is known.
    """
    names = sorted({str(k) for k in known})
    close = difflib.get_close_matches(name, names, n=1, cutoff=0.6)
    if close:
        return f"; did you mean {close[0]!r}?"
    return f"; known are {', '.join(names)}" if names else ""
