from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LinearRegression
from sklearn.metrics import get_scorer

from quadrepro.engine.metrics import METRICS, metric_of_scorer, scorer_names
from tests.tables.kept import Kept

X, Y = load_iris(return_X_y=True)
TRAIN, TEST = np.arange(150) % 3 > 0, np.arange(150) % 3 == 0
# Sepals alone, so that predictions are not perfect.
X = X[:, :2]


@pytest.mark.parametrize("name", scorer_names())
def test_a_scorer_gives_what_it_gives_for_the_estimator(name: str) -> None:
    metric = metric_of_scorer(name)
    assert metric.tasks
    for task in metric.tasks:
        if task == "regression":
            target = X[:, 0] + Y
            model = LinearRegression().fit(X[TRAIN], target[TRAIN])
            rows, y = TEST, target
            kept = Kept((), y[rows], model.predict(X[rows]))
        else:
            classes = 2 if task == "classification" else 3
            y = np.asarray(Y > 0, dtype=int) if classes == 2 else Y
            model = LinearDiscriminantAnalysis().fit(X[TRAIN], y[TRAIN])
            rows = TEST
            kept = Kept(
                tuple("abc"[:classes]),
                y[rows],
                model.predict(X[rows]),
                model.decision_function(X[rows]),
                model.predict_proba(X[rows]),
            )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            expected = get_scorer(name)(model, X[rows], y[rows])
        defined = pytest.approx(expected, rel=1e-9) if np.isfinite(expected) else None
        assert metric.value(kept) == defined


def test_scorers_of_clusters_and_of_several_labels_are_left_out() -> None:
    assert not {"adjusted_rand_score", "v_measure_score", "f1_samples"} & {*scorer_names()}
    assert {"accuracy", "roc_auc_ovr", "neg_mean_absolute_error"} <= {*scorer_names()}


def test_a_scorer_of_one_task_or_two_says_so() -> None:
    names = ("roc_auc", "accuracy", "neg_max_error")
    tasks = {name: METRICS.find(name).tasks for name in names}
    assert tasks == {
        "roc_auc": ("classification",),
        "accuracy": ("classification", "multiclass"),
        "neg_max_error": ("regression",),
    }


def test_a_test_part_may_lack_a_class_where_probabilities_are_scored() -> None:
    p = np.eye(3)[[0, 2, 2]] * 0.7 + 0.1
    kept = Kept(tuple("abc"), np.array([0, 2, 0]), p.argmax(axis=1), None, p)
    assert METRICS.find("neg_log_loss").value(kept) == pytest.approx(np.log([0.8, 0.8, 0.1]).mean())
