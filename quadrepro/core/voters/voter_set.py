"""Voters of an estimator: a transformer with values in [-1, 1], or classifiers.

A voter set has ``fit(X, y)`` and ``transform(X)``, which returns the voter matrix. Those of this
package have values in [-1, 1] by construction; what others return is checked.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, Protocol, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.exceptions import NotFittedError
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

from quadrepro.base.arguments import validated
from quadrepro.base.types import FloatArray
from quadrepro.core.voters.stumps import Stumps

Values = Literal["class", "decision", "probability"]


class Classifiers(TransformerMixin, BaseEstimator):
    """Fitted classifiers as voters, which are never fitted again.

    Train them on other examples than the vote: on its own training examples, a classifier seems
    better than it is.

    Parameters
    ----------
    classifiers : sequence of fitted classifiers
        Classifiers of two classes, the same as those of the vote. ``sklearn.base.clone``, which
        cross-validation calls, leaves them fitted.
    values : {"class", "decision", "probability"}, default "class"
        What a classifier says: -1 for the first class and +1 for the second; its
        ``decision_function``, cut off at -1 and +1; or 2p - 1 for the probability p of the second
        class. AdaBoost and its kin take only the first.

    Attributes
    ----------
    n_features_in_ : int
        Number of attributes.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from quadrepro import Classifiers, QuadBoostClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> first, rest = slice(0, 250), slice(250, None)
    >>> several = [GaussianNB(), DecisionTreeClassifier(random_state=0), LogisticRegression(C=0.01,
    ...     max_iter=10_000)]
    >>> fitted = [classifier.fit(X[first], y[first]) for classifier in several]
    >>> vote = QuadBoostClassifier("l1", lam=0.01, voters=Classifiers(fitted))
    >>> vote.fit(X[rest], y[rest]).voter_weights_.shape
    (3,)
    """

    def __init__(self, classifiers: Sequence[Any], *, values: Values = "class") -> None:
        self.classifiers = classifiers
        self.values = values

    def fit(self, X: ArrayLike, y: ArrayLike | None = None) -> Self:
        """Check that the classifiers can vote on these examples.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Training examples.
        y : array-like of shape (n_samples,) or None, default None
            Labels of two classes; None to leave the classes unchecked.

        Returns
        -------
        Classifiers
            The voters.

        Raises
        ------
        ValueError
            If there is no classifier, or one has other classes or another number of attributes.
        NotFittedError
            If a classifier is not fitted.
        TypeError
            If one is not a classifier or lacks the method that `values` asks for.
        """
        if self.values not in METHODS:
            known = ", ".join(map(repr, METHODS))
            raise ValueError(f"values must be one of {known}, not {self.values!r}")
        if not len(self.classifiers):
            raise ValueError("classifiers is empty")
        X = self._validated(X)
        labels = None if y is None else np.unique(np.asarray(y))
        for i, classifier in enumerate(self.classifiers):
            self._check(f"voter {i} ({type(classifier).__name__})", classifier, labels)
        return self

    def transform(self, X: ArrayLike) -> FloatArray:
        """Return the voter matrix of `X`.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Examples.

        Returns
        -------
        ndarray of shape (n_samples, n_classifiers)
            Values of the classifiers, between -1 and +1.
        """
        check_is_fitted(self, "n_features_in_")
        examples = self._validated(X, reset=False)
        return np.column_stack(
            [self._says(classifier, examples) for classifier in self.classifiers]
        )

    def get_feature_names_out(self, input_features: ArrayLike | None = None) -> NDArray[Any]:
        """Return the names of the voters: their classes, numbered.

        Parameters
        ----------
        input_features : ignored
            Present for API consistency.
        """
        names = [type(classifier).__name__.lower() for classifier in self.classifiers]
        return np.array([f"{name}{i}" for i, name in enumerate(names)], dtype=object)

    def _check(self, name: str, classifier: Any, labels: NDArray[Any] | None) -> None:
        if not hasattr(classifier, "fit") or not hasattr(classifier, "predict"):
            raise TypeError(f"{name} is not a classifier")
        try:
            check_is_fitted(classifier)
        except NotFittedError:
            raise NotFittedError(
                f"{name} is not fitted. clone() forgets what a list of classifiers has learned, "
                "unless the list is wrapped: voters=Classifiers([...])"
            ) from None
        classes = getattr(classifier, "classes_", ())
        if len(classes) != 2:
            raise ValueError(f"{name} must know two classes, not {len(classes)}")
        if labels is not None and not np.array_equal(classes, labels):
            raise ValueError(
                f"{name} knows the classes {list(classes)}, but y holds {labels.tolist()}"
            )
        if not hasattr(classifier, method := METHODS[self.values]):
            raise TypeError(f"{name} has no {method}: choose other values than {self.values!r}")
        expected = getattr(classifier, "n_features_in_", self.n_features_in_)
        if expected != self.n_features_in_:
            raise ValueError(f"{name} expects {expected} features, but X has {self.n_features_in_}")

    def _says(self, classifier: Any, X: FloatArray) -> FloatArray:
        examples: Any = X
        if hasattr(classifier, "feature_names_in_") and not sparse.issparse(X):
            import pandas as pd

            examples = pd.DataFrame(X, columns=classifier.feature_names_in_)
        said = np.asarray(getattr(classifier, METHODS[self.values])(examples))
        if self.values == "class":
            return np.where(said == classifier.classes_[1], 1.0, -1.0)
        if self.values == "decision":
            return np.asarray(np.clip(said, -1.0, 1.0))
        return np.asarray(2.0 * said[:, 1] - 1.0)

    def _validated(self, X: ArrayLike, reset: bool = True) -> Any:
        return validated(self, X, reset=reset, **input_options(self))

    def __sklearn_clone__(self) -> Classifiers:
        return type(self)(self.classifiers, values=self.values)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        known = [get_tags(c).input_tags for c in self.classifiers if isinstance(c, BaseEstimator)]
        whole = len(known) == len(self.classifiers)
        tags.input_tags.sparse = whole and all(tag.sparse for tag in known)
        tags.input_tags.allow_nan = whole and all(tag.allow_nan for tag in known)
        return tags


METHODS = {"class": "predict", "decision": "decision_function", "probability": "predict_proba"}
"""The method that gives the values of a classifier."""


class VoterSet(Protocol):
    """A transformer whose output is the voter matrix."""

    def fit(self, X: Any, y: Any, **options: Any) -> Any:
        """Learn the voters from training examples and their labels."""

    def transform(self, X: Any) -> Any:
        """Return the voter matrix, with values in [-1, 1]."""


Voters = VoterSet | Sequence[Any] | Literal["precomputed"] | None
"""Type of the parameter `voters`."""


def voter_set(voters: Voters) -> VoterSet | None:
    """Return the voter set that the user means; None if X is the voter matrix itself."""
    if voters is None:
        return Stumps()
    if isinstance(voters, str) and voters == "precomputed":
        return None
    if isinstance(voters, (list, tuple)):
        return Classifiers(voters)
    if isinstance(voters, (str, type)) or not (
        hasattr(voters, "fit") and hasattr(voters, "transform")
    ):
        raise ValueError(
            "voters must be Stumps(...) or another transformer, a list of fitted classifiers, or "
            f"'precomputed', not {voters!r}"
        )
    return voters  # type: ignore[return-value]  # it has both methods


def input_options(voters: VoterSet | None) -> dict[str, Any]:
    """Return what examples may look like, as options of scikit-learn's checks."""
    if not hasattr(voters, "__sklearn_tags__"):
        return {}
    tags = get_tags(voters).input_tags
    return {
        "accept_sparse": "csr" if tags.sparse else False,
        "ensure_all_finite": "allow-nan" if tags.allow_nan else True,
    }


def voter_matrix(voters: VoterSet, X: FloatArray) -> FloatArray:
    """Return the voter matrix of examples that are checked already.

    Parameters
    ----------
    voters : VoterSet
        Fitted voters.
    X : ndarray or sparse matrix of shape (n_examples, n_attributes)
        Examples.
    """
    if isinstance(voters, Stumps):
        return voters.matrix(X)
    found, name = voters.transform(X), type(voters).__name__
    try:
        H = np.asarray(found.toarray() if sparse.issparse(found) else found, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name}.transform must return numbers: {error}") from error
    if H.ndim != 2 or len(H) != X.shape[0] or not H.shape[1]:
        raise ValueError(
            f"{name}.transform must return a voter matrix of {X.shape[0]} rows and at least one "
            f"column, not an array of shape {H.shape}"
        )
    sizes = np.abs(H)
    if not (sizes <= 1.0).all():
        row, voter = np.unravel_index(np.argmax(np.nan_to_num(sizes, nan=np.inf)), H.shape)
        raise ValueError(
            f"{name}.transform must return values in [-1, 1], but voter {voter} has the value "
            f"{H[row, voter]:g}: put MinMaxScaler((-1, 1), clip=True) behind it"
        )
    return H
