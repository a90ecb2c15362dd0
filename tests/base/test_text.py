from __future__ import annotations

import pytest

from quadrepro.base.registry import Registry
from quadrepro.base.text import few, markdown, visible
from tests.make import CONTROLS


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
    words: Registry[object] = Registry("word", {"long": "registry:Registry"}, "quadrepro.base")
    words.places["lost"] = "nowhere:none"
    assert ([*words], len(words), "lost" in words) == (["long", "lost"], 2, True)
    assert words.find("long") is words["long"] is Registry
    for asked, message in (("lang", r"'lang'; did you mean 'long'\?"), ([1], r"\[1\]; known are")):
        with pytest.raises(KeyError, match=f"unknown word {message}"):
            words.find(asked)
