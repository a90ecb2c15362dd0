"""The command ``quadrepro``, also as ``python -m quadrepro``."""

from __future__ import annotations

import atexit
import gc
import os

from quadrepro.cli import main


def run() -> None:
    """Run the command that the arguments of this process name."""
    # A short command mostly imports modules, which stay: looking for garbage among them, now and
    # again at the end, takes a quarter of its time.
    gc.set_threshold(50_000)
    atexit.register(gc.freeze)
    # The processes that this one starts would look for modules in the current folder first.
    os.environ["PYTHONSAFEPATH"] = "1"
    main()


if __name__ == "__main__":
    run()
