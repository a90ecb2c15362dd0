"""A candidate whose program is not solved has NaN weights; only a cell without any other fails."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from quadrepro.core.learners.voting import DrawnVotes, MatrixVotes

from quadrepro.base.types import FloatArray
from quadrepro.core.cell import least
from quadrepro.core.estimators.programs import RegularizedLPBoostClassifier
from quadrepro.core.learners.grid import Grid, Stopping
from quadrepro.core.learners.learner import Algorithm, DrawnProblem, NoSolutionError
from quadrepro.core.learners.programs.cqboost import CqBoost, CqBoostMaster
from quadrepro.core.learners.programs.lp_reg import MarginLP, RegularizedLP
from quadrepro.core.learners.programs.lpboost import LPBoost, LPBoostMaster
from quadrepro.core.learners.programs.mincq import MinCq, MinCqProgram
from quadrepro.core.learners.programs.program import SolverError
from quadrepro.core.learners.programs.qp_reg import MarginQP, RegularizedQP
from quadrepro.core.voters.drawn import RandomStumps, StumpCoding

Problem = tuple[FloatArray, FloatArray]
FOLD = np.arange(60) % 3


@dataclass(frozen=True)
class Case:
    """An algorithm, its hyper-parameter with three values, and the method that solves for one."""

    algorithm: Algorithm
    name: str
    values: tuple[float, float, float]
    owner: type
    method: str
    value_of: Callable[..., float]
    others: tuple[tuple[str, float], ...] = ()

    def grid(self, *places: int) -> Grid:
        values = [self.values[place] for place in places or range(3)]
        return Grid.of({self.name: values} | {name: [value] for name, value in self.others})

    def unsolved(self, monkeypatch: pytest.MonkeyPatch, *places: int) -> None:
        """Let the solver fail for the values at some places."""
        solve = getattr(self.owner, self.method)

        def failing(program: Any, *arguments: Any) -> Any:
            if self.value_of(program, *arguments) in [self.values[place] for place in places]:
                raise SolverError("stalled")
            return solve(program, *arguments)

        monkeypatch.setattr(self.owner, self.method, failing)


def argument(program: Any, value: float) -> float:
    return value


LP_REG = Case(RegularizedLP(20), "nu", (0.9, 0.5, 0.3), MarginLP, "solve", argument)
QP_REG = Case(RegularizedQP(20), "C", (0.1, 1.0, 10.0), MarginQP, "solve", argument)
CASES = [
    LP_REG,
    QP_REG,
    Case(LPBoost(), "C", (0.1, 1.0, 10.0), LPBoostMaster, "solve", lambda master: master._C),
    Case(MinCq(), "mu", (0.05, 0.02, 0.01), MinCqProgram, "solve", argument),
    Case(
        CqBoost(),
        "mu",
        (0.05, 0.02, 0.01),
        CqBoostMaster,
        "generate",
        lambda master, *_: master._mu,
        (("epsilon", 1e-6),),
    ),
]
each = pytest.mark.parametrize("case", CASES, ids=lambda case: type(case.algorithm).__name__)


@each
def test_only_the_weights_of_the_unsolved_candidate_are_nan(
    case: Case, make_problem: Callable[..., Problem], monkeypatch: pytest.MonkeyPatch
) -> None:
    H, y = make_problem()
    expected = case.algorithm.path(H, y, case.grid())
    case.unsolved(monkeypatch, 1)
    found = case.algorithm.path(H, y, case.grid())
    assert np.isnan(found).any(axis=1).tolist() == [False, True, False]
    np.testing.assert_allclose(found[[0, 2]], expected[[0, 2]], atol=1e-6)


@each
def test_the_choice_is_among_the_solved_candidates(
    case: Case, make_problem: Callable[..., Problem], monkeypatch: pytest.MonkeyPatch
) -> None:
    H, y = make_problem()
    losses = MatrixVotes([case.grid()], case.algorithm, H, y, H).losses(FOLD).values
    best = int(losses.argmin())
    case.unsolved(monkeypatch, best)
    choice = least(MatrixVotes([case.grid()], case.algorithm, H, y, H).losses(FOLD))
    assert np.isnan(choice.losses).tolist() == [place == best for place in range(3)]
    assert choice.fitted.candidate[case.name] != case.values[best]
    assert choice.loss == np.delete(losses, best).min()


@each
def test_a_cell_without_a_solved_candidate_fails(
    case: Case, make_problem: Callable[..., Problem], monkeypatch: pytest.MonkeyPatch
) -> None:
    H, y = make_problem()
    case.unsolved(monkeypatch, 0, 1, 2)
    with pytest.raises(NoSolutionError, match=r"has a solution: (the solver found no|mu can be)"):
        MatrixVotes([case.grid()], case.algorithm, H, y, H).losses(FOLD)


@pytest.mark.parametrize("case", [LP_REG, QP_REG], ids=["lp", "qp"])
def test_an_unsolved_candidate_over_drawn_stumps_is_not_chosen(
    case: Case, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(5)
    X = rng.normal(size=(120, 3))
    y = np.where(X[:, 0] + rng.normal(size=120) > 0, 1.0, -1.0)
    coding = StumpCoding.fit(X[:60])
    codes = coding.transform(X[:60]), coding.transform(X[60:])
    problem = DrawnProblem(
        lambda: RandomStumps(codes[0], y[:60], np.random.default_rng(9), per_round=40),
        *(codes[0], y[:60], codes[1], y[60:]),
        Stopping(5, max_rounds=50),
    )
    votes = DrawnVotes([case.grid()], case.algorithm, problem, codes[1])
    before = votes.losses(None).values
    best = int(before.argmin())
    case.unsolved(monkeypatch, best)
    choice = least(votes.losses(None))
    np.testing.assert_array_equal(np.isnan(choice.losses), np.arange(3) == best)
    assert choice.loss == np.delete(before, best).min()
    assert votes.validate(None).solved.tolist() == [place != best for place in range(3)]
    case.unsolved(monkeypatch, 0, 1, 2)
    with pytest.raises(NoSolutionError, match="no candidate has a solution"):
        least(votes.losses(None))


def test_an_estimator_whose_program_is_unsolved_fails(
    make_problem: Callable[..., Problem], monkeypatch: pytest.MonkeyPatch
) -> None:
    LP_REG.unsolved(monkeypatch, 1)
    with pytest.raises(SolverError, match=r"the solver found no optimum for {'nu': 0.5}"):
        RegularizedLPBoostClassifier(nu=0.5, voters="precomputed").fit(*make_problem())
