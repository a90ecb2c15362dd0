"""AdaBoost, EBBoost and HedgeBoost are the algorithms of their papers, line by line."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.optimize import minimize_scalar

from quadrepro import HedgeBoostClassifier
from quadrepro.base.types import FloatArray
from quadrepro.core.learners.adaboost import AdaBoost, take_rounds
from quadrepro.core.learners.ebboost import EBBoost
from quadrepro.core.learners.hedge import HedgeBoost, experts_rate
from quadrepro.core.learners.reweighting import FLOOR, UNITS, Examples
from quadrepro.core.measures.adaboost import least_edge
from quadrepro.core.training.contract import positive_votes
from quadrepro.core.training.grid import Grid
from quadrepro.core.voters.chains import Chains
from quadrepro.core.voters.coded import codes_of_matrix
from quadrepro.core.voters.running_sums import RunningSums
from tests.core.learners.given import (
    FixedVoters,
    Problem,
    Turning,
    boosted,
    least_error,
    make_problem,
    small_problems,
    small_samples,
)


def adaboost(H: FloatArray, y: FloatArray, copies: FloatArray, n_rounds: int) -> FloatArray:
    """AdaBoost as section 4 of the lecture reads, with exact example weights."""
    w, vote = [Fraction(int(c)) for c in copies], np.zeros(H.shape[1])
    for t in range(n_rounds):
        j, edge = least_error(H, y, w)
        if edge == 0:
            break
        if abs(edge) == 1:
            # A voter without error is the whole vote, so it outweighs all others.
            vote[j] += (1 if edge > 0 else -1) * (1e9 if t else 1)
            break
        vote[j] += 0.5 * np.log(float((1 + edge) / (1 - edge)))
        # exp(-α y h) in proportion to 1 / (1 + r y h), which is rational.
        w = [v / (1 + edge * int(z)) for v, z in zip(w, y * H[:, j], strict=True)]
    return vote


@given(small_problems, small_samples, st.integers(1, 9))
def test_weights_are_the_lectures(problem: Problem, samples: FloatArray, n_rounds: int) -> None:
    paths = AdaBoost().path(*problem, Grid.from_values({"n_rounds": [n_rounds]}), samples)[:, 0]
    for found, sample in zip(paths, samples, strict=True):
        expected = adaboost(*problem, sample, n_rounds)
        if np.abs(expected).max() < 1e6:
            np.testing.assert_allclose(found, expected, atol=1e-9)
        else:
            decisive = np.abs(expected).argmax()
            others = np.delete(found, decisive)
            assert found[decisive] * np.sign(expected[decisive]) > np.abs(others).sum() + 20
            np.testing.assert_allclose(others, np.delete(expected, decisive), atol=1e-9)


def test_an_example_of_the_smallest_weight_grows_again_also_in_the_kernel() -> None:
    plain = Turning()
    expected = boosted(AdaBoost(), plain, 10_000, copies=np.ones((1, 6)))
    assert plain.seen[5000][0, 0] == 0
    assert max(weights[0, 0] for weights in plain.seen[5000:]) > 1e-6 * UNITS
    examples, parts = Examples.equal(np.ones(6), np.ones(6)), []
    for t in (1, 5001):
        voters = RunningSums.over(Chains.from_voters(codes_of_matrix(Turning.outputs(t))))
        parts.append(take_rounds(voters, examples, 5000))
        assert (examples.weights[0] < 2 * FLOOR) == (t == 1)
    picks, changes = (np.concatenate(part) for part in zip(*parts, strict=True))
    assert picks.tolist() == [r.picks[0] for r in expected]
    assert changes.tolist() == [r.changes[0] for r in expected]


def test_a_held_out_example_that_is_always_wrong_does_no_harm_in_a_long_run() -> None:
    # Its weight would grow without bound if it had one.
    rng = np.random.default_rng(0)
    H = rng.choice([-1.0, 1.0], (41, 9))
    y = np.where(H[:, :3].sum(axis=1) > 0, 1.0, -1.0)
    y[-1] *= -1
    samples = np.vstack([np.arange(41) < 40, np.ones(41)]).astype(float)
    held_out, _ = AdaBoost().path(H, y, Grid.from_values({"n_rounds": [10_000]}), samples)
    assert np.isfinite(held_out).all()
    assert (positive_votes(H[:40], held_out).ravel() == (y[:40] > 0)).all()


def penalised(losses: FloatArray, lam: float) -> float:
    """Return the paper's objective: every pair of examples stands in it by itself."""
    differences = np.subtract.outer(losses, losses)
    return float(losses.sum() ** 2 + lam * np.tril(differences**2).sum())


