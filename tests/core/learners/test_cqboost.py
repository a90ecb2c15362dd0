from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import LinearConstraint, minimize

from quadrepro.base.types import FloatArray
from quadrepro.core.learners import cqboost
from quadrepro.core.learners.cqboost import CqBoost, rounds
from quadrepro.core.learners.programs import SolverError
from quadrepro.core.training.grid import Grid
from quadrepro.core.voters.reduction import reduce_problem
from tests import oracles
from tests.core.learners.given import make_problem

VALUES = [0.4, 0.2, 0.05]
EPSILONS = [1.0, 0.1, 1e-2, 1e-4, 1e-8, 1e-14]


def draw(seed: int, m: int = 50, n: int = 7, *, real: bool = False) -> FloatArray:
    """Return y h of random voters, half of them better than chance."""
    rng = np.random.default_rng(seed)
    right = rng.uniform(-1, 1, (m, n)) if real else rng.choice([-1.0, 1.0], (m, n))
    right[:, ::2] = np.where(rng.random(right[:, ::2].shape) < 0.4, 1.0, right[:, ::2])
    return right


def run(right: FloatArray, mu: float) -> Iterator[tuple[FloatArray, float]]:
    return rounds(right.T @ right / len(right), right.mean(axis=0), mu)


def second_moments(H: FloatArray, path: FloatArray) -> FloatArray:
    return np.asarray(((path @ H.T) ** 2).mean(axis=-1))


def by_scipy(columns: FloatArray, mu: float) -> FloatArray:
    """Return the weights q >= 0 of columns y h that sum to 1 and minimise the second moment."""
    m, n = columns.shape
    gram, margins = columns.T @ columns / m, columns.mean(axis=0)
    result = minimize(
        lambda q: q @ gram @ q / mu**2,
        np.eye(n)[margins.argmax()],
        jac=lambda q: 2 * gram @ q / mu**2,
        method="SLSQP",
        bounds=[(0.0, None)] * n,
        constraints=[LinearConstraint(margins, mu, np.inf), LinearConstraint(np.ones(n), 1.0, 1.0)],
        options={"ftol": 1e-13, "maxiter": 1000},
    )
    assert result.status in (0, 8)  # 8: no step lowers it any more
    return np.asarray(result.x)


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
def test_every_round_adds_the_largest_edge_and_solves_the_program_of_the_voters_so_far(
    share: float,
) -> None:
    for seed in range(3):
        right = draw(seed, real=True)
        both = np.hstack([right, -right])
        mu = share * float(both.mean(axis=0).max())
        added = [int(both.mean(axis=0).argmax())]
        for vote, excess in run(right, mu):
            q = by_scipy(both[:, added], mu)
            assert right @ vote == pytest.approx(both[:, added] @ q, abs=1e-5)
            # Where q is positive, the edge β m_j - 2 (Gq)_j is ν.
            slopes, used = 2 * both.T @ (right @ vote) / len(right), q > 1e-4
            rows = np.column_stack([both.mean(axis=0), -np.ones(both.shape[1])])
            beta, nu = np.linalg.lstsq(rows[added][used], slopes[added][used])[0]
            if len(added) == 1:
                beta, nu = 0.0, -slopes[added[0]]
            edges = beta * both.mean(axis=0) - slopes
            outside = np.delete(np.arange(len(edges)), added)
            assert excess == pytest.approx(max(0.0, edges[outside].max() - nu), abs=1e-7)
            added.append(int(outside[edges[outside].argmax()]))
        assert excess == 0.0


@given(
    seed=st.integers(0, 10**6),
    m=st.integers(1, 40),
    n=st.integers(1, 20),
    real=st.booleans(),
    share=st.sampled_from([0.01, 0.3, 0.7, 0.99, 1 - 1e-12, 1.0, 1 + 9e-13]),
    twins=st.sampled_from([None, 1e-3, 1e-6, 1e-9]),
)
def test_every_run_ends_at_an_optimum_and_never_rises(
    seed: int, m: int, n: int, real: bool, share: float, twins: float | None
) -> None:
    right = draw(seed, m, n, real=real)
    if twins is not None:
        noise = twins * np.random.default_rng(seed).uniform(-1, 1, right.shape)
        right = np.hstack([right, np.clip(right + noise, -1, 1)])
    mu = share * float(np.abs(right.mean(axis=0)).max())
    if mu < 1e-3:
        return
    votes, excesses = zip(*run(right, mu), strict=True)
    path = np.array(votes)
    assert len(votes) <= 2 * right.shape[1]
    assert (np.count_nonzero(path, axis=1) <= np.arange(1, len(path) + 1)).all()
    assert (np.diff(second_moments(right, path)) <= 1e-10).all()
    assert np.abs(path).sum(axis=1).max() <= 1 + 1e-8
    assert (right @ path.T).mean(axis=0).min() >= mu - 1e-8
    assert excesses[-1] == 0.0
    if share < 0.999:  # linprog is not exact enough at the very end
        found = oracles.cqboost(right, np.ones(m), mu, path[-1])
        assert found.gap <= 1e-6 * found.objective


def test_by_default_a_run_has_all_its_rounds() -> None:
    H, y = make_problem(m=100, n=14)
    axes = {"mu": VALUES, "epsilon": EPSILONS}
    path = CqBoost().path(H, y, Grid.from_values(axes))
    np.testing.assert_array_equal(
        path, CqBoost().path(H, y, Grid.from_values({**axes, "n_rounds": [99]}))
    )
    assert len(np.unique(path, axis=0)) > 3 * len(VALUES)


def test_a_mean_margin_that_no_voter_has_gives_nan_and_the_limit_names_the_largest() -> None:
    H, y = make_problem()
    named = float(CqBoost().limit(reduce_problem(H, y)).removeprefix("mu can be at most "))
    axes = {"mu": [0.99, 1.02 * named, named, *VALUES], "epsilon": [1e-6]}
    path = CqBoost().path(H, y, Grid.from_values(axes))
    assert np.isnan(path).any(axis=1).tolist() == [True, True] + [False] * 4


def test_after_hundreds_of_voters_that_come_and_go_the_weights_have_twelve_digits() -> None:
    right, mu = draw(5, 100, 90), 0.2
    votes = np.array([vote for vote, _ in run(right, mu)])
    assert ((votes[:-1] != 0) & (votes[1:] == 0)).sum() > 10
    used = np.flatnonzero(votes[-1])
    columns = right[:, used] * np.sign(votes[-1][used])
    rows = np.stack([np.ones(len(used)), columns.mean(axis=0)])
    system = np.block([[columns.T @ columns / 100 + 1.0, rows.T], [rows, np.zeros((2, 2))]])
    target = np.concatenate([np.zeros(len(used)), [1.0, mu]])
    exact = np.linalg.solve(system, target)
    exact += np.linalg.solve(system, target - system @ exact)
    assert np.abs(votes[-1][used]) == pytest.approx(exact[:-2], abs=1e-12)


def test_a_residual_above_the_bound_is_an_error_and_a_candidate_without_weights(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(cqboost, "RESIDUAL", -1.0)
    with pytest.raises(SolverError, match=r"CqBoost's program at mu = 0.1 has a residual of"):
        next(run(draw(0), 0.1))
    assert np.isnan(
        CqBoost().path(*make_problem(), Grid.from_values({"mu": [0.1], "epsilon": [0.1]}))
    ).all()
