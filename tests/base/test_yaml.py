from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from quadrepro.base.yaml import WIDTH, MappingSource, Mark, read_yaml, to_yaml
from quadrepro.errors import ConfigError, DataError

Written = Callable[[str | bytes], Path]


@pytest.fixture
def written(tmp_path: Path) -> Written:
    def write(text: str | bytes) -> Path:
        path = tmp_path / "config.yaml"
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return path

    return write


NUMBERS = {"1e-3": 1e-3, "1E5": 1e5, "-2.5": -2.5, ".5": 0.5, "5.": 5.0, "10": 10, "+0": 0}
OTHERS = {"true": True, "false": False, "null": None, "~": None, "": None, "'1'": "1"}
TEXTS = ("010", "no", "Yes", "on", "2020-01-01", "1_000", "1e", "12:30", ".", "0x1F", "TRUE")


@pytest.mark.parametrize(
    ("text", "value"), [*NUMBERS.items(), *OTHERS.items(), *zip(TEXTS, TEXTS, strict=True)]
)
def test_scalars_are_what_a_person_means(written: Written, text: str, value: object) -> None:
    found = read_yaml(written(f"key: {text}\n")).data["key"]
    assert found == value
    assert type(found) is type(value)


def test_as_text_every_scalar_stays_what_is_written(written: Written) -> None:
    text = "{a: 1e-3, b: no, c: true, d: null, e: 010, f: '1', g: !!int 3, h: , 5: ~}\n"
    found = read_yaml(written(text), scalars="text").data
    assert "".join(found) == "abcdefgh5"
    assert [*found.values()] == ["1e-3", "no", "true", "null", "010", "1", "3", "", "~"]
    assert read_yaml(written(""), scalars="text").data == ""


def test_keys_are_text(written: Written) -> None:
    assert [*read_yaml(written("{1: a, true: b, <<: {c: d}}\n")).data] == ["1", "true", "<<"]


def test_a_tag_of_plain_yaml_says_what_a_scalar_is(written: Written) -> None:
    found = read_yaml(written("{a: !!str 1, b: !!float 1, c: !!int '7', d: !!bool true}\n")).data
    assert found == {"a": "1", "b": 1.0, "c": 7, "d": True}


def test_an_alias_is_the_value_of_its_anchor_with_the_places_of_both(written: Written) -> None:
    source = read_yaml(written("a: &x {b: [1, 2]}\nc: *x\n"))
    assert source.data == {"a": {"b": [1, 2]}, "c": {"b": [1, 2]}}
    assert source.where(("c",)).endswith("config.yaml:2:1")
    assert source.where(("c", "b", 1)).endswith("config.yaml:1:15")


def test_the_values_of_a_file_are_limited_with_those_that_aliases_repeat(
    written: Written, monkeypatch: pytest.MonkeyPatch
) -> None:
    doubled = "".join(f"a{i}: &a{i} [*a{i - 1}, *a{i - 1}]\n" for i in range(1, 60))
    with pytest.raises(ConfigError, match=r"yaml:\d+:\d+: the file has more than 1,000,000 values"):
        read_yaml(written(f"a0: &a0 [x, x]\n{doubled}"))
    monkeypatch.setattr("quadrepro.base.yaml.MAX_VALUES", 7)
    assert read_yaml(written("a: &a [x, y]\nb: *a\n")).data["b"] == ["x", "y"]
    with pytest.raises(ConfigError, match=r"yaml:3:4: the file has more than 7 values"):
        read_yaml(written("a: &a [x, y]\nb: *a\nc: z"))


def test_every_value_has_its_place_and_others_that_of_what_is_around(written: Written) -> None:
    source = read_yaml(written("a:\n  - x\n  - {b: 1}\n"))
    assert source.where(("a", 1, "b")).endswith("config.yaml:3:6")
    assert source.where(("a", 0)).endswith("config.yaml:2:5")
    assert source.where(("a", 1, "b", "deeper")).endswith("config.yaml:3:6")
    assert source.where(("absent",)).endswith("config.yaml:1:1")
    assert read_yaml(written("# nothing\n")).where(("a",)).endswith("config.yaml:1:1")


