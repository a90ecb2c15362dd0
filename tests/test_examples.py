"""Every example in a docstring gives what it says."""

from __future__ import annotations

import doctest
import importlib
from pathlib import Path

import pytest

import quadrepro

ROOT = Path(quadrepro.__file__).parent
MODULES = [
    ".".join(path.relative_to(ROOT.parent).with_suffix("").parts)
    for path in sorted(ROOT.rglob("*.py"))
    if ">>> " in path.read_text(encoding="utf-8")
]


@pytest.mark.parametrize("name", MODULES)
def test_every_example_gives_what_it_says(
    name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)  # some write results
    found = doctest.testmod(importlib.import_module(name))
    assert found.attempted
    assert not found.failed


def test_the_statistics_have_examples() -> None:
    assert "quadrepro.stats.paired" in MODULES


@pytest.mark.parametrize(
    "name", [name for name in quadrepro.__all__ if name.endswith(("Classifier", "Regressor"))]
)
def test_every_estimator_shows_an_example(name: str) -> None:
    assert f">>> from quadrepro import {name}" in (getattr(quadrepro, name).__doc__ or "")
