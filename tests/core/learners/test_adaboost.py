"""AdaBoost, EBBoost, HedgeBoost and AdaBoost_REG, against their papers line by line."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.optimize import minimize_scalar

from quadrepro import HedgeBoostClassifier
from quadrepro.base.types import FloatArray
from quadrepro.core.learners.adaboost import AdaBoost
from quadrepro.core.learners.adaboost_reg import (
    SCAN,
    AdaBoostReg,
    exact_sum,
    least_softened_loss,
    lower_bounds,
)
from quadrepro.core.learners.ebboost import EBBoost
from quadrepro.core.learners.hedge import HedgeBoost, experts_rate
from quadrepro.core.learners.reweighting import FLOOR, LARGEST_STEP, UNITS, WeightedExamples
from quadrepro.core.measures.edges import least_edge
from quadrepro.core.training.contract import positive_votes
from quadrepro.core.training.grid import Grid
from quadrepro.core.voters.coded import codes_of_matrix
from quadrepro.core.voters.reduction import reduce_problem
from quadrepro.core.voters.running_sums import Chains, RunningSums
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
    examples, parts = WeightedExamples.equal(np.ones(6), np.ones(6)), []
    for t in (1, 5001):
        voters = RunningSums.over(Chains.from_voters(codes_of_matrix(Turning.outputs(t))))
        parts.append(AdaBoost.take_rounds(voters, examples, np.nan, 5000))
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


Power = Literal[1, 2]

SOFT: dict[Power, list[float]] = {1: [30.0, 3.0, 0.5], 2: [3000.0, 100.0, 5.0]}

each_power = pytest.mark.parametrize("power", [1, 2])


@given(small_problems, small_samples, st.integers(1, 12), st.sampled_from([1, 2]))
def test_without_softening_adaboost_reg_is_adaboost(
    problem: Problem, samples: FloatArray, n_rounds: int, power: Power
) -> None:
    rounds = list(range(1, n_rounds + 1))
    ours = AdaBoostReg(power).path(
        *problem, Grid.from_values({"C": [0.0], "n_rounds": rounds}), samples
    )
    theirs = AdaBoost().path(*problem, Grid.from_values({"n_rounds": rounds}), samples)
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-12)


@dataclass
class Formulas:
    """The whole history of a run, from which each round's losses are computed again."""

    C: float
    power: int
    rights: list[FloatArray]
    weights: list[FloatArray]
    alphas: list[float]

    def losses(self, alpha: float) -> FloatArray:
        """Return exp{-A (ρ + C μ^p)} of every example for a weight of the last voter."""
        alphas = np.array([*self.alphas, alpha])
        rho = alphas @ self.rights / alphas.sum()
        mu = alphas @ self.weights / alphas.sum()
        return np.asarray(np.exp(-alphas.sum() * (rho + self.C * mu**self.power)))


@each_power
def test_a_round_of_adaboost_reg_is_the_formulas_from_scratch(power: Power) -> None:
    H, y = make_problem(m=60)
    for C in SOFT[power]:
        picks, changes = AdaBoostReg(power).run(reduce_problem(H, y, merge_voters=False), 0, C, 9)
        assert len(picks) == 9
        run, w = Formulas(C, power, [], [], []), np.full(60, 1 / 60)
        for pick, signed in zip(picks, changes, strict=True):
            edges = (w * y) @ H
            assert abs(edges[pick]) == pytest.approx(np.abs(edges).max(), abs=1e-9)
            assert np.sign(signed) == np.sign(edges[pick])
            run.rights.append(y * H[:, pick] * np.sign(signed))
            run.weights.append(w)
            fine = np.geomspace(1e-4, 35.0, 400)
            sums = np.array([run.losses(a).sum() for a in fine])
            alpha = abs(signed)
            assert run.losses(alpha).sum() <= sums.min() * (1 + 1e-12)
            assert alpha == pytest.approx(fine[sums.argmin()], rel=0.02)
            w = run.losses(alpha) / run.losses(alpha).sum()
            run.alphas.append(alpha)


