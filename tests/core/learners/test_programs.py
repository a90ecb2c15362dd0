"""Paths of the learners that solve programs, by the definitions of these in `tests.oracles`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pytest
from sklearn.base import clone

from quadrepro.base.types import FloatArray
from quadrepro.core.estimators import (
    CqBoostClassifier,
    LPBoostClassifier,
    MinCqClassifier,
    RegularizedLPBoostClassifier,
    RegularizedQPBoostClassifier,
    VoteClassifier,
)
from quadrepro.core.learners import cqboost, lpboost, programs
from quadrepro.core.learners.adaboost import AdaBoost
from quadrepro.core.learners.cbboost import CBBoost
from quadrepro.core.learners.cqboost import CqBoost
from quadrepro.core.learners.grid import Grid
from quadrepro.core.learners.lp_reg import RegularizedLP
from quadrepro.core.learners.lpboost import LPBoost
from quadrepro.core.learners.mincq import MinCq, MinCqOnCBBoost
from quadrepro.core.learners.programs import feasible, mu_limit, solve_box_program
from quadrepro.core.learners.qp_reg import RegularizedQP
from quadrepro.core.learners.soft_margin import SoftMargin
from tests import oracles
from tests.make import lines_of
from tests.oracles import Optimality

Problem = tuple[FloatArray, FloatArray]
GAP, VIOLATION = 1e-5, 1e-8
ROUNDS = 30


class Solved(NamedTuple):
    """Weights of a candidate, what judges such weights, and others that satisfy all constraints."""

    weights: FloatArray
    judge: Callable[[FloatArray], Optimality]
    plain: FloatArray


def of_lpboost(problem: Problem) -> Iterator[Solved]:
    values = [0.01, 0.03, 0.1, 1.0, 100.0]
    for weights, C in zip(LPBoost().path(*problem, Grid.of({"C": values})), values, strict=True):
        yield Solved(weights, partial(oracles.lpboost, *problem, C), np.zeros(len(weights)))


def of_mincq(problem: Problem) -> Iterator[Solved]:
    H, y = problem
    margins = y @ H / len(y)
    values = [share * float(np.abs(margins).mean()) for share in (0.999, 0.7, 0.3, 0.1)]
    for weights, mu in zip(MinCq().path(H, y, Grid.of({"mu": values})), values, strict=True):
        plain = mu * np.sign(margins) / np.abs(margins).sum()
        yield Solved(weights, partial(oracles.mincq, H, y, mu), plain)


def of_mincq_on_cb_boost(problem: Problem) -> Iterator[Solved]:
    H, y = problem
    rounds, mu = Grid.of({"n_rounds": [2, 4, 8]}), 0.05
    votes = CBBoost().path(H, y, rounds)
    for vote, weights in zip(votes, MinCqOnCBBoost(mu).path(H, y, rounds), strict=True):
        chosen = vote != 0
        assert not weights[~chosen].any()
        margins = y @ H[:, chosen] / len(y)
        plain = mu * np.sign(margins) / np.abs(margins).sum()
        yield Solved(weights[chosen], partial(oracles.mincq, H[:, chosen], y, mu), plain)


def of_cqboost(problem: Problem, epsilon: float = 1e-12) -> Iterator[Solved]:
    H, y = problem
    margins = y @ H / len(y)
    best = int(np.abs(margins).argmax())
    values = [share * float(abs(margins[best])) for share in (0.99, 0.6, 0.1)]
    grid = Grid.of({"mu": values, "epsilon": [epsilon]})
    plain = np.sign(margins) * (np.arange(len(margins)) == best)
    for weights, mu in zip(CqBoost().path(H, y, grid), values, strict=True):
        yield Solved(weights, partial(oracles.cqboost, H, y, mu), plain)


def over_adaboost(
    problem: Problem, learner: SoftMargin, values: list[float], oracle: Any
) -> Iterator[Solved]:
    H, y = problem
    signs = np.sign(AdaBoost().path(H, y, Grid.of({"n_rounds": [ROUNDS]}))[0])
    used = signs != 0
    [key] = [h.name for h in learner.hyperparameters]
    for weights, value in zip(learner.path(H, y, Grid.of({key: values})), values, strict=True):
        assert not weights[~used].any()
        judge = partial(oracle, H[:, used] * signs[used], y, value)
        yield Solved((weights * signs)[used], judge, np.full(used.sum(), 1 / used.sum()))


PROGRAMS: dict[str, Callable[[Problem], Iterator[Solved]]] = {
    "LPBoost": of_lpboost,
    "MinCq": of_mincq,
    "MinCq on CB-Boost": of_mincq_on_cb_boost,
    "CqBoost": of_cqboost,
    "LP_REG": partial(
        over_adaboost,
        learner=RegularizedLP(n_rounds=ROUNDS),
        values=[1.0, 0.7, 0.4, 0.1, 0.01],
        oracle=oracles.lp_reg,
    ),
    "QP_REG": partial(
        over_adaboost,
        learner=RegularizedQP(n_rounds=ROUNDS),
        values=[0.001, 0.03, 0.3, 1.0, 100.0],
        oracle=oracles.qp_reg,
    ),
}
each_program = pytest.mark.parametrize("program", PROGRAMS)


def is_optimal(found: Optimality) -> bool:
    return found.violation <= VIOLATION and abs(found.gap) <= GAP * abs(found.objective)


@each_program
@pytest.mark.parametrize("n", [12, 90], ids=["few voters", "many voters"])
def test_every_candidate_is_optimal(
    make_problem: Callable[..., Problem], program: str, n: int
) -> None:
    for found in PROGRAMS[program](make_problem(n=n)):
        assert is_optimal(found.judge(found.weights))


@pytest.mark.parametrize("program", [*PROGRAMS][:4])
def test_every_candidate_is_optimal_over_voters_of_any_values(
    make_problem: Callable[..., Problem], program: str
) -> None:
    for found in PROGRAMS[program](make_problem(n=25, real=True)):
        assert is_optimal(found.judge(found.weights))


@each_program
def test_weights_that_are_off_by_a_share_of_1e_4_are_found(
    make_problem: Callable[..., Problem], program: str
) -> None:
    *_, found = PROGRAMS[program](make_problem())
    for change in (1e-4, -1e-4):
        moved = found.weights.copy()
        moved[np.abs(moved).argmax()] *= 1 + change
        assert not is_optimal(found.judge(moved))


@each_program
def test_the_gap_is_at_least_what_a_vote_is_above_the_optimum(
    make_problem: Callable[..., Problem], program: str
) -> None:
    for weights, judge, plain in PROGRAMS[program](make_problem()):
        least = judge(weights).objective
        for share in (1.0, 0.1, 0.01):
            found = judge(share * plain + (1 - share) * weights)
            assert found.violation <= VIOLATION
            assert found.gap >= found.objective - least - GAP * abs(least)


@pytest.mark.parametrize("epsilon", [1.0, 1e-2, 1e-4, 1e-9])
def test_epsilon_bounds_the_gap_of_cqboost(
    make_problem: Callable[..., Problem], epsilon: float
) -> None:
    for weights, judge, _ in of_cqboost(make_problem(n=60), epsilon):
        assert judge(weights).violation <= VIOLATION
        assert judge(weights).gap <= epsilon + VIOLATION


@pytest.mark.parametrize("largest", [0.3, 1 / 3, 1e-3])
def test_the_largest_mean_margin_itself_is_feasible_rounding_included(largest: float) -> None:
    assert feasible(largest, largest)
    assert feasible(float(np.nextafter(largest, 1.0)), largest)
    assert not feasible(largest * (1 + 1e-9), largest)


@pytest.mark.parametrize(
    ("largest", "shown"), [(0.37599, "0.375"), (0.5, "0.5"), (0.0123499, "0.0123"), (1.0, "1")]
)
def test_the_limit_is_rounded_down_to_three_digits(largest: float, shown: str) -> None:
    assert mu_limit(np.array([largest])) == f"mu can be at most {shown}"


def test_a_box_program_with_an_equation_is_solved_as_by_hand() -> None:
    # |x - t|² / 2 with sum x = 1 moves all x that are inside their bounds by the same amount.
    t, low, high = np.array([0.9, 0.5, -0.3]), np.zeros(3), np.full(3, 0.6)
    x = solve_box_program(np.eye(3, order="F"), -t, low, high, (np.ones(3), 1.0))
    assert x == pytest.approx([0.6, 0.4, 0.0], abs=1e-9)


@pytest.mark.parametrize("estimator", [CqBoostClassifier(0.8), MinCqClassifier(0.8)], ids=repr)
def test_a_mean_margin_that_no_vote_has_is_refused_with_the_largest_feasible_one(
    estimator: VoteClassifier,
) -> None:
    H = np.array([[1.0, 1.0], [0.5, 1.0], [-0.5, 1.0], [0.0, 0.0]])
    y = np.array([1, 1, 0, 1])
    estimator = clone(estimator).set_params(voters="precomputed")
    largest = 0.5 if isinstance(estimator, CqBoostClassifier) else 0.375
    message = f"no optimum was found for .*'mu': 0.8.*; mu can be at most {largest}"
    with pytest.raises(ValueError, match=message):
        estimator.fit(H, y)
    weights = estimator.set_params(mu=largest).fit(H, y).voter_weights_
    assert np.where(y, 1, -1) @ H @ weights / 4 == pytest.approx(largest)


@pytest.mark.parametrize(
    "estimator",
    [
        LPBoostClassifier(),
        RegularizedLPBoostClassifier(0.5),
        RegularizedQPBoostClassifier(),
        MinCqClassifier(0.1),
        CqBoostClassifier(0.1),
    ],
    ids=repr,
)
def test_an_estimator_whose_program_is_unsolved_fails(
    problem: Problem, estimator: VoteClassifier, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(programs, "RESIDUAL", -1.0)
    monkeypatch.setattr(cqboost, "RESIDUAL", -1.0)
    monkeypatch.setitem(lpboost.OPTIONS, "simplex_iteration_limit", 0)
    with pytest.raises(ValueError, match="no optimum was found for"):
        clone(estimator).set_params(voters="precomputed").fit(*problem)


CODE = """
import hashlib
import numpy as np
from quadrepro.core.learners.cqboost import CqBoost
from quadrepro.core.learners.grid import Grid
from quadrepro.core.learners.lp_reg import RegularizedLP
from quadrepro.core.learners.lpboost import LPBoost

rng = np.random.default_rng(0)
y = np.where(rng.random(90) < 0.5, 1.0, -1.0)
H = np.where(rng.random((90, 60)) < 0.6, y[:, None], -y[:, None])
runs = [
    (LPBoost(), {"C": [0.01, 0.03, 0.1, 0.3]}),
    (RegularizedLP(n_rounds=40), {"nu": [1.0, 0.5, 0.3, 0.1]}),
    (CqBoost(), {"mu": [0.1, 0.03], "epsilon": [1e-2, 1e-6]}),
]
for algorithm, grid in runs:
    path = algorithm.path(H, y, Grid.of(grid))
    print(type(algorithm).__name__, hashlib.sha256(path.tobytes()).hexdigest())
"""


@pytest.mark.slow
def test_an_older_processor_gives_the_same_bits() -> None:
    # OpenBLAS takes the kernels of the processor that is named; other BLAS take no notice.
    older = lines_of(CODE, OPENBLAS_CORETYPE="Nehalem")
    assert older == lines_of(CODE)
    assert len(older) == 3
