"""Gradient boosting over trees: one loop, five ways to step, two losses (Re-scale boosting)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, Self, get_args

import numpy as np

from quadrepro._typing import FloatArray, IntArray
from quadrepro.learners.base import N_ROUNDS, Hyperparameter, Task
from quadrepro.learners.gradient.losses import LogisticLoss, Loss, SquaredLoss
from quadrepro.learners.gradient.steps import (
    Epsilon,
    Full,
    Rescale,
    RescaleInTheory,
    Scores,
    Shrink,
    Truncate,
    follow,
)
from quadrepro.learners.gradient.trees import TreeFitter, Trees
from quadrepro.learners.greedy.loop import Rule, Step, Watcher, boost
from quadrepro.learners.grid import Grid
from quadrepro.learners.predictor import Predictor

StepName = Literal["full", "shrink", "truncate", "rescale", "epsilon"]
LossName = Literal["l2", "logistic"]

LOSSES: dict[str, Loss] = {"l2": SquaredLoss(), "logistic": LogisticLoss()}

VALUES = {
    "shrink": Hyperparameter("nu", "number", "small", "share ν of the line search's step"),
    "rescale": Hyperparameter("u", "number", "small", "u of α_k = min(1, 2 / (k + u))"),
    "epsilon": Hyperparameter("eps", "number", "small", "length ε of a step"),
}


class _EveryRound(Watcher[Scores]):
    """A watcher of trajectories none of which ends early."""

    def retire(self, rows: IntArray, step: Step, votes: FloatArray) -> None:
        """See nothing: no rule of gradient boosting ends a trajectory."""


class Predictions(_EveryRound):
    """Keeps the scores of new examples after given numbers of rounds.

    Parameters
    ----------
    rounds : sequence of int
        Numbers of rounds, increasing.
    n_trajectories : int
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
        follow(self._scores, state.trees.outputs(self._columns), step)
        if t in self._place:
            self.path[:, self._place[t]] = self._scores


class Losses(_EveryRound):
    """Keeps the mean training loss of every trajectory after every round.

    Parameters
    ----------
    n_rounds, n_trajectories : int

    Attributes
    ----------
    path : ndarray of shape (n_trajectories, n_rounds)
        The losses.
    """

    def __init__(self, n_rounds: int, n_trajectories: int) -> None:
        self.path = np.zeros((n_trajectories, n_rounds))

    def after(self, t: int, live: IntArray, step: Step, state: Scores) -> None:
        """Keep the losses of round `t`."""
        self.path[:, t - 1] = state.loss.mean(state.scores, state.y)


class Ensemble(_EveryRound):
    """Keeps every round's trees and step, for predictions later.

    Attributes
    ----------
    rounds : list of (Trees, Step)
        What each round added.
    """

    def __init__(self) -> None:
        self.rounds: list[tuple[Trees, Step]] = []

    def after(self, t: int, live: IntArray, step: Step, state: Scores) -> None:
        """Keep the round."""
        self.rounds.append((state.trees, step))


@dataclass(frozen=True)
class GradientBoost(Predictor):
    """Boosting by the gradient of a loss, with trees for base learners.

    The number of rounds is nested; all values of the step's hyper-parameter advance side by side.

    Parameters
    ----------
    step : {"full", "shrink", "truncate", "rescale", "epsilon"}, default "full"
        Boosting, RSboosting (its hyper-parameter is ``nu``), RTboosting, RBoosting (``u``) or
        ε-boosting (``eps``).
    loss : {"l2", "logistic"}, optional
        The squared loss of a number, or the logistic loss of a class; by default that of the task.
    splits : int, default 1
        Number of splits J of a tree; 1 is a stump.
    depth : int, optional
        Depth of the trees, in place of a number of splits.
    theory : bool, default False
        Whether RBoosting has the α_k = 3 / (k + 3) of its theorems and no hyper-parameter.

    Raises
    ------
    ValueError
        If the settings contradict each other.
    """

    step: StepName = "full"
    loss: LossName | None = None
    splits: int = 1
    depth: int | None = None
    theory: bool = False

    def __post_init__(self) -> None:
        for name, known in (("step", get_args(StepName)), ("loss", (None, *LOSSES))):
            if (given := getattr(self, name)) not in known:
                raise ValueError(f"{name} must be {', '.join(map(repr, known))}, not {given!r}")
        for name in ("splits", "depth"):
            size = getattr(self, name)
            if size is not None and (size != int(size) or size < 1):
                raise ValueError(f"{name} must be a whole number of at least 1, not {size:g}")
        if self.depth is not None and self.splits != 1:
            raise ValueError(
                f"depth is in place of splits: give depth {self.depth} or splits {self.splits}"
            )
        if self.theory and self.step != "rescale":
            raise ValueError(f"theory is for step 'rescale', not {self.step!r}")

    @property
    def task(self) -> Task:
        """The task of the loss; regression where none is set."""
        return "classification" if self.loss == "logistic" else "regression"

    def for_task(self, task: Task) -> Self | None:
        """Return it with the loss of a task, or None if it has another one."""
        loss: LossName = "l2" if task == "regression" else "logistic"
        return replace(self, loss=loss) if self.loss in (None, loss) else None

    @property
    def value(self) -> Hyperparameter | None:
        """The hyper-parameter other than ``n_rounds``, or None."""
        return None if self.theory else VALUES.get(self.step)

    @property
    def hyperparameters(self) -> tuple[Hyperparameter, ...]:
        """What a grid may name."""
        return (N_ROUNDS,) if self.value is None else (self.value, N_ROUNDS)

    def rule(self, values: FloatArray) -> Rule[Scores]:
        """Return the step rule for one hyper-parameter value a trajectory."""
        rescale = RescaleInTheory if self.theory else Rescale
        rules: dict[str, Rule[Scores]] = {
            "full": Full(),
            "shrink": Shrink(values),
            "truncate": Truncate(),
            "rescale": rescale(values),
            "epsilon": Epsilon(values),
        }
        return rules[self.step]

    def run(
        self,
        X: FloatArray,
        y: FloatArray,
        values: FloatArray,
        n_rounds: int,
        watchers: Sequence[Watcher[Scores]],
    ) -> None:
        """Run the loop for every value of the step's hyper-parameter.

        Parameters
        ----------
        X : ndarray of shape (n_examples, n_features)
            Training examples.
        y : ndarray of shape (n_examples,)
            Numbers, or labels -1 or +1.
        values : ndarray of shape (n_trajectories,)
            Values; a single nan where there is no hyper-parameter.
        n_rounds : int
            Number of rounds.
        watchers : sequence of Watcher
            Told of every round.
        """
        fitter = TreeFitter(X, self.splits, self.depth)
        boost(
            self.rule(values),
            Scores(fitter, LOSSES[self.loss or "l2"], y, len(values)),
            n_rounds,
            watchers,
        )

    def predictions(
        self, X: FloatArray, y: FloatArray, grid: Grid, X_new: FloatArray, rng: np.random.Generator
    ) -> FloatArray:
        """Train every candidate and let it predict; nothing is drawn."""
        self.check(grid)
        name = "" if self.value is None else self.value.name
        values = np.asarray(grid.axis(name) or (np.nan,), dtype=np.float64)
        rounds = [int(t) for t in grid.axis("n_rounds") or ()]
        watcher = Predictions(rounds, len(values), X_new)
        self.run(X, y, values, rounds[-1], [watcher])
        return np.asarray(grid.flatten(watcher.path[None], (name, "n_rounds"))[0])
