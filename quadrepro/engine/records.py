"""Records: what a cell leaves, as JSON, with its outcomes packed."""

from __future__ import annotations

import json
import math
from base64 import b64decode, b64encode
from dataclasses import asdict, dataclass, field
from functools import cache
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import ConfigDict, Field, TypeAdapter, ValidationError

from quadrepro.base.types import BoolArray, FloatArray, IntArray, Targets
from quadrepro.core.cell import key_of, rmse

SMALLEST = np.finfo(np.float32).smallest_subnormal


def pack_codes(codes: Targets, n_classes: int) -> str:
    """Return class codes as text: bits of two classes, otherwise one or two bytes a code."""
    if n_classes <= 2:
        return _text(np.packbits(codes > 0))
    return _text(codes.astype(_type_of(n_classes)))


def unpack_codes(text: str, n: int, n_classes: int) -> IntArray:
    """Return the `n` codes of which `pack_codes` returned the text."""
    if n_classes <= 2:
        packed = np.frombuffer(b64decode(text), dtype=np.uint8)
        return np.unpackbits(packed, count=n).astype(np.intp)
    return np.frombuffer(b64decode(text), dtype=_type_of(n_classes)).astype(np.intp)


def count_different(text: str, other: str) -> int:
    """Return the number of codes of two classes that differ between two texts."""
    first, second = (int.from_bytes(b64decode(packed)) for packed in (text, other))
    return (first ^ second).bit_count()


def pack_numbers(numbers: Targets) -> str:
    """Return numbers as text, exactly."""
    return _text(numbers.astype("<f8"))


def unpack_numbers(text: str) -> FloatArray:
    """Return the numbers of which `pack_numbers` returned the text."""
    return np.frombuffer(b64decode(text), dtype="<f8").astype(np.float64)


def pack_scores(scores: FloatArray) -> str:
    """Return numbers as text, in single precision; none that is above zero becomes zero."""
    with np.errstate(over="ignore", under="ignore"):
        single = scores.astype("<f4")
    single[(scores > 0) & (single == 0)] = SMALLEST
    return _text(single)


def unpack_scores(text: str, n: int) -> FloatArray:
    """Return the scores of `n` examples of which `pack_scores` returned the text."""
    scores = np.frombuffer(b64decode(text), dtype="<f4").astype(np.float64)
    return scores if len(scores) == n else scores.reshape(n, -1)


def _type_of(n_classes: int) -> str:
    return "<u1" if n_classes <= 256 else "<u2"


def _text(array: NDArray[np.generic]) -> str:
    return b64encode(array.tobytes()).decode()


def _holds(text: str, n_bytes: int) -> bool:
    padding = len(text) - len(text.rstrip("="))
    return 3 * len(text) == 4 * (n_bytes + padding) and padding == -n_bytes % 3


Status = Literal["ok", "failed", "crashed", "timeout", "missing"]
Count = Annotated[int, Field(ge=0)]
Amount = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Hexadecimal = Annotated[str, Field(pattern="^([0-9a-f]{2})*$")]
Base64 = Annotated[str, Field(pattern="^[A-Za-z0-9+/]*={0,2}$")]

CLOSE = 1e-9
"""Share by which the root of a mean of squares may differ between two processors."""


