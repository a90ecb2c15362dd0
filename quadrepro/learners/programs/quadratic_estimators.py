"""MinCq and CqBoost as scikit-learn classifiers."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from quadrepro._typing import FloatArray, IntArray
from quadrepro.learners.base import Algorithm
from quadrepro.learners.estimators import VoteClassifier, Voters, check_candidate
from quadrepro.learners.programs.cqboost import CqBoost, generate_columns
from quadrepro.learners.programs.mincq import MinCq, feasible
from quadrepro.learners.programs.mincq_program import MinCqProgram
from quadrepro.voters.reduction import VotingProblem, reduce_problem


class MinCqClassifier(VoteClassifier):
    """MinCq: the quasi-uniform vote of least C-bound (Germain et al. 2015).

    Parameters
    ----------
    mu : float, default 0.01
        Mean margin of the vote, at most the mean of the voters' |mean margin|.
    voters : Stumps, "precomputed" or None, default None
        The voters; None stands for ``Stumps(per_attribute=10)``, ``"precomputed"`` for X itself.

    Attributes
    ----------
    gap_ : float
        Relative duality gap of the quadratic program.
    """

    def __init__(self, mu: float = 0.01, *, voters: Voters = None) -> None:
        self.mu = mu
        self.voters = voters

    def _train(self, H: FloatArray, y: FloatArray) -> FloatArray:
        check_candidate(MinCq(), mu=self.mu)
        problem = reduce_problem(H, y, merge_voters=False)
        [margins] = problem.correlations()
        program = MinCqProgram(problem.grams()[0], margins)
        if not feasible(self.mu, program.largest_mu):
            raise _infeasible(MinCq(), self.mu, problem)
        solution = program.solve(self.mu)
        self.gap_ = solution.gap
        return solution.voter_weights

    def _stages(self, H: FloatArray) -> Iterator[FloatArray]:
        # All weights come at once.
        yield H @ self.voter_weights_


class CqBoostClassifier(VoteClassifier):
    """CqBoost: the C-bound minimised by column generation (Roy et al. 2016).

    Parameters
    ----------
    mu : float, default 0.01
        Least mean margin of the vote, at most the largest |mean margin| of a voter.
    epsilon : float, default 1e-6
        The run ends when no edge is above ν by more than this.
    n_rounds : int or None, default None
        Largest number of voters; None sets no end but `epsilon`.
    voters : Stumps, "precomputed" or None, default None
        The voters; None stands for ``Stumps(per_attribute=10)``, ``"precomputed"`` for X itself.

    Attributes
    ----------
    gap_ : float
        Relative duality gap of the last quadratic program.
    """

    def __init__(
        self,
        mu: float = 0.01,
        *,
        epsilon: float = 1e-6,
        n_rounds: int | None = None,
        voters: Voters = None,
    ) -> None:
        self.mu = mu
        self.epsilon = epsilon
        self.n_rounds = n_rounds
        self.voters = voters

    def _train(self, H: FloatArray, y: FloatArray) -> FloatArray:
        limited = {} if self.n_rounds is None else {"n_rounds": self.n_rounds}
        check_candidate(CqBoost(), mu=self.mu, epsilon=self.epsilon, **limited)
        problem = reduce_problem(H, y)
        [margins] = problem.correlations()
        self._votes: list[tuple[IntArray, FloatArray]] = []
        for vote, solution in generate_columns(problem.grams()[0], margins, self.mu):
            used = np.flatnonzero(vote)
            self._votes.append((problem.representatives[used], vote[used]))
            self.gap_ = solution.gap
            if solution.excess <= self.epsilon or len(self._votes) == self.n_rounds:
                break
        if not self._votes:
            raise _infeasible(CqBoost(), self.mu, problem)
        return problem.expand(vote)

    def _stages(self, H: FloatArray) -> Iterator[FloatArray]:
        for voters, weights in self._votes:
            yield H[:, voters] @ weights


def _infeasible(algorithm: Algorithm, mu: float, problem: VotingProblem) -> ValueError:
    return ValueError(f"no vote has a mean margin of mu = {mu:g}: {algorithm.limit(problem)}")
