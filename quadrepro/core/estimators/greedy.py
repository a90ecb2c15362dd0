"""Estimators of the algorithms that run the greedy loop."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from quadrepro.base.types import FloatArray, IntArray
from quadrepro.core.estimators.base import LinkedClassifier, VoteClassifier, total_of
from quadrepro.core.learners.adaboost import AdaBoost, run_over
from quadrepro.core.learners.adaboost_reg import AdaBoostReg
from quadrepro.core.learners.ebboost import EBBoost
from quadrepro.core.learners.greedy.cbboost import CBBoost, GBCBBoost, normalised
from quadrepro.core.learners.greedy.loop import GreedyAlgorithm, Trace, boost
from quadrepro.core.learners.greedy.quadboost import VARIANTS, QuadBoost, QuadBoostL1, Selection
from quadrepro.core.learners.grid import N_ROUNDS
from quadrepro.core.learners.hedge import HedgeBoost, experts_rate
from quadrepro.core.learners.learner import Learner
from quadrepro.core.learners.rounds import BoostingAlgorithm
from quadrepro.core.voters.chains import Chains, codes_of_stumps
from quadrepro.core.voters.reduction import VotingProblem, first_of_equal_rows
from quadrepro.core.voters.stumps import Stumps


class GreedyClassifier(VoteClassifier):
    """Base of the classifiers whose vote grows by one voter in every round."""

    learner: ClassVar[type[BoostingAlgorithm | GreedyAlgorithm[Any]]]

    def _solve(self, problem: VotingProblem, candidate: dict[str, float]) -> FloatArray:
        algorithm = self._algorithm()
        if not isinstance(algorithm, BoostingAlgorithm):
            return self._solve_by_loop(algorithm, problem, candidate)
        value = float(candidate.get(algorithm.value_name, np.nan))
        picks, steps = algorithm.steps(problem, value, int(candidate[N_ROUNDS.name]))
        return self._keep(problem.representatives[picks], steps, problem.n_plain_voters)

    def _keep(self, picks: IntArray, steps: FloatArray, n_voters: int) -> FloatArray:
        """Keep the rounds, and return the voter weights that they add up to."""
        self._picks, self._steps = picks, steps
        self.n_iter_ = len(picks)
        weights = np.zeros(n_voters)
        np.add.at(weights, picks, steps)
        return weights

    def _solve_by_loop(
        self, algorithm: Any, problem: VotingProblem, candidate: dict[str, float]
    ) -> FloatArray:
        state, trace = algorithm.state(problem, np.zeros(1, dtype=np.intp)), Trace()
        value = np.array([candidate.get(algorithm.value_name, np.nan)], dtype=np.float64)
        boost(algorithm.rule(value), state, int(candidate[N_ROUNDS.name]), [trace])
        picks = problem.representatives[trace.picks]
        self._keep(picks, np.array(trace.weights), problem.n_plain_voters)
        return problem.expand(state.weights[0])

    def _stages(self, H: FloatArray) -> Iterator[tuple[FloatArray, float]]:
        votes, weights, total = np.zeros(len(H)), np.zeros(H.shape[1]), 0.0
        for pick, step in zip(self._picks, self._steps, strict=True):
            votes += step * H[:, pick]
            total += abs(weights[pick] + step) - abs(weights[pick])
            weights[pick] += step
            yield votes.copy(), total


@dataclass(eq=False, repr=False)
class AdaBoostClassifier(LinkedClassifier, GreedyClassifier):
    """AdaBoost (lecture, section 4), with the weight ½ ln((1-ε)/ε).

    Parameters
    ----------
    n_rounds : int, default 100
        Number of rounds. A run ends earlier if a voter has no error or no voter has an edge.
    voters : transformer, "precomputed" or None, default None
        The voters, with values -1 and +1; None stands for ``Stumps(per_attribute=10)``,
        ``"precomputed"`` for X itself.
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
    >>> from quadrepro import AdaBoostClassifier
    >>> X, y = np.arange(8.0)[:, None], np.array([0, 0, 0, 0, 1, 1, 1, 1])
    >>> AdaBoostClassifier(n_rounds=5).fit(X, y).predict([[1.0], [6.0]])
    array([0, 1])

    The errors after each round:

    >>> y = np.array([0, 0, 1, 0, 1, 1, 1, 1])
    >>> vote = AdaBoostClassifier(n_rounds=5).fit(X, y)
    >>> [int((labels != y).sum()) for labels in vote.staged_predict(X)]
    [1, 1, 0, 0, 0]

    Missing values as a branch of their own:

    >>> from quadrepro import Stumps
    >>> X[2] = np.nan
    >>> vote = AdaBoostClassifier(n_rounds=20, voters=Stumps(missing="branch")).fit(X, y)
    >>> vote.predict([[1.0], [np.nan]])
    array([0, 1])
    """

    learner = AdaBoost

    n_rounds: int = 100

    def _learn(self, X: FloatArray, y: FloatArray, weights: FloatArray | None) -> FloatArray:
        voters = self.voters_
        # Voters for missing values are not chains of thresholds.
        if not isinstance(voters, Stumps) or len(voters.gaps_):
            return super()._learn(X, y, weights)
        candidate = self._candidate(AdaBoost(), total_of(y, weights))
        # Stumps take no matrix. They need not be merged: the first of equal ones is picked anyway.
        codes, first = codes_of_stumps(X, voters.thresholds_)
        rows, inverse = first_of_equal_rows(np.column_stack([codes.T, y > 0]))
        chains = Chains.of(np.ascontiguousarray(codes[:, rows]), first)
        copies = np.bincount(inverse, weights).astype(np.float64)
        n_rounds = int(candidate[N_ROUNDS.name])
        _, picks, steps = run_over(chains, y[rows], copies, [n_rounds], n_rounds)
        return self._keep(picks, steps, first[-1])

    @property
    def _link(self) -> float:
        return 2.0


@dataclass(eq=False, repr=False)
class AdaBoostRegClassifier(GreedyClassifier):
    """AdaBoost_REG: margins softened by influence (Raetsch, Onoda and Mueller 2001).

    Parameters
    ----------
    C : float, default 100.0
        How much influence softens a margin; 0 is AdaBoost.
    power : {1, 2}, default 2
        Power to which influences are raised.
    n_rounds : int, default 100
        Number of rounds. A run ends earlier if a voter has no error, no voter has an edge, or no
        positive and finite weight minimises the loss.
    voters : transformer, "precomputed" or None, default None
        The voters, with values -1 and +1; None stands for ``Stumps(per_attribute=10)``,
        ``"precomputed"`` for X itself.
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
    >>> from quadrepro import AdaBoostRegClassifier
    >>> X, y = np.arange(8.0)[:, None], np.array([0, 0, 1, 0, 1, 1, 1, 1])
    >>> AdaBoostRegClassifier(C=10.0, n_rounds=5).fit(X, y).predict([[1.0], [6.0]])
    array([0, 1])

    Without influence it is AdaBoost:

    >>> from quadrepro import AdaBoostClassifier
    >>> vote = AdaBoostRegClassifier(C=0.0, n_rounds=5).fit(X, y)
    >>> np.allclose(vote.voter_weights_, AdaBoostClassifier(5).fit(X, y).voter_weights_)
    True
    """

    learner = AdaBoostReg

    C: float = 100.0
    _: KW_ONLY
    power: Literal[1, 2] = 2
    n_rounds: int = 100


@dataclass(eq=False, repr=False)
class EBBoostClassifier(GreedyClassifier):
    """EBBoost: the exponential loss with a penalty on its variance (Shivaswamy and Jebara 2010).

    Parameters
    ----------
    lam : float, default 0.1
        Weight λ of the penalty; 0 is AdaBoost.
    n_rounds : int, default 100
        Number of rounds. A run ends earlier if a voter has no error or no voter has an edge.
    voters : transformer, "precomputed" or None, default None
        The voters, with values -1 and +1; None stands for ``Stumps(per_attribute=10)``,
        ``"precomputed"`` for X itself.
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
    >>> from quadrepro import EBBoostClassifier
    >>> X, y = np.arange(8.0)[:, None], np.array([0, 0, 1, 0, 1, 1, 1, 1])
    >>> EBBoostClassifier(lam=0.5, n_rounds=5).fit(X, y).predict([[1.0], [6.0]])
    array([0, 1])

    Without a penalty it is AdaBoost:

    >>> from quadrepro import AdaBoostClassifier
    >>> vote = EBBoostClassifier(lam=0.0, n_rounds=5).fit(X, y)
    >>> np.allclose(vote.voter_weights_, AdaBoostClassifier(5).fit(X, y).voter_weights_)
    True
    """

    learner = EBBoost

    lam: float = 0.1
    _: KW_ONLY
    n_rounds: int = 100


@dataclass(eq=False, repr=False)
class HedgeBoostClassifier(GreedyClassifier):
    """Boosting by experts: a majority vote by multiplicative weights (lecture, section 3).

    Parameters
    ----------
    eta : float or None, default None
        Rate η of the example weights, at most 1/2. None stands for the lecture's rate
        sqrt(ln(m)/T) for T rounds on m training examples, or 1/2 if that is less. m is the total
        weight of the examples if that is more than their number.
    n_rounds : int, default 1000
        Number of rounds. A run ends earlier if no voter has an edge.
    voters : transformer, "precomputed" or None, default None
        The voters, with values -1 and +1; None stands for ``Stumps(per_attribute=10)``,
        ``"precomputed"`` for X itself.
    class_weight : "balanced", dict or None, default None
        Factors of the examples' weights by class; ``"balanced"`` gives both classes the same total.
    min_weight_fraction_leaf : float, default 0.0
        Stumps with a smaller share of the weight on one side are made constant.

    Attributes
    ----------
    classes_, voters_, voter_weights_, n_iter_, feature_importances_, n_features_in_
        As of `quadrepro.core.estimators.base.VoteClassifier`.
    eta_ : float
        The rate that was used.

    Examples
    --------
    >>> import numpy as np
    >>> from quadrepro import HedgeBoostClassifier
    >>> X, y = np.arange(8.0)[:, None], np.array([0, 0, 1, 0, 1, 1, 1, 1])
    >>> vote = HedgeBoostClassifier(n_rounds=100).fit(X, y)
    >>> vote.predict([[1.0], [6.0]])
    array([0, 1])
    >>> round(vote.eta_, 3)
    0.144

    Voters count alike: the vote is a difference of whole numbers.

    >>> vote.decision_function([[1.0], [6.0]])
    array([-48.,  48.])
    """

    learner = HedgeBoost

    eta: float | None = None
    _: KW_ONLY
    n_rounds: int = 1000

    def _candidate(self, learner: Learner, total: float) -> dict[str, float]:
        learner.check_candidate(n_rounds=self.n_rounds)
        self.eta_ = experts_rate(self.n_rounds, total) if self.eta is None else self.eta
        learner.check_candidate(eta=self.eta_)
        return {"eta": self.eta_, "n_rounds": self.n_rounds}


class _CBoundClassifier(GreedyClassifier):
    """A vote whose absolute weights add up to 1 after every round."""

    def _solve(self, problem: VotingProblem, candidate: dict[str, float]) -> FloatArray:
        return normalised(super()._solve(problem, candidate))

    def _stages(self, H: FloatArray) -> Iterator[tuple[FloatArray, float]]:
        for votes, total in super()._stages(H):
            yield votes / total, 1.0


@dataclass(eq=False, repr=False)
class CBBoostClassifier(_CBoundClassifier):
    """CB-Boost: greedy minimisation of the C-bound (Bauvin et al. 2020, Algorithm 1).

    Parameters
    ----------
    n_rounds : int, default 100
        Number of rounds. A run ends earlier if no voter lowers the C-bound any further.
    allow_repeats : bool, default True
        Whether a voter may be picked again. By default its weights then add up, as in the authors'
        code. If False, every round adds another voter, as section 3.3 of the paper says.
    reweight : bool, default False
        Whether the weight of a voter that is picked again is set again, as section 3.1 of the paper
        reads: to the minimiser over all weights from 0, which may be less than the present one.
    voters : transformer, "precomputed" or None, default None
        The voters; None stands for ``Stumps(per_attribute=10)``, ``"precomputed"`` for X itself.
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
    >>> from quadrepro import CBBoostClassifier
    >>> X, y = np.arange(8.0)[:, None], np.array([0, 0, 1, 0, 1, 1, 1, 1])
    >>> vote = CBBoostClassifier(n_rounds=5).fit(X, y)
    >>> vote.predict([[1.0], [6.0]])
    array([0, 1])
    >>> float(np.abs(vote.voter_weights_).sum().round(6))
    1.0

    The three readings of a voter that is picked again differ in the number of voters:

    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> for settings in ({}, {"reweight": True}, {"allow_repeats": False}):
    ...     vote = CBBoostClassifier(n_rounds=200, **settings).fit(X, y)
    ...     print(vote.n_iter_, np.count_nonzero(vote.voter_weights_))
    200 36
    200 37
    40 40
    """

    learner = CBBoost

    n_rounds: int = 100
    _: KW_ONLY
    allow_repeats: bool = True
    reweight: bool = False


@dataclass(eq=False, repr=False)
class GBCBBoostClassifier(_CBoundClassifier):
    """GB-CB-Boost: gradient descent on the C-bound (Bauvin et al. 2020, Appendix B).

    Parameters
    ----------
    n_rounds : int, default 100
        Number of rounds. A run ends earlier if no unused voter lowers the C-bound any further.
    voters : transformer, "precomputed" or None, default None
        The voters; None stands for ``Stumps(per_attribute=10)``, ``"precomputed"`` for X itself.
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
    >>> from quadrepro import GBCBBoostClassifier
    >>> X, y = np.arange(8.0)[:, None], np.array([0, 0, 1, 0, 1, 1, 1, 1])
    >>> GBCBBoostClassifier(n_rounds=5).fit(X, y).predict([[1.0], [6.0]])
    array([0, 1])

    No voter is picked twice:

    >>> vote = GBCBBoostClassifier(n_rounds=5).fit(X, y)
    >>> bool(vote.n_iter_ == np.count_nonzero(vote.voter_weights_))
    True
    """

    learner = GBCBBoost

    n_rounds: int = 100


UNTIL_CONVERGED = 100_000
"""Largest number of rounds if the user gives none, unless the norm is L1."""


@dataclass(eq=False, repr=False)
class QuadBoostClassifier(GreedyClassifier):
    """QuadBoost: greedy minimisation of the regularised quadratic risk (QuadBoost, section 3).

    Parameters
    ----------
    norm : {None, "l1", "l2", "linf"}, default None
        The norm of the voter weights to regularise; None for no regularisation.
    lam : float, default 0.01
        Regularisation λ of the norms ``"l1"`` and ``"l2"``.
    alpha_max : float, default 0.01
        Largest weight α_max that a round gives to a voter, for the norm ``"linf"``.
    n_rounds : int or None, default None
        Number of rounds; None to run until the steps vanish, for at most 100,000 rounds, or
        20,000,000 with the norm ``"l1"``.
    reweight : bool, default False
        Whether to use the re-weighting form (section 3.1), which replaces the weight of a voter
        instead of adding to it.
    selection : {"decrease", "correlation"}, default "decrease"
        Which voter a round picks: that of the largest decrease of the regularised risk, or that of
        the largest absolute correlation with the residual, as the paper reads. They differ only
        for voters with other values than -1 and +1. With `reweight`, only the first is possible.
    voters : transformer, "precomputed" or None, default None
        The voters; None stands for ``Stumps(per_attribute=10)``, ``"precomputed"`` for X itself.
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
    >>> from quadrepro import QuadBoostClassifier
    >>> X, y = np.arange(8.0)[:, None], np.array([0, 0, 1, 0, 1, 1, 1, 1])
    >>> vote = QuadBoostClassifier("l1", lam=0.1).fit(X, y)
    >>> vote.predict([[1.0], [6.0]])
    array([0, 1])
    >>> int(np.count_nonzero(vote.voter_weights_))
    3

    With re-weighting the vote is the lasso's:

    >>> from sklearn.linear_model import Lasso
    >>> vote = QuadBoostClassifier("l1", lam=0.1, reweight=True).fit(X, y)
    >>> lasso = Lasso(alpha=0.1, fit_intercept=False)
    >>> lasso = lasso.fit(vote.voters_.transform(X), np.where(y == 1, 1, -1))
    >>> np.allclose(vote.decision_function(X), lasso.predict(vote.voters_.transform(X)), atol=1e-3)
    True

    With other values than -1 and +1, the voter of largest correlation need not lower the risk most:

    >>> H = np.array([[1, 0.1], [1, 0.1], [-1, -0.1], [-0.2, -0.1]])
    >>> for selection in ("decrease", "correlation"):
    ...     vote = QuadBoostClassifier(n_rounds=1, selection=selection, voters="precomputed")
    ...     print(vote.fit(H, [1, 1, -1, -1]).voter_weights_.round(2))
    [ 0. 10.]
    [1.05 0.  ]
    """

    learner = QuadBoost

    norm: Literal["l1", "l2", "linf"] | None = None
    _: KW_ONLY
    lam: float = 0.01
    alpha_max: float = 0.01
    n_rounds: int | None = None
    reweight: bool = False
    selection: Selection = "decrease"

    def _algorithm(self) -> QuadBoost:
        if self.norm not in VARIANTS:
            raise ValueError(f"norm must be None, 'l1', 'l2' or 'linf', not {self.norm!r}")
        return VARIANTS[self.norm](self.reweight, selection=self.selection)

    def _candidate(self, learner: Learner, total: float) -> dict[str, float]:
        most = learner.max_rounds if isinstance(learner, QuadBoostL1) else UNTIL_CONVERGED
        n_rounds = most if self.n_rounds is None else self.n_rounds
        QuadBoost().check_candidate(n_rounds=n_rounds)
        values = {h.name: getattr(self, h.name) for h in learner.hyperparameters if h != N_ROUNDS}
        learner.check_candidate(**values)
        return {**values, N_ROUNDS.name: n_rounds}
