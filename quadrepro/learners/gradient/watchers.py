"""What gradient boosting keeps of its rounds: scores of new examples, losses, or the trees."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from quadrepro._typing import BoolArray, FloatArray, IntArray
from quadrepro.learners.gradient.steps import Scores, follow
from quadrepro.learners.gradient.trees import Trees
from quadrepro.learners.greedy.loop import Step, Watcher


class _EveryRound(Watcher[Scores]):
    """A watcher of trajectories that all run to the last round."""

    def retire(self, rows: IntArray, step: Step, votes: FloatArray) -> None:
        """Do nothing: no rule of gradient boosting ends a trajectory."""


class StagedScores(_EveryRound):
    """Keeps the scores of new examples after given numbers of rounds.

    Parameters
    ----------
    rounds : sequence of int
        Numbers of rounds, increasing.
    n_trajectories : int
        Number of trajectories.
    X_new : ndarray of shape (n_new, n_features)
        New examples.

    Attributes
    ----------
    path : ndarray of shape (n_trajectories, len(rounds), n_new)
        The scores.
    """

    def __init__(self, rounds: Sequence[int], n_trajectories: int, X_new: FloatArray) -> None:
        self._place = {t: i for i, t in enumerate(rounds)}
        self._columns = np.ascontiguousarray(X_new.T)
        self._scores = np.zeros((n_trajectories, len(X_new)))
        self.path = np.zeros((n_trajectories, len(rounds), len(X_new)))

    def after(self, t: int, live: IntArray, step: Step, state: Scores) -> None:
        """Take the step on the new examples."""
        follow(self._scores, state.trees, state.trees.leaves(self._columns), step)
        if t in self._place:
            self.path[:, self._place[t]] = self._scores


class TrainingLoss(_EveryRound):
    """Keeps the mean training loss of every trajectory after every round.

    Parameters
    ----------
    n_rounds, n_trajectories : int
        Shape of the losses.

    Attributes
    ----------
    path : ndarray of shape (n_trajectories, n_rounds)
        The losses.
    """

    def __init__(self, n_rounds: int, n_trajectories: int) -> None:
        self.path = np.zeros((n_trajectories, n_rounds))

    def after(self, t: int, live: IntArray, step: Step, state: Scores) -> None:
        """Keep the losses of round `t`."""
        self.path[:, t - 1] = state.loss.mean(state.scores, state.y, state.weights_of_examples)


class Gains(_EveryRound):
    """Adds up by how much the cuts by each feature lower the squared errors of the trees.

    It sees the first trajectory.

    Parameters
    ----------
    n_features : int
        Number of features.

    Attributes
    ----------
    of_features : ndarray of shape (n_features,)
        The sums.
    """

    def __init__(self, n_features: int) -> None:
        self.of_features = np.zeros(n_features)

    def after(self, t: int, live: IntArray, step: Step, state: Scores) -> None:
        """Undo the cuts of the tree, the last one first: two leaves become one."""
        trees, leaves = state.trees, state.leaves[0]
        means = trees.values[0].copy()
        sizes = np.bincount(leaves, state.weights_of_examples, len(means)).astype(np.float64)
        for cut in range(trees.parents.shape[1] - 1, -1, -1):
            if not np.isfinite(trees.thresholds[0, cut]):
                continue
            left, right = trees.parents[0, cut], cut + 1
            total = sizes[left] + sizes[right]
            share = sizes[right] / total
            change = means[right] - means[left]
            self.of_features[trees.features[0, cut]] += sizes[left] * share * change**2
            means[left] += share * change
            sizes[left] = total


class Ensemble(_EveryRound):
    """Keeps the trees and the step of every round, for later predictions.

    Attributes
    ----------
    rounds : list of (Trees, Step)
        What each round added.
    """

    def __init__(self) -> None:
        self.rounds: list[tuple[Trees, Step]] = []

    def after(self, t: int, live: IntArray, step: Step, state: Scores) -> None:
        """Keep round `t`."""
        self.rounds.append((state.trees, step))

    def scores(self, row: BoolArray, n_rounds: int, X_new: FloatArray) -> FloatArray:
        """Return the scores of new examples after some rounds of the one trajectory in `row`."""
        columns, scores = np.ascontiguousarray(X_new.T), np.zeros((1, len(X_new)))
        for trees, step in self.rounds[:n_rounds]:
            own = trees.keep(row)
            follow(scores, own, own.leaves(columns), step.keep(row))
        return np.asarray(scores[0])
