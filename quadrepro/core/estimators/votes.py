"""Weighted votes over voters, as estimators of scikit-learn.

A class declares its algorithm and parameters; `VoteClassifier` fits and predicts.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from quadrepro.base.types import FloatArray
from quadrepro.core.arguments import ClassWeight, validated_data, weighted_examples
from quadrepro.core.estimators.decision import (
    DecisionClassifier,
    candidate_of,
    checked_candidate,
    learner_of,
    two_classes,
)
from quadrepro.core.learners.adaboost import AdaBoost
from quadrepro.core.learners.adaboost_reg import AdaBoostReg
from quadrepro.core.learners.cbboost import CBBoost, GBCBBoost
from quadrepro.core.learners.ebboost import EBBoost
from quadrepro.core.learners.hedge import HedgeBoost, experts_rate
from quadrepro.core.learners.quadboost import Norm, QuadBoost, Selection
from quadrepro.core.learners.rounds import MOST_ROUNDS, BoostingAlgorithm, in_range, normalised
from quadrepro.core.training.contract import Algorithm
from quadrepro.core.training.grid import N_ROUNDS, Grid
from quadrepro.core.voters.coded import ZERO_VOTE, VoterMatrix, VoterOutputs
from quadrepro.core.voters.stumps import Stumps
from quadrepro.core.voters.voter_set import Voters, outputs_of, voter_set

BLOCK = 2**14
"""Number of examples whose voters are in memory at a time in a prediction."""

UNTIL_CONVERGED = 100_000
"""Default largest number of rounds of QuadBoost, unless the norm is L1."""


@dataclass(eq=False, repr=False, kw_only=True)
class VoteClassifier(DecisionClassifier):
    """Base of the classifiers that are weighted votes over voters.

    A vote has no probabilities unless its loss relates them to decisions, as AdaBoost's loss does:
    use ``sklearn.calibration.CalibratedClassifierCV``. Algorithms that add one voter per round have
    ``staged_predict`` and ``staged_decision_function``.

    Parameters
    ----------
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
        Number of rounds that were run; 1 if one program gives all weights.
    feature_importances_ : ndarray of shape (n_features,)
        Share of each attribute in the absolute weights of stumps.
    n_features_in_ : int
        Number of columns of X.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns of X, if all of them are strings.
    """

    learner: ClassVar[type[Algorithm]]
    _sums_to_one: ClassVar[bool] = False
    """Whether the absolute weights add up to 1 after every round."""
    _priced: ClassVar[bool] = False
    """Whether scaling all example weights changes the problem."""

    voters: Voters = None
    class_weight: ClassWeight = None
    min_weight_fraction_leaf: float = 0.0

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Find the vote.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Training examples, or their voter matrix if `voters` is ``"precomputed"``. Sparse and
            missing values are taken if the voters take them.
        y : array-like of shape (n_samples,)
            Labels of two classes.
        sample_weight : array-like of shape (n_samples,) or None, default None
            How often each example counts; None for once. Examples of weight 0 are left out.

        Returns
        -------
        VoteClassifier
            The fitted classifier.

        Raises
        ------
        ValueError
            If there are more than two classes, a parameter or a weight is out of range, a voter has
            a value outside [-1, 1] or only values near 0, or a solver finds no optimum.
        """
        parameter = voter_set(self.voters)
        # Voters without scikit-learn's parameters are copied.
        voters: Any = None if parameter is None else clone(parameter, safe=False)
        if self.min_weight_fraction_leaf:
            if not isinstance(voters, Stumps):
                raise ValueError("min_weight_fraction_leaf is for stumps, not for other voters")
            voters.set_params(min_weight_fraction_leaf=self.min_weight_fraction_leaf)
        examples, labels = validated_data(self, X, y)
        X, y, weights = weighted_examples(examples, labels, sample_weight, self.class_weight)
        self.classes_, signs = two_classes(y)
        if voters is not None:
            is_weighted = weights is not None and has_fit_parameter(voters, "sample_weight")
            voters.fit(X, y, **({"sample_weight": weights} if is_weighted else {}))
        self.voters_ = voters
        if len(self.classes_) == 1:
            self._picks, self._changes, self.n_iter_ = np.zeros(0, np.intp), np.zeros(0), 0
            self.voter_weights_ = np.zeros(self._outputs(X[:1]).n_voters)
        else:
            self.voter_weights_ = self._weights_of(X, signs, weights)
        return self

    def decision_function(self, X: ArrayLike) -> FloatArray:
        """Return the weighted sum of the voters; above zero for the second class.

        A sum of at most 1e-12 of the total weight is rounding error and counts as zero.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Examples, or their voter matrix.

        Returns
        -------
        ndarray of shape (n_samples,)
            The sums.
        """
        check_is_fitted(self)
        sums = self._sums(validated_data(self, X, reset=False), self.voter_weights_)
        return _without_rounding(sums, float(np.abs(self.voter_weights_).sum()))

    @property
    def feature_importances_(self) -> FloatArray:
        """Share of each attribute in the absolute weights; all 0 if the vote is empty."""
        check_is_fitted(self)
        sizes, voters = np.abs(self.voter_weights_), self.voters_
        if not (voters is None or isinstance(voters, Stumps)):
            raise AttributeError(f"{type(voters).__name__} does not know the attributes of a voter")
        sums = sizes if voters is None else voters.over_attributes(sizes)
        return np.asarray(sums / (sums.sum() or 1.0))

    def _candidate(self, algorithm: Algorithm, total: float) -> dict[str, float]:
        """Return the hyper-parameters; `total` is the weighted number of examples."""
        return candidate_of(self, algorithm)

    def _weights_of(self, X: FloatArray, y: FloatArray, weights: FloatArray | None) -> FloatArray:
        """Return the weights of the voters, shape (n_voters,), and keep any rounds."""
        algorithm: Algorithm = learner_of(self)
        counts = np.ones(len(y)) if weights is None else weights
        candidate = self._candidate(algorithm, max(float(len(y)), counts.sum()))
        if not self._priced:
            counts = in_range(counts)
        problem = algorithm.reduced(self._outputs(X), y, counts[None])
        if isinstance(algorithm, BoostingAlgorithm):
            value = candidate.get(algorithm.value_name, np.nan)
            picks, changes = algorithm.run(problem, 0, value, int(candidate[N_ROUNDS.name]))
            self._picks, self._changes = problem.representatives[picks], changes
            self.n_iter_ = len(picks)
            vote = np.zeros(problem.n_plain_voters)
            np.add.at(vote, self._picks, changes)
            return normalised(vote) if self._sums_to_one else vote
        [[vote]] = algorithm.paths(problem, [Grid.single(candidate)])
        if np.isnan(vote).any():
            limit = algorithm.limit(problem)
            raise ValueError(f"no optimum was found for {candidate}{limit and '; '}{limit}")
        self.n_iter_ = 1
        return np.asarray(vote)

    def _staged_decisions(self, X: ArrayLike) -> Iterator[FloatArray]:
        check_is_fitted(self)
        voters = self._outputs(validated_data(self, X, reset=False))
        votes, weights, total = np.zeros(voters.n_examples), np.zeros(voters.n_voters), 0.0
        if not len(self._picks):
            yield votes
        for pick, change in zip(self._picks, self._changes, strict=True):
            votes += change * voters.column(pick)
            total += abs(weights[pick] + change) - abs(weights[pick])
            weights[pick] += change
            stage = _without_rounding(votes, total)
            yield stage / total if self._sums_to_one else stage

    def _outputs(self, X: FloatArray) -> VoterOutputs:
        return VoterMatrix(X) if self.voters_ is None else outputs_of(self.voters_, X)

    def _sums(self, X: FloatArray, weights: FloatArray) -> FloatArray:
        """Return the weighted sums of the voters for checked examples, shape (n_samples,)."""
        blocks = [X[start : start + BLOCK] for start in range(0, X.shape[0], BLOCK)]
        if isinstance(self.voters_, Stumps):
            sums = [self.voters_.vote(weights[None], block)[0] for block in blocks]
        else:
            sums = [self._outputs(block).matrix() @ weights for block in blocks]
        return np.concatenate(sums)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        voters = voter_set(self.voters)
        if hasattr(voters, "__sklearn_tags__"):
            tags.input_tags = get_tags(voters).input_tags
        return tags


