"""Files that are replaced at once or not at all."""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Yield a temporary path that takes the place of a file when the block ends.

    A reader sees the old file or the whole new one. If the block raises, the old file stays and
    the temporary one is removed.

    Parameters
    ----------
    path : Path
        The file to write. Its folder is created if needed.

    Yields
    ------
    Path
        Where the block must write: a file in the same folder that does not exist yet.

    Raises
    ------
    OSError
        If the folder cannot be created or the file cannot be replaced.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f".{path.name}-{uuid.uuid4().hex[:12]}.part")
    try:
        yield partial
        with partial.open("rb+") as file:
            os.fsync(file.fileno())
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


def write_text(path: Path, text: str) -> None:
    r"""Write a text file in UTF-8 with ``\n`` line ends, at once or not at all.

    Parameters
    ----------
    path : Path
        The file. Its folder is created if needed.
    text : str
        The whole content.

    Raises
    ------
    OSError
        If it cannot be written; the old file is then as it was.
    """
    with replacing(path) as partial:
        partial.write_text(text, encoding="utf-8", newline="\n")
