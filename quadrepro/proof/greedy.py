"""Certificates of the algorithms that run the greedy loop."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import singledispatch

import numpy as np

from quadrepro.base.types import BoolArray, FloatArray, IntArray
from quadrepro.core.learners.greedy.adaboost import AdaBoost
from quadrepro.core.learners.greedy.adaboost_reg import AdaBoostReg, SoftMargins
from quadrepro.core.learners.greedy.cbboost import CBBoost, GBCBBoost
from quadrepro.core.learners.greedy.ebboost import EBBoost
from quadrepro.core.learners.greedy.hedge import HedgeBoost
from quadrepro.core.learners.greedy.loop import GreedyAlgorithm, Step, Trace, Watcher, boost
from quadrepro.core.learners.greedy.quadboost import (
    QuadBoost,
    QuadBoostL1,
    QuadBoostL2,
    QuadBoostLInf,
)
from quadrepro.core.learners.grid import Grid, Stopping
from quadrepro.core.learners.learner import DrawnProblem, Part
from quadrepro.core.voters.source import FixedVoters, VoterSource
from quadrepro.proof.certificate import Certificate, LongArray, Number, Rounds
from quadrepro.proof.solution import Cell, Solution, drawn_problem, solve
from quadrepro.proof.trajectory import (
    DrawnTrajectory,
    FixedTrajectory,
    Round,
    StepRule,
    check_rounds,
)
from quadrepro.proof.voters import ZERO, DrawnVote, Grid16, Matrix, MatrixVote, Vote
from quadrepro.proof.weights import AdaBoostRegRule, AdaBoostRule, EBBoostRule, HedgeRule

ROUNDING = 1e-11
"""What rounding may add to the change that is left when a run ends."""


BLUR = 1e-10
"""Added to the falls of the risk that re-weighting compares, of which the roots are the scores.

