"""Records of cells, the folder that holds them, and the code and packages in their keys."""

from __future__ import annotations

import errno
import fcntl
import json
import logging
import math
import platform
import subprocess
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import IO, Any, Literal

import numpy as np
from numpy.typing import NDArray

from quadrepro.base.code import PACKAGE, code_hash, versions_of
from quadrepro.base.files import write_bytes
from quadrepro.base.types import BoolArray, FloatArray, Targets
from quadrepro.core.cell import Cell, key_of
from quadrepro.core.measures.names import MEASURES
from quadrepro.core.metrics import find_metric
from quadrepro.core.protocol import Protocol
from quadrepro.core.training.contract import Judged, Learner

PACKAGES = ("quadrepro", "numpy", "scipy", "scikit-learn", "highspy", "piqp", "numba")
"""Packages whose versions a record keeps in its environment; `makers` has the key's."""

PARTS = (PACKAGE.name, "configs", "datasets", "constraints.txt")
"""What decides results, below the folder of a checkout."""


def makers(learner: Learner, protocol: Protocol, voters: Learner | None = None) -> dict[str, Any]:
    """Return the code and the packages that a result depends on, as a key has them."""
    learners = [learner] if voters is None else [learner, voters]
    measures = (MEASURES[name].function.__module__ for name in protocol.measures)
    modules = {type(learner).__module__, *measures}
    if protocol.choose_by != "error":
        modules.add(find_metric.__module__)
    modules |= {name for one in learners for name in one.modules}
    own_code = tuple(pair for one in learners for pair in one.own_code)
    packages = ["numpy", "numba", *(name for one in learners for name in one.packages)]
    return {"code": code_hash(frozenset(modules), own_code), "packages": versions_of(packages)}


@cache
def environment() -> dict[str, Any]:
    """Return the versions and the machine of this process, which every record keeps."""
    extensions = np.show_config(mode="dicts").get("SIMD Extensions", {})
    return {
        "versions": {"python": platform.python_version(), **versions_of(PACKAGES)},
        "system": platform.platform(),
        "processor": {"machine": platform.machine(), "simd": extensions.get("found", [])},
    }


@cache
def commit() -> dict[str, Any]:
    """Return the commit that this package is checked out at; empty if it is not in a checkout."""

    def git(*words: str) -> str:
        command = ["git", "-C", str(PACKAGE.parent), *words]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()

    try:
        git("ls-files", "--error-unmatch", f"{PACKAGE.name}/__init__.py")
        changed = git("status", "--porcelain", "--", *PARTS)
        return {"commit": git("rev-parse", "HEAD"), "dirty": bool(changed)}
    except (OSError, subprocess.CalledProcessError):
        return {}


def utc_now() -> str:
    """Return the present time, as in 2026-01-31T12:00:00.000Z."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"


log = logging.getLogger("quadrepro")

Status = Literal["ok", "failed", "crashed", "timeout", "missing"]

ARRAYS = ("actual", "predicted", "scores", "probabilities", "margins")
"""The fields of a record that are arrays."""


@dataclass(frozen=True, eq=False)
class Record:
    """The outcome of one cell."""

    key: str
    """Hash of what it was computed from."""
    status: Status
    """How the cell ended; "missing" if it was never computed."""
    errors: int = 0
    n_test: int = 0
    """Wrong and all test examples."""
    chosen: dict[str, Any] = field(default_factory=dict)
    """The chosen hyper-parameters."""
    cv_errors: float = 0
    """What folds chose by, of the choice: the errors, the balanced error, or for a regression the
    sum of squared errors."""
    classes: tuple[str, ...] = ()
    """Names of the classes in the order of their codes; empty where numbers are predicted."""
    actual: Targets | None = None
    predicted: Targets | None = None
    """Class code or number of each test example, in the split's order, and its prediction."""
    scores: FloatArray | None = None
    probabilities: FloatArray | None = None
    """Scores of the test examples, shape (n_test,) or (n_test, n_classes), and probabilities of
    their classes, in single precision; None if the learner has none."""
    margins: FloatArray | None = None
    """Margins of the training examples, in single precision; None if the protocol keeps none."""
    measures: dict[str, list[float]] = field(default_factory=dict)
    """Measures of every candidate, in the grid's order."""
    rmse: float | None = None
    """Root of the mean squared error on the test examples, where numbers are predicted."""
    seconds: float = 0.0
    """Wall time of the search and the final training."""
    date: str = ""
    """When it was done, in UTC, as in 2026-01-31T12:00:00.000Z."""
    environment: dict[str, Any] = field(default_factory=dict)
    """What it was computed with; see `quadrepro.engine.records.environment`."""
    content: dict[str, Any] = field(default_factory=dict)
    """Everything that the result depends on, which the key is a hash of."""
    message: str = ""
    """Why it has no result, with the traceback of an error."""
    warnings: list[str] = field(default_factory=list)
    """Different warnings while it was computed."""

    @property
    def ok(self) -> bool:
        """Whether the cell has a result."""
        return self.status == "ok"

    @property
    def reason(self) -> str:
        """The reason for a missing result, in one line; empty if unknown."""
        return (self.message.strip().splitlines() or [""])[-1]

    @property
    def risk(self) -> float:
        """Share of wrong test examples."""
        return self.errors / self.n_test

    @property
    def value(self) -> float:
        """The test error: the risk, or the RMSE of a regression."""
        return self.risk if self.rmse is None else self.rmse

    @property
    def wrong(self) -> BoolArray:
        """Which test examples are predicted wrongly, shape (n_test,)."""
        return np.asarray(self.actual != self.predicted)

    @property
    def judged(self) -> Judged:
        """What metrics judge."""
        outputs = self.predicted, self.scores, self.probabilities
        return Judged(len(self.classes), self.actual, *outputs)


