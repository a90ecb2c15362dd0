"""What users write in YAML: values with their places, and mistakes in one line each."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, Literal

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field, TypeAdapter, ValidationError, model_validator

from quadrepro.base.models import Model, fault, faults_at, mistakes, validated
from quadrepro.base.yaml import YamlSource, read_yaml, to_yaml
from quadrepro.errors import ConfigError, DataError
from tests.data.tables import Save
from tests.make import refusal


@pytest.fixture
def written(save: Save) -> Save:
    return partial(save, name="config.yaml")


NUMBERS = {"1e-3": 1e-3, "1E5": 1e5, "-2.5": -2.5, ".5": 0.5, "5.": 5.0, "10": 10, "+0": 0}
OTHERS = {"true": True, "false": False, "null": None, "~": None, "": None, "'1'": "1"}
TAGGED = {"!!str 1": "1", "!!float 1": 1.0, "!!int '7'": 7, "!!bool true": True}
TEXTS = ("010", "no", "Yes", "on", "2020-01-01", "1_000", "1e", "12:30", ".", "0x1F", "TRUE")


def test_scalars_are_what_a_person_means(written: Save) -> None:
    meant = NUMBERS | OTHERS | TAGGED | dict(zip(TEXTS, TEXTS, strict=True))
    found = read_yaml(written("\ufeff" + "".join(f"- {text}\n" for text in meant))).data
    assert [(value, type(value)) for value in found] == [(v, type(v)) for v in meant.values()]


def test_keys_are_text_and_so_are_scalars_where_text_is_asked_for(written: Save) -> None:
    text = "{a: 1e-3, b: no, c: true, d: null, f: '1', g: !!int 3, h: , 5: ~, <<: 010}\n"
    found = read_yaml(written(text), scalars="text").data
    assert [*found] == [*"abcdfgh5", "<<"] == [*read_yaml(written(text)).data]
    assert [*found.values()] == ["1e-3", "no", "true", "null", "1", "3", "", "~", "010"]
    assert read_yaml(written(""), scalars="text").data == ""


def test_every_value_has_its_place_and_an_alias_those_of_its_anchor(written: Save) -> None:
    source = read_yaml(written("a: &x\n  - y\n  - {b: 1}\nc: *x\n"))
    assert source.data == {"a": ["y", {"b": 1}], "c": ["y", {"b": 1}]}
    places = {("a", 1, "b"): "3:6", ("a", 0): "2:5", ("a", 1, "b", "deeper"): "3:6", ("z",): "1:1"}
    for place, where in (places | {("c",): "4:1", ("c", 1, "b"): "3:6"}).items():
        assert source.where(place).endswith(f"config.yaml:{where}")
    assert read_yaml(written("# nothing\n")).where(("a",)).endswith("config.yaml:1:1")


def test_the_place_in_a_mapping_without_a_file_is_what_leads_to_it() -> None:
    source = YamlSource(Path("config"), {"a": [{"b": 1}]})
    assert source.where(("a", 0, "b")) == "config['a'][0]['b']"
    assert source.where(("a", 0, "c")) == "config['a'][0]"
    assert source.where(("a", 1)) == "config['a']"


def test_the_values_of_a_file_are_counted_with_those_that_aliases_repeat(
    written: Save, monkeypatch: pytest.MonkeyPatch
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
        ("a: &x [*x]\n", r": cannot be read: maximum recursion depth exceeded"),
        ("[1]: 2\n", r":1:1: a key must be plain text"),
        (b"a: \xff\n", r": cannot be read: 'utf-8' codec .* in position 3"),
        (b"a: \x00\n", r": cannot be read: .*character #x0000"),
        ("a: !!python/object:os.system {}\n", r":1:4: could not .* constructor for the tag"),
        ("a: !!int x\n", r": cannot be read: "),
        ("a: !!bool maybe\n", r": cannot be read: "),
        ("a: *nowhere\n", r":1:4: not valid YAML: found undefined alias"),
        ("a: 1\n---\nb: 2\n", r":2:1: not valid YAML: .*another document"),
        ("a: " + "[" * 5000 + "]" * 5000, r":1:\d+: not valid YAML: .*depth"),
    ],
)
def test_a_file_that_is_not_usable_yaml_is_refused_with_the_place(
    written: Save, text: str | bytes, message: str
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


class Circle(Model):
    kind: Literal["circle"]
    radius: float = Field(gt=0, le=2.5)


class Square(Model):
    kind: Literal["square"]
    sides: tuple[int, int]


class Inner(Model):
    start: float = Field(default=0, alias="from")
    words: dict[str, str] = Field(default_factory=dict)


class Document(Model):
    instead = MappingProxyType({"colour": "it below inner"})

    title: str = Field(default="A title", min_length=1)
    code: str = Field(default="a", pattern="^[a-z]+$")
    count: int = Field(default=1, ge=1, lt=10)
    flag: bool = False
    share: Literal["half", "all"] | Annotated[float, Field(gt=0, lt=1)] = "half"
    numbers: tuple[int, ...] = (1,)
    inner: Inner = Inner()
    shapes: tuple[Annotated[Circle | Square, Field(discriminator="kind")], ...] = ()
    either: str | Inner = ""

    @model_validator(mode="after")
    def _consistent(self) -> Document:
        if self.count == 7:
            raise fault("7 is {not} lucky here", "count")
        if self.count == 8:
            raise ValueError("8 is not lucky either")
        return self


def said(path: Path) -> list[str]:
    """Return what is said of a document, without the name of the file."""
    message = refusal(path, lambda path: validated(Document, read_yaml(path), DataError), DataError)
    return message.replace(f"{path}:", "").splitlines()


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (f"count: {'x' * 200}", "1:1: count must be a valid integer, not 'xxxxxxxxxxxx...xxxx"),
        ("count: 0", "1:1: count must be at least 1, not 0"),
        ("count: 10", "1:1: count must be less than 10, not 10"),
        ("flag: maybe", "1:1: flag must be a valid boolean, not 'maybe'"),
        ("title: true", "1:1: title must be a valid string, not True"),
        ("title: ''", "1:1: title must have a length of at least 1, not ''"),
        ("code: A1", "1:1: code must match pattern '^[a-z]+$', not 'A1'"),
        ("numbers: 3", "1:1: numbers must be a list, not 3"),
        ("numbers: [1, 2, x]", "1:17: item 3 of numbers must be a valid integer, not 'x'"),
        ("inner: {form: 1}", "1:9: unknown key 'form'; did you mean 'from'?"),
        ("colour: red", "1:1: unknown key 'colour'; write it below inner"),
        ("count: 7", "1:1: 7 is {not} lucky here"),
        ("count: 8", "1:1: 8 is not lucky either"),
        ("share: 2", "1:1: share must be 'half' or 'all' or less than 1, not 2"),
        ("either: 3", "1:1: either must be a valid string or a mapping of keys to values, not 3"),
        ("either: {words: {}, form: 1}", "1:21: unknown key 'form'; did you mean 'from'?"),
        ("shapes: [{kind: circle, radius: 3}]", "1:25: radius must be at most 2.5, not 3"),
        ("shapes: [{radius: 1}]", "1:10: kind is missing"),
        ("shapes: [{kind: circl}]", "1:11: kind cannot be 'circl'; did you mean 'circle'?"),
        ("shapes: [{kind: square, sides: [1]}]", "1:25: item 2 of sides is missing"),
    ],
)
def test_a_mistake_is_a_plain_sentence(written: Save, text: str, line: str) -> None:
    [found] = said(written(f"{text}\n"))
    assert found.startswith(line)


def test_all_mistakes_are_named_at_once_up_to_a_hundred(written: Save) -> None:
    text = "cuont: 1\ncount: 0\nflags: true\ninner: {from: x, to: 1}\nshapes: [{kind: circle}]\n"
    assert said(written(text)) == [
        "1:1: unknown key 'cuont'; did you mean 'count'?",
        "3:1: unknown key 'flags'; did you mean 'flag'?",
        "2:1: count must be at least 1, not 0",
        "4:18: unknown key 'to'; known are from, words",
        "4:9: from must be a valid number, not 'x'",
        "5:10: radius is missing",
    ]
    assert len(said(written(f"numbers: [{'x, ' * 102}]\n"))) == 100


def test_a_mistake_without_a_sentence_of_ours_is_told_in_pydantics_words() -> None:
    with pytest.raises(ValidationError) as caught:
        TypeAdapter(dict[str, Annotated[int, Field(multiple_of=5)]]).validate_python({"n": 3})
    assert mistakes(caught.value, {"n": 3}) == [(("n",), "n must be a multiple of 5, not 3")]


def test_a_document_becomes_a_model_that_cannot_be_changed(written: Save) -> None:
    text = "count: 3\nshapes: [{kind: circle, radius: 1}]\n"
    document = validated(Document, read_yaml(written(text)))
    assert document == Document(count=3, shapes=(Circle(kind="circle", radius=1),))
    with pytest.raises(ValidationError, match="frozen"):
        document.count = 2  # type: ignore[misc]
    with pytest.raises(ConfigError, match="yaml:1:1: count must be at least 1, not 0"):
        validated(Document, read_yaml(written("count: 0\n")))


class Outer(BaseModel):
    changes: dict[str, Any]

    @model_validator(mode="after")
    def _possible(self) -> Outer:
        with faults_at("changes", data=self.changes):
            Document.model_validate(self.changes)
            raise fault("3 is odd", "count")


@pytest.mark.parametrize(
    ("count", "place", "message"),
    [
        (7, ("changes", "count"), "7 is {not} lucky here"),
        (8, ("changes",), "8 is not lucky either"),
        (3, ("changes", "count"), "3 is odd"),
        ("x", ("changes", "count"), "count must be a valid integer, not 'x'"),
    ],
)
def test_a_mistake_found_by_a_validation_inside_a_validator_keeps_its_place(
    count: Any, place: tuple[str, ...], message: str
) -> None:
    changes = {"count": count}
    with pytest.raises(ValidationError) as caught:
        Outer(changes=changes)
    assert mistakes(caught.value, {"changes": changes}) == [(place, message)]
