from __future__ import annotations

import pickle
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from quadrepro.core.learners.contestants.building import build
from quadrepro.core.learners.contestants.paths import enter
from quadrepro.core.learners.contestants.predictor import EstimatorPredictor
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from quadrepro.base.types import FloatArray, Task
from quadrepro.core.learners.grid import Grid
from quadrepro.core.learners.learner import Part, TrainingData
from quadrepro.core.learners.voting import FixedStumps

Examples = tuple[FloatArray, FloatArray, FloatArray]

pytestmark = pytest.mark.usefixtures("one_thread")


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def test_predicts_what_the_estimator_itself_predicts(examples: Examples) -> None:
    X, y, X_new = examples
    grid = Grid.of({"C": [0.1, 10.0], "kernel": ["rbf", "linear"]})
    found = EstimatorPredictor("SVC", {"gamma": 0.5}).predictions(X, y, [grid], X_new, rng())
    for row, candidate in zip(found, grid.candidates, strict=True):
        np.testing.assert_array_equal(row, SVC(gamma=0.5, **candidate).fit(X, y).predict(X_new))


def forest(examples: Examples, seed: int, **settings: Any) -> FloatArray:
    X, y, X_new = examples
    predictor = EstimatorPredictor("RandomForestClassifier", {"n_estimators": 3, **settings})
    return predictor.predictions(X, y, [Grid.of({"max_depth": [8]})], X_new, rng(seed))[0]


def test_chance_comes_from_the_generator_alone(examples: Examples) -> None:
    np.testing.assert_array_equal(forest(examples, 1), forest(examples, 1))
    assert len({forest(examples, seed).tobytes() for seed in range(5)}) > 1


def test_a_random_state_that_is_given_is_kept(examples: Examples) -> None:
    X, y, X_new = examples
    expected = RandomForestClassifier(3, max_depth=8, random_state=11).fit(X, y).predict(X_new)
    for seed in range(3):
        np.testing.assert_array_equal(forest(examples, seed, random_state=11), expected)


@pytest.mark.parametrize(("name", "task"), [("SVC", "classification"), ("Ridge", "regression")])
def test_an_estimator_does_the_task_of_its_kind_and_no_other(name: str, task: str) -> None:
    predictor = EstimatorPredictor(name)
    for other in ("classification", "regression"):
        assert predictor.for_task(other) is (predictor if other == task else None)


@pytest.mark.parametrize(
    ("path", "settings", "kind"),
    [
        ("sklearn:Pipeline", {"steps": ["PCA", "SVC"]}, "classification"),
        ("sklearn:Pipeline", {"steps": ["PCA", "SVR"]}, "regression"),
        ("xgboost:XGBRegressor", {}, "regression"),
        ("lightgbm:LGBMClassifier", {}, "classification"),
    ],
)
def test_the_task_is_what_scikit_learn_says_of_it(
    path: str, settings: dict[str, Any], kind: str
) -> None:
    assert EstimatorPredictor(path, settings).task == kind


def test_every_value_of_an_axis_is_put_to_the_estimator() -> None:
    known = {h.name: h for h in EstimatorPredictor("SVC").hyperparameters}
    assert known["C"].fault([1, 2.5]) is None
    assert known["kernel"].fault(["rbf", "poly"]) is None
    assert "'kernel' parameter of SVC must be" in str(known["kernel"].fault(["rbf", "pol"]))


def test_what_results_depend_on_is_part_of_the_key_and_the_folder_is_not() -> None:
    predictor = EstimatorPredictor("SVC", {"C": 2.0}, folder="/somewhere")
    assert predictor.content == {
        **{"name": "SVC", "settings": {"C": 2.0}},
        **{"categories": False, "keeps_missing": False},
    }
    assert predictor.packages == ("scipy", "scikit-learn")
    mixed = EstimatorPredictor("Pipeline", {"steps": ["PCA", "xgboost:XGBClassifier"]})
    assert mixed.packages == ("scipy", "scikit-learn", "xgboost")
    assert mixed.modules == ("quadrepro.core.learners.contestants.predictor",)


def test_a_pipeline_predicts_what_scikit_learns_predicts(examples: Examples) -> None:
    X, y, X_new = examples
    grid = Grid.of({"logisticregression__C": [0.01, 10.0]})
    predictor = EstimatorPredictor("Pipeline", {"steps": ["StandardScaler", "LogisticRegression"]})
    found = predictor.predictions(X, y, [grid], X_new, rng())
    for row, C in zip(found, (0.01, 10.0), strict=True):
        theirs = make_pipeline(StandardScaler(), LogisticRegression(C=C)).fit(X, y).predict(X_new)
        np.testing.assert_array_equal(row, theirs)


def test_every_step_of_a_pipeline_draws_from_the_generator(examples: Examples) -> None:
    X, y, X_new = examples
    forest = {"RandomForestClassifier": {"n_estimators": 2}}
    steps = [{"CalibratedClassifierCV": {"estimator": forest, "cv": 2}}]
    predictor = EstimatorPredictor("Pipeline", {"steps": steps})
    first, again = (predictor.predictions(X, y, [Grid.of({})], X_new, rng(1)) for _ in range(2))
    np.testing.assert_array_equal(first, again)


