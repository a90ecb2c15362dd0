from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np

from quadrepro.boosting.adaboost import AdaBoost
from quadrepro.boosting.base import positive_votes
from quadrepro.data.normalise import Normaliser
from quadrepro.engine.work import run_cell
from quadrepro.experiment.loading import load_experiment
from quadrepro.experiment.plan import make_plan
from quadrepro.voters.stumps import Stumps


def test_a_cell_is_the_protocol_step_by_step(
    small_config: Callable[..., Path],
) -> None:
    cell = make_plan(load_experiment(small_config())).cells[-1]
    record = run_cell(cell)
    X, y, split = cell.examples.X, cell.examples.y, cell.split
    normaliser = Normaliser.fit(X[split.train])
    stumps = Stumps(10).fit(normaliser.transform(X[split.train]))
    H, H_test = (stumps.transform(normaliser.transform(X[i])) for i in (split.train, split.test))
    weights = AdaBoost().path(H, y[split.train], cell.grid)
    wrong = positive_votes(H_test, weights)[:, 0] != (y[split.test] > 0)
    np.testing.assert_array_equal(record.wrong_examples(), wrong)
    assert (record.status, record.errors, record.n_test) == ("ok", wrong.sum(), 1701)
    assert record.chosen == {"n_rounds": 5}
    assert record.content == cell.content
