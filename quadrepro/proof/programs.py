"""Checks of MinCq and CqBoost: their quadratic programs, by a bound on the optimum.

As in `quadrepro.proof.programs`, whatever the multipliers are, they prove the bound.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np

from quadrepro.base.types import FloatArray, IntArray
from quadrepro.core.learners.greedy.adaboost import AdaBoost
from quadrepro.core.learners.greedy.cbboost import CBBoost
from quadrepro.core.learners.grid import Grid
from quadrepro.core.learners.programs import cqboost, lpboost
from quadrepro.core.learners.programs.lp_reg import MarginLP
from quadrepro.core.learners.programs.mincq import MinCq, MinCqOnCBBoost
from quadrepro.core.learners.programs.qp_reg import MarginQP
from quadrepro.core.learners.programs.soft_margin import SoftMargin, first_picks
from quadrepro.core.voters.reduction import VotingProblem
from quadrepro.proof.certificate import Certificate, LongArray, Rounds
from quadrepro.proof.conditions import AdaBoostSolution, CBBoostSolution
from quadrepro.proof.greedy import GreedySolution
from quadrepro.proof.solution import (
    DrawnVote,
    ExaminedCell,
    MatrixVote,
    Vote,
    VoteSolution,
    drawn_problem,
)

COLUMN = 1e-6
"""LPBoost adds no voter whose dual constraint is violated by less than this."""


@dataclass(frozen=True, eq=False)
class ProgramVoteSolution(VoteSolution):
    """A vote whose weights solve a program."""

    final: Vote
    signed: FloatArray
    """y h of the voters of the program, shape (n_examples, n_voters)."""
    weights: FloatArray

    @property
    def vote(self) -> Vote:
        """The vote."""
        return self.final


@dataclass(frozen=True, eq=False)
class LPBoostSolution(ProgramVoteSolution):
    """min Σ|a| + C Σ ξ with y F ≥ 1 - ξ; max Σ u with |Σ u y h| ≤ 1 for all h and 0 ≤ u ≤ C."""

    C: float
    """Price of slack."""
    duals: FloatArray
    """u, shape (n_examples,)."""
    warm = True

    @classmethod
    def of(cls, learner: lpboost.LPBoost, cell: ExaminedCell) -> Self:
        """Generate columns up to the chosen candidate."""
        stumps, H = cell.matrix
        y = cell.data.train.y
        problem = learner.reduced(H, y)
        values = [float(value) for value in cell.up_to.axis("C") or ()]
        *_, (added, found) = lpboost.generate_columns(problem, problem.counts[0], values)
        weights = np.zeros(H.shape[1])
        weights[problem.representatives[added]] = found.voter_weights
        duals = _of_plain(found.example_weights, problem, H, y)
        vote = MatrixVote(stumps, as_long(weights))
        signed = H * y[:, None]
        return cls(cell.chosen, learner, cell, vote, signed, weights, values[-1], duals)

    def prove(self, certificate: Certificate, rounds: Rounds) -> None:
        """Check the dual constraints of all voters, and the gap."""
        u, a = as_long(self.duals), as_long(self.weights)
        edges = np.abs(u @ self.signed)
        outside = max(0.0, float(edges.max()) - 1 - COLUMN, *_box(u, self.C))
        certificate.measure("violation", outside, "LPBoost's dual constraints")
        slack = np.maximum(0, 1 - self.signed @ a)
        primal = np.abs(a).sum() + self.C * slack.sum()
        note_gap(certificate, primal, u.sum(), "LPBoost")


def _of_plain(
    weights: FloatArray, problem: VotingProblem, H: FloatArray, y: FloatArray
) -> FloatArray:
    """Return the weights of plain examples: equal ones share that of the one for all of them."""
    rows = np.column_stack([problem.H, problem.y])
    shares = zip(rows, weights / problem.counts[0], strict=True)
    of_row = {row.tobytes(): share for row, share in shares}
    plain = np.column_stack([H[:, problem.representatives], y])
    return np.array([of_row[row.tobytes()] for row in plain])


@dataclass(frozen=True, eq=False)
class MarginSolution(ProgramVoteSolution):
    """New weights for the voters of AdaBoost."""

    value: float  # ν or C
    duals: FloatArray
    """Weights of the examples, shape (n_examples,)."""
    before: GreedySolution
    """AdaBoost's run."""
    warm = True
    program: ClassVar[type[MarginLP] | type[MarginQP]]

    @classmethod
    def of(cls, learner: SoftMargin, cell: ExaminedCell) -> Self:
        """Run AdaBoost, and solve the program over its voters."""
        y = cell.data.train.y
        weights: FloatArray
        final: Vote
        if cell.drawn is None:
            rounds = Grid.of({"n_rounds": [learner.n_rounds]})
            before = AdaBoostSolution.of(AdaBoost(), cell, rounds)
            stumps, H = cell.matrix
            first = before.vote
            assert isinstance(first, MatrixVote)
            voters = np.flatnonzero(first.weights)
            signs = np.sign(first.weights[voters]).astype(np.float64)
            found = learner.path(H, y, cell.up_to)[-1]
            candidate, final, weights = (
                cell.chosen,
                MatrixVote(stumps, as_long(found)),
                found[voters],
            )
            outputs, once = H[:, voters], np.arange(len(voters))
        else:
            before = AdaBoostSolution.of(AdaBoost(), cell, Grid.of({}))
            drawn, (problem, _) = before.vote, drawn_problem(cell.data, cell.drawn)
            assert isinstance(drawn, DrawnVote)
            held = learner.hold_out(problem, cell.up_to)
            found = held.vote(len(held.candidates) - 1).weights
            candidate, weights, signs = held.candidates[-1], found, np.sign(drawn.weights)
            final = replace(drawn, weights=found)
            outputs = np.where(drawn.cuts < problem.train[drawn.attributes].T, 1.0, -1.0)
            once = first_picks(drawn.attributes, drawn.cuts, signs)
        signed = outputs * signs * y[:, None]
        once = once[signs[once] != 0]
        signed, weights = signed[:, once], (weights * signs)[once]
        value = float(next(iter(cell.up_to.axes))[1][-1])  # type: ignore[arg-type]
        duals = np.zeros(len(y))
        if len(once):
            program = cls.program(np.ascontiguousarray(signed), np.ones(len(y)))
            duals = program.solve(value).example_weights
        return cls(candidate, learner, cell, final, signed, weights, value, duals, before)

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

    program = MarginLP

    def check_program(self, certificate: Certificate) -> None:
        """Check the constraints and the gap."""
        d, a = as_long(self.duals), as_long(self.weights)
        C = 1 / (self.value * np.longdouble(len(d)))
        certificate.measure("violation", abs(a.sum() - 1), "the sum of LP_REG's weights")
        outside = max(float(abs(d.sum() - 1)), *_box(d, float(C)))
        certificate.measure("violation", outside, "LP_REG's dual constraints")
        primal = _soft_margin(self.signed @ a, C)
        note_gap(certificate, (d @ self.signed).max(), primal, "LP_REG")


