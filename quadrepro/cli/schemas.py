"""JSON schemas of what users write: configs, cards and papers.

They accept all that can be read, and refuse unknown keys, unknown names of what cannot be the
user's own, and values of the wrong type. What depends on several keys at once is for
``quadrepro check`` to say.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from quadrepro.base import plugins
from quadrepro.base.json_schema import JsonSchema, json_schemas
from quadrepro.base.resources import cards_folder
from quadrepro.config.algorithms import AlgorithmEntry
from quadrepro.config.axis import Axis, Distribution
from quadrepro.config.config import Config
from quadrepro.core.learners.learner import Entry
from quadrepro.core.learners.registry import ALGORITHMS, find_entry
from quadrepro.core.measures.measure import MEASURES
from quadrepro.core.voters.registry import VOTER_SETS
from quadrepro.data.card import Card, View
from quadrepro.papers.claims import CLAIMS
from quadrepro.papers.paper import PaperFile, paper_names
from quadrepro.tables.kinds import kinds_for, model_of

DIALECT = "https://json-schema.org/draft/2020-12/schema"

_WHAT = ("algorithm", "pipeline")
"""Keys that say what a column is, in place of its name."""


def schema_of(what: str) -> JsonSchema:
    """Return the JSON schema, draft 2020-12, of a kind of document."""
    title, root, make = {
        "config": ("A config of quadrepro", "Config", _config),
        "card": ("A card of a data set", "Card", _card),
        "paper": ("A paper.yaml", "PaperFile", _paper),
    }[what]
    return {"$schema": DIALECT, "title": title, "$ref": _ref(root), "$defs": make()}


def schema_text(what: str) -> str:
    """Return a JSON schema as the text of its file."""
    return json.dumps(schema_of(what), indent=1, ensure_ascii=False) + "\n"


def _ref(name: str) -> str:
    return f"#/$defs/{name}"


def _config() -> JsonSchema:
    tables = model_of(kinds_for(plugins.names("tables")))
    models: dict[str, Any] = {"Config": Config, "View": View, "Tables": tables}
    models |= {"AlgorithmEntry": AlgorithmEntry, "Axis": Axis, "Distribution": Distribution}
    found = json_schemas(models)
    config = found["Config"]["properties"]
    config["tables"] = {"$ref": _ref("Tables"), "description": config["tables"]["description"]}
    # The user's own papers, data sets and measures of their algorithms have names of their own.
    config["paper"]["anyOf"] = [{"enum": ["", *paper_names()]}, {"pattern": r"/|^\."}]
    datasets = [{"enum": _shipped_cards()}, {"pattern": "^[a-z][a-z0-9_]*$"}]
    algorithms = [{"enum": algorithm_names()}, {"pattern": ":"}]
    for key, entry, names in (
        ("datasets", "DatasetEntry", datasets),
        ("algorithms", "AlgorithmEntry", algorithms),
    ):
        config[key]["items"]["anyOf"][0]["anyOf"] = names
        if key == "datasets":
            found[entry]["properties"]["name"]["anyOf"] = names
    for name in ("Protocol", "Protocol-changes", "AlgorithmEntry"):
        measures = [*MEASURES, *plugins.names("measures")]
        found[name]["properties"]["measures"]["items"]["enum"] = measures
    for name in ("Protocol", "Protocol-changes"):
        alone, mapping = found[name]["properties"]["voter_set"]["anyOf"]
        alone["enum"] = [*VOTER_SETS, *plugins.names("voters")]
        mapping |= {"propertyNames": {"enum": alone["enum"]}, "maxProperties": 1}
    column = found["AlgorithmEntry"]
    column["properties"]["algorithm"]["anyOf"] = algorithms
    column["if"] = {"not": {"anyOf": [{"required": [key]} for key in _WHAT]}}
    column["then"] = {"properties": {"name": {"anyOf": algorithms}}}
    column["allOf"] = [_of_algorithm(name) for name in algorithm_names()]
    return found


def algorithm_names() -> list[str]:
    """Return the algorithms of the registry, and those that installed packages add."""
    return [*ALGORITHMS, *plugins.names("algorithms")]


def _of_algorithm(name: str) -> JsonSchema:
    """Return which settings and hyper-parameters an entry of an algorithm may have."""
    entry = find_entry(name)
    assert isinstance(entry, Entry)
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


def _card() -> JsonSchema:
    return json_schemas({"Card": Card}, plain=True)


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


def _shipped_cards() -> Iterable[str]:
    return sorted(path.stem for path in cards_folder().glob("*.yaml"))
