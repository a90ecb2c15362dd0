"""Checks of algorithms that solve programs: a bound on the optimum, from a dual solution.

A dual solution that satisfies its constraints proves that no vote has a better objective than its
own. So it does not matter how it was found, and the gap to the objective of the vote is computed
from both by definition, over all examples and voters, without the solver.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from quadrepro._typing import FloatArray
from quadrepro.learners.greedy.adaboost import AdaBoost
from quadrepro.learners.grid import Grid
from quadrepro.learners.programs import lpboost
from quadrepro.learners.programs.lp_reg import MarginLP, RegularizedLP
from quadrepro.learners.programs.qp_reg_program import MarginQP
from quadrepro.learners.programs.soft_margin import SoftMargin
from quadrepro.verification.certificate import Certificate, LongArray, Rounds
from quadrepro.verification.greedy import GreedySolution, drawn_solution, fixed_run
from quadrepro.verification.solution import Cell, Solution, solve
from quadrepro.verification.voters import DrawnVote, MatrixVote, Vote

COLUMN = 1e-6
"""LPBoost adds no voter whose dual constraint is violated by less than this."""


@dataclass(frozen=True, eq=False)
class ProgramSolution(Solution):
    """A vote whose weights solve a program.

    Attributes
    ----------
    final : Vote
        The vote.
    signed : ndarray of shape (n_examples, n_voters)
        y h of the voters of the program.
    weights : ndarray of shape (n_voters,)
        Their weights.
    """

    final: Vote
    signed: FloatArray
    weights: FloatArray

    @property
    def vote(self) -> Vote:
        """The vote."""
        return self.final


@dataclass(frozen=True, eq=False)
class LPBoostSolution(ProgramSolution):
    """min Σ|a| + C Σ ξ with y F ≥ 1 - ξ; max Σ u with |Σ u y h| ≤ 1 for all h and 0 ≤ u ≤ C.

    Attributes
    ----------
    C : float
        Price of slack.
    duals : ndarray of shape (n_examples,)
        u.
    """

    C: float
    duals: FloatArray
    warm = True

    def prove(self, certificate: Certificate, rounds: Rounds) -> None:
        """Check the dual constraints of all voters, and the gap."""
        u, a = as_long(self.duals), as_long(self.weights)
        edges = np.abs(u @ self.signed)
        outside = max(0.0, float(edges.max()) - 1 - COLUMN, *_box(u, self.C))
        certificate.measure("violation", outside, "LPBoost's dual constraints")
        slack = np.maximum(0, 1 - self.signed @ a)
        primal = np.abs(a).sum() + self.C * slack.sum()
        note_gap(certificate, primal, u.sum(), "LPBoost")


@dataclass(frozen=True, eq=False)
class MarginSolution(ProgramSolution):
    """New weights for the voters of AdaBoost.

    Attributes
    ----------
    value : float
        ν or C.
    duals : ndarray of shape (n_examples,)
        Weights of the examples.
    before : GreedySolution
        AdaBoost's run.
    """

    value: float
    duals: FloatArray
    before: GreedySolution
    warm = True

    def prove(self, certificate: Certificate, rounds: Rounds) -> None:
        """Check AdaBoost's rounds and the program."""
        self.before.prove(certificate, rounds)
        lowest = max(0.0, -float(self.weights.min(initial=0.0)))
        certificate.measure("violation", lowest, "the signs of the weights")
        others = float(abs(self.final.total - np.abs(as_long(self.weights)).sum()))
        certificate.measure("violation", others, "the weights of other voters")
        if len(self.weights):
            self.check_program(certificate)

    def check_program(self, certificate: Certificate) -> None:
        """Check the constraints and the gap."""
        raise NotImplementedError


@dataclass(frozen=True, eq=False)
class LPRegSolution(MarginSolution):
    """max ρ - C Σ ξ with y F ≥ ρ - ξ, Σ a = 1; min max_h Σ d y h, Σ d = 1, 0 ≤ d ≤ C = 1/(ν m)."""

    def check_program(self, certificate: Certificate) -> None:
        """Check the constraints and the gap."""
        d, a = as_long(self.duals), as_long(self.weights)
        C = 1 / (self.value * np.longdouble(len(d)))
        certificate.measure("violation", abs(a.sum() - 1), "the sum of LP_REG's weights")
        outside = max(float(abs(d.sum() - 1)), *_box(d, float(C)))
        certificate.measure("violation", outside, "LP_REG's dual constraints")
        margins = np.sort(self.signed @ a)
        n = np.arange(1, len(margins) + 1)
        # The best ρ is one of the margins, since the objective is linear between them.
        primal = (margins - C * (n * margins - margins.cumsum())).max()
        note_gap(certificate, (d @ self.signed).max(), primal, "LP_REG")


