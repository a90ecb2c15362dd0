from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quadrepro.documents.source import read_yaml
from quadrepro.errors import ConfigError


@pytest.fixture
def written(tmp_path: Path):  # type: ignore[no-untyped-def]
    def write(text: str | bytes) -> Path:
        path = tmp_path / "config.yaml"
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return path

    return write


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1e-3", 1e-3),
        ("1E5", 1e5),
        ("-2.5", -2.5),
        (".5", 0.5),
        ("10", 10),
        ("010", "010"),
        ("no", "no"),
        ("Yes", "Yes"),
        ("on", "on"),
        ("true", True),
        ("false", False),
        ("null", None),
        ("~", None),
        ("", None),
        ("2020-01-01", "2020-01-01"),
        ("1_000", "1_000"),
        ("'1'", "1"),
        ("1e", "1e"),
    ],
)
def test_scalars_are_what_a_person_means(written, text: str, value: object) -> None:  # type: ignore[no-untyped-def]
    found = read_yaml(written(f"key: {text}\n")).data["key"]
    assert found == value
    assert type(found) is type(value)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_every_number_python_writes_is_read_back(tmp_path_factory, number: float) -> None:  # type: ignore[no-untyped-def]
    path = tmp_path_factory.mktemp("yaml") / "number.yaml"
    path.write_text(f"key: {number!r}\n")
    assert read_yaml(path).data["key"] == number


def test_every_value_has_its_place_and_others_that_of_what_is_around(written) -> None:  # type: ignore[no-untyped-def]
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
        (b"a: \x00\n", r"config.yaml: not a YAML text file"),
        (
            "a: !!python/object:os.system {}\n",
            r"config.yaml:1:4: the tag .*os.system has no meaning",
        ),
        ("a: !!int x\n", r"config.yaml:1:4: 'x' cannot be read as int"),
        ("a: *nowhere\n", r"config.yaml:1:4: not valid YAML: found undefined alias"),
        ("- a\nb: 1\n", r"config.yaml:2:1: not valid YAML"),
    ],
)
def test_what_is_not_usable_yaml_is_named_with_its_place(  # type: ignore[no-untyped-def]
    written, text: str | bytes, message: str
) -> None:
    with pytest.raises(ConfigError, match=message):
        read_yaml(written(text))


def test_a_missing_file_and_a_folder_are_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"gone.yaml: cannot be read: No such file"):
        read_yaml(tmp_path / "gone.yaml")
    with pytest.raises(ConfigError, match=r"Is a directory"):
        read_yaml(tmp_path)


def test_a_byte_order_mark_is_no_part_of_the_first_key(written) -> None:  # type: ignore[no-untyped-def]
    assert read_yaml(written(b"\xef\xbb\xbfa: 1\n")).data == {"a": 1}
