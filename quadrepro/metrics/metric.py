"""What a metric is: its direction, its tasks, what it is computed from, and the function."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from quadrepro._typing import FloatArray, Task

Need = Literal["predictions", "scores", "probabilities"]
"""What a metric is computed from: predicted targets, scores that order, or class probabilities."""

Function = Callable[[NDArray[Any], NDArray[Any], int], float]
"""``function(targets, output, n_classes)`` returns the value of a metric."""

LARGEST = float(np.finfo(np.float64).max)
"""The largest finite number."""


class Kept(Protocol):
    """What a `quadrepro.engine.records.Record` keeps of the test examples."""

    @property
    def classes(self) -> tuple[str, ...]:
        """Names of the classes; empty if numbers are predicted."""

    def actual_targets(self) -> NDArray[Any]:
        """Return class codes or numbers, shape (n_test,)."""

    def predicted_targets(self) -> NDArray[Any]:
        """Return what is predicted in their place, shape (n_test,)."""

    def decision_scores(self) -> FloatArray | None:
        """Return scores, shape (n_test,) or (n_test, n_classes), or None."""

    def class_probabilities(self) -> FloatArray | None:
        """Return probabilities, shape (n_test, n_classes), or None."""


@dataclass(frozen=True)
class Metric:
    """A number that says how good the predictions for the test examples of a cell are.

    Attributes
    ----------
    name : str
        Name in configs, in file names and as a column of ``cells.csv``.
    label : str
        What tables call it.
    tasks : tuple of {"classification", "multiclass", "regression"}
        What it can judge.
    needs : {"predictions", "scores", "probabilities"}
        What it is computed from. Class probabilities also serve as scores.
    function : callable
        ``function(targets, output, n_classes)`` returns the value. Targets are class codes from 0,
        or numbers. The output has shape (n_test,); scores of more than two classes and
        probabilities have shape (n_test, n_classes).
    greater_is_better : bool, default True
        Whether the highest value is the best.
    counts_errors : bool, default False
        Whether it is the share of wrong examples, which tests of single examples compare.
    """

    name: str
    label: str
    tasks: tuple[Task, ...]
    needs: Need
    function: Function
    greater_is_better: bool = True
    counts_errors: bool = False

    def serves(self, kept: Kept) -> bool:
        """Return whether a record keeps what the metric is computed from."""
        return self._output(kept) is not None

    def value(self, kept: Kept) -> float | None:
        """Return the metric of the test examples of a cell.

        Parameters
        ----------
        kept : Record
            A cell that was computed.

        Returns
        -------
        float or None
            None if the record does not keep what the metric needs, or if the metric is undefined,
            such as the AUC where all test examples are of one class.
        """
        output = self._output(kept)
        if output is None:
            return None
        with warnings.catch_warnings():
            # scikit-learn warns of what is undefined and returns NaN, or raises an error.
            warnings.simplefilter("ignore")
            try:
                value = float(self.function(kept.actual_targets(), output, len(kept.classes)))
            except ValueError:
                return None
        return value if math.isfinite(value) else None

    def _output(self, kept: Kept) -> NDArray[Any] | None:
        if self.needs == "predictions":
            return kept.predicted_targets()
        if self.needs == "scores" and (scores := kept.decision_scores()) is not None:
            # A class that no training example has may have the score -inf, which is no number.
            return np.clip(np.asarray(scores, dtype=np.float64), -LARGEST, LARGEST)
        found = kept.class_probabilities()
        if found is None:
            return None
        # They are kept with few digits; scikit-learn warns unless they add up to 1 exactly enough.
        sums = np.asarray(found, dtype=np.float64).sum(axis=1, keepdims=True)
        with np.errstate(invalid="ignore"):
            probabilities: FloatArray = np.divide(found, sums, dtype=np.float64)
        two = self.needs == "scores" and len(kept.classes) == 2
        return probabilities[:, 1] if two else probabilities
