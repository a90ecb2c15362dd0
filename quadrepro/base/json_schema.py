"""JSON schemas of models, with descriptions from the texts below their fields."""

from __future__ import annotations

import ast
import copy
import inspect
import re
import textwrap
from collections.abc import Callable, Iterator
from functools import cache
from itertools import pairwise
from typing import Any, Literal

from pydantic import TypeAdapter
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import core_schema

from quadrepro.base.models import CHANGES

JsonSchema = dict[str, Any]


def json_schemas(models: dict[str, Any], *, plain: bool = False) -> JsonSchema:
    """Return the definitions of models and of all that they are made of.

    Examples
    --------
    >>> from quadrepro.core.protocol import SplitRule
    >>> json_schemas({"split": SplitRule})["SplitRule"]["properties"]["train"]["description"][:34]
    'The rows to train on: their number'
    """
    mode: Literal["validation"] = "validation"
    inputs = [(name, mode, TypeAdapter(of)) for name, of in models.items()]
    generator = _PlainText if plain else _Described
    found, document = TypeAdapter.json_schemas(inputs, schema_generator=generator)
    definitions: JsonSchema = document.get("$defs", {})
    for (name, _), schema in found.items():
        if schema != {"$ref": f"#/$defs/{name}"}:
            definitions[name] = schema
    _resolve_changes(definitions)
    return {name: definitions[name] for name in sorted(definitions)}


def described(of: type) -> dict[str, str]:
    """Return the texts below the fields of a class and its bases.

    A field that has another name in YAML is described under that one.

    Examples
    --------
    >>> from quadrepro.config.axis import Axis
    >>> described(Axis)["from"]
    'The first and the last value.'
    """
    fields = getattr(of, "model_fields", None) or getattr(of, "__dataclass_fields__", {})
    found: dict[str, str] = {}
    for base in reversed(of.__mro__):
        for name, text in _below_fields(base):
            if name in fields:
                # As YAML writes it.
                said = re.sub(r"\bNone\b", "null", _one_line(text))
                found[getattr(fields[name], "alias", None) or name] = said
    return found


def summary(of: type | Callable[..., Any]) -> str:
    """Return the first paragraph of a docstring, on one line."""
    return _one_line((inspect.getdoc(of) or "").split("\n\n")[0])


@cache
def _below_fields(of: type) -> tuple[tuple[str, str], ...]:
    """Return the names that a class annotates and the text below each; none without a source."""
    # pydantic could read them itself, but would do so whenever a model is imported.
    try:
        parsed = ast.parse(textwrap.dedent(inspect.getsource(of)))
    except (OSError, TypeError):
        return ()
    found = []
    for field, below in pairwise(getattr(parsed.body[0], "body", ())):
        match field, below:
            case (
                ast.AnnAssign(target=ast.Name(id=name)),
                ast.Expr(value=ast.Constant(value=str(text))),
            ):
                found.append((name, text))
    return (*found,)


def _one_line(text: str) -> str:
    return " ".join(text.split()).replace("``", "`")


class _Described(GenerateJsonSchema):
    """Adds descriptions and what may replace a mapping, and leaves out titles."""

    def model_schema(self, schema: core_schema.ModelSchema) -> JsonSchemaValue:
        of = schema["cls"]
        found = self._with_descriptions(super().model_schema(schema), of)
        if of.model_config.get("coerce_numbers_to_str"):
            _widen(found, ["string", "number"])
        forms = [
            self.generate_inner(TypeAdapter(form).core_schema) for form in getattr(of, "forms", ())
        ]
        return {"anyOf": [found, *forms]} if forms else found

    def dataclass_schema(self, schema: core_schema.DataclassSchema) -> JsonSchemaValue:
        return self._with_descriptions(super().dataclass_schema(schema), schema["cls"])

    def field_title_should_be_set(self, schema: Any) -> bool:
        return False

    def default_schema(self, schema: core_schema.WithDefaultSchema) -> JsonSchemaValue:
        found = super().default_schema(schema)
        if found.get("default", ...) in ("", (), [], {}, None):
            del found["default"]
        return found

    def _with_descriptions(self, schema: JsonSchemaValue, of: type) -> JsonSchemaValue:
        texts = described(of)
        schema.pop("title", None)
        schema["description"] = summary(of)
        for key, field in schema.get("properties", {}).items():
            if text := texts.get(key):
                field["description"] = text
        return schema


class _PlainText(_Described):
    def str_schema(self, schema: core_schema.StringSchema) -> JsonSchemaValue:
        return super().str_schema(schema) | {"type": ["string", "number", "boolean", "null"]}


def _widen(schema: Any, types: list[str]) -> None:
    """Let a schema take values of these types in place of texts."""
    for part in _parts(schema):
        if part.get("type") == "string" and "enum" not in part:
            part["type"] = types


def _parts(schema: Any) -> Iterator[JsonSchema]:
    """Yield all mappings in a schema."""
    if isinstance(schema, dict):
        yield schema
    for value in schema.values() if isinstance(schema, dict) else schema:
        if isinstance(value, dict | list):
            yield from _parts(value)


def _resolve_changes(definitions: JsonSchema) -> None:
    """Define the changes of models: what has their fields, but needs none of them."""
    waiting = [part for part in _parts(definitions) if CHANGES in part]
    while waiting:
        part = waiting.pop()
        name = part.pop(CHANGES, None) or part["$ref"].rpartition("/")[2]
        changed = f"{name}-{CHANGES}"
        part["$ref"] = f"#/$defs/{changed}"
        if changed not in definitions:
            new = copy.deepcopy(definitions[name])
            new.pop("required", None)
            definitions[changed] = new
            waiting += [inner for inner in _parts(new) if "$ref" in inner]
