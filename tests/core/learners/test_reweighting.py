"""What all algorithms on example weights share, over a matrix and over drawn stumps."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quadrepro.base.types import FloatArray, IntArray
from quadrepro.core.holdout import Holdout, HoldoutStumps
from quadrepro.core.learners.adaboost import AdaBoost
from quadrepro.core.learners.adaboost_reg import AdaBoostReg
from quadrepro.core.learners.ebboost import EBBoost
from quadrepro.core.learners.hedge import HedgeBoost
from quadrepro.core.learners.reweighting import (
    LARGEST_STEP,
    NO_EDGE,
    TIE,
    UNITS,
    DrawnRun,
    VoterSums,
    WeightBoosting,
    WeightedExamples,
    step_of,
    strongest,
    write_units,
    write_units_awake,
)
from quadrepro.core.training.contract import DrawnProblem, StoppedRuns
from quadrepro.core.training.grid import N_ROUNDS, Grid, Hyperparameter
from quadrepro.core.voters.coded import VoterMatrix
from quadrepro.core.voters.drawn import RandomStumps, StumpVote, coded
from quadrepro.core.voters.reduction import VotingProblem, reduce_problem
from quadrepro.core.voters.running_sums import ASLEEP
from tests.core.learners.given import (
    FixedVoters,
    Problem,
    Turning,
    boosted,
    drawn_problem,
    make_problem,
    plain_run,
    small_problems,
    small_samples,
)

VALUES: dict[WeightBoosting, dict[str, list[float]]] = {
    AdaBoost(): {},
    AdaBoostReg(): {"C": [100.0, 10.0, 0.0]},
    AdaBoostReg(power=1): {"C": [10.0, 1.0, 0.0]},
    EBBoost(): {"lam": [1.0, 0.1, 0.0]},
    HedgeBoost(): {"eta": [0.05, 0.4]},
}
each_algorithm = pytest.mark.parametrize("algorithm", VALUES, ids=repr)


def grid_of(algorithm: WeightBoosting, rounds: list[float]) -> Grid:
    return Grid.from_values({**VALUES[algorithm], "n_rounds": rounds})


@each_algorithm
def test_neither_batch_nor_merging_nor_order_changes_a_bit(algorithm: WeightBoosting) -> None:
    H, y = make_problem(m=40, n=6)
    rng = np.random.default_rng(0)
    samples = rng.integers(0, 4, (2, 40)).astype(float)
    grid = grid_of(algorithm, [3, 20, 100])
    paths = algorithm.path(H, y, grid, samples)
    for sample, path in zip(samples, paths, strict=True):
        rows = rng.permutation(np.repeat(np.arange(40), sample.astype(int)))
        for candidate, found in zip(grid.candidates, path, strict=True):
            assert found.any()
            [value] = [v for k, v in candidate.items() if k != "n_rounds"] or [np.nan]
            voters, vote = FixedVoters(H[rows], y[rows]), np.zeros(6)
            for picks, changes, last in boosted(algorithm, voters, candidate["n_rounds"], [value]):
                vote[picks] += changes
                if last[0]:
                    break
            np.testing.assert_array_equal(found, vote)


def stumps(seed: int, m: int, noise: float) -> Problem:
    """Return the stumps at all values of three attributes, in chains, and noisy labels."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 9, (m, 3)).astype(float)
    H = np.hstack([np.where(X[:, [a]] > np.arange(-1, 8), 1.0, -1.0) for a in range(3)])
    score = X[:, 0] - X[:, 1] + 0.2 * X[:, 2] ** 2 - 6 + rng.normal(0, noise, m)
    return H, np.where(score > 0, 1.0, -1.0)


def same_rounds(algorithm: WeightBoosting, problem: VotingProblem, n_rounds: int) -> IntArray:
    """Assert that the loop takes the rounds of `boost` bit for bit, and return its picks.

    Fractions of copies may be added up in another order.
    """
    rtol = 0.0 if (problem.counts == np.rint(problem.counts)).all() else 1e-9
    values = algorithm.values(grid_of(algorithm, [1]))
    for sample, value in product(range(len(problem.counts)), values):
        ours = algorithm.run(problem, sample, value, n_rounds)
        for found, expected in zip(
            ours, plain_run(algorithm, problem, sample, value, n_rounds), strict=True
        ):
            np.testing.assert_allclose(found, expected, rtol=rtol)
    return ours[0]


