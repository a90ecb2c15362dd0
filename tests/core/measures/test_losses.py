from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from sklearn.metrics import log_loss

from tests.core.measures.votes import WEIGHTS, four_votes, measured

SCORES = np.array([[-3.0, 0.5, 0.0], [0.9, -40.0, 2.0]])
Y = np.array([1.0, -1.0, 1.0])


@pytest.mark.parametrize(("name", "scores"), [("test", SCORES), ("truncated", SCORES.clip(-1, 1))])
def test_the_losses_are_those_of_scikit_learn_and_of_the_formula(
    name: str, scores: np.ndarray
) -> None:
    trained = replace(four_votes(WEIGHTS[:2]), test_scores=SCORES, y_test=Y)
    found = measured(f"{name}_logistic_loss", trained)
    expected = [log_loss(Y, 1 / (1 + np.exp(-row)), labels=[-1, 1]) for row in scores]
    np.testing.assert_allclose(found, expected, rtol=1e-9)
    found = measured(f"{name}_exponential_loss", trained)
    np.testing.assert_allclose(found, np.exp(-Y * scores).mean(axis=1), rtol=1e-12)
