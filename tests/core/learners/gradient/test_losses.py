from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import approx_fprime, minimize_scalar

from quadrepro.base.types import FloatArray
from quadrepro.core.learners.gradient.losses import (
    LARGEST_CHANGE,
    LARGEST_EXPONENT,
    NOTHING,
    ExponentialLoss,
    LogisticLoss,
    Loss,
    SquaredLoss,
    ratio,
)

pytestmark = pytest.mark.usefixtures("compiled_and_plain")
each_loss = pytest.mark.parametrize(
    "loss",
    [SquaredLoss(), LogisticLoss(), ExponentialLoss()],
    ids=["l2", "logistic", "exponential"],
)


def draw(n: int = 8, m: int = 40, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    scales = np.geomspace(0.01, 10, n)[:, None]
    return (
        scales[::-1] * rng.normal(size=(n, m)),
        scales * rng.normal(size=(n, m)),
        rng.choice([-1.0, 1.0], m),
    )


def search(loss: Loss, scores: FloatArray, answers: FloatArray, y: FloatArray) -> FloatArray:
    """Return the steps along answers that may be different for all examples."""
    leaves = np.broadcast_to(np.arange(len(y), dtype=np.int32), scores.shape)
    return loss.search(scores, answers, leaves, y)


@each_loss
def test_descent_is_the_negative_gradient(loss: Loss) -> None:
    scores, _, y = draw(n=3, m=6)
    factor = 2.0 if isinstance(loss, SquaredLoss) else 1.0
    for f, descent in zip(scores, loss.descent(scores, y), strict=True):
        gradient = approx_fprime(f, lambda f: 6 * loss.mean(f[None], y)[0], 1e-7)
        np.testing.assert_allclose(factor * descent, -gradient, atol=1e-4)


@each_loss
def test_the_line_search_is_scipys(loss: Loss) -> None:
    scores, directions, y = draw()
    found = search(loss, scores, directions, y)
    for f, g, beta in zip(scores, directions, found, strict=True):
        best = minimize_scalar(
            lambda b, f=f, g=g: loss.mean((f + b * g)[None], y)[0], method="brent", tol=1e-12
        )
        assert beta == pytest.approx(best.x, rel=1e-5, abs=1e-7)


@each_loss
def test_a_line_search_alone_is_the_same_as_among_others(loss: Loss) -> None:
    scores, directions, y = draw()
    found = search(loss, scores, directions, y)
    alone = [search(loss, f[None], g[None], y)[0] for f, g in zip(scores, directions, strict=True)]
    np.testing.assert_array_equal(found, alone)


@each_loss
def test_no_direction_is_not_followed(loss: Loss) -> None:
    scores, directions, y = draw(n=2)
    directions[0] = 0.0
    found = search(loss, scores, directions, y)
    assert found[0] == 0
    assert found[1] != 0


@pytest.mark.parametrize("loss", [LogisticLoss(), ExponentialLoss()])
@pytest.mark.parametrize("sign", [-1.0, 1.0])
def test_if_the_loss_falls_without_end_the_step_is_bounded(sign: float, loss: Loss) -> None:
    y = np.array([1.0, -1.0, 1.0])
    directions = sign * y * [[0.5, 2.0, 0.0], [1e-9, 1e-8, 1e-7]]
    found = search(loss, np.zeros((2, 3)), directions, y)
    np.testing.assert_allclose(found, sign * LARGEST_CHANGE / np.array([2.0, 1e-7]))


@pytest.mark.parametrize("size", [50.0, 1e4])
def test_huge_margins_give_finite_losses_and_steps(size: float) -> None:
    y = np.array([1.0, -1.0, 1.0, -1.0])
    scores = size * np.array([[1.0, -1.0, 1.0, 1.0], [1.0, -1.0, 1.0, -1.0]])
    loss = LogisticLoss()
    np.testing.assert_allclose(loss.mean(scores, y), [size / 4, np.log1p(np.exp(-size))])
    descent = loss.descent(scores, y)
    found = search(loss, scores, descent, y)
    assert np.isfinite(found).all()
    assert (loss.mean(scores + found[:, None] * descent, y) <= loss.mean(scores, y)).all()


@pytest.mark.parametrize("size", [50.0, 1e4])
def test_huge_margins_give_finite_exponential_losses_and_steps(size: float) -> None:
    y = np.array([1.0, -1.0, 1.0, -1.0])
    scores = size * np.array([[1.0, -1.0, 1.0, 1.0], [1.0, -1.0, 1.0, -1.0]])
    loss = ExponentialLoss()
    largest = np.exp(min(size, LARGEST_EXPONENT))
    np.testing.assert_allclose(loss.mean(scores, y), [largest / 4, 1 / largest], rtol=1e-12)
    descent = loss.descent(scores, y)
    assert np.isfinite(np.square(descent).sum(axis=1)).all()
    assert np.isfinite(search(loss, scores, descent, y)).all()


def test_with_two_answers_the_exponential_losss_step_is_adaboosts_weight() -> None:
    rng = np.random.default_rng(3)
    y = rng.choice([-1.0, 1.0], 50)
    h, scores = rng.choice([-1.0, 1.0], (6, 50)), rng.normal(size=(6, 50))
    sizes = np.array([1e-3, 0.1, 1.0, 1.0, 7.0, 1e4])
    found = search(ExponentialLoss(), scores, sizes[:, None] * h, y)
    weights = np.exp(-y * scores)
    right = np.where(h == y, weights, 0).sum(axis=1)
    alpha = 0.5 * np.log(right / (weights.sum(axis=1) - right))
    np.testing.assert_allclose(found * sizes, alpha, rtol=1e-10)


@pytest.mark.parametrize("loss", [LogisticLoss(), ExponentialLoss()])
def test_scores_that_have_overflowed_do_no_harm_to_others(loss: Loss) -> None:
    scores, answers, y = draw(n=2)
    odd = scores.copy()
    odd[0, :3] = np.nan, np.inf, -np.inf
    if isinstance(loss, LogisticLoss):
        assert np.isnan(loss.mean(odd, y)[0])
    assert np.isfinite(loss.descent(odd, y)).all()
    assert np.isfinite(search(loss, odd, answers, y)).all()
    for found in (loss.mean, loss.descent, lambda f, y: search(loss, f, answers, y)):
        np.testing.assert_array_equal(found(odd, y)[1], found(scores, y)[1])


def test_a_ratio_to_nothing_is_zero() -> None:
    denominators = np.array([2.0, 0.0, NOTHING, 2 * NOTHING])
    assert ratio(np.ones(4), denominators).tolist() == [0.5, 0.0, 0.0, 1 / (2 * NOTHING)]


@each_loss
def test_whole_weights_are_as_good_as_repeated_examples(loss: Loss) -> None:
    scores, answers, y = draw()
    n = np.random.default_rng(1).integers(1, 4, len(y))
    weights = n.astype(np.float64)
    repeated = (part.repeat(n, axis=-1) for part in (scores, answers, y))
    more, their_answers, labels = repeated
    np.testing.assert_allclose(
        loss.mean(scores, y, 0.5 * weights), loss.mean(more, labels), rtol=1e-12
    )
    leaves = np.broadcast_to(np.arange(len(y), dtype=np.int32), scores.shape)
    found = loss.search(scores, answers, leaves, y, 0.5 * weights)
    np.testing.assert_allclose(found, search(loss, more, their_answers, labels), rtol=1e-5)
