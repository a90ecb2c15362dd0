"""Mistakes in what users write in YAML, as they see them: one line each, with its place."""

from __future__ import annotations

from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, Field, TypeAdapter, ValidationError, model_validator

from quadrepro.base.models import Model, fault, faults_at, mistakes, validated
from quadrepro.base.yaml import read_yaml
from quadrepro.errors import ConfigError, DataError
from tests.make import refusal


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
    meant = MappingProxyType({"colour": "it below inner"})

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


def said(folder: Path, text: str) -> list[str]:
    """Return what is said of a document, without the name of the file."""
    (path := folder / "document.yaml").write_text(text)
    message = refusal(path, lambda path: validated(Document, read_yaml(path), DataError), DataError)
    return message.replace(f"{path}:", "").splitlines()


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (f"count: {'x' * 200}", f"1:1: count must be a whole number, not '{'x' * 56}..."),
        ("count: 0", "1:1: count must be at least 1, not 0"),
        ("count: 10", "1:1: count must be less than 10, not 10"),
        ("flag: maybe", "1:1: flag must be true or false, not 'maybe'"),
        ("title: true", "1:1: title must be text, not true"),
        ("title: ''", "1:1: title must have a length of at least 1, not ''"),
        ("code: A1", "1:1: code must match the pattern '^[a-z]+$', not 'A1'"),
        ("numbers: 3", "1:1: numbers must be a list, not 3"),
        ("numbers: [1, 2, x]", "1:17: item 3 of numbers must be a whole number, not 'x'"),
        ("inner: {form: 1}", "1:9: unknown key 'form'; did you mean 'from'?"),
        ("colour: red", "1:1: unknown key 'colour'; write it below inner"),
        ("count: 7", "1:1: 7 is {not} lucky here"),
        ("count: 8", "1:1: 8 is not lucky either"),
        ("share: 2", "1:1: share must be 'half' or 'all' or less than 1, not 2"),
        ("either: 3", "1:1: either must be text or a mapping of keys to values, not 3"),
        ("either: {words: {}, form: 1}", "1:21: unknown key 'form'; did you mean 'from'?"),
        ("shapes: [{kind: circle, radius: 3}]", "1:25: radius must be at most 2.5, not 3"),
        ("shapes: [{radius: 1}]", "1:10: the key 'kind' is missing"),
        ("shapes: [{kind: circl}]", "1:11: kind cannot be 'circl'; did you mean 'circle'?"),
        ("shapes: [{kind: square, sides: [1]}]", "1:25: item 2 of sides is missing"),
    ],
)
def test_a_mistake_is_a_plain_sentence(tmp_path: Path, text: str, line: str) -> None:
    [found] = said(tmp_path, f"{text}\n")
    assert found.startswith(line)


def test_all_mistakes_are_named_at_once_up_to_a_hundred(tmp_path: Path) -> None:
    text = "cuont: 1\ncount: 0\nflags: true\ninner: {from: x, to: 1}\nshapes: [{kind: circle}]\n"
    assert said(tmp_path, text) == [
        "1:1: unknown key 'cuont'; did you mean 'count'?",
        "3:1: unknown key 'flags'; did you mean 'flag'?",
        "2:1: count must be at least 1, not 0",
        "4:18: unknown key 'to'; known are from, words",
        "4:9: from must be a number, not 'x'",
        "5:10: the key 'radius' is missing",
    ]
    lines = said(tmp_path, f"numbers: [{'x, ' * 102}]\n")
    assert (len(lines), lines[100]) == (101, " 2 more mistakes")
    assert len(said(tmp_path, f"numbers: [{'x, ' * 100}]\n")) == 100


def test_a_mistake_without_a_sentence_of_ours_is_told_in_pydantics_words() -> None:
    with pytest.raises(ValidationError) as caught:
        TypeAdapter(dict[str, Annotated[int, Field(multiple_of=5)]]).validate_python({"n": 3})
    assert mistakes(caught.value, {"n": 3}) == [(("n",), "n must be a multiple of 5, not 3")]


def test_a_document_or_a_part_of_it_becomes_a_model_that_cannot_be_changed(tmp_path: Path) -> None:
    path = tmp_path / "document.yaml"
    path.write_text("parts:\n  - {count: 3, shapes: [{kind: circle, radius: 1}]}\n  - {count: 0}\n")
    document = validated(Document, read_yaml(path), place=("parts", 0))
    assert document == Document(count=3, shapes=(Circle(kind="circle", radius=1),))
    with pytest.raises(ValidationError, match="frozen"):
        document.count = 2  # type: ignore[misc]
    with pytest.raises(ConfigError, match="yaml:3:6: count must be at least 1, not 0"):
        validated(Document, read_yaml(path), place=("parts", 1))


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
        ("x", ("changes", "count"), "count must be a whole number, not 'x'"),
    ],
)
def test_a_mistake_found_by_a_validation_inside_a_validator_keeps_its_place(
    count: Any, place: tuple[str, ...], message: str
) -> None:
    changes = {"count": count}
    with pytest.raises(ValidationError) as caught:
        Outer(changes=changes)
    assert mistakes(caught.value, {"changes": changes}) == [(place, message)]
