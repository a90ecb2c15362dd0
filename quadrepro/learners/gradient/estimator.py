"""What the regressor and the classifier by gradient boosting share: one candidate, trained on X."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from quadrepro._typing import FloatArray
from quadrepro._validation import validated
from quadrepro.learners.base import N_ROUNDS
from quadrepro.learners.estimator import LearnerEstimator
from quadrepro.learners.gradient.boosting import Bound, GradientBoost, StepName
from quadrepro.learners.gradient.steps import follow
from quadrepro.learners.gradient.watchers import Ensemble, Gains, TrainingLoss


class GradientBoostEstimator(LearnerEstimator):
    """Trees and the steps along them; the base of the two estimators."""

    learner = GradientBoost

    def __init__(
        self,
        step: StepName = "rescale",
        *,
        n_rounds: int = 100,
        nu: float = 0.1,
        u: float = 10.0,
        eps: float = 0.1,
        cuts: int = 1,
        depth: int | None = None,
        bound: Bound | None = None,
        min_weight_fraction_leaf: float = 0.0,
    ) -> None:
        self.step = step
        self.n_rounds = n_rounds
        self.nu = nu
        self.u = u
        self.eps = eps
        self.cuts = cuts
        self.depth = depth
        self.bound = bound
        self.min_weight_fraction_leaf = min_weight_fraction_leaf

    @property
    def feature_importances_(self) -> FloatArray:
        """Share of each feature in the decrease of squared errors by the trees' cuts.

        All shares are 0 if no tree has a cut.
        """
        check_is_fitted(self)
        total = self._gains.sum()
        return np.asarray(self._gains / total if total > 0 else self._gains)

    def _train(self, X: FloatArray, y: FloatArray, weights: FloatArray | None) -> None:
        algorithm = GradientBoost(**self._settings())
        candidate = self._candidate(algorithm, float(len(y)))
        if not 0 <= self.min_weight_fraction_leaf <= 0.5:
            raise ValueError(
                "min_weight_fraction_leaf must be between 0 and 0.5, not"
                f" {self.min_weight_fraction_leaf}"
            )
        value = np.array([candidate.get(algorithm.value_name, np.nan)], dtype=np.float64)
        n_rounds = int(candidate[N_ROUNDS.name])
        ensemble, losses, gains = Ensemble(), TrainingLoss(n_rounds, 1), Gains(X.shape[1])
        algorithm.run(
            X,
            y,
            value,
            n_rounds,
            [ensemble, losses, gains],
            weights=weights,
            least_share=self.min_weight_fraction_leaf,
        )
        self.rounds_, self.n_iter_ = ensemble.rounds, len(ensemble.rounds)
        self.train_loss_ = losses.path[0]
        self._gains = gains.of_features

    def _staged_scores(self, X: ArrayLike) -> Iterator[FloatArray]:
        check_is_fitted(self)
        X = validated(self, X, reset=False)
        columns = np.ascontiguousarray(np.asarray(X).T)
        scores = np.zeros((1, columns.shape[1]))
        for trees, step in self.rounds_:
            follow(scores, trees, trees.leaves(columns), step)
            yield scores[0].copy()

    def _scores(self, X: ArrayLike) -> FloatArray:
        *_, last = self._staged_scores(X)
        return last
