"""Files that are replaced at once or not at all."""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def write_bytes(path: Path, content: bytes) -> None:
    """Write a file at once or not at all.

    A reader sees the old file or the whole new one, even if the computer stops in between.

    Parameters
    ----------
    path : Path
        The file. Its folder is created if needed.
    content : bytes
        The whole content.

    Raises
    ------
    OSError
        If it cannot be written; names the file, which is then as it was.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f".{path.name}-{uuid.uuid4().hex[:12]}.part")
    try:
        with named(path):
            with partial.open("xb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


@contextmanager
def named(path: Path) -> Iterator[None]:
    """Name a file in errors of writing it: of a full disk, the system gives no name."""
    try:
        yield
    except OSError as error:
        error.filename, error.filename2 = str(path), None
        raise


def write_text(path: Path, text: str) -> None:
    r"""Write a text in UTF-8 with ``\n`` line ends, at once or not at all; see `write_bytes`."""
    write_bytes(path, text.encode("utf-8"))
