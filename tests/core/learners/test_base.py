from __future__ import annotations

import numpy as np
import pytest

from quadrepro.core.learners.adaboost import AdaBoost
from quadrepro.core.learners.cqboost import CqBoost
from quadrepro.core.learners.grid import Grid, Hyperparameter, Value
from quadrepro.core.learners.quadboost import QuadBoost

COUNT = Hyperparameter("count", "integer", "small", "a count")
PRICE = Hyperparameter("price", "number", "large", "a price", zero=True)
SHARE = Hyperparameter("share", "number", "small", "a share", largest=0.5)
NAME = Hyperparameter("name", "any", "small", "a name")


@pytest.mark.parametrize(
    ("hyperparameter", "values"),
    [
        (COUNT, [1, 2.0, 10]),
        (PRICE, [5, 0.5, 0]),
        (SHARE, [0.1, 0.5]),
        (NAME, ["b", "a", None, True, "b", float("nan")]),
        (NAME, []),
    ],
)
def test_valid_values_have_no_fault(hyperparameter: Hyperparameter, values: list[Value]) -> None:
    assert hyperparameter.fault(values) is None


@pytest.mark.parametrize(
    ("hyperparameter", "values", "fault"),
    [
        (COUNT, [1, "2"], "count takes numbers, not '2'"),
        (COUNT, [None], "count takes numbers, not None"),
        (PRICE, [True], "price takes numbers, not True"),
        (COUNT, [0, 1], "count must be positive and finite, not 0"),
        (COUNT, [1, -1], "count must be positive and finite, not -1"),
        (COUNT, [float("nan")], "count must be positive and finite, not nan"),
        (PRICE, [-0.5], "price must be at least 0 and finite, not -0.5"),
        (PRICE, [float("inf")], "price must be at least 0 and finite, not inf"),
        (COUNT, [2.5], "count takes whole numbers, not 2.5"),
        (SHARE, [0.1, 0.6], "share must be at most 0.5, not 0.6"),
        (SHARE, [0.1, 0.1], "share lists a value twice"),
        (COUNT, [1, 3, 2], "the values of count must increase: ties go to the first, simplest"),
        (PRICE, [1, 2], "the values of price must decrease: ties go to the first, simplest"),
    ],
)
def test_an_invalid_value_is_named(
    hyperparameter: Hyperparameter, values: list[Value], fault: str
) -> None:
    assert str(hyperparameter.fault(values)).startswith(fault)


def test_a_hyperparameter_that_a_grid_may_leave_out_is_not_asked_for() -> None:
    CqBoost().check(Grid.of({"mu": [0.1], "epsilon": [0.1]}))
    with pytest.raises(ValueError, match="CqBoost needs a value of epsilon"):
        CqBoost().check(Grid.of({"mu": [0.1]}))
    with pytest.raises(ValueError, match="CqBoost needs a value of mu, epsilon"):
        CqBoost().check(Grid.of({"n_rounds": [3]}))
    with pytest.raises(ValueError, match="AdaBoost has no hyper-parameter 'lam'"):
        AdaBoost().path(np.ones((2, 1)), np.ones(2), Grid.of({"n_rounds": [1], "lam": [1.0]}))
    with pytest.raises(ValueError, match="n_rounds must increase"):
        AdaBoost().path(np.ones((2, 1)), np.ones(2), Grid.of({"n_rounds": [20, 10]}))


def test_a_candidate_is_checked_value_by_value() -> None:
    QuadBoost("l2").check_candidate(lam=1.0, n_rounds=5)
    with pytest.raises(ValueError, match="lam must be positive"):
        QuadBoost("l2").check_candidate(n_rounds=5, lam=0.0)


def test_a_learner_does_its_own_task_and_no_other() -> None:
    algorithm = AdaBoost()
    assert algorithm.task == "classification"
    assert algorithm.for_task("classification") is algorithm
    assert algorithm.for_task("regression") is None
