from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import dataset as ds
from pyarrow import parquet

from quadrepro.data import chunks
from quadrepro.data.chunks import Chunk, open_chunks, table_chunk

FRAME = pd.DataFrame({"a": [1, 2, 3, 4], "label": ["n", "y", "y", "n"], "b": [0.5, 1.5, -2.0, 0.0]})


def together(data: Any, target: str | None = "label") -> tuple[Any, ...]:
    """Return all examples, all labels and the names."""

    parts = open_chunks(data, target).reduce(lambda chunk: [chunk])
    (names,) = {chunk.names for chunk in parts}
    X = [row for chunk in parts for row in chunk.X.tolist()]
    return X, [label for chunk in parts for label in chunk.labels.tolist()], names


EXPECTED = (FRAME[["a", "b"]].to_numpy(float).tolist(), FRAME["label"].tolist(), ("a", "b"))


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "parquet" / "_hidden").mkdir(parents=True)
    (tmp_path / "csv").mkdir()
    for i, part in enumerate((FRAME[:3], FRAME[3:])):
        part.to_parquet(tmp_path / "parquet" / f"{i}.parquet")
        part.to_csv(tmp_path / "csv" / f"{i}.csv", index=False)
    return tmp_path


@pytest.mark.parametrize("kind", ["parquet", "csv"])
def test_files_folders_and_data_sets_hold_the_same(files: Path, kind: str) -> None:
    paths = [files / kind / f"{i}.{kind}" for i in (0, 1)]
    assert together(paths) == EXPECTED
    assert together([*map(str, paths)]) == EXPECTED
    assert together(str(files / kind)) == EXPECTED
    assert together(ds.dataset(files / kind, format=kind)) == EXPECTED


def test_a_file_is_read_in_chunks(files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chunks, "ROWS", 2)
    path = files / "parquet" / "0.parquet"
    sizes = [len(chunk.X) for chunk in open_chunks(path, "label").read()]  # type: ignore[attr-defined]
    assert sizes == [2, 1]


def test_fractions_may_follow_whole_numbers_and_other_files(tmp_path: Path) -> None:
    rows = ["x,label"] + ["1,0"] * 400_000 + ["1.5,1"]
    (tmp_path / "0.csv").write_text("\n".join(rows))
    parquet.write_table(pa.table({"x": [1, 2], "label": [0, 1]}), tmp_path / "0.parquet")
    parquet.write_table(pa.table({"x": [1.5], "label": [1]}), tmp_path / "1.parquet")
    X, labels, _ = together(tmp_path / "0.csv")
    assert (X[-1], labels[-1], labels[0], len(X)) == ([1.5], 1, 0, 400_001)
    X, labels, _ = together([tmp_path / "0.parquet", tmp_path / "1.parquet"])
    assert (X, labels) == ([[1.0], [2.0], [1.5]], [0, 1, 1])


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"a": [1.0], "lable": [1]}, "no column 'label'; did you mean 'lable'"),
        ({"label": [1]}, "no column but 'label'"),
        ({"city": ["Oslo"], "label": [1]}, "column 'city' holds string, not numbers"),
        ({"a": [1.0, None], "label": [1, 2]}, "column 'a' has missing values"),
        ({"a": [1.0, float("nan")], "label": [1, 2]}, "column 'a' has missing values"),
        ({"a": [1.0, float("inf")], "label": [1, 2]}, "column 'a' has infinite values"),
        ({"a": [1.0, 2.0], "label": [1, None]}, "column 'label' has missing values"),
        ({"a": pa.array([], pa.float64()), "label": pa.array([], pa.int64())}, "hold no example"),
    ],
)
def test_files_that_cannot_be_used_are_refused_by_column(
    tmp_path: Path, columns: dict[str, Any], message: str
) -> None:
    parquet.write_table(pa.table(columns), tmp_path / "data.parquet")
    with pytest.raises(ValueError, match=message):
        together(tmp_path / "data.parquet")


def test_an_empty_field_of_a_csv_file_is_a_missing_value(tmp_path: Path) -> None:
    (tmp_path / "data.csv").write_text("a,b,label\n1,,0\n2,1,1\n")
    with pytest.raises(ValueError, match="column 'b' has missing values"):
        together(tmp_path / "data.csv")


