from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from quadrepro.base.types import FloatArray
from quadrepro.core.measures import quadboost
from quadrepro.core.seeds import generator
from tests.core.measures.votes import four_votes, measured, path_of, random_problem, votes_of

NORMS = {"p1": 1.0, "p2": 2.0, "pinf": np.inf}
each_norm = pytest.mark.parametrize("p", NORMS)


def all_signs(m: int) -> FloatArray:
    return np.array(list(product((-1.0, 1.0), repeat=m)))


def exact(H: FloatArray) -> float:
    """R_S over all 2^m sign vectors, with each voter and its complement."""
    return float((all_signs(len(H)) @ np.hstack([H, -H]) / len(H)).max(axis=1).mean())


def complexity(H: FloatArray, seed: int = 0) -> tuple[float, float]:
    trained = votes_of(H, np.ones(len(H)), np.ones((1, H.shape[1])), seed)
    upper = measured("rademacher_complexity_upper", trained)[0]
    return float(measured("rademacher_complexity", trained)[0]), float(upper)


@given(arrays(np.float64, (7, 4), elements=st.floats(-1, 1)), st.integers(0, 99))
def test_the_complexity_is_near_the_exact_one_and_below_massarts_bound(
    H: FloatArray, seed: int
) -> None:
    # McDiarmid's inequality with a probability of 1e-9.
    assert abs(complexity(H, seed)[0] - exact(H)) <= (2 * np.log(1e9) / 7000) ** 0.5
    [bound] = measured("massart", votes_of(H, np.ones(7), np.ones((1, 4))))
    assert exact(H) <= bound == pytest.approx((2 * np.log(8) / 7) ** 0.5)


