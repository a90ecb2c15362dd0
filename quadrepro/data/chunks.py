"""Data as chunks of examples, so that they need not be in memory at once.

A source of chunks is asked twice to reduce them: once for the range of each attribute and once for
the sums over examples. It never sees what they are reduced to.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_X_y

from quadrepro.base.types import FloatArray
from quadrepro.errors import nearest

ROWS = 2**16
"""Largest number of rows reduced at a time."""


class Addable(Protocol):
    """What chunks are reduced to."""

    def __add__(self, other: Any, /) -> Any:
        """Return what both parts together are reduced to."""


A = TypeVar("A", bound=Addable)


@dataclass(frozen=True, eq=False)
class Chunk:
    """Some examples: finite numbers of shape (n_examples, n_attributes), and their labels."""

    X: FloatArray
    labels: NDArray[Any]
    names: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Read:
    """Chunks that are read one after the other, as often as needed."""

    read: Callable[[], Iterable[Chunk]]

    def reduce(self, function: Callable[[Chunk], A]) -> A:
        """Return the sum of a function over all chunks."""
        total: A | None = None
        for chunk in self.read():
            if len(chunk.X):
                part = function(chunk)
                total = part if total is None else total + part
        if total is None:
            raise ValueError("the data hold no example")
        return total


@dataclass(frozen=True, eq=False)
class Partitions:
    """The partitions of a Dask dataframe, reduced where they are."""

    frame: Any
    target: str

    def reduce(self, function: Callable[[Chunk], A]) -> A:
        """Reduce every partition on its worker, and add two and two."""
        import dask

        reduce_part = dask.delayed(_reduce_part)
        add = dask.delayed(_add)
        parts = [reduce_part(part, self.target, function) for part in self.frame.to_delayed()]
        while len(parts) > 1:
            pairs = [add(*parts[i : i + 2]) for i in range(0, len(parts) - 1, 2)]
            parts = pairs + parts[2 * len(pairs) :]
        [total] = dask.compute(*parts) if parts else [None]
        if total is None:
            raise ValueError("the data hold no example")
        return total  # type: ignore[no-any-return]


def _reduce_part(frame: Any, target: str, function: Callable[[Chunk], A]) -> A | None:
    import pyarrow as pa

    if not len(frame):
        return None
    # A partition may be large; a few rows at a time stay in the processor's cache.
    table = pa.Table.from_pandas(frame, preserve_index=False)
    starts = range(0, len(frame), ROWS)
    chunks = Read(lambda: (table_chunk(table.slice(i, ROWS), target) for i in starts))
    return chunks.reduce(function)


def _add(a: A | None, b: A | None) -> A | None:
    if a is None or b is None:
        return b if a is None else a
    return a + b  # type: ignore[no-any-return]


def open_chunks(data: Any, target: str | None) -> Read | Partitions:
    """Return the chunks of data in any form that can be read more than once."""
    if callable(data):
        if target is not None:
            raise ValueError("target names a column, but the data are pairs (X, y)")
        return Read(lambda: pairs(data()))
    if hasattr(data, "to_delayed"):
        return Partitions(data, _known(target, list(data.columns)))
    from pyarrow import dataset as ds

    if isinstance(data, (str, Path)):
        data = [data]
    if isinstance(data, list) and data and all(isinstance(p, (str, Path)) for p in data):
        data = _dataset([Path(p) for p in data], target)
    if not isinstance(data, ds.Dataset):
        raise TypeError(
            "data must be a path, a list of paths, a pyarrow dataset, a Dask dataframe or a "
            f"callable that returns pairs (X, y), not {type(data).__name__}"
        )
    return _files(data, target)


def pairs(given: Iterable[tuple[Any, Any]]) -> Iterator[Chunk]:
    """Yield the chunks of pairs (X, y)."""
    first: Chunk | None = None
    for X, y in given:
        if not len(X):
            continue
        columns = tuple(X.columns) if hasattr(X, "columns") else ()
        names = columns if all(isinstance(name, str) for name in columns) else ()
        numbers, labels = check_X_y(X, y, dtype=np.float64)
        chunk = Chunk(numbers, labels, names)
        if first is None:
            first = chunk
        if chunk.names != first.names:
            raise ValueError(f"a chunk has the columns {chunk.names}, the first had {first.names}")
        if chunk.X.shape[1] != first.X.shape[1]:
            raise ValueError(
                f"a chunk has {chunk.X.shape[1]} attributes, the first had {first.X.shape[1]}"
            )
        yield chunk


def _known(target: str | None, columns: list[str]) -> str:
    if target is None:
        raise ValueError("target must name the column of the labels")
    if target not in columns:
        raise ValueError(f"the data have no column {target!r}{nearest(target, columns)}")
    return target


def _dataset(paths: list[Path], target: str | None) -> Any:
    """Return the data set of some files, or of the files in some folders."""
    import pyarrow as pa
    from pyarrow import dataset as ds

    files: list[Path] = []
    for path in paths:
        inside = sorted(p for p in path.rglob("*") if p.is_file()) if path.is_dir() else [path]
        files += [p for p in inside if not p.name.startswith((".", "_"))]
    if not files:
        raise ValueError(f"no files in {', '.join(map(str, paths))}")
    kinds = {"csv" if ".csv" in p.suffixes else "parquet" for p in files}
    if len(kinds) > 1:
        raise ValueError("the files must all be CSV or all be Parquet")
    names, kind = [str(p) for p in files], kinds.pop()
    schema = ds.dataset(names, format=kind).schema
    # A column that starts with whole numbers, or empty, may hold fractions further down.
    wide = [
        pa.field(f.name, pa.float64()) if f.name != target and _is_number(f.type) else f
        for f in schema
    ]
    return ds.dataset(names, format=kind, schema=pa.schema(wide))


def _files(dataset: Any, target: str | None) -> Read:
    label = _known(target, dataset.schema.names)
    if len(dataset.schema.names) < 2:
        raise ValueError(f"the data have no column but {label!r}")

    def read() -> Iterator[Chunk]:
        batches = dataset.to_batches(batch_size=ROWS, batch_readahead=2, fragment_readahead=1)
        for batch in batches:
            if batch.num_rows:
                yield table_chunk(batch, label)

    return Read(read)


def _is_number(kind: Any) -> bool:
    from pyarrow import types

    tests = (types.is_integer, types.is_floating, types.is_boolean, types.is_decimal, types.is_null)
    return any(test(kind) for test in tests)


def table_chunk(table: Any, target: str) -> Chunk:
    """Return a table as a chunk."""
    import pyarrow as pa

    names = [name for name in table.schema.names if name != target]
    X = np.empty((table.num_rows, len(names)))
    for name, column in zip(names, X.T, strict=True):
        values = table.column(name)
        if not _is_number(values.type):
            raise ValueError(f"column {name!r} holds {values.type}, not numbers")
        numbers = values.cast(pa.float64(), safe=False)
        column[:] = numbers.to_numpy(zero_copy_only=False) if numbers.null_count == 0 else np.nan
        if not np.isfinite(column).all():
            what = "infinite" if np.isinf(column).any() else "missing"
            raise ValueError(f"column {name!r} has {what} values")
    labels = table.column(target)
    if labels.null_count:
        raise ValueError(f"column {target!r} has missing values")
    if pa.types.is_dictionary(labels.type):
        labels = labels.cast(labels.type.value_type)
    return Chunk(X, labels.to_numpy(zero_copy_only=False), tuple(names))
