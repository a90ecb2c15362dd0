from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from quadrepro.base.yaml import read_yaml
from quadrepro.config.reference import config_reference, schema_of
from tests.conftest import SMALL

ROOT = Path(__file__).resolve().parents[2]
FILES = [
    *(("config", path) for path in sorted(ROOT.glob("configs/*.yaml"))),
    ("config", ROOT / "examples" / "my-paper" / "my-paper.yaml"),
    *(("card", path) for path in sorted(ROOT.glob("datasets/*.yaml"))),
    *(("paper", path) for path in sorted(ROOT.glob("quadrepro/papers/*/paper.yaml"))),
]


@cache
def validator(kind: str) -> Draft202012Validator:
    schema = schema_of(kind)
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


def test_the_schemas_take_every_file_that_ships_as_an_editor_reads_it() -> None:
    for kind, path in FILES:
        found = [error.message for error in validator(kind).iter_errors(read_yaml(path).data)]
        assert found == [], path


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("seed: 7", "sede: 7"),
        ("seed: 7", "seed: seven"),
        ("view: quadboost", "view: quadboost\n  normalize: tanh"),
        ("view: quadboost", "view: quadboost\n  holdout: {by: tset}"),
        ("  - monks", "  - {name: monks, protocol: {holdout: {stumps: {redrew: true}}}}"),
        ("grid: {n_rounds: 5}", "grids: {n_rounds: 5}"),
        ("algorithms:", "tables: {mean: table1}\nalgorithms:"),
        ("algorithms:", "tables: {readings: {mean: table1}}\nalgorithms:"),
    ],
)
def test_the_schema_of_configs_refuses_typos(tmp_path: Path, old: str, new: str) -> None:
    path = tmp_path / "small.yaml"
    for text, valid in ((SMALL, True), (SMALL.replace(old, new), False)):
        path.write_text(text)
        assert validator("config").is_valid(read_yaml(path).data) is valid


def test_the_schema_of_configs_takes_short_and_partial_forms() -> None:
    config = {
        "title": "Short",
        "protocol": {"view": "default"},
        "datasets": ["mine", {"name": "m1", "protocol": {"sample": {"train": 9}}, "view": "q"}],
        "algorithms": [
            "adaboost",
            {"name": "x", "algorithm": "sklearn:SVC", "grid": {"gamma": ["scale", 1], "C": 2}},
            {"name": "y", "pipeline": ["PCA", {"SVC": {"C": 2}}], "draw": {"svc__C": [1, 2]}},
        ],
        "tables": {"ranking": True},
        "memory": "4GB",
    }
    assert [error.message for error in validator("config").iter_errors(config)] == []


def test_the_page_is_up_to_date_and_its_links_lead_somewhere() -> None:
    page = (ROOT / "docs" / "config-reference.md").read_text(encoding="utf-8")
    assert page == config_reference(), "run make reference"
    sections = {*re.findall(r"^## (.*)$", page, re.MULTILINE)} - {"Top level"}
    links = {*re.findall(r"\[(\w+)\]\(#(\w+)\)", page)}
    assert links == {(name, name.lower()) for name in sections}
