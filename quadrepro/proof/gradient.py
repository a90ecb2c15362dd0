"""Checks of gradient boosting: trees by brute force, steps by the derivative of the loss."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np

from quadrepro.base.types import BoolArray, FloatArray, IntArray
from quadrepro.core.learners.gradient.boosting import Ensemble, GradientBoost
from quadrepro.proof.certificate import Certificate, LongArray, Number, Rounds
from quadrepro.proof.solution import ExaminedCell, PredictedSolution, Scores

LARGEST_CHANGE, CLOSE, ROUNDING = 30.0, 2e-6, 1e-12
"""No line search of a class changes a score by more than the first; how far it may stay away from
it, and how far a product may exceed it."""

VANISHED = 1e-100
"""Trees of that size follow a loss that has vanished, and have no weight."""

NO_GAIN = 1e-9
"""A leaf is not cut if that lowers the root of the sum of squares by a smaller share of it."""


class Tree(NamedTuple):
    """A regression tree, and how the scores follow it."""

    parents: IntArray
    """Leaf that is cut, and by which feature; cut s moves examples to leaf s + 1, shape
    (n_cuts,)."""
    features: IntArray
    thresholds: FloatArray
    """Examples above it move, shape (n_cuts,)."""
    values: FloatArray
    weight: float
    """F <- (1 - shrink) F + weight * tree."""
    shrink: float

    def leaves(self, X: FloatArray) -> IntArray:
        """Return the leaf of each example."""
        leaves = np.zeros(len(X), dtype=np.intp)
        cuts = zip(self.parents, self.features, self.thresholds, strict=True)
        for s, (parent, feature, threshold) in enumerate(cuts):
            leaves[(leaves == parent) & (X[:, feature] > threshold)] = s + 1
        return leaves

    def moved(self, scores: LongArray, X: FloatArray) -> LongArray:
        """Return the scores after this tree."""
        moves = np.longdouble(self.weight) * self.values.astype(np.longdouble)
        return np.asarray((1 - np.longdouble(self.shrink)) * scores + moves[self.leaves(X)])


@dataclass(frozen=True, eq=False)
class GradientSolution(PredictedSolution):
    """An ensemble of trees."""

    learner: GradientBoost
    value: float
    """The hyper-parameter of its step; NaN if it has none."""
    X: FloatArray
    y: FloatArray
    trees: list[Tree]
    """The addition of each round."""

    @classmethod
    def of(cls, learner: GradientBoost, cell: ExaminedCell) -> Self:
        """Run the rounds once more."""
        (X, y), grid, kept = cell.data.train, cell.alone, Ensemble()
        values = np.asarray(grid.axis(learner.value_name) or (np.nan,), dtype=np.float64)
        [n_rounds] = grid.axis("n_rounds") or ()
        learner.run(X, y, values, int(n_rounds), [kept])
        trees = [
            Tree(
                trees.parents[0],
                trees.features[0],
                trees.thresholds[0],
                trees.values[0],
                float(step.weights[0]),
                0.0 if step.shrink is None else float(step.shrink[0]),
            )
            for trees, step in kept.rounds
        ]
        return cls(cell.chosen, learner, cell, float(values[0]), X, y, trees)

    def scores(self, X: FloatArray) -> Scores:
        """Return the score of each example."""
        scores = np.zeros(len(X), dtype=np.longdouble)
        for tree in self.trees:
            scores = tree.moved(scores, X)
        return scores, 0.0

    def prove(self, certificate: Certificate, rounds: Rounds) -> None:
        """Check some rounds; every cut of their trees is compared with all others."""
        checked = set(rounds.among(len(self.trees)))
        scores = np.zeros(len(self.y), dtype=np.longdouble)
        for k, tree in enumerate(self.trees, 1):
            if k in checked:
                certificate.n_rounds += 1
                targets = self._descent(scores)
                self._check_cuts(tree, targets, certificate, f"round {k}")
                self._check_step(tree, scores, k, certificate)
            scores = tree.moved(scores, self.X)

    def _descent(self, scores: LongArray) -> LongArray:
        """Return the negative gradient, without the factor 2 of the squared loss."""
        if self._loss == "l2":
            return np.asarray(self.y - scores)
        if self._loss == "logistic":
            return np.asarray(self.y / (1 + np.exp(self.y * scores)))
        return np.asarray(self.y * np.exp(-self.y * scores))

    @property
    def _loss(self) -> str:
        return self.learner.loss or "l2"

    def _check_cuts(
        self, tree: Tree, targets: LongArray, certificate: Certificate, where: str
    ) -> None:
        """Check that every cut is the best, that no good one is left, and the values."""
        leaves, size = np.zeros(len(targets), dtype=np.intp), float(np.sqrt((targets**2).sum()))
        depths, least = [0], NO_GAIN * size
        if not size > 0:
            return
        by_level = self.learner.depth is not None
        gains = [best_gain(self.X, targets, leaves == 0)]
        made = 0
        for parent, feature, threshold in zip(
            tree.parents, tree.features, tree.thresholds, strict=True
        ):
            if threshold == np.inf:
                break
            inside = leaves == parent
            right = inside & (self.X[:, feature] > threshold)
            found = cut_gain(targets, inside, right)
            best = gains[parent] if by_level else max(gains)
            certificate.compare(np.array([best / size]), found / size, where)
            made += 1
            leaves[right] = made
            depths.append(depths[parent] + 1)
            depths[parent] += 1
            gains.append(best_gain(self.X, targets, right))
            gains[parent] = best_gain(self.X, targets, inside & ~right)
        most = self.learner.depth or 0
        if by_level:
            left = max((g for g, deep in zip(gains, depths, strict=True) if deep < most), default=0)
        else:
            left = 0.0 if made >= self.learner.cuts else max(gains)
        certificate.require(left <= least, f"{where}: a leaf of the tree could be cut")
        unit = float(np.abs(targets).max())
        for leaf in range(made + 1):
            mean = targets[leaves == leaf].mean()
            off = float(abs(tree.values[leaf] - mean)) / unit
            certificate.measure("violation", off, f"{where}: the value of a leaf")

    def _check_step(self, tree: Tree, scores: LongArray, k: int, certificate: Certificate) -> None:
        """Check the share that is taken away, and the weight of the tree."""
        where, kind = f"round {k}", self.learner.step
        share = self._shrink(k)
        certificate.measure("violation", abs(tree.shrink - share), f"{where}: the re-scaling")
        g = tree.values.astype(np.longdouble)[tree.leaves(self.X)]
        rms = np.sqrt((g * g).mean())
        if not rms > VANISHED:
            return
        if kind in ("epsilon", "rescale-epsilon"):
            certificate.weigh(tree.weight, self.value / rms, where)
            return
        start, weight = (1 - np.longdouble(share)) * scores, np.longdouble(tree.weight)
        if kind in ("truncate", "rescale-truncate"):
            unit = (self.learner.bound or ("tree" if self._loss == "l2" else "unit")) == "unit"
            bound = np.longdouble(k) ** (-np.longdouble(2) / 3) / (rms if unit else 1)
            if abs(weight) > bound * (1 - np.longdouble(1e-10)):
                certificate.weigh(abs(weight), bound, where)
                # Beyond the bound the loss must still fall.
                pull = np.sign(weight) * self._pull(start, weight, g)
                certificate.measure("weight", -pull, f"{where}: the truncation")
                return
        if kind == "shrink":
            weight = weight / np.longdouble(self.value)
        pull, change = float(self._pull(start, weight, g)), float(abs(weight) * np.abs(g).max())
        if self._loss != "l2" and -ROUNDING <= LARGEST_CHANGE - change <= CLOSE:
            pull = min(0.0, pull * float(np.sign(weight)))
        certificate.measure("weight", abs(pull), f"{where}: the derivative along the tree")

    def _pull(self, start: LongArray, weight: np.longdouble, g: LongArray) -> np.longdouble:
        """Return minus the derivative of the loss along g, relative to the sizes of its terms."""
        terms = self._descent(np.asarray(start + weight * g)) * g
        if self._loss == "l2":
            return np.longdouble(terms.sum() / max((g * g).sum(), 1e-300))
        return np.longdouble(terms.sum() / np.abs(terms).sum())

    def _shrink(self, k: int) -> float:
        """Return α_k."""
        if self.learner.step == "rescale-epsilon" or self.learner.theory:
            return 3.0 / (k + 3.0)
        if self.learner.step in ("rescale", "rescale-truncate"):
            return min(1.0, 2.0 / (k + self.value))
        return 0.0


def cut_gain(targets: LongArray, inside: BoolArray, right: BoolArray) -> np.longdouble:
    """Return the root of by how much a cut of a leaf lowers its sum of squares."""
    n, n_right = int(inside.sum()), int(right.sum())
    if not 0 < n_right < n:
        return np.longdouble(0.0)
    away = (targets[right] - targets[inside].mean()).sum()
    return np.longdouble(abs(away) * np.sqrt(np.longdouble(n) / (n_right * (n - n_right))))


def best_gain(X: FloatArray, targets: LongArray, inside: BoolArray) -> Number:
    """Return the largest `cut_gain` of all thresholds of all features in a leaf."""
    own, n = targets[inside], int(inside.sum())
    if n < 2:
        return 0.0
    order = X[inside].argsort(axis=0, kind="stable")
    values = np.take_along_axis(X[inside], order, axis=0)
    left = np.arange(1, n)[:, None]
    away = np.abs((own - own.mean())[order].cumsum(axis=0)[:-1])
    gains = away * np.sqrt(np.longdouble(n) / (left * (n - left)))
    return float(np.where(values[:-1] < values[1:], gains, 0.0).max(initial=0.0))