def _without_rounding(votes: FloatArray, total: float) -> FloatArray:
    return np.where(np.abs(votes) <= ZERO_VOTE * total, 0.0, votes)


@dataclass(eq=False, repr=False)
class AdaBoostClassifier(VoteClassifier):
    """AdaBoost (lecture, section 4), with the weight ½ ln((1-ε)/ε).

    Parameters
    ----------
    n_rounds : int, default 100
        Number of rounds. A run ends earlier if a voter has no error or no voter has an edge.
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
        Number of rounds that were run.
    feature_importances_ : ndarray of shape (n_features,)
        Share of each attribute in the absolute weights of stumps.
    n_features_in_ : int
        Number of columns of X.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns of X, if all of them are strings.

    References
    ----------
    Y. Freund and R. Schapire, "A decision-theoretic generalization of on-line learning and an
    application to boosting", Journal of Computer and System Sciences 55, 1997.

    Examples
    --------
    >>> import numpy as np
    >>> from quadrepro import AdaBoostClassifier
    >>> X, y = np.arange(8.0)[:, None], np.array([0, 0, 1, 0, 1, 1, 1, 1])
    >>> vote = AdaBoostClassifier(n_rounds=5).fit(X, y)
    >>> vote.predict([[1.0], [6.0]])
    array([0, 1])

    The errors after each round:

    >>> [int((labels != y).sum()) for labels in vote.staged_predict(X)]
    [1, 1, 0, 0, 0]

    Missing values with their own branch:

    >>> from quadrepro import Stumps
    >>> X[2] = np.nan
    >>> vote = AdaBoostClassifier(n_rounds=20, voters=Stumps(missing="branch")).fit(X, y)
    >>> vote.predict([[1.0], [np.nan]])
    array([0, 1])
    """

    learner = AdaBoost
    _link = 2.0

    n_rounds: int = 100


