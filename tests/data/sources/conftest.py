"""A server on the loopback interface, with openml-python and pooch made ready to talk to it."""

from __future__ import annotations

import types
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.data.sources.server import Server


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """Yield a server; clients try again without a pause."""
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    monkeypatch.setattr("pooch.core.time", types.SimpleNamespace(sleep=lambda seconds: None))
    monkeypatch.setattr("urllib3.Retry.get_backoff_time", lambda self: 0.0)
    with Server() as running:
        yield running


@pytest.fixture
def openml_cache(server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Point openml-python to the server and to an empty cache; return where data sets lie in it."""
    # The first import reads a configuration and makes folders.
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.setenv("OPENML_CACHE_DIR", str(tmp_path))
    import openml

    monkeypatch.setattr("openml._api_calls._human_delay", lambda n: 0.0)
    monkeypatch.setattr(openml.config, "server", f"{server.url}/api/v1/xml")
    monkeypatch.setattr(openml.config, "apikey", "")
    monkeypatch.setattr(openml.config, "_root_cache_directory", tmp_path / "openml")
    return Path(openml.config.get_cache_directory(), "datasets")
