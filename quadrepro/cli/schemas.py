"""The keys of configs, cards and papers: JSON schemas, and a page in Markdown made from them.

Schemas accept all that can be read, and refuse unknown keys, unknown names of what cannot be the
user's own, and values of the wrong type. What depends on several keys at once is left to
``quadrepro check``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from quadrepro.base.json_schema import JsonSchema, json_schemas
from quadrepro.base.models import CHANGES
from quadrepro.base.resources import cards_folder
from quadrepro.config.algorithms import AlgorithmEntry
from quadrepro.config.axis import Axis, Distribution
from quadrepro.config.config import Config
from quadrepro.config.tables import KINDS as TABLES
from quadrepro.config.tables import model_of
from quadrepro.core.learners.registry import ALGORITHMS, axis_text
from quadrepro.core.measures.registry import MEASURES
from quadrepro.data.card import Card, View
from quadrepro.papers.claims import CLAIMS
from quadrepro.papers.paper import PaperFile, paper_names

DIALECT = "https://json-schema.org/draft/2020-12/schema"

_WHAT = ("algorithm", "pipeline")
"""Keys for the role of a column, in place of its name."""


def schema_of(what: str) -> JsonSchema:
    """Return the JSON schema, draft 2020-12, of a kind of document."""
    title, root, make = DOCUMENTS[what]
    return {"$schema": DIALECT, "title": title, "$ref": _ref(root), "$defs": make()}


def schema_text(what: str) -> str:
    """Return a JSON schema as the text of its file."""
    return json.dumps(schema_of(what), indent=1, ensure_ascii=False) + "\n"


def _ref(name: str) -> str:
    return f"#/$defs/{name}"


def _config() -> JsonSchema:
    tables = model_of(TABLES)
    models: dict[str, Any] = {"Config": Config, "View": View, "Tables": tables}
    models |= {"AlgorithmEntry": AlgorithmEntry, "Axis": Axis, "Distribution": Distribution}
    found = json_schemas(models)
    config = found["Config"]["properties"]
    config["tables"] = {"$ref": _ref("Tables"), "description": config["tables"]["description"]}
    # The user's own papers, data sets and measures of their algorithms have names of their own.
    config["paper"]["anyOf"] = [{"enum": ["", *paper_names()]}, {"pattern": r"/|^\."}]
    shipped = sorted(path.stem for path in cards_folder().glob("*.yaml"))
    datasets = [{"enum": shipped}, {"pattern": r"^[a-z][a-z0-9_]*$"}]
    algorithms = [{"enum": [*ALGORITHMS]}, {"pattern": ":"}]
    for key, entry, names in (
        ("datasets", "DatasetEntry", datasets),
        ("algorithms", "AlgorithmEntry", algorithms),
    ):
        config[key]["items"]["anyOf"][0]["anyOf"] = names
        if key == "datasets":
            found[entry]["properties"]["name"]["anyOf"] = names
    for name in ("Protocol", "Protocol-changes", "AlgorithmEntry"):
        found[name]["properties"]["measures"]["items"]["enum"] = [*MEASURES]
    column = found["AlgorithmEntry"]
    column["properties"]["algorithm"]["anyOf"] = algorithms
    column["if"] = {"not": {"anyOf": [{"required": [key]} for key in _WHAT]}}
    column["then"] = {"properties": {"name": {"anyOf": algorithms}}}
    column["allOf"] = [_of_algorithm(name) for name in ALGORITHMS]
    return found


def _of_algorithm(name: str) -> JsonSchema:
    """Return which settings and hyper-parameters an entry of an algorithm may have."""
    entry = ALGORITHMS[name]
    learner = entry.learner.__name__
    known = json_schemas({learner: entry.learner})[learner]["properties"]
    searched = {h.name: h.meaning for h in entry.make({}).hyperparameters}

    def closed(properties: JsonSchema) -> JsonSchema:
        return {"properties": properties, "additionalProperties": False}

    def values(of: str) -> JsonSchema:
        return closed({k: {"$ref": _ref(of), "description": t} for k, t in searched.items()})

    elsewhere = {"anyOf": [{"required": [key]} for key in _WHAT]}
    by_name = {"properties": {"name": {"const": name}}, "not": elsewhere}
    by_key = {"properties": {"algorithm": {"const": name}}, "required": ["algorithm"]}
    parts = {
        "settings": closed({key: known[key] for key in entry.settings}),
        "grid": values("Axis"),
        "draw": values("Distribution"),
    }
    return {"if": {"anyOf": [by_name, by_key]}, "then": {"properties": parts}}


def _paper() -> JsonSchema:
    models: dict[str, Any] = {"PaperFile": PaperFile}
    models |= {of.__name__: of for of in CLAIMS.values()}
    found = json_schemas(models)
    claim = found["GroupEntry"]["properties"]["claims"]["items"]
    claim["properties"] = {"kind": {"enum": [*CLAIMS], "description": "What it says of what."}}
    claim["required"] = ["kind"]
    claim["allOf"] = [
        {
            "if": {"properties": {"kind": {"const": kind}}},
            "then": {"$ref": _ref(of.__name__)},
        }
        for kind, of in CLAIMS.items()
    ]
    return found


DOCUMENTS = {
    "config": ("A config of quadrepro", "Config", _config),
    "card": ("A card of a data set", "Card", lambda: json_schemas({"Card": Card}, plain=True)),
    "paper": ("A paper.yaml", "PaperFile", _paper),
}
"""The kinds of files: title, model, and what makes the definitions."""


MOST_NAMES = 10
"""Longer lists of names are counted."""

INTRODUCTION = """# The keys of a config

This page is written by `make reference`. `quadrepro list keys` prints the same as a JSON schema,
with which editors complete and check what is typed; `quadrepro list keys card` and `paper` print
those of cards and papers. `datasets[]` is an entry of the list `datasets`, and `grid.NAME` stands
for any key of the mapping `grid`.
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
    for name, part in zip(ALGORITHMS, told, strict=True):
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
    entry = ALGORITHMS[name]
    axes = entry.grid
    lines = [f"### `{name}`\n\n{entry.label} ({entry.source}).\n"]
    for key, field in parts["grid"]["properties"].items():
        values = axis_text(axes[key]) if key in axes else "may be left out"
        lines.append(f"- `grid.{key}` ({field['description']}): {values}")
    settings = list(_keys(parts["settings"], sections))
    return (
        "\n".join([*lines, *(line.replace("- `", "- `settings.", 1) for line in settings)]) + "\n"
    )
