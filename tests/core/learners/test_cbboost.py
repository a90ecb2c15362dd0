from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.optimize import nnls

from quadrepro.base.types import FloatArray
from quadrepro.core.learners.cbboost import CBBoost, CBoundBoosting, GBCBBoost
from quadrepro.core.training.grid import Grid
from quadrepro.core.voters.reduction import reduce_problem
from tests.core.learners.given import Problem, make_problem, signs, small_labels

Steps = list[tuple[int, float]]

ALGORITHMS = [CBBoost(), CBBoost(reweight=True), CBBoost(allow_repeats=False), GBCBBoost()]
WITHOUT_REPEATS = ALGORITHMS[2:]
each_algorithm = pytest.mark.parametrize("algorithm", ALGORITHMS, ids=repr)
each_kind = pytest.mark.parametrize("real", [False, True])

parts = st.sampled_from([-1.0, -0.5, 0.0, 0.25, 1.0])
small_problems = st.tuples(
    st.one_of([arrays(np.float64, (9, 5), elements=e) for e in (signs, parts)]), small_labels
)


def steps_of(algorithm: CBoundBoosting, H: FloatArray, y: FloatArray, n_rounds: int) -> Steps:
    """Return each round's voter and its signed weight, before the weights are normalised."""
    picks, changes = algorithm.run(reduce_problem(H, y, merge_voters=False), 0, np.nan, n_rounds)
    return list(zip(picks.tolist(), changes.tolist(), strict=True))


def c_bound(F: FloatArray, y: FloatArray) -> float:
    return float(1 - (y @ F) ** 2 / (len(y) * (F @ F)))


def by_the_paper(
    H: FloatArray, y: FloatArray, n_rounds: int, *, repeats: bool = True, gradient: bool = False
) -> Steps:
    """Algorithm 1 on the examples with complements as columns of their own, or its variant."""
    m, n = H.shape
    both = np.hstack([H, -H])
    margins, eta = both.T @ y / m, (both**2).mean(axis=0)
    chosen = int(np.argmax(margins > margins.max() - 1e-12))
    taken, F = [(chosen, 1.0)], both[:, chosen]
    for _ in range(n_rounds - 1):
        gamma, nu, tau = F @ y / m, F @ F / m, both.T @ F / m
        residuals = 2 / m * (F @ y) * (y * (F @ F) - (F @ y) * F) / (F @ F) ** 2
        best = (np.inf, 0, 0.0)
        for k in range(2 * n):
            used = any(k == j for j, _ in taken)
            if (
                margins[k] <= 1e-12
                or tau[k] >= gamma * eta[k] / margins[k]
                or (used and not repeats)
            ):
                continue
            alpha = (margins[k] * nu - gamma * tau[k]) / (gamma * eta[k] - margins[k] * tau[k])
            if alpha > 1e-9:
                vote = F + alpha * both[:, k]
                score = -residuals @ both[:, k] if gradient else c_bound(vote, y)
                best = min(best, (score - 1e-12 * k, k, alpha))
        if best[0] == np.inf:
            break
        taken.append(best[1:])
        F = F + best[2] * both[:, best[1]]
    return [(k % n, alpha if k < n else -alpha) for k, alpha in taken]


def by_weights_set_anew(H: FloatArray, y: FloatArray, n_rounds: int) -> FloatArray:
    """Theorem 3 for every voter k, with F_k summed up over all other voters; return the weights."""
    m, n = H.shape
    signs = np.sign(H.T @ y)
    H, alphas = H * signs, np.zeros(n)
    alphas[np.argmax(H.T @ y)] = 1.0
    for _ in range(n_rounds - 1):
        best = (c_bound(H @ alphas, y) - 1e-11, -1, 0.0)
        for k in range(n):
            without = np.where(np.arange(n) == k, 0.0, alphas)
            F, h = H @ without, H[:, k]
            gamma, nu, tau = y @ F / m, F @ F / m, F @ h / m
            g, eta = y @ h / m, h @ h / m
            if g <= 1e-12 or gamma <= 1e-12 or tau >= gamma * eta / g:
                continue
            alpha = max((g * nu - gamma * tau) / (gamma * eta - g * tau), 0.0)
            best = min(best, (c_bound(F + alpha * h, y) + 1e-12 * k, k, alpha))
        if best[1] >= 0:
            alphas[best[1]] = best[2]
    return signs * alphas


@each_kind
def test_weights_set_anew_are_theorem_3_on_the_vote_without_the_voter(real: bool) -> None:
    for seed in range(4):
        H, y = make_problem(m=35, n=30, seed=seed, real=real)
        expected = by_weights_set_anew(H, y, 40)
        found = CBBoost(reweight=True).path(H, y, Grid.from_values({"n_rounds": [40]}))[0]
        np.testing.assert_allclose(found, expected / np.abs(expected).sum(), atol=1e-9)


def test_weights_set_anew_end_at_the_least_c_bound_of_all_votes() -> None:
    H, y = make_problem(m=200)
    path = CBBoost(reweight=True).path(H, y, Grid.from_values({"n_rounds": [5000]}))
    # The vote of least C-bound with weights of one sign is the projection of y on their cone.
    _, distance = nnls(H * np.sign(H.T @ y), y)
    assert c_bound(H @ path[0], y) == pytest.approx(distance**2 / len(y), abs=1e-10)


