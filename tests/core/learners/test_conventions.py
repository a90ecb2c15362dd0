from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import sklearn
from sklearn.base import is_classifier
from sklearn.utils import estimator_checks

from tests.core.learners.variants import ALL, OVER_TREES, STAGEWISE

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


def not_held(estimator: Any) -> dict[str, str]:
    """Return the checks that an estimator cannot pass, with the reason."""
    if estimator in OVER_TREES:
        return {"check_class_weight_classifiers": "weights count in the vote, not in the trees"}
    return {}


@estimator_checks.parametrize_with_checks(
    [*ALL, *STAGEWISE, *OVER_TREES], expected_failed_checks=not_held
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
def test_follows_scikit_learns_conventions(estimator, check) -> None:  # type: ignore[no-untyped-def]
    check(estimator)
