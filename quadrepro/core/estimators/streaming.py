"""Classifiers that need only sums over the examples, and so learn from data of any size.

QuadBoost, CB-Boost, MinCq and CqBoost know the data by the Gram matrix of the voters and by their
correlations with the labels. Both are sums over examples: chunks add up to exactly the sums of all
the data, in any order.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from functools import partial
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets

from quadrepro.base.arguments import ClassWeight, validated, weighted_examples
from quadrepro.base.types import FloatArray
from quadrepro.core.estimators.base import VoteClassifier, total_of, two_classes
from quadrepro.core.voters.moments import VoterMoments, stump_problem
from quadrepro.core.voters.reduction import GramProblem
from quadrepro.core.voters.stumps import Stumps
from quadrepro.core.voters.voter_set import input_options, voter_set
from quadrepro.data.chunks import Chunk, open_chunks


def _adds_sums(classifier: MomentClassifier) -> bool:
    """Return whether the voters are stumps, or raise AttributeError."""
    if not isinstance(voter_set(classifier.voters), Stumps):
        raise AttributeError(f"partial_fit needs stumps as voters, not {classifier.voters!r}")
    return True


class MomentClassifier(VoteClassifier):
    """Base of the classifiers that need only the Gram matrix of the voters and the correlations.

    Attributes
    ----------
    moments_ : VoterMoments or None
        Sums over all examples seen by `partial_fit` or `fit_stream`; None after `fit`, which does
        not keep them.
    """

    moments_: VoterMoments | None

    @available_if(_adds_sums)  # type: ignore[untyped-decorator]  # scikit-learn's
    def partial_fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        classes: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Add examples, and find the vote over all seen so far.

        The vote is exactly that of one call with all examples and the same thresholds. These are
        placed on the first chunk, unless `voters` is an already fitted ``Stumps``, whose thresholds
        are then used (``sklearn.base.clone`` forgets them). `fit_stream` places them on all data.
        Every call finds the vote again. A call that fails adds nothing. `fit` keeps no sums, so
        that the first call after it starts from nothing; after `fit_stream` examples are added.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Further examples.
        y : array-like of shape (n_samples,)
            Their labels.
        classes : array-like of shape (2,) or None, default None
            The two labels. They are needed in the first call if its examples do not have both.
        sample_weight : array-like of shape (n_samples,) or None, default None
            How often each example counts; None for once. Examples of weight 0 are left out.

        Returns
        -------
        MomentClassifier
            The fitted classifier.

        Raises
        ------
        ValueError
            If there are not two classes, a parameter or a weight is out of range, a label is
            unknown, X is the voter matrix, or `class_weight` is ``"balanced"``.
        """
        self._refuse_balanced("partial_fit")
        stumps = self._new_stumps("partial_fit")
        candidate = self._candidate(self._algorithm(), 0.0)
        seen = getattr(self, "moments_", None)
        given, labels = validated(self, X, y, reset=seen is None, **input_options(stumps))
        check_classification_targets(labels)
        known = classes if seen is None else self.classes_
        X, y, weights = weighted_examples(given, labels, sample_weight, self.class_weight, known)
        if seen is None:
            self.classes_, _ = two_classes(y if classes is None else classes)
            signs = signs_of(y, self.classes_)
            self.voters_ = self._fixed_stumps(X.shape[1]) or stumps.fit(X, signs, weights)
        elif classes is not None and not np.array_equal(np.unique(classes), self.classes_):
            raise ValueError(f"classes must be {self.classes_.tolist()}, as in the first call")
        assert isinstance(self.voters_, Stumps)
        added = VoterMoments.of(X, signs_of(y, self.classes_), self.voters_, weights=weights)
        return self._know(added if seen is None else seen + added, candidate)

    def fit_stream(self, data: Any, target: str | None = None) -> Self:
        """Find the vote on data that need not be in memory.

        The data are read twice: for the range of each attribute and the classes, and for the sums
        over examples. The vote is exactly that of `fit` on all data.

        Parameters
        ----------
        data : path, list of paths, pyarrow data set, Dask dataframe or callable
            Parquet or CSV files, or folders of them; a ``pyarrow.dataset.Dataset``; a Dask
            dataframe, whose partitions are reduced to sums on their workers; or a function without
            arguments that returns an iterator over chunks (X, y).
        target : str or None, default None
            Column of the labels; None if `data` returns chunks. All other columns are attributes.

        Returns
        -------
        MomentClassifier
            The fitted classifier.

        Raises
        ------
        ValueError
            If there are not two classes, a parameter is out of range, a column is missing, does
            not hold numbers or has missing values, `voters` is ``"precomputed"``, or
            `class_weight` is ``"balanced"``.
        TypeError
            If `data` is nothing of the above.

        Examples
        --------
        >>> import numpy as np
        >>> from quadrepro import QuadBoostClassifier
        >>> def chunks():
        ...     rng = np.random.default_rng(0)
        ...     for _ in range(10):
        ...         X = rng.normal(size=(1000, 3))
        ...         yield X, X[:, 0] > X[:, 1]
        >>> vote = QuadBoostClassifier("l2", lam=1.0, n_rounds=50).fit_stream(chunks)
        >>> vote.moments_.n_examples
        10000
        >>> vote.predict([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]).tolist()
        [True, False]

        Files are named by their paths::

            vote.fit_stream(["2023.parquet", "2024.parquet"], target="label")
        """
        self._refuse_balanced("fit_stream")
        stumps = self._new_stumps("fit_stream")
        candidate = self._candidate(self._algorithm(), 0.0)
        chunks = open_chunks(data, target)
        ranges = chunks.reduce(Ranges.of)
        if len(ranges.labels) > 2:
            some = ", ".join(map(str, ranges.labels))
            raise ValueError(
                f"Only binary classification is supported: the labels are {some} or more, not two"
            )
        self.classes_, _ = two_classes(ranges.labels)
        self.n_features_in_ = len(ranges.low)
        self.__dict__.pop("feature_names_in_", None)
        if ranges.names:
            self.feature_names_in_ = np.array(ranges.names, dtype=object)
        of_classes = self.classes_, self.class_weight
        stumps.fit_ranges(ranges.low, ranges.high)
        fixed = self._fixed_stumps(len(ranges.low))
        self.voters_ = fixed or stumps
        moments = chunks.reduce(partial(_moments, of_classes, self.voters_))
        return self._know(moments, candidate)

    def _learn(self, X: FloatArray, y: FloatArray, weights: FloatArray | None) -> FloatArray:
        self.moments_ = None
        if not isinstance(self.voters_, Stumps):
            return super()._learn(X, y, weights)
        algorithm = self._algorithm()
        candidate = self._candidate(algorithm, total_of(y, weights))
        merges = algorithm.merges_voters
        problem = stump_problem(X, y, self.voters_, weights, merge_voters=merges)
        return self._solve(problem, candidate)

    def _know(self, moments: VoterMoments, candidate: dict[str, float]) -> Self:
        """Find the vote, and keep the sums if there is one."""
        merges = self._algorithm().merges_voters
        self.voter_weights_ = self._solve(moments.problem(merge_voters=merges), candidate)
        self.moments_ = moments
        return self

    @abstractmethod
    def _solve(self, problem: GramProblem, candidate: dict[str, float]) -> FloatArray:
        """Return the voter weights of a problem; keep what `_stages` needs."""

    def _refuse_balanced(self, method: str) -> None:
        if isinstance(self.class_weight, str):
            raise ValueError(
                f"{method} needs class_weight as a dict, not {self.class_weight!r}: the classes are"
                " not counted beforehand"
            )

    def _new_stumps(self, method: str) -> Stumps:
        """Return stumps with the user's parameters, not yet fitted."""
        voters = self._new_voters()
        if not isinstance(voters, Stumps):
            raise ValueError(f"{method} needs stumps as voters, not {self.voters!r}")
        return voters

    def _fixed_stumps(self, n_features: int) -> Stumps | None:
        """Return the user's stumps if their thresholds are placed."""
        if not isinstance(self.voters, Stumps) or not hasattr(self.voters, "thresholds_"):
            return None
        expected = self.voters.n_features_in_
        if n_features != expected:
            raise ValueError(f"X has {n_features} features, but the stumps are on {expected}")
        return self.voters


