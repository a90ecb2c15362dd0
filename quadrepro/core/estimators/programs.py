"""The classifiers whose weights solve a linear or a quadratic program.

They stand apart from their algorithms, which the command line uses without scikit-learn.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass

import numpy as np

from quadrepro.base.types import FloatArray, IntArray
from quadrepro.core.estimators.base import VoteClassifier
from quadrepro.core.learners.grid import Grid
from quadrepro.core.learners.programs import cqboost, lpboost
from quadrepro.core.learners.programs.cqboost import CqBoost
from quadrepro.core.learners.programs.lp_reg import RegularizedLP
from quadrepro.core.learners.programs.lpboost import LPBoost
from quadrepro.core.learners.programs.mincq import MinCq, MinCqProgram
from quadrepro.core.learners.programs.program import SolverError, feasible, infeasible
from quadrepro.core.learners.programs.qp_reg import RegularizedQP
from quadrepro.core.voters.reduction import VotingProblem


class ColumnClassifier(VoteClassifier):
    """A vote that is found again in every round, with one more voter to choose from."""

    _votes: list[tuple[IntArray, FloatArray]]
    """Voters and their weights after each round."""

    def _stages(self, H: FloatArray) -> Iterator[tuple[FloatArray, float]]:
        for voters, weights in self._votes:
            yield H[:, voters].astype(np.float64) @ weights, float(np.abs(weights).sum())


class SoftMarginClassifier(VoteClassifier):
    """AdaBoost's voters with weights from one program; the base of the two classifiers."""

    def _solve(self, problem: VotingProblem, candidate: dict[str, float]) -> FloatArray:
        grid = Grid.of({name: [value] for name, value in candidate.items()})
        self.n_iter_ = 1
        [[weights]] = self._algorithm().paths(problem, [grid])
        if np.isnan(weights).any():
            raise SolverError(f"the solver found no optimum for {candidate}")
        return np.asarray(weights)


@dataclass(eq=False, repr=False)
class CqBoostClassifier(ColumnClassifier):
    """CqBoost: the vote of least C-bound, by column generation (Roy et al. 2016).

    Parameters
    ----------
    mu : float, default 0.01
        Least mean margin of the vote, at most the largest |m_j| of a voter, where m_j is the mean
        margin of voter j.
    epsilon : float, default 1e-6
        The run ends when no edge is above ν by more than this.
    n_rounds : int or None, default None
        Largest number of rounds. If None, the run ends by `epsilon` alone.
    voters : transformer, "precomputed" or None, default None
        The voters. None stands for ``Stumps(per_attribute=10)``, ``"precomputed"`` means that X is
        the voter matrix.
    class_weight : "balanced", dict or None, default None
        Factors of the examples' weights by class; ``"balanced"`` gives both classes the same total.
    min_weight_fraction_leaf : float, default 0.0
        Stumps with a smaller share of the weight on one side are made constant.

    Attributes
    ----------
    classes_, voters_, voter_weights_, n_iter_, feature_importances_, n_features_in_
        As of `quadrepro.core.estimators.base.VoteClassifier`.
    gap_ : float
        Relative duality gap of the last quadratic program.

    Examples
    --------
    >>> import numpy as np
    >>> from quadrepro import CqBoostClassifier
    >>> X, y = np.arange(8.0)[:, None], np.array([0, 0, 0, 0, 1, 1, 1, 1])
    >>> vote = CqBoostClassifier(mu=0.5).fit(X, y)
    >>> vote.predict([[1.0], [6.0]])
    array([0, 1])

    There is one stage per round.

    >>> len(list(vote.staged_decision_function(X)))
    2
    """

    learner = CqBoost

    mu: float = 0.01
    _: KW_ONLY
    epsilon: float = 1e-6
    n_rounds: int | None = None

    def _solve(self, problem: VotingProblem, candidate: dict[str, float]) -> FloatArray:
        [gram], [margins] = problem.grams(), problem.correlations()
        self._votes = []
        for vote, solution in cqboost.generate_columns(gram, margins, self.mu):
            used = np.flatnonzero(vote)
            self._votes.append((problem.representatives[used], vote[used]))
            self.gap_ = solution.gap
            if solution.excess <= self.epsilon or len(self._votes) == self.n_rounds:
                break
        if not self._votes:
            raise infeasible(self._algorithm(), self.mu, problem)
        self.n_iter_ = len(self._votes)
        return problem.expand(vote)