def test_examples_too_light_for_whole_units_count_in_a_long_step() -> None:
    rng = np.random.default_rng(5)
    y = np.where(rng.random(60) < 0.5, 1.0, -1.0)
    H = np.where(rng.random((60, 25)) < 0.85, y[:, None], -y[:, None])
    # From round 41 on the picks are wrong only on examples whose weights round to nothing.
    _, changes = AdaBoostReg().run(reduce_problem(H, y), 0, 1e3, 45)
    assert len(changes) == 45
    assert np.abs(changes).max() < 12.0


def test_a_step_without_end_is_not_taken() -> None:
    # With C w² above 1 for every example the loss falls for ever, however many are wrong.
    H, y = make_problem()
    assert not AdaBoostReg().path(H, y, Grid.from_values({"C": [1e5], "n_rounds": [10]})).any()


def logarithms(loss: FloatArray, A: float, steps: FloatArray) -> FloatArray:
    """Return the logarithm of Σ n exp(b - a d + φ(a) c) at each step a."""
    b, n, d, c = loss[:, loss[1] > 0]
    share = (A * steps / (A + steps))[:, None]
    return np.asarray(np.logaddexp.reduce(np.log(n) + b - steps[:, None] * d + share * c, axis=1))


def random_loss(rng: np.random.Generator, C: float) -> FloatArray:
    w, means = rng.dirichlet(np.ones(12), 2)
    s, n = np.where(np.arange(12) < 7, 1.0, -1.0), rng.integers(1, 4, 12)
    return np.array([np.log(w / w.max()), n, s + C * w**2, C * (w - means) ** 2])


@pytest.mark.parametrize("C", [0.0, 0.1, 3.0, 30.0, 300.0])
def test_the_line_search_ends_where_the_loss_is_least_and_bounds_are_those_of_equal_examples(
    C: float,
) -> None:
    for seed in range(20):
        rng = np.random.default_rng(seed)
        loss, A = random_loss(rng, C), rng.uniform(0.01, 20)
        a = least_softened_loss(loss, A)
        assert 0 <= a <= LARGEST_STEP
        fine = logarithms(loss, A, np.geomspace(1e-5, LARGEST_STEP, 1000)).min()
        assert logarithms(loss, A, np.array([a]))[0] <= fine + 1e-9 * max(1.0, abs(fine))
        assert (lower_bounds(loss, A) <= logarithms(loss, A, SCAN) + 1e-9).all()
        falls = loss[2] > 0
        equal = loss[:, np.where(falls, falls.argmax(), falls.argmin())]
        least = logarithms(equal, A, SCAN)
        seen = least > -700
        np.testing.assert_allclose(lower_bounds(equal, A)[seen], least[seen], atol=1e-9)


def test_an_example_without_a_weight_is_as_if_it_were_not_there() -> None:
    loss = random_loss(np.random.default_rng(6), 30.0)
    longer = np.append(loss, [[-np.inf], [0.0], [-1e4], [1e4]], axis=1)
    assert least_softened_loss(longer, 3.0) == least_softened_loss(loss, 3.0)


@pytest.mark.parametrize("light", [-40.0, -200.0, -2000.0])
def test_an_example_that_a_long_step_makes_heavy_counts_however_light_it_is(light: float) -> None:
    # Without the last example the loss falls for ever.
    loss = np.array([[0.0, 0.0, light], np.ones(3), [2.0, 1.0, -1.0], [0.0, 0.0, 20.0 - light]])
    a, fine = least_softened_loss(loss, 3.0), np.geomspace(1e-3, LARGEST_STEP, 20_000)
    assert a == pytest.approx(fine[logarithms(loss, 3.0, fine).argmin()], rel=1e-3)
    assert a < LARGEST_STEP / 2


def test_sums_do_not_depend_on_order_or_merging() -> None:
    rng = np.random.default_rng(1)
    terms = rng.normal(size=300) * 10.0 ** rng.uniform(-12, 3, 300)
    counts = rng.integers(0, 5, 300)
    plain = rng.permutation(np.repeat(terms, counts))
    merged = exact_sum(terms, counts.astype(float))
    assert merged == exact_sum(plain, np.ones(len(plain)))
    assert merged == pytest.approx(np.sum(plain.astype(np.longdouble)), rel=1e-15)
