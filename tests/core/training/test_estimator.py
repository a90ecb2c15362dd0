"""Estimators of a config: made from names, settled, and predicting as they do by themselves."""

from __future__ import annotations

import importlib.util
import pickle
import re
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from pydantic_core import PydanticCustomError
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_wine
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.ensemble import BaggingClassifier, GradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC, LinearSVC
from threadpoolctl import threadpool_limits

from quadrepro.base.types import FloatArray, Task
from quadrepro.core.features import Feature
from quadrepro.core.training.algorithms import find_registered
from quadrepro.core.training.contract import Outputs, Part, TrainingData
from quadrepro.core.training.estimator import (
    EstimatorPredictor,
    build,
    checked_estimator,
    estimator_outputs,
    registered_estimator,
    registered_pipeline,
)
from quadrepro.core.training.grid import Grid
from quadrepro.core.training.objects import outputs_on, package_of, settle

Examples = tuple[FloatArray, FloatArray, FloatArray]


@pytest.fixture(autouse=True, scope="module")
def one_thread() -> Iterator[None]:
    """Threads of HistGradientBoosting would wait for each other on so few examples."""
    with threadpool_limits(limits=1):
        yield


def examples() -> Examples:
    """Return 90 examples, noisy labels, and 90 new examples."""
    draws = np.random.default_rng(4)
    X = draws.normal(size=(90, 4))
    return X, np.where(X[:, 0] * X[:, 1] + draws.normal(0, 0.5, 90) > 0, 1.0, -1.0), X[::-1] + 0.1


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def data_of(X: FloatArray, y: FloatArray, task: Task = "classification", **more: Any) -> Any:
    part = Part(X, y)
    return TrainingData(part, part, None, None, lambda name: rng(3), task, **more)  # type: ignore[arg-type]


# Estimators are made from names.

OWN = """
from sklearn.svm import SVC

last = None

def make(kind, depth=1):
    return {"A": 3, "B": SVC(C=depth)}[kind]

class Plain:
    def __init__(self, share=0.5):
        self.share = share
    def fit(self, X, y):
        global last
        last = X, y
        self.one = int((y == 1).mean() > self.share)
    def predict(self, X):
        return [self.one] * len(X)
    def predict_proba(self, X):
        import numpy as np
        return np.full((len(X), 2), 0.5)

class Other(Plain):
    def __init__(self, share=0.5):
        self.limit = share

class Odd(Plain):
    def __init__(self, kind="words"):
        self.kind = kind
    def fit(self, X, y):
        return self
    def predict(self, X):
        returned = {"words": "yes", "nan": float("nan"), "shares": 0.5, "beyond": 2}
        return 1 if self.kind == "short" else [returned[self.kind]] * len(X)

class Shares(Odd):
    def predict(self, X):
        return [0] * len(X)
    def predict_proba(self, X):
        return [[0.5, 0.5]] * (len(X) - 1) + [self.kind]

def vectorised():
    from sklearn.compose import make_column_transformer
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.pipeline import make_pipeline
    return make_pipeline(make_column_transformer((TfidfVectorizer(), "note")), SVC())

def boosted():
    from sklearn.compose import make_column_transformer
    from sklearn.ensemble import HistGradientBoostingClassifier
    from sklearn.pipeline import make_pipeline
    chosen = make_column_transformer(("passthrough", ["size [cm]"]))
    return make_pipeline(chosen, HistGradientBoostingClassifier())
"""

OLD = """
import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

class Untagged:
    def __init__(self, depth=1):
        self.depth = depth
    def get_params(self, deep=True):
        return {"depth": self.depth}
    def set_params(self, **changes):
        self.__dict__.update(changes)
        return self
    def fit(self, X, y):
        self.n_rows, self.top = len(X), np.bincount(y).argmax()
        return self
    def predict(self, X):
        return np.full(len(X), self.top)

class Mixed(ClassifierMixin, Untagged):
    pass

class Regressor(Untagged):
    _estimator_type = "regressor"

class Bare:
    def fit(self, X, y):
        self.top = y[0]
    def predict(self, X):
        return [self.top] * len(X)

class Shift:
    def fit(self, X, y=None):
        return self
    def transform(self, X):
        return X + 1

class Twice:
    def fit(self, X, y):
        return self
    def fit_resample(self, X, y):
        return np.vstack([X, X]), np.concatenate([y, y])

def piped():
    return make_pipeline(StandardScaler(), Untagged())

def bare_piped():
    return make_pipeline(StandardScaler(), Bare())
"""


