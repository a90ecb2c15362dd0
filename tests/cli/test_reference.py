from __future__ import annotations

import re
from pathlib import Path

from quadrepro.cli.reference import config_reference
from quadrepro.config.config import Config
from quadrepro.core.learners.registry import ALGORITHMS
from quadrepro.core.protocol import HoldoutStumps

PAGE = Path(__file__).resolve().parents[2] / "docs" / "config-reference.md"


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
