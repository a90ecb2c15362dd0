from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from quadrepro import Stumps
from quadrepro.core.learners.stagewise import StagewiseClassifier
from tests.core.variants import ONE_OF_EACH_CLASS, STAGEWISE

OF_TREES = {type(estimator): estimator for estimator in reversed(STAGEWISE)}
ESTIMATORS = [*ONE_OF_EACH_CLASS, *OF_TREES.values(), Stumps()]


def exempt(estimator: Any) -> dict[str, str]:
    """Return the checks that an estimator fails, as scikit-learn's `AdaBoostClassifier` does."""
    name = "check_sample_weight_equivalence_on_dense_data"
    of_trees = isinstance(estimator, StagewiseClassifier)
    return {name: "equally good cuts are told apart by rounding"} if of_trees else {}


@parametrize_with_checks(ESTIMATORS, expected_failed_checks=exempt)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
def test_follows_scikit_learns_conventions(estimator: Any, check: Callable[[Any], None]) -> None:
    check(estimator)
