"""The base of the classifiers that the greedy loop trains."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np

from quadrepro._typing import FloatArray, IntArray
from quadrepro.learners.base import N_ROUNDS
from quadrepro.learners.estimators import VoteClassifier, one_sample, total_of
from quadrepro.learners.greedy.algorithm import GreedyAlgorithm
from quadrepro.learners.greedy.example_weights import WeightBoosting
from quadrepro.learners.greedy.loop import State, Trace, boost
from quadrepro.voters.groups import VoterGroups
from quadrepro.voters.reduction import GramProblem, reduce_problem
from quadrepro.voters.source import GroupedVoters
from quadrepro.voters.stumps import Stumps


class GreedyClassifier(VoteClassifier):
    """Base of the classifiers whose vote the greedy loop finds."""

    learner: ClassVar[type[GreedyAlgorithm[Any]]]

    def _algorithm(self) -> GreedyAlgorithm[Any]:
        return self.learner(**self._settings())

    def _train(self, H: FloatArray, y: FloatArray, weights: FloatArray | None) -> FloatArray:
        algorithm = self._algorithm()
        candidate = self._candidate(algorithm, total_of(y, weights))
        merges = algorithm.merges_voters
        return self._solve(
            reduce_problem(H, y, one_sample(weights), merge_voters=merges), candidate
        )

    def _learn(self, X: FloatArray, y: FloatArray, weights: FloatArray | None) -> FloatArray:
        algorithm = self._algorithm()
        voters = self.voters_ if isinstance(self.voters_, Stumps) else None
        if voters is None or not voters.are_chains or not isinstance(algorithm, WeightBoosting):
            return super()._learn(X, y, weights)
        candidate = self._candidate(algorithm, total_of(y, weights))
        # Voters need not be merged: the first of equal ones is picked anyway.
        groups, counts = VoterGroups.of_stumps(X, y, voters.thresholds_).distinct(weights)
        state = algorithm.weights(GroupedVoters(groups), counts[None])
        return self._boost(state, candidate, np.arange(len(state.weights[0])))

    def _solve(self, problem: GramProblem, candidate: dict[str, float]) -> FloatArray:
        """Return the voter weights of a problem."""
        state = self._algorithm().state(problem, np.zeros(1, dtype=np.intp))
        return problem.expand(self._boost(state, candidate, problem.representatives))

    def _boost(self, state: State, candidate: dict[str, float], places: IntArray) -> FloatArray:
        """Return the weights of the voters of a state; keep the rounds, with the voters' places."""
        algorithm = self._algorithm()
        n_rounds = int(candidate[N_ROUNDS.name])
        trace = Trace()
        value = np.array([candidate.get(algorithm.value_name, np.nan)], dtype=np.float64)
        boost(algorithm.rule(value), state, n_rounds, [trace])
        self._picks = places[trace.picks]
        self._steps = np.array(trace.weights)
        self.n_iter_ = len(self._picks)
        # The only trajectory is kept when it ends.
        return np.asarray(state.weights[0])

    def _stages(self, H: FloatArray) -> Iterator[tuple[FloatArray, float]]:
        votes, weights, total = np.zeros(len(H)), np.zeros(H.shape[1]), 0.0
        for pick, step in zip(self._picks, self._steps, strict=True):
            votes += step * H[:, pick]
            total += abs(weights[pick] + step) - abs(weights[pick])
            weights[pick] += step
            yield votes.copy(), total
