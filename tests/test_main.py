from __future__ import annotations

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
    with pytest.raises(AttributeError, match="module 'quadrepro' has no attribute 'rnak'"):
        _ = quadrepro.rnak


def test_the_command_and_the_module_are_the_same() -> None:
    (script,) = entry_points(group="console_scripts", name="quadrepro")
    assert script.load() is run
    done = subprocess.run(
        [sys.executable, "-m", "quadrepro", "--version"],
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).parents[1],
    )
    assert done.stdout == f"python -m quadrepro, version {quadrepro.__version__}\n"
