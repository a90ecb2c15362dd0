"""Decision trees as voters."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.ensemble import RandomForestClassifier
from sklearn.utils.validation import check_is_fitted

from quadrepro.base.arguments import validated
from quadrepro.base.types import FloatArray
from quadrepro.core.voters.registry import VoterSetEntry


@dataclass(eq=False, repr=False)
class Trees(TransformerMixin, BaseEstimator):
    """Small decision trees, grown at random before the vote is found.

    The trees are those of scikit-learn's random forest: each is grown on a bootstrap sample and
    looks for a split among random attributes, so that they differ. The papers reproduced here boost
    stumps; trees of depth 2 or 3 also see how two or three attributes act together. All examples
    that the trees have learned from count again in the vote, so keep the trees small, or choose
    `depth` by cross-validation.

    Parameters
    ----------
    depth : int, default 2
        Largest number of splits between the root of a tree and a leaf.
    n_trees : int, default 100
        Number of trees.
    values : {"class", "share"}, default "class"
        What a leaf says: the class of most of its examples as -1 or +1 (-1 if there are as many of
        both), or 2p - 1 for the share p of the second class. AdaBoost and its kin take only the
        first.
    max_features : {"sqrt", "log2"}, int, float or None, default "sqrt"
        Number of attributes that a split is chosen from, as in ``RandomForestClassifier``.
    bootstrap : bool, default True
        Whether each tree is grown on a bootstrap sample. If False, trees differ only by the
        attributes that their splits are chosen from.
    min_weight_fraction_leaf : float, default 0.0
        Least share of the examples in a leaf, as in ``RandomForestClassifier``.
    random_state : int, RandomState instance or None, default None
        Where random numbers come from. Pass an int for the same trees in every call.

    Attributes
    ----------
    forest_ : RandomForestClassifier
        The trees.
    n_features_in_ : int
        Number of attributes.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the attributes, if all of them are strings.

    Notes
    -----
    Missing values are taken as scikit-learn's trees take them. Attributes are rounded to single
    precision. Weights of examples count in the vote, not in the trees: a bootstrap sample does not
    tell an example of weight 2 from two examples.

    Examples
    --------
    >>> import numpy as np
    >>> from quadrepro import CBBoostClassifier, Trees
    >>> X = np.random.default_rng(0).normal(size=(200, 4))
    >>> y = (X[:, 0] > 0) == (X[:, 1] > 0)
    >>> CBBoostClassifier(50).fit(X, y).score(X, y) < 0.75
    True
    >>> vote = CBBoostClassifier(50, voters=Trees(depth=3, random_state=0))
    >>> vote.fit(X, y).score(X, y) > 0.95
    True
    """

    depth: int = 2
    n_trees: int = 100
    _: KW_ONLY
    values: Literal["class", "share"] = "class"
    max_features: Any = "sqrt"
    bootstrap: bool = True
    min_weight_fraction_leaf: float = 0.0
    random_state: Any = None

    def fit(self, X: ArrayLike, y: ArrayLike | None = None) -> Self:
        """Grow the trees.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Training examples.
        y : array-like of shape (n_samples,)
            Labels; those equal to the largest one are one class, all others the other.

        Returns
        -------
        Trees
            The fitted voters.

        Raises
        ------
        ValueError
            If a parameter is out of range, `y` is None, or X has infinite values.
        """
        if self.depth < 1 or self.n_trees < 1:
            raise ValueError(
                f"depth and n_trees must be at least 1, not {self.depth} and {self.n_trees}"
            )
        if self.values not in ("class", "share"):
            raise ValueError(f"values must be 'class' or 'share', not {self.values!r}")
        X, labels = self._validated(X, y)
        forest = RandomForestClassifier(
            self.n_trees,
            max_depth=self.depth,
            max_features=self.max_features,
            bootstrap=self.bootstrap,
            min_weight_fraction_leaf=self.min_weight_fraction_leaf,
            random_state=self.random_state,
        )
        positive = np.asarray(labels) == np.unique(labels)[-1]
        self.forest_ = forest.fit(X, positive)
        return self

    def transform(self, X: ArrayLike) -> FloatArray:
        """Return the voter matrix of `X`.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Examples.

        Returns
        -------
        ndarray of shape (n_samples, n_trees)
            Values of the trees, between -1 and +1.
        """
        check_is_fitted(self)
        X = self._validated(X, reset=False)
        # The last column is that of the second class, which may be the only one.
        one_class = len(self.forest_.classes_) == 1
        shares = [tree.predict_proba(X)[:, -1] for tree in self.forest_.estimators_]
        values = 2.0 * np.column_stack(shares) - 1.0
        if one_class:
            return values
        return np.where(values > 0, 1.0, -1.0) if self.values == "class" else values

    def get_feature_names_out(self, input_features: ArrayLike | None = None) -> NDArray[Any]:
        """Return the names of the voters, ``tree0``, ``tree1``, ...

        Parameters
        ----------
        input_features : ignored
            Present for API consistency.
        """
        check_is_fitted(self)
        return np.array([f"tree{i}" for i in range(len(self.forest_.estimators_))], dtype=object)

    def _validated(self, *arrays: Any, reset: bool = True) -> Any:
        options = {"accept_sparse": "csr", "ensure_all_finite": "allow-nan"}
        return validated(self, *arrays, reset=reset, **options)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.sparse = tags.input_tags.allow_nan = True
        return tags


TREES = VoterSetEntry(Trees, "small decision trees")
