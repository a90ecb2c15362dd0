from __future__ import annotations

from itertools import product

import pytest

from quadrepro.base.text import as_cell, from_cell, markdown, visible

CONTROLS = ["\x00", "\x07", "\x08", "\r", "\x1b", "\x7f", "\x85", "\x9b", "\u202e", "\u2066"]


@pytest.mark.parametrize("char", CONTROLS)
def test_a_control_character_is_shown_as_messages_show_it(char: str) -> None:
    assert visible(f"a{char}b") == repr(f"a{char}b")[1:-1]
    assert visible(visible(char)) == visible(char)


def test_all_other_text_stays_as_it_is() -> None:
    text = "two\nlines, a\ttab, L∞ – \\x1b ✓ א\u200f"
    assert visible(text) == text


@pytest.mark.parametrize("tag", ["<b>", "</b>", "<!-- a", "<?php", "<https://a.org>", "<IMG src=x"])
def test_markdown_has_no_html(tag: str) -> None:
    assert markdown(f"**p < 0.1**, 1<2, [a](b.md) {tag}\x1b") == (
        f"**p < 0.1**, 1<2, [a](b.md) &lt;{tag[1:]}\\x1b"
    )


@pytest.mark.parametrize("text", ["=1", "+a", "-a", "@a", "\ta", "\ra", "\n=1", "'=1", "- ", "-"])
def test_a_spreadsheet_takes_a_cell_for_text(text: str) -> None:
    assert as_cell(text) == f"'{text}"


@pytest.mark.parametrize("text", ["-0.5", "+1e5", "-inf", "", "a=1", "'a", "0.10", "don't", "–"])
def test_numbers_and_other_words_keep_their_bytes(text: str) -> None:
    assert as_cell(text) == text


def test_every_cell_comes_back() -> None:
    for length in range(5):
        for chars in product("'=-+5\ta", repeat=length):
            text = "".join(chars)
            assert from_cell(as_cell(text)) == text
