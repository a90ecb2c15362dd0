"""The folder of records: one file a cell, under its key."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from quadrepro.base.files import MOST_OF_RECORD, read_bytes, write_bytes
from quadrepro.engine.records import Record, from_json, to_json
from quadrepro.errors import DataError

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

    def scan(self) -> set[str]:
        """Return the keys of all records, unread."""
        return {path.name.partition(".")[0] for path in self.folder.glob(f"??/*{ENDING}")}

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
