from __future__ import annotations

import numpy as np
import pytest

from quadrepro.core.arguments import weighted_examples

X = np.arange(8.0).reshape(4, 2)
Y = np.array(["a", "a", "b", "a"])


def test_without_weights_every_example_counts_once() -> None:
    for weights in (None, [1, 1, 1, 1]):
        kept, labels, found = weighted_examples(X, Y, weights)
        assert found is None
        assert kept is X
        assert labels is Y


def test_examples_of_weight_zero_are_left_out() -> None:
    kept, labels, found = weighted_examples(X, Y, [0, 2, 0, 0.5])
    assert kept.tolist() == X[[1, 3]].tolist()
    assert labels.tolist() == ["a", "a"]
    assert found.tolist() == [2.0, 0.5]


def test_balanced_classes_have_the_same_total_and_the_sum_stays() -> None:
    *_, found = weighted_examples(X, Y, [1, 3, 2, 2], "balanced")
    np.testing.assert_allclose(found, [2 / 3, 2, 4, 4 / 3])


def test_a_class_that_is_not_named_has_factor_1() -> None:
    *_, found = weighted_examples(X, Y, None, {"b": 3})
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
        weighted_examples(X, Y, weights, class_weight)  # type: ignore[arg-type]
