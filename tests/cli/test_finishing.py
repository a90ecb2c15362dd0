from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import Any, cast

import pytest

from quadrepro.cli.compute import Finishing, Written
from quadrepro.config.plan import Plan
from quadrepro.core.cell import Cell


@dataclass(frozen=True)
class Stub:
    """What is known of a cell or of an experiment here."""

    key: str = ""
    name: str = ""


@dataclass(frozen=True)
class StubPlan:
    experiment: Stub
    cells: tuple[Stub, ...]


def plan(name: str, *keys: str) -> Plan:
    return cast(Plan, StubPlan(Stub(name=name), tuple(map(Stub, keys))))


def cell(key: str) -> Cell:
    return cast(Cell, Stub(key))


def written(plan: Plan) -> Written:
    return cast(Any, (plan.experiment.name, threading.current_thread().name))


def test_results_are_written_elsewhere_once_the_last_missing_cell_is_done() -> None:
    one, two, three = plan("one", "a", "b"), plan("two", "b", "c"), plan("three", "d")
    with Finishing([one, two, three], {"a", "b", "c"}, written) as finishing:
        name, thread = cast(Any, finishing.result(three))
        assert (name, thread != threading.current_thread().name) == ("three", True)
        finishing.done(cell("b"))
        with pytest.raises(KeyError):
            finishing.result(one)
        finishing.done(cell("a"))
        assert cast(Any, finishing.result(one))[0] == "one"
        with pytest.raises(KeyError):
            finishing.result(two)
        finishing.done(cell("c"))
        assert cast(Any, finishing.result(two))[0] == "two"


def test_what_goes_wrong_is_raised_where_the_result_is_asked_for() -> None:
    def fail(plan: Plan) -> Written:
        raise OSError(plan.experiment.name)

    one, two = plan("one"), plan("two")
    with Finishing([one, two], (), fail) as finishing:
        for each in (two, one):
            with pytest.raises(OSError, match=each.experiment.name):
                finishing.result(each)


def test_nothing_more_is_written_after_an_interruption() -> None:
    began, end, done = threading.Event(), threading.Event(), []

    def slow(plan: Plan) -> Written:
        began.set()
        end.wait(10)
        done.append(plan.experiment.name)
        return written(plan)

    def interrupted() -> None:
        with Finishing([plan("one"), plan("two")], (), slow):
            began.wait(10)
            threading.Timer(0.05, end.set).start()
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert done == ["one"]


def test_cells_wait_for_the_writing_if_it_is_not_beside_them() -> None:
    done: list[str] = []

    def slow(plan: Plan) -> Written:
        threading.Event().wait(0.05)
        done.append(plan.experiment.name)
        return written(plan)

    with Finishing([plan("one", "a")], {"a"}, slow, beside=False) as finishing:
        finishing.done(cell("a"))
        assert done == ["one"]
