"""The base of classifiers whose vote the greedy loop finds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np

from quadrepro._typing import FloatArray
from quadrepro.learners.base import N_ROUNDS
from quadrepro.learners.estimators import VoteClassifier
from quadrepro.learners.greedy.algorithm import GreedyAlgorithm
from quadrepro.learners.greedy.loop import Checkpoints, Trace
from quadrepro.learners.grid import Value
from quadrepro.voters.reduction import reduce_problem


class GreedyClassifier(VoteClassifier):
    """A vote that the greedy loop finds."""

    learner: ClassVar[type[GreedyAlgorithm[Any]]]

    def _n_rounds(self, candidate: dict[str, Value]) -> int:
        return int(candidate[N_ROUNDS.name])  # type: ignore[arg-type] # checked to be a number

    def _algorithm(self) -> GreedyAlgorithm[Any]:
        algorithm = super()._algorithm()
        assert isinstance(algorithm, GreedyAlgorithm)
        return algorithm

    def _train(self, H: FloatArray, y: FloatArray) -> FloatArray:
        algorithm = self._algorithm()
        candidate = self._candidate(algorithm, y)
        value = np.array([candidate.get(algorithm.value_name, np.nan)], dtype=np.float64)
        n_rounds = self._n_rounds(candidate)
        problem = reduce_problem(H, y, merge_voters=algorithm.merges_voters)
        end, trace = Checkpoints([n_rounds], 1, problem.H.shape[1]), Trace()
        algorithm.run(problem, value, n_rounds, [end, trace])
        self._picks = problem.representatives[trace.picks]
        self._steps = np.array(trace.weights)
        return problem.expand(end.path[0, 0])

    def _stages(self, H: FloatArray) -> Iterator[FloatArray]:
        votes = np.zeros(len(H))
        for pick, step in zip(self._picks, self._steps, strict=True):
            votes += step * H[:, pick]
            yield votes.copy()
