"""Classifiers that vote with the weights of a linear or quadratic program."""

from __future__ import annotations

import warnings
from dataclasses import KW_ONLY, dataclass

import numpy as np

from quadrepro.base.types import FloatArray
from quadrepro.core.estimators.decision import checked_candidate
from quadrepro.core.estimators.votes import VoteClassifier
from quadrepro.core.learners.cqboost import CqBoost
from quadrepro.core.learners.lpboost import LPBoost
from quadrepro.core.learners.mincq import MinCq
from quadrepro.core.learners.rounds import in_range
from quadrepro.core.learners.soft_margin import RegularizedLP, RegularizedQP
from quadrepro.core.training.contract import Algorithm


@dataclass(eq=False, repr=False)
class LPBoostClassifier(VoteClassifier):
    """LPBoost with a soft margin (Demiriz et al. 2002).

    Parameters
    ----------
    C : float, default 1.0
        Price of a unit of slack.
    voters : transformer, "precomputed" or None, default None
        The voters, with values in [-1, 1]; None means ``Stumps(per_attribute=10)``, and
        ``"precomputed"`` for X itself.
    class_weight : "balanced", dict or None, default None
        Factors of the examples' weights by class; ``"balanced"`` gives both classes the same total.
    min_weight_fraction_leaf : float, default 0.0
        Stumps with a smaller share of the weight on one side are made constant.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels in sorted order; a vote above zero is for the second one.
    voters_ : Stumps, other transformer or None
        The fitted voters; None if X is the voter matrix.
    voter_weights_ : ndarray of shape (n_voters,)
        Signed weight of each column of the voter matrix.
    n_iter_ : int
        1, since one program gives all weights.
    feature_importances_ : ndarray of shape (n_features,)
        Share of each attribute in the absolute weights of stumps.
    n_features_in_ : int
        Number of columns of X.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns of X, if all of them are strings.

    References
    ----------
    A. Demiriz, K. Bennett and J. Shawe-Taylor, "Linear programming boosting via column generation",
    Machine Learning 46, 2002.

    Examples
    --------
    >>> import numpy as np
    >>> from quadrepro import LPBoostClassifier
    >>> X, y = np.arange(8.0)[:, None], np.array([0, 0, 0, 0, 1, 1, 1, 1])
    >>> LPBoostClassifier(C=1.0).fit(X, y).predict([[1.0], [6.0]])
    array([0, 1])
    """

    learner = LPBoost
    _priced = True

    C: float = 1.0