@pytest.fixture
def own(tmp_path: Path) -> str:
    """Return a folder with code of its own."""
    (tmp_path / "mine_built.py").write_text(OWN, encoding="utf-8")
    (tmp_path / "mine_old.py").write_text(OLD, encoding="utf-8")
    return str(tmp_path)


STEPS: dict[str, Any] = {"steps": ["StandardScaler", {"PCA": {"n_components": 2}}, "SVC"]}


def test_a_parameter_that_takes_an_estimator_is_given_its_name() -> None:
    made = build("CalibratedClassifierCV", {"estimator": "LinearSVC", "estimator__C": 3.0})
    assert isinstance(made, CalibratedClassifierCV)
    assert (type(made.estimator), made.estimator.C) == (LinearSVC, 3.0)
    inner = {"BaggingClassifier": {"estimator": {"SVC": {"C": 4}}}}
    assert build("OneVsRestClassifier", {"estimator": inner}).estimator.estimator.C == 4
    made = build("VotingClassifier", {"estimators": ["SVC", "GaussianNB", "SVC"]})
    assert [name for name, _ in made.estimators] == ["svc-1", "gaussiannb", "svc-2"]
    assert build("MLPClassifier", {"hidden_layer_sizes": [5, 2]}).hidden_layer_sizes == [5, 2]
    made = build("Pipeline", {**STEPS, "svc__C": 5.0, "standardscaler": "passthrough"})
    assert (made.named_steps["pca"].n_components, made.named_steps["svc"].C) == (2, 5.0)
    assert made.named_steps["standardscaler"] == "passthrough"


