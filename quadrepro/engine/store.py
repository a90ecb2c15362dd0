"""The folder of records: one file a cell, under its key, and locks on cells being computed."""

from __future__ import annotations

import hashlib
import json
import os
import socket
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from filelock import BaseFileLock, FileLock, Timeout

from quadrepro.base.files import MOST_OF_RECORD, named, read_bytes, write_bytes
from quadrepro.core.cell import Cell
from quadrepro.engine.keys import utc_now
from quadrepro.engine.records import Record, from_json, to_json
from quadrepro.errors import DataError

CLAIMS = "claims"
"""Folder of claims below that of records."""


@dataclass(frozen=True)
class Reservation:
    """A cell that some process computes."""

    key: str
    """The key of its record."""
    cell: str
    """Data set, algorithm and repeat."""
    host: str
    """The machine."""
    pid: int
    """The process."""
    since: str
    """When it was claimed, in UTC."""


class Reservations:
    """The claims on a folder of records, which is made with the first claim."""

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
        claim = Reservation(cell.key, cell.name, socket.gethostname(), os.getpid(), utc_now())
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

    def current(self) -> Iterator[Reservation]:
        """Yield the claims of processes that are alive."""
        for path in sorted(self.folder.glob("*.claim")):
            if self._is_locked(path.stem) and (claim := _read(path)):
                yield claim

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


def _read(path: Path) -> Reservation | None:
    try:
        fields: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        return Reservation(**fields)
    except (OSError, ValueError, TypeError):
        return None


_HEAD, _MIDDLE, _TAIL = b'{"sha256": "', b'", "record": ', b"}\n"
_START = len(_HEAD) + 64 + len(_MIDDLE)
ENDING, FAILED = ".json", ".failed.json"
"""Endings of the names of records with and without a result."""

DAMAGED = ".damaged"
"""Ending of the name of a record that was set aside."""


class RecordStore:
    """A folder of records.

    Parameters
    ----------
    folder : Path
        Made when the first record is kept.
    on_damage : callable, optional
        Called with the file of a damaged record and what is wrong with it.
    read_only : bool, default False
        Leave damaged records where they are; they still count as none.
    """

    def __init__(
        self,
        folder: Path,
        on_damage: Callable[[Path, str], None] | None = None,
        read_only: bool = False,
    ) -> None:
        self.folder = folder
        self._on_damage = on_damage
        self._read_only = read_only

    def path(self, key: str, ok: bool = True) -> Path:
        """Return the file of a record with a result, or of one without."""
        return self.folder / key[:2] / (key + (ENDING if ok else FAILED))

    def get(self, key: str) -> Record | None:
        """Return a record, or None where there is none.

        A damaged one counts as none, and is set aside under a name that ends with `DAMAGED`.
        """
        for path in (self.path(key), self.path(key, ok=False)):
            try:
                return _decode(read_bytes(path, MOST_OF_RECORD), key)
            except DataError:
                continue
            except ValueError as error:
                self._set_aside(path, str(error))
        return None

    def put(self, record: Record) -> None:
        """Keep a record; a reader never sees half of one."""
        write_bytes(self.path(record.key, record.ok), _with_checksum(to_json(record)))
        self.path(record.key, not record.ok).unlink(missing_ok=True)

    def scan(self) -> dict[str, bool]:
        """Return which records there are, unread, and whether each has a result."""
        found: dict[str, bool] = {}
        for path in self.folder.glob(f"??/*{ENDING}"):
            key = path.name.partition(".")[0]
            found[key] = found.get(key, False) or not path.name.endswith(FAILED)
        return found

    def _set_aside(self, path: Path, fault: str) -> None:
        if not self._read_only:
            try:
                path.replace(path.with_name(path.name + DAMAGED))
            except OSError:
                return
        if self._on_damage is not None:
            self._on_damage(path, fault)


def _with_checksum(body: bytes) -> bytes:
    digest = hashlib.sha256(body).hexdigest().encode()
    return _HEAD + digest + _MIDDLE + body + _TAIL


def _decode(raw: bytes, key: str) -> Record:
    """Return the record in a file, or raise ValueError."""
    body = raw[_START : -len(_TAIL)]
    if raw != _with_checksum(body):
        raise ValueError("its checksum is not that of its text")
    record = from_json(body)
    if record.key != key:
        raise ValueError(f"it is the record of {record.key}")
    return record


def result(record: Record) -> str:
    """Return as text what two computations of one cell must agree on."""
    # Another processor may round a matrix product, and with it a score, in another way.
    times = ("date", "seconds")
    names = (*times, "environment", "content", "message", "scores", "probabilities")
    left_out: dict[str, Any] = dict.fromkeys(names)
    return repr(replace(record, cv_errors=float(record.cv_errors), **left_out))
