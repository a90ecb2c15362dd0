from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import approx_fprime, minimize_scalar
from scipy.special import expit

from quadrepro.base.types import FloatArray
from quadrepro.core.learners.losses import LARGEST_CHANGE, LOSSES, Loss

L2, LOGISTIC, EXPONENTIAL = LOSSES.values()
each_loss = pytest.mark.parametrize("loss", LOSSES.values(), ids=LOSSES)
each_class_loss = pytest.mark.parametrize("loss", [LOGISTIC, EXPONENTIAL], ids=list(LOSSES)[1:])


def draw(n: int = 8, m: int = 40, seed: int = 0) -> tuple[FloatArray, FloatArray, FloatArray]:
    rng = np.random.default_rng(seed)
    scales = np.geomspace(0.01, 10, n)[:, None]
    return (
        scales[::-1] * rng.normal(size=(n, m)),
        scales * rng.normal(size=(n, m)),
        rng.choice([-1.0, 1.0], m),
    )


def mean(
    loss: Loss, scores: FloatArray, y: FloatArray, weights: FloatArray | None = None
) -> FloatArray:
    w = np.ones(len(y)) if weights is None else weights
    return loss.mean(loss.terms(scores, y), scores, y, w)


def descent_of(loss: Loss, scores: FloatArray, y: FloatArray) -> FloatArray:
    return loss.descent(loss.terms(scores, y), y)


def search(
    loss: Loss, scores: FloatArray, g: FloatArray, y: FloatArray, weights: FloatArray | None = None
) -> FloatArray:
    """Return the steps along g that may be different for all examples."""
    leaves = np.tile(np.arange(len(y), dtype=np.int32), (len(scores), 1))
    w = np.ones(len(y)) if weights is None else weights
    return loss.search(loss.terms(scores, y), g, leaves, y, w)


@pytest.mark.parametrize(
    ("loss", "phi"),
    [
        (L2, lambda f, y: (y - f) ** 2),
        (LOGISTIC, lambda f, y: np.log1p(np.exp(-y * f))),
        (EXPONENTIAL, lambda f, y: np.exp(-y * f)),
    ],
    ids=LOSSES,
)
def test_losses_are_those_of_their_formulas_and_descent_is_the_negative_gradient(
    loss: Loss, phi: object
) -> None:
    assert callable(phi)
    scores, _, y = draw(n=3, m=6)
    weights = np.linspace(0.5, 2.0, 6)
    expected = np.average(phi(scores, y), axis=1, weights=weights)
    np.testing.assert_allclose(mean(loss, scores, y, weights), expected, rtol=1e-12)
    factor = 2.0 if loss is L2 else 1.0
    for f, descent in zip(scores, descent_of(loss, scores, y), strict=True):
        gradient = approx_fprime(f, lambda f: phi(f, y).sum(), 1e-7)
        np.testing.assert_allclose(factor * descent, -gradient, atol=1e-4)


@each_loss
@pytest.mark.parametrize("weighted", [False, True])
def test_the_line_search_is_scipys(loss: Loss, weighted: bool) -> None:
    scores, g, y = draw()
    w = np.random.default_rng(1).uniform(0.2, 3.0, len(y)) if weighted else np.ones(len(y))
    for f, own, beta in zip(scores, g, search(loss, scores, g, y, w), strict=True):
        best = minimize_scalar(
            lambda b, f=f, g=own: mean(loss, (f + b * g)[None], y, w)[0], method="brent", tol=1e-12
        )
        assert beta == pytest.approx(best.x, rel=1e-5, abs=1e-7)


@each_loss
def test_no_direction_is_not_followed(loss: Loss) -> None:
    scores, g, y = draw(n=2)
    g[0] = 0.0
    found = search(loss, scores, g, y)
    assert found[0] == 0
    assert found[1] != 0


def test_a_newton_step_that_would_leave_the_bracket_is_a_bisection() -> None:
    # The loss is nearly linear at 0, where a step would be 2e4 long; by symmetry β is 11.
    y, scores, g = np.array([1.0, -1.0]), np.array([[-10.0, -12.0]]), np.ones((1, 2))
    assert search(LOGISTIC, scores, g, y)[0] == pytest.approx(11.0, abs=1e-9)


@each_class_loss
@pytest.mark.parametrize("sign", [-1.0, 1.0])
def test_if_the_loss_falls_without_end_the_step_is_bounded(sign: float, loss: Loss) -> None:
    y = np.array([1.0, -1.0, 1.0])
    g = sign * y * [[0.5, 2.0, 0.0], [1e-9, 1e-8, 1e-7]]
    found = search(loss, np.zeros((2, 3)), g, y)
    np.testing.assert_allclose(found, sign * LARGEST_CHANGE / np.array([2.0, 1e-7]))


@each_class_loss
@pytest.mark.parametrize("size", [50.0, 1e4])
def test_huge_margins_give_finite_losses_and_steps(size: float, loss: Loss) -> None:
    y = np.array([1.0, -1.0, 1.0, -1.0])
    scores = size * np.array([[1.0, -1.0, 1.0, 1.0], [1.0, -1.0, 1.0, -1.0]])
    means = mean(loss, scores, y)
    assert np.isfinite(means).all()
    if loss is LOGISTIC:
        np.testing.assert_allclose(means, [size / 4, np.log1p(np.exp(-size))])
    elif size == 50.0:
        np.testing.assert_allclose(means, [np.exp(size) / 4, np.exp(-size)])
    descent = descent_of(loss, scores, y)
    assert np.isfinite(np.square(descent).sum(axis=1)).all()
    found = search(loss, scores, descent, y)
    assert np.isfinite(found).all()
    assert (mean(loss, scores + found[:, None] * descent, y) <= means).all()


@each_class_loss
def test_scores_that_have_overflowed_do_no_harm_to_others(loss: Loss) -> None:
    scores, g, y = draw(n=2)
    odd = scores.copy()
    odd[0, :3] = np.nan, np.inf, -np.inf
    assert np.isfinite(descent_of(loss, odd, y)).all()
    assert np.isfinite(search(loss, odd, g, y)).all()
    for found in (
        lambda f: mean(loss, f, y),
        lambda f: descent_of(loss, f, y),
        lambda f: search(loss, f, g, y),
    ):
        np.testing.assert_array_equal(found(odd)[1], found(scores)[1])


@each_class_loss
def test_the_probability_is_that_of_which_the_score_is_best(loss: Loss) -> None:
    for p in (0.1, 0.5, 0.73):
        best = minimize_scalar(
            lambda f, p=p: (
                p * mean(loss, np.full((1, 1), f), np.ones(1))[0]
                + (1 - p) * mean(loss, np.full((1, 1), -f), np.ones(1))[0]
            ),
            tol=1e-12,
        ).x
        assert loss.probability(np.array([best]))[0] == pytest.approx(p, abs=1e-6)
    scores = np.array([-1e4, 0.0, 2.0, 1e4])
    factor = 1.0 if loss is LOGISTIC else 2.0
    np.testing.assert_allclose(loss.probability(scores), expit(factor * scores), atol=1e-100)
