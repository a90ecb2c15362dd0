"""The keys of configs, cards and papers: JSON schemas, and a page in Markdown made from them."""

from __future__ import annotations

import json
from typing import Any

from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core.core_schema import StringSchema

from quadrepro.base.models import Model
from quadrepro.config.config import Config
from quadrepro.data.card import Card
from quadrepro.papers.paper import PaperFile

DOCUMENTS: dict[str, type[Model]] = {"config": Config, "card": Card, "paper": PaperFile}
"""The kinds of files."""

INTRODUCTION = """# The keys of a config

This page lists all keys that a config can have; [writing a config](configs.md) explains them with
examples. `quadrepro list keys` prints the same as a JSON schema for editors, and `quadrepro list
keys card` and `paper` print the keys of cards and papers. `quadrepro list algorithms` lists the
settings of each algorithm, its hyper-parameters and their default values.
"""

_WORDS = {
    "array": "list",
    "boolean": "true or false",
    "integer": "whole number",
    "number": "number",
    "object": "mapping",
    "string": "text",
}
_SIGNS = {"minimum": "≥", "exclusiveMinimum": ">", "maximum": "≤", "exclusiveMaximum": "<"}


class _Schemas(GenerateJsonSchema):
    """Schemas without titles, in which text may look like a number, as labels do."""

    def field_title_should_be_set(self, schema: Any) -> bool:
        return False

    def str_schema(self, schema: StringSchema) -> JsonSchemaValue:
        return super().str_schema(schema) | {"type": ["string", "number", "boolean", "null"]}


def schema_of(kind: str) -> dict[str, Any]:
    """Return the JSON schema of a kind of file."""
    return DOCUMENTS[kind].model_json_schema(schema_generator=_Schemas)


def schema_text(kind: str) -> str:
    """Return a JSON schema as the text of its file."""
    return json.dumps(schema_of(kind), indent=1, ensure_ascii=False) + "\n"


def config_reference() -> str:
    """Return the page: a section for every mapping."""
    schema = schema_of("config")
    parts = [INTRODUCTION]
    for name, mapping in {"Top level": schema, **schema["$defs"]}.items():
        if "properties" in mapping:
            required = mapping.get("required", ())
            keys = [_line(key, f, key in required) for key, f in mapping["properties"].items()]
            parts += [f"## {name}\n\n{_meaning(mapping)}\n", "\n".join(keys) + "\n"]
    return "\n".join(parts)


def _meaning(schema: dict[str, Any]) -> str:
    """Return the first paragraph of a description."""
    text = schema.get("description", "").partition("\n\n")[0]
    return " ".join(text.split()).replace("``", "`")


def _line(key: str, field: dict[str, Any], is_required: bool) -> str:
    """Return the line of a key: its form, its default and its meaning."""
    text = _form(field) + ", required" * is_required
    default = field.get("default")
    if default and not isinstance(default, dict):
        text += f", default `{json.dumps(default)}`"
    return f"- `{key}` ({text}): {_meaning(field)}"


def _form(field: dict[str, Any]) -> str:
    """Return the form of a value in words."""
    if forms := (*field.get("anyOf", ()), *field.get("oneOf", ())):
        words = [_form(form) for form in forms if form.get("type") != "null"]
        return " or ".join(dict.fromkeys(words))
    if "$ref" in field:
        name = field["$ref"].rpartition("/")[2]
        return f"[{name}](#{name.lower()})"
    if "const" in field or "enum" in field:
        return " or ".join(f"`{name}`" for name in field.get("enum", [field.get("const")]))
    kind = field.get("type", "object")
    if "items" in field:
        return f"list of {_form(field['items'])}"
    if isinstance(inner := field.get("additionalProperties"), dict):
        return f"mapping to {_form(inner)}"
    if not isinstance(kind, str):
        return "text"
    if "minimum" in field and "maximum" in field:
        return f"{_WORDS[kind]}, {field['minimum']:.15g} to {field['maximum']:.15g}"
    bounds = [f"{sign} {field[key]:.15g}" for key, sign in _SIGNS.items() if key in field]
    return f"{_WORDS[kind]} {' and '.join(bounds)}".strip()