@dataclass(eq=False, repr=False)
class RegularizedLPBoostClassifier(VoteClassifier):
    """LP_REG: AdaBoost's voters, weighted for the largest soft margin (Rätsch et al. 2001).

    Parameters
    ----------
    nu : float or None, default None
        ν in (0, 1]: at most this share of the examples misses the margin. None for the first of
        0.2, 0.4, 0.6 and 0.8 with a soft margin above 0.01: without a soft margin, which noisy
        labels need a larger ν for, the vote is arbitrary, and `fit` warns.
    n_rounds : int, default 100
        AdaBoost's number of rounds.
    voters : transformer, "precomputed" or None, default None
        The voters, with the values -1 and +1; None means ``Stumps(per_attribute=10)``, and
        ``"precomputed"`` for X itself.
    class_weight : "balanced", dict or None, default None
        Factors of the examples' weights by class; ``"balanced"`` gives both classes the same total.
    min_weight_fraction_leaf : float, default 0.0
        Stumps with a smaller share of the weight on one side are made constant.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels in sorted order; a vote above zero is for the second one.
    voters_ : Stumps, other transformer or None
        The fitted voters; None if X is the voter matrix.
    voter_weights_ : ndarray of shape (n_voters,)
        Signed weight of each column of the voter matrix.
    n_iter_ : int
        1, since one program gives all weights.
    nu_ : float
        The ν that was used.
    soft_margin_ : float
        Mean margin of the share ν of the training examples with the least margins, which the vote
        maximises.
    feature_importances_ : ndarray of shape (n_features,)
        Share of each attribute in the absolute weights of stumps.
    n_features_in_ : int
        Number of columns of X.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns of X, if all of them are strings.

    References
    ----------
    G. Rätsch, T. Onoda and K.-R. Müller, "Soft margins for AdaBoost", Machine Learning 42, 2001.

    Examples
    --------
    The sizes of the weights sum to 1.

    >>> import numpy as np
    >>> from quadrepro import RegularizedLPBoostClassifier
    >>> X, y = np.arange(8.0)[:, None], np.array([0, 0, 0, 0, 1, 1, 1, 1])
    >>> vote = RegularizedLPBoostClassifier(nu=0.1).fit(X, y)
    >>> float(np.abs(vote.voter_weights_).sum())
    1.0
    """

    learner = RegularizedLP

    nu: float | None = None
    _: KW_ONLY
    n_rounds: int = 100

    def _candidate(self, algorithm: Algorithm, total: float) -> dict[str, float]:
        return checked_candidate(algorithm, {"nu": self.nu_})

    def _weights_of(self, X: FloatArray, y: FloatArray, weights: FloatArray | None) -> FloatArray:
        counts = np.ones(len(y)) if weights is None else in_range(weights)
        for nu in SHARES if self.nu is None else (self.nu,):
            self.nu_ = nu
            vote = super()._weights_of(X, y, weights)
            self.soft_margin_ = mean_of_least(y * self._sums(X, vote), counts, self.nu_)
            if self.soft_margin_ > ENOUGH:
                break
        if self.soft_margin_ <= NO_MARGIN:
            warnings.warn(
                f"the soft margin is {self.soft_margin_:.2g} for nu={self.nu_:g}, so the vote is "
                "arbitrary: raise nu",
                stacklevel=3,
            )
        return vote


SHARES = (0.2, 0.4, 0.6, 0.8)
"""Values of ν that are tried by default."""

ENOUGH = 0.01
"""Soft margin above which a value is taken without trying the next."""

NO_MARGIN = 1e-6
"""A soft margin of at most this is none: no vote over these voters is better than another."""


def mean_of_least(margins: FloatArray, counts: FloatArray, share: float) -> float:
    """Return the mean of a share of the margins, the least ones; for LP_REG it is γ."""
    order = margins.argsort()
    taken = np.minimum(counts[order].cumsum(), share * counts.sum())
    return float(np.diff(taken, prepend=0.0) @ margins[order] / taken[-1])


@dataclass(eq=False, repr=False)
class RegularizedQPBoostClassifier(VoteClassifier):
    """QP_REG: AdaBoost's voters, weighted for the least norm (Rätsch et al. 2001).

    Parameters
    ----------
    C : float, default 1.0
        Price of a unit of slack.
    n_rounds : int, default 100
        AdaBoost's number of rounds.
    voters : transformer, "precomputed" or None, default None
        The voters, with the values -1 and +1; None means ``Stumps(per_attribute=10)``, and
        ``"precomputed"`` for X itself.
    class_weight : "balanced", dict or None, default None
        Factors of the examples' weights by class; ``"balanced"`` gives both classes the same total.
    min_weight_fraction_leaf : float, default 0.0
        Stumps with a smaller share of the weight on one side are made constant.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels in sorted order; a vote above zero is for the second one.
    voters_ : Stumps, other transformer or None
        The fitted voters; None if X is the voter matrix.
    voter_weights_ : ndarray of shape (n_voters,)
        Signed weight of each column of the voter matrix.
    n_iter_ : int
        1, since one program gives all weights.
    feature_importances_ : ndarray of shape (n_features,)
        Share of each attribute in the absolute weights of stumps.
    n_features_in_ : int
        Number of columns of X.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns of X, if all of them are strings.

    References
    ----------
    G. Rätsch, T. Onoda and K.-R. Müller, "Soft margins for AdaBoost", Machine Learning 42, 2001.

    Examples
    --------
    Examples whose margin is 1 or more have no slack:

    >>> import numpy as np
    >>> from quadrepro import RegularizedQPBoostClassifier
    >>> X, y = np.arange(8.0)[:, None], np.array([0, 0, 0, 0, 1, 1, 1, 1])
    >>> RegularizedQPBoostClassifier(C=1.0).fit(X, y).decision_function(X).round(2)
    array([-1., -1., -1., -1.,  1.,  1.,  1.,  1.])
    """

    learner = RegularizedQP
    _priced = True

    C: float = 1.0
    _: KW_ONLY
    n_rounds: int = 100


