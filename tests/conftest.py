"""Small problems, a small experiment and a server that many tests share."""

from __future__ import annotations

import gc
import importlib
import itertools
import os
import signal
import sys
import types
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest
from hypothesis import settings

from quadrepro.core.training.imported import enter
from quadrepro.data.card import Card
from tests.data import tables
from tests.data.tables import Save, make_card
from tests.server import Server

# Every interpreter that a test starts would compile the package again.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
os.environ["COLUMNS"] = "100"
# A shell that starts the tests in the background makes them ignore Ctrl-C, which some tests send.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


# No example fails for being slow, and every run tries the same ones.
for name, examples in (("default", 25), ("thorough", 200)):
    settings.register_profile(name, deadline=None, derandomize=True, max_examples=examples)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))

CACHES = itertools.count()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with slow tests, from the last file to the first, so that the longest come first."""
    slow = [item for item in items if item.get_closest_marker("slow")]
    fast = [item for item in items if not item.get_closest_marker("slow")]
    items[:] = [*reversed(slow), *fast]


SMALL = """title: Small
seed: 7
protocol:
  view: quadboost
datasets:
  - monks
  - {name: titanic, as: people}
algorithms:
  - name: quadboost-l2
    grid:
      n_rounds: [10, 20]
      lam: {from: 10, to: 1, points: 2}
  - name: ada
    algorithm: adaboost
    grid: {n_rounds: 5}
baseline: false
"""


@pytest.fixture
def small_config(tmp_path: Path) -> Callable[..., Path]:
    """Return a function that writes the small config with one text replaced by another."""

    def write(old: str = "", new: str = "", name: str = "small") -> Path:
        assert old in SMALL
        path = tmp_path / f"{name}.yaml"
        path.write_text(SMALL.replace(old, new, 1) if old else SMALL)
        return path

    return write


@pytest.fixture(autouse=True)
def nothing_from_outside(
    monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[None]:
    """Let no test see data from outside, the network, or the modules of another test's config."""
    for name in ("QUADREPRO_DATA", "QUADREPRO_OUT"):
        monkeypatch.delenv(name, raising=False)
    # Few tests use their cache, so it is only named; `tmp_path` is a folder made for each test.
    folder = tmp_path_factory.getbasetemp() / "caches" / str(next(CACHES))
    monkeypatch.setenv("QUADREPRO_CACHE", str(folder))
    monkeypatch.setenv("QUADREPRO_OFFLINE", "1")
    yield
    enter("")


@pytest.fixture(scope="session")
def canonical_folder() -> Path:
    """Return the folder of canonical CSVs, named when the session began."""
    named = os.environ.get("QUADREPRO_DATA")
    if not named:
        pytest.skip("QUADREPRO_DATA names no folder of canonical CSVs")
    return Path(named).resolve()


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """Yield a server; clients try again without a pause."""
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    monkeypatch.setattr("pooch.core.time", types.SimpleNamespace(sleep=lambda seconds: None))
    # Connections that a client has left open belong to this test; older objects need no look.
    gc.freeze()
    with Server() as running:
        yield running
        gc.collect()
    gc.unfreeze()


@pytest.fixture
def openml_cache(server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Configure openml for the server and an empty cache; return the folder of its data sets."""
    # The package makes these folders when it is imported for the first time.
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "settings"))
    monkeypatch.setenv("OPENML_CACHE_DIR", str(tmp_path / "openml"))
    config = importlib.import_module("openml").config
    monkeypatch.setattr(config, "server", f"{server.url}/api/v1/xml")
    monkeypatch.setattr(config, "_root_cache_directory", tmp_path / "openml")
    monkeypatch.setattr(config, "connection_n_retries", 1)
    return Path(config.get_cache_directory(), "datasets")


@pytest.fixture
def toy_csv(tmp_path: Path) -> Path:
    path = tmp_path / "toy.csv"
    path.write_text("size,colour,target\n1,red,no\n-2.5,,no\n,blue,01\n3e1,red,01\n")
    return path


@pytest.fixture
def toy() -> Card:
    """Return the card of those rows."""
    return make_card()


@pytest.fixture
def known_toy(toy: Card, monkeypatch: pytest.MonkeyPatch) -> Card:
    """Make `load_card` of the tests' tables know the toy card."""
    load_card = tables.load_card
    monkeypatch.setattr(tables, "load_card", lambda name: toy if name == "toy" else load_card(name))
    return toy


@pytest.fixture
def save(tmp_path: Path) -> Save:
    """Return a function that writes a file."""

    def write(content: bytes | str, name: str = "my.csv") -> Path:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write


@pytest.fixture
def write_scores(save: Save) -> Save:
    """Return a function that writes a file of scores."""
    return partial(save, name="scores.csv")
