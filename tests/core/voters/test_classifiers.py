from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, clone
from sklearn.datasets import load_breast_cancer
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from quadrepro import AdaBoostClassifier, CBBoostClassifier, Classifiers, QuadBoostClassifier
from quadrepro.base.types import FloatArray

CANCER, MALIGNANT = load_breast_cancer(return_X_y=True)
X, Y = CANCER[:, :4], np.where(MALIGNANT == 1, "good", "bad")
FIRST, REST = slice(0, 200), slice(200, None)


def several(labels: Any = Y) -> list[Any]:
    found = [GaussianNB(), DecisionTreeClassifier(max_depth=3, random_state=0), SVC()]
    return [classifier.fit(X[FIRST], labels[FIRST]) for classifier in found]


def test_classes_are_voted_for_as_minus_and_plus_one() -> None:
    classifiers = several()
    H = Classifiers(classifiers).fit(X[REST], Y[REST]).transform(X[REST])
    expected = [np.where(c.predict(X[REST]) == "good", 1.0, -1.0) for c in classifiers]
    np.testing.assert_array_equal(H, np.column_stack(expected))


def test_decisions_are_cut_off_and_probabilities_are_stretched() -> None:
    bayes, tree, svm = several()
    decisions = Classifiers([svm], values="decision").fit(X).transform(X)
    np.testing.assert_array_equal(decisions[:, 0], np.clip(svm.decision_function(X), -1, 1))
    shares = Classifiers([bayes, tree], values="probability").fit(X).transform(X)
    np.testing.assert_allclose(shares[:, 0], 2 * bayes.predict_proba(X)[:, 1] - 1)
    assert np.abs(shares).max() <= 1


@pytest.mark.parametrize(
    "vote",
    [AdaBoostClassifier(10), QuadBoostClassifier("l1", lam=0.01), CBBoostClassifier(10)],
    ids=repr,
)
def test_a_list_votes_and_is_never_fitted_again(vote: Any) -> None:
    classifiers = several()
    before = classifiers[1].tree_
    vote.set_params(voters=classifiers).fit(X[REST], Y[REST])
    assert classifiers[1].tree_ is before
    assert vote.voter_weights_.shape == (3,)
    H = Classifiers(classifiers).fit(X).transform(X[REST])
    alone = clone(vote).set_params(voters="precomputed").fit(H, Y[REST])
    np.testing.assert_array_equal(vote.voter_weights_, alone.voter_weights_)
    np.testing.assert_array_equal(vote.decision_function(X[REST]), alone.decision_function(H))
    assert vote.score(X[REST], Y[REST]) > 0.85


def test_clones_of_the_vote_keep_what_wrapped_classifiers_have_learned() -> None:
    vote = QuadBoostClassifier("l1", lam=0.01, voters=Classifiers(several()))
    assert cross_val_score(vote, X[REST], Y[REST], cv=3).mean() > 0.85
    bare = vote.set_params(voters=several())
    with pytest.raises(NotFittedError, match=r"voter 0 \(GaussianNB\).*voters=Classifiers\(\["):
        clone(bare).fit(X[REST], Y[REST])


def test_classifiers_of_frames_get_frames() -> None:
    frame = pd.DataFrame(X, columns=["a", "b", "c", "d"])
    fitted = GaussianNB().fit(frame, Y)
    H = Classifiers([fitted]).fit(X, Y).transform(X)
    assert H[:, 0].tolist() == np.where(fitted.predict(frame) == "good", 1.0, -1.0).tolist()


def test_voters_are_named_by_their_classes() -> None:
    names = Classifiers(several()).fit(X).get_feature_names_out().tolist()
    assert names == ["gaussiannb0", "decisiontreeclassifier1", "svc2"]


class Missing(BaseEstimator):
    def fit(self, X: FloatArray, y: Any) -> Missing:
        return self


@pytest.mark.parametrize(
    ("voters", "error", "message"),
    [
        (Classifiers([]), ValueError, "classifiers is empty"),
        (Classifiers(several(), values="sign"), ValueError, "values must be one of 'class'"),
        (Classifiers([Missing()]), TypeError, r"voter 0 \(Missing\) is not a classifier"),
        (
            Classifiers(several(), values="probability"),
            TypeError,
            r"voter 2 \(SVC\) has no predict_proba: choose other values than 'probability'",
        ),
        (
            Classifiers(several(MALIGNANT)),
            ValueError,
            r"voter 0 \(GaussianNB\) knows the classes .*0.*1.*, but y holds \['bad', 'good'\]",
        ),
        (
            Classifiers([LogisticRegression(max_iter=5000).fit(X, np.arange(len(X)) % 3)]),
            ValueError,
            "must know two classes, not 3",
        ),
        (
            Classifiers([LinearRegression().fit(X, MALIGNANT)]),
            ValueError,
            "must know two classes, not 0",
        ),
        (
            Classifiers([GaussianNB().fit(X[:, :2], Y)]),
            ValueError,
            "expects 2 features, but X has 4",
        ),
    ],
)
def test_what_cannot_vote_is_refused(
    voters: Classifiers, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        AdaBoostClassifier(voters=voters).fit(X, Y)
