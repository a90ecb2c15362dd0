"""The base of the classifiers that the greedy loop trains."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np

from quadrepro._typing import FloatArray
from quadrepro.learners.base import N_ROUNDS
from quadrepro.learners.estimators import VoteClassifier
from quadrepro.learners.greedy.algorithm import GreedyAlgorithm
from quadrepro.learners.greedy.loop import Checkpoints, Trace
from quadrepro.voters.reduction import GramProblem, reduce_problem


class GreedyClassifier(VoteClassifier):
    """Base of the classifiers whose vote the greedy loop finds."""

    learner: ClassVar[type[GreedyAlgorithm[Any]]]

    def _algorithm(self) -> GreedyAlgorithm[Any]:
        return self.learner(**self._settings())

    def _train(self, H: FloatArray, y: FloatArray) -> FloatArray:
        algorithm = self._algorithm()
        candidate = self._candidate(algorithm, y)
        problem = reduce_problem(H, y, merge_voters=algorithm.merges_voters)
        return self._solve(problem, candidate)

    def _solve(self, problem: GramProblem, candidate: dict[str, float]) -> FloatArray:
        """Return the voter weights of a problem; keep the rounds."""
        algorithm = self._algorithm()
        n_rounds = int(candidate[N_ROUNDS.name])
        end, trace = Checkpoints([n_rounds], 1, problem.n_voters), Trace()
        value = np.array([candidate.get(algorithm.value_name, np.nan)], dtype=np.float64)
        algorithm.run(problem, value, n_rounds, [end, trace])
        self._picks = problem.representatives[trace.picks]
        self._steps = np.array(trace.weights)
        return problem.expand(end.path[0, 0])

    def _stages(self, H: FloatArray) -> Iterator[FloatArray]:
        votes = np.zeros(len(H))
        for pick, step in zip(self._picks, self._steps, strict=True):
            votes += step * H[:, pick]
            yield votes.copy()
