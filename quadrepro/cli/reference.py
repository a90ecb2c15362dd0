"""The reference of all keys of a config in Markdown, made from its JSON schema."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from quadrepro.base.json_schema import JsonSchema
from quadrepro.base.models import CHANGES
from quadrepro.cli.schemas import algorithm_names, schema_of
from quadrepro.core.learners.learner import Entry
from quadrepro.core.learners.registry import axis_text, find_entry

MOST_NAMES = 10
"""Longer lists of names are counted."""

INTRODUCTION = """# The keys of a config

This page is written by `make reference`. `quadrepro schema config` prints the same as a
[JSON schema](schema/config.json), with which editors complete and check what is typed; there are
schemas of [cards](schema/card.json) and [papers](schema/paper.json) as well. `datasets[]` is an
entry of the list `datasets`, and `grid.NAME` stands for any key of the mapping `grid`.
"""

ALGORITHMS_INTRODUCTION = """\
The values of a hyper-parameter, `grid.NAME`, are those that are searched where a config names none.
Estimators of scikit-learn, `sklearn:NAME`, have their own parameters and defaults.
"""

_WORDS = {
    "string": "text",
    "integer": "whole number",
    "number": "number",
    "boolean": "true or false",
    "null": "`null`",
    "object": "mapping",
}
_SIGNS = {"minimum": "≥", "exclusiveMinimum": ">", "maximum": "≤", "exclusiveMaximum": "<"}
_SCALAR = {"integer", "number", "boolean", "string", "null"}


def config_reference() -> str:
    """Return the page: a section for every mapping, and what each algorithm can be told."""
    definitions = schema_of("config")["$defs"]
    sections = dict(_sections(definitions, "Config", "", set()))
    parts = [INTRODUCTION]
    for name, place in sections.items():
        schema = _mapping(definitions[name])
        parts.append(f"## {f'`{place}`' if place else 'Top level'}\n\n{schema['description']}\n")
        parts.append("\n".join(_keys(schema, sections)) + "\n")
    parts.append(f"## Algorithms\n\n{ALGORITHMS_INTRODUCTION}")
    told = definitions["AlgorithmEntry"]["allOf"]
    for name, part in zip(algorithm_names(), told, strict=True):
        parts.append(_algorithm(name, part["then"]["properties"], sections))
    return "\n".join(parts)


def _sections(
    definitions: JsonSchema, name: str, place: str, seen: set[str]
) -> Iterator[tuple[str, str]]:
    """Yield the definitions of all mappings, each with the first place where it stands."""
    if name in seen:
        return
    seen.add(name)
    yield name, place
    for key, field in _mapping(definitions[name])["properties"].items():
        for inner, inside in _references(field, f"{place}.{key}".strip(".")):
            yield from _sections(definitions, inner, inside, seen)


def _mapping(schema: JsonSchema) -> JsonSchema:
    """Return the form of a schema that is a mapping with known keys."""
    return next(part for part in schema.get("anyOf", [schema]) if "properties" in part)


def _references(schema: JsonSchema, place: str) -> Iterator[tuple[str, str]]:
    """Yield the definitions that a value is made of, and the place where each one stands."""
    if "$ref" in schema:
        yield _name(schema["$ref"]), place
    for form in (*schema.get("anyOf", ()), *schema.get("oneOf", ())):
        yield from _references(form, place)
    if isinstance(items := schema.get("items"), dict):
        yield from _references(items, f"{place}[]")
    if isinstance(values := schema.get("additionalProperties"), dict):
        yield from _references(values, f"{place}.NAME")


def _name(reference: str) -> str:
    return reference.rpartition("/")[2].removesuffix(f"-{CHANGES}")


def _keys(schema: JsonSchema, sections: dict[str, str]) -> Iterator[str]:
    """Yield a line for every key: what it takes, its default and its meaning."""
    required = schema.get("required", ())
    for key, field in schema["properties"].items():
        default = field.get("default", ...)
        ending = ""
        if key in required:
            ending = ", required"
        elif not isinstance(default, dict) and default is not ...:
            ending = f", default `{json.dumps(default, ensure_ascii=False)}`"
        yield f"- `{key}` ({_takes(field, sections)}{ending}): {field['description']}"


def _takes(schema: JsonSchema, sections: dict[str, str]) -> str:
    """Return in words what a value may be."""
    forms = (*schema.get("anyOf", ()), *schema.get("oneOf", ()))
    if {form.get("type", "") for form in forms if isinstance(form.get("type", ""), str)} >= _SCALAR:
        return "value"
    # Forms that only narrow a type do not say what else the value may be.
    if forms and "type" not in schema:
        return " or ".join(dict.fromkeys(_takes(form, sections) for form in forms))
    if "$ref" in schema:
        place = sections[_name(schema["$ref"])]
        return f"[`{place}`](#{re.sub(r'[^a-z0-9_-]', '', place.lower())})"
    if "enum" in schema:
        names = schema["enum"]
        several = len(names) > MOST_NAMES
        return f"one of {len(names)} names" if several else " or ".join(f"`{n}`" for n in names)
    if "const" in schema:
        return f"`{json.dumps(schema['const'])}`"
    if "prefixItems" in schema:
        return f"[{', '.join(_takes(item, sections) for item in schema['prefixItems'])}]"
    types = schema.get("type", [])
    if types == "array":
        items = _takes(schema["items"], sections)
        return f"list of ({items})" if " or " in items else f"list of {items}"
    if types == "object" and isinstance(values := schema.get("additionalProperties"), dict):
        return f"mapping to {_takes(values, sections)}"
    words = " or ".join(_WORDS[name] for name in ([types] if isinstance(types, str) else types))
    bounds = [f"{sign} {schema[key]:.15g}" for key, sign in _SIGNS.items() if key in schema]
    return f"{words} {' and '.join(bounds)}".strip()


def _algorithm(name: str, parts: dict[str, Any], sections: dict[str, str]) -> str:
    """Return the section of an algorithm."""
    entry = find_entry(name)
    assert isinstance(entry, Entry)
    axes = entry.grid
    lines = [f"### `{name}`\n\n{entry.label} ({entry.source}).\n"]
    for key, field in parts["grid"]["properties"].items():
        values = axis_text(axes[key]) if key in axes else "may be left out"
        lines.append(f"- `grid.{key}` ({field['description']}): {values}")
    settings = list(_keys(parts["settings"], sections))
    return (
        "\n".join([*lines, *(line.replace("- `", "- `settings.", 1) for line in settings)]) + "\n"
    )