def closed_form(w: FloatArray, right: FloatArray, lam: float) -> tuple[float, float]:
    """Return α and the least objective from the sums over the right and the wrong."""
    sides = [w[right > 0], w[right < 0]]
    N = [(1 - lam) * s.sum() ** 2 + lam * len(w) * (s**2).sum() for s in sides]
    product = sides[0].sum() * sides[1].sum()
    return np.log(N[0] / N[1]) / 4, 2 * np.sqrt(N[0] * N[1]) + 2 * (1 - lam) * product


def ebboost(
    H: FloatArray, y: FloatArray, lam: float, n_rounds: int, complements: bool = True
) -> list[tuple[int, float]]:
    """EBBoost as the paper reads: in every round the voter and the step of least objective."""
    weights, rounds = np.zeros(H.shape[1]), []
    for _ in range(n_rounds):
        losses = np.exp(-y * (H @ weights))
        steps = [closed_form(losses, y * h, lam) for h in H.T]
        candidates = [j for j, step in enumerate(steps) if complements or step[0] > 0]
        j = min(candidates, key=lambda j: steps[j][1])
        rounds.append((j, steps[j][0]))
        weights[j] += steps[j][0]
    return rounds


@given(small_problems, small_samples, st.integers(1, 30))
def test_without_a_penalty_ebboost_is_adaboost_to_the_bit(
    problem: Problem, samples: FloatArray, n_rounds: int
) -> None:
    ours = EBBoost().path(
        *problem, Grid.from_values({"lam": [0.0], "n_rounds": [n_rounds]}), samples
    )
    theirs = AdaBoost().path(*problem, Grid.from_values({"n_rounds": [n_rounds]}), samples)
    np.testing.assert_array_equal(ours, theirs)


@given(arrays(np.float64, 8, elements=st.floats(0.01, 1.0)), st.floats(0, 20), st.integers(1, 7))
def test_the_sums_over_the_two_sides_are_the_sums_over_pairs(
    w: FloatArray, lam: float, n_right: int
) -> None:
    w /= w.sum()
    right = np.where(np.arange(8) < n_right, 1.0, -1.0)

    def objective(alpha: float) -> float:
        return penalised(w * np.exp(-alpha * right), lam)

    alpha, least = closed_form(w, right, lam)
    numeric = minimize_scalar(objective, bracket=(-1.0, 1.0), tol=1e-10)
    assert alpha == pytest.approx(numeric.x, abs=1e-6)
    assert least == pytest.approx(objective(alpha), rel=1e-9)
    assert least <= numeric.fun * (1 + 1e-12)


@pytest.mark.parametrize("lam", [30.0, 1.0, 0.4, 0.01])
@pytest.mark.parametrize("complements", [True, False])
def test_ebboost_is_the_papers_algorithm(lam: float, complements: bool) -> None:
    for seed in range(3):
        H, y = make_problem(m=40, n=9, seed=seed)
        picks, alphas = zip(*ebboost(H, y, lam, 15, complements), strict=True)
        found = boosted(EBBoost(), FixedVoters(H, y, complements), 15, [lam])
        assert tuple(int(r.picks[0]) for r in found) == picks
        np.testing.assert_allclose([r.changes[0] for r in found], alphas, rtol=1e-6)


