"""How long a download may take, and how many bytes a downloaded or unpacked file may have."""

from __future__ import annotations

import os

from quadrepro.errors import ConfigError, DataError

BYTES, SECONDS = "QUADREPRO_MAX_BYTES", "QUADREPRO_MAX_SECONDS"
"""The environment variables that change the limits."""

_DEFAULTS = {BYTES: 512 * 2**20, SECONDS: 1800}


def limit(variable: str) -> int:
    """Return a limit.

    Parameters
    ----------
    variable : {"QUADREPRO_MAX_BYTES", "QUADREPRO_MAX_SECONDS"}
        Its environment variable. By default, a file may have 512 MiB and take half an hour.

    Raises
    ------
    ConfigError
        If the variable is set to anything but a positive whole number.
    """
    default = _DEFAULTS[variable]
    written = os.environ.get(variable, "") or str(default)
    if not (written.isdecimal() and len(written) < 16 and int(written)):
        raise ConfigError(f"{variable} must be a whole number such as {default}, not {written!r}")
    return int(written)


def refuse_bytes(n_bytes: int, what: str) -> None:
    """Refuse more bytes than are allowed.

    Parameters
    ----------
    n_bytes : int
        How many there are, or as many as were seen.
    what : str
        What the message starts with, such as ``a.zip: once unpacked, the file``.

    Raises
    ------
    DataError
        If there are too many. The message names the limit and how to raise it.
    """
    most = limit(BYTES)
    if n_bytes > most:
        raise DataError(f"{what} has more than {most:,} bytes; {BYTES} can allow more")
