"""What a measure must keep to, so that curves and claims can rely on it."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import replace
from importlib import import_module

import numpy as np

from quadrepro.base.types import FloatArray
from quadrepro.core.learners.greedy.adaboost import AdaBoost
from quadrepro.core.learners.greedy.quadboost import QuadBoost
from quadrepro.core.learners.grid import Grid
from quadrepro.core.measures.measure import Measure, Trained, find_measure
from quadrepro.plugins import Contract
from quadrepro.plugins.problems import MOST_ROUNDS, votes


def runs() -> Iterator[Trained]:
    """Yield the rounds of runs of some algorithms on classes that three voters tell apart."""
    H, _ = votes(60)
    y = np.where(H[:, 0] + H[:, 1] + H[:, 2] > 0, 1.0, -1.0)
    train, test = slice(0, 40), slice(40, 60)
    grid = Grid.of({"n_rounds": [*range(1, MOST_ROUNDS + 1)]})
    for algorithm in (AdaBoost(), QuadBoost()):
        weights = algorithm.path(H[train], y[train], grid)
        yield Trained(
            y[train],
            y[test],
            weights @ H[train].T,
            weights @ H[test].T,
            H[train],
            weights,
            lambda name: np.random.default_rng([*name.encode()]),
        )


def trained(name: str) -> Trained:
    """Return the first run that a measure can be taken of; some are of one algorithm alone."""
    refusals = []
    for run in runs():
        try:
            values(find_measure(name), run)
        except ValueError as error:
            refusals.append(str(error))
        else:
            return run
    raise AssertionError(f"it can be taken of no run: {'; '.join(refusals)}")


def values(measure: Measure, of: Trained) -> FloatArray:
    """Return what is measured; a bound may be infinite or undefined."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        return np.asarray(measure(of), dtype=np.float64)


def every_candidate_has_a_number(name: str) -> None:
    """Every candidate has one number."""
    found = values(find_measure(name), trained(name))
    assert found.shape == (MOST_ROUNDS,), f"the shape is {found.shape}, not ({MOST_ROUNDS},)"
    assert not np.isnan(found).all(), "no candidate has a number"


def the_same_numbers_twice(name: str) -> None:
    """It gives the same numbers twice, and changes nothing that it is given."""
    given = trained(name)
    before = given.scores.copy(), given.y.copy()
    first, second = (values(find_measure(name), given) for _ in range(2))
    assert first.tobytes() == second.tobytes(), "two calls give other numbers"
    same = (given.scores == before[0]).all() and (given.y == before[1]).all()
    assert same, "it changes what it is given"


def what_it_needs_is_all_that_it_uses(name: str) -> None:
    """A measure of scores can do without voters; one of voters says that it needs them."""
    measure = find_measure(name)
    assert measure.needs in ("scores", "voters"), f"needs is {measure.needs!r}"
    if measure.needs == "scores":
        found = values(measure, replace(trained(name), H=None, weights=None))
        assert not np.isnan(found).all(), "without voters, no candidate has a number"


def candidates_are_measured_one_by_one(name: str) -> None:
    """The number of a candidate does not depend on later ones."""
    given, first = trained(name), slice(0, MOST_ROUNDS - 2)
    assert given.weights is not None
    fewer = replace(
        given,
        scores=given.scores[first],
        test_scores=given.test_scores[first],
        weights=given.weights[first],
    )
    found, expected = values(find_measure(name), fewer), values(find_measure(name), given)[first]
    assert np.allclose(found, expected, equal_nan=True), "fewer candidates get other numbers"


def tables_can_show_it(name: str) -> None:
    """It has a title, a direction, a version, and a module whose code is known."""
    measure = find_measure(name)
    assert measure.title, "it has no title"
    assert measure.direction in ("lower", "higher", None), f"direction is {measure.direction!r}"
    assert isinstance(measure.version, int), "its version is not a whole number"
    assert import_module(measure.module).__file__, "its module has no file"


CONTRACTS: tuple[Contract, ...] = (
    every_candidate_has_a_number,
    the_same_numbers_twice,
    what_it_needs_is_all_that_it_uses,
    candidates_are_measured_one_by_one,
    tables_can_show_it,
)