def test_voters_whose_complements_are_no_candidates_are_never_turned() -> None:
    y = np.array([1.0, -1.0, 1.0, -1.0])
    H = np.column_stack([-y, [1.0, 1.0, -1.0, -1.0]])
    [(_, changes, last)] = boosted(EBBoost(), FixedVoters(H, y, complements=False), 1, [0.5])
    assert (changes.tolist(), last.tolist()) == ([0.0], [True])


@pytest.mark.parametrize("lam", [0.0, 0.4])
def test_fractions_of_copies_weigh_in_the_penalised_loss(lam: float) -> None:
    rng = np.random.default_rng(0)
    H, y = rng.choice([-1.0, 1.0], (30, 6)), rng.choice([-1.0, 1.0], 30)
    copies = rng.uniform(0.2, 3.0, 30)
    weights = EBBoost().path(H, y, Grid.from_values({"lam": [lam], "n_rounds": [3]}), copies[None])[
        0, 0
    ]

    def loss(step: float, voter: int, losses: FloatArray) -> float:
        e = losses * np.exp(-step * y * H[:, voter])
        return (1 - lam) * (copies @ e) ** 2 + lam * copies.sum() * (copies @ e**2)

    vote, losses = np.zeros(6), np.ones(30)
    for _ in range(3):
        found = [minimize_scalar(loss, args=(j, losses), tol=1e-12) for j in range(6)]
        best = int(np.argmin([one.fun for one in found]))
        vote[best] += found[best].x
        losses = losses * np.exp(-found[best].x * y * H[:, best])
        losses /= losses.sum()
    np.testing.assert_allclose(weights, vote, atol=1e-6)


rates = st.sampled_from([0.03, 0.1, 0.3, 0.5])


def boosting_by_experts(H: FloatArray, y: FloatArray, eta: float, n_rounds: int) -> FloatArray:
    """Section 3 as it reads, over voters and their complements, with exact example weights."""
    w, votes = [Fraction(1)] * len(y), np.zeros(H.shape[1])
    for _ in range(n_rounds):
        j, edge = least_error(H, y, w)
        if abs(edge) < 1e-10:
            break
        sign = 1 if edge > 0 else -1
        right = sign * y * H[:, j] > 0
        w = [v * (1 - Fraction(str(eta))) ** int(cost) for v, cost in zip(w, right, strict=True)]
        votes[j] += sign
    return votes


@given(small_problems, rates, st.integers(1, 25))
def test_votes_of_hedge_are_the_lectures(problem: Problem, eta: float, n_rounds: int) -> None:
    found = HedgeBoost().path(*problem, Grid.from_values({"eta": [eta], "n_rounds": [n_rounds]}))[0]
    np.testing.assert_array_equal(found, boosting_by_experts(*problem, eta, n_rounds))


@given(small_problems)
def test_the_lectures_number_of_rounds_classifies_all_examples(problem: Problem) -> None:
    # Labels that are the majority of five voters: their mean edge, and so the largest, is 1/5.
    H, y = problem[0], np.sign(problem[0].sum(axis=1))
    gamma = least_edge(H, y)
    assert gamma >= 1 / 10 - 1e-9
    n_rounds = int(4 * np.log(len(y)) / gamma**2) + 1
    grid = Grid.from_values({"eta": [experts_rate(n_rounds, len(y))], "n_rounds": [n_rounds]})
    weights = HedgeBoost().path(H, y, grid)[0]
    assert np.abs(weights).sum() <= n_rounds
    assert (y * (H @ weights) > 0).all()


def test_without_a_rate_hedge_has_the_lectures() -> None:
    H, y = make_problem()
    given = HedgeBoostClassifier((np.log(60) / 90) ** 0.5, n_rounds=90, voters="precomputed")
    found = HedgeBoostClassifier(n_rounds=90, voters="precomputed").fit(H, y)
    assert found.eta_ == pytest.approx(given.eta)
    np.testing.assert_array_equal(found.voter_weights_, given.fit(H, y).voter_weights_)