@dataclass(frozen=True, eq=False)
class QPRegSolution(MarginSolution):
    """min ‖b‖² + C Σ ξ with y F ≥ 1 - ξ, b ≥ 0; max Σ u - ¼ ‖(M'u)₊‖² with 0 ≤ u ≤ C."""

    def check_program(self, certificate: Certificate) -> None:
        """Check the constraints and the gap."""
        u, b = as_long(self.duals), as_long(self.weights)
        certificate.measure("violation", max(_box(u, self.value)), "QP_REG's dual constraints")
        primal = (b * b).sum() + self.value * np.maximum(0, 1 - self.signed @ b).sum()
        dual = u.sum() - (np.maximum(0, u @ self.signed) ** 2).sum() / 4
        note_gap(certificate, primal, dual, "QP_REG")


@solve.register
def _(learner: lpboost.LPBoost, cell: Cell) -> Solution:
    stumps, H = cell.matrix()
    y = cell.data.train.y
    problem = learner.reduced(H, y)
    values = [float(value) for value in cell.up_to.axis("C") or ()]
    *_, (added, found) = lpboost.generate_columns(problem, problem.counts[0], values)
    weights = np.zeros(H.shape[1])
    weights[problem.representatives[added]] = found.voter_weights
    # Equal examples share the weight of the one that stands for them.
    share = found.example_weights / problem.counts[0]
    rows = np.column_stack([problem.H, problem.y])
    of_row = {row.tobytes(): value for row, value in zip(rows, share, strict=True)}
    plain = np.column_stack([H[:, problem.representatives], y])
    duals = np.array([of_row[row.tobytes()] for row in plain])
    vote = MatrixVote(stumps, as_long(weights))
    return LPBoostSolution(cell.chosen, vote, H * y[:, None], weights, values[-1], duals)


@solve.register
def _(learner: SoftMargin, cell: Cell) -> Solution:
    ada, y = AdaBoost(), cell.data.train.y
    weights: FloatArray
    final: Vote
    if cell.drawn is None:
        stumps, H = cell.matrix()
        run = fixed_run(ada, H, y, Grid.of({"n_rounds": [learner.n_rounds]}))
        before = GreedySolution({}, ada, np.nan, run, stumps)
        voters = np.flatnonzero(run.vote())
        signs = np.sign(run.vote()[voters]).astype(np.float64)
        found = learner.path(H, y, cell.up_to)[-1]
        candidate, final, weights = cell.chosen, MatrixVote(stumps, as_long(found)), found[voters]
        outputs = H[:, voters]
    else:
        before, problem = drawn_solution(ada, cell, Grid.of({}))
        first = before.vote
        assert isinstance(first, DrawnVote)
        held = learner.hold_out(problem, cell.up_to)
        found = held.vote(len(held.candidates) - 1).weights
        candidate, weights, signs = held.candidates[-1], found, np.sign(first.weights)
        final = replace(first, weights=found)
        above = first.cuts < problem.train[first.attributes].T
        outputs = np.where(above, 1.0, -1.0)
    signed = outputs * signs * y[:, None]
    # A stump that was picked twice is one voter of the program.
    _, once = np.unique(signed, axis=1, return_index=True)
    once = once[signs[once] != 0]
    value = float(next(iter(cell.up_to.axes))[1][-1])  # type: ignore[arg-type]
    program = (MarginLP if isinstance(learner, RegularizedLP) else MarginQP)(
        np.ascontiguousarray(signed[:, once]), np.ones(len(y))
    )
    duals = program.solve(value).example_weights if len(once) else np.zeros(len(y))
    kind = LPRegSolution if isinstance(learner, RegularizedLP) else QPRegSolution
    signed, weights = signed[:, once], (weights * signs)[once]
    return kind(candidate, final, signed, weights, value, duals, before)


def as_long(numbers: FloatArray) -> LongArray:
    """Return numbers in extended precision."""
    return numbers.astype(np.longdouble)


def _box(duals: LongArray, cap: float) -> tuple[float, float]:
    """Return how far dual weights are below 0 and above their bound, relative to it."""
    return max(0.0, -float(duals.min()) / cap), max(0.0, float(duals.max()) / cap - 1)


def note_gap(
    certificate: Certificate, primal: np.longdouble, dual: np.longdouble, program: str
) -> None:
    """Note the gap relative to the objective, and that no bound is above what it bounds."""
    gap = float((primal - dual) / max(np.longdouble(1), abs(primal)))
    certificate.measure("gap", abs(gap), f"{program}'s gap")