@dataclass(eq=False, repr=False)
class AdaBoostRegClassifier(VoteClassifier):
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
        Number of rounds that were run.
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
    _priced = True

    C: float = 100.0
    _: KW_ONLY
    power: Literal[1, 2] = 2
    n_rounds: int = 100


@dataclass(eq=False, repr=False)
class EBBoostClassifier(VoteClassifier):
    """EBBoost: the exponential loss with a penalty on its variance (Shivaswamy and Jebara 2010).

    Parameters
    ----------
    lam : float, default 0.1
        Weight λ of the penalty; 0 is AdaBoost.
    n_rounds : int, default 100
        Number of rounds. A run ends earlier if a voter has no error or no voter has an edge.
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
        Number of rounds that were run.
    feature_importances_ : ndarray of shape (n_features,)
        Share of each attribute in the absolute weights of stumps.
    n_features_in_ : int
        Number of columns of X.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns of X, if all of them are strings.

    References
    ----------
    P. Shivaswamy and T. Jebara, "Empirical Bernstein boosting", AISTATS 2010.

    Examples
    --------
    >>> import numpy as np
    >>> from quadrepro import EBBoostClassifier
    >>> X, y = np.arange(8.0)[:, None], np.array([0, 0, 1, 0, 1, 1, 1, 1])
    >>> EBBoostClassifier(lam=0.5, n_rounds=5).fit(X, y).predict([[1.0], [6.0]])
    array([0, 1])
    """

    learner = EBBoost

    lam: float = 0.1
    _: KW_ONLY
    n_rounds: int = 100