def test_files_that_are_not_there_or_of_two_kinds_are_refused(files: Path, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"none\.csv"):
        together(tmp_path / "none.csv")
    with pytest.raises(ValueError, match="all be CSV or all be Parquet"):
        together([files / "csv", files / "parquet"])
    (tmp_path / "empty").mkdir()
    with pytest.raises(ValueError, match="no files in"):
        together(tmp_path / "empty")


def test_files_need_the_column_of_the_labels(files: Path) -> None:
    with pytest.raises(ValueError, match="target must name the column of the labels"):
        together(files / "csv", None)


def test_pairs_need_none() -> None:
    with pytest.raises(ValueError, match="the data are pairs"):
        together(lambda: iter([]), "label")


def test_data_of_another_form_are_refused_with_the_forms_there_are() -> None:
    for wrong in (FRAME, [], [1], iter([])):
        with pytest.raises(TypeError, match="data must be a path, a list of paths"):
            together(wrong)


def test_categories_and_flags_are_labels() -> None:
    table = pa.table({"a": [True, False], "label": pa.array(["x", "y"]).dictionary_encode()})
    chunk = table_chunk(table, "label")
    assert (chunk.X.tolist(), chunk.labels.tolist()) == ([[1.0], [0.0]], ["x", "y"])


def test_pairs_may_be_data_frames_and_empty() -> None:
    X, y = FRAME[["a", "b"]], FRAME["label"]
    cut = [(X[:1], y[:1]), (X[:0], y[:0]), (X[1:], y[1:])]
    assert together(lambda: iter(cut), None) == EXPECTED
    plain = [(X.to_numpy(), y.to_numpy())]
    assert together(lambda: iter(plain), None) == (*EXPECTED[:2], ())


@pytest.mark.parametrize(
    ("second", "message"),
    [
        (FRAME[["b", "a"]], r"the columns \('b', 'a'\), the first had \('a', 'b'\)"),
        (FRAME[["a"]], r"the first had \('a', 'b'\)"),
        (FRAME[["a", "b"]].replace(0.5, np.nan), "contains NaN"),
    ],
)
def test_pairs_that_differ_from_the_first_are_refused(second: pd.DataFrame, message: str) -> None:
    pairs = [(FRAME[["a", "b"]], FRAME["label"]), (second, FRAME["label"])]
    with pytest.raises(ValueError, match=message):
        together(lambda: iter(pairs), None)


def test_pairs_have_as_many_attributes_as_the_first() -> None:
    pairs = [(np.ones((2, 3)), [0, 1]), (np.ones((2, 4)), [0, 1])]
    with pytest.raises(ValueError, match="a chunk has 4 attributes, the first had 3"):
        together(lambda: iter(pairs), None)


def dask_frame(*parts: pd.DataFrame) -> Any:
    """Return a Dask data frame with the given partitions, reduced in this thread."""
    dask, dd = pytest.importorskip("dask"), pytest.importorskip("dask.dataframe")
    dask.config.set(scheduler="synchronous")
    return dd.from_delayed([dask.delayed(part) for part in parts], meta=FRAME[:0])


def count(chunk: Chunk) -> int:
    return len(chunk.X)


@pytest.mark.parametrize("cuts", [[], [1], [1, 1, 2], [1, 2, 3], [4]])
def test_partitions_are_reduced_on_their_own_and_added(cuts: list[int]) -> None:
    parts = [FRAME[a:b] for a, b in pairwise([0, *cuts, 4])]
    sizes = open_chunks(dask_frame(*parts), "label").reduce(lambda chunk: [count(chunk)])
    assert sizes == [len(part) for part in parts if len(part)]


def test_a_large_partition_is_reduced_some_rows_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chunks, "ROWS", 3)
    parts = open_chunks(dask_frame(FRAME), "label").reduce(lambda chunk: [chunk.X.tolist()])
    assert [len(part) for part in parts] == [3, 1]
    assert [*parts[0], *parts[1]] == EXPECTED[0]


def test_partitions_that_cannot_be_used_are_refused() -> None:
    with pytest.raises(ValueError, match="no column 'lable'"):
        open_chunks(dask_frame(FRAME), "lable")
    with pytest.raises(ValueError, match="hold no example"):
        open_chunks(dask_frame(FRAME[:0]), "label").reduce(count)
    gap = FRAME.replace(0.5, np.nan)
    with pytest.raises(ValueError, match="has missing values"):
        open_chunks(dask_frame(FRAME, gap), "label").reduce(count)
