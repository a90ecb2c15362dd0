"""The command line, called in this process."""

from __future__ import annotations

from click.testing import CliRunner, Result

from quadrepro.cli import main


def quadrepro(*words: object, **env: str) -> Result:
    return CliRunner(env=env).invoke(main, [str(word) for word in words])
