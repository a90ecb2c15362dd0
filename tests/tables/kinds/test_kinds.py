"""The registry of kinds, and what a config asks for."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from quadrepro.config.config import Experiment, load_experiment
from quadrepro.errors import ConfigError
from quadrepro.tables.kinds import KINDS, requested
from quadrepro.tables.kinds.curves import Curves
from quadrepro.tables.kinds.risks import RISKS

CONFIG = """title: One
protocol: {view: quadboost}
datasets: [monks]
algorithms: [{name: adaboost, grid: {n_rounds: 5}}]
"""
UNASKED = ["risks", "comparisons"]

Load = Callable[[str], Experiment]


@pytest.fixture
def load(tmp_path: Path) -> Load:
    """Return a function that loads a config with some lines below ``tables``."""

    def load(*lines: str) -> Experiment:
        path = tmp_path / "one.yaml"
        below = "".join(f"  {line}\n" for line in lines)
        path.write_text(f"{CONFIG}tables:\n{below}" if lines else CONFIG)
        return load_experiment(path)

    return load


def fault_of(experiment: Experiment) -> str:
    with pytest.raises(ConfigError) as caught:
        requested(experiment)
    return str(caught.value).replace(f"{experiment.source.path}:", "")


def test_no_two_kinds_write_the_same_files() -> None:
    tables = [kind.name for kind in KINDS if kind.table]
    figures = [kind.name for kind in KINDS if kind.draw]
    assert len({*tables}) == len(tables)
    assert len({*figures}) == len(figures)
    assert all(kind.table or kind.draw for kind in KINDS)


def test_kinds_that_share_a_key_read_it_alike_and_no_former_key_is_in_use() -> None:
    types: dict[str, Any] = {}
    for kind in KINDS:
        assert types.setdefault(kind.key, kind.option) is kind.option
    assert not types.keys() & {former for kind in KINDS for former in kind.former}


def test_every_kind_that_draws_has_a_caption() -> None:
    assert [k.name for k in KINDS if (k.draw is None) != (k.caption is None)] == []


def test_risks_and_comparisons_are_there_without_being_asked_for(load: Load) -> None:
    requests = requested(load())
    assert [r.kind.name for r in requests] == UNASKED
    assert [r.context.option for r in requests] == ["", ""]


def test_what_is_asked_for_has_its_option_and_the_order_of_the_kinds(load: Load) -> None:
    experiment = load(
        "margin_figure: [monks]",
        "risks: table1",
        "curves: {panels: [{measures: [test_error]}]}",
        "means: table2",
        "times: true",
    )
    requests = requested(experiment)
    assert [r.kind.key for r in requests] == [
        "means",
        "margin_figure",
        "times",
        "curves",
        "risks",
        "comparisons",
    ]
    options = {r.kind.key: r.context.option for r in requests}
    assert [panel.row for panel in options["margin_figure"]] == ["monks"]
    assert isinstance(options["curves"], Curves)
    assert options["risks"] == "table1"
    assert options["times"] is True
    assert {r.context.key for r in requests if r.kind is RISKS} == {"risks"}


def test_an_empty_option_asks_for_nothing(load: Load) -> None:
    nothing = ("times: false", "margin_figure: []", "means: ''", "scatter: ''", "risks: ''")
    assert [r.kind.name for r in requested(load(*nothing))] == UNASKED


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("percent: table1", "6:3: percent is now called means"),
        ("scater: adaboost", "6:3: unknown key 'scater'; did you mean 'scatter'?"),
        ("verdicts: table1", "6:3: unknown key 'verdicts'; known are audit, claims, "),
        ("risks: 3", "6:3: risks must be text, not 3"),
        ("times: 5", "6:3: times must be true or false or a mapping of keys to values, not 5"),
        ("printed_splits: 50", "6:3: printed_splits is a fact of the printed table: say it in the"),
        ("curves: 3", "6:3: curves must be a mapping of keys to values, not 3"),
        ("curves: {}", "6:3: the key 'panels' is missing"),
        ("curves: {panels: []}", "6:12: panels must list at least one"),
        (
            "curves: {panels: [{measures: [a], scal: log}]}",
            "6:37: unknown key 'scal'; did you mean 'scale'?",
        ),
        ("differences: [a]", "6:3: item 2 of differences is missing"),
        ("margin_figure: [[a]]", "6:19: item 1 of margin_figure must be a mapping of keys"),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_place(load: Load, line: str, message: str) -> None:
    assert fault_of(load(line)).startswith(message)


def test_every_fault_below_tables_is_named_at_once(load: Load) -> None:
    assert fault_of(load("risks: 3", "times: 5")).count("\n") == 1


def test_tables_that_are_no_mapping_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "one.yaml"
    path.write_text(f"{CONFIG}tables: 3\n")
    with pytest.raises(ConfigError, match="5:1: tables must be a mapping of keys to values, not 3"):
        load_experiment(path)
