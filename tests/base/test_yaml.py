from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ruamel.yaml import YAML

from quadrepro.base import yaml as source_module
from quadrepro.base.resources import cards_folder, configs_folder
from quadrepro.base.yaml import (
    MAX_DEPTH,
    MAX_REPEATED,
    WIDTH,
    Block,
    Line,
    Mark,
    read_yaml,
    to_yaml,
)
from quadrepro.errors import ConfigError, DataError

Written = Callable[[str | bytes], Path]


@pytest.fixture
def written(tmp_path: Path) -> Written:
    def write(text: str | bytes) -> Path:
        path = tmp_path / "config.yaml"
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return path

    return write


NUMBERS = {"1e-3": 1e-3, "1E5": 1e5, "-2.5": -2.5, ".5": 0.5, "10": 10}
OTHERS = {"true": True, "false": False, "null": None, "~": None, "": None, "'1'": "1"}
TEXTS = ("010", "no", "Yes", "on", "2020-01-01", "1_000", "1e")


@pytest.mark.parametrize(
    ("text", "value"), [*NUMBERS.items(), *OTHERS.items(), *zip(TEXTS, TEXTS, strict=True)]
)
def test_scalars_are_what_a_person_means(written: Written, text: str, value: object) -> None:
    found = read_yaml(written(f"key: {text}\n")).data["key"]
    assert found == value
    assert type(found) is type(value)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_every_number_python_writes_is_read_back(
    tmp_path_factory: pytest.TempPathFactory, number: float
) -> None:
    path = tmp_path_factory.mktemp("yaml") / "number.yaml"
    path.write_text(f"key: {number!r}\n")
    assert read_yaml(path).data["key"] == number


def test_as_text_every_scalar_stays_what_is_written(written: Written) -> None:
    text = "{a: 1e-3, b: no, c: true, d: null, e: 010, f: '1', g: !!int 3, h: , 5: ~}\n"
    found = read_yaml(written(text), scalars="text").data
    assert "".join(found) == "abcdefgh5"
    assert [*found.values()] == ["1e-3", "no", "true", "null", "010", "1", "3", "", "~"]
    assert read_yaml(written(""), scalars="text").data == ""


def test_a_tag_of_plain_yaml_says_what_a_scalar_is(written: Written) -> None:
    text = "{a: !!str 1, b: !!float 1, c: !!int '7', d: !!bool true, e: !!null , f: ! x}\n"
    found = read_yaml(written(text)).data
    assert found == {"a": "1", "b": 1.0, "c": 7, "d": True, "e": None, "f": "x"}
    assert [type(value) for value in found.values()] == [str, float, int, bool, type(None), str]


def test_an_alias_is_the_value_of_its_anchor_with_the_places_of_both(written: Written) -> None:
    source = read_yaml(written("a: &x {b: [1, 2]}\nc: *x\n*k : 3\n".replace("*k", "k")))
    assert source.data == {"a": {"b": [1, 2]}, "c": {"b": [1, 2]}, "k": 3}
    assert source.where(("c",)).endswith("config.yaml:2:1")
    assert source.where(("c", "b", 1)).endswith("config.yaml:1:15")
    named = read_yaml(written("a: &k key\n*k : 3\n"))
    assert named.data == {"a": "key", "key": 3}


def doubled(times: int) -> str:
    lines = ["a0: &a0 [x, x]", *(f"a{i}: &a{i} [*a{i - 1}, *a{i - 1}]" for i in range(1, times))]
    return "\n".join(lines)


def test_the_place_of_a_value_behind_aliases_is_that_of_its_anchor(written: Written) -> None:
    source = read_yaml(written(doubled(10)))
    assert source.data["a2"] == [[["x", "x"]] * 2] * 2
    assert source.where(("a9", *[0] * 10)).endswith("config.yaml:1:10")


