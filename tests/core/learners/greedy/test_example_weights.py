from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from quadrepro.core.learners.greedy.loop import Trace, boost
from scipy.optimize import minimize_scalar
from tests.loops import set_compiled

from quadrepro.base.types import FloatArray, IntArray
from quadrepro.core.learners.adaboost import (
    LARGEST_STEP,
    NO_EDGE,
    TIE,
    UNITS,
    AdaBoost,
    ExampleWeights,
    WeightBoosting,
)
from quadrepro.core.learners.adaboost_reg import AdaBoostReg
from quadrepro.core.learners.ebboost import EBBoost
from quadrepro.core.learners.grid import Grid, Stopping
from quadrepro.core.learners.hedge import HedgeBoost
from quadrepro.core.learners.learner import Algorithm, DrawnProblem, StoppedRuns, positive_votes
from quadrepro.core.learners.lp_reg import RegularizedLP
from quadrepro.core.learners.qp_reg import RegularizedQP
from quadrepro.core.learners.soft_margin import SoftMargin, first_picks
from quadrepro.core.voters.drawn import RandomStumps, StumpCoding, StumpVote
from quadrepro.core.voters.reduction import VotingProblem
from quadrepro.core.voters.source import FixedVoters

Problem = tuple[FloatArray, FloatArray]


