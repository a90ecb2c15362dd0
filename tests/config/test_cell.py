from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from quadrepro.config.cell import Cell
from quadrepro.config.loading import load_experiment
from quadrepro.config.plan import make_plan


@pytest.fixture
def cell(small_config: Callable[..., Path]) -> Cell:
    return make_plan(load_experiment(small_config())).cells[0]


def test_the_key_is_the_hash_of_the_content_in_the_order_of_its_names(cell: Cell) -> None:
    content = {"b": [1, 0.5], "a": {"name": "µ"}}
    text = '{"a": {"name": "µ"}, "b": [1, 0.5]}'
    assert replace(cell, content=content).key == hashlib.sha256(text.encode()).hexdigest()


def test_the_key_depends_on_nothing_but_the_content(cell: Cell) -> None:
    other = replace(cell, dataset="other", algorithm="other", repeat=9, grids=())
    assert other.key == cell.key
    assert replace(cell, content=cell.content | {"seed": -1}).key != cell.key


def test_candidates_of_all_grids_are_counted(cell: Cell) -> None:
    assert cell.n_candidates == 4  # 2 numbers of rounds, 2 values of λ
    assert replace(cell, grids=(*cell.grids, *cell.grids)).n_candidates == 8


def test_the_size_grows_with_rows_attributes_and_candidates(cell: Cell) -> None:
    n_train = len(cell.problem.split.train)
    assert cell.size == n_train * cell.problem.X.shape[1] * 4
