"""Checks of algorithms with example weights, from losses and margins alone.

AdaBoost, EBBoost and their like keep example weights and multiply them in every round. Here the
weights of a round are computed afresh from the vote before it: exp(-y F), and what else an
algorithm defines them by.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from quadrepro.base.types import FloatArray
from quadrepro.proof.certificate import Certificate, LongArray
from quadrepro.proof.trajectory import Round

AnyArray = FloatArray | LongArray

NO_EDGE = 1e-10
"""An algorithm ends when no candidate has a larger edge, or no larger weight."""

UNIT = 2.0**-48
"""Algorithms add up example weights in whole units of this share of their sum."""

ROUNDING = 2e-11
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
class WeightRule(ABC):
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
        left = float(self.scores(seen).max()) - NO_EDGE - ROUNDING
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
class AdaBoostRule(WeightRule):
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


@dataclass
class EBBoostRule(WeightRule):
    """The penalised loss is (1-λ) (Σ e)² + λ n Σ e², for the losses e of the examples.

    Over the examples that a voter classifies correctly (I) and wrongly (J) it is N_I exp(-2α) +
    N_J exp(2α) + 2 (1-λ) W_I W_J, so α = ¼ ln(N_I/N_J), and it falls by (√N_I - √N_J)².

    Attributes
    ----------
    lam : float
        λ.
    """

    lam: float

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


@dataclass
class HedgeRule(WeightRule):
    """Every round counts 1, and a correct classification multiplies a weight by 1 - η.

    Attributes
    ----------
    eta : float
        η.
    """

    eta: float
    decided = False

    def weights(self, seen: Round) -> LongArray:
        """Return the weights, by the number of rounds that classified an example correctly."""
        correct = (seen.margins + (seen.t - 1)) / 2
        return softmin(-correct * np.log1p(-np.longdouble(self.eta)))

    def check_weight(self, seen: Round, certificate: Certificate) -> None:
        """Check that the weight is 1; no objective falls in every round."""
        certificate.weigh(abs(seen.weight), 1.0, f"round {seen.t}")


@dataclass
class AdaBoostRegRule(WeightRule):
    """α ≥ 0 minimises Σ exp(-yF - C A μ^p), A = Σ α and A μ = Σ α w over the rounds with it.

    For a large C, rounding in the influences A μ grows tenfold in some rounds: from the picks and
    steps alone they cannot be told after fifty. So those of the run are taken as they are, and each
    round must lead from its own to the next.

    Attributes
    ----------
    C : float
        How much influence softens a margin.
    power : int
        p.
    influences : ndarray of shape (n_rounds, n_examples)
        A μ after every round of the run.
    """

    C: float
    power: int
    influences: FloatArray

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
        if scores[best] <= NO_EDGE + ROUNDING:
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