def drawn_problem(seed: int, patience: int = 12) -> DrawnProblem:
    """Return 60 + 60 noisy examples of a rule over three attributes."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(120, 3))
    y = np.where(X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size=120) > 0, 1.0, -1.0)
    coding = StumpCoding.fit(X[:60])
    train, valid = coding.transform(X[:60]), coding.transform(X[60:])
    return DrawnProblem(
        lambda: RandomStumps(train, y[:60], np.random.default_rng(seed), per_round=20),
        train,
        y[:60],
        valid,
        y[60:],
        Stopping(patience, max_rounds=200),
    )


def assert_same(found: StoppedRuns, i: int, alone: StoppedRuns) -> None:
    assert found.errors[i] == alone.errors[0]
    assert found.candidates[i] == alone.candidates[0]
    ours, theirs = found.vote(i), alone.vote(0)
    np.testing.assert_array_equal(ours.attributes, theirs.attributes)
    np.testing.assert_array_equal(ours.cuts, theirs.cuts)
    np.testing.assert_array_equal(ours.weights, theirs.weights)


@pytest.mark.parametrize(
    "changes", [{}, {"take": "last"}, {"take": "last", "lag": 9}], ids=["best", "last", "lag"]
)
@pytest.mark.parametrize("seed", [0, 5, 9])
@pytest.mark.parametrize(
    ("algorithm", "name", "values"),
    [
        (EBBoost(), "lam", [30.0, 5.0, 1.0, 0.3, 0.03, 0.0]),
        (AdaBoostReg(), "C", [3000.0, 300.0, 30.0, 3.0, 0.3, 0.0]),
        (AdaBoostReg(power=1), "C", [30.0, 10.0, 3.0, 1.0, 0.3, 0.0]),
        (HedgeBoost(), "eta", [0.01, 0.03, 0.1, 0.2, 0.35, 0.5]),
    ],
    ids=["ebboost", "adaboost_reg", "adaboost_reg, power 1", "hedge"],
)
def test_values_side_by_side_over_drawn_stumps_are_separate_runs_until_each_ends(
    algorithm: WeightBoosting, name: str, values: list[float], seed: int, changes: dict[str, Any]
) -> None:
    problem = drawn_problem(seed)
    problem = replace(problem, stopping=replace(problem.stopping, **changes))
    together = algorithm.hold_out(problem, Grid.of({name: values}))
    for i, value in enumerate(values):
        assert_same(together, i, algorithm.hold_out(problem, Grid.of({name: [value]})))
    # With patience the values end in different rounds: it is not one end for all.
    assert "lag" in changes or len({candidate["n_rounds"] for candidate in together.candidates}) > 2


def test_a_run_ends_after_the_largest_number_of_rounds_at_the_latest() -> None:
    problem = replace(drawn_problem(0), stopping=Stopping(500, take="last", max_rounds=7))
    (candidate,) = AdaBoost().hold_out(problem, Grid.of({})).candidates
    assert candidate == {"n_rounds": 7}


def test_a_run_begins_with_equal_weights_on_the_examples_of_each_sample(problem: Problem) -> None:
    H, y = problem
    counts = np.vstack([np.ones(60), np.arange(60) % 3, np.arange(60) % 2])
    voting = VotingProblem(H, y, counts, np.arange(H.shape[1]), H.shape[1])
    state = AdaBoost().state(voting, np.array([2, 0, 1]))
    for weights, sample in zip(state.example_weights, counts[[2, 0, 1]], strict=True):
        np.testing.assert_allclose(weights, np.where(sample > 0, UNITS / sample.sum(), 0.0))
    assert not state.weights.any()
    assert state.weights.shape == (3, H.shape[1])


@pytest.mark.parametrize("largest", [1, 3])
@pytest.mark.parametrize("seed", range(5))
def test_the_strongest_voter_has_the_least_weighted_error(
    make_problem: Callable[..., Problem], seed: int, largest: int
) -> None:
    H, y = make_problem(seed=seed)
    rng = np.random.default_rng(seed)
    copies = rng.integers(0, largest + 1, (2, 60)).astype(float)
    state = ExampleWeights(FixedVoters(H, y), copies)
    w = rng.exponential(size=(2, 60)) * copies
    w /= w.sum(axis=1, keepdims=True)
    state.example_weights = np.where(copies > 0, w / np.maximum(copies, 1) * UNITS, 0.0)
    picks, edges = state.strongest()
    for row in range(2):
        both = (w[row] * y) @ np.hstack([H, -H])
        assert picks[row] == np.argmax(both) % H.shape[1]
        assert abs(edges[row]) == pytest.approx(both.max(), abs=1e-12)
        assert np.sign(edges[row]) == (1 if np.argmax(both) < H.shape[1] else -1)


def test_voters_whose_errors_differ_by_rounding_tie_to_the_lowest_index() -> None:
    y = np.ones(4)
    H = np.array([[1.0, 1.0], [1.0, 1.0], [1.0, -1.0], [-1.0, 1.0]])
    state = ExampleWeights(FixedVoters(H, y), np.ones((1, 4)))
    for difference, pick in ((TIE / 4, 0), (TIE, 1)):
        state.example_weights = UNITS / 4 + difference * np.array([[0.0, 0.0, -1.0, 1.0]])
        assert state.strongest()[0].tolist() == [pick]


def test_a_tie_is_as_wide_as_the_rounding_of_a_long_sum() -> None:
    m = 4096
    y = np.ones(m)
    H = np.ones((m, 2))
    H[-1, 0] = H[-2, 1] = -1.0
    state = ExampleWeights(FixedVoters(H, y), np.ones((1, m)))
    for difference, pick in ((m / 4 - 1, 0), (m / 4 + 1, 1)):
        state.example_weights = np.full((1, m), UNITS / m)
        state.example_weights[0, -1] += difference
        state.example_weights[0, -2] -= difference
        assert state.strongest()[0].tolist() == [pick]


def test_a_voter_without_error_or_without_an_edge_ends_the_run(problem: Problem) -> None:
    state = ExampleWeights(FixedVoters(*problem), np.ones((5, 60)))
    tanhs = np.array([1.0, 0.5, -1.0, NO_EDGE, -NO_EDGE])
    for t, decisive in ((1, 1.0), (3, 3 * LARGEST_STEP)):
        state.begin(t)
        step = state.step_to(np.arange(5), tanhs)
        assert step.last is not None
        assert step.last.tolist() == [True, False, True, True, True]
        assert step.weights.tolist() == [decisive, pytest.approx(np.arctanh(0.5)), -decisive, 0, 0]


def test_a_voter_without_error_outweighs_the_rounds_before_it() -> None:
    # No edge below 1 gives a step as large as `LARGEST_STEP`.
    assert np.arctanh(np.nextafter(1.0, 0.0)) < LARGEST_STEP / 2


def test_a_long_run_does_not_depend_on_the_batch_or_the_order_of_examples(
    make_problem: Callable[..., Problem],
) -> None:
    H, y = make_problem(m=101, n=15)
    grid = Grid.of({"n_rounds": [20_000]})
    alone = AdaBoost().path(H, y, grid)
    rng = np.random.default_rng(3)
    samples = np.vstack([np.ones(101), rng.integers(0, 2, 101)]).astype(float)
    order = rng.permutation(101)
    np.testing.assert_array_equal(alone, AdaBoost().path(H, y, grid, samples)[0])
    np.testing.assert_array_equal(alone, AdaBoost().path(H[order], y[order], grid))


def test_a_held_out_example_that_is_always_wrong_does_no_harm_in_a_long_run() -> None:
    # Its weight would grow without bound if it had one.
    rng = np.random.default_rng(0)
    H = rng.choice([-1.0, 1.0], (41, 9))
    y = np.where(H[:, :3].sum(axis=1) > 0, 1.0, -1.0)
    y[-1] *= -1
    samples = np.vstack([np.arange(41) < 40, np.ones(41)]).astype(float)
    with np.errstate(all="raise", under="ignore"):
        held_out, _ = AdaBoost().path(H, y, Grid.of({"n_rounds": [30_000]}), samples)
    assert np.isfinite(held_out).all()
    assert not positive_votes(H[:40], held_out).ravel()[y[:40] < 0].any()


@pytest.mark.parametrize("seed", range(6))
def test_without_complements_only_a_stump_with_an_edge_is_taken(seed: int) -> None:
    X, y = np.linspace(0, 1, 40)[:, None], np.where(np.arange(40) < 20, 1.0, -1.0)
    codes = StumpCoding.fit(X).transform(X)
    rng = np.random.default_rng(seed)
    source = RandomStumps(codes, y, rng, per_round=1, polarity="random")
    state = AdaBoost().weights(source, np.ones((1, 40)))
    state.begin(1)
    step = AdaBoost().rule(np.array([np.nan])).step(state)
    # Examples above a cut are mostly negative, so that only the complement has an edge.
    assert step.last is None
    assert (step.weights[0] > 0) == (source.turns[0] < 0)
    assert step.weights[0] >= 0


def one_stump_a_round(redraw: bool, max_rounds: int = 60) -> DrawnProblem:
    """Return a problem whose rounds have one stump each, in one of its directions at random."""
    problem = drawn_problem(0)
    rng = np.random.default_rng
    options: dict[str, Any] = {"per_round": 1, "polarity": "random", "redraw": redraw}
    return replace(
        problem,
        source=lambda: RandomStumps(problem.train, problem.y_train, rng(1), **options),
        stopping=Stopping(max_rounds, take="last", max_rounds=max_rounds),
    )


def test_a_round_whose_drawn_stumps_have_no_edge_is_skipped() -> None:
    problem = one_stump_a_round(redraw=True)
    source, w, right, expected = problem.source(), np.full(60, 1 / 60), np.empty((1, 60)), []
    for t in range(1, 61):
        source.begin(t)
        source.signs(np.zeros(1, dtype=np.intp), right)
        alpha = np.arctanh(max(0.0, float(right[0] @ w)))
        w = w * np.exp(-alpha * right[0])
        w /= w.sum()
        expected.append(alpha * source.turns[0])
    assert min(np.count_nonzero(expected), expected.count(0.0)) > 20
    found = AdaBoost().hold_out(problem, Grid.of({})).vote(0)
    np.testing.assert_allclose(found.weights, expected, atol=1e-12)


@pytest.mark.parametrize(
    ("algorithm", "grid"),
    [(AdaBoost(), {}), (EBBoost(), {"lam": [1.0, 0.1]}), (AdaBoostReg(), {"C": [100.0, 1.0]})],
)
@pytest.mark.parametrize("redraw", [False, True])
def test_a_round_without_an_edge_ends_a_run_only_if_all_rounds_have_the_same_stumps(
    algorithm: WeightBoosting[Any], grid: dict[str, list[float]], redraw: bool
) -> None:
    found = algorithm.hold_out(one_stump_a_round(redraw), Grid.of(grid))
    for i, candidate in enumerate(found.candidates):
        # The edge of the same stump is zero in the second round.
        assert candidate["n_rounds"] == (60 if redraw else 2)
        weights = found.vote(i).weights
        assert np.isfinite(weights).all()
        assert (np.count_nonzero(weights) > 20) == redraw


@pytest.mark.parametrize(
    ("algorithm", "value"), [(RegularizedLP(), 0.05), (RegularizedQP(), 100.0)]
)
def test_a_program_is_over_the_stumps_of_rounds_with_an_edge(
    algorithm: SoftMargin, value: float
) -> None:
    problem = one_stump_a_round(redraw=True)
    found = AdaBoost().hold_out(problem, Grid.of({})).vote(0)
    [parameter] = algorithm.hyperparameters
    held = algorithm.hold_out(problem, Grid.of({parameter.name: [value]}))
    taken = found.weights != 0
    stumps = StumpVote(found.attributes[taken], found.cuts[taken], found.weights[taken])
    signs = np.sign(stumps.weights)
    oriented = stumps.outputs(problem.train) * signs
    once = first_picks(stumps.attributes, stumps.cuts, signs)
    weights = algorithm.solve_weights(oriented[:, once], problem.y_train, [value])[0]
    np.testing.assert_array_equal(held.vote(0).weights[taken][once], weights * signs[once])


@pytest.mark.parametrize("algorithm", [AdaBoost(), RegularizedLP(), RegularizedQP()])
def test_a_run_whose_rounds_all_lack_an_edge_has_an_empty_vote(algorithm: Algorithm) -> None:
    y, codes = np.tile([1.0, -1.0], 30), np.zeros((2, 60), dtype=np.uint16)
    problem = replace(
        one_stump_a_round(redraw=True),
        source=lambda: RandomStumps(codes, y, np.random.default_rng(1), per_round=5),
        y_train=y,
        train=codes,
    )
    values = {h.name: [0.5] for h in algorithm.hyperparameters if h.name != "n_rounds"}
    held = algorithm.hold_out(problem, Grid.of(values))
    assert held.candidates[0]["n_rounds"] == 60
    assert not held.vote(0).weights.any()


def rounds_without_limits(
    right: FloatArray, mantissas: FloatArray, exponents: IntArray, n_rounds: int
) -> tuple[list[int], FloatArray, IntArray]:
    """Return the picks of AdaBoost's rounds, and weights that have no smallest number."""
    picks = []
    for _ in range(n_rounds):
        units = np.rint(np.ldexp(mantissas, np.maximum(exponents, -99)))
        sums = units @ right
        picks.append(int((np.abs(sums) >= np.abs(sums).max() - TIE).argmax()))
        edge = sums[picks[-1]] / units.sum()
        mantissas, moved = np.frexp(mantissas / (1.0 + edge * right[:, picks[-1]]))
        exponents = exponents + moved
    return picks, mantissas, exponents


