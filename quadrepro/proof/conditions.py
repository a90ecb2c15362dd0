"""What the rounds of each greedy algorithm must satisfy, from losses, margins and C-bounds alone.

AdaBoost, EBBoost and their like keep example weights and multiply them in every round. Here the
weights of a round are computed afresh from the vote before it: exp(-y F), and what else an
algorithm defines them by.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self

import numpy as np

from quadrepro.base.types import BoolArray, FloatArray, IntArray
from quadrepro.core.learners.greedy.adaboost_reg import AdaBoostReg, SoftMargins
from quadrepro.core.learners.greedy.cbboost import CBBoost
from quadrepro.core.learners.greedy.loop import GreedyAlgorithm, Step, Watcher, boost
from quadrepro.core.learners.greedy.quadboost import QuadBoost
from quadrepro.core.learners.grid import Grid
from quadrepro.core.voters.source import FixedVoters, VoterSource
from quadrepro.proof.certificate import Certificate, LongArray, Number
from quadrepro.proof.greedy import GreedySolution, Round
from quadrepro.proof.solution import ExaminedCell, MatrixVote, drawn_problem

AnyArray = FloatArray | LongArray

NO_EDGE = 1e-10
"""An algorithm ends when no candidate has a larger edge, or no larger weight."""

UNIT = 2.0**-48
"""Algorithms add up example weights in whole units of this share of their sum."""

EDGE_ROUNDING = 2e-11
"""Edges up to this are rounding errors of some thousand example weights."""

LARGEST = 40.0
"""No step has a larger size; a voter without error gets so much times the number of rounds."""

RANGE = np.append(0.0, LARGEST * 2.0 ** np.arange(-30.0, 1.0))
"""Steps at which AdaBoost_REG's loss must not be below that of its step."""


def softmin(exponents: LongArray) -> LongArray:
    """Return exp(-exponents), divided by its sum."""
    weights = np.exp(exponents.min() - exponents)
    return np.asarray(weights / weights.sum())


def sums(weights: LongArray, seen: Round) -> FloatArray:
    """Return Σ w y h of every candidate."""
    return np.asarray(weights.astype(np.float64) @ seen.signed)


def sizes(edges: FloatArray, seen: Round) -> FloatArray:
    """Return the edge of every candidate, or of the better one of it and its complement."""
    return np.abs(edges) if seen.complements else np.maximum(edges, 0.0)


def without_error(weights: LongArray, right: FloatArray) -> bool:
    """Return whether a voter is only wrong where weights are too small for whole units."""
    return bool(weights[right < 0].sum() <= len(weights) * UNIT / 2)


@dataclass
class WeightConditions(ABC):
    """Checks rounds of an algorithm that picks the voter of largest edge."""

    def weights(self, seen: Round) -> LongArray:
        """Return the example weights before a round, which sum to 1."""
        return softmin(seen.margins)

    def scores(self, seen: Round) -> FloatArray:
        """Return the score of every candidate, on a scale from 0 to 1."""
        return sizes(sums(self.weights(seen), seen), seen)

    def score(self, seen: Round) -> np.longdouble:
        """Return the score of the pick in its direction, in long arithmetic."""
        return self.edge(seen)

    def edge(self, seen: Round) -> np.longdouble:
        """Return the edge of the pick in its direction."""
        return np.longdouble(seen.direction * (self.weights(seen) * seen.picked).sum())

    def check(self, seen: Round, certificate: Certificate) -> None:
        """Check the pick, its weight, and that the objective falls."""
        where = f"round {seen.t}"
        certificate.compare(self.scores(seen), self.score(seen), where)
        right = seen.direction * seen.picked
        if self.decided and without_error(self.weights(seen), right):
            decides = abs(seen.weight) > seen.total
            if decides or (right > 0).all():
                certificate.require(decides, f"{where}: a voter without error does not decide")
                return
        self.check_weight(seen, certificate)

    decided = True
    """Whether a voter without error ends the run."""

    def check_end(self, seen: Round, certificate: Certificate) -> None:
        """Check that no candidate has an edge, or that the last voter made no error."""
        if self.was_decided(seen):
            return
        left = float(self.scores(seen).max()) - NO_EDGE - EDGE_ROUNDING
        certificate.measure("violation", left, f"round {seen.t}: the largest edge left")

    def was_decided(self, seen: Round) -> bool:
        """Return whether a voter without error has more weight than all others together."""
        leading = int(np.abs(seen.vote).argmax())
        weight, voter = seen.vote[leading], seen.signed[:, leading]
        before = softmin(seen.margins - weight * voter)
        outweighs = bool(2 * abs(weight) > seen.total)
        return self.decided and outweighs and without_error(before, np.sign(weight) * voter)

    @abstractmethod
    def check_weight(self, seen: Round, certificate: Certificate) -> None:
        """Check the weight of the pick, and that the objective falls."""


