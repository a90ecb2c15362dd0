"""Records: what a cell leaves, kept one file a cell under the hash of its content."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np

from quadrepro._files import write_text
from quadrepro._typing import BoolArray, FloatArray

Status = Literal["ok", "failed", "crashed", "missing"]


@dataclass(frozen=True)
class Record:
    """The outcome of one cell.

    Attributes
    ----------
    key : str
        Hash of what it was computed from.
    status : {"ok", "failed", "crashed", "missing"}
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
    versions : dict of str to str
        Libraries it was computed with.
    content : dict
        What the key is the hash of.
    message : str
        Why it failed, with the traceback.
    """

    key: str
    status: Status
    errors: int = 0
    n_test: int = 0
    chosen: dict[str, Any] = field(default_factory=dict)
    cv_errors: float = 0
    wrong: str = ""
    margins: str = ""
    measures: dict[str, list[float]] = field(default_factory=dict)
    rmse: float | None = None
    seconds: float = 0.0
    versions: dict[str, str] = field(default_factory=dict)
    content: dict[str, Any] = field(default_factory=dict)
    message: str = ""

    @property
    def ok(self) -> bool:
        """Whether the cell was computed."""
        return self.status == "ok"

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


class RecordStore:
    """A folder of records.

    Parameters
    ----------
    folder : Path
        Made when the first record is kept.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def path(self, key: str) -> Path:
        """Return the file of a record."""
        return self.folder / key[:2] / f"{key}.json"

    def get(self, key: str) -> Record | None:
        """Return a record, or None where there is none that can be read."""
        try:
            fields = json.loads(self.path(key).read_text(encoding="utf-8"))
            record = Record(**fields)
        except (OSError, ValueError, TypeError):
            return None
        return record if record.key == key else None

    def put(self, record: Record) -> None:
        """Keep a record; a reader never sees half of one.

        Raises
        ------
        OSError
            If the disk does not take it.
        """
        text = json.dumps(asdict(record), ensure_ascii=False)
        write_text(self.path(record.key), text)
