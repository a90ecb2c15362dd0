"""Version, changes, citation and the documentation site agree with the package."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def read(name: str) -> Any:
    return YAML(typ="safe").load((ROOT / name).read_text(encoding="utf-8"))


def test_changes_and_citation_are_of_the_version_of_the_package() -> None:
    latest = re.findall(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.M)[0]
    assert latest == read("CITATION.cff")["version"] == PROJECT["version"]


def test_addresses_are_the_same_everywhere() -> None:
    site, citation, urls = read("mkdocs.yml"), read("CITATION.cff"), PROJECT["urls"]
    assert site["repo_url"] == citation["repository-code"] == urls["Source"]
    assert site["site_url"] == urls["Documentation"]


def test_every_page_stands_once_in_the_sites_navigation() -> None:
    def leaves(node: Any) -> Iterator[str]:
        if isinstance(node, str):
            yield node
        else:
            for child in node.values() if isinstance(node, dict) else node:
                yield from leaves(child)

    site = read("mkdocs.yml")
    pages = {path.relative_to(ROOT / "docs").as_posix() for path in ROOT.glob("docs/**/*.md")}
    taken = {"index.md", "CHANGELOG.md", "results/README.md"}
    named = [*leaves(site["nav"])]
    assert sorted(named) == sorted((pages - {*site["exclude_docs"].split()}) | taken)
