from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from quadrepro.core.learners.contestants.building import (
    build,
    build_step,
    fault_of,
    names,
    own_names,
    parts,
    paths_in,
    settle,
    step_of,
    use_categories,
)
from quadrepro.core.learners.contestants.paths import enter
from sklearn.base import BaseEstimator
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import RandomForestClassifier, VotingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline
from sklearn.svm import SVC, LinearSVC

OWN = """
from sklearn.svm import SVC


def make(kind, depth=1, weights=None):
    assert weights is None or weights[1]
    return {"A": 3, "B": SVC(C=depth)}[kind]


class Own(SVC):
    def __init__(self, own_size=1):
        self.own_size = own_size
"""


@pytest.fixture
def own(tmp_path: Path) -> Iterator[str]:
    """Return a folder with code of its own."""
    (tmp_path / "mine_built.py").write_text(OWN, encoding="utf-8")
    yield str(tmp_path)
    enter("")


PIPELINE, BAGGING = "sklearn:Pipeline", "sklearn:BaggingClassifier"
STEPS: dict[str, Any] = {"steps": ["StandardScaler", {"PCA": {"n_components": 2}}, "SVC"]}


def test_an_estimator_is_made_with_its_parameters() -> None:
    made = build("sklearn:SVC", {"C": 2.0, "kernel": "poly"})
    assert isinstance(made, SVC)
    assert (made.C, made.kernel) == (2.0, "poly")


def test_a_parameter_that_takes_an_estimator_is_given_its_name() -> None:
    made = build("sklearn:CalibratedClassifierCV", {"estimator": "LinearSVC", "estimator__C": 3.0})
    assert isinstance(made, CalibratedClassifierCV)
    assert isinstance(made.estimator, LinearSVC)
    assert made.estimator.C == 3.0


def test_a_name_can_be_a_mapping_to_its_own_parameters() -> None:
    inner = {"BaggingClassifier": {"estimator": {"SVC": {"C": 4}}}}
    made = build("sklearn:OneVsRestClassifier", {"estimator": inner})
    assert made.estimator.estimator.C == 4
    held = ["BaggingClassifier", "OneVsRestClassifier", "SVC"]
    assert sorted(type(part).__name__ for part in parts(made)) == held


def test_a_list_of_estimators_gets_the_names_of_make_pipeline() -> None:
    made = build("sklearn:VotingClassifier", {"estimators": ["SVC", "GaussianNB", "SVC"]})
    assert isinstance(made, VotingClassifier)
    assert [name for name, _ in made.estimators] == ["svc-1", "gaussiannb", "svc-2"]


def test_steps_make_a_pipeline_whose_parameters_have_their_names() -> None:
    made = build(PIPELINE, {**STEPS, "svc__C": 5.0})
    assert isinstance(made, Pipeline)
    assert list(made.named_steps) == ["standardscaler", "pca", "svc"]
    assert (made.named_steps["pca"].n_components, made.named_steps["svc"].C) == (2, 5.0)
    known = names(PIPELINE, STEPS)
    assert {"standardscaler__with_mean", "pca__n_components", "svc__C", "svc"} <= set(known)


def test_a_function_has_its_arguments_and_the_parameters_of_what_it_returns(own: str) -> None:
    made = build("mine_built:make", {"kind": "B", "depth": 3, "gamma": 0.5}, own)
    assert (made.C, made.gamma) == (3, 0.5)


def test_what_code_of_the_folder_takes_is_read_and_not_imported(own: str) -> None:
    assert names("mine_built:make", {"gamma": 1}, own) == ("kind", "depth", "weights", "gamma")
    assert names("mine_built:Own", {"gamma": 1, "a__b": 1}, own) == ("own_size", "a__b")
    assert fault_of("mine_built:make", {"kind": "C", "c": 1}, own) is None
    inner = {"estimator": "mine_built:mak"}
    message = "mine_built.py) has no 'mak'; did you mean 'make'?"
    assert message in str(fault_of("sklearn:BaggingClassifier", inner, own))
    assert "mine_built" not in sys.modules