@dataclass(eq=False, repr=False)
class MinCqClassifier(VoteClassifier):
    """MinCq: the quasi-uniform vote of least C-bound (Germain et al. 2015).

    Parameters
    ----------
    mu : float, default 0.01
        Mean margin of the vote, at most the mean of |m_j| over the voters, where m_j is the mean
        margin of voter j.
    voters : transformer, "precomputed" or None, default None
        The voters, with values in [-1, 1]; None means ``Stumps(per_attribute=10)``, and
        ``"precomputed"`` for X itself.
    class_weight : "balanced", dict or None, default None
        Factors of the examples' weights by class; ``"balanced"`` gives both classes the same total.
    min_weight_fraction_leaf : float, default 0.0
        Stumps with a smaller share of the weight on one side are made constant.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels in sorted order; a vote above zero is for the second one.
    voters_ : Stumps, other transformer or None
        The fitted voters; None if X is the voter matrix.
    voter_weights_ : ndarray of shape (n_voters,)
        Signed weight of each column of the voter matrix.
    n_iter_ : int
        1, since one program gives all weights.
    feature_importances_ : ndarray of shape (n_features,)
        Share of each attribute in the absolute weights of stumps.
    n_features_in_ : int
        Number of columns of X.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns of X, if all of them are strings.

    References
    ----------
    P. Germain, A. Lacasse, F. Laviolette, M. Marchand and J.-F. Roy, "Risk bounds for the majority
    vote: from a PAC-Bayesian analysis to a learning algorithm", JMLR 16, 2015.

    Examples
    --------
    The weights are quasi-uniform: none is larger than 1/n.

    >>> import numpy as np
    >>> from quadrepro import MinCqClassifier
    >>> X, y = np.arange(8.0)[:, None], np.array([0, 0, 0, 0, 1, 1, 1, 1])
    >>> vote = MinCqClassifier(mu=0.1).fit(X, y)
    >>> bool(np.abs(vote.voter_weights_).max() <= 1 / len(vote.voter_weights_))
    True
    """

    learner = MinCq

    mu: float = 0.01


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
        The voters, with values in [-1, 1]; None means ``Stumps(per_attribute=10)``, and
        ``"precomputed"`` for X itself.
    class_weight : "balanced", dict or None, default None
        Factors of the examples' weights by class; ``"balanced"`` gives both classes the same total.
    min_weight_fraction_leaf : float, default 0.0
        Stumps with a smaller share of the weight on one side are made constant.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels in sorted order; a vote above zero is for the second one.
    voters_ : Stumps, other transformer or None
        The fitted voters; None if X is the voter matrix.
    voter_weights_ : ndarray of shape (n_voters,)
        Signed weight of each column of the voter matrix.
    n_iter_ : int
        1, since one program gives all weights.
    feature_importances_ : ndarray of shape (n_features,)
        Share of each attribute in the absolute weights of stumps.
    n_features_in_ : int
        Number of columns of X.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns of X, if all of them are strings.

    References
    ----------
    J.-F. Roy, M. Marchand and F. Laviolette, "A column generation bound minimization approach with
    PAC-Bayesian generalization guarantees", AISTATS 2016.

    Examples
    --------
    >>> import numpy as np
    >>> from quadrepro import CqBoostClassifier
    >>> X, y = np.arange(8.0)[:, None], np.array([0, 0, 0, 0, 1, 1, 1, 1])
    >>> CqBoostClassifier(mu=0.5).fit(X, y).predict([[1.0], [6.0]])
    array([0, 1])
    """

    learner = CqBoost

    mu: float = 0.01
    _: KW_ONLY
    epsilon: float = 1e-6
    n_rounds: int | None = None
