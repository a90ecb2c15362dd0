"""The registry of kinds, and the kinds that a config asks for."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from quadrepro.config.config import Experiment
from quadrepro.config.tables import KINDS, UNASKED, asked_for
from quadrepro.errors import ConfigError
from tests.tables.contexts import loaded

CONFIG = """title: One
protocol: {view: quadboost}
datasets: [monks]
algorithms: [{name: adaboost, grid: {n_rounds: 5}}]
"""

Load = Callable[[str], Experiment]


@pytest.fixture
def load(tmp_path: Path) -> Load:
    """Return a function that loads a config with some lines below ``tables``."""

    def load(*lines: str) -> Experiment:
        below = "".join(f"  {line}\n" for line in lines)
        return loaded(tmp_path, f"{CONFIG}tables:\n{below}" if lines else CONFIG)

    return load


def fault_of(load: Load, *lines: str) -> str:
    with pytest.raises(ConfigError) as caught:
        load(*lines)
    return re.sub(r"(?m)^.*/config.yaml:", "", str(caught.value))


def test_unasked_kinds_exist() -> None:
    assert {*UNASKED} <= {*KINDS}


def test_what_is_asked_for_has_its_option_and_the_order_of_the_kinds(load: Load) -> None:
    options = asked_for(load("scatter: adaboost", "errors: table1", "times: true").config.tables)
    assert [*options] == [key for key in KINDS if key in options]
    assert options == {
        **dict.fromkeys(UNASKED, ""),
        "errors": "table1",
        "times": True,
        "scatter": "adaboost",
    }


def test_an_empty_option_asks_for_nothing(load: Load) -> None:
    nothing = ("times: false", "scatter: ''", "errors: ''")
    assert {*asked_for(load(*nothing).config.tables)} == {*UNASKED}


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("scater: adaboost", "6:3: unknown key 'scater'; did you mean 'scatter'?"),
        ("verdicts: table1", "6:3: unknown key 'verdicts'; known are claims, "),
        ("errors: 3", "6:3: errors must be a valid string, not 3"),
        ("curves: 3", "6:3: curves must be a mapping of keys to values, not 3"),
        ("curves: {panels: []}", "6:12: panels must have a length of at least 1"),
        ("curves: {panels: [{measures: [a], scal: log}]}", "6:37: unknown key 'scal'; did you"),
        ("margins: {panels: [[a]]}", "6:22: item 1 of panels must be a mapping of keys"),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_place(load: Load, line: str, message: str) -> None:
    assert fault_of(load, line).startswith(message)


def test_what_a_config_asks_for_is_kept_as_it_is_written(load: Load) -> None:
    config = load("margins: {panels: [{row: monks}]}", "ranking: true", "errors: ''").config
    written = {"margins": {"panels": [{"row": "monks"}]}, "ranking": True, "errors": ""}
    assert config.model_dump(mode="json")["tables"] == written
    assert asked_for(config.tables).keys() == {"margins", "ranking", *UNASKED}
