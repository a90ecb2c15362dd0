"""Signals that are held back come through at a safe place, once."""

from __future__ import annotations

import signal
import threading
import time

import pytest

from quadrepro.engine.signals import blocked, held_back


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
