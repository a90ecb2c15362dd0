from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from quadrepro.base.plugins import Place
from quadrepro.core.learners.greedy.adaboost import AdaBoost
from quadrepro.core.learners.registry import ALGORITHMS
from quadrepro.errors import ConfigError
from quadrepro.proof.certificate import LongArray
from quadrepro.proof.conditions import AdaBoostSolution
from quadrepro.proof.gradient import GradientSolution
from quadrepro.proof.solution import (
    OneVsRestSolution,
    RefittedPredictions,
    RefittedVote,
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
