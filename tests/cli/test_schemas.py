from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from ruamel.yaml import YAML

from quadrepro.base.yaml import read_yaml
from quadrepro.cli.schemas import config_reference, schema_of
from quadrepro.config.config import Config
from quadrepro.core.learners.registry import ALGORITHMS
from quadrepro.core.protocol import HoldoutStumps
from quadrepro.papers.paper import paper_names
from tests.conftest import SMALL

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "config-reference.md"
KINDS = ("config", "card", "paper")
FILES = [
    *(("config", path) for path in sorted(ROOT.glob("configs/*.yaml"))),
    ("config", ROOT / "examples" / "my-paper" / "my-paper.yaml"),
    *(("card", path) for path in sorted(ROOT.glob("datasets/*.yaml"))),
    *(("paper", ROOT / "quadrepro" / "papers" / name / "paper.yaml") for name in paper_names()),
    ("paper", ROOT / "examples" / "my-paper" / "mypaper" / "paper.yaml"),
]


@cache
def validator(kind: str) -> Draft202012Validator:
    schema = schema_of(kind)
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


@pytest.mark.parametrize(("kind", "path"), FILES, ids=lambda value: getattr(value, "stem", value))
def test_a_schema_takes_every_file_that_ships(kind: str, path: Path) -> None:
    # As an editor reads it: cards, too, with typed scalars.
    data = read_yaml(path).data
    assert [error.message for error in validator(kind).iter_errors(data)] == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("seed: 7", "sede: 7"),
        ("seed: 7", "seed: seven"),
        ("seed: 7", "seed: -1"),
        ("seed: 7", "paper: quadbost"),
        ("view: quadboost", "view: quadboost\n  normalize: tanh"),
        ("view: quadboost", "view: quadboost\n  split: {trian: half}"),
        ("view: quadboost", "view: quadboost\n  holdout: {by: tset}"),
        ("view: quadboost", "view: quadboost\n  folds: 0\n  measures: [train_eror]"),
        ("  - monks", "  - {nmae: monks}"),
        ("  - monks", "  - {name: monks, view: {positiv: [1]}}"),
        ("  - monks", "  - monks(noise=0.1)"),
        ("  - monks", "  - {name: monks, protocol: {holdout: {stumps: {redrew: true}}}}"),
        ("name: quadboost-l2", "name: quadbost-l2"),
        ("algorithm: adaboost", "algorithm: adabost"),
        ("lam:", "lamda:"),
        ("points: 2", "pionts: 2"),
        ("grid: {n_rounds: 5}", "settings: {rewieght: true}"),
        ("grid: {n_rounds: 5}", "draw: {n_round: {integers: [1, 9]}}"),
        ("grid: {n_rounds: 5}", "grid: {n_rounds: 5}\n    nominal: onehot"),
        ("view: quadboost", "view: quadboost\n  split: {outter: 5x2}"),
        ("algorithms:", "tables: {mean: table1}\nalgorithms:"),
        ("algorithms:", "tables: {ranking: {ropes: 1}}\nalgorithms:"),
        ("algorithms:", "tables: {ranking: false}\nalgorithms:"),
        ("algorithms:", "tables: {curves: {panels: [{measure: [x]}]}}\nalgorithms:"),
    ],
)
def test_a_schema_refuses_typos(old: str, new: str) -> None:
    yaml = YAML(typ="safe", pure=True)
    assert validator("config").is_valid(yaml.load(SMALL))
    assert old in SMALL
    assert not validator("config").is_valid(yaml.load(SMALL.replace(old, new)))


@pytest.mark.parametrize(
    "new",
    [
        "- adaboost",
        "- sklearn:SVC",
        "- {name: x, algorithm: 'sklearn:SVC', settings: {C: 2}, grid: {gamma: [scale, 1]}}",
        "- {name: x, algorithm: quadboost-l2, settings: {reweight: true}}",
        "- {name: x, pipeline: [StandardScaler, {PCA: {n_components: 2}}, 'm:Own']}",
    ],
)
def test_a_schema_takes_short_and_free_forms(new: str) -> None:
    config = YAML(typ="safe", pure=True).load(
        SMALL.replace("algorithms:\n", f"algorithms:\n  {new}\n")
    )
    config |= {"paper": "./mine", "tables": {"ranking": True, "times": True}, "memory": "4GB"}
    config["datasets"] += ["of_my_own", {"name": "mnist", "view": {"positive": [4]}}]
    assert [error.message for error in validator("config").iter_errors(config)] == []


@pytest.mark.parametrize(
    ("kind", "change"),
    [
        ("card", {"row": 3}),
        ("card", {"sources": [{"kind": "opnml", "id": 3}]}),
        ("paper", {"claims": {"t": {"claims": [{"kind": "rnk", "text": "x"}]}}}),
        ("paper", {"claims": {"t": {"claims": [{"kind": "rank", "text": "x", "off": "a"}]}}}),
    ],
)
def test_schemas_of_cards_and_papers_refuse_typos(kind: str, change: dict[str, Any]) -> None:
    path = next(path for of, path in FILES if of == kind)
    data = read_yaml(path).data
    assert validator(kind).is_valid(data)
    assert not validator(kind).is_valid(data | change)


def keys(schema: Any, place: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the known keys of all mappings in a schema."""
    if isinstance(schema, dict):
        if schema.get("additionalProperties") is False:
            yield from ((f"{place}/{key}", field) for key, field in schema["properties"].items())
        for key, value in schema.items():
            yield from keys(value, f"{place}/{key}")
    elif isinstance(schema, list):
        for i, value in enumerate(schema):
            yield from keys(value, f"{place}/{i}")


@pytest.mark.parametrize("kind", KINDS)
def test_every_key_has_a_description(kind: str) -> None:
    found = dict(keys(schema_of(kind)))
    assert len(found) > 50
    assert [place for place, field in found.items() if not field.get("description")] == []


def test_the_committed_page_is_up_to_date() -> None:
    assert PAGE.read_text(encoding="utf-8") == config_reference(), "run make reference"


def test_the_page_names_every_key_and_every_algorithm() -> None:
    sections = dict(re.findall(r"^## (.*)\n\n((?:.|\n)*?)(?=^## |\Z)", config_reference(), re.M))
    named = re.findall(r"^- `(\w+)` \(.+?\): \S", sections["Top level"], re.M)
    assert named == [info.alias or name for name, info in Config.model_fields.items()]
    deepest = sections["`protocol.holdout.stumps`"]
    assert re.findall(r"^- `(\w+)`", deepest, re.M) == [*HoldoutStumps.model_fields]
    assert re.findall(r"^### `(.*)`", sections["Algorithms"], re.M) == [*ALGORITHMS]
    rounds = "- `grid.n_rounds` (number of rounds T): 10, 32, 100, 316, 1000\n"
    assert rounds in sections["Algorithms"]


def test_links_inside_the_page_lead_to_a_heading() -> None:
    text = config_reference()
    headings = re.findall(r"^## `?(.*?)`?$", text, re.M)
    anchors = {re.sub(r"[^a-z0-9_ -]", "", heading.lower()) for heading in headings}
    assert {*re.findall(r"\(#(.*?)\)", text)} <= anchors
