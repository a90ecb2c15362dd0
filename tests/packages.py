"""Packages with entry points of quadrepro, installed for one test."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from quadrepro.base import plugins

Install = Callable[..., Path]

ALGORITHM = """
from quadrepro.core.learners.greedy.adaboost import AdaBoost
from quadrepro.core.learners.learner import Entry
from .helper import LABEL
ENTRY = Entry(AdaBoost, LABEL, "a paper", grid={"n_rounds": [3]})
"""


def installing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Install]:
    """Yield a function that installs a package with entry points of one kind."""
    folder = tmp_path / "site"
    monkeypatch.syspath_prepend(str(folder))

    def forget() -> None:
        for cached in (plugins._by_name, plugins.distribution_of):
            cached.cache_clear()

    def make(name: str, kind: str, points: str, code: str = ALGORITHM) -> Path:
        package = folder / name
        package.mkdir(parents=True)
        (package / "__init__.py").write_text("")
        (package / "code.py").write_text(code)
        (package / "helper.py").write_text("LABEL = 'Mine'\n")
        about = folder / f"{name}-1.2.dist-info"
        about.mkdir()
        (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.2\n")
        (about / "entry_points.txt").write_text(f"[quadrepro.{kind}]\n{points}\n")
        forget()
        return package

    forget()
    yield make
    forget()
    for name in [name for name in sys.modules if name.partition(".")[0] in ("ours", "theirs")]:
        del sys.modules[name]