@dataclass(eq=False, repr=False)
class HedgeBoostClassifier(VoteClassifier):
    """Boosting by experts: a majority vote by multiplicative weights (lecture, section 3).

    Parameters
    ----------
    eta : float or None, default None
        Rate η of the example weights, at most 1/2. None means the lecture's rate
        sqrt(ln(m)/T) for T rounds on m training examples, or 1/2 if that is less. m is the total
        weight of the examples if that is more than their number.
    n_rounds : int, default 1000
        Number of rounds. A run ends earlier if no voter has an edge.
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
        Number of rounds that were run.
    eta_ : float
        The rate that was used.
    feature_importances_ : ndarray of shape (n_features,)
        Share of each attribute in the absolute weights of stumps.
    n_features_in_ : int
        Number of columns of X.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns of X, if all of them are strings.

    References
    ----------
    Y. Freund and R. Schapire, "A decision-theoretic generalization of on-line learning and an
    application to boosting", Journal of Computer and System Sciences 55, 1997.

    Examples
    --------
    >>> import numpy as np
    >>> from quadrepro import HedgeBoostClassifier
    >>> X, y = np.arange(8.0)[:, None], np.array([0, 0, 1, 0, 1, 1, 1, 1])
    >>> vote = HedgeBoostClassifier(n_rounds=100).fit(X, y)
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

    def _candidate(self, algorithm: Algorithm, total: float) -> dict[str, float]:
        n_rounds = checked_candidate(algorithm, {N_ROUNDS.name: self.n_rounds})
        rate = experts_rate(self.n_rounds, total) if self.eta is None else self.eta
        eta = checked_candidate(algorithm, {"eta": rate})
        self.eta_ = eta["eta"]
        return eta | n_rounds


@dataclass(eq=False, repr=False)
class CBBoostClassifier(VoteClassifier):
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
        Number of rounds that were run.
    feature_importances_ : ndarray of shape (n_features,)
        Share of each attribute in the absolute weights of stumps.
    n_features_in_ : int
        Number of columns of X.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns of X, if all of them are strings.

    References
    ----------
    B. Bauvin, C. Capponi, J.-F. Roy and F. Laviolette, "Fast greedy C-bound minimization with
    guarantees", Machine Learning 109, 2020.

    Examples
    --------
    The three readings of a voter that is picked again differ in the number of voters:

    >>> import numpy as np
    >>> from sklearn.datasets import load_breast_cancer
    >>> from quadrepro import CBBoostClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> for settings in ({}, {"reweight": True}, {"allow_repeats": False}):
    ...     vote = CBBoostClassifier(n_rounds=200, **settings).fit(X, y)
    ...     print(vote.n_iter_, np.count_nonzero(vote.voter_weights_))
    200 60
    200 59
    77 77
    """

    learner = CBBoost
    _sums_to_one = True

    n_rounds: int = 100
    _: KW_ONLY
    allow_repeats: bool = True
    reweight: bool = False


@dataclass(eq=False, repr=False)
class GBCBBoostClassifier(VoteClassifier):
    """GB-CB-Boost: gradient descent on the C-bound (Bauvin et al. 2020, Appendix B).

    Parameters
    ----------
    n_rounds : int, default 100
        Number of rounds. A run ends earlier if no unused voter lowers the C-bound any further.
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
        Number of rounds that were run.
    feature_importances_ : ndarray of shape (n_features,)
        Share of each attribute in the absolute weights of stumps.
    n_features_in_ : int
        Number of columns of X.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns of X, if all of them are strings.

    References
    ----------
    B. Bauvin, C. Capponi, J.-F. Roy and F. Laviolette, "Fast greedy C-bound minimization with
    guarantees", Machine Learning 109, 2020.

    Examples
    --------
    No voter is picked twice:

    >>> import numpy as np
    >>> from quadrepro import GBCBBoostClassifier
    >>> X, y = np.arange(8.0)[:, None], np.array([0, 0, 1, 0, 1, 1, 1, 1])
    >>> vote = GBCBBoostClassifier(n_rounds=5).fit(X, y)
    >>> bool(vote.n_iter_ == np.count_nonzero(vote.voter_weights_))
    True
    """

    learner = GBCBBoost
    _sums_to_one = True

    n_rounds: int = 100


@dataclass(eq=False, repr=False)
class QuadBoostClassifier(VoteClassifier):
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
        Which voter a round picks: the one with the largest decrease of the regularised risk, or, as
        in the text of the paper, with the largest absolute correlation with the residual. They
        differ only for voters with values other than -1 and +1. With `reweight`, only
        ``"decrease"`` is possible.
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
        Number of rounds that were run.
    feature_importances_ : ndarray of shape (n_features,)
        Share of each attribute in the absolute weights of stumps.
    n_features_in_ : int
        Number of columns of X.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns of X, if all of them are strings.

    References
    ----------
    L. Fortier-Dubois, F. Laviolette, M. Marchand, L.-E. Robitaille and J.-F. Roy, "Efficient
    learning of ensembles with QuadBoost", 2015.

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
    """

    learner = QuadBoost

    norm: Norm = None
    _: KW_ONLY
    lam: float = 0.01
    alpha_max: float = 0.01
    n_rounds: int | None = None
    reweight: bool = False
    selection: Selection = "decrease"

    def _candidate(self, algorithm: Algorithm, total: float) -> dict[str, float]:
        most = MOST_ROUNDS if self.norm == "l1" else UNTIL_CONVERGED
        n_rounds = most if self.n_rounds is None else self.n_rounds
        names = [h.name for h in algorithm.hyperparameters if h != N_ROUNDS]
        values = checked_candidate(algorithm, {name: getattr(self, name) for name in names})
        return values | checked_candidate(QuadBoost(), {N_ROUNDS.name: n_rounds})