def test_the_signs_are_those_of_the_split_and_batches_change_no_number(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    H = np.random.default_rng(0).choice([-1.0, 1.0], (11, 30))
    asked: list[str] = []

    def rng(name: str) -> np.random.Generator:
        asked.append(name)
        return generator(7, name)

    trained = replace(votes_of(H, np.ones(11), np.ones((1, 30))), rng=rng)
    [whole] = measured("rademacher_complexity", trained)
    monkeypatch.setattr(quadboost, "BATCH", 90)
    assert measured("rademacher_complexity", trained) == pytest.approx(whole)
    assert asked == ["signs"] * 2


class AllSigns:
    """A generator that draws every sign vector once."""

    def integers(self, low: int, high: int, shape: tuple[int, int]) -> FloatArray:
        found = (all_signs(shape[1]) + 1) / 2
        assert (low, high, shape) == (0, 2, found.shape)
        return found


def brute_force(H: FloatArray, p: float, *, distinct: bool = False) -> float:
    """R_S of the pairs of voters with ‖α‖_p = 1, over all signs, pairs and a circle of weights."""
    # The circle holds the even weights, where voters taken twice are best.
    angles = np.linspace(0, 2 * np.pi, 1441)
    circle = np.column_stack([np.cos(angles), np.sin(angles)])
    alphas = circle / np.linalg.norm(circle, ord=p, axis=1, keepdims=True)
    both, n = np.hstack([H, -H]), H.shape[1]
    pairs = [(i, j) for i, j in product(range(2 * n), repeat=2) if not distinct or i % n != j % n]
    votes = np.hstack([both[:, list(pair)] @ alphas.T for pair in pairs])
    return float((all_signs(len(H)) @ votes / len(H)).max(axis=1).mean())


@each_norm
def test_lemma_1_holds_by_brute_force(p: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quadboost, "SIGN_VECTORS", 32)
    H = np.random.default_rng(4).uniform(-1, 1, (5, 3))
    pair = np.array([[0.5, 0.5, 0]])
    trained = replace(votes_of(H, np.ones(5), pair), rng=lambda name: AllSigns())
    [plain] = measured("rademacher_complexity", trained)
    assert plain == pytest.approx(exact(H))
    factor = 2 ** (1 - 1 / NORMS[p])
    if p == "p1":
        assert brute_force(H, NORMS[p]) == pytest.approx(plain)
    else:
        [ratio] = measured(f"quadboost_lemma1_{p}", trained)
        assert brute_force(H, NORMS[p]) == pytest.approx(ratio * factor * plain)
        assert brute_force(H, NORMS[p], distinct=True) < 0.99 * factor * plain


@each_norm
def test_the_bound_is_theorem_1_with_the_plain_loss_and_the_upper_complexity(p: str) -> None:
    weights = np.array([[0.0, 0, 0], [0.2, 0, 0], [0.5, 0, 1], [4, -4, 2]])
    trained = four_votes(weights)
    found = measured(f"quadboost_theorem1_{p}", trained)
    [upper, *_] = measured("rademacher_complexity_upper", trained)
    # An empty vote has no complexity, and a norm below 1/2 counts as 1/2.
    norms = [0, 0.5, *(np.linalg.norm(w, ord=NORMS[p]) for w in weights[2:])]
    for value, n, norm, margins in zip(
        *(found, [0, 1, 2, 3], norms, trained.plain_margins.T), strict=True
    ):
        loss, complexity = ((1 - margins) ** 2).mean(), 8 * n ** (1 - 1 / NORMS[p]) * norm * upper
        confidence = (np.log(np.pi**2 * (n + 1) ** 2 / (6 * 0.025)) / 8) ** 0.5
        scale = 3 * (np.log(np.log2(2 * max(norm, 1))) / 4) ** 0.5
        assert value == pytest.approx(loss + complexity + confidence + scale)


def terms(H: FloatArray, weights: FloatArray) -> FloatArray:
    """Return Theorem 1 for p = 1 less the loss and the complexity of votes of norm 1."""
    trained = votes_of(H, np.ones(len(H)), weights)
    of_norm_1 = 8 * measured("rademacher_complexity_upper", trained)
    return (
        measured("quadboost_theorem1_p1", trained) - measured("quadratic_risk", trained) - of_norm_1
    )


def test_the_failures_of_all_classes_add_up_to_less_than_half_of_delta() -> None:
    m, n = 50, np.arange(1.0, 401)
    confidence = terms(np.zeros((m, 400)), np.tri(400) / n[:, None])
    first = np.exp(-2 * m * confidence**2)
    scale = np.sqrt(np.log(np.arange(1.0, 2001)) / m)
    of_scales = sum(np.exp(-2 * m * (confidence + s) ** 2).sum() for s in scale)
    # The terms of the form 1/(n+1)² beyond 400.
    rest = 3 * 0.05 / np.pi**2 / 401
    # All votes of norms up to 1 are one class more, k = 0, with the deviation of k = 1. The
    # empirical complexity leaves half of δ to all classes.
    assert of_scales + first.sum() + 4 * rest < 0.8 * 0.05 / 2
    assert of_scales + 2 * first.sum() > 0.05 / 2


@given(st.integers(0, 10**6).map(random_problem), st.integers(1, 40))
def test_the_quadratic_risk_is_below_its_bound_with_the_least_correlation(
    problem: tuple[FloatArray, FloatArray], n_rounds: int
) -> None:
    H, y = problem
    trained = votes_of(H, y, path_of("quadboost", H, y, n_rounds))
    risk, bound = (measured(n, trained) for n in ("quadratic_risk", "quadboost_quadratic_bound"))
    assert (measured("train_error", trained) <= risk + 1e-12).all()
    assert (risk <= bound + 1e-9).all()
    residuals = y - np.vstack([np.zeros(9), trained.scores[:-1]])
    least = np.minimum.accumulate(np.abs(residuals @ H / 9).max(axis=1))
    # A square root of a rounded difference is good to half the digits.
    T = np.arange(1, n_rounds + 1)
    np.testing.assert_allclose(np.sqrt((1 - bound) / T), least, atol=1e-7)