def test_aliases_may_repeat_a_hundred_thousand_values(written: Written) -> None:
    listed = "a: &a [" + "x, " * (MAX_REPEATED // 2 - 1) + "]\n"  # and itself
    assert len(read_yaml(written(listed + "b: *a\nc: *a\n")).data) == 3
    with pytest.raises(ConfigError, match=r"yaml:4:4: aliases repeat more than 100,000 values"):
        read_yaml(written(listed + "b: *a\nc: *a\nd: *a\n"))
    with pytest.raises(ConfigError, match=r"yaml:15:18: aliases repeat more than 100,000 values"):
        read_yaml(written(doubled(60)))


def test_lists_and_mappings_can_be_nested_a_hundred_deep(written: Written) -> None:
    inside = "[" * (MAX_DEPTH - 1)
    assert read_yaml(written(f"a: {inside}{inside.replace('[', ']')}\n")).data["a"]
    with pytest.raises(ConfigError, match=r"yaml:1:103: .* nested too deeply: at most 100 levels"):
        read_yaml(written(f"a: [{inside}{inside.replace('[', ']')}]\n"))


@pytest.mark.parametrize("text", ["9" * 400, "9" * 5000, "1e999", "-1e999", "!!float inf"])
def test_a_number_beyond_float64_is_refused_and_can_be_text(written: Written, text: str) -> None:
    with pytest.raises(ConfigError, match=r"yaml:1:4: .* is beyond the range of numbers"):
        read_yaml(written(f"a: {text}\n"))
    assert read_yaml(written(f"a: {text}\n"), scalars="text").data == {"a": text.split()[-1]}
    assert read_yaml(written(f"a: {'9' * 308}\n")).data == {"a": int("9" * 308)}


@pytest.mark.parametrize("text", [r'a: "\ud800"', r'"\udcff": 1', 'a: [b, "\\udfff"]'])
def test_a_lone_surrogate_is_refused(written: Written, text: str) -> None:
    for scalars in ("typed", "text"):
        with pytest.raises(ConfigError, match=r"yaml:1:\d+: .* cannot be written"):
            read_yaml(written(text), scalars=scalars)  # type: ignore[arg-type]


def test_a_null_character_is_refused_where_text_can_be_a_path(written: Written) -> None:
    with pytest.raises(ConfigError, match=r"yaml:1:4: .* cannot be written"):
        read_yaml(written(r'a: "b\0"'))
    assert read_yaml(written(r'a: "b\0"'), scalars="text").data == {"a": "b\0"}


def test_a_large_file_is_refused_before_it_is_parsed(
    written: Written, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(source_module, "MAX_BYTES", 10)
    assert read_yaml(written("a: 3456789")).data == {"a": 3456789}
    with pytest.raises(ConfigError, match=r"config.yaml: larger than 0 MiB"):
        read_yaml(written("a: 34567890"))


def test_a_merge_key_is_a_key_like_any_other(written: Written) -> None:
    assert read_yaml(written("a: &x {b: 1}\n<<: *x\n")).data["<<"] == {"b": 1}


def test_the_place_of_an_empty_file_is_its_beginning(written: Written) -> None:
    source = read_yaml(written("# nothing\n"))
    assert source.data is None
    assert source.where(("a",)).endswith("config.yaml:1:1")


def test_the_exception_can_be_chosen(written: Written, tmp_path: Path) -> None:
    for path in (written("a: [1"), tmp_path / "gone.yaml"):
        with pytest.raises(DataError, match=r"not valid YAML|cannot be read"):
            read_yaml(path, error=DataError)


def everything(mark: Mark) -> tuple[int, int, dict[str | int, object]]:
    inner: dict[str | int, object] = {key: everything(m) for key, m in mark.inner.items()}
    return mark.line, mark.column, inner


@pytest.mark.parametrize(
    "path",
    [*sorted(configs_folder().glob("*.yaml")), *sorted(cards_folder().glob("*.yaml"))],
    ids=lambda path: f"{path.parent.name}/{path.stem}",
)
def test_libyaml_and_the_parser_in_python_find_the_same_content_and_places(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    fast, slow = (source_module._build(text, "typed", pure=pure) for pure in (False, True))
    assert fast[0] == slow[0]
    assert everything(fast[1]) == everything(slow[1])


def test_every_value_has_its_place_and_others_that_of_what_is_around(written: Written) -> None:
    source = read_yaml(written("a:\n  - x\n  - {b: 1}\n"))
    assert source.where(("a", 1, "b")).endswith("config.yaml:3:6")
    assert source.where(("a", 0)).endswith("config.yaml:2:5")
    assert source.where(("a", 1, "b", "deeper")).endswith("config.yaml:3:6")
    assert source.where(("absent",)).endswith("config.yaml:1:1")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: [1, 2", r"config.yaml:1:9: not valid YAML: "),
        ("a: 1\na: 2\n", r"config.yaml:2:1: duplicate key 'a'"),
        ("a: &x [*x]\n", r"config.yaml:1:4: a value contains itself"),
        ("[1]: 2\n", r"config.yaml:1:1: a key must be plain text"),
        (b"a: \xff\n", r"config.yaml: not a text file in UTF-8 \(byte 3\)"),
        (b"a: \x00\n", r"config.yaml: not a YAML text file: .*characters are not allowed"),
        ("a: !!python/object:os.system {}\n", r"config.yaml:1:4: the tag .*os.system has no"),
        ("a: !!int x\n", r"config.yaml:1:4: 'x' cannot be read as int"),
        ("a: *nowhere\n", r"config.yaml:1:4: not valid YAML: found undefined alias"),
        ("- a\nb: 1\n", r"config.yaml:2:1: not valid YAML"),
        ("a: 1\n---\nb: 2\n", r"config.yaml:3:1: not valid YAML: a second document begins here"),
        ("a: &x 1\nb: &x 2\n", r"config.yaml:2:4: not valid YAML: duplicate anchor 'x'"),
        ("a: !!bool maybe\n", r"config.yaml:1:4: 'maybe' cannot be read as bool"),
        ("a: !mine [1]\n", r"config.yaml:1:4: the tag !mine has no meaning here"),
        ("a: !mine 1\n", r"config.yaml:1:4: the tag !mine has no meaning here"),
        ("x: &x [1]\n*x : 2\n", r"config.yaml:2:1: a key must be plain text"),
        ("a: " + "[" * 5000 + "]" * 5000, r"config.yaml(:1:\d+)?: .*(nested too deeply|depth)"),
    ],
)
def test_what_is_not_usable_yaml_is_named_with_its_place(
    written: Written, text: str | bytes, message: str
) -> None:
    with pytest.raises(ConfigError, match=message):
        read_yaml(written(text))


def test_a_missing_file_and_a_folder_are_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"gone.yaml: cannot be read: No such file"):
        read_yaml(tmp_path / "gone.yaml")
    with pytest.raises(ConfigError, match=r"Is a directory"):
        read_yaml(tmp_path)


def test_a_byte_order_mark_is_no_part_of_the_first_key(written: Written) -> None:
    assert read_yaml(written(b"\xef\xbb\xbfa: 1\n")).data == {"a": 1}


def test_a_pipe_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.yaml")
    with pytest.raises(ConfigError, match=r"pipe\.yaml: not a regular file"):
        read_yaml(tmp_path / "pipe.yaml")


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
