from __future__ import annotations

import hashlib
import pickle
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.preprocessing import MinMaxScaler

from quadrepro.core import problems
from quadrepro.core.cell import Cell, training_data
from quadrepro.core.preprocessing import encode
from quadrepro.core.problems import Problem
from quadrepro.core.training.estimator import EstimatorPredictor
from quadrepro.core.training.voting import TransformerVoters
from tests.make import cells_of


@pytest.fixture
def cell(small_config: Callable[..., Path]) -> Cell:
    return cells_of(small_config())[0]


def test_the_key_is_the_hash_of_the_content_in_the_order_of_its_names(cell: Cell) -> None:
    text = '{"a": {"name": "µ"}, "b": [1, 0.5]}'
    other = replace(cell, dataset="other", content={"b": [1, 0.5], "a": {"name": "µ"}})
    assert other.key == hashlib.sha256(text.encode()).hexdigest()
    assert replace(cell, dataset="other", algorithm="other", repeat=9, grids=()).key == cell.key


def test_a_ready_cell_has_the_key_and_the_problem_and_needs_no_source(cell: Cell) -> None:
    ready: Cell = pickle.loads(pickle.dumps(cell.ready()))
    assert (ready.key, ready.content) == (cell.key, cell.content)
    assert isinstance(ready.source, Problem)
    assert ready.problem is ready.source
    np.testing.assert_array_equal(ready.problem.split.train, cell.problem.split.train)
    np.testing.assert_array_equal(ready.problem.X, cell.problem.X)


def test_a_data_set_is_read_once_for_cells_in_a_row_and_forgotten_after_others(
    small_config: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    read = []
    monkeypatch.setattr(problems, "encode", lambda d, *of: read.append(d) or encode(d, *of))
    cells = cells_of(small_config(), 2)
    for cell in cells:
        assert cell.ready().problem.X is cells[cells.index(cell) // 4 * 4].problem.X
    assert len(read) == 2
    cells_of(small_config())[0].ready(), cells_of(small_config())[0].ready()
    cells[-1].ready()
    assert len(read) == 5


def test_cells_of_one_split_share_their_examples(small_config: Callable[..., Path]) -> None:
    first, second, *_, last = (
        pickle.loads(pickle.dumps(c.ready())) for c in cells_of(small_config())
    )
    assert (first.dataset, first.repeat) == (second.dataset, second.repeat)
    assert training_data(first) is training_data(second)
    raw = replace(first, protocol=first.protocol.model_copy(update={"normalise": "none"}))
    for other in (raw, replace(first, source=replace(first.problem)), last):
        assert training_data(other) is not training_data(second)
    asking: tuple[dict[str, Any], ...] = ({"categories": True}, {}, {"keeps_missing": True})
    asks = [replace(first, learner=EstimatorPredictor("SVC", **options)) for options in asking]
    for one, other in pairwise(asks):
        assert training_data(one) is not training_data(other)
    voting = first.protocol.model_copy(update={"inputs": "voters"})
    of_stumps, of_votes = (replace(of, protocol=voting) for of in (first, asks[1]))
    assert training_data(of_stumps) is not training_data(of_votes)


class Spoiling(MinMaxScaler):  # type: ignore[misc]
    """A transformer that changes what it is given in place."""

    def fit(self, X: Any, y: Any = None) -> Spoiling:
        super().fit(X)
        X[:] = 0.0
        return self


def test_a_transformer_that_changes_its_examples_changes_no_other_cell(cell: Cell) -> None:
    data = training_data(cell)
    before = data.train.X.copy()
    voters = TransformerVoters(lambda: Spoiling((-1, 1), clip=True))
    voters.outputs(data.train, data.test.X, data.rng)
    np.testing.assert_array_equal(data.train.X, before)


def test_the_size_is_that_of_the_training_part(cell: Cell) -> None:
    n_train = len(cell.problem.split.train)
    assert cell.size == n_train * cell.problem.X.shape[1]