class RecordStore:
    """A folder of records, one file per cell under its key."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._unused: dict[str, Record] = {}
        """Records that `missing` has read, until their table is made."""

    def path(self, key: str) -> Path:
        """Return the file of a record."""
        return self.folder / key[:2] / f"{key}.record"

    def keys(self) -> set[str]:
        """Return the keys of all records, unread."""
        return {path.stem for path in self.folder.glob("??/[0-9a-f]*.record")}

    def date(self, key: str) -> int:
        """Return when a record was written, in nanoseconds; 0 if there is none."""
        try:
            return self.path(key).stat().st_mtime_ns
        except OSError:
            return 0

    @contextmanager
    def claims(self) -> Iterator[Claims]:
        """Yield claims on cells, after checking that records can be written."""
        self.folder.mkdir(parents=True, exist_ok=True)
        with (self.folder / ".claims").open("wb") as file:
            yield Claims(file)

    def get(self, key: str) -> Record | None:
        """Return a record; a damaged one counts as missing, with a warning."""
        path = self.path(key)
        if not path.is_file():
            return None
        try:
            record = _load(path)
            if record.key == key == key_of(record.content):
                return record
        except (OSError, ValueError, TypeError, KeyError, AttributeError, zlib.error):
            pass
        log.warning("%s is damaged and counts as missing", path)
        return None

    def put(self, record: Record) -> None:
        """Keep a record; a reader never sees half of one."""
        fields = {name: value for name, value in vars(record).items() if name not in ARRAYS}
        held = {name: getattr(record, name) for name in ARRAYS}
        arrays = {name: _compact(array) for name, array in held.items() if array is not None}
        fields["arrays"] = {name: (a.dtype.str, a.shape) for name, a in arrays.items()}
        text = json.dumps(fields, ensure_ascii=False).encode(errors="backslashreplace")
        values = b"".join(array.tobytes() for array in arrays.values())
        write_bytes(self.path(record.key), zlib.compress(text + b"\n" + values))
        self._unused.pop(record.key, None)

    def records_of(self, cells: Sequence[Cell]) -> list[Record]:
        """Return the record of every cell, with status "missing" if there is none."""
        keys = [cell.key for cell in cells]
        held = [self._unused.pop(key, None) or self.get(key) for key in keys]
        return [record or Record(key, "missing") for key, record in zip(keys, held, strict=True)]

    def missing(self, cells: Iterable[Cell], retry: bool = False) -> list[Cell]:
        """Return the cells without a record, or without a result if those are tried again."""
        todo: dict[str, Cell] = {}
        for cell in cells:
            record = self._unused.get(cell.key) or self.get(cell.key)
            if record is None or (retry and not record.ok):
                # Rows of equal content share a record.
                todo.setdefault(cell.key, cell)
            else:
                self._unused[cell.key] = record
        return list(todo.values())


class Claims:
    """Cells that this run computes, as locks on the bytes of a file; they end with its process."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file

    def take(self, key: str) -> bool:
        """Claim a cell, and return whether no other run has claimed it."""
        try:
            fcntl.lockf(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, int(key[:15], 16))
        except OSError as error:
            # Some file systems have no locks.
            return error.errno not in (errno.EACCES, errno.EAGAIN)
        return True

    def release(self, key: str) -> None:
        """Leave a cell to other runs."""
        with suppress(OSError):
            fcntl.lockf(self._file, fcntl.LOCK_UN, 1, int(key[:15], 16))


def _load(path: Path) -> Record:
    """Read the file of a record: a line of JSON, and the values of its arrays, compressed."""
    text, _, values = zlib.decompress(path.read_bytes()).partition(b"\n")
    fields, start = json.loads(text), 0
    for name, (kind, shape) in fields.pop("arrays").items():
        stop = start + np.dtype(kind).itemsize * math.prod(shape)
        array = np.frombuffer(values[start:stop], kind).reshape(shape)
        fields[name] = array.astype(np.intp if array.dtype.kind == "u" else np.float64)
        start = stop
    return Record(**fields | {"classes": tuple(fields["classes"])})


def _compact(array: NDArray[Any]) -> NDArray[Any]:
    """Return codes of classes in the smallest type; other arrays stay as they are."""
    is_codes = array.dtype.kind == "i"
    return array.astype(np.min_scalar_type(array.max(initial=0))) if is_codes else array
