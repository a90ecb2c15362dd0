from __future__ import annotations

from pathlib import Path

from quadrepro.tables.audit.ranges import DUPLICATES
from tests.tables.audit.papers import places, shipped, subject


def test_equal_rows_and_columns_are_named(tmp_path: Path) -> None:
    found = subject(
        tmp_path,
        rows="d,a,b,c\nx,0.1,0.2,0.3\ny,0.1,0.2,0.4\nz,0.1,0.2,0.3\n",
        columns="d,a,b\nx,0.1,0.1\ny,0.2,0.2\nz,0.3,0.3\n",
    )
    assert places(DUPLICATES, found) == {
        ("rows", "z", ""): False,
        ("columns", "", "b"): False,
    }


def test_few_different_numbers_are_equal_for_no_reason(tmp_path: Path) -> None:
    found = subject(tmp_path, t="d,a,b\nx,0.1,0.1\ny,0.1,0.1\nz,0.1,0.1\n")
    assert places(DUPLICATES, found) == {("t", "", ""): True}


def test_nothing_shipped_is_printed_twice() -> None:
    for name in ("quadboost", "ebboost", "rescale"):
        assert all(places(DUPLICATES, shipped(name)).values())
