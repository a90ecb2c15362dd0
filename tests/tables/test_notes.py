from __future__ import annotations

import pytest

from quadrepro.tables.notes import listed


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["a"], "a"),
        (["a", "b"], "a and b"),
        (["a", "b", "c"], "a, b and c"),
        (["a, b", "c"], "a, b; c"),
    ],
)
def test_words_in_a_list_can_be_told_apart(words: list[str], text: str) -> None:
    assert listed(words) == text