@dataclass
class AdaBoostConditions(WeightConditions):
    """α = artanh r for the edge r; ln Σ exp(-y F) falls by -½ ln(1 - r²)."""

    def check_weight(self, seen: Round, certificate: Certificate) -> None:
        """Check α, and that the exponential loss falls as far as it should."""
        edge, where = self.edge(seen), f"round {seen.t}"
        wrong = (1 - edge) / 2
        rounding = len(seen.margins) * UNIT / max(wrong, np.longdouble(UNIT))
        certificate.weigh(abs(seen.weight), np.arctanh(edge), where, rounding)
        left = np.log((self.weights(seen) * np.exp(-seen.weight * seen.picked)).sum())
        rise = left - np.log1p(-edge * edge) / 2
        certificate.measure("violation", rise, f"{where}: the fall of the exponential loss")


class AdaBoostSolution(GreedySolution):
    """A run of AdaBoost."""

    @property
    def conditions(self) -> AdaBoostConditions:
        """The conditions that check the rounds."""
        return AdaBoostConditions()


@dataclass
class EBBoostConditions(WeightConditions):
    """The penalised loss is (1-λ) (Σ e)² + λ n Σ e², for the losses e of the examples.

    Over the examples that a voter classifies correctly (I) and wrongly (J) it is N_I exp(-2α) +
    N_J exp(2α) + 2 (1-λ) W_I W_J, so α = ¼ ln(N_I/N_J), and it falls by (√N_I - √N_J)².
    """

    lam: float  # λ

    def check_weight(self, seen: Round, certificate: Certificate) -> None:
        """Check α, and that the penalised loss falls as far as it should."""
        w, where = self.weights(seen), f"round {seen.t}"
        right, wrong = self._norm(w, seen.direction * seen.picked)
        certificate.weigh(abs(seen.weight), np.longdouble(np.log(right / wrong) / 4), where)
        fall = (np.sqrt(right) - np.sqrt(wrong)) ** 2
        before = self.loss(w)
        after = self.loss(w * np.exp(-seen.weight * seen.picked))
        rise = float((after - before + fall) / before)
        certificate.measure("violation", rise, f"{where}: the fall of the penalised loss")

    def scores(self, seen: Round) -> FloatArray:
        """Return |√N_I - √N_J| in proportion to the root of the loss before the round."""
        w = self.weights(seen)
        squares = w * w
        W, Q = sums(w, seen), sums(squares, seen)
        total = float(squares.sum())
        roots = [np.sqrt(self._side((1 + s * W) / 2, (total + s * Q) / 2, len(w))) for s in (1, -1)]
        return sizes((roots[0] - roots[1]) / np.sqrt(float(self.loss(w))), seen)

    def score(self, seen: Round) -> np.longdouble:
        """Return the score of the pick in its direction."""
        w = self.weights(seen)
        right, wrong = self._norm(w, seen.direction * seen.picked)
        return np.longdouble((np.sqrt(right) - np.sqrt(wrong)) / np.sqrt(self.loss(w)))

    def loss(self, losses: LongArray) -> np.longdouble:
        """Return (1-λ) (Σ e)² + λ n Σ e²."""
        lam, total = np.longdouble(self.lam), losses.sum()
        return np.longdouble((1 - lam) * total * total + lam * len(losses) * (losses**2).sum())

    def _norm(self, w: LongArray, right: FloatArray) -> list[AnyArray]:
        """Return N_I and N_J."""
        sides = (w[right > 0], w[right < 0])
        return [self._side(side.sum(), (side * side).sum(), len(w)) for side in sides]

    def _side(self, W: AnyArray, Q: AnyArray, n: int) -> AnyArray:
        return np.asarray(np.maximum(W * W + self.lam * (n * Q - W * W), 0.0))


class EBBoostSolution(GreedySolution):
    """A run of EBBoost."""

    @property
    def conditions(self) -> EBBoostConditions:
        """The conditions that check the rounds."""
        return EBBoostConditions(self.value)


@dataclass
class ExpertsConditions(WeightConditions):
    """Every round counts 1, and a correct classification multiplies a weight by 1 - η."""

    eta: float  # η
    decided = False

    def weights(self, seen: Round) -> LongArray:
        """Return the weights, by the number of rounds that classified an example correctly."""
        correct = (seen.margins + (seen.t - 1)) / 2
        return softmin(-correct * np.log1p(-np.longdouble(self.eta)))

    def check_weight(self, seen: Round, certificate: Certificate) -> None:
        """Check that the weight is 1; no objective falls in every round."""
        certificate.weigh(abs(seen.weight), 1.0, f"round {seen.t}")


