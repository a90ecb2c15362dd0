"""Grids and what all paths have in common."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import fields
from itertools import product
from typing import cast

import numpy as np
import pytest
from pydantic import ValidationError

from quadrepro import QuadBoostClassifier
from quadrepro.base.models import faults_at
from quadrepro.base.types import FloatArray
from quadrepro.config.column import Axis
from quadrepro.core.learners.adaboost import AdaBoost
from quadrepro.core.learners.adaboost_reg import AdaBoostReg
from quadrepro.core.learners.cbboost import CBBoost
from quadrepro.core.learners.cqboost import CqBoost
from quadrepro.core.learners.ebboost import EBBoost
from quadrepro.core.learners.hedge import HedgeBoost
from quadrepro.core.learners.quadboost import QuadBoost
from quadrepro.core.learners.rounds import BoostingAlgorithm
from quadrepro.core.learners.soft_margin import RegularizedLP, RegularizedQP
from quadrepro.core.preprocessing import Normaliser, encode
from quadrepro.core.training.algorithms import ALGORITHMS, find_registered
from quadrepro.core.training.contract import Algorithm, Learner, positive_votes
from quadrepro.core.training.estimator import RegisteredEstimator
from quadrepro.core.training.grid import Grid, Hyperparameter, Value
from quadrepro.core.voters.coded import VoterMatrix
from quadrepro.core.voters.reduction import VotingProblem, reduce_problem
from quadrepro.core.voters.stumps import Stumps
from tests.core.learners.given import make_problem
from tests.data.tables import load_dataset


@pytest.mark.parametrize("names", [("a", "b"), ("b", "a")])
def test_flattened_weights_follow_the_candidates_with_the_first_axis_outermost(
    names: tuple[str, str],
) -> None:
    grid = Grid.from_values({"a": [1, 2], "b": [3, 4, 5]})
    assert [(c["a"], c["b"]) for c in grid.candidates] == [*product([1, 2], [3, 4, 5])]
    axes = dict(grid.axes)
    array = np.array([[[[10 * x + y]] for y in axes[names[1]]] for x in axes[names[0]]])
    array = array.reshape(1, len(axes[names[0]]), len(axes[names[1]]), 1)
    flat = grid.flatten(array.astype(float), names)[0, :, 0]
    expected = [10 * c[names[0]] + c[names[1]] for c in grid.candidates]
    assert flat.tolist() == expected


def test_an_axis_that_the_grid_does_not_name_is_none_and_has_length_one() -> None:
    grid = Grid.from_values({"b": [3, 4]})
    assert (grid.axis("b"), grid.axis("a")) == ((3, 4), None)
    flat = grid.flatten(np.arange(12.0).reshape(2, 1, 2, 3), ("a", "b"))
    np.testing.assert_array_equal(flat, np.arange(12.0).reshape(2, 2, 3))
    with pytest.raises(ValueError, match="'lam' has no value"):
        Grid.from_values({"lam": []})


COUNT = Hyperparameter("count", "integer", "small", "a count")
PRICE = Hyperparameter("price", "number", "large", "a price", zero=True)
SHARE = Hyperparameter("share", "number", "small", "a share", largest=0.5)
NAME = Hyperparameter("name", "any", "small", "a name")


@pytest.mark.parametrize(
    ("hyperparameter", "values"),
    [
        (COUNT, [1, 2.0, 10]),
        (PRICE, [5, 0.5, 0]),
        (SHARE, [0.1, 0.5]),
        (NAME, ["b", "a", None, True, "b", float("nan")]),
        (NAME, []),
    ],
)
def test_valid_values_have_no_fault(hyperparameter: Hyperparameter, values: list[Value]) -> None:
    assert hyperparameter.fault(values) is None


@pytest.mark.parametrize(
    ("hyperparameter", "values", "fault"),
    [
        (COUNT, [1, "2"], "count takes numbers, not '2'"),
        (PRICE, [True], "price takes numbers, not True"),
        (COUNT, [0, 1], "count must be positive and finite, not 0"),
        (PRICE, [-0.5], "price must be at least 0 and finite, not -0.5"),
        (PRICE, [float("inf")], "price must be at least 0 and finite, not inf"),
        (COUNT, [2.5], "count takes whole numbers, not 2.5"),
        (SHARE, [0.1, 0.6], "share must be at most 0.5, not 0.6"),
        (SHARE, [0.1, 0.1], "share lists a value twice"),
        (COUNT, [1, 3, 2], "the values of count must increase: ties go to the first, simplest"),
        (PRICE, [1, 2], "the values of price must decrease: ties go to the first, simplest"),
    ],
)
def test_an_invalid_value_is_named(
    hyperparameter: Hyperparameter, values: list[Value], fault: str
) -> None:
    assert str(hyperparameter.fault(values)).startswith(fault)


def test_a_hyperparameter_that_a_grid_may_leave_out_is_not_asked_for() -> None:
    CqBoost().check(Grid.from_values({"mu": [0.1], "epsilon": [0.1]}))
    QuadBoost("l2").check_candidate(lam=1.0, n_rounds=5)
    with pytest.raises(ValueError, match="lam must be positive"):
        QuadBoost("l2").check_candidate(n_rounds=5, lam=0.0)
    for algorithm, axes, message in (
        (CqBoost(), {"mu": [0.1]}, "CqBoost needs a value of epsilon"),
        (CqBoost(), {"n_rounds": [3]}, "CqBoost needs a value of mu, epsilon"),
        (AdaBoost(), {"n_rounds": [1], "lam": [1.0]}, "AdaBoost has no hyper-parameter 'lam'"),
        (AdaBoost(), {"n_rounds": [20, 10]}, "n_rounds must increase"),
    ):
        with pytest.raises(ValueError, match=message):
            algorithm.path(np.ones((2, 1)), np.ones(2), Grid.from_values(axes))


def test_a_learner_does_its_own_task_and_no_other() -> None:
    algorithm = AdaBoost()
    assert algorithm.task == "classification"
    assert algorithm.for_task("classification") is algorithm
    assert algorithm.for_task("regression") is None


ONCE, CLASSIFIERS_ONLY = Grid.from_values({"n_rounds": [1]}), r"values -1 and \+1"
SHARES, PRICES = Grid.from_values({"nu": [0.5]}), Grid.from_values({"C": [1.0]})
H, Y = make_problem()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: AdaBoost().path(H / 2, Y, ONCE), CLASSIFIERS_ONLY),
        (lambda: RegularizedLP(n_rounds=0).path(H, Y, SHARES), "n_rounds must be positive"),
        (lambda: RegularizedQP(n_rounds=0).path(H, Y, PRICES), "n_rounds must be positive"),
        (lambda: CBBoost(allow_repeats=False, reweight=True), "allow_repeats must be true"),
        (
            lambda: QuadBoostClassifier("l2", selection="size").fit(H, Y),
            "or 'correlation', not 'size'",
        ),
        (lambda: QuadBoost(selection="correlation", reweight=True), "'correlation' is for the ad"),
    ],
)
def test_impossible_settings_and_voters_are_refused(
    call: Callable[[], object], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        call()


VOTES = [name for name, entry in ALGORITHMS.items() if entry.learner.gives_votes]
each_vote = pytest.mark.parametrize("name", VOTES)


def learner_of(name: str) -> Algorithm:
    return cast("Algorithm", ALGORITHMS[name].make({}))


def grid_of(name: str) -> Grid:
    """Return the ends of the default grid, and few rounds."""
    known = {h.name: h for h in learner_of(name).hyperparameters}
    axes = {key: Axis.model_validate(axis) for key, axis in ALGORITHMS[name].grid.items()}
    ends = {
        key: [values[0], values[-1]] if len(values := axis.resolve(known[key].kind)) > 1 else values
        for key, axis in axes.items()
    }
    return Grid.from_values(ends | ({"n_rounds": [3, 12]} if "n_rounds" in ends else {}))


def draw(n: int = 40) -> tuple[FloatArray, FloatArray]:
    """Return a voter matrix with equal and opposite voters and equal examples, and labels."""
    rng = np.random.default_rng(5)
    H = rng.choice([-1.0, 1.0], (n, 9))
    H[:, 3], H[:, 4] = H[:, 0], -H[:, 1]
    H[20:24] = H[:4]
    y = np.where(H[:, 0] + H[:, 1] + H[:, 2] + rng.normal(size=n) > 0, 1.0, -1.0)
    y[20:24] = y[:4]
    return H, y


def assert_close(found: FloatArray, expected: FloatArray) -> None:
    # A solver may add up in another order.
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-8)


@each_vote
def test_a_candidate_is_the_same_alone_and_among_others(name: str) -> None:
    (H, y), learner, grid = draw(), learner_of(name), grid_of(name)
    path = learner.path(H, y, grid)
    assert path.shape == (len(grid), 9)
    for candidate, weights in zip(grid.candidates, path, strict=True):
        alone = Grid.from_values({key: [value] for key, value in candidate.items()})
        assert_close(learner.path(H, y, alone)[0], weights)


@each_vote
def test_a_sample_gives_the_weights_of_repeated_examples_in_any_order(name: str) -> None:
    (H, y), learner, grid = draw(), learner_of(name), grid_of(name)
    rng = np.random.default_rng(7)
    samples = rng.integers(0, 3, (2, len(y)))
    for counts, path in zip(samples, learner.path(H, y, grid, samples * 1.0), strict=True):
        rows = rng.permutation(np.repeat(np.arange(len(y)), counts))
        assert_close(path, learner.path(H[rows], y[rows], grid))


GRIDS: dict[BoostingAlgorithm, dict[str, list[float]]] = {
    AdaBoost(): {"n_rounds": [1, 100, 600]},
    AdaBoostReg(): {"C": [10.0], "n_rounds": [1, 100]},
    EBBoost(): {"lam": [1.0, 0.1], "n_rounds": [1, 100]},
    HedgeBoost(): {"eta": [0.1], "n_rounds": [1, 100]},
    CBBoost(): {"n_rounds": [1, 100]},
    QuadBoost(): {"n_rounds": [1, 100, 300]},
    QuadBoost("l1"): {"lam": [0.1, 0.001]},
    QuadBoost("l2"): {"n_rounds": [10, 300], "lam": [10.0, 1.0]},
    QuadBoost("linf"): {"n_rounds": [10, 300], "alpha_max": [0.001, 0.1]},
    QuadBoost("linf", reweight=True): {"n_rounds": [10, 300], "alpha_max": [0.001, 0.1]},
}


def real_problem(name: str) -> tuple[FloatArray, FloatArray]:
    dataset = load_dataset(name)
    examples = encode(dataset, dataset.card.view("quadboost"))
    rows = np.random.default_rng(0).permutation(len(examples.y))[:300]
    X = examples.X[rows]
    X = Normaliser.fit(X).transform(X)
    return Stumps().fit(X).transform(X), examples.y[rows]


@pytest.mark.parametrize("algorithm", GRIDS, ids=repr)
def test_the_reduced_problem_gives_the_weights_of_the_plain_one(
    algorithm: BoostingAlgorithm,
) -> None:
    H, y = real_problem("tictactoe" if algorithm.value_name else "monks")
    samples = np.vstack([np.arange(len(y)) % 5 != f for f in range(5)]).astype(float)
    grid = Grid.from_values(GRIDS[algorithm])
    plain = VotingProblem(VoterMatrix(H), y, samples, np.arange(H.shape[1]), H.shape[1])
    reduced = reduce_problem(H, y, samples)
    assert reduced.H.size < plain.H.size
    weights = algorithm.path(H, y, grid, samples)
    expected = algorithm.paths(plain, [grid])
    np.testing.assert_array_equal(weights, expected)
    for ours, theirs in zip(weights, expected, strict=True):
        np.testing.assert_array_equal(positive_votes(H, ours), positive_votes(H, theirs))


def test_a_path_is_over_the_plain_voters_whether_equal_ones_are_merged_or_not() -> None:
    H, y = make_problem()
    doubled = np.hstack([-H, H])
    for algorithm in (QuadBoost("l2"), QuadBoost("l2", reweight=True)):
        grid = Grid.from_values({"n_rounds": [40], "lam": [0.5]})
        weights = algorithm.path(doubled, y, grid)[0]
        assert weights.shape == (24,)
        assert weights[12:].any() != algorithm.merges_voters


def test_a_vote_calls_positive_what_has_a_positive_sum_and_not_one_by_rounding() -> None:
    H, _ = make_problem()
    weights = np.random.default_rng(0).normal(size=(4, 12))
    np.testing.assert_array_equal(positive_votes(H, weights), H @ weights.T > 0)
    H = np.array([[1.0, -1.0], [1.0, 1.0]])
    assert positive_votes(H, np.array([[0.3, 0.3]])).tolist() == [[False], [True]]
    # 0.1 + 0.2 - 0.3 is 5.6e-17 in floating point: an even vote all the same.
    assert not positive_votes(np.array([[1.0, 1.0, -1.0]]), np.array([[0.1, 0.2, 0.3]])).any()


@pytest.mark.parametrize("name", ALGORITHMS)
def test_every_entry_makes_an_algorithm_with_its_defaults_and_has_a_small_grid(name: str) -> None:
    entry = find_registered(name)
    learner = entry.make({})
    assert type(learner) is entry.learner
    assert issubclass(entry.learner, Learner)
    assert bool(learner.hyperparameters) == (name != "baseline")
    assert entry.source
    if isinstance(entry, RegisteredEstimator):
        assert set(entry.settings) == set(entry.names({}))
        return
    kinds = {h.name: h.kind for h in learner.hyperparameters}
    axes = {k: Axis.model_validate(v).resolve(kinds[k]) for k, v in entry.grid.items()}
    assert {h.name for h in learner.hyperparameters if not h.optional} <= {*axes}
    learner.check(Grid.from_values(axes))
    assert math.prod(map(len, axes.values())) <= 20
    assert max(axes.get("n_rounds", [0])) <= 10_000
    assert {key: getattr(learner, key) for key in entry.preset} == entry.preset
    assert {key: getattr(learner, key) for key in entry.settings} == entry.settings
    named = {f.name for f in fields(entry.learner)}
    assert set(entry.settings) == named - set(entry.preset)


def test_settings_are_checked_and_a_preset_cannot_be_changed() -> None:
    entry = ALGORITHMS["quadboost-l2"]
    assert entry.make({"reweight": True}) == QuadBoost("l2", reweight=True)
    with pytest.raises(ValidationError, match="rewaight"):
        entry.make({"rewaight": True})
    with pytest.raises(ValidationError, match="reweight"):
        entry.make({"reweight": "little"})
    with pytest.raises(ValueError, match="power must be 1 or 2"), faults_at():
        ALGORITHMS["abr"].make({"power": 3})
    preset = ALGORITHMS["rboosting"]
    assert "step" not in preset.settings
    assert preset.make({"step": "full"}) == preset.make({})
