from __future__ import annotations

from itertools import combinations, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from quadrepro._typing import FloatArray
from quadrepro.data.encoding import encode
from quadrepro.data.store import load_dataset
from quadrepro.learners.greedy.quadboost import QuadBoost
from quadrepro.learners.grid import Grid
from quadrepro.measures.bounds.quadboost import (
    clipped_quadratic_loss,
    combination_complexity,
    norm_complexity,
    risk_bound,
)
from quadrepro.measures.bounds.rademacher import empirical_rademacher, massart
from quadrepro.voters.stumps import Stumps

NORMS = [1.0, 2.0, np.inf]
each_norm = pytest.mark.parametrize("p", NORMS)

H_SMALL = np.random.default_rng(4).uniform(-1, 1, (5, 3))
SIGNS = np.array(list(product((-1.0, 1.0), repeat=5)))


def brute_force(p: float, *, distinct: bool) -> float:
    """R_S of the pairs of voters with ‖α‖_p = 1, over all signs, pairs and a circle of weights."""
    # The circle holds the even weights, where voters taken twice are best.
    angles = np.linspace(0, 2 * np.pi, 1441)
    circle = np.column_stack([np.cos(angles), np.sin(angles)])
    alphas = circle / np.linalg.norm(circle, ord=p, axis=1, keepdims=True)
    both = np.hstack([H_SMALL, -H_SMALL])
    pairs = combinations(range(3), 2) if distinct else product(range(6), repeat=2)
    votes = np.hstack([both[:, list(pair)] @ alphas.T for pair in pairs])
    return float((SIGNS @ votes / 5).max(axis=1).mean())


@each_norm
def test_lemma_1_holds_by_brute_force(p: float) -> None:
    plain = np.abs(SIGNS @ H_SMALL / 5).max(axis=1).mean()
    assert brute_force(p, distinct=False) == pytest.approx(norm_complexity(2, p) * plain)


@each_norm
@pytest.mark.parametrize("distinct", [False, True])
def test_the_estimate_of_a_combination_is_near_brute_force(p: float, distinct: bool) -> None:
    rng = np.random.default_rng(0)
    found = combination_complexity(H_SMALL, 2, p, 40_000, rng, distinct=distinct)
    assert found == pytest.approx(brute_force(p, distinct=distinct), abs=0.005)


@each_norm
@pytest.mark.parametrize("n", [1, 3, 10])
def test_a_combination_is_as_complex_as_lemma_1_says_and_less_with_distinct_voters(
    p: float, n: int
) -> None:
    H = np.random.default_rng(0).choice([-1.0, 1.0], (40, 12))
    plain = empirical_rademacher(H, 300, np.random.default_rng(1)).mean
    repeated, distinct = (
        combination_complexity(H, n, p, 300, np.random.default_rng(1), distinct=d)
        for d in (False, True)
    )
    assert repeated == pytest.approx(norm_complexity(n, p) * plain)
    if n == 1 or p == 1:
        assert distinct == pytest.approx(repeated)
    else:
        assert distinct < repeated


def test_the_bound_is_the_theorems_formula() -> None:
    bound = risk_bound(0.4, 9, 3.0, p=2, m=200, complexity=0.05, empirical=False, delta=0.1)
    assert bound.loss == 0.4
    assert bound.complexity == pytest.approx(4 * 2 * 3 * 3.0 * 0.05)
    assert bound.confidence == pytest.approx((np.log(np.pi**2 * 100 / 0.6) / 400) ** 0.5)
    assert bound.scale == pytest.approx((np.log(np.log2(6)) / 200) ** 0.5)
    parts = bound.loss + bound.complexity + bound.confidence + bound.scale
    assert bound.total == pytest.approx(parts)
    assert bound.total > 1


def test_the_empirical_complexity_halves_delta_and_triples_the_last_term() -> None:
    terms: dict[str, Any] = {"p": 2, "m": 200, "complexity": 0.05}
    known = risk_bound(0.4, 9, 3.0, empirical=False, delta=0.1, **terms)
    found = risk_bound(0.4, 9, 3.0, empirical=True, delta=0.2, **terms)
    assert found.confidence == known.confidence
    assert found.complexity == known.complexity
    assert found.scale == 3 * known.scale