def _soft_margin(margins: LongArray, C: np.longdouble) -> np.longdouble:
    """Return the largest ρ - C Σ (ρ - margin)₊."""
    margins = np.sort(margins)
    n = np.arange(1, len(margins) + 1)
    # The best ρ is one of the margins, since the objective is linear between them.
    return np.longdouble((margins - C * (n * margins - margins.cumsum())).max())


@dataclass(frozen=True, eq=False)
class QPRegSolution(MarginSolution):
    """min ‖b‖² + C Σ ξ with y F ≥ 1 - ξ, b ≥ 0; max Σ u - ¼ ‖(M'u)₊‖² with 0 ≤ u ≤ C."""

    program = MarginQP

    def check_program(self, certificate: Certificate) -> None:
        """Check the constraints and the gap."""
        u, b = as_long(self.duals), as_long(self.weights)
        certificate.measure("violation", max(_box(u, self.value)), "QP_REG's dual constraints")
        primal = (b * b).sum() + self.value * np.maximum(0, 1 - self.signed @ b).sum()
        dual = u.sum() - (np.maximum(0, u @ self.signed) ** 2).sum() / 4
        note_gap(certificate, primal, dual, "QP_REG")


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


@dataclass(frozen=True, eq=False)
class MinCqSolution(ProgramVoteSolution):
    """min w'Gw with m'w = μ and |w_j| ≤ 1/n, as a minimum over v = w/μ.

    Every η gives the bound η - v'Gv - Σ |2 (Gv)_j - η m_j| / (n μ), and the best one is taken.
    """

    mu: float  # μ
    before: GreedySolution | None = None
    """CB-Boost's run, which found the voters."""

    @classmethod
    def of(cls, learner: MinCq, cell: ExaminedCell) -> Self:
        """Solve the program of the chosen candidate."""
        stumps, H = cell.matrix
        y = cell.data.train.y
        weights = learner.path(H, y, cell.alone)[0]
        [mu] = cell.alone.axis("mu") or ()
        vote = MatrixVote(stumps, as_long(weights))
        return cls(cell.chosen, learner, cell, vote, H * y[:, None], weights, mu)

    def prove(self, certificate: Certificate, rounds: Rounds) -> None:
        """Check the constraints and the gap."""
        if self.before is not None:
            self.before.prove(certificate, rounds)
        w, mu = as_long(self.weights), np.longdouble(self.mu)
        n, votes = len(w), self.signed @ as_long(self.weights)
        outside = max(0.0, float(np.abs(w).max() * n - 1), abs(float(votes.mean() / mu - 1)))
        certificate.measure("violation", outside, "MinCq's constraints")
        primal = (votes**2).mean() / mu**2
        slopes = 2 * (votes @ self.signed) / (len(votes) * mu)
        margins = self.signed.mean(axis=0).astype(np.longdouble)
        eta = _best_eta(slopes, margins, n * mu)
        bound = eta - primal - np.abs(slopes - eta * margins).sum() / (n * mu)
        note_gap(certificate, primal, bound, "MinCq")


