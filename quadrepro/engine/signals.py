"""Signals held back while an exception out of nowhere could leave locks behind."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

ENDING = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
)
"""Signals that end a run."""


@contextmanager
def blocked() -> Iterator[None]:
    """Let signals that end a run wait, also in the threads and processes that are started."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ENDING)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def held_back() -> Iterator[Callable[[], None]]:
    """Hold back the signals that end a run, and yield a function that lets through what came.

    A handler that raises does so between any two instructions. A thread that was just about to
    take a lock may then keep it, and all others wait for good.
    """
    if threading.current_thread() is not threading.main_thread():
        yield lambda: None
        return
    came: list[tuple[int, FrameType | None]] = []
    # What is ignored, or ends the process without Python, stays as it is.
    before = {one: handler for one in ENDING if callable(handler := signal.getsignal(one))}

    def let_through() -> None:
        if came:
            first, frame = came[0]
            came.clear()
            before[signal.Signals(first)](first, frame)

    for one in before:
        signal.signal(one, lambda signum, frame: came.append((signum, frame)))
    try:
        yield let_through
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)
    let_through()