class ExpertsSolution(GreedySolution):
    """A run of boosting by experts."""

    @property
    def conditions(self) -> ExpertsConditions:
        """The conditions that check the rounds."""
        return ExpertsConditions(self.value)


@dataclass
class AdaBoostRegConditions(WeightConditions):
    """α ≥ 0 minimises Σ exp(-yF - C A μ^p), A = Σ α and A μ = Σ α w over the rounds with it.

    For a large C, rounding in the influences A μ grows tenfold in some rounds: from the picks and
    steps alone they cannot be told after fifty. So those of the run are taken as they are, and each
    round must lead from its own to the next.
    """

    C: float
    """Strength with which influence softens a margin."""
    power: int  # p
    influences: FloatArray
    """A μ after every round of the run, shape (n_rounds, n_examples)."""

    def weights(self, seen: Round) -> LongArray:
        """Return the weights, by the soft margins before the round."""
        return softmin(self._exponents(seen.margins, *self._before(seen)))

    def check_weight(self, seen: Round, certificate: Certificate) -> None:
        """Check that no step has a smaller loss, that its derivative is zero, and influences."""
        where, alpha = f"round {seen.t}", np.longdouble(abs(seen.weight))
        w, growth = self.weights(seen), self._growth(seen, seen.direction * seen.picked)
        step = alpha * np.longdouble(1e-7)
        here, up, down = growth(alpha), growth(alpha + step), growth(alpha - step)
        # A parabola through three points has its minimum this far away.
        bend = 2 * (w * (up + down - 2 * here)).sum()
        away = step * (w * (up - down)).sum() / bend
        # Light examples may gain weight with the step, so that their rounding counts.
        rounding = step * (np.abs(up - down) * UNIT).sum() / abs(bend)
        certificate.weigh(alpha, alpha - away, where, rounding)
        least = min((w * growth(np.longdouble(a))).sum() for a in RANGE)
        rise = (w * here).sum() / least - 1
        certificate.measure("violation", rise, f"{where}: the least softened loss")
        if seen.t <= len(self.influences):
            influences, _ = self._before(seen)
            expected = influences + alpha * w
            off = np.abs(self.influences[seen.t - 1] - expected).max() / expected.max()
            certificate.measure("violation", off, f"{where}: the influences")

    def check_end(self, seen: Round, certificate: Certificate) -> None:
        """Accept the end: it may be that of an edge, or of a softened loss that only rises."""
        if self.was_decided(seen):
            return
        if seen.t > len(self.influences) + 1:
            certificate.require(False, f"round {seen.t}: the influences before it are not known")
            return
        scores = self.scores(seen)
        best = int(scores.argmax())
        if scores[best] <= NO_EDGE + EDGE_ROUNDING:
            return
        w = self.weights(seen)
        growth = self._growth(seen, np.sign(sums(w, seen)[best]) * seen.signed[:, best])
        losses = [float((w * growth(np.longdouble(a))).sum()) for a in RANGE]
        place = int(np.argmin(losses))
        certificate.require(
            place in (0, 1, len(RANGE) - 1),
            f"round {seen.t}: the run ended, but a step of {RANGE[place]:.2g} gives a softened "
            f"loss of {losses[place]:.2g} times that before",
        )

    def _before(self, seen: Round) -> tuple[LongArray, np.longdouble]:
        """Return the influences and A before a round."""
        known = seen.t > 1
        found = self.influences[seen.t - 2] if known else np.zeros(len(seen.margins))
        return found.astype(np.longdouble), np.longdouble(seen.total)

    def _growth(self, seen: Round, slopes: FloatArray) -> Callable[[np.longdouble], LongArray]:
        """Return by what the loss of each example is multiplied, for a step towards a voter."""
        influences, size = self._before(seen)
        start, w = self._exponents(seen.margins, influences, size), self.weights(seen)

        def growth(a: np.longdouble) -> LongArray:
            after = self._exponents(seen.margins + a * slopes, influences + a * w, size + a)
            return np.asarray(np.exp(start - after))

        return growth

    def _exponents(
        self, margins: LongArray, influences: LongArray, size: np.longdouble
    ) -> LongArray:
        if not size > 0:
            return margins
        return np.asarray(margins + self.C * size * (influences / size) ** self.power)


class Influences(Watcher[SoftMargins]):
    """Keeps the influences of AdaBoost_REG after every round of the first trajectory."""

    def __init__(self) -> None:
        self.rounds: list[FloatArray] = []

    def after(self, t: int, live: IntArray, step: Step, state: SoftMargins) -> None:
        """Keep the influences after a round."""
        self.rounds.append(state.influences[0].copy())


