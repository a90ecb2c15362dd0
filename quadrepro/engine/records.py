"""Records: what a cell leaves, and whether it can be what a cell left."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from functools import cache
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from pydantic import ConfigDict, Field, TypeAdapter, ValidationError

from quadrepro._typing import BoolArray, FloatArray
from quadrepro.config.cell import key_of

Status = Literal["ok", "failed", "crashed", "timeout", "missing"]
Count = Annotated[int, Field(ge=0)]
Seconds = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Hexadecimal = Annotated[str, Field(pattern="^([0-9a-f]{2})*$")]


@dataclass(frozen=True)
class Record:
    """The outcome of one cell.

    Attributes
    ----------
    key : str
        Hash of what it was computed from.
    status : {"ok", "failed", "crashed", "timeout", "missing"}
        How it ended; "missing" where it was never computed.
    errors, n_test : int
        Wrong and all test examples.
    chosen : dict
        The chosen hyper-parameters.
    cv_errors : int or float
        Cross-validation errors of the choice; of a regression the sum of squared errors.
    wrong : str
        Which test examples are wrong, in the split's order: bits packed, in hexadecimal; empty
        where numbers are predicted.
    margins : str
        Margins of the training examples at the choice, in the split's order: little-endian float32
        in hexadecimal; empty where the protocol keeps none.
    measures : dict of str to list of float
        What the protocol measures of every candidate, in the grid's order.
    rmse : float or None
        Root of the mean squared error on the test examples, where numbers are predicted.
    seconds : float
        Wall time of the search and the final training.
    date : str
        When it was done, in UTC, as in 2026-01-31T12:00:00Z.
    environment : dict
        What it was computed with, see `quadrepro.engine.environment.environment`.
    content : dict
        What the key is the hash of.
    message : str
        Why it failed; with the traceback if it raised an error.
    """

    __pydantic_config__: ClassVar = ConfigDict(extra="forbid")

    key: str
    status: Status
    errors: Count = 0
    n_test: Count = 0
    chosen: dict[str, Any] = field(default_factory=dict)
    cv_errors: Annotated[float, Field(ge=0)] = 0
    wrong: Hexadecimal = ""
    margins: Hexadecimal = ""
    measures: dict[str, list[float]] = field(default_factory=dict)
    rmse: Annotated[float, Field(ge=0)] | None = None
    seconds: Seconds = 0.0
    date: str = ""
    environment: dict[str, Any] = field(default_factory=dict)
    content: dict[str, Any] = field(default_factory=dict)
    message: str = ""

    @property
    def ok(self) -> bool:
        """Whether the cell was computed."""
        return self.status == "ok"

    @property
    def reason(self) -> str:
        """Why there is no result, in one line; empty if nothing is known."""
        return (self.message.strip().splitlines() or [""])[-1]

    @property
    def risk(self) -> float:
        """Share of wrong test examples."""
        return self.errors / self.n_test

    @property
    def value(self) -> float:
        """What is measured on the test examples: the risk, or the RMSE of a regression."""
        return self.risk if self.rmse is None else self.rmse

    def wrong_examples(self) -> BoolArray:
        """Return which test examples are wrong, shape (n_test,)."""
        packed = np.frombuffer(bytes.fromhex(self.wrong), dtype=np.uint8)
        return np.unpackbits(packed, count=self.n_test).astype(np.bool_)

    def training_margins(self) -> FloatArray:
        """Return the margins of the training examples, shape (n_train,)."""
        return np.frombuffer(bytes.fromhex(self.margins), dtype="<f4").astype(np.float64)


def pack_margins(margins: FloatArray) -> str:
    """Return the text form of `Record.margins`."""
    return margins.astype("<f4").tobytes().hex()


def pack(wrong: BoolArray) -> str:
    """Return the text form of `Record.wrong`."""
    return np.packbits(wrong).tobytes().hex()


@cache
def _adapter() -> TypeAdapter[Record]:
    return TypeAdapter(Record)


def to_json(record: Record) -> bytes:
    """Return a record as JSON."""
    return json.dumps(asdict(record), ensure_ascii=False).encode()


def from_json(text: bytes) -> Record:
    """Return the record of which `to_json` returned the text.

    Raises
    ------
    ValueError
        If no cell leaves such a record; the message names the field.
    """
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
    if record.rmse is None:
        if len(record.wrong) != 2 * (-(-record.n_test // 8)):
            return f"wrong: not the outcomes of {record.n_test} test examples"
        if int(record.wrong, 16).bit_count() != record.errors:
            return f"errors: {record.errors}, but wrong has another number of test examples"
    if len(record.margins) % 8:
        return "margins: cut off"
    return None