def test_the_place_in_a_mapping_without_a_file_is_what_leads_to_it() -> None:
    source = MappingSource(Path("config"), {"a": [{"b": 1}]}, Mark(1, 1))
    assert source.where(("a", 0, "b")) == "config['a'][0]['b']"
    assert source.where(("a", 0, "c")) == source.where(("a", 0)) == "config['a'][0]"
    assert source.where(("a", 1)) == "config['a']"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: [1, 2", r"config.yaml:\d:\d: not valid YAML: did not find expected"),
        ("a: 1\na: 2\n", r"config.yaml:2:1: duplicate key 'a'"),
        ("a: &x [*x]\n", r"config.yaml: lists and mappings are nested too deeply"),
        ("[1]: 2\n", r"config.yaml:1:1: a key must be plain text"),
        (b"a: \xff\n", r"config.yaml: cannot be read: 'utf-8' codec .* in position 3"),
        (b"a: \x00\n", r"config.yaml: cannot be read: .*character #x0000"),
        (
            "a: !!python/object:os.system {}\n",
            r"config.yaml:1:4: could not .* constructor for the tag",
        ),
        ("a: !mine 1\n", r"config.yaml:1:4: could not .* constructor for the tag '!mine'"),
        ("a: !!int x\n", r"config.yaml: cannot be read: "),
        ("a: !!bool maybe\n", r"config.yaml: cannot be read: "),
        ("a: *nowhere\n", r"config.yaml:1:4: not valid YAML: found undefined alias"),
        ("- a\nb: 1\n", r"config.yaml:2:1: not valid YAML"),
        ("a: 1\n---\nb: 2\n", r"config.yaml:2:1: not valid YAML: .*another document"),
        ("a: " + "[" * 5000 + "]" * 5000, r"config.yaml:1:\d+: not valid YAML: .*depth"),
        ("a: " + "9" * 400, r"config.yaml:1:4: 9+ is beyond the range of numbers"),
        ("a: -1e999", r"config.yaml:1:4: -1e999 is beyond the range of numbers"),
        ("a: !!float nan", r"config.yaml:1:4: nan is beyond the range of numbers"),
    ],
)
def test_what_is_not_usable_yaml_is_named_with_its_place(
    written: Written, text: str | bytes, message: str
) -> None:
    with pytest.raises(ConfigError, match=message):
        read_yaml(written(text))


def test_a_file_that_cannot_be_read_is_named_and_the_error_can_be_chosen(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"gone.yaml: cannot be read: No such file"):
        read_yaml(tmp_path / "gone.yaml", error=DataError)
    with pytest.raises(ConfigError, match=r"cannot be read: Is a directory"):
        read_yaml(tmp_path)


def test_a_byte_order_mark_is_no_part_of_the_first_key(written: Written) -> None:
    assert read_yaml(written(b"\xef\xbb\xbfa: 1\n")).data == {"a": 1}


AMBIGUOUS = ["no", "Yes", "on", "n", "010", "02208", "1_000", "12:30", "~", "null", "1e5", ".5", ""]


@pytest.mark.parametrize("text", [*AMBIGUOUS, "1e-3", "2020-01-01", "<<", "=", "true"])
def test_a_text_stays_text_in_every_version_of_yaml(written: Written, text: str) -> None:
    again = to_yaml({text: [text]})
    assert yaml.safe_load(again) == read_yaml(written(again)).data == {text: [text]}


# Line breaks of Unicode become blanks.
ordinary = st.characters(exclude_categories=("Cs", "Zl", "Zp"), exclude_characters="\x85")
texts = st.text(ordinary, max_size=12)
scalars = texts | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.booleans()
values = st.recursive(
    scalars | st.none(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=12,
)


@given(st.dictionaries(texts, values, max_size=4))
def test_what_is_written_is_read_back_the_same(
    tmp_path_factory: pytest.TempPathFactory, content: dict[str, Any]
) -> None:
    path = tmp_path_factory.getbasetemp() / "again.yaml"
    path.write_bytes(to_yaml(content).encode())
    found = read_yaml(path).data
    assert found == content
    assert repr(found) == repr(content)


def test_a_mapping_keeps_its_order_and_repeats_what_occurs_twice() -> None:
    shared = ["é", 1]
    text = to_yaml({"b": shared, "a": shared, "note": " ".join(["word"] * 100)})
    assert text.startswith("b:\n- é\n- 1\na:\n- é\n- 1\nnote: word")
    assert max(map(len, text.splitlines())) <= WIDTH + len("word ")


def test_very_deep_lists_are_refused(written: Written) -> None:
    with pytest.raises(ConfigError, match=r"config\.yaml: lists and mappings are nested too"):
        read_yaml(written("[" * 990 + "]" * 990), scalars="text")
