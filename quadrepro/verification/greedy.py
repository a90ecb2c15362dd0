"""Training a greedy algorithm once more, and the rule by which its rounds are checked."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import singledispatch

import numpy as np

from quadrepro._typing import FloatArray, IntArray
from quadrepro.learners.algorithm import DrawnProblem
from quadrepro.learners.greedy.adaboost import AdaBoost
from quadrepro.learners.greedy.adaboost_reg import AdaBoostReg, SoftMargins
from quadrepro.learners.greedy.algorithm import GreedyAlgorithm
from quadrepro.learners.greedy.cbboost import CBBoost, GBCBBoost
from quadrepro.learners.greedy.ebboost import EBBoost
from quadrepro.learners.greedy.hedge import HedgeBoost
from quadrepro.learners.greedy.loop import Step, Trace, Watcher, boost
from quadrepro.learners.greedy.quadboost import QuadBoost, QuadBoostL1, QuadBoostL2, QuadBoostLInf
from quadrepro.learners.grid import Grid
from quadrepro.verification.cbound import CBoundRule
from quadrepro.verification.certificate import Certificate, Rounds
from quadrepro.verification.quadratic import QuadBoostRule
from quadrepro.verification.solution import Cell, Solution, drawn_problem, solve
from quadrepro.verification.stopping import HeldOut
from quadrepro.verification.trajectory import (
    DrawnTrajectory,
    FixedTrajectory,
    StepRule,
    check_rounds,
)
from quadrepro.verification.voters import DrawnVote, Grid16, Matrix, MatrixVote, Vote
from quadrepro.verification.weights import AdaBoostRegRule, AdaBoostRule, EBBoostRule, HedgeRule
from quadrepro.voters.source import FixedVoters, VoterSource


class Influences(Watcher[SoftMargins]):
    """Keeps the influences of AdaBoost_REG after every round of the first trajectory.

    Attributes
    ----------
    rounds : list of ndarray of shape (n_examples,)
        The influences.
    """

    def __init__(self) -> None:
        self.rounds: list[FloatArray] = []

    def after(self, t: int, live: IntArray, step: Step, state: SoftMargins) -> None:
        """Keep the influences after a round."""
        self.rounds.append(state.influences[0].copy())

    def retire(self, rows: IntArray, step: Step, votes: FloatArray) -> None:
        """Do nothing: nothing follows the last round."""


def form_of(learner: QuadBoost) -> tuple[bool, float, bool]:
    """Return the form of QuadBoost: what its variants share."""
    return learner.reweight, learner.tol, learner.selection == "correlation"


@singledispatch
def rule_of(learner: object, value: float) -> StepRule:
    """Return what checks the rounds of an algorithm with one value of its hyper-parameter."""
    raise NotImplementedError(f"no rule for {type(learner).__name__}")


@rule_of.register
def _(learner: AdaBoost, value: float) -> StepRule:
    return AdaBoostRule()


@rule_of.register
def _(learner: EBBoost, value: float) -> StepRule:
    return EBBoostRule(value)


@rule_of.register
def _(learner: HedgeBoost, value: float) -> StepRule:
    return HedgeRule(value)


@rule_of.register
def _(learner: QuadBoost, value: float) -> StepRule:
    return QuadBoostRule(0.0, 0.0, np.inf, *form_of(learner))


@rule_of.register
def _(learner: QuadBoostL1, value: float) -> StepRule:
    return QuadBoostRule(value, 0.0, np.inf, *form_of(learner))


@rule_of.register
def _(learner: QuadBoostL2, value: float) -> StepRule:
    return QuadBoostRule(0.0, value, np.inf, *form_of(learner))


@rule_of.register
def _(learner: QuadBoostLInf, value: float) -> StepRule:
    return QuadBoostRule(0.0, 0.0, value, *form_of(learner))


@rule_of.register
def _(learner: CBBoost, value: float) -> StepRule:
    return CBoundRule(gradient=False, repeats=learner.allow_repeats, reweight=learner.reweight)


@rule_of.register
def _(learner: GBCBBoost, value: float) -> StepRule:
    return CBoundRule(gradient=True, repeats=False)


@dataclass(frozen=True, eq=False)
class GreedySolution(Solution):
    """A vote with the rounds that made it.

    Attributes
    ----------
    learner : GreedyAlgorithm
        The algorithm.
    value : float
        Its hyper-parameter besides the number of rounds; NaN if it has none.
    run : FixedTrajectory or DrawnTrajectory
        The rounds.
    voters : StumpMatrix, VoterSetMatrix or Grid16
        Evaluates the voters.
    held_out : HeldOut or None, default None
        What chose the number of rounds, if stumps are drawn.
    influences : ndarray of shape (n_rounds, n_examples)
        Those of the examples after every round, in a run of AdaBoost_REG.
    """

    learner: GreedyAlgorithm  # type: ignore[type-arg]
    value: float
    run: FixedTrajectory | DrawnTrajectory
    voters: Matrix | Grid16
    held_out: HeldOut | None = None
    influences: FloatArray = field(default_factory=lambda: np.zeros((0, 0)))

    @property
    def vote(self) -> Vote:
        """The vote, added up over the rounds."""
        run, voters = self.run, self.voters
        if isinstance(run, FixedTrajectory):
            assert not isinstance(voters, Grid16)
            weights = run.vote()
            if isinstance(self.learner, CBBoost | GBCBBoost):
                # The paper's weights are a distribution over voters.
                weights /= max(np.abs(weights).sum(), np.longdouble(1e-300))
            return MatrixVote(voters, weights)
        assert isinstance(voters, Grid16)
        return DrawnVote(voters, run.attributes, run.cuts, run.weights)

    @property
    def rule(self) -> StepRule:
        """What checks the rounds."""
        if isinstance(self.learner, AdaBoostReg):
            return AdaBoostRegRule(self.value, self.learner.power, self.influences)
        return rule_of(self.learner, self.value)

    def prove(self, certificate: Certificate, rounds: Rounds) -> None:
        """Check rounds by the definition of the algorithm."""
        check_rounds(self.run, self.rule, rounds, certificate)
        if self.held_out is not None and isinstance(vote := self.vote, DrawnVote):
            self.held_out.check(vote, certificate)


def fixed_run(
    learner: GreedyAlgorithm,  # type: ignore[type-arg]
    H: FloatArray,
    y: FloatArray,
    grid: Grid,
) -> FixedTrajectory:
    """Run an algorithm over a voter matrix for the one candidate of a grid.

    Parameters
    ----------
    learner : GreedyAlgorithm
        The algorithm.
    H : ndarray of shape (n_examples, n_voters)
        Voter matrix.
    y : ndarray of shape (n_examples,)
        Labels.
    grid : Grid
        One candidate.
    """
    problem, trace, n_rounds = learner.reduced(H, y), Trace(), learner.rounds(grid)[-1]
    learner.run(problem, learner.values(grid), n_rounds, [trace])
    picks = problem.representatives[np.array(trace.picks, dtype=np.intp)]
    return FixedTrajectory(H * y[:, None], picks, np.array(trace.weights), n_rounds)


def drawn_solution(
    learner: GreedyAlgorithm,  # type: ignore[type-arg]
    cell: Cell,
    grid: Grid,
) -> tuple[GreedySolution, DrawnProblem]:
    """Run an algorithm over drawn stumps for the one candidate of a grid.

    Returns
    -------
    solution : GreedySolution
        What it found.
    problem : DrawnProblem
        The examples on the grid of the thresholds.
    """
    assert cell.drawn is not None
    assert cell.data.valid is not None
    problem, on_grid = drawn_problem(cell.data, cell.drawn)
    held = learner.hold_out(problem, grid)
    found = held.vote(0)
    stumps = found.attributes, found.cuts.astype(np.intp), found.weights
    run = DrawnTrajectory(problem.source, problem.train.astype(np.intp), problem.y_train, *stumps)
    held_out = HeldOut(cell.data.valid, cell.drawn.stopping)
    value = float(learner.values(grid)[0])
    solution = GreedySolution(held.candidates[0], learner, value, run, on_grid, held_out)
    return solution, problem


@solve.register
def _(learner: GreedyAlgorithm, cell: Cell) -> Solution:  # type: ignore[type-arg]
    grid = cell.alone
    if cell.drawn is not None:
        return drawn_solution(learner, cell, grid)[0]
    stumps, H = cell.matrix()
    run = fixed_run(learner, H, cell.data.train.y, grid)
    return GreedySolution(cell.chosen, learner, float(learner.values(grid)[0]), run, stumps)


@solve.register
def _(learner: AdaBoostReg, cell: Cell) -> Solution:
    y, kept = cell.data.train.y, Influences()
    source: VoterSource
    if cell.drawn is not None:
        found, problem = drawn_solution(learner, cell, cell.alone)
        source = problem.source()
    else:
        stumps, H = cell.matrix()
        run, value = fixed_run(learner, H, y, cell.alone), float(learner.values(cell.alone)[0])
        found, source = GreedySolution(cell.chosen, learner, value, run, stumps), FixedVoters(H, y)
    state = learner.weights(source, np.ones((1, len(y))))
    boost(learner.rule(np.array([found.value])), state, len(found.run.weights), [kept])
    return replace(found, influences=np.array(kept.rounds).reshape(-1, len(y)))