@dataclass(eq=False, repr=False)
class RegularizedLPBoostClassifier(SoftMarginClassifier):
    """LP_REG: AdaBoost's voters, weighted for the largest soft margin (Rätsch et al. 2001).

    Parameters
    ----------
    nu : float, default 0.1
        ν in (0, 1]: at most this share of the examples misses the margin.
    n_rounds : int, default 100
        AdaBoost's number of rounds.
    voters : transformer, "precomputed" or None, default None
        The voters, with values -1 and +1. None stands for ``Stumps(per_attribute=10)``,
        ``"precomputed"`` means that X is the voter matrix.
    class_weight : "balanced", dict or None, default None
        Factors of the examples' weights by class; ``"balanced"`` gives both classes the same total.
    min_weight_fraction_leaf : float, default 0.0
        Stumps with a smaller share of the weight on one side are made constant.

    Attributes
    ----------
    classes_, voters_, voter_weights_, n_iter_, feature_importances_, n_features_in_
        As of `quadrepro.core.estimators.base.VoteClassifier`.

    Examples
    --------
    >>> import numpy as np
    >>> from quadrepro import RegularizedLPBoostClassifier
    >>> X, y = np.arange(8.0)[:, None], np.array([0, 0, 0, 0, 1, 1, 1, 1])
    >>> vote = RegularizedLPBoostClassifier(nu=0.1).fit(X, y)
    >>> vote.predict([[1.0], [6.0]])
    array([0, 1])

    The sizes of the weights sum to 1.

    >>> float(np.abs(vote.voter_weights_).sum())
    1.0
    """

    learner = RegularizedLP

    nu: float = 0.1
    _: KW_ONLY
    n_rounds: int = 100


@dataclass(eq=False, repr=False)
class LPBoostClassifier(ColumnClassifier):
    """LPBoost with a soft margin, by column generation (Demiriz et al. 2002).

    Parameters
    ----------
    C : float, default 1.0
        Price of a unit of slack.
    voters : transformer, "precomputed" or None, default None
        The voters. None stands for ``Stumps(per_attribute=10)``, ``"precomputed"`` means that X is
        the voter matrix.
    class_weight : "balanced", dict or None, default None
        Factors of the examples' weights by class; ``"balanced"`` gives both classes the same total.
    min_weight_fraction_leaf : float, default 0.0
        Stumps with a smaller share of the weight on one side are made constant.

    Attributes
    ----------
    classes_, voters_, voter_weights_, n_iter_, feature_importances_, n_features_in_
        As of `quadrepro.core.estimators.base.VoteClassifier`.
    gap_ : float
        Relative duality gap of the last linear program.

    Examples
    --------
    >>> import numpy as np
    >>> from quadrepro import LPBoostClassifier
    >>> X, y = np.arange(8.0)[:, None], np.array([0, 0, 0, 0, 1, 1, 1, 1])
    >>> vote = LPBoostClassifier(C=1.0).fit(X, y)
    >>> vote.predict([[1.0], [6.0]])
    array([0, 1])

    The duality gap proves the solution:

    >>> vote.gap_ < 1e-9
    True
    """

    learner = LPBoost

    C: float = 1.0

    def _solve(self, problem: VotingProblem, candidate: dict[str, float]) -> FloatArray:
        self._votes = []
        path = lpboost.generate_columns(
            problem,
            problem.counts[0],
            [float(self.C)],
            lambda added, solution: self._votes.append(
                (problem.representatives[added], solution.voter_weights)
            ),
        )
        added, solution = next(path)
        self.gap_ = solution.gap
        self.n_iter_ = len(self._votes)
        vote = np.zeros(problem.n_voters)
        vote[added] = solution.voter_weights
        return problem.expand(vote)


