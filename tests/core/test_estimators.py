"""Estimators: the votes of their algorithms, with stages, weights, probabilities, conventions."""

from __future__ import annotations

import inspect
import re
from dataclasses import fields
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone, is_classifier
from sklearn.utils.estimator_checks import check_estimator

from quadrepro import (
    AdaBoostClassifier,
    CqBoostClassifier,
    GradientBoostClassifier,
    HedgeBoostClassifier,
    LPBoostClassifier,
    MinCqClassifier,
    QuadBoostClassifier,
    RegularizedLPBoostClassifier,
    RegularizedQPBoostClassifier,
    Stumps,
)
from quadrepro.base.types import FloatArray
from quadrepro.core.estimators import decision, votes
from quadrepro.core.learners.reweighting import WeightBoosting
from quadrepro.core.learners.soft_margin import MarginLP
from quadrepro.core.training.grid import Grid
from tests.core.learners.given import make_problem
from tests.core.variants import (
    ALL,
    BOOSTING,
    BY_GRADIENT,
    ONE_OF_EACH_CLASS,
    PROGRAMS,
    REGRESSORS,
    STAGEWISE,
    VOTES,
    examples,
    outputs,
    staged_outputs,
)

OF_TREES = {type(estimator): estimator for estimator in reversed(STAGEWISE)}
ESTIMATORS = [*ONE_OF_EACH_CLASS, *OF_TREES.values(), Stumps()]
STAGED = [*BOOSTING, *BY_GRADIENT, *REGRESSORS, *STAGEWISE]


def each(variants: list[Any]) -> Any:
    return pytest.mark.parametrize("estimator", variants, ids=repr)


# Votes and their algorithms


@each([e for e in VOTES if e.get_params().get("eta", "") is not None])
def test_weights_are_those_of_the_algorithms_path(estimator: Any) -> None:
    H, y = make_problem()
    parameters, learner = estimator.get_params(), estimator.learner
    settings = [f.name for f in fields(learner) if f.name in parameters]
    algorithm = learner(**{name: parameters[name] for name in settings})
    axes = {h.name: [parameters.get(h.name)] for h in algorithm.hyperparameters}
    path = algorithm.path(
        H, y, Grid.from_values({name: axis for name, axis in axes.items() if axis[0]})
    )
    options: dict[str, Any] = {"voters": "precomputed", "min_weight_fraction_leaf": 0.0}
    if "n_rounds" not in [*settings, *axes]:
        options["n_rounds"] = None  # the algorithm runs to its end
    own = {name: value for name, value in options.items() if name in parameters}
    fitted = clone(estimator).set_params(**own).fit(H, y)
    np.testing.assert_array_equal(fitted.voter_weights_, path[0])


@each([e for e in BOOSTING if issubclass(e.learner, WeightBoosting)])
@pytest.mark.parametrize("copies", [None, 0.3])
def test_stumps_have_the_weights_and_rounds_of_their_matrix(
    estimator: Any, copies: float | None
) -> None:
    rng = np.random.default_rng(0)
    # Equal examples, and equal, opposite and constant attributes.
    X = rng.normal(size=(200, 5)).round(1)
    X[:, 2], X[:, 3], X[:, 4] = X[:, 1], -X[:, 1], 1.0
    y = X[:, 0] + X[:, 1] + rng.normal(size=200) > 0
    if isinstance(estimator.voters, Stumps) and estimator.voters.missing == "branch":
        X[::7, 0] = np.nan
    weights = None if copies is None else copies * rng.integers(1, 4, 200)
    ours = clone(estimator).fit(X, y, weights)
    H = ours.voters_.transform(X)
    plain = clone(estimator).set_params(voters="precomputed", min_weight_fraction_leaf=0.0)
    plain.fit(H, y, weights)
    # Fractions of equal examples are added up before they are rounded, or after.
    tolerance = 0.0 if copies is None else 1e-10
    for found, expected in (
        (ours.voter_weights_, plain.voter_weights_),
        (staged_outputs(ours, X), staged_outputs(plain, H)),
    ):
        np.testing.assert_allclose(found, expected, rtol=0.0, atol=tolerance)