@pytest.mark.parametrize(
    ("name", "parameters", "message"),
    [
        ("SVC", {"C": -1}, "The 'C' parameter of SVC must be a float in the range"),
        ("SVC", {"gama": 1}, "SVC has no parameter 'gama'; did you mean 'gamma'?"),
        ("VotingClassifier", {}, "VotingClassifier cannot be made: TypeError: "),
        ("Pipeline", {**STEPS, "svc__c": 1}, "Pipeline has no parameter 'svc__c'; did you mean"),
        ("Pipeline", {**STEPS, "svc__C": -1}, "The 'C' parameter of SVC must be"),
        ("Pipeline", {"steps": [{"PCA": 3}]}, "a step must be the name of an estimator, or map"),
        ("BaggingClassifier", {"estimator": "SVCC"}, "did you mean 'SVC'?"),
        ("BaggingClassifier", {"estimator": "mine_built:mak"}, "'mak'; did you mean 'make'?"),
    ],
)
def test_a_check_refuses_what_cannot_be_made_and_only_reads_code_of_the_folder(
    own: str, name: str, parameters: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        checked_estimator(name, parameters, own)
    assert checked_estimator("mine_built:make", {"kind": "C", "c": 1}, own) is None
    assert checked_estimator("Pipeline", {"steps": ["PCA", "mine_built:make"]}, own) is None
    assert "mine_built" not in sys.modules


@pytest.mark.parametrize(
    ("name", "parameters", "message"),
    [
        ("make", {}, "make cannot be made: TypeError: .* missing .*'kind'"),
        ("make", {"kind": "C"}, r"make cannot be made: KeyError: 'C' \(mine_built.py:7\)"),
        ("make", {"kind": "A"}, r"mine_built:make makes no estimator but int: give it fit and pre"),
        ("make", {"kind": "B", "c": 1}, "make has no parameter 'c'; "),
        ("Plain", {"shrae": 1}, "Plain has no parameter 'shrae'; did you mean 'share'"),
        ("Other", {}, "Other cannot be made: AttributeError: 'Other' object has no attribute 'sha"),
    ],
)
def test_own_code_that_makes_no_estimator_is_refused(
    own: str, name: str, parameters: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        build(f"mine_built:{name}", parameters, own)


# A seed, one thread, silence and categories.

BOOSTERS = ["xgboost:XGBClassifier", "lightgbm:LGBMClassifier", "catboost:CatBoostClassifier"]


def booster(path: str, **parameters: Any) -> Any:
    if ":" in path:
        pytest.importorskip(path.partition(":")[0])
    return build(path, parameters)


def settled(estimator: Any, *nominal: str) -> dict[str, Any]:
    settle(estimator, 7, nominal)
    found: dict[str, Any] = estimator.get_params(deep=False)
    return {key: value for key, value in found.items() if value is not None}


@pytest.mark.parametrize(
    ("path", "threads", "given"),
    [
        (BOOSTERS[0], "n_jobs", {"random_state": 3, "n_jobs": 2}),
        (BOOSTERS[1], "n_jobs", {"seed": 3, "num_threads": 2, "verbosity": 0}),
        (BOOSTERS[2], "thread_count", {"random_seed": 3, "thread_count": 2, "verbose": True}),
        ("RandomForestClassifier", "", {"random_state": 3, "n_jobs": 2}),
    ],
)
def test_an_estimator_gets_a_seed_and_one_thread_unless_they_are_given(
    path: str, threads: str, given: dict[str, Any]
) -> None:
    found = settled(booster(path))
    assert (found["random_state"], found.get(threads)) == (7, 1 if threads else None)
    found = settled(booster(path, **given))
    assert {key: found[key] for key in given} == given
    assert 7 not in found.values()


def test_catboost_is_silent_and_writes_nothing_and_is_told_of_categories_like_xgboost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    cat = settled(booster(BOOSTERS[2]), "x0", "x2")
    assert cat["cat_features"] == ["x0", "x2"]
    xgb = settled(booster(BOOSTERS[0], enable_categorical=False), "x0", "x2")
    assert xgb["enable_categorical"]
    settled(LogisticRegression(), "x0")
    monkeypatch.chdir(tmp_path)
    model = booster(BOOSTERS[2], iterations=2)
    settle(model, 0)
    model.fit([[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1])
    assert not [*tmp_path.iterdir()]
    assert capfd.readouterr() == ("", "")


# Classes that lack some of scikit-learn's interface.


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        *((f"mine_old:{name}", {}) for name in ("Untagged", "Mixed", "Bare", "piped")),
        ("mine_old:bare_piped", {}),
        ("Pipeline", {"steps": ["mine_old:Shift", "mine_old:Untagged"]}),
        ("BaggingClassifier", {"estimator": "mine_old:Mixed", "n_estimators": 2}),
    ],
)
def test_a_class_that_is_older_than_tags_works_alone_and_inside_of_others(
    own: str, name: str, settings: dict[str, Any]
) -> None:
    X, _, X_new = examples()
    y = np.where(np.arange(90) % 3, 1.0, -1.0)[::-1]
    predictor = EstimatorPredictor(name, settings, own).for_task("classification")
    assert predictor is not None
    found = predictor.predictions(Part(X, y), [Grid.from_values({})], X_new, rng())
    np.testing.assert_array_equal(found, np.ones((1, 90)))
    # It belongs to its own package, and not to ours, whose ensembles can grow.
    assert package_of(build(name, settings, own)) in ("mine_old", "sklearn")


def test_a_class_that_does_not_state_its_task_does_either(
    own: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (Path(own) / "mine_stated.py").write_text(OLD, encoding="utf-8")
    monkeypatch.syspath_prepend(own)
    monkeypatch.setattr("quadrepro.core.training.imported.distributions", lambda module: ("x",))
    for task in ("classification", "regression"):
        made = registered_estimator("mine_stated:Bare").make({})
        bound = made.for_task(task)
        assert bound is not None
        assert bound.task == task
    made = registered_estimator("mine_stated:Regressor").make({})
    assert (made.task, made.for_task("classification")) == ("regression", None)
    with pytest.raises(ValueError, match="Shift predicts neither classes nor numbers"):
        registered_estimator("mine_stated:Shift").make({})


LAST = "SVC has no transform: it can only be the last step"


@pytest.mark.parametrize(
    ("steps", "message", "place"),
    [
        (["PCA", "SVC", "mine_old:Untagged"], LAST, 1),
        (["PCA", "SVCC"], "scikit-learn has no estimator 'SVCC'; did you mean 'SVC'?", 1),
        ([{"PCA": {"n_components": -2}}, "SVC"], "The 'n_components' parameter of PCA must be", 0),
        ([{"PCA": {"components": 2}}, "SVC"], "did you mean 'n_components'?", 0),
        ([3, "SVC"], "a step must be the name of an estimator", 0),
    ],
)
def test_a_step_that_cannot_be_used_is_named(
    own: str, steps: list[Any], message: str, place: int
) -> None:
    with pytest.raises(PydanticCustomError, match=re.escape(message)) as caught:
        registered_pipeline(steps, own)
    assert caught.value.context["place"] == (place,)
    with pytest.raises(ValueError, match="Untagged has no transform"):
        build("Pipeline", {"steps": ["mine_old:Untagged", "SVC"]}, own)


def test_what_neither_classifies_nor_predicts_is_refused() -> None:
    with pytest.raises(ValueError, match="KMeans predicts neither classes nor numbers"):
        registered_estimator("sklearn:KMeans").make({})
    with pytest.raises(ValueError, match="PCA \\+ PCA predicts neither classes nor numbers"):
        registered_pipeline(["PCA", "PCA"]).make({})


def test_steps_that_resample_are_in_a_pipeline_of_imbalanced_learn(own: str) -> None:
    steps = {"steps": ["StandardScaler", "mine_old:Twice", "mine_old:Untagged"]}
    if importlib.util.find_spec("imblearn") is None:
        with pytest.raises(ValueError, match=r"'imblearn\.pipeline': pip install imbalanced-learn"):
            build("Pipeline", steps, own)
        place = Path(own) / "imblearn"
        place.mkdir()
        (place / "__init__.py").touch()
        (place / "pipeline.py").write_text(RESAMPLING, encoding="utf-8")
    X, y, _ = examples()
    fitted = build("Pipeline", steps, own).fit(X, (y > 0).astype(int))
    assert fitted.steps[-1][1].n_rows == 180


RESAMPLING = """
from sklearn.pipeline import Pipeline as Plain

class Pipeline(Plain):
    def fit(self, X, y):
        for _, step in self.steps[:-1]:
            if hasattr(step, "fit_resample"):
                X, y = step.fit_resample(X, y)
        self.steps[-1][1].fit(X, y)
        return self
"""


# Entries of a config.


def test_an_estimator_is_called_by_its_class_and_a_pipeline_by_its_steps() -> None:
    entry = registered_estimator("xgboost:XGBClassifier")
    assert entry.label == "XGBClassifier"
    assert "max_depth" in entry.names({})
    made = entry.make({"max_depth": 2})
    assert (made.name, made.settings) == ("xgboost:XGBClassifier", {"max_depth": 2})  # type: ignore[union-attr]
    steps = ["StandardScaler", {"PCA": {"n_components": 2}}, "xgboost:XGBClassifier"]
    entry = registered_pipeline(steps)
    assert entry.label == "StandardScaler + PCA + XGBClassifier"
    assert "steps" not in entry.names({})
    assert "xgbclassifier__max_depth" in entry.names({})
    # CatBoost does not show its parameters.
    assert "catboostclassifier__depth" in registered_pipeline(["PCA", BOOSTERS[2]]).names({})
    assert entry.make({"pca__n_components": 3}).settings["pca__n_components"] == 3
    assert registered_pipeline(["passthrough", "SVC"]).label == "passthrough + SVC"


# Predictions are those of the estimator itself.


def test_chance_comes_from_the_generator_unless_a_seed_is_given() -> None:
    X, y, X_new = examples()

    def forest(seed: int, **settings: Any) -> bytes:
        inner = {"RandomForestClassifier": {"n_estimators": 2, **settings}}
        predictor = EstimatorPredictor("CalibratedClassifierCV", {"estimator": inner, "cv": 2})
        return predictor.predictions(Part(X, y), [Grid.from_values({})], X_new, rng(seed)).tobytes()

    assert forest(1) == forest(1)
    assert len({forest(seed) for seed in range(4)}) > 1
    assert len({forest(seed, random_state=3) for seed in range(4)}) == 1


@pytest.mark.parametrize(
    ("path", "settings", "kind"),
    [
        ("SVC", {}, "classification"),
        ("sklearn:Pipeline", {"steps": ["PCA", "SVR"]}, "regression"),
        ("xgboost:XGBRegressor", {}, "regression"),
    ],
)
def test_an_estimator_does_the_task_of_its_kind_also_on_a_worker(
    path: str, settings: dict[str, Any], kind: Task
) -> None:
    predictor = EstimatorPredictor(path, settings)
    assert predictor.task == kind
    for other in ("classification", "regression"):
        assert predictor.for_task(other) is (predictor if other == kind else None)
    predictor = replace(predictor, folder="/somewhere")
    assert pickle.loads(pickle.dumps(predictor)) == predictor
    assert "/somewhere" not in str(predictor.content)


@pytest.mark.parametrize("path", BOOSTERS)
def test_a_booster_predicts_what_it_predicts_by_itself(path: str) -> None:
    X, y, X_new = examples()
    size = {"iterations" if "cat" in path else "n_estimators": 4}
    for task, n_classes in (("classification", 2), ("multiclass", 3), ("regression", 0)):
        path = path.replace("Classifier", "Regressor") if task == "regression" else path
        targets = {"multiclass": np.digitize(X[:, 0], [-0.5, 0.5]) * 1.0, "regression": X[:, 0] + y}
        of_task = targets.get(task, y)
        data = data_of(X, of_task, task, n_classes=n_classes)  # type: ignore[arg-type]
        ours = EstimatorPredictor(path, size).outputs(data, {"max_depth": 2}, X_new)
        theirs = booster(path, **size, max_depth=2)
        settle(theirs, int(rng(3).integers(2**31)))
        theirs.fit(X, of_task if task != "classification" else (y > 0).astype(int))
        np.testing.assert_array_equal(ours.predicted, np.ravel(theirs.predict(X_new)))
        if task != "regression":
            np.testing.assert_array_equal(ours.probabilities, theirs.predict_proba(X_new))


def last() -> Any:
    return sys.modules["mine_built"].last


def test_a_class_with_fit_and_predict_is_an_estimator_and_given_codes_without_gaps(
    own: str,
) -> None:
    X, y, X_new = examples()
    plain = EstimatorPredictor("mine_built:Plain", {}, own).for_task("classification")
    grid = Grid.from_values({"share": [0.0, 1.0]})
    found = plain.predictions(Part(X, y), [grid], X_new, rng())
    np.testing.assert_array_equal(found, np.repeat([[1.0], [-1.0]], 90, axis=1))
    np.testing.assert_array_equal(last()[1], y > 0)
    assert plain.outputs(data_of(X, y), {}, X_new).probabilities is not None
    piped = EstimatorPredictor("Pipeline", {"steps": ["PCA", "mine_built:Plain"]}, own)
    found = piped.predictions(Part(X, y), [Grid.from_values({"plain__share": [0.0]})], X_new, rng())
    np.testing.assert_array_equal(found, np.ones((1, 90)))
    found = plain.predictions(
        Part(X, np.tile([3.0, 0.0], 45)), [Grid.from_values({})], X_new, rng()
    )
    np.testing.assert_array_equal(last()[1], np.tile([1, 0], 45))
    assert {*found[0]} == {0.0}


def test_what_code_of_the_folder_predicts_is_asked_when_it_runs(own: str) -> None:
    X, y, X_new = examples()
    numbers = EstimatorPredictor("mine_built:make", {"kind": "B"}, own).for_task("regression")
    assert numbers.task == "regression"
    assert "mine_built" not in sys.modules
    with pytest.raises(ValueError, match="must predict a number here"):
        numbers.predictions(Part(X, y), [Grid.from_values({})], X_new, rng())


@pytest.mark.parametrize(
    "name", ["LogisticRegression", "quadrepro:RealAdaBoostClassifier", "mine_built:Plain"]
)
@pytest.mark.parametrize(
    ("task", "label", "code"), [("classification", -1, 0), ("multiclass", 2, 2)]
)
def test_one_class_in_the_training_part_is_a_constant_prediction_with_a_score(
    own: str, name: str, task: Task, label: float, code: int
) -> None:
    X, _, X_new = examples()
    n_classes = 2 if task == "classification" else 4
    y, predictor = np.full(90, float(label)), EstimatorPredictor(name, folder=own)
    found = predictor.predictions(Part(X, y), [Grid.from_values({})], X_new, rng())
    np.testing.assert_array_equal(found, np.full((1, 90), label))
    outputs = predictor.outputs(data_of(X, y, task, n_classes=n_classes), {}, X_new)
    assert outputs.predicted.tolist() == [code] * 90
    np.testing.assert_array_equal(outputs.probabilities, np.eye(n_classes)[[code] * 90])
    scores = np.asarray(outputs.scores)
    np.testing.assert_array_equal(scores > 0, np.zeros(90) if n_classes == 2 else scores == 1)


# Data frames.

FEATURES = (
    Feature("colour", "category", ("red", "green", "blue", "grey")),
    Feature("size [cm]"),
    Feature("note", "text", ("a fine hat", "a cup")),
    Feature("day", "date", ("01.02.2024", "31.12.2023"), "%d.%m.%Y"),
)
NOMINAL = np.array([[0, 0.5, 1, 1], [2, 1.5, 0, 0], [np.nan] * 4, [1, 0.0, 0, 0]])
SIGNS = np.array([1.0, -1.0, 1.0, -1.0])


def bound_to(features: tuple[Feature, ...], name: str, own: str, **settings: Any) -> Any:
    predictor = EstimatorPredictor(name, settings, own, categories=True)
    bound = predictor.for_columns(data_of(NOMINAL, SIGNS, features=features))
    assert bound.content == predictor.content
    return bound


def test_a_frame_has_the_names_words_texts_and_dates_of_the_file(own: str) -> None:
    bound = bound_to(FEATURES, "mine_built:Plain", own)
    bound.predictions(Part(NOMINAL, SIGNS), [Grid.from_values({})], NOMINAL, rng())
    colours = pd.Categorical(["red", "blue", None, "green"], categories=FEATURES[0].words)
    days = pd.to_datetime(["2023-12-31", "2024-02-01", None, "2024-02-01"]).as_unit("us")
    columns = {
        "colour": colours,
        "size [cm]": NOMINAL[:, 1],
        "note": pd.array(["a cup", "a fine hat", "", "a fine hat"], dtype="str"),
        "day": days,
    }
    pd.testing.assert_frame_equal(last()[0], pd.DataFrame(columns))
    # Numbers alone are given with their names, too.
    features = tuple(Feature(name) for name in "abcd")
    data = data_of(NOMINAL, SIGNS, features=features)
    bound_to(features, "mine_built:Plain", own).outputs(data, {}, NOMINAL)
    pd.testing.assert_frame_equal(last()[0], pd.DataFrame(NOMINAL, columns=[*"abcd"]))


def test_a_text_can_be_vectorised_and_a_column_chosen_by_its_name(own: str) -> None:
    for name in ("vectorised", "boosted"):
        bound = bound_to(FEATURES, f"mine_built:{name}", own)
        [predicted] = bound.predictions(
            Part(NOMINAL, SIGNS), [Grid.from_values({})], NOMINAL, rng()
        )
        assert len(predicted) == 4


@pytest.mark.parametrize(
    ("path", "settings"),
    [
        ("HistGradientBoostingClassifier", {}),
        ("lightgbm:LGBMClassifier", {"n_estimators": 2}),
        ("catboost:CatBoostClassifier", {"iterations": 2}),
        ("CalibratedClassifierCV", {"estimator": "xgboost:XGBClassifier", "cv": 2}),
    ],
)
def test_boosters_learn_from_every_kind_of_column_under_any_name(
    path: str, settings: dict[str, Any]
) -> None:
    for package in ("xgboost", "lightgbm", "catboost"):
        if package in f"{path}{settings}":
            pytest.importorskip(package)
    X, y = np.repeat(NOMINAL, 10, axis=0), np.repeat(SIGNS, 10)
    bound = bound_to(FEATURES, path, "", **settings)
    outputs = bound.outputs(data_of(X, y, features=FEATURES), {}, X)
    assert len(outputs.predicted) == 40


# Predictions that are not labels.


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        ("words", "predict must return numbers, such as codes of classes: .* 'yes'"),
        ("nan", "predict returns nan: it must return classes as fit is given them, by .* 0, 1"),
        ("shares", "predict returns 0.5: it must"),
        ("beyond", "predict returns 2: it must"),
        ("short", "predict returns 1 values for 90 examples"),
    ],
)
def test_predictions_that_are_not_classes_are_refused(own: str, kind: str, message: str) -> None:
    X, y, X_new = examples()
    odd = EstimatorPredictor("mine_built:Odd", {"kind": kind}, own)
    with pytest.raises(ValueError, match=message):
        odd.predictions(Part(X, y), [Grid.from_values({})], X_new, rng())
    with pytest.raises(ValueError, match=message):
        odd.outputs(data_of(X, y), {}, X_new)