@dataclass(frozen=True)
class Record:
    """The outcome of one cell."""

    __pydantic_config__: ClassVar = ConfigDict(extra="forbid")

    key: str
    """Hash of what it was computed from."""
    status: Status
    """Its status; "missing" if it was never computed."""
    errors: Count = 0
    n_test: Count = 0
    """Wrong and all test examples."""
    chosen: dict[str, Any] = field(default_factory=dict)
    """The chosen hyper-parameters."""
    cv_errors: Annotated[float, Field(ge=0)] = 0
    """Cross-validation errors of the choice; of a regression the sum of squared errors."""
    classes: tuple[str, ...] = ()
    """Names of the classes in the order of their codes; empty where numbers are predicted."""
    actual: Base64 = ""
    predicted: Base64 = ""
    """Target of each test example and what is predicted, in the split's order, as text that
    `actual_targets` and `predicted_targets` read."""
    scores: Base64 = ""
    probabilities: Base64 = ""
    """Score of each test example, and the probability of each class, as text that `decision_scores`
    and `class_probabilities` read; empty if the learner gives none."""
    margins: Hexadecimal = ""
    """Margins of the training examples at the choice, in the split's order: little-endian float32
    in hexadecimal; empty where the protocol keeps none."""
    measures: dict[str, list[float]] = field(default_factory=dict)
    """What the protocol measures of every candidate, in the grid's order."""
    rmse: Annotated[float, Field(ge=0)] | None = None
    """Root of the mean squared error on the test examples, where numbers are predicted."""
    seconds: Amount = 0.0
    """Wall time of the search and the final training."""
    date: str = ""
    """When it was done, in UTC, as in 2026-01-31T12:00:00Z."""
    environment: dict[str, Any] = field(default_factory=dict)
    """What it was computed with, see `quadrepro.engine.keys.environment`."""
    content: dict[str, Any] = field(default_factory=dict)
    """The content that the key is a hash of."""
    message: str = ""
    """Why it failed; with the traceback if it raised an error."""

    @property
    def ok(self) -> bool:
        """Whether the cell was computed."""
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

    def actual_targets(self) -> Targets:
        """Return the class codes or the numbers to predict, shape (n_test,)."""
        return self._targets(self.actual)

    def predicted_targets(self) -> Targets:
        """Return the class codes or the numbers that are predicted, shape (n_test,)."""
        return self._targets(self.predicted)

    def decision_scores(self) -> FloatArray | None:
        """Return the scores in single precision, or None if the learner gives none."""
        return unpack_scores(self.scores, self.n_test) if self.scores else None

    def class_probabilities(self) -> FloatArray | None:
        """Return the probabilities of shape (n_test, n_classes), or None if there are none."""
        return unpack_scores(self.probabilities, self.n_test) if self.probabilities else None

    def wrong_examples(self) -> BoolArray:
        """Return which test examples have another class than predicted, shape (n_test,)."""
        return np.asarray(self.actual_targets() != self.predicted_targets())

    def _targets(self, text: str) -> Targets:
        if not self.classes:
            return unpack_numbers(text)
        return unpack_codes(text, self.n_test, len(self.classes))

    def training_margins(self) -> FloatArray:
        """Return the margins of the training examples, shape (n_train,)."""
        return np.frombuffer(bytes.fromhex(self.margins), dtype="<f4").astype(np.float64)


def pack_margins(margins: FloatArray) -> str:
    """Return the text form of `Record.margins`."""
    return margins.astype("<f4").tobytes().hex()


@cache
def _adapter() -> TypeAdapter[Record]:
    return TypeAdapter(Record)


def to_json(record: Record) -> bytes:
    """Return a record as JSON."""
    return json.dumps(asdict(record), ensure_ascii=False).encode()


def from_json(text: bytes) -> Record:
    """Return the record of which `to_json` returned the text."""
    try:
        record = _adapter().validate_json(text, strict=True)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(map(str, first["loc"])) or "the record"
        raise ValueError(f"{place}: {first['msg']}") from None
    if fault := _fault(record):
        raise ValueError(fault)
    return record


def _fault(record: Record) -> str | None:
    if key_of(record.content) != record.key:
        return "key: not that of its content"
    if not record.ok:
        return None
    if not record.n_test:
        return "n_test: no test examples"
    if record.errors > record.n_test:
        return f"errors: {record.errors} of {record.n_test} test examples"
    if (fault := _fault_of_lengths(record)) or (fault := _fault_of_targets(record)):
        return fault
    if len(record.margins) % 8:
        return "margins: cut off"
    return None


def _fault_of_lengths(record: Record) -> str | None:
    n, n_classes = record.n_test, len(record.classes)
    if (record.rmse is None) != (n_classes > 1):
        return "classes: not those of what is predicted"
    n_bytes = n * np.dtype(_type_of(n_classes) if n_classes else "<f8").itemsize
    if 1 <= n_classes <= 2:
        n_bytes = -(-n // 8)
    n_scores = n if n_classes == 2 else n * n_classes
    for name, size in (
        ("actual", n_bytes),
        ("predicted", n_bytes),
        ("scores", 4 * n_scores),
        ("probabilities", 4 * n * n_classes),
    ):
        text = getattr(record, name)
        may_lack = name in ("scores", "probabilities")
        if not (_holds(text, size) or (may_lack and not text)):
            return f"{name}: not the outcomes of {n} test examples"
    return None


def _fault_of_targets(record: Record) -> str | None:
    n_classes = len(record.classes)
    if n_classes == 2:
        wrong = count_different(record.actual, record.predicted)
    else:
        actual, predicted = record.actual_targets(), record.predicted_targets()
        if record.rmse is not None:
            found = rmse(predicted, actual)
            close = math.isclose(found, record.rmse, rel_tol=CLOSE) or math.isnan(found)
            return None if close else "rmse: not that of what is predicted"
        if max(actual.max(), predicted.max()) >= n_classes:
            return f"predicted: there are only {n_classes} classes"
        wrong = int(np.count_nonzero(actual != predicted))
    if wrong != record.errors:
        return f"errors: {record.errors}, but another number of predictions is wrong"
    return None
