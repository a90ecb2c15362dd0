from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from scipy.optimize import lsq_linear
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import Lasso, Ridge

from quadrepro import QuadBoostClassifier
from quadrepro.base.types import FloatArray
from quadrepro.core.learners import rounds
from quadrepro.core.learners.quadboost import QuadBoost, Selection
from quadrepro.core.learners.rounds import TIED_SHARE, first_of_largest, first_of_size
from quadrepro.core.training.choose import choose_by_folds
from quadrepro.core.training.fitted import NoSolutionError
from quadrepro.core.training.grid import Grid
from quadrepro.core.voters.reduction import reduce_problem
from quadrepro.core.voters.stumps import Stumps
from tests.core.learners.given import Problem, make_problem, votes

Rule = Callable[[FloatArray, FloatArray], FloatArray]
MANY = 20_000
VARIANTS = [QuadBoost(), QuadBoost(reweight=True), QuadBoost(selection="correlation")]


def fit(algorithm: QuadBoost, problem: Problem, **candidate: float) -> FloatArray:
    grid = Grid.from_values({name: [value] for name, value in candidate.items()})
    return algorithm.path(*problem, grid)[0]


def transcription(
    H: FloatArray,
    y: FloatArray,
    n_rounds: int,
    decrease: Callable[[FloatArray, FloatArray], FloatArray],
    delta: Callable[[float, float], float],
) -> FloatArray:
    """QuadBoost as section 3 of the paper reads, on the examples, one voter added a round."""
    weights = np.zeros(H.shape[1])
    eta = (H**2).mean(axis=0)
    for _ in range(n_rounds):
        c = H.T @ (y - H @ weights) / len(y)
        j = int(np.argmax(decrease(c, eta)))
        step = delta(c[j], eta[j])
        weights[j] += step
        if abs(step) <= 1e-9:
            break
    return weights


@pytest.mark.parametrize("selection", ["decrease", "correlation"])
@pytest.mark.parametrize("real", [False, True])
@pytest.mark.parametrize(
    ("algorithm", "candidate", "decrease", "delta"),
    [
        (QuadBoost(), {}, lambda c, e: c**2 / e, lambda c, e: c / e),
        (
            QuadBoost("l1"),
            {"lam": 0.05},
            lambda c, e: np.maximum(np.abs(c) - 0.05, 0) ** 2 / e,
            lambda c, e: np.sign(c) * max(abs(c) - 0.05, 0) / e,
        ),
        (QuadBoost("l2"), {"lam": 2.0}, lambda c, e: c**2 / (e + 2.0), lambda c, e: c / (e + 2.0)),
        (
            QuadBoost("linf"),
            {"alpha_max": 0.03},
            lambda c, e: 2 * c * np.clip(c / e, -0.03, 0.03) - e * np.clip(c / e, -0.03, 0.03) ** 2,
            lambda c, e: float(np.clip(c / e, -0.03, 0.03)),
        ),
    ],
    ids=["vanilla", "l1", "l2", "linf"],
)
def test_additive_form_is_the_papers_algorithm(
    real: bool,
    algorithm: QuadBoost,
    candidate: dict[str, float],
    decrease: Rule,
    delta: Callable[[float, float], float],
    selection: Selection,
) -> None:
    problem = make_problem(real=real)
    n_rounds, axis = (2000, {}) if algorithm.norm == "l1" else (25, {"n_rounds": 25})
    found = fit(replace(algorithm, selection=selection), problem, **candidate, **axis)
    by: Rule = decrease if selection == "decrease" else lambda c, e: np.abs(c)
    np.testing.assert_allclose(found, transcription(*problem, n_rounds, by, delta), atol=1e-12)


def test_l1_runs_until_no_residual_correlation_is_above_lambda() -> None:
    X, labels = load_breast_cancer(return_X_y=True)
    H, y = Stumps().fit_transform(X[::2]), np.where(labels[::2] == 1, 1.0, -1.0)
    estimator = QuadBoostClassifier("l1", lam=1e-4).fit(X[::2], labels[::2])
    for weights in (fit(QuadBoost("l1"), (H, y), lam=1e-4), estimator.voter_weights_):
        assert np.abs(H.T @ (y - H @ weights) / len(y)).max() <= 1e-4 + 2e-9


@pytest.mark.parametrize("reweight", [False, True])
def test_an_l1_candidate_that_the_rounds_do_not_bring_to_lambda_is_never_chosen(
    monkeypatch: pytest.MonkeyPatch, reweight: bool
) -> None:
    H, y = make_problem()
    monkeypatch.setattr(rounds, "MOST_ROUNDS", 35)
    algorithm, grid = QuadBoost("l1", reweight), Grid.from_values({"lam": [0.3, 1e-4]})
    assert np.isnan(algorithm.path(H, y, grid)).all(axis=1).tolist() == [False, True]
    _, losses = choose_by_folds(votes(algorithm, H, y, [grid], H), np.arange(60) % 3)
    assert np.isnan(losses).tolist() == [False, True]
    with pytest.raises(NoSolutionError, match="after 35 rounds, a step is still not small"):
        votes(algorithm, H, y, [grid], H).outputs(1)