@each_algorithm
@pytest.mark.parametrize(("m", "noise"), [(60, 0.5), (200, 0.1), (600, 1.0)])
def test_chains_and_a_matrix_give_the_same_rounds(
    algorithm: WeightBoosting, m: int, noise: float
) -> None:
    H, y = stumps(0, m, noise)
    counts = np.random.default_rng(0).integers(0, 4, (2, m)).astype(float)
    problem = VotingProblem(VoterMatrix(H), y, counts, np.arange(27), 27)
    # Examples fall asleep and wake again: some weights are far below one unit, and they grow.
    n_rounds = 60 if isinstance(algorithm, AdaBoostReg) else 600
    assert len(np.unique(same_rounds(algorithm, problem, n_rounds))) > 5


@pytest.mark.parametrize("unit", [1.0, 0.3], ids=["whole", "fractions"])
def test_units_of_the_examples_that_are_awake_are_those_of_all(unit: float) -> None:
    rng = np.random.default_rng(0)
    weights, signs = 2.0 ** rng.uniform(-60, 40, 99), unit * rng.integers(-3, 4, 99)
    units, few = np.zeros((2, 99), np.int64)
    awake = np.flatnonzero(np.abs(weights * signs) >= ASLEEP).astype(np.uint32)
    sums = write_units(weights, signs, unit == 1.0, units)
    assert write_units_awake(weights, signs, unit == 1.0, awake, few) == sums
    assert few.tolist() == units.tolist()


@each_algorithm
@settings(max_examples=10)
@given(small_problems, small_samples, st.sampled_from([1.0, 0.3]))
def test_any_matrix_gives_the_same_rounds_as_its_chains(
    algorithm: WeightBoosting, problem: Problem, samples: FloatArray, share: float
) -> None:
    H, y = problem
    same_rounds(algorithm, VotingProblem(VoterMatrix(H), y, share * samples, np.arange(5), 5), 40)


@each_algorithm
def test_example_weights_begin_equal_and_keep_their_sum_and_examples_held_out_have_none(
    algorithm: WeightBoosting,
) -> None:
    H, y = make_problem(m=50)
    values = algorithm.values(grid_of(algorithm, [1]))
    copies = np.tile(np.arange(50) % 3.0, (len(values), 1))
    voters = FixedVoters(H, y)
    boosted(algorithm, voters, 200, values.tolist(), copies)
    seen = np.array(voters.seen)
    np.testing.assert_allclose(seen[0], copies * (UNITS / copies[0].sum()), rtol=1e-12)
    assert not seen[..., copies[0] == 0].any()
    np.testing.assert_allclose(seen.sum(axis=-1), UNITS, rtol=1e-11)


@each_algorithm
@pytest.mark.parametrize("factor", [0.3, 2.0**30])
def test_fractions_and_many_copies_are_as_good_as_few_whole_ones(
    algorithm: WeightBoosting, factor: float
) -> None:
    rng = np.random.default_rng(1)
    H, y = rng.choice([-1.0, 1.0], (30, 6)), rng.choice([-1.0, 1.0], 30)
    copies = rng.integers(1, 9, 30).astype(float)
    grid = grid_of(algorithm, [8])
    # The influences of AdaBoost_REG depend on the number of examples.
    factor = 1 + 1e-9 if isinstance(algorithm, AdaBoostReg) else factor
    whole, other = (algorithm.path(H, y, grid, c[None]) for c in (copies, factor * copies))
    np.testing.assert_allclose(whole, other, rtol=1e-7)


