"""Checks of gradient boosting: trees by brute force, steps by the derivative of the loss.

The checks of trees are for weighted examples and several targets as well.
"""

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

LIGHT = 2e-9
"""A leaf with a smaller share of all weight need not be made."""


class Tree(NamedTuple):
    """A regression tree, and how the scores follow it."""

    parents: IntArray
    """Leaf that is cut, and by which feature; cut s moves examples to leaf s + 1, shape
    (n_cuts,)."""
    features: IntArray
    thresholds: FloatArray
    """Examples above it move, shape (n_cuts,)."""
    values: FloatArray
    """Mean of the targets in each leaf, shape (n_leaves,) or (n_targets, n_leaves)."""
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
                size = self.learner.cuts, self.learner.depth
                least = self.learner.min_weight_fraction_leaf * len(targets)
                ones = np.ones(len(targets), dtype=np.longdouble)
                where = f"round {k}"
                check_tree(tree, self.X, targets[None], ones, size, certificate, where, least)
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
            if kind == "truncate" and not np.isnan(self.value):
                bound *= self.value
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


def check_tree(
    tree: Tree,
    X: FloatArray,
    targets: LongArray,
    weights: LongArray,
    size: tuple[int, int | None],
    certificate: Certificate,
    where: str,
    least: float = 0.0,
) -> None:
    """Check that every cut is the best, that no good one is left, and the values.

    Targets have one row each; the size is a number of cuts, or a depth that replaces it. Leaves
    have the least weight.
    """
    leaves, unit = (
        np.zeros(len(weights), dtype=np.intp),
        float(np.sqrt((weights * targets**2).sum())),
    )
    least *= 1 - 1e-6  # the sums of the run are rounded
    (cuts, depth), depths, made = size, [0], 0
    if not unit > 0:
        return
    gains = [best_gain(X, targets, leaves == 0, weights, least)]
    for parent, feature, threshold in zip(
        tree.parents, tree.features, tree.thresholds, strict=True
    ):
        if threshold == np.inf:
            break
        inside = leaves == parent
        right = inside & (X[:, feature] > threshold)
        found = cut_gain(targets, inside, right, weights)
        best = max(gains) if depth is None else gains[parent]
        certificate.compare(np.array([best / unit]), found / unit, where)
        made += 1
        leaves[right] = made
        depths.append(depths[parent] + 1)
        depths[parent] += 1
        gains.append(best_gain(X, targets, right, weights, least))
        gains[parent] = best_gain(X, targets, inside & ~right, weights, least)
        lighter = min(weights[right].sum(), weights[inside & ~right].sum())
        certificate.require(lighter >= least, f"{where}: a leaf is too light")
    if depth is not None:
        left = max((g for g, deep in zip(gains, depths, strict=True) if deep < depth), default=0)
    else:
        left = 0.0 if made >= cuts else max(gains)
    certificate.require(left <= NO_GAIN * unit, f"{where}: a leaf of the tree could be cut")
    values, largest = np.atleast_2d(tree.values), float(np.abs(targets).max())
    for leaf in range(made + 1):
        own = leaves == leaf
        means = (weights * targets)[:, own].sum(axis=1) / weights[own].sum()
        off = float(np.abs(values[:, leaf] - means).max()) / largest
        certificate.measure("violation", off, f"{where}: the value of a leaf")


def cut_gain(
    targets: LongArray, inside: BoolArray, right: BoolArray, weights: LongArray | None = None
) -> np.longdouble:
    """Return the root of by how much a cut of a leaf lowers its sums of squares."""
    w = np.ones(len(inside), dtype=np.longdouble) if weights is None else weights
    targets = np.atleast_2d(targets)
    total, on_right = w[inside].sum(), w[right].sum()
    if not 0 < on_right < total:
        return np.longdouble(0.0)
    means = (w * targets)[:, inside].sum(axis=1) / total
    away = np.sqrt((((w * (targets - means[:, None]))[:, right].sum(axis=1)) ** 2).sum())
    return np.longdouble(away * np.sqrt(total / (on_right * (total - on_right))))


def best_gain(
    X: FloatArray,
    targets: LongArray,
    inside: BoolArray,
    weights: LongArray | None = None,
    least: float = 0.0,
) -> Number:
    """Return the largest `cut_gain` of all thresholds of all features in a leaf.

    Both sides of a cut must have the least weight.
    """
    w = np.ones(len(inside), dtype=np.longdouble) if weights is None else weights
    if inside.sum() < 2:
        return 0.0
    least = max(least, LIGHT * float(w.sum()))
    own, w = np.atleast_2d(targets)[:, inside], w[inside]
    total = w.sum()
    order = X[inside].argsort(axis=0, kind="stable")
    values = np.take_along_axis(X[inside], order, axis=0)
    left = w[order].cumsum(axis=0)[:-1]
    centred = w * (own - ((w * own).sum(axis=1) / total)[:, None])
    away = np.sqrt((centred[:, order].cumsum(axis=1)[:, :-1] ** 2).sum(axis=0))
    allowed = (values[:-1] < values[1:]) & (left >= least) & (total - left >= least)
    products = np.where(allowed, left * (total - left), 1.0)
    return float(np.where(allowed, away * np.sqrt(total / products), 0.0).max(initial=0.0))
