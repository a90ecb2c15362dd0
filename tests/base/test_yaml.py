from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from quadrepro.base.yaml import MappingSource, Mark, read_yaml, to_yaml
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
TAGGED = {"!!str 1": "1", "!!float 1": 1.0, "!!int '7'": 7, "!!bool true": True}
TEXTS = ("010", "no", "Yes", "on", "2020-01-01", "1_000", "1e", "12:30", ".", "0x1F", "TRUE")


def test_scalars_are_what_a_person_means(written: Written) -> None:
    meant = NUMBERS | OTHERS | TAGGED | dict(zip(TEXTS, TEXTS, strict=True))
    found = read_yaml(written("\ufeff" + "".join(f"- {text}\n" for text in meant))).data
    assert [(value, type(value)) for value in found] == [(v, type(v)) for v in meant.values()]


def test_keys_are_text_and_so_are_scalars_where_text_is_asked_for(written: Written) -> None:
    text = "{a: 1e-3, b: no, c: true, d: null, f: '1', g: !!int 3, h: , 5: ~, <<: 010}\n"
    found = read_yaml(written(text), scalars="text").data
    assert [*found] == [*"abcdfgh5", "<<"] == [*read_yaml(written(text)).data]
    assert [*found.values()] == ["1e-3", "no", "true", "null", "1", "3", "", "~", "010"]
    assert read_yaml(written(""), scalars="text").data == ""


def test_every_value_has_its_place_and_an_alias_those_of_its_anchor(written: Written) -> None:
    source = read_yaml(written("a: &x\n  - y\n  - {b: 1}\nc: *x\n"))
    assert source.data == {"a": ["y", {"b": 1}], "c": ["y", {"b": 1}]}
    places = {("a", 1, "b"): "3:6", ("a", 0): "2:5", ("a", 1, "b", "deeper"): "3:6", ("z",): "1:1"}
    for place, where in (places | {("c",): "4:1", ("c", 1, "b"): "3:6"}).items():
        assert source.where(place).endswith(f"config.yaml:{where}")
    assert read_yaml(written("# nothing\n")).where(("a",)).endswith("config.yaml:1:1")


def test_the_place_in_a_mapping_without_a_file_is_what_leads_to_it() -> None:
    source = MappingSource(Path("config"), {"a": [{"b": 1}]}, Mark(1, 1))
    assert source.where(("a", 0, "b")) == "config['a'][0]['b']"
    assert source.where(("a", 0, "c")) == "config['a'][0]"
    assert source.where(("a", 1)) == "config['a']"


def test_the_values_of_a_file_are_counted_with_those_that_aliases_repeat(
    written: Written, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("quadrepro.base.yaml.MAX_VALUES", 7)
    assert read_yaml(written("a: &a [x, y]\nb: *a\n")).data["b"] == ["x", "y"]
    with pytest.raises(ConfigError, match=r"yaml:3:4: the file has more than 7 values"):
        read_yaml(written("a: &a [x, y]\nb: *a\nc: z"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: [1, 2", r":\d:\d: not valid YAML: did not find expected"),
        ("a: 1\na: 2\n", r":2:1: duplicate key 'a'"),
        ("a: &x [*x]\n", r": lists and mappings are nested too deeply"),
        ("[1]: 2\n", r":1:1: a key must be plain text"),
        (b"a: \xff\n", r": cannot be read: 'utf-8' codec .* in position 3"),
        (b"a: \x00\n", r": cannot be read: .*character #x0000"),
        ("a: !!python/object:os.system {}\n", r":1:4: could not .* constructor for the tag"),
        ("a: !!int x\n", r": cannot be read: "),
        ("a: !!bool maybe\n", r": cannot be read: "),
        ("a: *nowhere\n", r":1:4: not valid YAML: found undefined alias"),
        ("a: 1\n---\nb: 2\n", r":2:1: not valid YAML: .*another document"),
        ("a: " + "[" * 5000 + "]" * 5000, r":1:\d+: not valid YAML: .*depth"),
        ("a: " + "9" * 400, r":1:4: 9+ is beyond the range of numbers"),
        ("a: !!float nan", r":1:4: nan is beyond the range of numbers"),
    ],
)
def test_a_file_that_is_not_usable_yaml_is_refused_with_the_place(
    written: Written, text: str | bytes, message: str
) -> None:
    with pytest.raises(ConfigError, match=f"config.yaml{message}"):
        read_yaml(written(text))
    with pytest.raises(DataError, match=r"gone.yaml: cannot be read: No such file"):
        read_yaml(Path("gone.yaml"), error=DataError)


# Line breaks of Unicode become blanks.
ORDINARY = st.characters(exclude_categories=("Cs", "Zl", "Zp"), exclude_characters="\x85")
MORE = ("n", "02208", "~", "null", "1e5", ".5", "", "<<", "=", "true")
WORDS = st.sampled_from([*TEXTS, *MORE])
NAMES = WORDS | st.text(ORDINARY, max_size=12)
SCALARS = NAMES | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.booleans()
VALUES = st.recursive(
    SCALARS | st.none(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES, inner, max_size=4),
    max_leaves=12,
)


@given(st.dictionaries(NAMES, VALUES, max_size=4))
def test_a_mapping_is_read_back_as_it_was_written(
    tmp_path_factory: pytest.TempPathFactory, content: dict[str, Any]
) -> None:
    path = tmp_path_factory.getbasetemp() / "again.yaml"
    path.write_bytes(to_yaml(content).encode())
    assert repr(read_yaml(path).data) == repr(content)


def test_text_stays_text_in_every_version_of_yaml_and_equal_values_are_written_in_full() -> None:
    for text in (*TEXTS, *MORE, "1e-3"):
        assert yaml.safe_load(to_yaml({text: [text]})) == {text: [text]}
    shared = ["é", 1]
    assert to_yaml({"b": shared, "a": shared}) == "b:\n- é\n- 1\na:\n- é\n- 1\n"