def test_probabilities_that_do_not_add_up_to_one_are_refused_but_for_rounding(own: str) -> None:
    X, y, X_new = examples()
    for row in ([0.7, 0.7], [1.5, -0.5], [np.nan, 1.0], [0.33, 0.67], [0.3333, 0.6666]):
        odd = EstimatorPredictor("mine_built:Shares", {"kind": row}, own)
        if sum(row) == pytest.approx(1, abs=1e-3) and min(row) > 0:
            assert odd.outputs(data_of(X, y), {}, X_new).probabilities[-1].tolist() == row
        else:
            with pytest.raises(ValueError, match=f"add up to 1, not {row[0]}, {row[1]:g}"):
                odd.outputs(data_of(X, y), {}, X_new)


# Ensembles grow.


SIZES = {"n_estimators": [7, 1, 12, 2]}
CANDIDATES: list[tuple[str, dict[str, Any], list[dict[str, list[Any]]]]] = [
    ("AdaBoostClassifier", {}, [SIZES]),
    ("BaggingClassifier", {"max_samples": 0.5, "max_features": 0.5}, [SIZES]),
    ("ExtraTreesClassifier", {"bootstrap": True}, [SIZES]),
    ("GradientBoostingClassifier", {"subsample": 0.5, "max_features": 2}, [SIZES]),
    ("GradientBoostingClassifier", {"n_iter_no_change": 2}, [SIZES]),
    ("HistGradientBoostingClassifier", {"min_samples_leaf": 5}, [{"max_iter": [7, 1, 12]}]),
    ("HistGradientBoostingRegressor", {"early_stopping": True}, [{"max_iter": [7, 1, 12]}]),
    ("quadrepro:SAMMEClassifier", {"depth": 6}, [{"n_rounds": [7, 1, 40, 2]}]),
    ("quadrepro:GradientBoostRegressor", {}, [{"n_rounds": [7, 1, 12, 2]}]),
    ("RandomForestClassifier", {}, [{"n_estimators": [3, 6], "max_depth": [1, 2, None]}]),
    ("RandomForestClassifier", {}, [{"random_state": [3, 8], "n_estimators": [2, 4]}]),
    ("BaggingClassifier", {}, [{"n_estimators": [k], "max_samples": [0.5]} for k in (5, 2, 5)]),
    ("LogisticRegression", {}, [{"max_iter": [50, 100]}]),
    # Of these no size can grow.
    ("BaggingClassifier", {"oob_score": True}, [{"n_estimators": [60, 40]}]),
    ("RandomForestClassifier", {"class_weight": "balanced"}, [SIZES]),
    ("xgboost:XGBRegressor", {}, [SIZES]),
]


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(("name", "settings", "axes"), CANDIDATES)
def test_every_candidate_predicts_as_if_it_were_the_only_one(
    name: str, settings: dict[str, Any], axes: list[dict[str, list[Any]]]
) -> None:
    X, y, X_new = examples()
    y = y + X[:, 0] if "Regressor" in name else y
    grids, state = [Grid.from_values(values) for values in axes], int(rng(7).integers(2**31))
    found = EstimatorPredictor(name, settings).predictions(Part(X, y), grids, X_new, rng(7))
    candidates = [candidate for grid in grids for candidate in grid.candidates]
    for row, candidate in zip(found, candidates, strict=True):
        alone = build(name, {**settings, **candidate})
        settle(alone, state)
        np.testing.assert_array_equal(row, alone.fit(X, y).predict(X_new))


