from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from quadrepro._files import replacing, write_text


def test_text_is_written_as_utf_8_with_line_feeds_into_a_new_folder(tmp_path: Path) -> None:
    path = tmp_path / "new" / "deep" / "a.md"
    write_text(path, "α\nb\n")
    assert path.read_bytes() == b"\xce\xb1\nb\n"
    assert [p.name for p in path.parent.iterdir()] == ["a.md"]


def test_the_old_file_is_whole_until_the_new_one_is(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_text("old")
    with replacing(path) as partial:
        assert partial.parent == path.parent
        partial.write_text("half of the n")
        assert path.read_text() == "old"
        partial.write_text("new")
    assert path.read_text() == "new"


@pytest.mark.parametrize("failing", ["quadrepro._files.os.fsync", "pathlib.Path.replace"])
def test_what_cannot_be_written_leaves_the_old_file_and_no_rest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failing: str
) -> None:
    path = tmp_path / "a.md"
    write_text(path, "old")

    def full(*args: object, **kwargs: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(failing, full)
    with pytest.raises(OSError, match="No space left"):
        write_text(path, "new")
    assert path.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["a.md"]


def test_an_interruption_leaves_the_old_file_and_no_rest(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    write_text(path, "old")
    with pytest.raises(KeyboardInterrupt), replacing(path) as partial:
        partial.write_text("half")
        raise KeyboardInterrupt
    assert path.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["a.md"]


def test_the_file_has_the_permissions_of_any_other_new_file(tmp_path: Path) -> None:
    (tmp_path / "plain").write_text("")
    write_text(tmp_path / "ours", "")
    modes = {stat.S_IMODE(os.stat(tmp_path / name).st_mode) for name in ("plain", "ours")}
    assert len(modes) == 1
