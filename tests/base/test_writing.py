"""YAML that is written for users: its layout, its quotes, and the comments that survive."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ruamel.yaml import YAML

from quadrepro.base.yaml import WIDTH, Block, Line, to_yaml


def loaded(text: str, version: tuple[int, int]) -> Any:
    yaml = YAML(typ="safe", pure=True)
    yaml.version = version  # type: ignore[assignment]
    return yaml.load(text)


def test_layout_is_that_of_the_types() -> None:
    content = {
        "title": "A: b",
        "inner": {"x": 1, "v": [1, 2.5, "z"]},
        "line": Line(a=[1], b={"c": None}),
        "block": Block([Line(name="p"), {"q": 1, "r": ["s"]}, "t"]),
        "maps": [{"url": "https://here"}],
    }
    assert (
        to_yaml(content)
        == """title: 'A: b'
inner:
  x: 1
  v: [1, 2.5, z]
line: {a: [1], b: {c: null}}
block:
  - {name: p}
  - q: 1
    r: [s]
  - t
maps: [{url: 'https://here'}]
"""
    )


AMBIGUOUS = ["no", "Yes", "on", "n", "010", "02208", "1_000", "12:30", "~", "null", "1e5", ".5", ""]


@pytest.mark.parametrize("version", [(1, 1), (1, 2)])
def test_a_text_stays_text_in_every_version_of_yaml(version: tuple[int, int]) -> None:
    content = {"keys": dict.fromkeys(AMBIGUOUS, "x"), "values": AMBIGUOUS, "plain": ["a b", "é"]}
    assert loaded(to_yaml(content), version) == content
    assert "plain: [a b, é]\n" in to_yaml(content)


texts = st.text(st.characters(exclude_categories=("Cs",)), max_size=12)


nested_texts = st.dictionaries(
    texts,
    texts | st.lists(texts, max_size=4) | st.dictionaries(texts, texts, max_size=4),
    max_size=4,
)


@settings(max_examples=60, deadline=None)
@given(nested_texts, st.booleans())
def test_any_text_is_read_back_the_same(content: dict[str, Any], block: bool) -> None:
    nested = {"block": Block([content])} if block else {"line": Line(content)}
    assert loaded(to_yaml(nested), (1, 2)) == nested


def test_long_lines_are_broken_and_end_without_a_blank() -> None:
    words = " ".join(["word"] * 100)
    text = to_yaml({"note": words, "notes": Block([words]), "columns": ["column_1"] * 60})
    assert max(map(len, text.splitlines())) <= WIDTH
    assert all(line == line.rstrip() for line in text.splitlines())
    assert loaded(text, (1, 2))["note"] == words


@pytest.mark.parametrize(
    "text",
    ["a b ", "a  b ", "\\ \x01 b ", "it's: \\ ", "{1, 2} isn't ", "{isn't} \\\\ b\\ ", "? a "],
)
def test_a_break_changes_no_text_wherever_it_is(text: str) -> None:
    long = text * 30
    content = {"note": long, "line": Line({f"{text}{i}": f"{i}{text}" for i in range(30)})}
    content |= {"items": [long, text * 3] * 3, "block": Block([long, {long: 1}])}
    assert loaded(to_yaml(content), (1, 2)) == content


OLD = """# A card of mine.

name: toy  # short
target:
  original: label
  # counted by hand
  labels: {no: 1}  # all
# the columns
attributes:
  - {name: size, kind: numeric}  # in cm
  - {name: weight, kind: numeric}  # in kg
  - {name: colour, kind: nominal}
sources:
  - kind: file
    path: ../my.csv  # from the lab
"""


def test_comments_stay_with_the_entries_that_are_still_there() -> None:
    new = {
        "name": "toy",
        "target": {"original": "class", "labels": Line(no=2, yes=3)},
        "attributes": Block(
            [Line(name="height", kind="numeric"), Line(name="size", kind="numeric", range=[0, 1])]
        ),
        "sources": Block([{"kind": "file", "path": "../my.csv", "skip": 1}]),
    }
    assert (
        to_yaml(new, OLD)
        == """# A card of mine.

name: toy  # short
target:
  original: class
  # counted by hand
  labels: {'no': 2, yes: 3} # all
# the columns
attributes:
  - {name: height, kind: numeric}
  - {name: size, kind: numeric, range: [0, 1]} # in cm
sources:
  - kind: file
    path: ../my.csv  # from the lab
    skip: 1
""".replace("yes: 3", "'yes': 3")
    )


@pytest.mark.parametrize(
    "old", ["a: [1 # broken\n", "- a # a list\n", "# nothing\n", "a: 2020-13-45 # no date\n", "x"]
)
def test_an_old_text_that_cannot_be_used_does_no_harm(old: str) -> None:
    new = {"a": "b", "c": Block(["d"])}
    assert loaded(to_yaml(new, old), (1, 2)) == new


COMMENTED = st.lists(
    st.sampled_from(
        [
            "# top\n",
            "name: toy # a\n",
            "target:\n",
            "  # b\n",
            "  labels: {no: 1} # c\n",
            "  labels:\n    no: 1 # d\n    # e\n    yes: 2\n",
            "attributes:\n",
            "  - {name: size, # f\n     kind: numeric} # g\n",
            "  - name: size # h\n    # i\n    kind: numeric\n",
            "  # j\n",
            "  - colour # k\n",
            "\n",
        ]
    ),
    max_size=8,
)


@settings(max_examples=60, deadline=None)
@given(COMMENTED)
def test_comments_never_change_the_content(lines: list[str]) -> None:
    new = {
        "name": "toy",
        "target": {"labels": Line(no=1, yes=2)},
        "attributes": Block([Line(name="size", kind="numeric"), Line(name="colour")]),
    }
    assert loaded(to_yaml(new, "".join(lines)), (1, 2)) == new