def _best_eta(slopes: LongArray, margins: LongArray, scale: np.longdouble) -> np.longdouble:
    """Return the η of largest bound, where falling terms come to outweigh rising ones."""
    used = margins != 0
    kinks, sizes = slopes[used] / margins[used], np.abs(margins[used]) / scale
    order = kinks.argsort()
    rate = 1 + sizes.sum() - 2 * sizes[order].cumsum()
    return np.longdouble(kinks[order][min(int((rate > 0).sum()), len(order) - 1)])


@dataclass(frozen=True, eq=False)
class MinCqOnCBBoostSolution(MinCqSolution):
    """MinCq's program over the voters of CB-Boost."""

    @classmethod
    def of(cls, learner: MinCqOnCBBoost, cell: ExaminedCell) -> Self:  # type: ignore[override]
        """Run CB-Boost, and solve the program over its voters."""
        (stumps, H), y = cell.matrix, cell.data.train.y
        before = CBBoostSolution.of(CBBoost(), cell, cell.alone)
        weights, chosen = learner.path(H, y, cell.alone)[0], np.flatnonzero(before.vote.weights)
        vote, signed = MatrixVote(stumps, as_long(weights)), (H * y[:, None])[:, chosen]
        return cls(*(cell.chosen, learner, cell, vote, signed, weights[chosen], learner.mu, before))


@dataclass(frozen=True, eq=False)
class CqBoostVoteSolution(ProgramVoteSolution):
    """min w'Gw with m'w ≥ μ and Σ|w| ≤ 1 over the voters that were added.

    With β ≥ 0, β μ - ν - w'Gw is a bound if no edge β m_j - 2 (Gw)_j of an added voter is above ν.
    No edge of another voter is above ν + ε, unless the rounds are limited.
    """

    mu: float
    """μ and ε."""
    epsilon: float
    limited: bool
    """Whether the number of rounds ended the run."""
    added: IntArray
    """Columns of the added voters."""
    signs: FloatArray
    """-1.0 if the complement was added, shape (n_added,)."""
    votes: list[FloatArray]
    """Signed weights after every round, shape (n_voters,)."""
    betas: list[float]
    """β after every round."""

    @classmethod
    def of(cls, learner: cqboost.CqBoost, cell: ExaminedCell) -> Self:
        """Generate columns until the chosen candidate ends."""
        stumps, H = cell.matrix
        y = cell.data.train.y
        problem = learner.reduced(H, y)
        [mu], [epsilon] = cell.alone.axis("mu") or (), cell.alone.axis("epsilon") or ()
        most = (cell.alone.axis("n_rounds") or (np.inf,))[0]
        gram, margins = problem.grams()[0], problem.correlations()[0]
        best = int(np.abs(margins).argmax())
        added, signs = [best], [float(np.sign(margins[best]))]
        votes, betas = [], []
        for found, solution in cqboost.generate_columns(gram, margins, mu):
            votes.append(problem.expand(found))
            betas.append(solution.beta)
            ended = solution.excess <= epsilon
            if ended or len(added) >= most:
                break
            added.append(solution.best[0])
            signs.append(solution.best[1])
        columns = problem.representatives[added]
        vote, signed = MatrixVote(stumps, as_long(votes[-1])), H * y[:, None]
        return cls(
            *(cell.chosen, learner, cell, vote, signed, votes[-1], mu, epsilon, not ended),
            *(columns, np.array(signs), votes, betas),
        )

    def prove(self, certificate: Certificate, rounds: Rounds) -> None:
        """Check the constraints, the gap over the added voters, and the edges of the others."""
        w, beta, margins = as_long(self.weights), self.betas[-1], self.signed.mean(axis=0)
        votes, unit = self.signed @ w, max(1.0, beta)
        short = max(0.0, float(self.mu - votes.mean()), float(np.abs(w).sum() - 1), -beta)
        certificate.measure("violation", short, "CqBoost's constraints")
        edges = self._edges(w, beta)
        level, primal = (self.signs * edges[self.added]).max(), (votes**2).mean()
        gap = (primal - (beta * self.mu - level - primal)) / primal
        certificate.measure("gap", gap, "CqBoost's gap")
        left = 0.0 if self.limited else float(np.abs(edges).max() - level) - self.epsilon
        certificate.measure("violation", left / unit, "the edge that is left")
        for t in rounds.among(len(self.added)):
            certificate.n_rounds += 1
            # The first voter has the largest margin, the others have the largest edges.
            edges = margins if t == 1 else self._edges(self.votes[t - 2], self.betas[t - 2])
            scores = edges / (1.0 if t == 1 else max(1.0, self.betas[t - 2]))
            picked = self.signs[t - 1] * scores[self.added[t - 1]]
            certificate.compare(np.abs(scores), picked, f"round {t}")

    def _edges(self, weights: FloatArray | LongArray, beta: float) -> LongArray:
        """Return β m_j - 2 (Gw)_j of every voter."""
        votes = self.signed @ weights.astype(np.longdouble)
        margins = self.signed.mean(axis=0).astype(np.longdouble)
        return np.asarray(beta * margins - 2 * (votes @ self.signed) / len(votes))