def test_candidates_of_several_grids_that_differ_in_size_are_fitted_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    X, y, X_new = examples()
    fitted: list[tuple[int, int]] = []
    fit = GradientBoostingClassifier.fit

    def counted(self: Any, *args: Any) -> Any:
        fitted.append((self.n_estimators, self.max_depth))
        return fit(self, *args)

    monkeypatch.setattr(GradientBoostingClassifier, "fit", counted)
    points = [(3, 1), (5, 2), (9, 1), (4, 1)]
    grids = [Grid.from_values({"n_estimators": [k], "max_depth": [depth]}) for k, depth in points]
    predictor = EstimatorPredictor("GradientBoostingClassifier")
    predictor.predictions(Part(X, y), grids, X_new, rng())
    assert fitted == [(9, 1), (5, 2)]


def test_blocks_of_rows_give_what_bagging_predicts_of_all(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y, X_new = examples()
    bagging = BaggingClassifier(n_estimators=3, random_state=0).fit(X, y)
    monkeypatch.setattr("quadrepro.core.training.objects.BLOCK_BYTES", 7 * X[:1].nbytes)
    np.testing.assert_array_equal(outputs_on(bagging, X_new), bagging.predict(X_new))
    found = outputs_on(bagging, X_new, "predict_proba")
    np.testing.assert_array_equal(found, bagging.predict_proba(X_new))


# Outputs: classes, scores and probabilities.

WINE, CODES = load_wine(return_X_y=True)
WINE = (WINE - WINE.mean(axis=0)) / WINE.std(axis=0)
NEW = WINE[::3]


def outputs(estimator: Any, y: FloatArray, task: Task, n_classes: int) -> Outputs:
    """Fit an estimator to the indices of the labels, as a predictor does."""
    labels, codes = np.unique(y, return_inverse=True)
    data = data_of(WINE[: len(y)], y, task, n_classes=n_classes)
    return estimator_outputs(estimator.fit(data.train.X, codes), labels, data, NEW)


def assert_outputs(found: Outputs, estimator: Any) -> None:
    np.testing.assert_array_equal(found.predicted, estimator.predict(NEW))
    for ours, name in ((found.scores, "decision_function"), (found.probabilities, "predict_proba")):
        theirs = getattr(estimator, name)(NEW) if hasattr(estimator, name) else None
        np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize(
    "estimator", [LogisticRegression(), SVC(), KNeighborsClassifier(), LinearSVC()]
)
def test_outputs_are_those_of_the_estimator_but_for_scores_of_pairs(estimator: Any) -> None:
    two = np.where(CODES == 1, 1.0, -1.0)
    assert_outputs(outputs(estimator, two, "classification", 2), estimator)
    assert_outputs(outputs(estimator, CODES * 1.0, "multiclass", 3), estimator)
    if isinstance(estimator, SVC):
        pairs = clone(estimator).set_params(decision_function_shape="ovo")
        assert outputs(pairs, CODES * 1.0, "multiclass", 3).scores is None


@pytest.mark.parametrize("codes", [[0, 1, 3], [0, 3]])
def test_a_class_that_was_not_seen_has_a_column_of_its_own(codes: list[int]) -> None:
    y = np.array(codes, dtype=float)[CODES % len(codes)]
    model = LogisticRegression()
    found = outputs(model, y, "multiclass", 4)
    assert set(found.predicted.tolist()) <= set(codes)
    assert (found.scores[:, 2] == -np.inf).all()
    assert not found.probabilities[:, 2].any()
    np.testing.assert_array_equal(found.probabilities[:, codes], model.predict_proba(NEW))
    np.testing.assert_array_equal(found.scores.argmax(axis=1), found.predicted)


# The baseline.


@pytest.mark.parametrize(
    ("task", "y", "n_classes"),
    [
        ("classification", [-1, 1, 1], 2),
        ("classification", [1, -1], 2),
        ("multiclass", [2, 1, 1, 0], 3),
        ("multiclass", [2, 2, 0, 0], 3),
        ("regression", [0.5, 2], 0),
    ],
)
def test_the_baseline_is_scikit_learns_dummy(task: Task, y: list[float], n_classes: int) -> None:
    X, labels = np.zeros((len(y), 2)), np.array(y, dtype=np.float64)
    learner = find_registered("baseline").make({}).for_task(task)
    assert isinstance(learner, EstimatorPredictor)
    assert not learner.against_rest(task)
    assert learner.hyperparameters == ()
    found = learner.outputs(data_of(X, labels, task, n_classes=n_classes), {}, X)
    dummy: Any = DummyRegressor() if task == "regression" else DummyClassifier(strategy="prior")
    [seen] = learner.predictions(Part(X, labels), [Grid.from_values({})], X, rng())
    np.testing.assert_array_equal(seen, dummy.fit(X, labels).predict(X))
    if task == "regression":
        np.testing.assert_array_equal(found.predicted, seen)
        return
    np.testing.assert_array_equal(found.predicted, seen if n_classes > 2 else seen > 0)
    assert found.scores is None
    if len({*y}) == n_classes:
        np.testing.assert_array_equal(found.probabilities, dummy.predict_proba(X))
    else:
        assert found.probabilities[0].tolist() == [0.5, 0.0, 0.5]


def test_a_pipeline_separates_as_many_classes_as_its_last_step() -> None:
    for last_step, many in (("quadrepro:AdaBoostClassifier", False), ("SVC", True)):
        pipeline = registered_pipeline(["StandardScaler", last_step]).make({})
        assert pipeline.against_rest("multiclass") is not many