@dataclass(frozen=True, eq=False)
class Ranges:
    """What has to be known of the data before stumps can be placed.

    Attributes
    ----------
    low, high : ndarray of shape (n_features,)
        Smallest and largest value of each attribute.
    labels : ndarray of shape (n_labels,)
        The labels in sorted order; no more than three, which are too many.
    names : tuple of str
        Names of the attributes; empty if they have none.
    """

    low: FloatArray
    high: FloatArray
    labels: NDArray[Any]
    names: tuple[str, ...]

    @classmethod
    def of(cls, chunk: Chunk) -> Ranges:
        """Return the ranges of some examples."""
        check_classification_targets(chunk.labels)
        labels = np.unique(chunk.labels)[:3]
        return cls(chunk.X.min(axis=0), chunk.X.max(axis=0), labels, chunk.names)

    def __add__(self, other: Ranges) -> Ranges:
        low, high = np.minimum(self.low, other.low), np.maximum(self.high, other.high)
        labels = np.unique(np.concatenate([self.labels, other.labels]))[:3]
        return Ranges(low, high, labels, self.names)


def signs_of(labels: NDArray[Any], classes: NDArray[Any]) -> FloatArray:
    """Return labels as -1 for the first class and +1 for the second.

    Parameters
    ----------
    labels : ndarray of shape (n_examples,)
        Labels.
    classes : ndarray of shape (2,)
        The classes.

    Raises
    ------
    ValueError
        If a label is neither.
    """
    first, second = labels == classes[0], labels == classes[1]
    unknown = np.flatnonzero(~(first | second))
    if len(unknown):
        raise ValueError(f"the label {labels[unknown[0]]!r} is not in {classes.tolist()}")
    return np.where(second, 1.0, -1.0)


OfClasses = tuple[NDArray[Any], ClassWeight]
"""The classes, and their weights."""


def _moments(of_classes: OfClasses, stumps: Stumps, chunk: Chunk) -> VoterMoments:
    X, signs, weights = _weighted(of_classes, chunk)
    return VoterMoments.of(X, signs, stumps, weights=weights)


def _weighted(
    of_classes: OfClasses, chunk: Chunk
) -> tuple[FloatArray, FloatArray, FloatArray | None]:
    classes, class_weight = of_classes
    X, labels, weights = weighted_examples(chunk.X, chunk.labels, None, class_weight, classes)
    return X, signs_of(labels, classes), weights
