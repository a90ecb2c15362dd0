from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from unittest.mock import Mock

import pytest

from quadrepro.base.files import read_bytes, read_text, write_bytes, write_text
from quadrepro.errors import DataError


def test_text_is_written_as_utf_8_with_line_feeds_into_a_new_folder(tmp_path: Path) -> None:
    path = tmp_path / "new" / "deep" / "a.md"
    write_text(path, "α\nb\n")
    assert path.read_bytes() == b"\xce\xb1\nb\n"
    assert [p.name for p in path.parent.iterdir()] == ["a.md"]


def test_the_old_file_is_whole_until_the_new_one_is_on_the_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.md"
    path.write_text("old")
    seen = []

    def look(descriptor: int) -> None:
        seen.append((path.read_text(), os.fstat(descriptor).st_size))

    monkeypatch.setattr("quadrepro.base.files.os.fsync", look)
    write_bytes(path, b"newer")
    assert seen == [("old", 5)]
    assert path.read_text() == "newer"


@pytest.mark.parametrize("failing", ["quadrepro.base.files.os.fsync", "pathlib.Path.replace"])
@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_what_is_not_written_to_its_end_leaves_the_old_file_and_no_rest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failing: str, error: BaseException
) -> None:
    path = tmp_path / "a.md"
    write_text(path, "old")

    monkeypatch.setattr(failing, Mock(side_effect=error))
    with pytest.raises(type(error)):
        write_text(path, "new")
    assert path.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["a.md"]


def sparse(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(6 * 2**30)


@pytest.mark.parametrize(
    ("make", "fault"),
    [
        (os.mkfifo, "not a regular file"),
        (Path.mkdir, "not a regular file"),
        (lambda path: path.symlink_to("/etc/hosts"), "not a regular file"),
        (lambda path: path.symlink_to("nowhere"), "not a regular file"),
        (sparse, r"the file has 6,144 MiB; at most 64 MiB are read"),
        (lambda path: None, "No such file or directory"),
    ],
)
def test_only_a_regular_file_of_limited_size_is_read(
    tmp_path: Path, make: Callable[[Path], object], fault: str
) -> None:
    path = tmp_path / "a.svg"
    make(path)
    with pytest.raises(DataError, match=rf"a\.svg: {fault}$"):
        read_bytes(path)


def test_text_that_is_not_utf_8_is_refused_with_its_place(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(b"ab\xff")
    with pytest.raises(DataError, match=r"a\.csv: not a text file in UTF-8 \(byte 2\)"):
        read_text(tmp_path / "a.csv")
