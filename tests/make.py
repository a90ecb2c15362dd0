"""One builder for each thing that tests make: configs, cells, records and refusals."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result

from quadrepro.base.types import BoolArray
from quadrepro.base.yaml import to_yaml
from quadrepro.cli import main
from quadrepro.config.loading import load_experiment, load_mapping
from quadrepro.config.plan import Plan, make_plan
from quadrepro.core.cell import Cell
from quadrepro.core.training.contract import Learner
from quadrepro.engine.records import makers
from quadrepro.errors import ConfigError, QuadreproError

CONTROLS = frozenset("\x00\x07\x08\r\x1b\x7f\x85\x9b\u202e\u2066")
"""Characters that a terminal obeys."""

CLASSES = ("negative", "positive")

Write = Callable[..., Path]
"""A function that writes a file and returns its path."""


def config(**changes: Any) -> dict[str, Any]:
    """Return a config of AdaBoost on monks with some of its keys replaced."""
    adaboost = {"name": "adaboost", "grid": {"n_rounds": 5}}
    plain = {"title": "Small", "seed": 7, "baseline": False, "protocol": {"view": "quadboost"}}
    return {**plain, "datasets": ["monks"], "algorithms": [adaboost], **changes}


def write_config(folder: Path, **changes: Any) -> Path:
    """Write `config` to a folder, next to the code that it may name."""
    path = folder / "small.yaml"
    path.write_text(to_yaml(config(**changes)), encoding="utf-8")
    return path


def plan_of(repeats: int | None = None, **changes: Any) -> Plan:
    """Return the plan of `config`."""
    return make_plan(load_mapping(config(**changes), repeats))


def cells(repeats: int | None = None, **changes: Any) -> tuple[Cell, ...]:
    """Return the cells of `config`, with their rows."""
    return tuple(cell.ready() for cell in plan_of(repeats, **changes).cells)


def cells_of(path: Path, repeats: int | None = None) -> tuple[Cell, ...]:
    """Return the cells of a config that was written."""
    return make_plan(load_experiment(path, repeats)).cells


def with_learner(cell: Cell, learner: Learner) -> Cell:
    """Return a cell with another learner, and a key of its own."""
    changed = {
        **makers(learner, cell.protocol, cell.voters),
        "algorithm": type(learner).__name__,
    }
    changed["settings"] = learner.content
    return replace(cell, learner=learner, content=cell.content | changed)


def of_wrong(wrong: BoolArray | Sequence[float]) -> dict[str, Any]:
    """Return the fields of a record on negative examples, some predicted as positive."""
    codes = np.asarray(wrong, dtype=np.intp)
    return {"classes": CLASSES, "actual": np.zeros_like(codes), "predicted": codes}


def write_paper(folder: Path, text: str, **tables: str) -> Path:
    """Write a paper with some printed tables, and return its folder."""
    (folder / "printed").mkdir(parents=True, exist_ok=True)
    (folder / "paper.yaml").write_text(text)
    for name, content in tables.items():
        (folder / "printed" / f"{name}.csv").write_text(content)
    return folder


def edit(path: Path, old: str, new: str, count: int = 1) -> None:
    """Replace a text of a file."""
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, count))


def refusal(
    path: Path,
    read: Callable[[Path], object] = load_experiment,
    error: type[QuadreproError] = ConfigError,
) -> str:
    """Return the message of the error of a file, without the file's name in front."""
    with pytest.raises(error) as caught:
        read(path)
    return str(caught.value).removeprefix(str(path)).removeprefix(":")


def fault_of(make: Callable[..., object] = plan_of, **changes: Any) -> tuple[str, str]:
    """Return the place, such as ``datasets.0.view``, and the message of a refused `config`."""
    with pytest.raises(ConfigError) as caught:
        make(**changes)
    place, _, message = str(caught.value).removeprefix("config").partition(": ")
    return ".".join(re.findall(r"\w+", place)), message


def assert_refused(
    path: Path, place: str, telling: str, read: Callable[[Path], object] = load_experiment
) -> None:
    """Check that a file is refused at line and column, with a message that has this part."""
    message = refusal(path, read)
    assert message.startswith(f"{place}: ")
    assert telling in message


def quadrepro(*words: object, **env: str) -> Result:
    """Call the command line in this process."""
    return CliRunner(env=env).invoke(main, [str(word) for word in words])


def lines_of(code: str, **environment: str) -> list[str]:
    """Return the lines that a script prints in a process, as on another processor."""
    line = [sys.executable, "-W", "ignore", "-c", code]
    env = os.environ | environment
    done = subprocess.run(line, capture_output=True, text=True, check=True, env=env)
    return done.stdout.splitlines()