@each_kind
@pytest.mark.parametrize(
    ("algorithm", "variant"),
    [
        (CBBoost(), {}),
        (CBBoost(allow_repeats=False), {"repeats": False}),
        (GBCBBoost(), {"repeats": False, "gradient": True}),
    ],
    ids=repr,
)
def test_it_is_the_papers_algorithm_and_lowers_the_c_bound_by_property_1(
    real: bool, algorithm: CBoundBoosting, variant: dict[str, bool]
) -> None:
    for seed in range(3):
        H, y = make_problem(seed=seed, real=real)
        steps, expected = steps_of(algorithm, H, y, 12), by_the_paper(H, y, 12, **variant)
        assert len(steps) > 5
        assert [j for j, _ in steps] == [j for j, _ in expected]
        np.testing.assert_allclose([a for _, a in steps], [a for _, a in expected], rtol=1e-9)
        votes = np.cumsum([weight * H[:, j] for j, weight in steps], axis=0)
        for (j, weight), F, after in zip(steps[1:], votes, votes[1:], strict=False):
            h = np.sign(weight) * H[:, j]
            gamma, nu, tau, eta = (y * h).mean(), (F**2).mean(), (F * h).mean(), (h**2).mean()
            decrease = (gamma * nu - (y * F).mean() * tau) ** 2 / (nu * (nu * eta - tau**2))
            assert c_bound(F, y) - c_bound(after, y) == pytest.approx(decrease, abs=1e-13)
            assert decrease > 0


@given(small_problems, st.sampled_from(ALGORITHMS))
def test_the_c_bound_never_rises_and_bounds_the_training_error(
    problem: Problem, algorithm: CBoundBoosting
) -> None:
    H, y = problem
    path = algorithm.path(H, y, Grid.from_values({"n_rounds": list(range(1, 15))}))
    assert np.isfinite(path).all()
    if not (H.T @ y).any():
        assert not path.any()
        return
    np.testing.assert_allclose(np.abs(path).sum(axis=1), 1.0, rtol=1e-14)
    votes = path @ H.T
    bounds = np.array([c_bound(F, y) for F in votes])
    assert (np.diff(bounds) <= 1e-12).all()
    assert (bounds >= (votes * y < -1e-12).mean(axis=1) - 1e-12).all()


@pytest.mark.parametrize("algorithm", WITHOUT_REPEATS, ids=repr)
def test_without_repeats_each_voter_is_taken_once_and_an_equal_one_stands_in(
    algorithm: CBoundBoosting,
) -> None:
    picks = [j for j, _ in steps_of(algorithm, *make_problem(), 50)]
    assert len(picks) == len(set(picks)) > 5
    H, y = make_problem(n=4)
    grid = Grid.from_values({"n_rounds": [50]})
    alone, doubled = algorithm.path(H, y, grid)[0], algorithm.path(np.hstack([H, -H]), y, grid)[0]
    assert np.count_nonzero(doubled) > np.count_nonzero(alone)
    assert c_bound(np.hstack([H, -H]) @ doubled, y) < c_bound(H @ alone, y)


LABELS = np.array([1.0, 1.0, -1.0, -1.0])
RIGHT_AS_OFTEN_AS_WRONG = np.array([[1.0, 1.0], [-1.0, 1.0], [1.0, 1.0], [-1.0, 1.0]])


@pytest.mark.parametrize(
    ("H", "y", "expected"),
    [
        (RIGHT_AS_OFTEN_AS_WRONG, LABELS, [0.0, 0.0]),
        (np.zeros((4, 1)), LABELS, [0.0]),
        (np.array([[0.1], [0.2], [0.3], [0.0]]), LABELS, [0.0]),
        (-LABELS[:, None], LABELS, [-1.0]),
        (np.array([[1.0], [-1.0], [-1.0], [-1.0]]), LABELS, [1.0]),
        (np.full((4, 1), 0.25), np.ones(4), [1.0]),
        (np.array([[1.0, 0.0, -0.5]] * 4), -np.ones(4), [-1.0, 0.0, 0.0]),
        (np.column_stack([LABELS, -LABELS, LABELS]), LABELS, [1.0, 0.0, 0.0]),
        (np.column_stack([RIGHT_AS_OFTEN_AS_WRONG, LABELS]), LABELS, [0.0, 0.0, 1.0]),
    ],
)
def test_where_nothing_can_be_added_the_vote_stays(
    H: FloatArray, y: FloatArray, expected: list[float]
) -> None:
    for algorithm in ALGORITHMS:
        path = algorithm.path(H, y, Grid.from_values({"n_rounds": [1, 2, 30]}))
        np.testing.assert_array_equal(path, [expected] * 3)


@each_algorithm
def test_ties_go_to_the_voter_of_lowest_index(algorithm: CBoundBoosting) -> None:
    # Each voter errs on one example of its own, so that all are alike until they are taken.
    H = 1.0 - 2.0 * np.eye(7)[:, :5]
    assert [j for j, _ in steps_of(algorithm, H, np.ones(7), 5)] == [0, 1, 2, 3, 4]
    shares = np.random.default_rng(0).uniform(0.5, 1.0, 7)
    nearly = H * (1 + 1e-14 * shares[:, None] * np.arange(5)) / (1 + 1e-12)
    assert [j for j, _ in steps_of(algorithm, nearly, np.ones(7), 5)] == [0, 1, 2, 3, 4]


def test_a_vote_of_parallel_voters_whose_weight_is_set_anew_ends() -> None:
    H = np.full((9, 5), -0.5)
    H[0, 0], H[1, 1], H[8, 0] = -1.0, -1.0, 0.25
    sample = np.zeros((1, 9))
    sample[0, [0, 1, 8]] = 3.0, 1.0, 3.0
    [[weights]] = CBBoost(reweight=True).path(
        H, -np.ones(9), Grid.from_values({"n_rounds": [10]}), sample
    )
    assert np.isfinite(weights).all()