@pytest.mark.parametrize("compiled", [False, True])
def test_a_weight_far_below_the_smallest_number_comes_back_in_its_own_time(
    compiled: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_compiled(monkeypatch, compiled)
    # Voters that are each wrong on one example; the first example is right at first, then wrong.
    H = np.vstack([np.ones(4), 1.0 - 2.0 * np.eye(4)])
    turned = np.vstack([[-1.0, -1.0, -1.0, 1.0], H[1:]])
    mantissas, exponents = np.frexp(np.full(5, UNITS / 5))
    before, mantissas, exponents = rounds_without_limits(H, mantissas, exponents, 4000)
    assert exponents[0] < -1200
    after, mantissas, exponents = rounds_without_limits(turned, mantissas, exponents, 6000)
    assert exponents[0] > 0

    found, state = [], None
    for voters, n_rounds in ((H, 4000), (turned, 6000)):
        problem = VotingProblem(voters, np.ones(5), np.ones((1, 5)), np.arange(4), 4)
        last, state = state, AdaBoost().state(problem, np.array([0]))
        if last is not None:
            state._lifted, state._lifts, state._deep = last._lifted, last._lifts, last._deep
        trace = Trace()
        boost(AdaBoost().rule(np.array([np.nan])), state, n_rounds, [trace])
        found.append(trace.picks)
    assert found == [before, after]
    assert state is not None
    np.testing.assert_array_equal(state.example_weights[0], np.ldexp(mantissas, exponents))


@pytest.mark.parametrize("lam", [0.0, 0.4])
def test_fractions_of_copies_weigh_in_the_penalised_loss(lam: float) -> None:
    rng = np.random.default_rng(0)
    H, y = rng.choice([-1.0, 1.0], (30, 6)), rng.choice([-1.0, 1.0], 30)
    copies = rng.uniform(0.2, 3.0, 30)
    weights = EBBoost().path(H, y, Grid.of({"lam": [lam], "n_rounds": [3]}), copies[None])[0, 0]

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


@pytest.mark.parametrize("algorithm", [AdaBoost(), AdaBoostReg(), EBBoost(), HedgeBoost()])
@pytest.mark.parametrize("factor", [0.3, 2.0**30])
def test_fractions_and_many_copies_are_as_good_as_few_whole_ones(
    algorithm: Any, factor: float
) -> None:
    rng = np.random.default_rng(1)
    H, y = rng.choice([-1.0, 1.0], (30, 6)), rng.choice([-1.0, 1.0], 30)
    copies = rng.integers(1, 9, 30).astype(float)
    others = {h.name: [0.3] for h in algorithm.hyperparameters if h.name != "n_rounds"}
    grid = Grid.of({**others, "n_rounds": [8]})
    # The influences of AdaBoost_REG depend on the number of examples.
    factor = 1 + 1e-9 if isinstance(algorithm, AdaBoostReg) else factor
    whole, other = (algorithm.path(H, y, grid, c[None]) for c in (copies, factor * copies))
    np.testing.assert_allclose(whole, other, rtol=1e-7)
