"""Bounds and other numbers of the papers, against their formulas and brute force."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations, product
from math import comb, log

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.optimize import linprog
from scipy.special import rel_entr

from quadrepro.base.types import FloatArray
from quadrepro.core.measures import rademacher
from quadrepro.core.measures.bernstein import log_cover, log_dichotomies, log_votes
from quadrepro.core.measures.c_bound import RHOS, c_bound_of
from quadrepro.core.measures.edges import least_edge
from quadrepro.core.measures.measure import DELTA, Trained
from quadrepro.core.seeds import generator
from tests.core.measures.votes import (
    Problem,
    four_votes,
    measured,
    path_of,
    problems,
    random_problem,
    votes_of,
)

THREE_POINTS = np.array([[1.0, -1, -1], [1, 1, -1], [1, 1, 1]]), np.array([-1.0, 1, -1])


@given(problems, st.integers(1, 40))
def test_adaboosts_bounds_are_those_of_the_errors_on_its_own_example_weights(
    problem: Problem, n_rounds: int
) -> None:
    H, y = problem
    path = path_of("adaboost", H, y, n_rounds)
    w, errors = np.full(9, 1 / 9), []
    for step in np.diff(path, axis=0, prepend=0.0):
        agreement = y * (H @ step)
        errors.append(w[agreement < 0].sum())
        w = w * np.exp(-agreement)
        w /= w.sum()
    # A voter without error has one chance in fifty, and its weight would be infinite.
    assume(min(errors) > 0)
    error, products, bound = (
        measured(name, votes_of(H, y, path))
        for name in ("train_error", "adaboost_product_bound", "adaboost_exponential_bound")
    )
    eps, T = np.array(errors), np.arange(1, n_rounds + 1)
    assert products == pytest.approx(np.cumprod(2 * np.sqrt(eps * (1 - eps))), rel=1e-6)
    gamma = np.minimum.accumulate(0.5 - eps)
    np.testing.assert_allclose(np.sqrt(-np.log(bound) / (2 * T)), gamma, atol=1e-6)
    assert (error <= products + 1e-9).all()
    assert (products <= bound + 1e-9).all()


@given(arrays(np.float64, (4, 7), elements=st.floats(-5, 5)))
def test_the_product_bound_is_above_the_training_error_of_any_vote(margins: FloatArray) -> None:
    found = measured("adaboost_product_bound", Trained(np.ones(7), np.ones(1), margins, margins))
    assert ((margins <= 0).mean(axis=1) <= found + 1e-12).all()


def test_a_long_run_does_not_lose_its_edges() -> None:
    # The mean of exp(-y F) falls below the least floating-point number.
    trained = votes_of(*THREE_POINTS, path_of("adaboost", *THREE_POINTS, 13_000))
    assert measured("adaboost_product_bound", trained)[-1] == 0
    bound = measured("adaboost_exponential_bound", trained)
    assert (bound <= np.exp(-2 * trained.rounds / 36) * (1 + 1e-3)).all()
    assert (bound >= np.exp(-trained.rounds / 2)).all()


def test_no_example_is_wrong_after_the_rounds_of_the_lecture() -> None:
    trained = votes_of(*THREE_POINTS, np.zeros((2, 3)))
    # 18 ln(6) = 32.3 and 4 ln(3) · 36 = 158.2.
    assert measured("weak_edge", trained) == pytest.approx([1 / 6, 1 / 6])
    assert measured("adaboost_rounds", trained).tolist() == [33, 33]
    assert measured("experts_rounds", trained).tolist() == [159, 159]
    # With labels that alternate, the voters of a threshold have the least edge.
    H = np.where(np.arange(5)[:, None] > np.arange(-1, 4), 1.0, -1.0)
    assert least_edge(H, (-1.0) ** np.arange(5)) == pytest.approx(1 / 10)
    for labels in product([-1.0, 1.0], repeat=5):
        y = np.array(labels)
        [n_rounds] = measured("adaboost_rounds", votes_of(H, y, np.zeros((1, 5))))
        assert (y * (H @ path_of("adaboost", H, y, int(n_rounds))[-1]) > 0).all()
    # Without an edge no number of rounds is enough.
    trained = votes_of(np.ones((4, 3)), np.array([1.0, 1, -1, -1]), np.zeros((2, 3)))
    assert measured("weak_edge", trained) == pytest.approx([0, 0], abs=1e-9)
    for name in ("adaboost_rounds", "experts_rounds"):
        assert np.isnan(measured(name, trained)).all()


@settings(suppress_health_check=[HealthCheck.filter_too_much])
@given(problems)
def test_the_regret_of_the_experts_is_below_their_edge_from_the_measured_round_on(
    problem: Problem,
) -> None:
    trained = votes_of(*problem, np.zeros((1, 5)))
    [gamma], [T] = (measured(name, trained) for name in ("weak_edge", "experts_rounds"))
    assume(gamma > 1e-6)
    assert 2 * np.sqrt(T * np.log(9)) < gamma * T
    assert 2 * np.sqrt((T - 1) * np.log(9)) >= gamma * (T - 1) * (1 - 1e-12)


def minimax(H: FloatArray, y: FloatArray) -> float:
    """Return the least over weightings d of the largest |Σ d y h|/2, by a program of its own."""
    m, n = H.shape
    margins = H * y[:, None]
    rows = np.block([[margins.T, -np.ones((n, 1))], [-margins.T, -np.ones((n, 1))]])
    found = linprog(
        c=np.append(np.zeros(m), 1.0),
        A_ub=rows,
        b_ub=np.zeros(2 * n),
        A_eq=[np.append(np.ones(m), 0.0)],
        b_eq=[1.0],
    )
    return float(found.fun) / 2


@given(
    st.tuples(st.integers(1, 7), st.integers(2, 7)).flatmap(
        lambda shape: arrays(np.float64, shape, elements=st.sampled_from([-1.0, 1.0]))
    )
)
def test_the_edge_is_the_value_of_the_game(signs: FloatArray) -> None:
    H, y = signs[:, 1:], signs[:, 0]
    found = least_edge(H, y)
    assert found == pytest.approx(minimax(H, y), abs=1e-8)
    # A copy or a complement adds nothing, and a voter without error leaves nothing to add.
    assert least_edge(np.column_stack([H, -H, H]), y) == pytest.approx(found, abs=1e-8)
    assert least_edge(np.column_stack([H, -y]), y) == pytest.approx(0.5)


margin_columns = arrays(np.float64, (12, 3), elements=st.floats(-1, 1, width=16))


def with_margins(margins: FloatArray, weights: FloatArray) -> Trained:
    """Return votes with margins of shape (n_examples, n_votes)."""
    sizes = np.abs(weights).sum(axis=1, keepdims=True)
    scores = margins.T * np.where(sizes > 0, sizes, 1.0)
    return Trained(np.ones(len(margins)), np.ones(len(margins)), scores, scores, None, weights)


@given(margin_columns)
def test_the_c_bound_is_one_minus_the_ratio_of_moments_and_bounds_the_error(
    margins: FloatArray,
) -> None:
    for column, bound in zip(margins.T, c_bound_of(margins), strict=True):
        if column.mean() > 0:
            assert bound == pytest.approx(1 - column.mean() ** 2 / (column**2).mean())
            assert bound >= (column <= 0).mean() - 1e-12
        else:
            assert bound == 1.0


# With few examples the second moment cannot be above 1.
@pytest.mark.parametrize("margins", [np.linspace(0.2, 1.0, 5000), np.ones(50)])
def test_the_pac_bayes_bound_is_theorem_2_on_voters_and_complements(margins: FloatArray) -> None:
    m, weights = len(margins), np.array([[3.0, -1.0, 0.0, 0.0]])
    posterior = np.array([0.75, 0, 0, 0, 0, 0.25, 0, 0])
    divergence = rel_entr(posterior, np.full(8, 1 / 8)).sum()
    confidence = np.log(2 * m**0.5 / 0.025)
    first = margins.mean() - (2 / m * (divergence + confidence)) ** 0.5
    second = (margins**2).mean() + (2 / m * (2 * divergence + confidence)) ** 0.5
    expected = 1 - first**2 / min(second, 1)
    assert 0 < expected < 0.9
    for scale in (1.0, 7.0):
        found = measured("cbboost_pac_bayes", with_margins(margins[:, None], scale * weights))
        assert found == pytest.approx(expected, rel=1e-12)


# With two examples the logarithm of ρ²m/ln n is negative for all ρ.
# With two examples the logarithm of ρ²m/ln n is negative for all ρ.
@pytest.mark.parametrize("m", [2, 500])
def test_the_margin_bound_is_the_smallest_of_the_formula(m: int) -> None:
    margins, n = np.linspace(-0.2, 1.0, m), 20
    values = [
        (margins <= rho).mean()
        + 4 / rho * (2 * np.log(n) / m) ** 0.5
        + 2 / rho * (np.log(n) / m) ** 0.5
        + (
            max(np.ceil(4 / rho**2 * np.log(rho**2 * m / np.log(n))), 0) * np.log(n) / m
            + np.log(2 / 0.05) / (2 * m)
        )
        ** 0.5
        for rho in RHOS
    ]
    found = measured("cortes_margin_bound", with_margins(margins[:, None], np.ones((1, 10))))
    assert found == pytest.approx(min(values), rel=1e-12)
    # Margins that only rounding puts above ρ count as ρ.
    ones = np.ones(500)
    margins = np.column_stack([ones, np.nextafter(ones, 2.0), np.nextafter(ones, 0.0)])
    found = measured("cortes_margin_bound", with_margins(margins, np.full((3, 10), 0.1)))
    assert len(set(found.tolist())) == 1


def test_corollary_2_sums_the_falls_of_property_1_to_the_c_bound() -> None:
    for algorithm, seed in product(("cb-boost", "gb-cb-boost"), range(20)):
        H, y = random_problem(seed)
        trained = votes_of(H, y, path_of(algorithm, H, y, 12))
        found = measured("cbboost_corollary2", trained)
        assert found == pytest.approx(measured("c_bound", trained), abs=1e-9)
    # Steps of another size have another C-bound.
    H, y = random_problem(1)
    weights = path_of("cb-boost", H, y, 3)
    pick = (np.abs(weights[2]) - np.abs(weights[1])).argmax()
    weights[2, pick] *= 1.5
    trained = votes_of(H, y, weights)
    gap = measured("c_bound", trained) - measured("cbboost_corollary2", trained)
    assert (gap > 1e-6).tolist() == [False, False, True]


@pytest.mark.parametrize(("n_voters", "size"), [(1, 1), (5, 2), (5, 5), (570, 40)])
def test_the_counts_are_the_formulas(n_voters: int, size: int) -> None:
    s, choices = np.array([size]), comb(n_voters, size)
    assert log_votes(n_voters, s) == pytest.approx(log(choices * 2 ** (64 * size)))
    for m in (3, 50):
        ways = sum(comb(m, k) for k in range(size + 1))
        assert log_dichotomies(n_voters, s, m) == pytest.approx(log(choices * ways))
    assert log_cover(n_voters, s, 0.25) == pytest.approx(log(choices * 9**size))


@pytest.mark.parametrize(("n_voters", "size"), [(1, 1), (3, 1), (3, 2), (2, 2)])
def test_no_more_error_patterns_are_found_than_are_counted(n_voters: int, size: int) -> None:
    rng = np.random.default_rng(size)
    for values in (rng.normal(size=(7, n_voters)), rng.choice([-1.0, 1.0], (7, n_voters))):
        patterns = {(True,) * 7}
        for chosen in combinations(range(n_voters), size):
            weights = rng.normal(size=(4000, size))
            # Weights on the borders between the patterns, too.
            weights[:500] = np.round(weights[:500])
            wrong = weights @ values[:, chosen].T <= 0
            patterns |= set(map(tuple, wrong.tolist()))
        assert log(len(patterns)) <= log_dichotomies(n_voters, np.array([size]), 7)


def test_votes_far_from_each_other_are_no_more_than_a_cover_has() -> None:
    radius = 0.3
    grid = np.linspace(-1, 1, 41)
    ball = np.array([(a, b) for a in grid for b in grid if abs(a) + abs(b) <= 1 + 1e-12])
    net: list[np.ndarray] = []
    for vote in ball:
        if all(np.abs(vote - other).sum() > radius for other in net):
            net.append(vote)
    assert log(len(net)) <= log_cover(2, np.array([2]), radius)
    # What no further vote can be added to covers the ball, for voters with values in [-1, 1].
    H = np.random.default_rng(0).uniform(-1, 1, (30, 2))
    distances = np.abs((ball @ H.T)[:, None] - (np.array(net) @ H.T)[None]).max(axis=2)
    assert distances.min(axis=1).max() <= radius


def test_bounds_for_all_votes_are_of_the_training_losses_and_the_votes_sizes() -> None:
    # No voter, one, two and two; a margin of 0 is an error with both labels.
    trained = four_votes()
    n, sizes, wrong = 4, [1, 1, 2, 2], trained.margins <= 1e-12
    assert wrong.mean(axis=0).tolist() == [1, 0, 1, 0.5]
    losses = np.exp(-trained.margins)
    found = [
        measured(f"ebboost_{name}", trained)
        for name in ("corollary22", "theorem25", "theorem25_exponential")
    ]
    for i, s in enumerate(sizes):
        error, choices = wrong[:, i].mean(), comb(3, s) * s * (s + 1)
        # Hoeffding's inequality and the union over the class leave δ.
        failure = np.exp(-2 * n * (found[0][i] - error) ** 2)
        assert failure * choices * 2.0 ** (64 * s) == pytest.approx(0.05)
        # Lemma 3.1, with the sum of the first s + 1 of the binomial coefficients of 2n = 8.
        t = log(choices * [9, 37][s - 1] * 10 / 0.05)
        lemma = error + np.sqrt(18 * error * (1 - error) * t / (n - 1)) + 15 * t / (n - 1)
        assert found[1][i] == pytest.approx(lemma)
        t = log(choices * 9.0**s * 10 / 0.05)
        spread = np.sqrt(18 * losses[:, i].var(ddof=1) * t / n)
        theorem = losses[:, i].mean() + spread + np.e * 15 * t / (n - 1)
        assert found[2][i] == pytest.approx(theorem)


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
    monkeypatch.setattr(rademacher, "BATCH", 90)
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
    monkeypatch.setattr(rademacher, "SIGN_VECTORS", 32)
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


@given(problems, st.integers(1, 40))
def test_the_quadratic_risk_is_below_its_bound_with_the_least_correlation(
    problem: Problem, n_rounds: int
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


REPEATS = 4000


def votes_with(wrong: FloatArray) -> Trained:
    """Return a candidate for each row, which errs on these test examples."""
    scores = 1.0 - 2 * wrong
    return Trained(np.ones(1), np.ones(wrong.shape[1]), scores[:, :1], scores)


def counted(n: int) -> tuple[FloatArray, Trained]:
    """Return the errors of votes with 0, 1, ..., n of n test examples wrong, and the votes."""
    return np.arange(n + 1) / n, votes_with(np.tri(n + 1, n, -1))


@pytest.mark.parametrize("bound", ["hoeffding", "empirical_bernstein", "bernstein"])
def test_a_bound_holds_as_often_as_it_promises(bound: str) -> None:
    for risk, n in ((0.02, 5), (0.3, 5), (0.9, 5), (0.02, 60), (0.3, 60), (0.9, 60)):
        wrong = np.random.default_rng(1).random((REPEATS, n)) < risk
        found = measured(f"test_{bound}_bound", votes_with(wrong))
        # Three standard errors of the simulation.
        slack = 3 * (DELTA * (1 - DELTA) / REPEATS) ** 0.5
        assert (found >= risk).mean() >= 1 - DELTA - slack


@pytest.mark.parametrize("n", [2, 40, 1000])
def test_the_bounds_are_the_theorems_formulas(n: int) -> None:
    error, votes = counted(n)
    hoeffding = error + np.sqrt(np.log(20) / (2 * n))
    assert measured("test_hoeffding_bound", votes) == pytest.approx(hoeffding)
    variance = error * (1 - error) * n / (n - 1)
    spread = np.sqrt(2 * variance * np.log(40) / n) + 7 * np.log(40) / (3 * (n - 1))
    assert measured("test_empirical_bernstein_bound", votes) == pytest.approx(error + spread)
    with pytest.raises(ValueError, match="at least 2 test examples, not 1"):
        measured("test_empirical_bernstein_bound", counted(1)[1])


@pytest.mark.parametrize("n", [1, 40, 1000])
def test_bernsteins_bound_is_the_largest_risk_that_the_theorem_allows(n: int) -> None:
    error, votes = counted(n)
    p = measured("test_bernstein_bound", votes)
    risk, t = np.linspace(0, 1, 2001)[:, None], np.log(20)
    allowed = risk <= error + np.sqrt(2 * risk * (1 - risk) * t / n) + t / (3 * n)
    assert ((allowed == (risk <= p)).mean(axis=0) >= 1 - 2 / len(risk)).all()
    assert ((error <= p) & (p <= 1)).all()
    inside = p[p < 1]
    right = error[p < 1] + np.sqrt(2 * inside * (1 - inside) * t / n) + t / (3 * n)
    assert inside == pytest.approx(right)
