"""The classifiers that the greedy loop trains on example weights.

They stand apart from their algorithms, which the command line uses without scikit-learn.
"""

from __future__ import annotations

from typing import Literal

from quadrepro._validation import ClassWeight
from quadrepro.learners.base import Learner
from quadrepro.learners.estimator import LinkedClassifier
from quadrepro.learners.estimators import Voters
from quadrepro.learners.greedy.adaboost import AdaBoost
from quadrepro.learners.greedy.adaboost_reg import AdaBoostReg
from quadrepro.learners.greedy.ebboost import EBBoost
from quadrepro.learners.greedy.estimator import GreedyClassifier
from quadrepro.learners.greedy.hedge import HedgeBoost, experts_rate


class AdaBoostClassifier(LinkedClassifier, GreedyClassifier):
    """AdaBoost (lecture, section 4), with the weight ½ ln((1-ε)/ε).

    Parameters
    ----------
    n_rounds : int, default 100
        Number of rounds. A run ends earlier if a voter has no error or no voter has an edge.
    voters : transformer, list of fitted classifiers, "precomputed" or None, default None
        The voters, with values -1 and +1; None stands for ``Stumps(per_attribute=10)``,
        ``"precomputed"`` for X itself.
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

    @property
    def _link(self) -> float:
        return 2.0

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
    voters : transformer, list of fitted classifiers, "precomputed" or None, default None
        The voters, with values -1 and +1; None stands for ``Stumps(per_attribute=10)``,
        ``"precomputed"`` for X itself.
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

    def __init__(
        self,
        C: float = 100.0,
        *,
        power: Literal[1, 2] = 2,
        n_rounds: int = 100,
        voters: Voters = None,
        class_weight: ClassWeight = None,
        min_weight_fraction_leaf: float = 0.0,
    ) -> None:
        self.C = C
        self.power = power
        self.n_rounds = n_rounds
        self.voters = voters
        self.class_weight = class_weight
        self.min_weight_fraction_leaf = min_weight_fraction_leaf


class EBBoostClassifier(GreedyClassifier):
    """EBBoost: the exponential loss with a penalty on its variance (Shivaswamy and Jebara 2010).

    Parameters
    ----------
    lam : float, default 0.1
        Weight λ of the penalty; 0 is AdaBoost.
    n_rounds : int, default 100
        Number of rounds. A run ends earlier if a voter has no error or no voter has an edge.
    voters : transformer, list of fitted classifiers, "precomputed" or None, default None
        The voters, with values -1 and +1; None stands for ``Stumps(per_attribute=10)``,
        ``"precomputed"`` for X itself.
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

    def __init__(
        self,
        lam: float = 0.1,
        *,
        n_rounds: int = 100,
        voters: Voters = None,
        class_weight: ClassWeight = None,
        min_weight_fraction_leaf: float = 0.0,
    ) -> None:
        self.lam = lam
        self.n_rounds = n_rounds
        self.voters = voters
        self.class_weight = class_weight
        self.min_weight_fraction_leaf = min_weight_fraction_leaf


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
    voters : transformer, list of fitted classifiers, "precomputed" or None, default None
        The voters, with values -1 and +1; None stands for ``Stumps(per_attribute=10)``,
        ``"precomputed"`` for X itself.
    class_weight : "balanced", dict or None, default None
        Factors of the examples' weights by class; ``"balanced"`` gives both classes the same total.
    min_weight_fraction_leaf : float, default 0.0
        Stumps with a smaller share of the weight on one side are made constant.

    Attributes
    ----------
    classes_, voters_, voter_weights_, n_iter_, feature_importances_, n_features_in_
        As of `quadrepro.learners.estimators.VoteClassifier`.
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

    def __init__(
        self,
        eta: float | None = None,
        *,
        n_rounds: int = 1000,
        voters: Voters = None,
        class_weight: ClassWeight = None,
        min_weight_fraction_leaf: float = 0.0,
    ) -> None:
        self.eta = eta
        self.n_rounds = n_rounds
        self.voters = voters
        self.class_weight = class_weight
        self.min_weight_fraction_leaf = min_weight_fraction_leaf

    def _candidate(self, learner: Learner, total: float) -> dict[str, float]:
        learner.check_candidate(n_rounds=self.n_rounds)
        self.eta_ = experts_rate(self.n_rounds, total) if self.eta is None else self.eta
        learner.check_candidate(eta=self.eta_)
        return {"eta": self.eta_, "n_rounds": self.n_rounds}