def test_what_is_told_of_an_estimator_tells_equal_numbers_of_other_types_apart() -> None:
    assert fault_of("sklearn:SVC", {"shrinking": True}) is None
    assert "'shrinking' parameter of SVC must be" in str(fault_of("sklearn:SVC", {"shrinking": 1}))


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({}, "make cannot be made: TypeError: .* missing .*'kind'"),
        ({"kind": "C"}, r"make cannot be made: KeyError: 'C' \(mine_built.py:7\)"),
        ({"kind": "A"}, "returns int, which is not an estimator: give it fit and predict"),
        ({"kind": "B", "c": 1}, "SVC has no parameter 'c'; "),
    ],
)
def test_a_function_that_makes_no_estimator_is_refused(
    own: str, parameters: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        build("mine_built:make", parameters, own)


def test_a_step_can_be_replaced_by_its_name() -> None:
    made = build(PIPELINE, {**STEPS, "svc": "LinearSVC", "svc__C": 3})
    assert isinstance(made.named_steps["svc"], LinearSVC)
    assert made.named_steps["svc"].C == 3


def test_a_step_can_be_left_out_by_a_word() -> None:
    assert build_step("passthrough") == "passthrough"
    made = build(PIPELINE, {**STEPS, "pca": "passthrough"})
    assert made.named_steps["pca"] == "passthrough"


def test_every_name_is_one_of_the_estimator() -> None:
    known = names("sklearn:SVC", {})
    assert set(known) == set(SVC().get_params())
    assert len(set(known)) == len(known)
    assert "estimator__C" in names("sklearn:CalibratedClassifierCV", {"estimator": "SVC"})
    assert names("sklearn:VotingClassifier", {})[0] == "estimators"


@pytest.mark.parametrize(
    ("path", "parameters", "message"),
    [
        ("sklearn:SVC", {"C": -1}, "The 'C' parameter of SVC must be a float in the range"),
        ("sklearn:SVC", {"gama": 1}, "SVC has no parameter 'gama'; did you mean 'gamma'?"),
        ("sklearn:VotingClassifier", {}, "VotingClassifier cannot be made: TypeError: "),
        (PIPELINE, {**STEPS, "svc__c": 1}, "Pipeline has no parameter 'svc__c'; did you mean"),
        (PIPELINE, {**STEPS, "svc__C": -1}, "The 'C' parameter of SVC must be"),
        (PIPELINE, {"steps": [{"PCA": {"n_component": 2}}]}, "PCA has no parameter 'n_component'"),
        (PIPELINE, {"steps": ["PCAA"]}, "scikit-learn has no estimator 'PCAA'; did you mean 'PCA'"),
        (PIPELINE, {"steps": [{"PCA": 3}]}, "a step must be the name of an estimator, or map"),
        (PIPELINE, {"steps": [["PCA"]]}, "a step must be the name of an estimator, or map"),
        ("sklearn:BaggingClassifier", {"estimator": "SVCC"}, "did you mean 'SVC'?"),
        ("numpy:ndarray", {}, "numpy:ndarray is not an estimator: it needs fit, get_params"),
    ],
)
def test_what_cannot_be_made_is_told_before_anything_is_fitted(
    path: str, parameters: dict[str, Any], message: str
) -> None:
    assert message in str(fault_of(path, parameters))


def test_a_valid_estimator_has_no_fault() -> None:
    assert fault_of(PIPELINE, {**STEPS, "svc__C": 1}) is None


@pytest.mark.parametrize(
    ("step", "expected"),
    [("PCA", ("PCA", {})), ({"PCA": None}, ("PCA", {})), ({"a:B": {"c": 1}}, ("a:B", {"c": 1}))],
)
def test_a_step_is_a_name_or_maps_it_to_parameters(
    step: Any, expected: tuple[str, dict[str, Any]]
) -> None:
    assert step_of(step) == expected


def test_the_paths_of_all_estimators_among_the_parameters_are_found() -> None:
    inner = {"CalibratedClassifierCV": {"estimator": "mine:make"}}
    assert paths_in(PIPELINE, {"steps": ["passthrough", "PCA", inner], "memory": None}) == (
        *(PIPELINE, "sklearn:PCA", "sklearn:CalibratedClassifierCV", "mine:make"),
    )
    assert paths_in("sklearn:RandomForestClassifier", {"n_estimators": 3}) == (
        "sklearn:RandomForestClassifier",
    )


BOOSTERS = ["xgboost:XGBClassifier", "lightgbm:LGBMClassifier", "catboost:CatBoostClassifier"]


def booster(path: str, **parameters: Any) -> Any:
    pytest.importorskip(path.partition(":")[0])
    return build(path, parameters)


def settled(estimator: Any) -> dict[str, Any]:
    settle(estimator, 7)
    found: dict[str, Any] = estimator.get_params(deep=False)
    return {key: value for key, value in found.items() if value is not None}


@pytest.mark.parametrize(
    ("path", "threads"), [*zip(BOOSTERS, ["n_jobs", "n_jobs", "thread_count"], strict=True)]
)
def test_a_booster_gets_a_seed_and_one_thread(path: str, threads: str) -> None:
    found = settled(booster(path))
    assert (found["random_state"], found[threads]) == (7, 1)


@pytest.mark.parametrize(
    ("path", "parameters"),
    [
        ("xgboost:XGBClassifier", {"random_state": 3, "n_jobs": 2}),
        ("lightgbm:LGBMClassifier", {"seed": 3, "num_threads": 2, "verbosity": 0}),
        (
            "catboost:CatBoostClassifier",
            {"random_seed": 3, "thread_count": 2, "verbose": True, "allow_writing_files": False},
        ),
    ],
)
def test_what_is_given_by_any_of_its_names_stays(path: str, parameters: dict[str, Any]) -> None:
    before = booster(path, **parameters).get_params()
    assert settled(booster(path, **parameters)) == {
        key: value for key, value in before.items() if value is not None
    }


def test_scikit_learns_own_threads_stay_as_they_are() -> None:
    assert "n_jobs" not in settled(LogisticRegression())
    assert settled(RandomForestClassifier())["random_state"] == 7


def test_an_estimator_of_the_user_gets_one_thread() -> None:
    class Own(BaseEstimator):  # type: ignore[misc]
        def __init__(self, n_jobs: int | None = None, seed: int | None = None) -> None:
            self.n_jobs, self.seed = n_jobs, seed

    assert settled(Own()) == {"n_jobs": 1, "seed": 7}


def test_catboost_is_silent_and_writes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    model = booster("catboost:CatBoostClassifier", iterations=2)
    settle(model, 0)
    model.fit([[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1])
    assert not [*tmp_path.iterdir()]
    assert capfd.readouterr() == ("", "")


def test_all_parameters_of_a_library_are_known() -> None:
    assert {"max_bin", "extra_trees", "num_leaves"} <= set(
        own_names(booster("lightgbm:LGBMClassifier"))
    )
    assert {"depth", "iterations", "eta"} <= set(own_names(booster("catboost:CatBoostClassifier")))
    assert {"max_depth", "booster"} <= set(own_names(booster("xgboost:XGBClassifier")))
    assert "self" not in own_names(LogisticRegression())


def test_categories_are_announced_where_a_library_asks_for_it() -> None:
    cat = booster("catboost:CatBoostClassifier")
    use_categories(cat, (3, 0, 2))
    assert cat.get_params()["cat_features"] == ["x0", "x2"]
    xgb = booster("xgboost:XGBClassifier", enable_categorical=False)
    use_categories(xgb, (3, 0, 2))
    assert xgb.enable_categorical
    use_categories(LogisticRegression(), (3, 0, 2))


@pytest.mark.parametrize(
    ("path", "parameters"),
    [
        ("xgboost:XGBClassifier", {"max_depth": -1}),
        ("lightgbm:LGBMClassifier", {"num_iterations": 100_000_000}),
        ("catboost:CatBoostClassifier", {"iterations": 100_000_000}),
    ],
)
def test_nothing_is_fitted_to_know_whether_parameters_are_valid(
    path: str, parameters: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*args: Any, **keywords: Any) -> None:
        raise AssertionError("fitted")

    monkeypatch.setattr(type(booster(path)), "fit", refuse)
    assert fault_of(path, parameters) is None
