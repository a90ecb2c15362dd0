from __future__ import annotations

import os
import runpy
import sys
from importlib.metadata import entry_points

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
