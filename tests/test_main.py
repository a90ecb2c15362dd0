from __future__ import annotations

import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path

import quadrepro
from quadrepro.__main__ import run


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
