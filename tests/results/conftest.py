from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

import pytest

from quadrepro.papers.paper import paper_names
from quadrepro.results import page
from tests.results.made import make_folder

audit_of = page.audit_of
audit_shipped = lru_cache(audit_of)


@pytest.fixture(autouse=True, scope="package")
def audits_once() -> Iterator[None]:
    """Audit each paper that ships once."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            page,
            "audit_of",
            lambda name, start: (
                audit_shipped(name, None) if name in paper_names() else audit_of(name, start)
            ),
        )
        yield


@pytest.fixture(autouse=True)
def in_own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run each test in a folder of its own."""
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return make_folder(tmp_path / "out" / "small")
