"""Files: written at once or not at all, and read only if they are regular and not too large."""

from __future__ import annotations

import os
import stat
import uuid
from pathlib import Path

from quadrepro.errors import DataError

MOST_BYTES = 64 * 2**20
"""Size of the largest file of a results folder that is read."""


def write_bytes(path: Path, content: bytes) -> None:
    """Write a file at once or not at all.

    A reader sees the old file or the whole new one, even if the computer stops in between.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f".{path.name}-{uuid.uuid4().hex[:12]}.part")
    try:
        with partial.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
    except OSError as error:
        # The system gives no name for a full disk.
        raise OSError(error.errno, error.strerror, str(path)) from None
    finally:
        partial.unlink(missing_ok=True)


def write_text(path: Path, text: str) -> None:
    r"""Write a text in UTF-8 with ``\n`` line ends, at once or not at all; see `write_bytes`."""
    write_bytes(path, text.encode("utf-8"))


def is_regular(path: Path) -> bool:
    """Return whether a path is a file, and not a link, a pipe, a device or a folder."""
    try:
        return stat.S_ISREG(path.lstat().st_mode)
    except (OSError, ValueError):
        return False


def read_bytes(path: Path, most: int = MOST_BYTES) -> bytes:
    """Read a file of a results folder, which may be untrusted."""
    try:
        size = path.lstat().st_size
        if not is_regular(path):
            raise DataError(f"{path}: not a regular file")
        if size > most:
            limit = f"at most {most / 2**20:,.0f} MiB are read"
            raise DataError(f"{path}: the file has {size / 2**20:,.0f} MiB; {limit}")
        return path.read_bytes()
    except (OSError, ValueError) as error:
        raise DataError(f"{path}: {getattr(error, 'strerror', None) or error}") from None


def read_text(path: Path) -> str:
    """Read a text in UTF-8 of a results folder; see `read_bytes`, whose errors it raises."""
    try:
        return read_bytes(path).decode("utf-8")
    except UnicodeDecodeError as error:
        raise DataError(f"{path}: not a text file in UTF-8 (byte {error.start})") from None
