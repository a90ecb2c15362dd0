from __future__ import annotations

import hashlib
import pickle
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from quadrepro.config.loading import load_experiment
from quadrepro.config.plan import make_plan
from quadrepro.core import problems
from quadrepro.core.cell import Cell, Shared, make_ready
from quadrepro.core.preprocessing import encode
from quadrepro.core.problems import Problem


@pytest.fixture
def cell(small_config: Callable[..., Path]) -> Cell:
    return make_plan(load_experiment(small_config())).cells[0]


def test_the_key_is_the_hash_of_the_content_in_the_order_of_its_names(cell: Cell) -> None:
    content = {"b": [1, 0.5], "a": {"name": "µ"}}
    text = '{"a": {"name": "µ"}, "b": [1, 0.5]}'
    for shared, own in ((content, {}), ({}, content), ({"b": [1, 0.5]}, {"a": {"name": "µ"}})):
        ready = replace(cell.ready(), shared=Shared(shared), own=own)
        assert ready.content == content
        assert ready.key == hashlib.sha256(text.encode()).hexdigest()


def test_the_key_depends_on_nothing_but_the_content(cell: Cell) -> None:
    other = replace(cell, dataset="other", algorithm="other", repeat=9, grids=())
    assert other.key == cell.key
    assert replace(cell, own={"seed": -1}).key != cell.key


def test_a_ready_cell_has_the_key_and_the_problem_and_needs_no_source(cell: Cell) -> None:
    ready: Cell = pickle.loads(pickle.dumps(cell.ready()))
    assert (ready.key, ready.content) == (cell.key, cell.content)
    assert isinstance(ready.source, Problem)
    assert ready.problem is ready.source
    assert ready.problem.split.hash == cell.problem.split.hash
    np.testing.assert_array_equal(ready.problem.X, cell.problem.X)


def test_examples_are_let_go_after_the_last_cell_that_has_them(
    small_config: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    read = []
    monkeypatch.setattr(problems, "encode", lambda d, *of: read.append(d) or encode(d, *of))
    cells = make_plan(load_experiment(small_config(), 2)).cells
    for cell in make_ready(iter(cells), cells):
        assert isinstance(cell.source, Problem)
        held = {c.dataset for c in cells if c.source.examples._encoded is not None}  # type: ignore
        assert held == {cell.dataset}
    assert not any(c.source.examples._encoded for c in cells)  # type: ignore[union-attr]
    assert len(read) == 2


def test_candidates_of_all_grids_are_counted(cell: Cell) -> None:
    assert cell.n_candidates == 4  # 2 numbers of rounds, 2 values of λ
    assert replace(cell, grids=(*cell.grids, *cell.grids)).n_candidates == 8


def test_the_size_is_that_of_the_training_part(cell: Cell) -> None:
    n_train = len(cell.problem.split.train)
    assert cell.size == n_train * cell.problem.X.shape[1]
