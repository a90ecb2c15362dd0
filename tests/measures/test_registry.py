"""Measures against their definitions on a small problem."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from quadrepro._typing import FloatArray
from quadrepro.config.seeds import generator
from quadrepro.learners.greedy.adaboost import AdaBoost
from quadrepro.learners.greedy.quadboost import QuadBoost
from quadrepro.learners.grid import Grid
from quadrepro.measures.bounds.adaboost import product_bound
from quadrepro.measures.bounds.cbound import c_bound, pac_bayes_bound, rademacher_bound
from quadrepro.measures.bounds.quadboost import combination_complexity, risk_bound
from quadrepro.measures.bounds.rademacher import empirical_rademacher, massart
from quadrepro.measures.bounds.weak_learning import least_edge
from quadrepro.measures.registry import (
    MEASURES,
    ON_SCORES,
    ON_VOTERS,
    RHOS,
    SIGN_VECTORS,
    Trained,
    measure,
)

Make = Callable[..., tuple[FloatArray, FloatArray]]

H = np.array([[1.0, 1, -1], [1, -1, -1], [-1, -1, 1], [-1, 1, 1]])
Y = np.array([1.0, 1, -1, -1])
H_TEST = np.array([[1.0, -1, 1], [1, 1, 1]])
Y_TEST = np.array([-1.0, 1])
WEIGHTS = np.array([[0.0, 0, 0], [0.5, 0, 0], [0.5, 0, 1], [0.25, -1, 0]])


def rng(name: str) -> np.random.Generator:
    return generator(3, "here", name)


def trained(weights: FloatArray = WEIGHTS) -> Trained:
    return Trained(Y, Y_TEST, weights @ H.T, weights @ H_TEST.T, H, weights, rng)


def measured(name: str, of: Trained | None = None) -> list[float]:
    return measure([name], of or trained())[name]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        # The empty vote says -1 everywhere, and so does a sum of zero. The third vote has -1/2 and
        # 1/2 for its sums on the training examples, each with the wrong sign.
        ("train_error", [0.5, 0, 1, 0.5]),
        ("test_error", [0.5, 0.5, 0.5, 1]),
        ("train_mse", [1, 0.25, 2.25, (1.75**2 + 0.25**2) / 2]),
        ("test_mse", [1, (1.5**2 + 0.5**2) / 2, (2.5**2 + 0.5**2) / 2, (2.25**2 + 1.75**2) / 2]),
        ("quadratic_risk", [1, 0.25, 2.25, (1.75**2 + 0.25**2) / 2]),
        ("voters", [0, 1, 2, 2]),
        ("c_bound", [1, 0, 1, 1 - 0.2**2 / ((1 + 0.6**2) / 2)]),
    ],
)
def test_measures_of_a_vote_are_what_one_counts_by_hand(name: str, expected: list[float]) -> None:
    assert measured(name) == pytest.approx(expected)


def margins(examples: FloatArray, y: FloatArray) -> FloatArray:
    totals = np.maximum(np.abs(WEIGHTS).sum(axis=1), 1e-300)
    return (examples @ WEIGHTS.T) / totals * y[:, None]


def test_bounds_are_those_of_normalised_margins_and_all_voters() -> None:
    ours = margins(H, Y)
    assert measured("c_bound") == pytest.approx(c_bound(ours).tolist())
    assert measured("test_c_bound") == pytest.approx(c_bound(margins(H_TEST, Y_TEST)).tolist())
    assert measured("pac_bayes") == pytest.approx(pac_bayes_bound(ours, WEIGHTS).tolist())
    assert measured("rademacher") == pytest.approx(rademacher_bound(ours, 3, RHOS).tolist())
    assert measured("massart") == [massart(3, 4)] * 4


def complexity() -> tuple[float, float]:
    return empirical_rademacher(H, SIGN_VECTORS, rng("signs"))


@pytest.mark.parametrize(("name", "p"), [("p1", 1), ("p2", 2), ("pinf", np.inf)])
def test_theorem_1_takes_the_plain_quadratic_risk_and_the_upper_complexity(
    name: str, p: float
) -> None:
    losses = ((1 - WEIGHTS @ H.T * Y) ** 2).mean(axis=1)
    for weights, loss, found in zip(WEIGHTS, losses, measured(f"theorem1_{name}"), strict=True):
        n, norm = np.count_nonzero(weights), np.linalg.norm(weights, ord=p)
        bound = risk_bound(loss, n, norm, p=p, m=4, complexity=sum(complexity()), empirical=True)
        assert found == pytest.approx(float(bound.total))


def test_the_complexity_is_one_of_the_voters_with_the_splits_own_signs() -> None:
    mean, confidence = complexity()
    assert measured("complexity") == [mean] * 4
    assert measured("complexity_upper") == [mean + confidence] * 4


@pytest.mark.parametrize(("name", "p"), [("lemma1_p2", 2), ("lemma1_pinf", np.inf)])
def test_lemma_1s_ratio_is_one_and_an_empty_vote_has_none(name: str, p: float) -> None:
    found = measured(name)
    assert np.isnan(found[0])
    mean, _ = complexity()
    for n, ratio in zip((1, 2, 2), found[1:], strict=True):
        value = combination_complexity(H, n, p, SIGN_VECTORS, rng("signs"), distinct=False)
        assert ratio == pytest.approx(value / (n ** (1 - 1 / p) * mean))
        assert ratio == pytest.approx(1)


def path_of(learner: AdaBoost | QuadBoost, make: Make) -> tuple[Trained, FloatArray]:
    """Return what 30 rounds leave, and the margins with the weights as they are."""
    H, y = make(80, 10, seed=1)
    path = learner.path(H, y, Grid.of({"n_rounds": list(range(1, 31))}))
    return Trained(y, y, path @ H.T, path @ H.T, H, path), (path @ H.T * y).T


def test_adaboosts_bounds_hold_round_by_round_and_are_those_of_the_smallest_edge(
    make_problem: Make,
) -> None:
    found, plain = path_of(AdaBoost(), make_problem)
    product, exponential = measured("product_bound", found), measured("exponential_bound", found)
    assert product == pytest.approx(np.exp(-plain).mean(axis=0).tolist())
    assert product == pytest.approx(product_bound(plain).tolist())
    # A round with edge γ multiplies the exponential loss by sqrt(1 - 4γ²).
    factors = np.array(product) / np.array([1.0, *product[:-1]])
    gamma = np.minimum.accumulate(0.5 * np.sqrt(1 - factors**2))
    assert exponential == pytest.approx(np.exp(-2 * gamma**2 * np.arange(1, 31)).tolist())
    errors = np.array(measured("train_error", found))
    assert (errors <= np.array(product) + 1e-12).all()
    assert (np.array(product) <= np.array(exponential) + 1e-12).all()


def test_quadboosts_bound_holds_and_is_that_of_the_smallest_correlation(make_problem: Make) -> None:
    found, plain = path_of(QuadBoost(), make_problem)
    risks = ((1 - plain) ** 2).mean(axis=0)
    assert measured("quadratic_risk", found) == pytest.approx(risks.tolist())
    gamma = np.minimum.accumulate(np.sqrt(-np.diff(risks, prepend=1.0)))
    bound = 1 - np.arange(1, 31) * gamma**2
    assert measured("quadratic_bound", found) == pytest.approx(bound.tolist())
    assert (risks <= bound + 1e-12).all()


def test_the_weak_edge_is_one_number_for_all_candidates() -> None:
    assert measured("weak_edge") == [least_edge(H, Y)] * 4 == [pytest.approx(0.5)] * 4


@pytest.mark.parametrize("name", MEASURES)
def test_a_candidate_without_a_solution_is_nan_and_leaves_the_others_as_they_are(name: str) -> None:
    weights = WEIGHTS[:2] if name in ("exponential_bound", "quadratic_bound") else WEIGHTS
    gap = np.insert(weights, 1, np.nan, axis=0)
    found, plain = measured(name, trained(gap)), measured(name, trained(weights))
    assert np.isnan(found[1])
    np.testing.assert_array_equal([found[0], *found[2:]], plain)


def test_scores_alone_can_be_measured_by_all_that_needs_no_voters() -> None:
    alone = replace(trained(WEIGHTS[1:2]), H=None, weights=None)
    for name in ON_SCORES:
        assert np.isfinite(measured(name, alone)).all()
    assert measured("train_error", alone) == [0]
    for name in ON_VOTERS:
        with pytest.raises((ValueError, AssertionError)):
            measured(name, alone)


def test_a_zero_sum_is_negative_whatever_rounding_left_of_it() -> None:
    weights = np.array([[0.1, 0.2, 0.3]])
    X = np.array([[1.0, 1, -1], [1, 1, 1]])
    (rounded,) = (weights @ X[:1].T).tolist()
    assert 0 < rounded[0] < 1e-15
    of = Trained(np.array([-1.0, 1]), Y_TEST, weights @ X.T, weights @ X.T, X, weights)
    assert measured("train_error", of) == [0]
