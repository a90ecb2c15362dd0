from __future__ import annotations

import signal
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from quadrepro.engine import process
from quadrepro.engine.process import at_most, available_memory, blocked, held_back

linux = pytest.mark.skipif(sys.platform != "linux", reason="only Linux keeps to the limit")


@linux
def test_memory_beyond_the_limit_is_refused_and_the_limit_is_lifted() -> None:
    with pytest.raises(MemoryError), at_most(10_000_000):
        np.ones(10_000_000)
    assert np.ones(10_000_000).sum() == 10_000_000


@linux
def test_memory_within_the_limit_is_given() -> None:
    with at_most(100_000_000):
        assert np.ones(1_000_000).sum() == 1_000_000


def test_without_a_limit_nothing_is_refused() -> None:
    with at_most(None):
        assert np.ones(10_000_000).size == 10_000_000


@linux
def test_what_is_available_is_what_the_control_group_leaves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process, "CONTROL_GROUP", tmp_path / "memory.max")
    machine = available_memory()
    assert machine > 10**8
    (tmp_path / "memory.max").write_text("max\n")
    assert available_memory() == machine
    (tmp_path / "memory.max").write_text("1000000\n")
    assert available_memory() == 1_000_000


def test_a_signal_is_raised_where_it_is_let_through_and_not_before() -> None:
    reached = []

    def block() -> None:
        with held_back() as let_through:
            let_through()
            signal.raise_signal(signal.SIGINT)
            signal.raise_signal(signal.SIGINT)
            reached.append("before")
            let_through()
            reached.append("after")

    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):
        block()
    assert reached == ["before"]
    assert signal.getsignal(signal.SIGINT) is before


def test_a_signal_that_was_not_let_through_is_raised_at_the_end() -> None:
    def block() -> None:
        with held_back():
            signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        block()


@pytest.mark.skipif(not hasattr(signal, "pthread_kill"), reason="no signals of threads")
def test_a_blocked_signal_waits_for_the_end_of_the_block() -> None:
    reached = []

    def block() -> None:
        with blocked():
            signal.pthread_kill(threading.get_ident(), signal.SIGINT)
            reached.append("the end")

    with pytest.raises(KeyboardInterrupt):
        block()
    assert reached == ["the end"]


def test_an_error_is_not_hidden_by_a_signal() -> None:
    def block() -> None:
        with held_back():
            signal.raise_signal(signal.SIGINT)
            raise ArithmeticError

    with pytest.raises(ArithmeticError):
        block()


def test_signals_without_a_handler_are_left_alone() -> None:
    ignored = signal.signal(signal.SIGTERM, signal.SIG_IGN)
    try:
        with held_back():
            assert signal.getsignal(signal.SIGTERM) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGTERM, ignored)


def test_another_thread_leaves_handlers_alone() -> None:
    found = []

    def block() -> None:
        with held_back() as let_through:
            let_through()
            found.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=block)
    thread.start()
    thread.join()
    assert found == [signal.getsignal(signal.SIGINT)]


def test_a_signal_wakes_nobody_up_too_early() -> None:
    def block() -> None:
        with held_back():
            threading.Timer(0.05, signal.raise_signal, [signal.SIGINT]).start()
            time.sleep(0.2)

    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        block()
    assert time.monotonic() - began >= 0.2
