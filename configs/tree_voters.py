"""Decision trees as voters, each of them grown on a random part of the attributes and examples."""

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.ensemble import BaggingClassifier
from sklearn.tree import DecisionTreeClassifier


class TreeVoters(TransformerMixin, BaseEstimator):
    """Trees that are grown on 60% of the attributes and 95% of the training examples."""

    def __init__(self, n_trees=100, max_depth=2, random_state=None):
        self.n_trees = n_trees
        self.max_depth = max_depth
        self.random_state = random_state

    def fit(self, X, y):
        """Grow the trees."""
        self.trees_ = BaggingClassifier(
            DecisionTreeClassifier(max_depth=self.max_depth),
            self.n_trees,
            max_samples=0.95,
            max_features=0.6,
            bootstrap=False,
            random_state=self.random_state,
        ).fit(X, y)
        return self

    def transform(self, X):
        """Return the trees' predictions, -1 and +1, shape (n_examples, n_trees)."""
        grown = zip(self.trees_.estimators_, self.trees_.estimators_features_, strict=True)
        return 2.0 * np.column_stack([tree.predict(X[:, part]) for tree, part in grown]) - 1.0