@dataclass(frozen=True, eq=False)
class AdaBoostRegSolution(GreedySolution):
    """A run of AdaBoost_REG."""

    learner: AdaBoostReg
    influences: FloatArray = field(default_factory=lambda: np.zeros((0, 0)))
    """Those of the examples after every round, shape (n_rounds, n_examples)."""

    @classmethod
    def of(
        cls, learner: GreedyAlgorithm[Any], cell: ExaminedCell, grid: Grid | None = None
    ) -> Self:
        """Run the algorithm, and once more to see the influences."""
        assert isinstance(learner, AdaBoostReg)
        found, y, kept = super().of(learner, cell, grid), cell.data.train.y, Influences()
        source: VoterSource
        if cell.drawn is not None:
            source = drawn_problem(cell.data, cell.drawn)[0].source()
        else:
            source = FixedVoters(cell.matrix[1], y)
        state = learner.weights(source, np.ones((1, len(y))))
        boost(learner.rule(np.array([found.value])), state, len(found.run.weights), [kept])
        return replace(found, influences=np.array(kept.rounds).reshape(-1, len(y)))

    @property
    def conditions(self) -> AdaBoostRegConditions:
        """The conditions that check the rounds."""
        return AdaBoostRegConditions(self.value, self.learner.power, self.influences)


ROUNDING = 1e-11
"""Largest rounding error of the change that is left when a run ends."""


BLUR = 1e-10
"""Added to the falls of the risk that re-weighting compares, of which the roots are the scores.

They are differences of numbers near 1, so that rounding changes small ones by a large share.
"""


@dataclass
class QuadBoostConditions:
    """The weight is clip(soft(c', τ)/(η + ρ), ±bound) of the voter that lowers the risk most."""

    reweight: bool
    """Whether the weight of a voter is replaced; then c' = c + α η, else c' = c."""
    tol: float
    """The change of a weight at which a run ends."""
    by_correlation: bool = False
    """Whether the voter of largest |c| is picked, and not that of the largest fall of the risk."""
    threshold: float = 0.0
    """τ, ρ and the largest weight."""
    ridge: float = 0.0
    bound: float = np.inf

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


class QuadBoostSolution(GreedySolution):
    """A run of QuadBoost."""

    learner: QuadBoost
    sets: ClassVar[str] = ""
    """The field of the conditions that the hyper-parameter sets."""

    @property
    def conditions(self) -> QuadBoostConditions:
        """The conditions that check the rounds."""
        learner = self.learner
        by_correlation = learner.selection == "correlation"
        strength: dict[str, Any] = {self.sets: self.value} if self.sets else {}
        return QuadBoostConditions(learner.reweight, learner.tol, by_correlation, **strength)


class QuadBoostL1Solution(QuadBoostSolution):
    """A run of QuadBoost-L1."""

    sets = "threshold"


class QuadBoostL2Solution(QuadBoostSolution):
    """A run of QuadBoost-L2."""

    sets = "ridge"


class QuadBoostLInfSolution(QuadBoostSolution):
    """A run of QuadBoost-L∞."""

    sets = "bound"


COLLINEAR = 1e-8
"""A voter whose angle with the vote has a smaller sin² cannot be told from it by its score."""

CBOUND_ROUNDING = 1e-7
"""Root of the fall of the C-bound below which a run may end: a fall of 1e-14 is rounding."""


def c_bound(margins: LongArray) -> np.longdouble:
    """Return the C-bound of a vote with the given margins."""
    return np.longdouble(1 - margins.mean() ** 2 / (margins**2).mean())


@dataclass
class CBoundConditions:
    """The weight minimises the C-bound along the voter of largest score."""

    gradient: bool
    """Whether the score is the slope of the C-bound (GB-CB-Boost), and not its fall."""
    repeats: bool
    """Whether a voter may be picked again."""
    reweight: bool = False
    """Whether the weight of a voter is set again: it may be lowered, to 0 at most."""

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


class CBoundSolution(GreedySolution):
    """A run whose vote is a distribution over voters."""

    @property
    def vote(self) -> MatrixVote:
        """The vote, whose weights add up to 1."""
        found = super().vote
        assert isinstance(found, MatrixVote)
        return replace(found, weights=found.weights / max(found.total, np.longdouble(1e-300)))


class CBBoostSolution(CBoundSolution):
    """A run of CB-Boost."""

    learner: CBBoost

    @property
    def conditions(self) -> CBoundConditions:
        """The conditions that check the rounds."""
        learner = self.learner
        return CBoundConditions(
            gradient=False, repeats=learner.allow_repeats, reweight=learner.reweight
        )


class GBCBBoostSolution(CBoundSolution):
    """A run of GB-CB-Boost."""

    @property
    def conditions(self) -> CBoundConditions:
        """The conditions that check the rounds."""
        return CBoundConditions(gradient=True, repeats=False)
