from __future__ import annotations

from typing import Annotated, Any, Literal

import pytest
from jsonschema import Draft202012Validator
from pydantic import BeforeValidator, ConfigDict, Field, model_validator

from quadrepro.base.json_schema import JsonSchema, described, json_schemas, summary
from quadrepro.base.models import Model, changes


class Shape(Model):
    """A shape.

    It has sides.

    Examples
    --------
    >>> Shape()
    Shape(start=None, end=None, sides='four')
    """

    forms = (float,)

    start: float | None = Field(default=None, alias="from")
    """The first end, or None
    if there are none."""
    end: float | None = Field(default=None, alias="to")
    sides: Literal["three", "four"] = "four"
    """How ``many``."""

    @model_validator(mode="before")
    @classmethod
    def _number(cls, data: Any) -> Any:
        return data if isinstance(data, dict) else {"from": data}


class Inner(Model):
    """What is inside."""

    depth: int
    label: str = ""


class Labels(Model):
    """Labels."""

    model_config = ConfigDict(coerce_numbers_to_str=True)

    labels: tuple[str, ...] = ()
    kind: Literal["a", "b"] = "a"


class Whole(Shape):
    """A whole."""

    inner: Inner
    """Its inside."""
    changed: Annotated[dict[str, Any], changes(Inner)] = Field(default_factory=dict)
    outer: Annotated[dict[str, Any], changes(Shape)] = Field(default_factory=dict)
    named: Annotated[
        Labels,
        BeforeValidator(
            lambda data: {"labels": [data]} if isinstance(data, str) else data,
            json_schema_input_type=str | Labels,
        ),
    ] = Labels()


WHOLE = {"Whole": Whole, "Inner": Inner, "Shape": Shape}


def of(name: str, *, plain: bool = False) -> Draft202012Validator:
    definitions = json_schemas(WHOLE, plain=plain)
    schema: JsonSchema = {"$ref": f"#/$defs/{name}", "$defs": definitions}
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


def test_fields_are_described_under_the_names_that_documents_use() -> None:
    assert described(Shape) == {
        "from": "The first end, or null if there are none.",
        "sides": "How `many`.",
    }
    assert described(Whole).keys() == {*described(Shape), "inner"}


def test_a_description_is_the_first_paragraph() -> None:
    assert summary(Shape) == "A shape."
    shape = json_schemas(WHOLE)["Shape"]["anyOf"][0]
    assert shape["description"] == "A shape."
    assert shape["properties"]["sides"]["description"] == "How `many`."
    assert shape["properties"]["sides"]["default"] == "four"


@pytest.mark.parametrize(
    ("name", "value", "valid"),
    [
        ("Shape", {"from": 1, "sides": "three"}, True),
        ("Shape", 2.5, True),
        ("Shape", {"form": 1}, False),
        ("Shape", {"sides": "five"}, False),
        ("Inner", {"depth": 1}, True),
        ("Inner", {}, False),
        ("Whole", {"inner": {"depth": 1}, "changed": {"label": "x"}}, True),
        ("Whole", {"inner": {"depth": 1}, "changed": {"lable": "x"}}, False),
        ("Whole", {"inner": {"depth": 1}, "outer": {"to": 3}}, True),
        ("Whole", {"inner": {"depth": 1}, "named": "x"}, True),
        ("Whole", {"inner": {"depth": 1}, "named": {"labels": [4, "x"]}}, True),
        ("Whole", {"inner": {"depth": 1}, "named": {"kind": 4}}, False),
        ("Whole", {"inner": {"depth": 1, "label": 4}}, False),
    ],
)
def test_a_schema_takes_what_the_model_takes(name: str, value: Any, *, valid: bool) -> None:
    assert of(name).is_valid(value) == valid
    try:
        WHOLE[name].model_validate(value)
    except ValueError:
        assert not valid
    else:
        # Changes are checked where they are made.
        assert valid or "changed" in value


@pytest.mark.parametrize("text", ["x", 4, True, None])
def test_a_plain_text_can_look_like_any_scalar(text: Any) -> None:
    assert of("Inner", plain=True).is_valid({"depth": 1, "label": text})
    assert of("Inner").is_valid({"depth": 1, "label": text}) == isinstance(text, str)