@each_norm
def test_votes_are_bounded_side_by_side(p: float) -> None:
    loss, n, norm = np.array([1.0, 0.5, 0.3]), np.array([0, 4, 16]), np.array([0.0, 0.5, 4.0])
    together = risk_bound(loss, n, norm, p=p, m=90, complexity=0.1, empirical=True)
    for i in range(3):
        alone = risk_bound(loss[i], n[i], norm[i], p=p, m=90, complexity=0.1, empirical=True)
        assert together.total[i] == alone.total
    # An empty vote has no complexity, and a norm below 1 counts as 1 in the last term.
    assert together.complexity[0] == 0
    assert together.scale[:2].tolist() == [0, 0]


@given(arrays(np.float64, 9, elements=st.floats(-2, 3)))
def test_the_clipped_loss_lies_between_the_error_and_the_plain_loss(margins: FloatArray) -> None:
    clipped = clipped_quadratic_loss(margins)
    assert (margins <= 0).mean() <= clipped <= ((1 - margins) ** 2).mean() + 1e-12


@given(st.floats(-3, 3), st.floats(-3, 3))
def test_the_clipped_loss_is_2_lipschitz(a: float, b: float) -> None:
    losses = clipped_quadratic_loss(np.array([[a, b]]))
    assert abs(losses[0] - losses[1]) <= 2 * abs(a - b) + 1e-12


@each_norm
@pytest.mark.parametrize("seed", range(5))
def test_the_bound_holds_on_held_out_people_of_the_titanic(p: float, seed: int) -> None:
    dataset = load_dataset("titanic")
    examples = encode(dataset, dataset.card.view("quadboost"))
    order = np.random.default_rng(seed).permutation(len(examples.y))
    train, test = order[:1800], order[1800:]
    H, y = Stumps(3).fit(examples.X[train]).transform(examples.X), examples.y
    weights = QuadBoost().path(H[train], y[train], Grid.of({"n_rounds": [1, 2, 5, 20]}))
    margins = y[:, None] * (H @ weights.T)
    risk = (margins[test] <= 0).mean(axis=0)
    n, norm = (weights != 0).sum(axis=1), np.linalg.norm(weights, ord=p, axis=1)
    estimate = empirical_rademacher(H[train], 500, np.random.default_rng(seed))
    bounds = [
        risk_bound(
            ((1 - margins[train]) ** 2).mean(axis=0),
            *(n, norm),
            p=p,
            m=len(train),
            complexity=complexity,
            empirical=empirical,
        )
        for complexity, empirical in (
            (sum(estimate), True),
            (massart(H.shape[1], len(train)), False),
        )
    ]
    for bound in bounds:
        assert (risk <= bound.total).all()
    # It says something here: most data sets are too small for that.
    assert bounds[0].total[0] < 0.95


def test_numbers_out_of_range_are_refused() -> None:
    good: dict[str, Any] = {"p": 2, "m": 200, "complexity": 0.05, "empirical": True}
    with pytest.raises(ValueError, match=r"probability in \(0, 1\], not 0"):
        risk_bound(0.1, 1, 1, **good, delta=0.0)
    with pytest.raises(ValueError, match=r"p must be at least 1, not 0\.5"):
        risk_bound(0.1, 1, 1, **(good | {"p": 0.5}))
    with pytest.raises(ValueError, match="m must be at least 1, not 0"):
        risk_bound(0.1, 1, 1, **(good | {"m": 0}))
    with pytest.raises(ValueError, match="cannot be negative"):
        risk_bound(0.1, 1, -1, **good)
    with pytest.raises(ValueError, match="n counts voters and cannot be -1"):
        norm_complexity([3, -1], 2)
    with pytest.raises(ValueError, match="5 distinct voters needs as many, here are 3"):
        combination_complexity(H_SMALL, 5, 2, 10, np.random.default_rng(0), distinct=True)
    with pytest.raises(ValueError, match=r"must be at least 1, not 0\.5 and 2"):
        combination_complexity(H_SMALL, 2, 0.5, 10, np.random.default_rng(0), distinct=False)
