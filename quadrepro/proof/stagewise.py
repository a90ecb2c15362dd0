"""Checks of boosting by weak learners that are fitted in every round.

F is added up in long double from the trees of all rounds. The weights and targets of a round are
those of the algorithm at this F; every cut of a tree is compared with all others on them.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from quadrepro.base.types import FloatArray, IntArray
from quadrepro.core.learners.gradient.trees import GrownTrees
from quadrepro.core.learners.stagewise.boosting import Addition, StagewiseBoost
from quadrepro.proof.certificate import Certificate, LongArray, Number, Rounds
from quadrepro.proof.gradient import Tree, check_tree
from quadrepro.proof.solution import ExaminedCell, PredictedSolution, Scores

EQUAL = 1e-10
"""Scores and shares of weight that differ by no more are equal, and the first class is taken."""

LEAST_SHARE = 2.0**-52
"""Machine precision: probabilities are at least that, and LogitBoost's weights twice as large."""


def trees_of(addition: Addition) -> list[Tree]:
    """Return the trees of a round, one per fit; none if an estimator was fitted."""
    grown = addition.fitted
    if not isinstance(grown, GrownTrees):
        return []
    values = grown.values.reshape(len(grown.parents), -1, grown.values.shape[1])
    parts = grown.parents, grown.features, grown.thresholds, values
    return [Tree(*tree, weight=1.0, shrink=0.0) for tree in zip(*parts, strict=True)]


@dataclass(frozen=True, eq=False)
class StagewiseSolution(PredictedSolution):
    """What was fitted in every round."""

    learner: StagewiseBoost
    X: FloatArray
    labels: FloatArray
    """The labels of the codes."""
    codes: IntArray
    additions: list[Addition]
    n_rounds: int
    """The number of rounds that was asked for."""

    @classmethod
    def of(cls, learner: StagewiseBoost, cell: ExaminedCell) -> Self:
        """Run the rounds once more."""
        (X, y), data = cell.data.train, cell.data
        labels = np.array([-1.0, 1.0]) if data.task == "classification" else np.unique(y)
        codes = np.searchsorted(labels, y)
        [n_rounds] = cell.alone.axis("n_rounds") or ()
        found = learner.fitted(X, codes, len(labels), int(n_rounds), data.rng("all"))
        return cls(cell.chosen, learner, cell, X, labels, codes, found, int(n_rounds))

    @property
    def n_classes(self) -> int:
        """Number of classes; a second one is made if there is only one."""
        return max(len(self.labels), 2)

    @property
    def signs(self) -> FloatArray:
        """One row per row of F: 1 for the class, and -1 for all others."""
        if self.n_classes == 2:
            return np.where(self.codes == 1, 1.0, -1.0)[None]
        return np.where(self.codes == np.arange(self.n_classes)[:, None], 1.0, -1.0)

    def empty(self, n: int) -> LongArray:
        """Return F before the first round."""
        return np.zeros((1 if self.n_classes == 2 else self.n_classes, n), dtype=np.longdouble)

    def added(self, addition: Addition, X: FloatArray) -> LongArray:
        """Return what a round answers for some examples."""
        trees = trees_of(addition)
        means = [tree.values[:, tree.leaves(X)] for tree in trees] or [addition.fitted.means(X)]
        return self.answers(np.concatenate(means).astype(np.longdouble))

    def total(self, X: FloatArray) -> LongArray:
        """Return F."""
        F = self.empty(len(X))
        for addition in self.additions:
            F += np.longdouble(addition.weight) * self.added(addition, X)
        return F

    def scores(self, X: FloatArray) -> Scores:
        """Return F for two classes, else the first class of largest F."""
        F = self.total(X)
        if self.cell.data.task == "classification":
            return F[0], EQUAL
        codes = first_largest(F) if len(F) > 1 else F[0] > EQUAL
        return self.labels[codes.astype(np.intp)].astype(np.longdouble), 0.0

    def kept_scores(self, X: FloatArray) -> LongArray | None:
        """Return F with one column per class; a class that the training part lacks has -inf."""
        if self.cell.data.task == "classification":
            return super().kept_scores(X)
        F, seen = self.total(X), self.labels.astype(np.intp)
        found = np.full((len(X), self.cell.data.n_classes), -np.inf, dtype=np.longdouble)
        found[:, seen] = (F if len(F) > 1 else np.concatenate([-F, F]))[: len(seen)].T
        return found

    def prove(self, certificate: Certificate, rounds: Rounds) -> None:
        """Check some rounds, and the weights of all."""
        checked = set(rounds.among(len(self.additions)))
        F, total, ended = self.empty(len(self.X)), 0.0, False
        size = self.learner.cuts, self.learner.depth
        for k, addition in enumerate(self.additions, 1):
            certificate.require(not ended, f"round {k}: the run should have ended before")
            targets, weights = self.problem(F)
            if k in checked:
                certificate.n_rounds += 1
                # An estimator has no trees that are known.
                for tree, own, w in zip(trees_of(addition), targets, weights, strict=False):
                    check_tree(tree, self.X, own, w, size, certificate, f"round {k}")
            answers = self.added(addition, self.X)
            weight, ended = self.weight(answers, weights[0], total)
            certificate.weigh(addition.weight, weight, f"round {k}")
            total += addition.weight
            F += np.longdouble(addition.weight) * answers
        early = len(self.additions) < self.n_rounds
        certificate.require(not early or self.may_end, "the run ends too early")

    may_end = False
    """Whether a run may have fewer rounds than were asked for."""

    @abstractmethod
    def problem(self, F: LongArray) -> tuple[LongArray, LongArray]:
        """Return the targets of each fit, (n_fits, n_targets, n), and its weights, (n_fits, n)."""

    @abstractmethod
    def answers(self, means: LongArray) -> LongArray:
        """Return what is added to F, given the means of the targets."""

    def weight(self, answers: LongArray, weights: LongArray, total: float) -> tuple[Number, bool]:
        """Return the weight of a round, and whether the run ends with it."""
        return 1.0, False

    def falling(self, F: LongArray) -> LongArray:
        """Return exp(-F) of the class of each example, exp(-y F) for two, with a mean of 1."""
        own = self.signs[0] * F[0] if len(F) == 1 else F[self.codes, np.arange(F.shape[1])]
        weights = np.exp(own.min() - own)
        return np.asarray(weights / weights.mean())[None]


