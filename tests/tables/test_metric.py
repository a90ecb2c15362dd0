from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from quadrepro.engine.metrics import METRICS
from tests.tables.kept import Kept

CODES = np.array([0, 1, 1, 0, 1])
P = np.array([[0.9, 0.1], [0.3, 0.7], [0.6, 0.4], [0.5, 0.5], [0.2, 0.8]])
KEPT = Kept(("no", "yes"), CODES, P.argmax(axis=1), None, P)


def test_without_what_it_needs_a_metric_has_no_value() -> None:
    bare = replace(KEPT, probabilities=None)
    assert [name for name in METRICS if not METRICS[name].serves(bare)] == [
        "auc",
        "average_precision",
        "log_loss",
        "brier",
    ]
    assert METRICS["auc"].value(bare) is None
    assert METRICS["error"].value(bare) == pytest.approx(0.2)


def test_probabilities_serve_as_scores_and_scores_come_first() -> None:
    auc = METRICS["auc"]
    assert auc.value(KEPT) == auc.value(replace(KEPT, scores=P[:, 1], probabilities=None))
    assert auc.value(replace(KEPT, scores=-P[:, 1])) == pytest.approx(1 - (auc.value(KEPT) or 0))


def test_scores_do_not_serve_as_probabilities() -> None:
    assert METRICS["log_loss"].value(replace(KEPT, scores=P[:, 1], probabilities=None)) is None


@pytest.mark.parametrize("name", ["auc", "average_precision"])
def test_where_a_class_has_no_example_a_metric_of_ranks_is_undefined(name: str) -> None:
    alone = replace(KEPT, actual=np.zeros(5, dtype=int))
    assert METRICS[name].serves(alone)
    assert METRICS[name].value(alone) is None
    three = Kept(tuple("abc"), CODES, CODES, None, np.eye(3)[CODES])
    assert METRICS[name].value(three) is None


def test_probabilities_kept_in_single_precision_are_taken_as_they_are_meant() -> None:
    p = np.random.default_rng(1).dirichlet(np.ones(3), 200)
    y = np.arange(200) % 3
    kept = Kept(tuple("abc"), y, y, None, p.astype(np.float32).astype(np.float64))
    expected = -np.mean(np.log(p[np.arange(200), y]))
    assert METRICS["log_loss"].value(kept) == pytest.approx(expected, rel=1e-6)


def test_a_class_that_was_never_seen_in_training_comes_last_in_its_ranks() -> None:
    scores = np.array([[2.0, 1.0, -np.inf], [1.0, 2.0, -np.inf], [0.0, 1.0, -np.inf]])
    kept = Kept(tuple("abc"), np.array([0, 1, 2]), np.array([0, 1, 1]), scores)
    assert METRICS["auc"].value(kept) == pytest.approx((1 + 1 + 0.5) / 3)


@pytest.mark.parametrize("wrong", [np.nan, np.inf])
def test_predictions_that_overflowed_have_no_value(wrong: float) -> None:
    kept = Kept((), np.array([1.0, 2.0]), np.array([1.0, wrong]))
    assert METRICS["rmse"].value(kept) is None


def test_probabilities_that_add_up_to_nothing_have_no_value() -> None:
    assert METRICS["log_loss"].value(replace(KEPT, probabilities=np.zeros((5, 2)))) is None