def lasso(H: FloatArray, y: FloatArray, lam: float) -> FloatArray:
    found = Lasso(alpha=lam, fit_intercept=False, tol=1e-14, max_iter=MANY).fit(H, y)
    return np.asarray(found.coef_)


def ridge(H: FloatArray, y: FloatArray, lam: float) -> FloatArray:
    found = Ridge(alpha=lam * len(y), fit_intercept=False, solver="cholesky").fit(H, y)
    return np.asarray(found.coef_)


def within(H: FloatArray, y: FloatArray, alpha_max: float) -> FloatArray:
    return np.asarray(lsq_linear(H, y, (-alpha_max, alpha_max), method="bvls").x)


@pytest.mark.parametrize("real", [False, True])
@pytest.mark.parametrize(
    ("algorithm", "candidate", "oracle"),
    [
        (QuadBoost(), {}, lambda H, y: np.linalg.lstsq(H, y)[0]),
        (QuadBoost(reweight=True), {}, lambda H, y: np.linalg.lstsq(H, y)[0]),
        *((QuadBoost("l1", reweight=True), {"lam": lam}, lasso) for lam in (0.3, 0.01)),
        *((QuadBoost("l2", reweight=True), {"lam": lam}, ridge) for lam in (10.0, 0.1)),
        *((QuadBoost("linf", reweight=True), {"alpha_max": most}, within) for most in (0.01, 0.1)),
    ],
)
def test_a_long_run_ends_at_the_regularised_least_squares(
    real: bool,
    algorithm: QuadBoost,
    candidate: dict[str, float],
    oracle: Callable[..., FloatArray],
) -> None:
    H, y = make_problem(real=real)
    rounds = {} if algorithm.norm == "l1" else {"n_rounds": MANY}
    found = fit(algorithm, (H, y), **candidate, **rounds)
    np.testing.assert_allclose(found, oracle(H, y, **candidate), atol=1e-7)


def test_reweighting_bounds_each_of_two_equal_voters_on_its_own() -> None:
    H, y = make_problem()
    doubled = np.hstack([H, H])
    found = fit(QuadBoost("linf", reweight=True), (doubled, y), alpha_max=0.02, n_rounds=MANY)
    oracle = lsq_linear(doubled, y, (-0.02, 0.02), method="trf")
    risk = ((y - doubled @ found) ** 2).sum() / 2
    assert risk == pytest.approx(oracle.cost, rel=1e-8)
    alone = fit(QuadBoost("linf", reweight=True), (H, y), alpha_max=0.02, n_rounds=MANY)
    assert risk < ((y - H @ alone) ** 2).sum() / 2


def test_a_run_ends_with_a_step_within_the_tolerance() -> None:
    # The first step takes all of the correlation of 1/3, the second finds nothing left.
    problem = reduce_problem(np.array([[1.0], [1.0], [-1.0]]), np.ones(3))
    assert [a.tolist() for a in QuadBoost().run(problem, 0, np.nan, 10)] == [[0], [1 / 3]]
    picks, steps = QuadBoost("l2").run(problem, 0, 1.0, 100)
    # With η = 1 and λ = 1, every step halves the correlation.
    np.testing.assert_allclose(steps, 1 / 6 / 2.0 ** np.arange(39))
    assert picks.tolist() == [0] * 39
    for algorithm in VARIANTS:
        silent = algorithm.reduced(np.zeros((3, 2)), np.array([1.0, -1.0, 1.0]))
        assert [len(part) for part in algorithm.run(silent, 0, np.nan, 3)] == [0, 0]


@pytest.mark.parametrize(("shift", "pick"), [(0.0, 1), (TIED_SHARE / 2, 1), (2 * TIED_SHARE, 2)])
def test_of_voters_that_only_rounding_tells_apart_the_first_is_picked(
    shift: float, pick: int
) -> None:
    scores = np.array([0.1, 0.5, 0.5 * (1 + shift)])
    assert first_of_largest(scores) == pick
    assert first_of_size(np.array([0.1, -0.5, 0.5]) * scores / [0.1, 0.5, 0.5], scores[2]) == pick
    # Each voter errs on one example of its own.
    H = 1.0 - 2.0 * np.eye(7)[:, :5]
    for algorithm, voters in product(VARIANTS, (H, H * (1.0 - 1e-13 * np.arange(5)[::-1]))):
        picks, _ = algorithm.run(reduce_problem(voters, np.ones(7)), 0, np.nan, 1)
        assert picks.tolist() == [0]