def data_of(X: FloatArray, y: FloatArray, **changes: Any) -> TrainingData:
    part = Part(X, y)
    return TrainingData(part, part, None, FixedStumps(3), lambda name: rng(3), **changes)


BOOSTERS = [
    ("xgboost:XGB", {"n_estimators": 4, "n_jobs": 1}),
    ("lightgbm:LGBM", {"n_estimators": 4, "n_jobs": 1, "verbose": -1}),
    (
        "catboost:CatBoost",
        {
            **{"iterations": 4, "thread_count": 1},
            **{"logging_level": "Silent", "allow_writing_files": False},
        },
    ),
]


@pytest.mark.parametrize(("path", "settings"), BOOSTERS)
@pytest.mark.parametrize("task", ["classification", "multiclass", "regression"])
def test_a_booster_says_what_it_says_by_itself(
    path: str, settings: dict[str, Any], task: Task, examples: Examples
) -> None:
    pytest.importorskip(path.partition(":")[0])
    X, y, X_new = examples
    path += "Regressor" if task == "regression" else "Classifier"
    if task == "multiclass":
        y = np.digitize(X[:, 0], [-0.5, 0.5]).astype(np.float64)
    elif task == "regression":
        y = X[:, 0] + y
    given = {key: value for key, value in settings.items() if "n" in key[:2] or key == "iterations"}
    n_classes = {"classification": 2, "multiclass": 3, "regression": 0}[task]
    data = data_of(X, y, task=task, n_classes=n_classes)
    ours = EstimatorPredictor(path, given).outputs(data, {"max_depth": 2}, X_new)
    state = int(rng(3).integers(2**31))
    theirs = build(path, {**settings, "max_depth": 2, "random_state": state})
    theirs.fit(X, y if task != "classification" else (y > 0).astype(int))
    np.testing.assert_array_equal(ours.predicted, np.ravel(theirs.predict(X_new)))
    if task != "regression":
        np.testing.assert_array_equal(ours.probabilities, theirs.predict_proba(X_new))
    found = EstimatorPredictor(path, given).predictions(
        X, y, [Grid.of({"max_depth": [1, 2]})], X_new, data.rng("")
    )
    back = np.array([-1.0, 1.0])[ours.predicted] if task == "classification" else ours.predicted
    np.testing.assert_array_equal(found[1], back)


SEEN = """
import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin


class Seen(ClassifierMixin, BaseEstimator):
    last = None

    def fit(self, X, y):
        type(self).last = X, y
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.zeros(len(X), dtype=int)
"""


@pytest.fixture
def seen(tmp_path: Path) -> Iterator[Any]:
    """Return an estimator of a user, which keeps what it was fitted to."""
    (tmp_path / "mine_seen.py").write_text(SEEN, encoding="utf-8")
    yield partial(EstimatorPredictor, "mine_seen:Seen", folder=str(tmp_path))
    enter("")


def last() -> Any:
    return sys.modules["mine_seen"].Seen.last


def test_what_code_of_the_folder_predicts_is_asked_when_it_runs(
    seen: Any, examples: Examples
) -> None:
    X, y, X_new = examples
    multi, numbers = seen().for_task("multiclass"), seen().for_task("regression")
    assert (multi.task, numbers.task) == ("classification", "regression")
    assert "mine_seen" not in sys.modules
    assert multi.content == numbers.content == seen().content
    multi.predictions(X, y, [Grid.of({})], X_new, rng())
    with pytest.raises(ValueError, match=r"mine_seen.py:\d+\) must predict a number here"):
        numbers.predictions(X, y, [Grid.of({})], X_new, rng())


def test_the_code_of_the_folder_counts_and_its_place_does_not(seen: Any, tmp_path: Path) -> None:
    [(name, before)] = seen().own_code
    assert name == "mine_seen.py"
    assert seen().modules == EstimatorPredictor("SVC").modules
    file = tmp_path / "mine_seen.py"
    file.write_text(SEEN.replace("zeros", "ones"))
    assert seen().own_code != ((name, before),)


def test_classes_are_given_as_codes_without_gaps(seen: Any, examples: Examples) -> None:
    X, _, X_new = examples
    y = np.tile([-1.0, 1.0], 45)
    predictor = seen()
    found = predictor.predictions(X, y, [Grid.of({})], X_new, rng())
    np.testing.assert_array_equal(last()[1], (y > 0).astype(int))
    np.testing.assert_array_equal(found, np.full((1, 90), -1.0))
    predictor.predictions(X, np.tile([3.0, 0.0], 45), [Grid.of({})], X_new, rng())
    np.testing.assert_array_equal(last()[1], np.tile([1, 0], 45))


NOMINAL = np.array([[0, 0.5], [2, 1.5], [np.nan, np.nan], [1, 0.0]])


