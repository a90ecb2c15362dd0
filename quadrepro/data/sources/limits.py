"""How much is downloaded and unpacked before a file is refused."""

from __future__ import annotations

import os

from quadrepro.errors import ConfigError, DataError

VARIABLE = "QUADREPRO_MAX_BYTES"
"""The environment variable that says how many bytes a file may have."""

DEFAULT = 512 * 2**20


def max_bytes() -> int:
    """Return how many bytes a downloaded file, an unpacked file or a dense table may have.

    Raises
    ------
    ConfigError
        If the environment variable is set to anything but a positive whole number.
    """
    written = os.environ.get(VARIABLE, "") or str(DEFAULT)
    if not (written.isdecimal() and len(written) < 20 and int(written)):
        raise ConfigError(
            f"{VARIABLE} must be a number of bytes such as {DEFAULT}, not {written!r}"
        )
    return int(written)


def refuse_bytes(n_bytes: int, what: str) -> None:
    """Refuse more bytes than are allowed.

    Parameters
    ----------
    n_bytes : int
        How many there are, or as many as were seen.
    what : str
        What the message starts with, such as ``a.zip: unpacked, the file``.

    Raises
    ------
    DataError
        If there are more than `max_bytes`. The message names the limit and how to raise it.
    """
    most = max_bytes()
    if n_bytes > most:
        raise DataError(
            f"{what} has more than {most:,} bytes; the environment variable {VARIABLE} can allow"
            " more"
        )
