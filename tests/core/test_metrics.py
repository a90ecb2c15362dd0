"""Metrics of the predictions that a record keeps, compared with scikit-learn's."""

from __future__ import annotations

import re
import warnings

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn import metrics as sk
from sklearn.datasets import load_iris
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LinearRegression
from sklearn.metrics import get_scorer

from quadrepro.core.metrics import (
    METRICS,
    fault_of_metric,
    find_metric,
    metric_of_scorer,
    scorer_names,
)
from quadrepro.core.training.contract import Judged


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("acu", "unknown metric 'acu'; did you mean 'auc'?"),
        ("roc_auc_pairwise", "unknown metric 'roc_auc_pairwise'; did you mean 'roc_auc_ovr'?"),
        ("rand_score", "rand_score judges clusters, or several labels per example"),
    ],
)
def test_what_is_no_metric_is_refused_with_the_nearest_name(name: str, message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        find_metric(name)


def test_a_metric_fits_if_it_can_judge_one_of_the_tasks() -> None:
    assert fault_of_metric("auc", ["regression", "multiclass"]) == ""
    assert fault_of_metric("rmse", ["regression"]) == ""
    fault = fault_of_metric("rmse", ["classification", "multiclass"])
    assert "of numbers, and here two classes or more classes are predicted" in fault
    assert "of two classes, and here more classes" in fault_of_metric("roc_auc", ["multiclass"])


CODES = np.array([0, 1, 1, 0, 1])
P = np.array([[0.9, 0.1], [0.3, 0.7], [0.6, 0.4], [0.5, 0.5], [0.2, 0.8]])
KEPT = Judged(2, CODES, P.argmax(axis=1), None, P)


def test_a_metric_needs_what_it_is_computed_from_and_probabilities_serve_as_scores() -> None:
    bare, scored = KEPT._replace(probabilities=None), KEPT._replace(scores=P[:, 1])
    needy = ("auc", "average_precision", "log_loss", "brier")
    assert all(METRICS[name].value(bare) is None for name in needy)
    auc, log_loss = METRICS["auc"], METRICS["log_loss"]
    assert METRICS["error"].value(bare) == pytest.approx(0.2)
    assert auc.value(KEPT) == auc.value(scored._replace(probabilities=None))
    assert auc.value(KEPT._replace(scores=-P[:, 1])) == pytest.approx(1 - (auc.value(KEPT) or 0))
    assert auc.value(bare) is log_loss.value(scored._replace(probabilities=None)) is None


OVER_CLASSES = {
    "balanced_error": lambda y, p, c: 1 - sk.recall_score(y == c, p.argmax(axis=1) == c),
    "auc": lambda y, p, c: sk.roc_auc_score(y == c, p[:, c]),
    "average_precision": lambda y, p, c: sk.average_precision_score(y == c, p[:, c]),
    "f1": lambda y, p, c: sk.f1_score(y == c, p.argmax(axis=1) == c),
}


def test_a_metric_over_classes_is_the_mean_over_those_with_examples() -> None:
    kept, y, p = classes(5)
    rows = np.isin(y, (1, 2, 4))
    p[rows, 3] += 0.3  # predicted, but not tested
    some = kept._replace(actual=y[rows], predicted=p[rows].argmax(axis=1), probabilities=p[rows])
    assert 3 in np.asarray(some.predicted)
    for name, of_class in OVER_CLASSES.items():
        expected = np.mean([of_class(y[rows], p[rows], c) for c in (1, 2, 4)])
        assert METRICS[name].value(some) == pytest.approx(expected), name


def test_a_metric_is_undefined_for_examples_of_one_class_and_predictions_that_overflowed() -> None:
    alone = np.ones(5, dtype=int)
    for name in OVER_CLASSES:
        assert METRICS[name].value(KEPT._replace(actual=alone)) is None
        assert METRICS[name].value(Judged(3, alone, alone, None, np.eye(3)[alone])) is None
    for wrong in (np.nan, np.inf):
        kept = Judged(0, np.array([1.0, 2.0]), np.array([1.0, wrong]))
        assert METRICS["rmse"].value(kept) is None
    assert METRICS["log_loss"].value(KEPT._replace(probabilities=np.zeros((5, 2)))) is None


def test_probabilities_kept_in_single_precision_are_taken_as_they_are_meant() -> None:
    kept, y, p = classes(3, 200)
    single = kept._replace(probabilities=p.astype(np.float32).astype(np.float64))
    expected = -np.mean(np.log(p[np.arange(200), y]))
    assert METRICS["log_loss"].value(single) == pytest.approx(expected, rel=1e-6)


def test_of_several_classes_ranks_are_by_probabilities_and_an_unseen_class_is_last() -> None:
    scores = np.array([[2.0, 1.0, -np.inf], [1.0, 2.0, -np.inf], [0.0, 1.0, -np.inf]])
    kept = Judged(3, np.array([0, 1, 2]), np.array([0, 1, 1]), scores)
    assert METRICS["auc"].value(kept) == pytest.approx((1 + 1 + 0.5) / 3)
    kept, _, p = classes(3, 200)
    shifted = kept._replace(scores=np.log(p) + np.arange(200)[:, None])
    assert METRICS["auc"].value(shifted) == METRICS["auc"].value(kept._replace(scores=None))
    votes = shifted._replace(probabilities=None)
    assert METRICS["auc"].value(votes) != METRICS["auc"].value(kept)


def classes(k: int, n: int = 60) -> tuple[Judged, NDArray[np.intp], NDArray[np.float64]]:
    """Return what is kept of n examples of k classes, the targets and the probabilities."""
    rng = np.random.default_rng(k)
    y = rng.permutation(np.arange(n) % k)
    p = rng.dirichlet(np.ones(k), n)
    scores = np.log(p[:, 1] / p[:, 0]) if k == 2 else np.log(p)
    return Judged(k, y, p.argmax(axis=1), scores, p), y, p


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
    expected = {
        "error": np.mean(y != p.argmax(axis=1)),
        "log_loss": -np.mean(np.log(p[np.arange(len(y)), y])),
        "brier": np.mean(((np.eye(3)[y] - p) ** 2).sum(axis=1)),
        "mcc": sk.matthews_corrcoef(y, p.argmax(axis=1)),
        **{name: np.mean([f(y, p, c) for c in range(3)]) for name, f in OVER_CLASSES.items()},
    }
    assert {name: METRICS[name].value(kept) for name in expected} == pytest.approx(expected)


def test_of_numbers_metrics_are_their_closed_forms_in_the_unit_of_the_target() -> None:
    rng = np.random.default_rng(0)
    y = rng.normal(size=30)
    predicted = y + rng.normal(size=30)
    residual, spread = y - predicted, y - y.mean()
    for unit in (1, 10):
        kept = Judged(0, unit * y, unit * predicted)
        expected = {
            "rmse": unit * np.sqrt(np.mean(residual**2)),
            "mae": unit * np.mean(np.abs(residual)),
            "r2": 1 - np.sum(residual**2) / np.sum(spread**2),
        }
        assert {name: METRICS[name].value(kept) for name in expected} == pytest.approx(expected)


def test_the_direction_says_what_perfect_predictions_reach() -> None:
    y, codes = np.array([1.0, 2.0, 4.0, 3.0]), np.array([0, 1, 1, 0])
    p = np.eye(2)[codes] * 0.9 + 0.05
    best = Judged(2, codes, codes, p[:, 1], p)
    worse = Judged(2, codes, 1 - codes, 1 - p[:, 1], 1 - p)
    for metric in METRICS.values():
        sides = (worse, best)
        if metric.tasks == ("regression",):
            sides = Judged(0, y, y[::-1]), Judged(0, y, y)
        low, high = sorted(sides, key=metric.value)  # type: ignore[arg-type]
        assert (high is sides[1]) == metric.greater_is_better, metric.name
        assert metric.value(low) != metric.value(high)


def test_ratios_compare_the_metrics_of_numbers_that_are_zero_for_perfect_predictions() -> None:
    y = np.array([1.0, 2.0, 4.0, 3.0])
    perfect = Judged(0, y, y)
    for name in (*METRICS, *scorer_names()):
        metric = find_metric(name)
        error = metric.tasks == ("regression",) and metric.value(perfect) == 0
        assert metric.in_target_unit == error, name
    names = ("rmse", "mae", "neg_mean_squared_error", "r2", "explained_variance", "brier")
    in_unit = [find_metric(name).in_target_unit for name in names]
    assert in_unit == [True, True, True, False, False, False]


def test_a_scorer_gives_what_it_gives_for_the_estimator() -> None:
    X, Y = load_iris(return_X_y=True)
    train, rows = np.arange(150) % 3 > 0, np.arange(150) % 3 == 0
    X = X[:, :2]  # sepals alone, so that predictions are not perfect
    kept, fitted = {}, {}
    for task, k in (("regression", 0), ("classification", 2), ("multiclass", 3)):
        y = {0: X[:, 0] + Y, 2: (Y > 0).astype(int), 3: Y}[k]
        model = (LinearDiscriminantAnalysis() if k else LinearRegression()).fit(X[train], y[train])
        outputs = [model.predict(X[rows])]
        outputs += [model.decision_function(X[rows]), model.predict_proba(X[rows])] if k else []
        kept[task], fitted[task] = Judged(k, y[rows], *outputs), model
    for metric in map(metric_of_scorer, scorer_names()):
        assert metric.tasks
        for task in metric.tasks:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                expected = get_scorer(metric.name)(fitted[task], X[rows], kept[task].actual)
            defined = pytest.approx(expected, rel=1e-9) if np.isfinite(expected) else None
            assert metric.value(kept[task]) == defined, metric.name


def test_a_scorer_judges_the_tasks_whose_targets_it_takes() -> None:
    scorer = find_metric("f1_macro")
    assert (scorer.label, scorer.greater_is_better) == ("f1_macro", True)
    assert (find_metric("f1_macro"), find_metric("f1")) == (scorer, METRICS["f1"])
    assert not {"adjusted_rand_score", "v_measure_score", "f1_samples"} & {*scorer_names()}
    names = ("roc_auc", "accuracy", "neg_max_error")
    tasks = [("classification",), ("classification", "multiclass"), ("regression",)]
    assert [find_metric(name).tasks for name in names] == tasks
    p = np.eye(3)[[0, 2, 2]] * 0.7 + 0.1
    lacking = Judged(3, np.array([0, 2, 0]), p.argmax(axis=1), None, p)
    expected = pytest.approx(np.log([0.8, 0.8, 0.1]).mean())
    assert find_metric("neg_log_loss").value(lacking) == expected
