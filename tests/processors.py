"""Runs of a script as on another processor."""

from __future__ import annotations

import os
import subprocess
import sys


def lines_of(code: str, **environment: str) -> list[str]:
    """Return the lines that a script prints in a process with some environment variables."""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | environment,
    )
    return done.stdout.splitlines()
