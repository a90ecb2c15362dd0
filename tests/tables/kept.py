"""What a record keeps of test examples, without a record."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from quadrepro.base.types import FloatArray


@dataclass(frozen=True, eq=False)
class Kept:
    """Targets, predictions, scores and probabilities of the test examples of a cell."""

    classes: tuple[str, ...]
    actual: NDArray[Any]
    predicted: NDArray[Any]
    scores: FloatArray | None = None
    probabilities: FloatArray | None = None

    def actual_targets(self) -> NDArray[Any]:
        return self.actual

    def predicted_targets(self) -> NDArray[Any]:
        return self.predicted

    def decision_scores(self) -> FloatArray | None:
        return self.scores

    def class_probabilities(self) -> FloatArray | None:
        return self.probabilities
