from __future__ import annotations

import os
import runpy
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path

import pytest

import quadrepro
from quadrepro.__main__ import run


def test_public_names_are_listed_and_imported_when_they_are_used() -> None:
    assert dir(quadrepro) == sorted(quadrepro.__all__)
    for name in quadrepro.__all__:
        assert getattr(quadrepro, name) is not None
        if name.endswith(("Classifier", "Regressor")):
            assert f">>> from quadrepro import {name}" in (getattr(quadrepro, name).__doc__ or "")
    with pytest.raises(AttributeError, match="module 'quadrepro' has no attribute 'rnak'"):
        _ = quadrepro.rnak


@pytest.mark.slow
def test_type_checkers_know_the_public_names(tmp_path: Path) -> None:
    names = ", ".join(sorted({*quadrepro.__all__} - {"stats"}))
    (tmp_path / "user.py").write_text(f"from quadrepro import stats, {names}\n")
    command = [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", "user.py"]
    found = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert found.stdout.startswith("Success"), found.stdout + found.stderr


def test_the_command_and_the_module_are_the_same(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (script,) = entry_points(group="console_scripts", name="quadrepro")
    assert script.load() is run
    monkeypatch.setattr("sys.argv", ["quadrepro", "--version"])
    monkeypatch.setattr("gc.set_threshold", lambda most: None)
    monkeypatch.setenv("PYTHONSAFEPATH", "")
    monkeypatch.delitem(sys.modules, "quadrepro.__main__")
    with pytest.raises(SystemExit, match="0"):
        runpy.run_module("quadrepro", run_name="__main__")
    assert capsys.readouterr().out.endswith(f", version {quadrepro.__version__}\n")
    assert os.environ["PYTHONSAFEPATH"] == "1"
