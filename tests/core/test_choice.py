from __future__ import annotations

import numpy as np
import pytest

from quadrepro.core.cell import Choice, least
from quadrepro.core.learners.learner import Fitted, Losses, Outputs

NAN = float("nan")


@pytest.mark.parametrize(
    ("values", "best"),
    [([3.0, 1.0, 2.0], 1), ([2.0, 1.0, 1.0], 1), ([NAN, 5.0, 4.0], 2), ([NAN, np.inf, NAN], 1)],
)
def test_the_first_candidate_of_least_loss_is_trained_and_no_other(
    values: list[float], best: int
) -> None:
    trained: list[int] = []

    def fit(i: int) -> Fitted:
        trained.append(i)
        return Fitted({"i": i}, Outputs(np.zeros(2)))

    losses = np.array(values)
    choice = least(Losses(losses, fit))
    assert trained == [best]
    assert choice.fitted.candidate == {"i": best}
    assert choice.loss == values[best]
    assert type(choice.loss) is float
    assert choice.losses is losses
    assert choice.path is None


def test_a_choice_of_nothing_has_no_losses() -> None:
    choice = Choice(Fitted({}, Outputs(np.zeros(1))))
    assert (choice.loss, choice.losses.size, choice.path) == (0.0, 0, None)
