"""Signals end a block once, wherever they come."""

from __future__ import annotations

import signal
import sys
import time

import pytest

from quadrepro.cli.compute import Interruption


class Freed:
    """Gets a signal while it is freed, where Python ignores what a handler raises."""

    def __del__(self) -> None:
        signal.raise_signal(signal.SIGINT)


def test_a_signal_whose_exception_python_ignores_is_sent_again(
    capsys: pytest.CaptureFixture[str],
) -> None:
    def free() -> None:
        with Interruption():
            freed = Freed()
            del freed
            for _ in range(100):  # `interrupt_main` does not end a sleep
                time.sleep(0.05)

    hook = sys.unraisablehook
    with pytest.raises(KeyboardInterrupt):
        free()
    assert "Traceback" not in capsys.readouterr().err
    assert sys.unraisablehook is hook


def test_other_ignored_exceptions_are_told_as_before(monkeypatch: pytest.MonkeyPatch) -> None:
    told = []
    monkeypatch.setattr(sys, "unraisablehook", told.append)

    class Broken:
        def __del__(self) -> None:
            raise ArithmeticError

    with Interruption():
        broken = Broken()
        del broken
    [lost] = told
    assert lost.exc_type is ArithmeticError


def test_a_second_signal_leaves_the_end_of_the_first_alone() -> None:
    def end() -> None:
        with Interruption() as interruption:
            try:
                signal.raise_signal(signal.SIGTERM)
            finally:
                signal.raise_signal(signal.SIGINT)
                ended.append(True)
                interruption.check()

    ended: list[bool] = []
    with pytest.raises(KeyboardInterrupt):
        end()
    assert ended == [True]
