"""The vocabulary, and docs/claims.md that lists it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from quadrepro.papers.claims import CLAIMS
from quadrepro.papers.claims.claim import Claim
from quadrepro.papers.paper import Facts, GroupEntry, PaperFile, load_paper, paper_names

DOCS = Path(__file__).resolve().parents[3] / "docs"
TEXT = (DOCS / "claims.md").read_text(encoding="utf-8")
PAGES = TEXT + (DOCS / "papers.md").read_text(encoding="utf-8")
ROWS = [line.split("|")[1:-1] for line in TEXT.splitlines() if line.startswith("| `")]


def keys(model: type[Claim]) -> set[str]:
    """Return the keys of a kind that not every kind has, as YAML calls them."""
    own = set(model.model_fields) - set(Claim.model_fields)
    return {model.model_fields[name].alias or name for name in own}


@pytest.mark.parametrize("kind", CLAIMS)
def test_every_kind_is_documented_with_its_keys(kind: str) -> None:
    [row] = [row for row in ROWS if f"`{kind}`" in row[0] and len(row) == 3]
    words = set(re.findall(r"`([a-z_]+)`", row[1]))
    assert words == keys(CLAIMS[kind])


def test_only_kinds_that_there_are_are_documented() -> None:
    start = TEXT.index("## Kinds of claims")
    tables = TEXT[start : TEXT.index("## What is written")]
    named = [name for row in re.findall(r"^\| (`.*?) \|", tables, re.M) for name in row.split(", ")]
    assert sorted(name.strip("`") for name in named) == sorted(CLAIMS)


@pytest.mark.parametrize("model", [PaperFile, GroupEntry, Facts])
def test_every_key_of_paper_yaml_is_documented(model: type[PaperFile]) -> None:
    for key in model.model_fields:
        assert f"`{key}`" in PAGES, key


def test_the_papers_that_ship_have_73_claims() -> None:
    claims = [
        claim
        for name in paper_names()
        for group in load_paper(name).groups.values()
        for claim in group.claims
    ]
    assert len(claims) == 73
    assert sum(claim.kind == "function" for claim in claims) == 15
