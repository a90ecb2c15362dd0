from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from unittest.mock import Mock

import pytest

from quadrepro.base import files
from quadrepro.base.files import read_bytes, read_text, write_text
from quadrepro.base.models import Registry
from quadrepro.base.text import few, markdown, visible
from quadrepro.errors import ConfigError, DataError
from tests.make import CONTROLS


@pytest.mark.parametrize("failing", ["quadrepro.base.files.os.fsync", "pathlib.Path.replace"])
@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_a_file_is_replaced_as_a_whole_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failing: str, error: BaseException
) -> None:
    path = tmp_path / "new" / "deep" / "a.md"
    write_text(path, "α\nb\n")
    assert path.read_bytes() == b"\xce\xb1\nb\n"
    monkeypatch.setattr(failing, Mock(side_effect=error))
    with pytest.raises(type(error)) as caught:
        write_text(path, "newer")
    assert getattr(caught.value, "filename", str(path)) == str(path)
    assert path.read_text(encoding="utf-8") == "α\nb\n"
    assert [p.name for p in path.parent.iterdir()] == ["a.md"]


def sized(path: Path, n_bytes: int = 2**26 + 2**20) -> None:
    with path.open("wb") as file:
        file.truncate(n_bytes)


@pytest.mark.parametrize(
    ("make", "fault"),
    [
        (os.mkfifo, "not a regular file"),
        (Path.mkdir, "not a regular file"),
        (lambda path: path.symlink_to("/etc/hosts"), "not a regular file"),
        (sized, r"the file has 65 MiB; at most 64 MiB are read"),
        (lambda path: None, "No such file or directory"),
        (lambda path: path.write_bytes(b"ab\xff"), r"not a text file in UTF-8 \(byte 2\)"),
    ],
)
def test_only_a_regular_file_of_limited_size_is_read(
    tmp_path: Path, make: Callable[[Path], object], fault: str
) -> None:
    make(tmp_path / "a.svg")
    with pytest.raises(DataError, match=rf"a\.svg: {fault}$"):
        read_text(tmp_path / "a.svg")
    sized(tmp_path / "most", 2**26)
    assert len(read_bytes(tmp_path / "most")) == 2**26


def test_what_a_wheel_carries_comes_before_what_is_beside_the_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert (files.cards_folder() / "monks.yaml").is_file()
    (package := tmp_path / "site" / "quadrepro").mkdir(parents=True)
    monkeypatch.setattr(files, "_PACKAGE", package)
    assert files.cards_folder() == tmp_path / "site" / "datasets"
    (package / "_shipped" / "datasets").mkdir(parents=True)
    assert files.cards_folder() == package / "_shipped" / "datasets"


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ("nosuch.yaml", "^nosuch.yaml: no such file$"),
        ("quickstrat.yml", "no such file; did you mean 'quickstart', which ships"),
        ("folder/mine", "^folder/mine: no such file$"),
        ("quickstrat", r"^unknown config 'quickstrat'; did you mean 'quickstart'\?"),
        (".", "is a folder, not a config"),
    ],
)
def test_a_config_is_found_by_path_or_by_the_name_of_one_that_ships(
    tmp_path: Path, asked: str, message: str
) -> None:
    (tmp_path / "mine").write_text("")
    assert files.find_config(tmp_path / "mine") == tmp_path / "mine"
    assert files.find_config("quickstart").name == "quickstart.yaml"
    with pytest.raises(ConfigError, match=message):
        files.find_config(asked)


def test_control_characters_are_shown_as_escapes_and_other_text_stays() -> None:
    for char in CONTROLS:
        assert visible(f"a{char}b") == repr(f"a{char}b")[1:-1]
    text = "two\nlines, a\ttab, L∞ – \\x1b ✓ א\u200f"
    assert visible(text) == text
    assert (few("abcde"), few("abcdef")) == ("a, b, c, d, e", "a, b, c, d, e and 1 more")


@pytest.mark.parametrize("tag", ["<b>", "</b>", "<!-- a", "<?php", "<https://a.org>", "<IMG src=x"])
def test_markdown_has_no_html(tag: str) -> None:
    shown = f"**p < 0.1**, 1<2, [a](b.md) &lt;{tag[1:]}\\x1b"
    assert markdown(f"**p < 0.1**, 1<2, [a](b.md) {tag}\x1b") == shown


def test_an_entry_of_a_registry_is_imported_when_it_is_asked_for() -> None:
    words: Registry[object] = Registry("word", {"long": "base.models:Registry"})
    words.data["lost"] = "nowhere:none"
    assert ([*words], len(words), "lost" in words) == (["long", "lost"], 2, True)
    assert words.find("long") is words["long"] is Registry
    for asked, message in (("lang", r"'lang'; did you mean 'long'\?"), ([1], r"\[1\]; known are")):
        with pytest.raises(ValueError, match=f"unknown word {message}"):
            words.find(asked)
