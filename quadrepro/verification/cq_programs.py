"""Checks of MinCq and CqBoost: their quadratic programs, by a bound on the optimum.

As in `quadrepro.verification.programs`, whatever the multipliers are, they prove the bound.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from quadrepro._typing import FloatArray, IntArray
from quadrepro.learners.greedy.cbboost import CBBoost
from quadrepro.learners.programs import cqboost
from quadrepro.learners.programs.mincq import MinCq, MinCqOnCBBoost
from quadrepro.verification.certificate import Certificate, LongArray, Rounds
from quadrepro.verification.greedy import GreedySolution, fixed_run
from quadrepro.verification.programs import ProgramSolution, as_long, note_gap
from quadrepro.verification.solution import Cell, Solution, solve
from quadrepro.verification.voters import MatrixVote


@dataclass(frozen=True, eq=False)
class MinCqSolution(ProgramSolution):
    """min w'Gw with m'w = μ and |w_j| ≤ 1/n, as a minimum over v = w/μ.

    Every η gives the bound η - v'Gv - Σ |2 (Gv)_j - η m_j| / (n μ), and the best one is taken.

    Attributes
    ----------
    mu : float
        μ.
    before : GreedySolution or None
        CB-Boost's run, which found the voters.
    """

    mu: float
    before: GreedySolution | None = None

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
class CqBoostSolution(ProgramSolution):
    """min w'Gw with m'w ≥ μ and Σ|w| ≤ 1 over the voters that were added.

    With β ≥ 0, β μ - ν - w'Gw is a bound if no edge β m_j - 2 (Gw)_j of an added voter is above ν.
    No edge of another voter is above ν + ε, unless the rounds are limited.

    Attributes
    ----------
    mu, epsilon : float
        μ and ε.
    limited : bool
        Whether the number of rounds ended the run.
    added : ndarray of int
        Columns of the added voters.
    signs : ndarray of shape (n_added,)
        -1.0 if the complement was added.
    votes : list of ndarray of shape (n_voters,)
        Signed weights after every round.
    betas : list of float
        β after every round.
    """

    mu: float
    epsilon: float
    limited: bool
    added: IntArray
    signs: FloatArray
    votes: list[FloatArray]
    betas: list[float]

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


@solve.register
def _(learner: MinCq, cell: Cell) -> Solution:
    stumps, H = cell.matrix()
    y = cell.data.train.y
    weights = learner.path(H, y, cell.alone)[0]
    [mu] = cell.alone.axis("mu") or ()
    vote = MatrixVote(stumps, as_long(weights))
    return MinCqSolution(cell.chosen, vote, H * y[:, None], weights, mu)


@solve.register
def _(learner: MinCqOnCBBoost, cell: Cell) -> Solution:
    stumps, H = cell.matrix()
    y = cell.data.train.y
    run = fixed_run(CBBoost(), H, y, cell.alone)
    before = GreedySolution({}, CBBoost(), np.nan, run, stumps)
    weights, chosen = learner.path(H, y, cell.alone)[0], np.flatnonzero(run.vote())
    vote, signed = MatrixVote(stumps, as_long(weights)), (H * y[:, None])[:, chosen]
    return MinCqSolution(cell.chosen, vote, signed, weights[chosen], learner.mu, before)


@solve.register
def _(learner: cqboost.CqBoost, cell: Cell) -> Solution:
    stumps, H = cell.matrix()
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
    return CqBoostSolution(
        *(cell.chosen, vote, signed, votes[-1], mu, epsilon, not ended),
        *(columns, np.array(signs), votes, betas),
    )
