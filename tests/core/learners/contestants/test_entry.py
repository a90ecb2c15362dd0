from __future__ import annotations

import re
from typing import Any

import pytest
from pydantic_core import PydanticCustomError
from quadrepro.core.learners.contestants.predictor import estimator_entry, pipeline_entry


def test_an_estimator_is_called_by_its_class() -> None:
    entry = estimator_entry("xgboost:XGBClassifier")
    assert entry.label == "XGBClassifier"
    assert "max_depth" in entry.names({})
    made = entry.make({"max_depth": 2})
    assert (made.name, made.settings) == ("xgboost:XGBClassifier", {"max_depth": 2})
    assert made.folder == ""


def test_a_pipeline_is_called_by_its_steps_which_the_user_cannot_change() -> None:
    entry = pipeline_entry(
        ["StandardScaler", {"PCA": {"n_components": 2}}, "xgboost:XGBClassifier"]
    )
    assert entry.label == "StandardScaler + PCA + XGBClassifier"
    assert "steps" not in entry.names({})
    assert "xgbclassifier__max_depth" in entry.names({})
    assert entry.make({"pca__n_components": 3}).settings["pca__n_components"] == 3


@pytest.mark.parametrize(
    ("steps", "message", "place"),
    [
        (["PCA", "SVCC"], "scikit-learn has no estimator 'SVCC'; did you mean 'SVC'?", 1),
        (["SVC", "PCA"], "a step before the last must transform: SVC does not", 0),
        (["PCA", "PCA"], "the last step must predict, but PCA does not", 1),
        (["PCA", "passthrough"], "the last step must predict, but passthrough does not", 1),
        ([{"PCA": {"n_components": -2}}, "SVC"], "The 'n_components' parameter of PCA must be", 0),
        ([{"PCA": {"components": 2}}, "SVC"], "did you mean 'n_components'?", 0),
        ([3, "SVC"], "a step must be the name of an estimator", 0),
    ],
)
def test_a_step_that_cannot_be_used_is_named(steps: list[Any], message: str, place: int) -> None:
    with pytest.raises(PydanticCustomError, match=re.escape(message)) as caught:
        pipeline_entry(steps)
    assert caught.value.context is not None
    assert caught.value.context["place"] == (place,)


def test_a_step_may_be_left_out() -> None:
    assert pipeline_entry(["passthrough", "SVC"]).label == "passthrough + SVC"


def test_what_neither_classifies_nor_predicts_is_refused() -> None:
    with pytest.raises(ValueError, match="KMeans predicts neither classes nor numbers"):
        estimator_entry("sklearn:KMeans").make({})


def test_an_estimator_that_needs_another_takes_its_name() -> None:
    voting = estimator_entry("sklearn:VotingClassifier")
    with pytest.raises(ValueError, match=r"VotingClassifier cannot be made: .* 'estimators'"):
        voting.make({})
    assert voting.make({"estimators": ["SVC", "GaussianNB"]}).task == "classification"
    assert "svc__C" in voting.names({"estimators": ["SVC", "GaussianNB"]})
