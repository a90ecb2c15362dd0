"""Examples in docstrings run in a folder of their own, since some write results."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def examples_folder(
    request: pytest.FixtureRequest,
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Change to an empty folder before the examples of a docstring."""
    if isinstance(request.node, pytest.DoctestItem):
        monkeypatch.chdir(tmp_path_factory.mktemp("examples"))
