from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn import metrics as sk

from quadrepro.engine.metrics import METRICS
from tests.tables.kept import Kept

RNG = np.random.default_rng(0)


def classes(k: int, n: int = 60) -> tuple[Kept, NDArray[np.intp], NDArray[np.float64]]:
    """Return what is kept of n examples of k classes, the targets and the probabilities."""
    y = RNG.permutation(np.arange(n) % k)
    p = RNG.dirichlet(np.ones(k), n)
    scores = np.log(p[:, 1] / p[:, 0]) if k == 2 else np.log(p)
    return Kept(tuple("abcdef"[:k]), y, p.argmax(axis=1), scores, p), y, p


def test_of_two_classes_metrics_are_those_of_scikit_learn() -> None:
    kept, y, p = classes(2)
    predicted = p.argmax(axis=1)
    expected = {
        "error": 1 - sk.accuracy_score(y, predicted),
        "balanced_error": 1 - sk.recall_score(y, predicted, average="macro"),
        "auc": sk.roc_auc_score(y, p[:, 1]),
        "average_precision": sk.average_precision_score(y, p[:, 1]),
        "log_loss": sk.log_loss(y, p),
        "brier": sk.brier_score_loss(y, p[:, 1]),
        "f1": sk.f1_score(y, predicted),
        "mcc": np.corrcoef(y, predicted)[0, 1],
    }
    assert {name: METRICS[name].value(kept) for name in expected} == pytest.approx(expected)


def test_of_three_classes_metrics_are_means_over_the_classes() -> None:
    kept, y, p = classes(3)
    predicted, one_hot = p.argmax(axis=1), np.eye(3)[y]
    each = range(3)
    expected = {
        "error": np.mean(y != predicted),
        "balanced_error": np.mean([np.mean(predicted[y == c] != c) for c in each]),
        "auc": sk.roc_auc_score(y, p, multi_class="ovr"),
        "average_precision": np.mean(
            [sk.average_precision_score(y == c, p[:, c]) for c in each],
        ),
        "log_loss": -np.mean(np.log(p[np.arange(len(y)), y])),
        "brier": np.mean(((one_hot - p) ** 2).sum(axis=1)),
        "f1": np.mean([sk.f1_score(y == c, predicted == c) for c in each]),
        "mcc": sk.matthews_corrcoef(y, predicted),
    }
    assert {name: METRICS[name].value(kept) for name in expected} == pytest.approx(expected)


def test_of_numbers_metrics_are_their_closed_forms() -> None:
    y = RNG.normal(size=30)
    predicted = y + RNG.normal(size=30)
    kept = Kept((), y, predicted)
    residual = y - predicted
    expected = {
        "rmse": np.sqrt(np.mean(residual**2)),
        "mae": np.mean(np.abs(residual)),
        "r2": 1 - np.sum(residual**2) / np.sum((y - y.mean()) ** 2),
    }
    assert {name: METRICS[name].value(kept) for name in expected} == pytest.approx(expected)


@pytest.mark.parametrize("name", METRICS)
def test_the_direction_says_what_perfect_predictions_reach(name: str) -> None:
    metric = METRICS[name]
    if metric.tasks == ("regression",):
        y = np.array([1.0, 2.0, 4.0, 3.0])
        worse, best = (Kept((), y, predicted) for predicted in (y[::-1], y))
    else:
        codes = np.array([0, 1, 1, 0])
        p = np.eye(2)[codes] * 0.9 + 0.05
        best = Kept(("a", "b"), codes, codes, p[:, 1], p)
        worse = Kept(("a", "b"), codes, 1 - codes, 1 - p[:, 1], 1 - p)
    values = [metric.value(kept) for kept in (worse, best)]
    assert None not in values
    assert (values[1] > values[0]) == metric.greater_is_better  # type: ignore[operator]
    assert values[1] != values[0]
