"""The classifiers whose weights solve a linear or a quadratic program.

They are separate from their algorithms so that the command line does not import scikit-learn.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass

import numpy as np

from quadrepro.base.types import FloatArray
from quadrepro.core.estimators.base import VoteClassifier
from quadrepro.core.learners.cqboost import CqBoost, rounds
from quadrepro.core.learners.grid import Grid
from quadrepro.core.learners.lp_reg import RegularizedLP
from quadrepro.core.learners.lpboost import LPBoost
from quadrepro.core.learners.mincq import MinCq
from quadrepro.core.learners.programs import SolverError, require_feasible
from quadrepro.core.learners.qp_reg import RegularizedQP
from quadrepro.core.voters.reduction import VotingProblem


class ProgramClassifier(VoteClassifier):
    """A vote whose weights solve one program; base of the classifiers."""

    def _solve(self, problem: VotingProblem, candidate: dict[str, float]) -> FloatArray:
        grid = Grid.of({name: [value] for name, value in candidate.items()})
        self.n_iter_ = 1
        [[weights]] = self._algorithm().paths(problem, [grid])
        if np.isnan(weights).any():
            raise SolverError(f"the solver found no optimum for {candidate}")
        return np.asarray(weights)


@dataclass(eq=False, repr=False)
class CqBoostClassifier(VoteClassifier):
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

    Examples
    --------
    >>> import numpy as np
    >>> from quadrepro import CqBoostClassifier
    >>> X, y = np.arange(8.0)[:, None], np.array([0, 0, 0, 0, 1, 1, 1, 1])
    >>> vote = CqBoostClassifier(mu=0.5).fit(X, y)
    >>> vote.predict([[1.0], [6.0]])
    array([0, 1])

    Two rounds were enough.

    >>> vote.n_iter_
    2
    """

    learner = CqBoost

    mu: float = 0.01
    _: KW_ONLY
    epsilon: float = 1e-6
    n_rounds: int | None = None

    def _solve(self, problem: VotingProblem, candidate: dict[str, float]) -> FloatArray:
        require_feasible(self.mu, CqBoost().largest_mu(problem))
        [gram], [margins] = problem.grams(), problem.correlations()
        for t, (weights, excess) in enumerate(rounds(gram, margins, self.mu), 1):
            self.n_iter_, vote = t, weights
            if excess <= self.epsilon or t == self.n_rounds:
                break
        return problem.expand(vote)


@dataclass(eq=False, repr=False)
class RegularizedLPBoostClassifier(ProgramClassifier):
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
class LPBoostClassifier(ProgramClassifier):
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

    Examples
    --------
    >>> import numpy as np
    >>> from quadrepro import LPBoostClassifier
    >>> X, y = np.arange(8.0)[:, None], np.array([0, 0, 0, 0, 1, 1, 1, 1])
    >>> vote = LPBoostClassifier(C=1.0).fit(X, y)
    >>> vote.predict([[1.0], [6.0]])
    array([0, 1])

    One voter is enough.

    >>> int((vote.voter_weights_ != 0).sum())
    1
    """

    learner = LPBoost

    C: float = 1.0


@dataclass(eq=False, repr=False)
class MinCqClassifier(ProgramClassifier):
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
        require_feasible(self.mu, MinCq().largest_mu(problem))
        return super()._solve(problem, candidate)


@dataclass(eq=False, repr=False)
class RegularizedQPBoostClassifier(ProgramClassifier):
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
