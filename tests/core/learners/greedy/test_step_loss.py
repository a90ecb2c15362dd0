from __future__ import annotations

import numpy as np
import pytest

from quadrepro.core.learners.adaboost import LARGEST_STEP
from quadrepro.core.learners.adaboost_reg import StepLoss, exact_sums


def random_loss(rng: np.random.Generator, C: float) -> StepLoss:
    w, means = rng.dirichlet(np.ones(12), 2)
    total, s = rng.uniform(0.01, 20), np.where(np.arange(12) < 7, 1.0, -1.0)
    return StepLoss(
        np.log(w / w.max())[None],
        np.ones((1, 12)),
        (s + C * w**2)[None],
        (C * (w - means) ** 2)[None],
        np.array([total]),
    )


def many(loss: StepLoss, n: int) -> StepLoss:
    """Return the loss of n equal trajectories."""
    rows = loss.starts, loss.counts, loss.slopes, loss.bends
    return StepLoss(*(part.repeat(n, axis=0) for part in rows), loss.total.repeat(n))


@pytest.mark.parametrize("C", [0.1, 3.0, 30.0, 300.0])
@pytest.mark.parametrize("seed", range(20))
def test_the_line_search_ends_where_the_loss_is_least(seed: int, C: float) -> None:
    loss = random_loss(np.random.default_rng(seed), C)
    a = loss.minimiser()
    assert 0 <= a[0] <= LARGEST_STEP
    fine = np.geomspace(1e-5, LARGEST_STEP, 4000)
    least = many(loss, 4000).logarithms(fine).min()
    assert loss.logarithms(np.maximum(a, 1e-300))[0] <= least + 1e-9 * max(1.0, abs(least))


def test_the_logarithm_is_that_of_the_sum() -> None:
    loss = random_loss(np.random.default_rng(5), 30.0)
    [total] = loss.total
    for a in (1e-3, 0.5, 7.0):
        exponents = loss.starts + a * total / (a + total) * loss.bends - a * loss.slopes
        expected = np.log((loss.counts * np.exp(exponents)).sum())
        assert loss.logarithms(np.array([a]))[0] == pytest.approx(expected, rel=1e-13)


def test_an_example_without_a_weight_is_as_if_it_were_not_there() -> None:
    loss = random_loss(np.random.default_rng(6), 30.0)
    rows = loss.starts, loss.counts, loss.slopes, loss.bends
    added = -np.inf, 0.0, -1e4, 1e4
    longer = [np.append(row, [[entry]], axis=1) for row, entry in zip(rows, added, strict=True)]
    assert StepLoss(*longer, loss.total).minimiser().tolist() == loss.minimiser().tolist()


@pytest.mark.parametrize("light", [-40.0, -200.0, -2000.0])
def test_an_example_that_a_long_step_makes_heavy_counts_however_light_it_is(light: float) -> None:
    # Without the last example the loss falls for ever.
    starts, slopes = np.array([[0.0, 0.0, light]]), np.array([[2.0, 1.0, -1.0]])
    bend, total = 20.0 - light, 3.0
    loss = StepLoss(
        starts, np.ones((1, 3)), slopes, np.array([[0.0, 0.0, bend]]), np.array([total])
    )
    [a] = loss.minimiser()
    fine = np.geomspace(1e-3, LARGEST_STEP, 20_000)
    share = fine * total / (fine + total)
    exponents = starts.T + share * np.array([[0.0], [0.0], [bend]]) - slopes.T * fine
    assert a == pytest.approx(fine[np.logaddexp.reduce(exponents).argmin()], rel=1e-3)
    assert a < LARGEST_STEP / 2


def test_the_line_search_without_bends_has_a_closed_form() -> None:
    starts = np.array([[0.0, -1.0], [0.0, -1e-6], [0.0, -20.0]])
    slopes, ones = np.tile([1.0, -1.0], (3, 1)), np.ones((3, 2))
    found = StepLoss(starts, ones, slopes, np.zeros((3, 2)), np.ones(3)).minimiser()
    expected = (starts[:, 0] - starts[:, 1]) / 2
    np.testing.assert_allclose(found, expected, rtol=1e-13, atol=1e-15)


def test_sums_do_not_depend_on_order_or_merging() -> None:
    rng = np.random.default_rng(1)
    terms = rng.normal(size=300) * 10.0 ** rng.uniform(-12, 3, 300)
    counts = rng.integers(0, 5, 300)
    plain = rng.permutation(np.repeat(terms, counts))
    merged = exact_sums(terms[None], counts[None].astype(float))
    np.testing.assert_array_equal(merged, exact_sums(plain[None], np.ones((1, len(plain)))))
    assert merged[0] == pytest.approx(plain.sum(), rel=1e-12)
