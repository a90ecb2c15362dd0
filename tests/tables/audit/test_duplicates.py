from __future__ import annotations

from pathlib import Path

from quadrepro.tables.audit.ranges import DUPLICATES
from tests.tables.audit.papers import places, shipped, subject


def test_equal_rows_and_columns_are_named(tmp_path: Path) -> None:
    found = subject(
        tmp_path,
        rows="d,a,b,c\nx,0.101,0.202,0.303\ny,0.101,0.202,0.304\nz,0.101,0.202,0.303\n",
        columns="d,a,b\nx,0.101,0.101\ny,0.202,0.202\nz,0.303,0.303\n",
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


def test_numbers_of_few_digits_are_equal_by_chance(tmp_path: Path) -> None:
    found = subject(tmp_path, t="d,a,b,c\nx,0.11,0.12,0.13\ny,0.11,0.12,0.13\n")
    assert places(DUPLICATES, found) == {("t", "", ""): True}


def test_equal_columns_are_no_failure_if_both_end_in_the_same_votes(tmp_path: Path) -> None:
    found = subject(tmp_path, t="d,a,b\nx,0.101,0.101\ny,0.202,0.202\nz,0.303,0.303\n")
    assert [f.verdict for f in DUPLICATES.judge(found).findings] == ["fails unless"]
