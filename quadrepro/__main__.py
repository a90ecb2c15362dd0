"""The command ``quadrepro``, also as ``python -m quadrepro``."""

from __future__ import annotations

import gc
import os

from quadrepro.cli import main


def run() -> None:
    """Run the command that the arguments of this process name."""
    # Imports and plans make many objects that stay; looking for garbage among them takes long.
    gc.set_threshold(50_000)
    # Workers would import a user's files in the current folder in place of standard modules.
    os.environ["PYTHONSAFEPATH"] = "1"
    main()


if __name__ == "__main__":
    run()