def test_categories_are_given_in_a_frame_with_all_codes_and_gaps(seen: Any) -> None:
    predictor = seen(categories=True)
    y = np.array([1.0, -1.0, 1.0, -1.0])
    bound = predictor.for_columns(data_of(NOMINAL, y, n_codes=(4, 0)))
    bound.predictions(NOMINAL, y, [Grid.of({})], NOMINAL, rng())
    expected = pd.DataFrame(
        {
            "x0": pd.Categorical(["0", "2", None, "1"], categories=["0", "1", "2", "3"]),
            "x1": NOMINAL[:, 1],
        }
    )
    pd.testing.assert_frame_equal(last()[0], expected)
    assert predictor.for_columns(data_of(NOMINAL, y, n_codes=(4, 0))).content == predictor.content


def test_numbers_alone_are_given_as_an_array(seen: Any, examples: Examples) -> None:
    X, y, X_new = examples
    predictor = seen(categories=True)
    bound = predictor.for_columns(data_of(X, y, n_codes=(0, 0, 0, 0)))
    bound.predictions(X, y, [Grid.of({})], X_new, rng())
    assert last()[0] is X


def test_a_learner_survives_the_way_to_a_worker() -> None:
    predictor = EstimatorPredictor("Pipeline", {"steps": ["PCA", {"SVC": {"C": 2}}]}, "/somewhere")
    assert pickle.loads(pickle.dumps(predictor)) == predictor


def made(name: str, **parameters: Any) -> Any:
    return build(f"sklearn:{name}", parameters)


def each_alone(
    name: str, settings: dict[str, Any], grids: list[Grid], examples: Examples, seed: int
) -> list[FloatArray]:
    """Return what scikit-learn predicts for every candidate with the drawn random state."""
    X, y, X_new = examples
    state = int(rng(seed).integers(2**31))
    return [
        made(name, **{"random_state": state, **settings, **candidate}).fit(X, y).predict(X_new)
        for grid in grids
        for candidate in grid.candidates
    ]


CANDIDATES: list[tuple[str, dict[str, Any], list[dict[str, list[Any]]]]] = [
    ("RandomForestClassifier", {}, [{"n_estimators": [9, 2, 5]}]),
    ("RandomForestClassifier", {}, [{"n_estimators": [3, 6], "max_depth": [1, 2, None]}]),
    ("RandomForestClassifier", {}, [{"max_features": [1, 1.0], "n_estimators": [5]}]),
    ("RandomForestClassifier", {"n_estimators": 4}, [{"max_depth": [1, 3]}]),
    ("RandomForestClassifier", {"random_state": 3}, [{"n_estimators": [2, 4]}]),
    ("RandomForestClassifier", {}, [{"random_state": [3, 8], "n_estimators": [2, 4]}]),
    ("BaggingClassifier", {}, [{"n_estimators": [k], "max_samples": [0.5]} for k in (5, 2, 5)]),
    ("GradientBoostingClassifier", {}, [{"n_estimators": [7, 2, 7]}, {"max_depth": [1]}]),
    ("AdaBoostClassifier", {}, [{"n_estimators": [1, 6], "learning_rate": [0.1, 1.0]}]),
    ("HistGradientBoostingClassifier", {}, [{"max_iter": [2, 5]}]),
    ("LogisticRegression", {}, [{"max_iter": [50, 100]}]),
    ("LogisticRegression", {}, [{"C": [2.0]}, {"C": [2.0]}]),
]


@pytest.mark.parametrize(("name", "settings", "axes"), CANDIDATES)
def test_every_candidate_predicts_as_if_it_were_the_only_one(
    name: str, settings: dict[str, Any], axes: list[dict[str, list[Any]]], examples: Examples
) -> None:
    grids = [Grid.of(values) for values in axes]
    predictor = EstimatorPredictor(name, settings)
    found = predictor.predictions(examples[0], examples[1], grids, examples[2], rng(7))
    np.testing.assert_array_equal(found, each_alone(name, settings, grids, examples, 7))
    first = predictor.predictions(examples[0], examples[1], grids[:1], examples[2], rng(7))
    np.testing.assert_array_equal(first, found[: len(first)])


def test_candidates_of_several_grids_that_differ_in_size_are_fitted_once(
    examples: Examples, monkeypatch: pytest.MonkeyPatch
) -> None:
    X, y, X_new = examples
    fitted: list[tuple[int, int]] = []
    fit = GradientBoostingClassifier.fit

    def counted(self: Any, *args: Any) -> Any:
        fitted.append((self.n_estimators, self.max_depth))
        return fit(self, *args)

    monkeypatch.setattr(GradientBoostingClassifier, "fit", counted)
    points = [(3, 1), (5, 2), (9, 1), (4, 1)]
    grids = [Grid.of({"n_estimators": [k], "max_depth": [depth]}) for k, depth in points]
    predictor = EstimatorPredictor("GradientBoostingClassifier")
    predictor.predictions(X, y, grids, X_new, rng())
    assert fitted == [(9, 1), (5, 2)]