def first_largest(scores: LongArray) -> IntArray:
    """Return the first class of largest score."""
    return np.asarray((scores >= scores.max(axis=0) - EQUAL).argmax(axis=0))


class VotingSolution(StagewiseSolution):
    """SAMME: w ∝ exp(-F_y), α = log((1 - err) / err) + log(K - 1)."""

    may_end = True
    bonus = True

    def problem(self, F: LongArray) -> tuple[LongArray, LongArray]:
        """Return the classes."""
        coded = self.signs if self.n_classes == 2 else (1 + self.signs) / 2
        return coded[None].astype(np.longdouble), self.falling(F)

    def answers(self, means: LongArray) -> LongArray:
        """Return the vote for the class of most weight, for two classes ±1/2."""
        if len(means) == 1:
            return np.where(means > EQUAL, np.longdouble(0.5), np.longdouble(-0.5))
        voted = first_largest(means) == np.arange(len(means))[:, None]
        return np.asarray(voted, dtype=np.longdouble)

    def weight(self, answers: LongArray, weights: LongArray, total: float) -> tuple[Number, bool]:
        """Return α; that of a vote without error is above the sum of all others."""
        right = (answers[0] > 0) == (self.codes == 1)
        if len(answers) > 1:
            right = answers[self.codes, np.arange(len(weights))] > 0
        if right.all():
            return 1.0 + total, True
        error = weights[~right].sum() / weights.sum()
        bonus = np.log(np.longdouble(self.n_classes - 1)) if self.bonus else np.longdouble(0.0)
        return np.log((1 - error) / error) + bonus, False


class M1Solution(VotingSolution):
    """AdaBoost.M1: α = log((1 - ε) / ε)."""

    bonus = False


class GentleSolution(StagewiseSolution):
    """Gentle AdaBoost: f fitted to y."""

    def problem(self, F: LongArray) -> tuple[LongArray, LongArray]:
        """Return y and w ∝ exp(-y F)."""
        return self.signs[None].astype(np.longdouble), self.falling(F)

    def answers(self, means: LongArray) -> LongArray:
        """Return f."""
        return means


class RealSolution(StagewiseSolution):
    """Real AdaBoost: ½ log(p / (1 - p))."""

    def problem(self, F: LongArray) -> tuple[LongArray, LongArray]:
        """Return both classes and w ∝ exp(-y F)."""
        return np.array([[self.codes == 0, self.codes == 1]], np.longdouble), self.falling(F)

    def answers(self, means: LongArray) -> LongArray:
        """Return half the log-odds."""
        first, second = np.log(np.maximum(means, LEAST_SHARE))
        return np.asarray((second - first)[None] / 2)


class LogitSolution(StagewiseSolution):
    """LogitBoost: Newton steps."""

    learner: Any

    def problem(self, F: LongArray) -> tuple[LongArray, LongArray]:
        """Return z = (y* - p) / (p (1 - p)), clipped, and p (1 - p)."""
        rows = np.concatenate([-F, F]) if len(F) == 1 else F
        e = np.exp(rows - rows.max(axis=0))
        p = (e / e.sum(axis=0))[-len(F) :]
        rest = np.array([np.delete(e, k, axis=0).sum(axis=0) for k in range(len(e))])
        q = (rest / e.sum(axis=0))[-len(F) :]
        own = np.maximum(np.where(self.signs > 0, p, q), 1e-300)
        z = self.signs * np.minimum(1 / own, np.longdouble(self.learner.z_max))
        w = np.maximum(p * q, 2 * LEAST_SHARE)
        return z[:, None], w / w.mean(axis=1, keepdims=True)

    def answers(self, means: LongArray) -> LongArray:
        """Return f, symmetrised for more than two classes."""
        if len(means) == 1:
            return means
        share = np.longdouble(len(means) - 1) / len(means)
        return np.asarray(share * (means - means.mean(axis=0)))

    def weight(self, answers: LongArray, weights: LongArray, total: float) -> tuple[Number, bool]:
        """Return a half for two classes."""
        return (0.5 if self.n_classes == 2 else 1.0), False
