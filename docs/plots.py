"""The figures of the pages on the families of algorithms: python docs/plots.py, or make plots."""

from __future__ import annotations

import argparse
import shutil
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from sklearn.datasets import load_breast_cancer

from quadrepro import (
    AdaBoostClassifier,
    AdaBoostRegClassifier,
    CBBoostClassifier,
    CqBoostClassifier,
    EBBoostClassifier,
    GradientBoostRegressor,
    LPBoostClassifier,
    MinCqClassifier,
    QuadBoostClassifier,
    Stumps,
)
from quadrepro.base.types import FloatArray
from quadrepro.tables.figure import looks_of, new_figure, open_frame

HERE = Path(__file__).parent


def examples(noise: float = 0.0) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Return half of the breast cancer data to train on, some labels wrong, and the other half."""
    X, y = load_breast_cancer(return_X_y=True)
    rng = np.random.default_rng(0)
    order = rng.permutation(len(y))
    train, test = order[: len(y) // 2], order[len(y) // 2 :]
    wrong = rng.random(len(train)) < noise
    return X[train], np.where(wrong, 1 - y[train], y[train]), X[test], y[test]


def staged_errors(vote: Any, X: FloatArray, y: FloatArray) -> FloatArray:
    """Return the share of wrong labels after each round."""
    return np.array([(labels != y).mean() for labels in vote.staged_predict(X)])


def draw(panel: Axes, curves: dict[str, FloatArray], label: str) -> None:
    """Draw a number after each round of several runs."""
    for (name, values), look in zip(curves.items(), looks_of(curves).values(), strict=True):
        # Rounds that a logarithmic axis shows at one place are left out.
        rounds = np.unique(np.geomspace(1, len(values), 150).astype(int))
        panel.plot(
            rounds,
            values[rounds - 1],
            label=name,
            color=look.colour,
            linestyle=look.style,
            linewidth=1,
        )
    panel.set_xscale("log")
    panel.set_xlabel("rounds")
    open_frame(panel)
    panel.set_ylabel(label)
    panel.legend(frameon=False, fontsize="small")


def staged(
    votes: dict[str, Any], X: FloatArray, measure: Callable[[FloatArray], float]
) -> dict[str, FloatArray]:
    """Return a measure of the votes on some examples after each round, by the names of the runs."""
    return {
        name: np.array([measure(F) for F in vote.staged_decision_function(X)])
        for name, vote in votes.items()
    }


def draw_beside_errors(
    folder: Path, page: str, votes: dict[str, Any], curves: dict[str, FloatArray], label: str
) -> None:
    """Draw the figure of a page: curves of several runs on the left, their test errors beside."""
    _, _, X, y = examples()
    errors = {name: staged_errors(vote, X, y) for name, vote in votes.items()}
    with new_figure(folder, page, 8, 3) as figure:
        left, right = figure.subplots(1, 2)
        draw(left, curves, label)
        draw(right, errors, "test error")


def quadboost(folder: Path) -> None:
    """Draw quadratic risks and test errors along runs of the variants."""
    X, y, _, _ = examples(noise=0.1)
    signs = np.where(y == 1, 1.0, -1.0)
    votes = {
        "vanilla": QuadBoostClassifier(n_rounds=1000),
        "L2, λ = 10": QuadBoostClassifier("l2", lam=10.0, n_rounds=1000),
        "L∞, α = 0.01": QuadBoostClassifier("linf", alpha_max=0.01, n_rounds=1000),
        "L1, λ = 0.02": QuadBoostClassifier("l1", lam=0.02),
    }
    for vote in votes.values():
        vote.fit(X, y)
    risks = staged(votes, X, lambda F: ((signs - F) ** 2).mean())
    draw_beside_errors(folder, "quadboost", votes, risks, "quadratic risk, training")


def cbound(folder: Path) -> None:
    """Draw the C-bound along runs of the three readings, and test errors."""
    X, y, _, _ = examples()
    signs = np.where(y == 1, 1.0, -1.0)
    votes = {
        "weights add up": CBBoostClassifier(200),
        "weights are set anew": CBBoostClassifier(200, reweight=True),
        "no voter twice": CBBoostClassifier(200, allow_repeats=False),
    }
    for vote in votes.values():
        vote.fit(X, y)
    bounds = staged(votes, X, lambda F: 1 - (signs * F).mean() ** 2 / (F**2).mean())
    draw_beside_errors(folder, "cbound", votes, bounds, "C-bound, training")


def programs(folder: Path) -> None:
    """Draw how the margins of the training examples are distributed."""
    X, y, _, _ = examples()
    H, signs = Stumps(5).fit(X).transform(X), np.where(y == 1, 1.0, -1.0)
    votes = {
        "AdaBoost": AdaBoostClassifier(200),
        "LPBoost": LPBoostClassifier(C=0.1),
        "CqBoost": CqBoostClassifier(mu=0.05, epsilon=1e-3),
        "MinCq": MinCqClassifier(mu=0.05),
    }
    with new_figure(folder, "programs", 6, 3) as figure:
        panel = figure.subplots()
        for (name, vote), look in zip(votes.items(), looks_of(votes).values(), strict=True):
            weights = vote.set_params(voters="precomputed").fit(H, y).voter_weights_
            margins = np.sort(signs * (H @ weights) / np.abs(weights).sum())
            shares = np.arange(1, len(margins) + 1) / len(margins)
            panel.step(
                margins, shares, where="post", label=name, color=look.colour, linestyle=look.style
            )
        open_frame(panel)
        panel.set_xlabel("margin of a training example, weights adding up to 1")
        panel.set_ylabel("share of examples below")
        panel.legend(frameon=False, fontsize="small")


def gradient(folder: Path) -> None:
    """Draw errors of a noisy sine by four ways to step."""
    rng = np.random.default_rng(0)
    X, X_test = rng.uniform(-3, 3, (200, 1)), np.linspace(-3, 3, 400)[:, None]
    y, truth = np.sin(2 * X[:, 0]) + rng.normal(0, 0.5, 200), np.sin(2 * X_test[:, 0])
    steps = {
        "full": GradientBoostRegressor("full", n_rounds=1000),
        "shrink, ν = 0.1": GradientBoostRegressor("shrink", nu=0.1, n_rounds=1000),
        "epsilon, ε = 0.1": GradientBoostRegressor("epsilon", eps=0.1, n_rounds=1000),
        "rescale, u = 10": GradientBoostRegressor("rescale", u=10.0, n_rounds=1000),
    }
    losses, errors = {}, {}
    for name, estimator in steps.items():
        losses[name] = estimator.fit(X, y).train_loss_
        stages = estimator.staged_predict(X_test)
        errors[name] = np.array([((found - truth) ** 2).mean() for found in stages])
    with new_figure(folder, "gradient", 8, 3) as figure:
        left, right = figure.subplots(1, 2)
        draw(left, losses, "mean squared error, training")
        draw(right, errors, "mean squared error to the truth")


def adaboost(folder: Path) -> None:
    """Draw training and test errors where one label in ten is wrong."""
    X, y, X_test, y_test = examples(noise=0.1)
    votes = {
        "AdaBoost": AdaBoostClassifier(1000),
        "EBBoost, λ = 3": EBBoostClassifier(lam=3.0, n_rounds=1000),
        "AdaBoost_REG, C = 100": AdaBoostRegClassifier(C=100.0, n_rounds=1000),
    }
    training, errors = {}, {}
    for name, vote in votes.items():
        training[name] = staged_errors(vote.fit(X, y), X, y)
        errors[name] = staged_errors(vote, X_test, y_test)
    with new_figure(folder, "adaboost", 8, 3) as figure:
        left, right = figure.subplots(1, 2)
        draw(left, training, "training error")
        draw(right, errors, "test error")


PLOTS: dict[str, Callable[[Path], None]] = {
    draw_one.__name__: draw_one for draw_one in (quadboost, cbound, programs, gradient, adaboost)
}
"""The figures, by the page that they stand on."""


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", default=[*PLOTS], help="pages, by default all")
    parser.add_argument("--out", type=Path, default=HERE, help="folder of the figures")
    given = parser.parse_args()
    for name in given.names:
        with TemporaryDirectory() as folder:
            PLOTS[name](Path(folder))
            shutil.copy(Path(folder, f"{name}.svg"), given.out)