@pytest.mark.parametrize(
    ("m", "difference", "pick"),
    # The sum of many weights is rounded further.
    [(4, TIE / 4, 0), (4, TIE, 1), (4096, 1023, 0), (4096, 1025, 1)],
)
def test_voters_whose_errors_differ_by_rounding_tie_to_the_lowest_index(
    m: int, difference: float, pick: int
) -> None:
    H, units = np.ones((m, 2), np.int64), np.full(m, int(UNITS) // m)
    H[-1, 0] = H[-2, 1] = -1
    units[-2:] += -int(difference), int(difference)
    examples = WeightedExamples.equal(np.ones(m), np.ones(m))
    sums = VoterSums(units[None] @ H, units[None].sum(axis=1), examples, complements=True)
    assert strongest(sums)[0] == pick


@pytest.mark.parametrize("algorithm", list(VALUES)[:4], ids=repr)
def test_in_a_run_equal_errors_tie_although_their_sums_round_differently(
    algorithm: WeightBoosting,
) -> None:
    # After the first voter's round the examples have the weights 1/4 or 1/20. The two other voters
    # err on 1/4 + 2/20 and on 7/20.
    first, others = [0, 1], ([0, 2, 3], [5, 6, 7, 8, 9, 10, 11])
    for order in (others, others[::-1]):
        H = np.array(
            [np.where(np.isin(np.arange(12), wrong), -1.0, 1.0) for wrong in (first, *order)]
        )
        problem = reduce_problem(H.T, np.ones(12))
        value = algorithm.values(grid_of(algorithm, [1]))[-1]
        assert algorithm.run(problem, 0, value, 2)[0].tolist() == [0, 1]


@pytest.mark.parametrize("redraws", [False, True])
@pytest.mark.parametrize("algorithm", list(VALUES)[:4], ids=repr)
def test_a_voter_without_error_ends_the_run_and_one_without_an_edge_if_all_stay(
    algorithm: WeightBoosting, redraws: bool
) -> None:
    y = np.array([1.0, 1.0, -1.0, -1.0])
    for column, change in ((y, 1.0), (-y, -1.0), (np.array([1.0, -1.0, 1.0, -1.0]), 0.0)):
        voters = FixedVoters(column[:, None], y)
        voters.redraws = redraws
        for [_], [weight], [last] in boosted(algorithm, voters, 3, [0.0]):
            assert last == (change != 0 or not redraws)
            assert np.sign(weight) == change
        # Nothing else may move the example weights.
        assert (voters.seen[-1] == voters.seen[0]).all()
    assert (step_of(1.0, 1), step_of(-1.0, 3)) == (1.0, -3 * LARGEST_STEP)
    assert (step_of(0.5, 2), step_of(-NO_EDGE, 2)) == (pytest.approx(np.arctanh(0.5)), 0.0)
    # No edge below 1 gives a step as large as the decisive one outweighs.
    assert np.arctanh(np.nextafter(1.0, 0.0)) < LARGEST_STEP / 2


@pytest.mark.parametrize(("algorithm", "value"), [(EBBoost(), 0.0), (HedgeBoost(), 0.5)], ids=repr)
def test_an_example_of_the_smallest_weight_grows_again(
    algorithm: WeightBoosting, value: float
) -> None:
    voters = Turning()
    last = [r.last[0] for r in boosted(algorithm, voters, 10_000, [value], np.ones((1, 6)))]
    seen = np.array(voters.seen)[: [*last, True].index(True), 0, 0]
    assert seen[5000] == 0
    assert seen[5000:].max() > 1e-6 * UNITS


def to_the_end(problem: DrawnProblem, max_rounds: int = 60) -> DrawnProblem:
    return replace(problem, stopping=Holdout(patience=999, take="last", max_rounds=max_rounds))


ONE = {"per_round": 1, "polarity": "random"}
"""Each round has one stump, in one of its directions at random."""


@pytest.mark.parametrize("options", [{}, {"per_round": 3, "polarity": "random"}, ONE], ids=repr)
def test_over_drawn_stumps_adaboost_picks_the_best_of_each_round_and_skips_those_without_an_edge(
    options: dict[str, Any],
) -> None:
    problem = to_the_end(drawn_problem(0, **options))
    voters, y, w, expected = problem.source(), problem.y_train, np.full(60, 1 / 60), []
    for t in range(1, 61):
        voters.begin(t)
        outputs = np.where(problem.train[voters.attributes] > voters.cuts[:, None], 1.0, -1.0)
        edges = np.round((outputs * voters.turns[:, None] * y) @ w, 12)
        j = int((np.abs(edges) if voters.complements else edges).argmax())
        r = edges[j] if voters.complements else max(0.0, edges[j])
        alpha = np.arctanh(r) * voters.turns[j]
        w = w * np.exp(-alpha * y * outputs[j])
        w /= w.sum()
        expected.append((voters.attributes[j], voters.cuts[j], alpha))
    assert (np.count_nonzero([alpha for *_, alpha in expected]) < 40) == (options is ONE)
    found = AdaBoost().hold_out(problem, Grid.from_values({})).vote(0)
    attributes, cuts, weights = map(np.array, zip(*expected, strict=True))
    np.testing.assert_allclose(found.weights, weights, atol=1e-9)
    counts = found.weights != 0
    np.testing.assert_array_equal(found.attributes[counts], attributes[counts])
    np.testing.assert_array_equal(found.cuts[counts], cuts[counts])


@pytest.mark.parametrize(
    ("algorithm", "redraw"),
    [*product(list(VALUES)[:4], (False, True)), (HedgeBoost(), True)],
    ids=repr,
)
def test_a_round_without_an_edge_ends_a_run_only_if_all_rounds_have_the_same_stumps(
    algorithm: WeightBoosting, redraw: bool
) -> None:
    problem = to_the_end(drawn_problem(0, **ONE, redraw=redraw))
    found = algorithm.hold_out(problem, Grid.from_values(VALUES[algorithm]))
    for i, candidate in enumerate(found.candidates):
        weights = found.vote(i).weights
        assert np.isfinite(weights).all()
        if redraw:
            assert candidate["n_rounds"] == 60
            assert 20 < np.count_nonzero(weights) < 60
        else:
            # The edge of the same stump is zero once it has a weight, or was from the start.
            assert candidate["n_rounds"] == 1 + np.count_nonzero(weights) <= 2


def stumps_of(runs: StoppedRuns, i: int) -> tuple[FloatArray, ...]:
    vote = runs.vote(i)
    return vote.attributes, vote.cuts, vote.weights


@pytest.mark.parametrize("changes", [{}, {"take": "last", "lag": 9}], ids=repr)
@pytest.mark.parametrize(
    ("algorithm", "name", "values"),
    [
        (EBBoost(), "lam", [30.0, 5.0, 1.0, 0.3, 0.03, 0.0]),
        (AdaBoostReg(), "C", [3000.0, 300.0, 30.0, 3.0, 0.3, 0.0]),
        (AdaBoostReg(power=1), "C", [30.0, 10.0, 3.0, 1.0, 0.3, 0.0]),
        (HedgeBoost(), "eta", [0.01, 0.03, 0.1, 0.2, 0.35, 0.5]),
    ],
    ids=repr,
)
def test_values_side_by_side_over_drawn_stumps_are_separate_runs_until_each_ends(
    algorithm: WeightBoosting, name: str, values: list[float], changes: dict[str, Any]
) -> None:
    problem = drawn_problem(5)
    problem = replace(problem, stopping=problem.stopping.model_copy(update=changes))
    together = algorithm.hold_out(problem, Grid.from_values({name: values}))
    for i, value in enumerate(values):
        alone = algorithm.hold_out(problem, Grid.from_values({name: [value]}))
        assert together.errors[i] == alone.errors[0]
        assert together.candidates[i] == alone.candidates[0]
        for ours, theirs in zip(stumps_of(together, i), stumps_of(alone, 0), strict=True):
            np.testing.assert_array_equal(ours, theirs)
    # With patience the values end in different rounds: it is not one end for all.
    assert "lag" in changes or len({candidate["n_rounds"] for candidate in together.candidates}) > 2


Line = list[tuple[int, float]]
X = np.random.default_rng(1).normal(size=(7, 3))
Y = np.array([1.0, -1.0, 1.0, 1.0, -1.0, 1.0, -1.0])
CODES = coded(X, X)


@dataclass(frozen=True)
class Script(WeightBoosting):
    """Takes the picks and the weights of a line, and ends with it."""

    lines: tuple[Line, ...]
    hyperparameters = (Hyperparameter("line", "integer", "small", "line", zero=True), N_ROUNDS)

    def take_round(
        self, run: DrawnRun, t: int, sums: VoterSums, stumps: RandomStumps
    ) -> tuple[int, float, bool]:
        line = self.lines[int(run.value)]
        pick, weight = line[t - 1]
        return pick, weight, len(line) == t

    run = plain_run


def six_stumps(redraw: bool = True) -> RandomStumps:
    rng = np.random.default_rng(3)
    # A threshold of an example itself: the stump is negative there.
    rule = HoldoutStumps(per_round=6, thresholds="data", polarity="random", redraw=redraw)
    return RandomStumps(CODES, rng, rule)


def validated(
    lines: list[Line], stopping: Holdout, y: FloatArray = Y, redraw: bool = True
) -> StoppedRuns:
    problem = DrawnProblem(lambda: six_stumps(redraw), CODES, Y, CODES, y, stopping)
    return Script(tuple(lines)).hold_out(
        problem, Grid.from_values({"line": list(range(len(lines)))})
    )


def by_hand(line: Line, stopping: Holdout) -> tuple[list[int], list[tuple[int, int, float]]]:
    """Return the errors of all rounds and the stumps of the vote."""
    source = six_stumps()
    sums, errors, vote = np.zeros(len(Y)), [], []
    for t, (pick, weight) in enumerate(line[: stopping.max_rounds], 1):
        source.begin(t)
        attribute, cut = source.attributes[pick], source.cuts[pick]
        signed = weight * source.turns[pick]
        vote.append((attribute, cut, signed))
        sums += np.where(CODES[attribute] > cut, signed, -signed)
        errors.append(int(((sums > 0) != (Y > 0)).sum()))
        if stopping.lag is None:
            ends = t - errors.index(min(errors)) > stopping.patience
        else:
            ends = t > stopping.lag and errors[-1] >= errors[-1 - stopping.lag]
        if ends:
            break
    return errors, vote


lines = st.lists(
    st.tuples(st.integers(0, 5), st.sampled_from([-1.0, -0.5, 0.0, 0.25, 1.0])), min_size=1
)


@given(
    st.lists(lines, min_size=1, max_size=5),
    st.builds(
        Holdout,
        patience=st.integers(1, 4),
        lag=st.sampled_from([None, None, 1, 2, 4]),
        take=st.sampled_from(["best", "last"]),
        max_rounds=st.integers(1, 12),
    ),
)
def test_every_run_is_what_it_is_by_hand_whatever_ends_it(
    script: list[Line], stopping: Holdout
) -> None:
    found = validated(script, stopping)
    for i, line in enumerate(script):
        errors, vote = by_hand(line, stopping)
        n_rounds = errors.index(min(errors)) + 1 if stopping.take == "best" else len(errors)
        assert found.candidates[i] == {"line": i, "n_rounds": n_rounds}
        assert found.errors[i] == errors[n_rounds - 1]
        assert list(zip(*stumps_of(found, i), strict=True)) == vote[:n_rounds]


def test_an_even_vote_is_negative_and_a_nearly_even_one_is_not() -> None:
    source = six_stumps(redraw=False)
    source.begin(1)
    first = StumpVote(source.attributes[:1], source.cuts[:1], source.turns[:1]).sums(CODES)
    # 0.1 + 0.2 - 0.3 is 5.6e-17 in floating point: an even vote all the same.
    for y, line in (
        (np.full(7, -1.0), [(0, 0.1), (0, 0.2), (0, -0.3)]),
        (first, [(0, -0.25), (0, 0.25 + 1e-9)]),
    ):
        found = validated([line], Holdout(patience=9), y, redraw=False)
        assert (found.errors.tolist(), found.candidates[0]["n_rounds"]) == ([0], len(line))
