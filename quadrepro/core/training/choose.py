"""Choice of a candidate by cross-validation, or by a validation part of the examples."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from quadrepro.base.types import FloatArray, IntArray, Targets
from quadrepro.core.training.contract import Judged, Outputs
from quadrepro.core.training.fitted import EachOutputs, Fitted, NoSolutionError, losses_of
from quadrepro.core.training.grid import N_ROUNDS, Value

if TYPE_CHECKING:
    from quadrepro.core.metrics import Metric


def choose_by_folds(
    fitted: Fitted, fold: IntArray, metric: Metric | None = None
) -> tuple[int, FloatArray]:
    """Choose the candidate of least loss over all folds, see `least`.

    Parameters
    ----------
    fitted : Fitted
        The candidates, which are trained without each fold in turn.
    fold : ndarray of int, shape (n_train,)
        Fold of each training example, see `trained_on`.
    metric : Metric or None, default None
        Metric to optimise; None for the number of errors, or the sum of squared errors.
    """
    actual = fitted.data.codes_of(fitted.data.train.y)
    folds = fitted.fold_outputs(fold, "predictions" if metric is None else metric.needs)
    parts = ((actual[fold == f], each) for f, each in enumerate(folds))
    losses = fitted.total_losses(parts) if metric is None else metric_losses(fitted, parts, metric)
    return least(losses, fitted)


def choose_by_validation(fitted: Fitted) -> tuple[int, FloatArray]:
    """Choose the candidate of least loss on the validation part, see `least`."""
    return least(fitted.validation_losses(), fitted)


def choose_rest_by_test(fitted: Fitted, losses: FloatArray) -> int:
    """Return the candidate that an oracle chooses by test errors, given validation losses.

    Validation losses choose the number of rounds for each value of the other hyper-parameters, and
    the least test error chooses among these.
    """
    best: dict[tuple[Value, ...], int] = {}
    for i in np.flatnonzero(~np.isnan(losses)).tolist():
        candidate = fitted.candidates[i]
        rest = tuple(value for name, value in candidate.items() if name != N_ROUNDS.name)
        if rest not in best or losses[i] < losses[best[rest]]:
            best[rest] = i
    data = fitted.data
    actual = data.codes_of(data.test.y)
    chosen = [*best.values()]
    losses = losses_of([fitted.outputs(i) for i in chosen], actual, data.task)
    return chosen[int(losses.argmin())]


def least(losses: FloatArray, fitted: Fitted) -> tuple[int, FloatArray]:
    """Return the first candidate of least loss, and all losses, shape (n_candidates,).

    A candidate without a solution on some part of the examples, whose loss is NaN, is never chosen.
    """
    # `nanargmin` would rank NaN with infinite losses.
    solved = np.flatnonzero(~np.isnan(losses))
    if not solved.size:
        raise fitted.unsolved()
    return int(solved[losses[solved].argmin()]), losses


def metric_losses(
    fitted: Fitted, parts: Iterable[tuple[Targets, EachOutputs]], metric: Metric
) -> FloatArray:
    """Return the metric of each candidate over the folds as a loss, shape (n_candidates,).

    A metric whose highest value is the best has its sign changed. Predictions and probabilities of
    all folds are judged together. Scores of two models need not be comparable, so a metric of
    scores is the mean over the folds in which it is defined.
    """
    if not (parts := [*parts]):
        return np.zeros(1)  # a single candidate
    if metric.needs != "scores":
        targets, folds = zip(*parts, strict=True)
        joined = [*map(concatenated, zip(*folds, strict=True))]
        parts = [(np.concatenate(targets), joined)]
    k = fitted.data.n_classes
    by_part = [[one and metric.value(Judged(k, y, *one[:3])) for one in each] for y, each in parts]
    values = np.array(by_part, dtype=np.float64)  # None becomes NaN
    defined = ~np.isnan(values).all(axis=1)
    if not defined.any() and len(fitted.candidates) == 1:
        return np.zeros(1)
    if not defined.any():
        raise NoSolutionError(
            f"{metric.name} cannot choose: the learner gives no {metric.needs}, or the folds"
            " have examples of one class only"
        )
    # As with errors, a candidate whose predictions overflowed is worse than all others.
    losses = np.nan_to_num(metric.sign * values[defined], nan=np.inf).mean(axis=0)
    unsolved = np.any([[one is None for one in each] for _, each in parts], axis=0)
    return np.where(unsolved, np.nan, losses)


def concatenated(parts: Sequence[Outputs | None]) -> Outputs | None:
    """Return the predictions and the probabilities of a candidate for all folds."""
    solved = [outputs for outputs in parts if outputs is not None]
    if len(solved) < len(parts):
        return None
    columns = [outputs.probabilities for outputs in solved if outputs.probabilities is not None]
    probabilities = np.concatenate(columns) if len(columns) == len(parts) else None
    return Outputs(np.concatenate([outputs.predicted for outputs in solved]), None, probabilities)
