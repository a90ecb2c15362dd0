from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import sklearn
from sklearn.base import is_classifier
from sklearn.utils import estimator_checks

from quadrepro.core.learners.stagewise import StagewiseClassifier
from tests.core.variants import ALL, STAGEWISE

WRONG_LABELS = tuple(map(int, sklearn.__version__.split(".")[:2])) < (1, 7)
"""scikit-learn 1.6 makes two classes by the first label, while its check of weights shuffles."""


@pytest.fixture(autouse=True)
def labels_without_order(monkeypatch: pytest.MonkeyPatch) -> None:
    made = estimator_checks._enforce_estimator_tags_y

    def labels(estimator: Any, y: Any) -> Any:
        if is_classifier(estimator) and y.size:
            return np.where(y == y.min(), y, y.min() + 1)
        return made(estimator, y)

    if WRONG_LABELS:
        monkeypatch.setattr(estimator_checks, "_enforce_estimator_tags_y", labels)


OF_FITS = re.compile(
    "weight_equivalence_on_dense|all_zero|not_overwritten|one_label|class_weight|(fiers|sors)_train"
    "|poor_score|decision_proba|sample_order|subset_inv|fit2d_1|idempotent"
)
"""Checks that depend on what is fitted; the others are about a class and the data it refuses."""


def exempt(estimator: Any) -> dict[str, str]:
    """Return the checks that an estimator fails, as scikit-learn's `AdaBoostClassifier` does."""
    name = "check_sample_weight_equivalence_on_dense_data"
    of_trees = isinstance(estimator, StagewiseClassifier)
    return {name: "equally good cuts are told apart by rounding"} if of_trees else {}


def every_check() -> Iterator[Any]:
    """Yield all checks of one estimator of each class and kind of part; of others, of fits."""
    seen = set()
    for estimator in (*ALL, *STAGEWISE):
        kinds = type(estimator), *(type(getattr(estimator, a, None)) for a in ("voters", "weak"))
        mark = estimator_checks.parametrize_with_checks([estimator], expected_failed_checks=exempt)
        for pair in mark.args[1]:
            check = getattr(pair, "values", pair)[1]
            if kinds not in seen or OF_FITS.search(check.func.__name__):
                yield pair
        seen.add(kinds)


@pytest.mark.parametrize(
    ("estimator", "check"), list(every_check()), ids=estimator_checks._get_check_estimator_ids
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
def test_follows_scikit_learns_conventions(estimator: Any, check: Callable[[Any], None]) -> None:
    check(estimator)
