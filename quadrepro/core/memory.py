"""Rows in memory in their own order, and splits of them that are given as indices."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from statistics import fmean
from typing import Any

import joblib
import numpy as np
import pandas as pd

from quadrepro.core.problems import RowSource, Sources, StoredRows
from quadrepro.core.protocol import Protocol, SplitRule
from quadrepro.core.seeds import Draws
from quadrepro.core.splits import KnownRows, Parts, Split, Splitter
from quadrepro.data.canonical import RawTable
from quadrepro.data.card import Attribute, Card, View
from quadrepro.data.schema import Target
from quadrepro.data.store import Dataset, Found

ROW = "row"
"""The only attribute: the number of the row in the user's array."""


def content_hash(X: Any, y: Any) -> str:
    """Return the hash of an array or data frame and of its targets."""
    if isinstance(X, pd.DataFrame):
        # Equal frames may differ in how their columns are stored.
        with suppress(TypeError):  # of lists in a column
            X = X.columns, X.dtypes, pd.util.hash_pandas_object(X).to_numpy()
    return f"sha256:{hashlib.sha256(joblib.hash((X, y)).encode()).hexdigest()}"


@dataclass(frozen=True)
class FoundInMemory(Found):
    """A data set whose rows are in memory."""

    table: RawTable

    @property
    def origin(self) -> str:
        """Where the rows come from."""
        return "in memory"

    def load(self, only: object = None) -> Dataset:
        """Return the data set."""
        return Dataset(self.card, self.table, self.origin)


def in_memory(X: Any, y: Any, target: str, *, numbers: bool) -> FoundInMemory:
    """Return rows as a data set; `y` has numbers or labels."""
    column = np.asarray(y, dtype=np.float64) if numbers else np.asarray(y).astype(str)
    labels, counts = np.unique(column, return_counts=True)
    described: dict[str, Any] = {"range": (column.min(), column.max())} if numbers else {}
    if not numbers:
        described["labels"] = dict(zip(labels.tolist(), counts.tolist(), strict=True))
    index = X.index if isinstance(X, pd.DataFrame) else pd.RangeIndex(len(column))
    row = Attribute(name=ROW, kind="numeric")
    card = Card(
        name="data",
        title=target,
        task="regression" if numbers else "classification",
        rows=len(column),
        attributes=(row,),
        missing_cells=0,
        rows_with_missing=0,
        target=Target(original=target, **described),
        content_hash=content_hash(X, column),
        licence="not stated",
        citation="not stated",
    )
    columns = {ROW: np.arange(len(column), dtype=np.float64)}
    return FoundInMemory(card, None, RawTable((row,), columns, column, None, index.to_numpy()))


class GivenRule(SplitRule):
    """Stands for splits that are given."""

    @property
    def draws_share(self) -> bool:
        """Whether a share of the rows is drawn at random."""
        return False


@dataclass(frozen=True, eq=False, kw_only=True)
class GivenSplitter(Splitter):
    """Training and test rows of each repeat, in the order in which estimators get them."""

    parts: tuple[Parts, ...]

    def __post_init__(self) -> None:
        """Accept parts of any sizes."""

    @property
    def sizes(self) -> tuple[int, int, int]:
        """The mean sizes of the training, validation and test part."""
        n_train, n_test = (round(fmean(map(len, part))) for part in zip(*self.parts, strict=True))
        return n_train, 0, n_test

    def test_share(self, n_test: float) -> float:
        """Return the share of a split's rows that are tested, given their mean number."""
        return n_test / (self.sizes[0] + n_test)

    def _split(self, draws: Draws, known: KnownRows) -> Split:
        return Split(*self.parts[draws[2]], fold=np.empty(0, dtype=np.intp))


@dataclass(frozen=True, eq=False)
class GivenRows(StoredRows):
    """Rows with splits that are given."""

    splitter: GivenSplitter

    @property
    def content(self) -> dict[str, Any]:
        """What results depend on besides the view, the rule and the draws."""
        return super().content | {"splits": joblib.hash(self.splitter.parts)}


@dataclass(frozen=True, eq=False, kw_only=True)
class SourceInMemory(Sources):
    """Has the rows of the only data set."""

    rows: GivenRows

    def __call__(
        self,
        name: str,
        protocol: Protocol,
        view: View,
        title: str,
        parameters: Mapping[str, float],
    ) -> RowSource:
        """Return the rows."""
        return self.rows
