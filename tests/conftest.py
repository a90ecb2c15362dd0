"""Small problems, a small experiment and a server that many tests share."""

from __future__ import annotations

import os
import signal
import types
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import settings

from quadrepro._typing import FloatArray
from tests.packages import Install, installing
from tests.server import Server

# A shell that starts the tests in the background makes them ignore Ctrl-C, which some tests send.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
# So it is with nohup and the end of a terminal.
if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
    signal.signal(signal.SIGHUP, signal.SIG_DFL)

Problem = tuple[FloatArray, FloatArray]

# No example fails for being slow. In CI property tests try the same examples every time.
settings.register_profile("local", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True, print_blob=True)
settings.load_profile("ci" if os.environ.get("CI") else "local")

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


@pytest.fixture(autouse=True)
def _width(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")


@pytest.fixture
def make_problem() -> Callable[..., Problem]:
    """Return a function that draws a voter matrix and noisy labels."""

    def make(m: int = 60, n: int = 12, *, seed: int = 0, real: bool = False) -> Problem:
        rng = np.random.default_rng(seed)
        H = rng.uniform(-1, 1, (m, n)) if real else rng.choice([-1.0, 1.0], (m, n))
        score = H[:, : max(1, n // 2)].sum(axis=1) + rng.normal(0, 1.5, m)
        return H, np.where(score > 0, 1.0, -1.0)

    return make


@pytest.fixture
def problem(make_problem: Callable[..., Problem]) -> Problem:
    return make_problem()


@pytest.fixture
def small_config(tmp_path: Path) -> Callable[..., Path]:
    """Return a function that writes the small config with one text replaced by another."""

    def write(old: str = "", new: str = "", name: str = "small") -> Path:
        assert old in SMALL
        path = tmp_path / f"{name}.yaml"
        path.write_text(SMALL.replace(old, new, 1) if old else SMALL)
        return path

    return write


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Install]:
    """Return a function that installs a package with entry points of quadrepro for one test."""
    yield from installing(tmp_path, monkeypatch)


@pytest.fixture(autouse=True)
def no_data_from_outside(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Let no test see data but the embedded sets and what it names itself, nor the network."""
    monkeypatch.delenv("QUADREPRO_DATA", raising=False)
    monkeypatch.setenv("QUADREPRO_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("QUADREPRO_OFFLINE", "1")


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
