"""Extreme values give the right answer or a ValueError: never a warning, a NaN or a wrong vote."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest
from sklearn.base import ClassifierMixin, RegressorMixin

import quadrepro
from quadrepro import GradientBoostRegressor
from quadrepro.base.types import FloatArray
from quadrepro.core.arguments import weighted_examples
from tests.core.variants import STEPS

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 3))
SCORE = X[:, 0] + 0.5 * X[:, 1]
SIGNS = np.where(SCORE + RNG.normal(size=40) > 0, 1, -1)

ESTIMATORS: dict[str, Any] = {
    name: kind
    for name, kind in ((name, getattr(quadrepro, name)) for name in dir(quadrepro))
    if inspect.isclass(kind) and issubclass(kind, (ClassifierMixin, RegressorMixin))
}
PARAMETERS = {name: [*inspect.signature(kind).parameters] for name, kind in ESTIMATORS.items()}
PRICED = [
    *("AdaBoostRegClassifier", "HedgeBoostClassifier", "LPBoostClassifier"),
    "RegularizedQPBoostClassifier",
]
"""Estimators for which a multiple of all weights is another problem."""
ROUNDS = [name for name, known in PARAMETERS.items() if "n_rounds" in known]
SIZED = {
    *("C", "mu", "epsilon", "lam", "alpha_max", "nu", "u", "eps", "eta", "z_max", "cuts", "depth")
}

# Where a parameter has no effect by default: the settings under which it has.
USED_WITH: dict[tuple[str, str], dict[str, Any]] = {
    ("QuadBoostClassifier", "lam"): {"norm": "l2"},
    ("QuadBoostClassifier", "alpha_max"): {"norm": "linf"},
    ("GradientBoostClassifier", "nu"): {"step": "shrink"},
    ("GradientBoostClassifier", "eps"): {"step": "epsilon"},
    ("GradientBoostRegressor", "nu"): {"step": "shrink"},
    ("GradientBoostRegressor", "eps"): {"step": "epsilon"},
}


def made(name: str, **parameters: Any) -> Any:
    """Return an estimator of few rounds."""
    if name in ROUNDS and name != "CqBoostClassifier":
        parameters = {"n_rounds": 20} | parameters
    if name == "AdaBoostRegClassifier":
        parameters = {"C": 1.0} | parameters
    return ESTIMATORS[name](**parameters)


def target(name: str) -> FloatArray:
    return SCORE if name.endswith("Regressor") else SIGNS


def checked(estimator: Any, *data: FloatArray) -> FloatArray:
    """Return the predictions on the training examples; all that was learned is finite."""
    fitted = estimator.fit(*data)
    for learned in ("voter_weights_", "train_loss_", "estimator_weights_"):
        assert np.isfinite(getattr(fitted, learned, 0.0)).all()
    numbers = getattr(fitted, "decision_function", fitted.predict)(data[0])
    assert np.isfinite(numbers).all()
    return np.asarray(fitted.predict(data[0]))


@pytest.mark.parametrize("name", ESTIMATORS)
def test_attributes_and_weights_may_be_nearly_as_small_and_as_large_as_numbers_can_be(
    name: str,
) -> None:
    estimator, y = made(name), target(name)
    weights = np.random.default_rng(1).integers(1, 4, 40).astype(float)
    for exponent in (-1000, 1000):
        found = checked(estimator, np.ldexp(X, exponent), y)
        np.testing.assert_array_equal(found, checked(estimator, X, y))
        if name not in PRICED:
            found = checked(estimator, X, y, np.ldexp(weights, exponent))
            plain = checked(estimator, X, y, np.ldexp(weights, 70))
            np.testing.assert_array_equal(found, plain)


@pytest.mark.parametrize("step", ["full", "shrink", "truncate", "rescale", "rescale-truncate"])
def test_targets_times_a_power_of_two_scale_the_predictions(step: str) -> None:
    estimator = GradientBoostRegressor(step, n_rounds=20)  # type: ignore[arg-type]
    plain = checked(estimator, X, SCORE)
    for exponent in (-160, 160):
        scaled = checked(estimator, X, np.ldexp(SCORE, exponent))
        np.testing.assert_array_equal(scaled, np.ldexp(plain, exponent))


@pytest.mark.parametrize("init", ["mean", "zero"])
def test_a_constant_added_to_the_targets_is_added_to_the_predictions(init: Any) -> None:
    shifts = []
    for step in STEPS:
        model = GradientBoostRegressor(step, n_rounds=20, init=init)
        plain, shifted = checked(model, X, SCORE), checked(model, X, SCORE + 2000.0)
        shifts.append(np.abs(shifted - plain - 2000.0).max())
    assert (max(shifts) < 1e-8) == (init == "mean")
    assert model.intercept_ == pytest.approx(2000 + SCORE.mean() if init == "mean" else 0.0)


@pytest.mark.parametrize("name", ESTIMATORS)
def test_an_extreme_parameter_or_number_of_rounds_is_refused_by_name(name: str) -> None:
    for parameter in SIZED.intersection(PARAMETERS[name]):
        for value in (-1.0, np.nan, np.inf, 1e-320, 1e-150, 1e150, 10**400):
            settings = {**USED_WITH.get((name, parameter), {}), parameter: value}
            with pytest.raises(ValueError, match=rf"{parameter}'?:? "):
                made(name, **settings).fit(X, target(name))
    for value in (0, -1, 2.5, np.nan, np.inf, 1e10, 10**400) if name in ROUNDS else ():
        with pytest.raises(ValueError, match=r"n_rounds('.*)? (must be|takes whole numbers)"):
            made(name, n_rounds=value).fit(X, target(name))


ROWS = np.arange(8.0).reshape(4, 2)
LABELS = np.array(["a", "a", "b", "a"])


def test_without_weights_every_example_counts_once() -> None:
    for weights in (None, [1, 1, 1, 1]):
        kept, labels, found = weighted_examples(ROWS, LABELS, weights)
        assert found is None
        assert kept is ROWS
        assert labels is LABELS


def test_examples_of_weight_zero_are_left_out_and_classes_have_factors() -> None:
    kept, labels, found = weighted_examples(ROWS, LABELS, [0, 2, 0, 0.5])
    assert kept.tolist() == ROWS[[1, 3]].tolist()
    assert labels.tolist() == ["a", "a"]
    assert found.tolist() == [2.0, 0.5]
    *_, found = weighted_examples(ROWS, LABELS, [1, 3, 2, 2], "balanced")
    np.testing.assert_allclose(found, [2 / 3, 2, 4, 4 / 3])
    *_, found = weighted_examples(ROWS, LABELS, None, {"b": 3})
    assert found.tolist() == [1, 1, 3, 1]


@pytest.mark.parametrize(
    ("weights", "class_weight", "message"),
    [
        ([1, -1, 1, 1], None, "Negative values"),
        ([1, 1, 1], None, "sample_weight.shape"),
        ([1, np.nan, 1, 1], None, "NaN"),
        ([0, 0, 0, 0], None, "zero"),
        (None, {"c": 2}, "not in class_weight"),
        (None, {"a": 0.0}, "class_weight must be positive and finite"),
        (None, {"a": np.inf}, "class_weight must be positive and finite"),
        (None, "even", "class_weight"),
    ],
)
def test_impossible_weights_are_refused(
    weights: list[float] | None, class_weight: object, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        weighted_examples(ROWS, LABELS, weights, class_weight)  # type: ignore[arg-type]
