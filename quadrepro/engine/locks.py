"""Claims: which process computes a cell, if several share a folder of records.

A claim is a lock on a file, which the system takes back when its process ends, however that ends.
"""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from filelock import BaseFileLock, FileLock, Timeout

from quadrepro.base.files import named
from quadrepro.core.cell import Cell
from quadrepro.engine.environment import utc_now


@dataclass(frozen=True)
class Claim:
    """A cell that some process computes.

    Attributes
    ----------
    key : str
        The key of its record.
    cell : str
        Data set, algorithm and repeat.
    host : str
        The machine.
    pid : int
        The process.
    since : str
        When it was claimed, in UTC.
    """

    key: str
    cell: str
    host: str
    pid: int
    since: str


class Claims:
    """The claims on a folder of records.

    Parameters
    ----------
    folder : Path
        Made with the first claim.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._held: dict[str, BaseFileLock] = {}

    def take(self, cell: Cell) -> bool:
        """Claim a cell, and return False if another process has."""
        self.folder.mkdir(parents=True, exist_ok=True)
        lock = FileLock(self._lock(cell.key), thread_local=False)
        try:
            lock.acquire(blocking=False)
        except Timeout:
            return False
        except NotImplementedError:
            # A file system without locks: each process computes for itself.
            return True
        self._held[cell.key] = lock
        claim = Claim(cell.key, cell.name, socket.gethostname(), os.getpid(), utc_now())
        with named(note := self._note(cell.key)):
            note.write_text(json.dumps(asdict(claim)), encoding="utf-8")
        return True

    def release(self, key: str) -> None:
        """Give up the claim on a cell, if this process has one."""
        lock = self._held.pop(key, None)
        if lock is not None:
            # Removed while it is held: whoever waits for it finds a record.
            self._note(key).unlink(missing_ok=True)
            self._lock(key).unlink(missing_ok=True)
            lock.release()

    def release_all(self) -> None:
        """Give up all claims of this process."""
        for key in list(self._held):
            self.release(key)

    def current(self) -> Iterator[Claim]:
        """Yield the claims of processes that are alive."""
        for path in sorted(self.folder.glob("*.claim")):
            if self._is_locked(path.stem) and (claim := _read(path)):
                yield claim

    def stale(self) -> Iterator[Path]:
        """Yield the files of claims whose processes have ended."""
        for path in sorted(self.folder.glob("*.lock")):
            if not self._is_locked(path.stem):
                yield path
                if (note := self._note(path.stem)).is_file():
                    yield note

    def _is_locked(self, key: str) -> bool:
        try:
            with FileLock(self._lock(key), thread_local=False).acquire(blocking=False):
                return False
        except Timeout:
            return True

    def _lock(self, key: str) -> Path:
        return self.folder / f"{key}.lock"

    def _note(self, key: str) -> Path:
        return self.folder / f"{key}.claim"


def _read(path: Path) -> Claim | None:
    try:
        fields: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        return Claim(**fields)
    except (OSError, ValueError, TypeError):
        return None
