"""Folders of records: their merging, and what in them is of no use any more."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from quadrepro.engine.records import Record
from quadrepro.engine.run import CLAIMS
from quadrepro.engine.store import DAMAGED, RecordStore, Reservations
from quadrepro.errors import ToleranceError


@dataclass
class Merged:
    """What became of the records of some folders."""

    copied: int = 0
    known: int = 0
    damaged: int = 0
    """How many were copied, how many were there already, and how many were damaged."""


def merge(sources: Iterable[RecordStore], into: RecordStore) -> Merged:
    """Copy the records of some stores into another one."""
    merged = Merged()
    for source in sources:
        for key in source.scan():
            record = source.get(key)
            if record is None:
                merged.damaged += 1
                continue
            there = into.get(key)
            if there is not None and record.ok and there.ok and result(record) != result(there):
                raise ToleranceError(
                    f"{source.path(key)} and {into.path(key)} are of the same cell, "
                    "but their results differ"
                )
            if there is None or (record.ok and not there.ok):
                into.put(record)
                merged.copied += 1
            else:
                merged.known += 1
    return merged


def result(record: Record) -> str:
    """Return as text what two computations of one cell must agree on."""
    # Another processor may round a matrix product, and with it a score, in another way.
    times = ("date", "seconds", "busy", "size")
    names = (*times, "environment", "content", "message", "scores", "probabilities")
    left_out: dict[str, Any] = dict.fromkeys(names)
    return repr(replace(record, cv_errors=float(record.cv_errors), **left_out))


def leftovers(store: RecordStore, used: Collection[str] | None = None) -> Iterator[Path]:
    """Yield the files in a store that nothing needs."""
    yield from store.folder.glob(f"??/*{DAMAGED}")
    yield from store.folder.glob("??/.*.part")
    yield from store.folder.glob(".*.part")
    yield from Reservations(store.folder / CLAIMS).stale()
    if used is not None:
        for key, ok in store.scan().items():
            if key not in used:
                yield store.path(key, ok)
