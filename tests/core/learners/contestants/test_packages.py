from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from sklearn.base import BaseEstimator
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression

from quadrepro.core.learners.contestants.building import (
    build,
    fault_of,
    own_names,
    settle,
    use_categories,
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