They are differences of numbers near 1, so that rounding changes small ones by a large share.
"""


@dataclass
class QuadBoostRule:
    """The weight is clip(soft(c', τ)/(η + ρ), ±bound) of the voter that lowers the risk most.

    Attributes
    ----------
    threshold, ridge, bound : float
        τ, ρ and the largest weight.
    reweight : bool
        Whether the weight of a voter is replaced; then c' = c + α η, else c' = c.
    tol : float
        The change of a weight at which a run ends.
    by_correlation : bool, default False
        Whether the voter of largest |c| is picked, and not that of the largest fall of the risk.
    """

    threshold: float
    ridge: float
    bound: float
    reweight: bool
    tol: float
    by_correlation: bool = False

    def check(self, seen: Round, certificate: Certificate) -> None:
        """Check the pick, its weight, and that the risk falls."""
        where = f"round {seen.t}"
        _, falls = self._changes(seen)
        residuals, picked = 1 - seen.margins, seen.picked
        eta = (picked.astype(np.longdouble) ** 2).mean()
        old = seen.vote[seen.pick] if self.reweight else np.longdouble(0.0)
        c = (residuals * picked).mean() + old * eta
        new = old + np.longdouble(seen.weight)
        fall = np.longdouble(self._risk(c, eta, old)) - np.longdouble(self._risk(c, eta, new))
        blur = BLUR if self.reweight else 0.0
        if self.by_correlation:
            certificate.compare(self._sizes(seen), abs(c), where)
        else:
            roots = np.sqrt(np.maximum(falls, 0.0) + blur)
            certificate.compare(roots, np.sqrt(np.maximum(fall, 0.0) + blur), where)
        expected = np.longdouble(self._minimiser(c, eta)) - old
        certificate.weigh(seen.weight, expected, where)
        before = (residuals**2).mean()
        after = ((residuals - np.longdouble(seen.weight) * picked) ** 2).mean()
        rise = after - before
        if self.reweight:
            rise += self._penalty(new) - self._penalty(old)
        certificate.measure("violation", rise, f"{where}: the fall of the risk")

    def check_end(self, seen: Round, certificate: Certificate) -> None:
        """Check that no weight would change."""
        changes, falls = self._changes(seen)
        scores = self._sizes(seen) if self.by_correlation else falls
        # The last change is no larger than `tol`, but it is made and may add as much to others.
        left = abs(float(changes[scores.argmax()])) - 2 * self.tol - ROUNDING
        certificate.measure("violation", left, f"round {seen.t}: the change left")

    def _sizes(self, seen: Round) -> FloatArray:
        """Return |c| of every voter."""
        return np.abs((1 - seen.margins).astype(np.float64) @ seen.signed / len(seen.signed))

    def _changes(self, seen: Round) -> tuple[FloatArray, FloatArray]:
        """Return the best change of every voter's weight, and by how much it lowers the risk."""
        m = len(seen.signed)
        eta = np.einsum("ij,ij->j", seen.signed, seen.signed) / m
        old = seen.vote.astype(np.float64) if self.reweight else np.zeros(len(eta))
        c = (1 - seen.margins).astype(np.float64) @ seen.signed / m + old * eta
        new = np.where(eta > 0, self._minimiser(c, np.where(eta > 0, eta, 1.0)), 0.0)
        falls = self._risk(c, eta, old) - self._risk(c, eta, new)
        return new - old, np.asarray(falls, dtype=np.float64)

    def _risk(
        self,
        c: FloatArray | Number,
        eta: FloatArray | Number,
        weight: FloatArray | LongArray | Number,
    ) -> FloatArray | LongArray:
        """Return the risk as a function of one weight, up to a constant."""
        return np.asarray(weight * (eta * weight - 2 * c) + self._penalty(weight))

    def _penalty(self, weight: FloatArray | LongArray | Number) -> FloatArray | LongArray:
        return np.asarray(2 * self.threshold * np.abs(weight) + self.ridge * weight * weight)

    def _minimiser(self, c: FloatArray | Number, eta: FloatArray | Number) -> FloatArray:
        soft = np.sign(c) * np.maximum(np.abs(c) - self.threshold, 0.0)
        return np.asarray(np.clip(soft / (eta + self.ridge), -self.bound, self.bound))


COLLINEAR = 1e-8
"""A voter whose angle with the vote has a smaller sin² cannot be told from it by its score."""

CBOUND_ROUNDING = 1e-7
"""Root of the fall of the C-bound below which a run may end: a fall of 1e-14 is rounding."""


def c_bound(margins: LongArray) -> np.longdouble:
    """Return the C-bound of a vote with the given margins."""
    return np.longdouble(1 - margins.mean() ** 2 / (margins**2).mean())


@dataclass
class CBoundRule:
    """The weight minimises the C-bound along the voter of largest score.

    Attributes
    ----------
    gradient : bool
        Whether the score is the slope of the C-bound (GB-CB-Boost), and not its fall.
    repeats : bool
        Whether a voter may be picked again.
    reweight : bool, default False
        Whether the weight of a voter is set anew: it may be lowered, to 0 at most.
    """

    gradient: bool
    repeats: bool
    reweight: bool = False

    def check(self, seen: Round, certificate: Certificate) -> None:
        """Check the pick, its weight, and that the C-bound falls."""
        where, picked = f"round {seen.t}", np.asarray(seen.picked, dtype=np.longdouble)
        if seen.t == 1:
            certificate.compare(
                np.abs(seen.signed.mean(axis=0)), seen.direction * picked.mean(), where
            )
            certificate.weigh(abs(seen.weight), 1.0, where)
            return
        certificate.require(
            self.repeats or seen.vote[seen.pick] == 0, f"{where}: the pick was in the vote before"
        )
        turn = np.sign(picked.mean()) if self.reweight else seen.direction
        margins, picked, step = seen.margins, picked * turn, seen.weight * turn
        gamma, nu = margins.mean(), (margins**2).mean()
        g, tau, eta = picked.mean(), (margins * picked).mean(), (picked**2).mean()
        slope = g * nu - gamma * tau
        weight = slope / (gamma * eta - g * tau)
        if self.reweight:
            weight = max(weight, -abs(seen.vote[seen.pick]))
        # With a long step the last digits of γη - gτ, of which one is rounding, are the weight's.
        certificate.weigh(step, weight, where)
        before, after = c_bound(margins), c_bound(margins + step * picked)
        best = c_bound(margins + weight * picked)
        certificate.measure(
            "violation", np.maximum(after - before, after - best), f"{where}: C-bound"
        )
        scores = self._scores(seen)
        if self.gradient:
            certificate.compare(scores, slope / (gamma * np.sqrt(nu)), where)
        else:
            certificate.compare(scores, np.sqrt(max(before - best, np.longdouble(0))), where)

    def check_end(self, seen: Round, certificate: Certificate) -> None:
        """Check that no voter lowers the C-bound."""
        if seen.t == 1:
            certificate.require(
                not (np.abs(seen.signed.mean(axis=0)) > 1e-12).any(),
                "round 1: a voter has a margin",
            )
            return
        left = float(self._scores(seen).max()) - CBOUND_ROUNDING
        certificate.measure("violation", left, f"round {seen.t}: the fall left")

    def _scores(self, seen: Round) -> FloatArray:
        """Return the root of the C-bound's fall along every voter, or its slope; 0 if none."""
        m, F = len(seen.margins), seen.margins.astype(np.float64)
        gamma, nu = float(seen.margins.mean()), float((seen.margins**2).mean())
        g, tau = seen.signed.mean(axis=0), F @ seen.signed / m
        turns = np.sign(g)
        g, tau = g * turns, tau * turns
        eta = np.einsum("ij,ij->j", seen.signed, seen.signed) / m
        slopes = g * nu - gamma * tau
        bends = gamma * eta - g * tau
        allowed: BoolArray = (g > 1e-12) & ((slopes > 0) | self.reweight) & (bends > 0)
        if not self.repeats:
            allowed &= seen.vote == 0
        old = np.abs(seen.vote).astype(np.float64)
        if self.reweight:
            # Without its only voter, a vote has no margin.
            allowed &= gamma - old * g > CBOUND_ROUNDING * gamma
        if self.gradient:
            return np.asarray(np.where(allowed, slopes / (gamma * np.sqrt(nu)), 0.0))
        spread = np.maximum(nu * eta - tau * tau, COLLINEAR * nu * np.maximum(eta, 1e-300))
        roots = np.where(allowed, np.abs(slopes) / np.sqrt(nu * spread), 0.0)
        emptied = allowed & (slopes + old * bends < 0)
        if self.reweight and emptied.any():
            a, b, c, d = old[emptied], g[emptied], tau[emptied], eta[emptied]
            fall = (gamma - a * b) ** 2 / (nu - 2 * a * c + a * a * d) - gamma**2 / nu
            roots[emptied] = np.sqrt(np.maximum(fall, 0.0))
        return np.asarray(roots)


@dataclass(frozen=True, eq=False)
class HeldOut:
    """The examples by which the number of rounds was chosen.

    Attributes
    ----------
    part : Part
        Held-out examples.
    stopping : Stopping
        When a run ends, and which of its rounds is taken.
    """

    part: Part
    stopping: Stopping

    def check(self, vote: DrawnVote, certificate: Certificate) -> None:
        """Check that the rounds of a vote are those that its errors call for.

        Of a run of which the best round is taken, the later rounds are not known.
        """
        errors, rule = self.errors(vote), self.stopping
        if not errors:
            return
        if rule.take == "best":
            certificate.require(
                min(errors[:-1], default=errors[-1] + 1) > errors[-1],
                "an earlier round has as few errors on the held-out examples",
            )
            return
        ends = [self._ends(errors, t) for t in range(len(errors))]
        certificate.require(not any(ends[:-1]), "an earlier round ends the run")
        # A voter without error, or none with an edge, ends a run too.
        others = np.abs(vote.weights[:-1]).sum()
        by_rule = vote.weights[-1] == 0 or abs(vote.weights[-1]) > others
        certificate.require(
            ends[-1] or by_rule or len(errors) == rule.max_rounds, "the last round ends no run"
        )

    def errors(self, vote: DrawnVote) -> list[int]:
        """Return the number of errors after each round."""
        sums, total = np.zeros(len(self.part.y), dtype=np.longdouble), np.longdouble(0.0)
        codes, positive, found = vote.grid.codes(self.part.X), self.part.y > 0, []
        for attribute, cut, weight in zip(vote.attributes, vote.cuts, vote.weights, strict=True):
            sums += np.where(codes[attribute] > cut, weight, -weight)
            total += abs(weight)
            found.append(int(((sums > ZERO * total) != positive).sum()))
        return found

    def _ends(self, errors: list[int], t: int) -> bool:
        rule = self.stopping
        if rule.lag is not None:
            return t >= rule.lag and errors[t] >= errors[t - rule.lag]
        return t - int(np.argmin(errors[: t + 1])) >= rule.patience


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
    """Run an algorithm over a voter matrix for the one candidate of a grid."""
    problem, trace, n_rounds = learner.reduced(H, y), Trace(), learner.rounds(grid)[-1]
    learner.run(problem, learner.values(grid), n_rounds, [trace])
    picks = problem.representatives[np.array(trace.picks, dtype=np.intp)]
    return FixedTrajectory(H * y[:, None], picks, np.array(trace.weights), n_rounds)


def drawn_solution(
    learner: GreedyAlgorithm,  # type: ignore[type-arg]
    cell: Cell,
    grid: Grid,
) -> tuple[GreedySolution, DrawnProblem]:
    """Run an algorithm over drawn stumps for the one candidate of a grid."""
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
