"""The classifiers that the greedy loop trains on the Gram matrix of the voters.

They stand apart from their algorithms, which the command line uses without scikit-learn.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from quadrepro._typing import FloatArray
from quadrepro._validation import ClassWeight
from quadrepro.learners.base import N_ROUNDS, Learner
from quadrepro.learners.estimators import Voters
from quadrepro.learners.greedy.cbboost import CBBoost, GBCBBoost, normalised
from quadrepro.learners.greedy.estimator import GreedyClassifier
from quadrepro.learners.greedy.quadboost import VARIANTS, QuadBoost, Selection
from quadrepro.learners.streaming import MomentClassifier
from quadrepro.voters.reduction import GramProblem


class _CBoundClassifier(GreedyClassifier, MomentClassifier):
    """A vote whose absolute weights add up to 1 after every round."""

    def _solve(self, problem: GramProblem, candidate: dict[str, float]) -> FloatArray:
        return normalised(super()._solve(problem, candidate))

    def _stages(self, H: FloatArray) -> Iterator[tuple[FloatArray, float]]:
        for votes, total in super()._stages(H):
            yield votes / total, 1.0


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
        Whether the weight of a voter that is picked again is set anew, as section 3.1 of the paper
        reads: to the minimiser over all weights from 0, which may be less than the present one.
    voters : transformer, list of fitted classifiers, "precomputed" or None, default None
        The voters; None stands for ``Stumps(per_attribute=10)``, ``"precomputed"`` for X itself.
    class_weight : "balanced", dict or None, default None
        Factors of the examples' weights by class; ``"balanced"`` gives both classes the same total.
    min_weight_fraction_leaf : float, default 0.0
        Stumps with a smaller share of the weight on one side are made constant.

    Attributes
    ----------
    classes_, voters_, voter_weights_, n_iter_, feature_importances_, n_features_in_
        As of `quadrepro.learners.estimators.VoteClassifier`.

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

    def __init__(
        self,
        n_rounds: int = 100,
        *,
        allow_repeats: bool = True,
        reweight: bool = False,
        voters: Voters = None,
        class_weight: ClassWeight = None,
        min_weight_fraction_leaf: float = 0.0,
    ) -> None:
        self.n_rounds = n_rounds
        self.allow_repeats = allow_repeats
        self.reweight = reweight
        self.voters = voters
        self.class_weight = class_weight
        self.min_weight_fraction_leaf = min_weight_fraction_leaf


class GBCBBoostClassifier(_CBoundClassifier):
    """GB-CB-Boost: gradient descent on the C-bound (Bauvin et al. 2020, Appendix B).

    Parameters
    ----------
    n_rounds : int, default 100
        Number of rounds. A run ends earlier if no unused voter lowers the C-bound any further.
    voters : transformer, list of fitted classifiers, "precomputed" or None, default None
        The voters; None stands for ``Stumps(per_attribute=10)``, ``"precomputed"`` for X itself.
    class_weight : "balanced", dict or None, default None
        Factors of the examples' weights by class; ``"balanced"`` gives both classes the same total.
    min_weight_fraction_leaf : float, default 0.0
        Stumps with a smaller share of the weight on one side are made constant.

    Attributes
    ----------
    classes_, voters_, voter_weights_, n_iter_, feature_importances_, n_features_in_
        As of `quadrepro.learners.estimators.VoteClassifier`.

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

    def __init__(
        self,
        n_rounds: int = 100,
        *,
        voters: Voters = None,
        class_weight: ClassWeight = None,
        min_weight_fraction_leaf: float = 0.0,
    ) -> None:
        self.n_rounds = n_rounds
        self.voters = voters
        self.class_weight = class_weight
        self.min_weight_fraction_leaf = min_weight_fraction_leaf


UNTIL_CONVERGED = 100_000
"""Largest number of rounds if the user gives none."""


class QuadBoostClassifier(GreedyClassifier, MomentClassifier):
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
        Number of rounds; None to run until the steps vanish, for at most 100,000 rounds.
    reweight : bool, default False
        Whether to use the re-weighting form (section 3.1), which replaces the weight of a voter
        instead of adding to it.
    selection : {"decrease", "correlation"}, default "decrease"
        Which voter a round picks: that of the largest decrease of the regularised risk, or that of
        the largest absolute correlation with the residual, as the paper reads. They differ only
        for voters with other values than -1 and +1. With `reweight`, only the first is possible.
    voters : transformer, list of fitted classifiers, "precomputed" or None, default None
        The voters; None stands for ``Stumps(per_attribute=10)``, ``"precomputed"`` for X itself.
    class_weight : "balanced", dict or None, default None
        Factors of the examples' weights by class; ``"balanced"`` gives both classes the same total.
    min_weight_fraction_leaf : float, default 0.0
        Stumps with a smaller share of the weight on one side are made constant.

    Attributes
    ----------
    classes_, voters_, voter_weights_, n_iter_, feature_importances_, n_features_in_
        As of `quadrepro.learners.estimators.VoteClassifier`.

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

    def __init__(
        self,
        norm: Literal["l1", "l2", "linf"] | None = None,
        *,
        lam: float = 0.01,
        alpha_max: float = 0.01,
        n_rounds: int | None = None,
        reweight: bool = False,
        selection: Selection = "decrease",
        voters: Voters = None,
        class_weight: ClassWeight = None,
        min_weight_fraction_leaf: float = 0.0,
    ) -> None:
        self.norm = norm
        self.lam = lam
        self.alpha_max = alpha_max
        self.n_rounds = n_rounds
        self.reweight = reweight
        self.selection = selection
        self.voters = voters
        self.class_weight = class_weight
        self.min_weight_fraction_leaf = min_weight_fraction_leaf

    def _algorithm(self) -> QuadBoost:
        if self.norm not in VARIANTS:
            raise ValueError(f"norm must be None, 'l1', 'l2' or 'linf', not {self.norm!r}")
        return VARIANTS[self.norm](self.reweight, selection=self.selection)

    def _candidate(self, learner: Learner, total: float) -> dict[str, float]:
        n_rounds = UNTIL_CONVERGED if self.n_rounds is None else self.n_rounds
        QuadBoost().check_candidate(n_rounds=n_rounds)
        values = {h.name: getattr(self, h.name) for h in learner.hyperparameters if h != N_ROUNDS}
        learner.check_candidate(**values)
        return {**values, N_ROUNDS.name: n_rounds}
