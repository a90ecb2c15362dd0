from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quadrepro.base.plugins import Place
from quadrepro.core.learners.greedy.adaboost import AdaBoost
from quadrepro.core.learners.learner import Part, TrainingData
from quadrepro.core.learners.registry import ALGORITHMS
from quadrepro.core.learners.voting import FixedStumps
from quadrepro.core.voters.random_stumps import StumpCoding, StumpVote
from quadrepro.core.voters.stumps import Stumps
from quadrepro.errors import ConfigError
from quadrepro.proof.certificate import LongArray
from quadrepro.proof.conditions import AdaBoostSolution
from quadrepro.proof.gradient import GradientSolution
from quadrepro.proof.solution import (
    DrawnVote,
    Grid16,
    MatrixVote,
    OneVsRestSolution,
    RefittedPredictions,
    RefittedVote,
    StumpMatrix,
    certificate_of,
    first_class,
)
from tests.proof.solved import examined, faults, solved


def of_classes(name: str) -> OneVsRestSolution:
    found = solved(name)
    assert isinstance(found, OneVsRestSolution)
    return found


def test_each_class_is_solved_as_two() -> None:
    found, cell = of_classes("boosting, more classes"), examined("boosting, more classes")
    assert found.codes == (0, 1, 2)
    cells = [solution.cell for solution in found.solutions]
    for code, of_class in zip(found.codes, cells, strict=True):
        is_class = cell.data.train.y == code
        assert (of_class.data.train.y == np.where(is_class, 1.0, -1.0)).all()
    assert faults(found) == []


def test_a_false_solution_of_one_class_is_named() -> None:
    found = of_classes("boosting, more classes")
    first, second, third = found.solutions
    assert isinstance(second, GradientSolution)
    tree = second.trees[0]
    wrong = replace(second, trees=[tree._replace(weight=tree.weight * 1.01), *second.trees[1:]])
    named = faults(replace(found, solutions=(first, wrong, third)))
    assert named[0].startswith("class 1: round 1: the derivative along the tree is off by")
    assert all(fault.startswith("class 1: ") for fault in named)


def test_drawn_stumps_have_their_own_rounds_for_each_class() -> None:
    found = of_classes("ebboost, drawn, more classes")
    rounds = str(found.candidate["n_rounds"]).split(", ")
    assert rounds == [str(solution.candidate["n_rounds"]) for solution in found.solutions]


@pytest.mark.parametrize(
    ("scores", "zero", "code"),
    [((1.0, 2.0), 0.0, 7), ((2.0, 2.0), 0.0, 3), ((2.0, 2.0 + 1e-13), 1e-12, 3)],
)
def test_the_first_class_of_largest_score_is_predicted(
    scores: tuple[float, float], zero: float, code: int
) -> None:
    columns: list[LongArray] = [np.array([s], dtype=np.longdouble) for s in scores]
    assert first_class((3, 7), [(columns[0], zero), (columns[1], 0.0)]).tolist() == [code]


@pytest.mark.parametrize("name", ALGORITHMS)
def test_every_algorithm_names_what_proves_it(name: str) -> None:
    learner = ALGORITHMS[name].make({})
    assert certificate_of(learner) is not RefittedVote
    assert (certificate_of(learner) is RefittedPredictions) == (name == "baseline")


class Mine(AdaBoost):
    """A class of another package that may change what it derives from."""


class Proved(Mine):
    certificate = Place("quadrepro.proof.conditions:AdaBoostSolution")


class Derived(Proved):
    """A class of the same package."""


def test_a_certificate_is_not_inherited_from_another_package() -> None:
    assert certificate_of(AdaBoost()) is AdaBoostSolution
    assert certificate_of(Mine()) is RefittedVote
    assert certificate_of(Proved()) is certificate_of(Derived()) is AdaBoostSolution


@pytest.mark.parametrize(
    ("place", "message"),
    [
        ("tests.none:Solution", "tests.none:Solution: cannot be imported: ModuleNotFoundError"),
        ("quadrepro.errors:nearest", "must be of type type, not function"),
        ("quadrepro.errors:ConfigError", "must be a subclass of Solution"),
    ],
)
def test_a_certificate_that_cannot_be_used_is_named(
    monkeypatch: pytest.MonkeyPatch, place: str, message: str
) -> None:
    monkeypatch.setattr(Proved, "certificate", Place(place))
    with pytest.raises(ConfigError, match=message):
        certificate_of(Proved())


seeds = st.integers(0, 2**32 - 1)


def examples(seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    # Whole numbers lie on thresholds now and then, and one attribute is constant.
    return np.column_stack([rng.integers(0, 12, (30, 2)), rng.normal(size=30), np.ones(30)])


def data(X: np.ndarray, voters: FixedStumps) -> TrainingData:
    part = Part(X, np.ones(len(X)))
    return TrainingData(part, part, None, voters, lambda name: np.random.default_rng(5))


@given(seeds)
def test_stumps_are_those_of_the_transformer(seed: int) -> None:
    X, new = examples(seed), examples(seed + 1)
    voters = FixedStumps(3)
    stumps = StumpMatrix.of(data(X, voters), voters)
    np.testing.assert_array_equal(stumps.outputs(new), Stumps(3).fit(X).transform(new))


def test_drawn_voters_are_among_those_that_vary() -> None:
    X, voters = examples(0), FixedStumps(3, 4)
    found = StumpMatrix.of(data(X, voters), voters)
    trainer_H = Stumps(3).fit(X).transform(X)[:, found.chosen]
    np.testing.assert_array_equal(found.outputs(X), trainer_H)
    assert (trainer_H.min(axis=0) < trainer_H.max(axis=0)).all()


@given(seeds)
def test_codes_are_those_of_the_coding(seed: int) -> None:
    X, new = examples(seed), examples(seed + 1)
    np.testing.assert_array_equal(Grid16.of(X).codes(new), StumpCoding.fit(X).transform(new))


@given(seeds)
def test_sums_are_those_of_the_votes(seed: int) -> None:
    rng, X = np.random.default_rng(seed), examples(seed)
    stumps = rng.integers(0, 4, 9), rng.integers(0, 65535, 9), rng.normal(size=9)
    vote = DrawnVote(Grid16.of(X), *stumps)
    plain = StumpVote(stumps[0], stumps[1].astype(np.uint16), stumps[2])
    codes = StumpCoding.fit(X).transform(X)
    np.testing.assert_allclose(vote.sums(X).astype(float), plain.sums(codes), atol=1e-14)
    assert float(vote.total) == pytest.approx(np.abs(stumps[2]).sum())
    voters = FixedStumps(2)
    matrix, weights = StumpMatrix.of(data(X, voters), voters), rng.normal(size=8)
    fixed = MatrixVote(matrix, weights.astype(np.longdouble))
    expected = matrix.outputs(X) @ weights
    np.testing.assert_allclose(fixed.sums(X).astype(float), expected, atol=1e-14)
