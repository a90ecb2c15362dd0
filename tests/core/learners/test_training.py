from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from quadrepro.base.types import IntArray, Task
from quadrepro.core.learners.grid import Grid
from quadrepro.core.learners.learner import (
    Fitted,
    Outputs,
    Part,
    Path,
    Trainer,
    TrainingData,
    Validation,
    trained_on,
)
from quadrepro.core.learners.voting import FixedStumps


@dataclass(frozen=True, eq=False)
class OnlyPath(Trainer):
    """A trainer whose candidates are known by their path."""

    @property
    def task(self) -> Task:
        return "regression"

    def validate(self, fold: IntArray | None) -> Validation:
        raise NotImplementedError

    def for_labels(self, data: TrainingData) -> Trainer:
        raise NotImplementedError

    def path(self) -> Path:
        scores = np.arange(len(self.candidates))[:, None] * np.ones(3)
        return Path(Fitted(self.candidates[-1], Outputs(scores[-1])), lambda: (scores, scores))


def test_a_score_above_zero_is_of_the_second_class() -> None:
    scores, probabilities = np.array([-1.0, 0.0, 1e-16]), np.full((3, 2), 0.5)
    fitted = Fitted({}, Outputs.by_score(scores, probabilities))
    assert fitted.predicted.tolist() == [0, 0, 1]
    assert fitted.scores is scores
    assert fitted.probabilities is probabilities


def test_a_fold_is_predicted_from_the_others_or_from_earlier_windows_of_time() -> None:
    assert trained_on(np.array([0, 1, 2, 0]), 1).tolist() == [True, False, True, True]
    assert trained_on(np.array([-1, 0, 1, 2]), 1).tolist() == [True, True, False, False]


def test_candidates_run_through_the_grids_in_order() -> None:
    grids = [Grid.of({"a": [1, 2], "b": [3]}), Grid.of({"a": [0], "b": [5, 6]})]
    assert OnlyPath(grids).candidates == [
        {"a": 1, "b": 3},
        {"a": 2, "b": 3},
        {"a": 0, "b": 5},
        {"a": 0, "b": 6},
    ]


def test_the_last_candidate_is_that_of_the_path() -> None:
    last = OnlyPath([Grid.of({"a": [1, 2]}), Grid.of({"a": [4]})]).last()
    assert last.candidate == {"a": 4}
    assert last.predicted.tolist() == [2.0] * 3


def test_one_class_becomes_positive_and_all_others_negative() -> None:
    part = Part(np.zeros((4, 1)), np.array([0.0, 2.0, 1.0, 2.0]))
    data = TrainingData(
        part, part, part, FixedStumps(1), lambda name: np.random.default_rng(), "multiclass", 3
    )
    found = data.against_rest(2)
    assert found.valid is not None
    for of in (found.train, found.test, found.valid):
        assert of.y.tolist() == [-1.0, 1.0, -1.0, 1.0]
        assert of.X is part.X
    assert (found.task, found.n_classes) == ("classification", 2)
    assert replace(data, valid=None).against_rest(0).valid is None
