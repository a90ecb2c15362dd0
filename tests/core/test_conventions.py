from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from quadrepro.core.learners.stagewise import StagewiseClassifier
from tests.core.variants import ALL, STAGEWISE

ONE_OF_EACH_CLASS = {type(estimator): estimator for estimator in reversed((*ALL, *STAGEWISE))}


def exempt(estimator: Any) -> dict[str, str]:
    """Return the checks that an estimator fails, as scikit-learn's `AdaBoostClassifier` does."""
    name = "check_sample_weight_equivalence_on_dense_data"
    of_trees = isinstance(estimator, StagewiseClassifier)
    return {name: "equally good cuts are told apart by rounding"} if of_trees else {}


@parametrize_with_checks([*ONE_OF_EACH_CLASS.values()], expected_failed_checks=exempt)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
def test_follows_scikit_learns_conventions(estimator: Any, check: Callable[[Any], None]) -> None:
    check(estimator)