@dataclass(eq=False, repr=False)
class MinCqClassifier(VoteClassifier):
    """MinCq: the quasi-uniform vote of least C-bound (Germain et al. 2015).

    Parameters
    ----------
    mu : float, default 0.01
        Mean margin of the vote, at most the mean of |m_j| over the voters, where m_j is the mean
        margin of voter j.
    voters : transformer, "precomputed" or None, default None
        The voters. None stands for ``Stumps(per_attribute=10)``, ``"precomputed"`` means that X is
        the voter matrix.
    class_weight : "balanced", dict or None, default None
        Factors of the examples' weights by class; ``"balanced"`` gives both classes the same total.
    min_weight_fraction_leaf : float, default 0.0
        Stumps with a smaller share of the weight on one side are made constant.

    Attributes
    ----------
    classes_, voters_, voter_weights_, n_iter_, feature_importances_, n_features_in_
        As of `quadrepro.core.estimators.base.VoteClassifier`.
    gap_ : float
        Relative duality gap of the quadratic program.

    Examples
    --------
    >>> import numpy as np
    >>> from quadrepro import MinCqClassifier
    >>> X, y = np.arange(8.0)[:, None], np.array([0, 0, 0, 0, 1, 1, 1, 1])
    >>> vote = MinCqClassifier(mu=0.1).fit(X, y)
    >>> vote.predict([[1.0], [6.0]])
    array([0, 1])

    The weights are quasi-uniform: none is larger than 1/n.

    >>> bool(np.abs(vote.voter_weights_).max() <= 1 / len(vote.voter_weights_))
    True
    """

    learner = MinCq

    mu: float = 0.01

    def _solve(self, problem: VotingProblem, candidate: dict[str, float]) -> FloatArray:
        [gram], [margins] = problem.grams(), problem.correlations()
        program = MinCqProgram(gram, margins)
        if not feasible(self.mu, program.largest_mu):
            raise infeasible(self._algorithm(), self.mu, problem)
        solution = program.solve(self.mu)
        self.gap_, self.n_iter_ = solution.gap, 1
        return problem.expand(solution.voter_weights)


@dataclass(eq=False, repr=False)
class RegularizedQPBoostClassifier(SoftMarginClassifier):
    """QP_REG: AdaBoost's voters, weighted for the least norm (Rätsch et al. 2001).

    Parameters
    ----------
    C : float, default 1.0
        Price of a unit of slack.
    n_rounds : int, default 100
        AdaBoost's number of rounds.
    voters : transformer, "precomputed" or None, default None
        The voters, with values -1 and +1. None stands for ``Stumps(per_attribute=10)``,
        ``"precomputed"`` means that X is the voter matrix.
    class_weight : "balanced", dict or None, default None
        Factors of the examples' weights by class; ``"balanced"`` gives both classes the same total.
    min_weight_fraction_leaf : float, default 0.0
        Stumps with a smaller share of the weight on one side are made constant.

    Attributes
    ----------
    classes_, voters_, voter_weights_, n_iter_, feature_importances_, n_features_in_
        As of `quadrepro.core.estimators.base.VoteClassifier`.

    Examples
    --------
    >>> import numpy as np
    >>> from quadrepro import RegularizedQPBoostClassifier
    >>> X, y = np.arange(8.0)[:, None], np.array([0, 0, 0, 0, 1, 1, 1, 1])
    >>> vote = RegularizedQPBoostClassifier(C=1.0).fit(X, y)
    >>> vote.predict([[1.0], [6.0]])
    array([0, 1])

    Examples whose margin is 1 or more have no slack:

    >>> vote.decision_function(X).round(2)
    array([-1., -1., -1., -1.,  1.,  1.,  1.,  1.])
    """

    learner = RegularizedQP

    C: float = 1.0
    _: KW_ONLY
    n_rounds: int = 100