def test_adaboost_makes_no_matrix_of_stumps(monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*_: object) -> FloatArray:
        raise AssertionError

    X, y = examples()
    monkeypatch.setattr(Stumps, "transform", never)
    assert AdaBoostClassifier(9).fit(X, y).voter_weights_.any()


# Decisions, stages and probabilities


@each(STAGED)
def test_stages_are_shorter_runs(estimator: Any) -> None:
    X, y = examples(estimator)
    parameters = {"random_state": 0} if "random_state" in estimator.get_params() else {}
    if isinstance(estimator, HedgeBoostClassifier):
        parameters["eta"] = 0.1  # by default the rate depends on the number of rounds
    estimator = clone(estimator).set_params(**parameters)
    fitted = clone(estimator).fit(X, y)
    stages = staged_outputs(fitted, X)
    assert len(stages) == fitted.n_iter_ > 3
    for t in (1, 4, fitted.n_iter_):
        alone = clone(estimator).set_params(n_rounds=t).fit(X, y)
        np.testing.assert_allclose(stages[t - 1], outputs(alone, X), rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(stages[-1], outputs(fitted, X), rtol=1e-9, atol=1e-12)


@each([*VOTES, *BY_GRADIENT, *STAGEWISE])
def test_the_label_is_the_sign_of_the_decision_in_every_round(estimator: Any) -> None:
    X, y = examples()
    fitted = clone(estimator).fit(X, y)
    labels, decisions = [fitted.predict(X)], [fitted.decision_function(X)]
    if estimator in PROGRAMS:
        assert not [name for name in dir(estimator) if name.startswith("staged_")]
    else:
        labels += fitted.staged_predict(X)
        decisions += fitted.staged_decision_function(X)
    for found, numbers in zip(labels, decisions, strict=True):
        np.testing.assert_array_equal(found, fitted.classes_[(numbers > 0).astype(int)])


def test_a_run_that_ends_early_has_fewer_stages_and_one_at_least() -> None:
    H = np.array([[1.0, 1.0], [1.0, -1.0], [-1.0, -1.0]])
    fitted = AdaBoostClassifier(9, voters="precomputed").fit(H, [1, 1, 0])
    (stage,) = fitted.staged_decision_function(H)
    np.testing.assert_array_equal(stage, H[:, 0])
    assert fitted.n_iter_ == 1
    fitted = AdaBoostClassifier(n_rounds=5).fit(np.ones((4, 1)), [0, 1, 0, 1])
    (stage,) = fitted.staged_decision_function(np.ones((4, 1)))
    assert (stage.tolist(), fitted.n_iter_) == ([0.0] * 4, 0)


def test_a_vote_that_is_even_but_for_rounding_is_zero() -> None:
    ones = np.ones((1, 3))
    fitted = QuadBoostClassifier(voters="precomputed", n_rounds=1).fit(np.eye(3), [0, 1, 1])
    fitted.voter_weights_ = np.array([0.1, 0.2, -0.3])
    fitted._picks, fitted._changes = np.arange(3), fitted.voter_weights_
    assert 0.1 + 0.2 - 0.3 != 0
    assert fitted.decision_function(ones).tolist() == [0.0]
    assert staged_outputs(fitted, ones)[-1].tolist() == [0.0]
    assert fitted.predict(ones).tolist() == [0]


@pytest.mark.parametrize("voters", [None, "precomputed"])
def test_examples_are_applied_in_blocks(voters: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    X = np.where(examples()[0] > 0, 1.0, -1.0)
    fitted = AdaBoostClassifier(3, voters=voters).fit(X, X[:, 0] + X[:, 1] + X[:, 2] > 0)
    expected = [fitted.decision_function(X), *staged_outputs(fitted, X)]
    monkeypatch.setattr(votes, "BLOCK", 7)
    found = [fitted.decision_function(X), *staged_outputs(fitted, X)]
    np.testing.assert_allclose(found, expected, rtol=1e-12)


@each(
    [
        AdaBoostClassifier(1),
        GradientBoostClassifier("full", n_rounds=30),
        GradientBoostClassifier("full", n_rounds=30, loss="exponential"),
    ]
)
def test_probabilities_are_the_frequencies_of_the_classes(estimator: Any) -> None:
    X = np.array([[0.0], [0.0], [1.0], [1.0]])
    y, n = np.array([0, 1, 0, 1]), np.array([60, 20, 20, 60])
    for data in ((X, y, n / 7), (X.repeat(n, axis=0), y.repeat(n))):
        probabilities = clone(estimator).fit(*data).predict_proba(X[1:3])
        np.testing.assert_allclose(probabilities, [[0.75, 0.25], [0.25, 0.75]])


def assert_same(first: Any, second: Any, X: FloatArray, rtol: float = 1e-7) -> None:
    expected = outputs(second, X)
    np.testing.assert_allclose(
        outputs(first, X), expected, rtol=rtol, atol=rtol * np.abs(expected).max()
    )


@pytest.mark.parametrize("estimator", ALL, ids=repr)
def test_whole_weights_are_repeated_rows_and_weight_zero_leaves_a_row_out(estimator: Any) -> None:
    X, y = examples(estimator)
    weights = np.random.default_rng(1).integers(0, 4, len(X))
    # A row of weight zero must not move the thresholds, nor be a class of its own.
    X[0], weights[0] = 100.0, 0
    weighted = clone(estimator).fit(X, y, sample_weight=weights)
    repeated = clone(estimator).fit(X.repeat(weights, axis=0), y.repeat(weights))
    assert_same(weighted, repeated, X[1:])
    np.testing.assert_allclose(
        weighted.feature_importances_, repeated.feature_importances_, atol=1e-9
    )


@pytest.mark.parametrize("price", [0.05, 0.2])
@pytest.mark.parametrize("kind", [LPBoostClassifier, RegularizedQPBoostClassifier])
def test_the_price_of_slack_is_that_of_a_weight_of_one(kind: Any, price: float) -> None:
    X, y = examples(kind())
    weights = np.random.default_rng(2).uniform(0.2, 3.0, len(X))
    first = kind(4 * price).fit(X, y, sample_weight=weights)
    assert_same(first, kind(price).fit(X, y, sample_weight=4 * weights), X)


def test_the_default_rate_of_experts_depends_on_total_weight_or_number_of_examples() -> None:
    X, y = examples(HedgeBoostClassifier())
    eta = {s: HedgeBoostClassifier().fit(X, y, np.full(60, s)).eta_ for s in (0.01, 1.0, 4.0)}
    assert eta[4.0] == HedgeBoostClassifier().fit(X.repeat(4, axis=0), y.repeat(4)).eta_
    assert eta[0.01] == eta[1.0] < eta[4.0]


@pytest.mark.parametrize("estimator", [*filter(is_classifier, ONE_OF_EACH_CLASS)], ids=repr)
def test_weights_of_classes_multiply_those_of_examples(estimator: Any) -> None:
    X, y = examples(estimator)
    weights = np.random.default_rng(3).uniform(0.5, 2.0, len(X))
    positive = y == "yes"
    share = weights[positive].sum() / weights.sum()
    balanced = weights * np.where(positive, 0.5 / share, 0.5 / (1 - share))
    for class_weight, expected in (
        ({"yes": 3.0}, weights * np.where(positive, 3.0, 1.0)),
        ("balanced", balanced),
    ):
        by_class = clone(estimator).set_params(class_weight=class_weight)
        assert_same(
            by_class.fit(X, y, sample_weight=weights),
            clone(estimator).fit(X, y, sample_weight=expected),
            X,
        )


# Defaults, parameters and help


@pytest.mark.parametrize("label", ["no", "yes"])
@each([*filter(is_classifier, ESTIMATORS)])
def test_examples_of_one_class_give_a_constant_prediction(estimator: Any, label: str) -> None:
    X, y = examples(estimator)
    fitted = clone(estimator).fit(X, np.full(len(y), label))
    assert fitted.classes_.tolist() == [label]
    assert (fitted.predict(10 * X) == label).all()
    if hasattr(fitted, "predict_proba"):
        assert fitted.predict_proba(X).tolist() == [[1.0]] * len(X)
    for stage in getattr(fitted, "staged_predict", lambda X: [])(X):
        assert (stage == label).all()


def noisy(share: float) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return examples with a share of wrong labels, and their counts."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 5))
    clean = X[:, 0] + X[:, 1] > 0
    return X, clean != (rng.random(300) < share), rng.integers(1, 4, 300).astype(float)


def test_without_a_soft_margin_lp_reg_warns_and_by_default_it_has_one() -> None:
    X, y, counts = noisy(0.2)
    with pytest.warns(UserWarning, match=r"the soft margin is .* for nu=0\.05, .*: raise nu"):
        arbitrary = RegularizedLPBoostClassifier(0.05).fit(X, y, counts)
    fitted = RegularizedLPBoostClassifier().fit(X, y, counts)
    assert arbitrary.soft_margin_ <= 0 < 0.01 < fitted.soft_margin_
    assert fitted.score(X, y) > AdaBoostClassifier(1).fit(X, y).score(X, y) > 0.6
    assert RegularizedLPBoostClassifier().fit(*noisy(0.0)).nu_ == 0.2 < fitted.nu_ < 0.9
    vote = AdaBoostClassifier(20).fit(X, y, counts).voter_weights_
    for nu in (0.7, 0.9):
        fitted = RegularizedLPBoostClassifier(nu, n_rounds=20).fit(X, y, counts)
        signs = np.sign(vote[vote != 0]) * np.where(y, 1.0, -1.0)[:, None]
        program = MarginLP(fitted.voters_.transform(X)[:, vote != 0] * signs, counts)
        assert fitted.soft_margin_ == pytest.approx(program.solve(nu)[1], abs=1e-9)


@pytest.mark.parametrize(
    ("estimator", "name", "value"),
    [
        (QuadBoostClassifier("l2", n_rounds=5), "lam", 10**20),
        (QuadBoostClassifier("l2", n_rounds=5), "n_rounds", 4.0),
        (QuadBoostClassifier("linf", n_rounds=5), "alpha_max", np.float32(0.5)),
        (LPBoostClassifier(), "C", 1),
    ],
    ids=repr,
)
def test_numbers_of_any_type_are_pythons_own_in_loops(
    estimator: Any, name: str, value: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    candidates: list[Any] = []
    checked = votes.checked_candidate

    def spy(*args: Any) -> Any:
        candidates.append(checked(*args))
        return candidates[-1]

    monkeypatch.setattr(votes, "checked_candidate", spy)
    monkeypatch.setattr(decision, "checked_candidate", spy)
    clone(estimator).set_params(**{name: value}).fit(*examples())
    values = {key: v for candidate in candidates for key, v in candidate.items()}
    assert values[name] == value
    for key, v in values.items():
        assert type(v) is (int if key == "n_rounds" else float)


def section(estimator: Any, title: str) -> list[str]:
    """Return the names that a section of a class's help explains."""
    text = inspect.getdoc(type(estimator)) or ""
    _, _, rest = text.partition(f"\n{title}\n{'-' * len(title)}\n")
    body = re.split(r"\n\n\w[\w ]*\n-+\n", rest)[0]
    return re.findall(r"^(\w+) : ", body, re.MULTILINE)


@pytest.mark.parametrize("estimator", ESTIMATORS[:-1], ids=lambda e: type(e).__name__)
def test_the_help_of_an_estimator_explains_all_parameters_and_attributes(estimator: Any) -> None:
    X, y = examples(estimator)
    fitted = clone(estimator).fit(pd.DataFrame(X, columns=["a", "b", "c"]), y)
    assert sorted(section(fitted, "Parameters")) == sorted(fitted.get_params(deep=False))
    public = {name for name in vars(fitted) if name.endswith("_") and name[0] != "_"}
    assert set(section(fitted, "Attributes")) >= public
    assert all(hasattr(fitted, name) for name in section(fitted, "Attributes"))
    assert "\nReferences\n---" in (inspect.getdoc(type(fitted)) or "")


@each(ESTIMATORS)
@pytest.mark.filterwarnings("ignore:the soft margin is:UserWarning")  # labels are random
def test_follows_scikit_learns_conventions(estimator: Any) -> None:
    expected = {}
    if isinstance(estimator, MinCqClassifier | CqBoostClassifier):
        reason = "with one class in effect, the mean margin says nothing about other regions"
        expected["check_class_weight_classifiers"] = reason
    checks = check_estimator(estimator, expected_failed_checks=expected, on_skip=None, on_fail=None)
    assert {c["check_name"]: c["exception"] for c in checks if c["status"] == "failed"} == {}
    assert {c["check_name"] for c in checks if c["status"] == "xfail"} == {*expected}
